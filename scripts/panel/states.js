// Each state of both pages, as people see it: three widths, light and dark. What is looked at is kept as pictures.
import assert from 'node:assert/strict';
import { LONG, accessible, check, openPage } from './lab.js';
import { proxy, tabs } from './tabs.js';

const WIDTHS = [[390, 844], [1280, 800], [1920, 1080]];
/** Players have one look, made for a dark room. */
const SCHEMES = { panel: ['light', 'dark'], display: ['dark'] };

/** What is cut off at this width, or hangs out: a text in a box that hides what does not fit, or what makes the page too wide. */
const clipped = (page) => page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    // A text that runs out of its box makes the page wider, and no box.
    const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth - clientWidth} px too wide`] : [];
    for (const box of document.querySelectorAll('body *')) {
        const { overflowX } = getComputedStyle(box), name = `${box.tagName}#${box.id}.${box.getAttribute('class')} "${box.textContent.slice(0, 40)}"`;
        if (box.checkVisibility() && ['hidden', 'clip'].includes(overflowX) && box.clientWidth > 1 && box.scrollWidth > box.clientWidth + 1) found.push(`${name} is cut off`);
        if (scrollWidth > clientWidth && !box.closest('.scroll *') && box.getBoundingClientRect().right > clientWidth) found.push(`${name} hangs out`);
    }
    const texts = [...document.querySelectorAll('svg.table text')].filter((text) => text.textContent.trim()).map((text) => [text.textContent, text.getBoundingClientRect()]);
    const drawing = document.querySelector('svg.table')?.getBoundingClientRect();
    texts.forEach(([text, box], n) => {
        if (box.left < drawing.left - 1 || box.right > drawing.right + 1) found.push(`"${text}" leaves the drawing`);
        // Lines of one part touch each other: a letter's box is higher than the letter.
        for (const [other, near] of texts.slice(n + 1)) if (box.left < near.right && near.left < box.right && box.top < near.bottom - 5 && near.top < box.bottom - 5) found.push(`"${text}" lies on "${other}"`);
    });
    return found;
});

/** Lets a page and its clock stand still at will, and catch up after it: some states last a second, and looking takes longer. */
const stills = () => {
    // A page that has no worker to share a stream with listens by itself, where it can be stopped.
    globalThis.SharedWorker = undefined;
    const listen = EventSource.prototype.addEventListener, now = Date.now, held = [];
    let still = false, since = 0;
    Date.now = () => (still ? since : now());
    globalThis.stand = (on) => {
        since = now();
        still = on;
        while (!still && held.length) held.shift()();
    };
    // The latest state with other values, as if the table had told it: what a table comes to only after much bad luck.
    globalThis.pretend = (snapshot, lines) => {
        const { data, hear } = globalThis.latest, status = JSON.parse(data);
        hear({ data: JSON.stringify({ ...status, snapshot: { ...status.snapshot, ...snapshot }, lines: { ...status.lines, ...lines } }) });
    };
    EventSource.prototype.addEventListener = function (name, hear) {
        if (name === 'status') listen.call(this, name, ({ data }) => { globalThis.latest = { data, hear }; });
        listen.call(this, name, (event) => (still ? held.push(() => hear(event)) : hear(event)));
    };
};

/** Looks at a page in this state, in all widths and schemes. */
async function look(page, kind, state, shots) {
    await page.evaluate(() => globalThis.stand(true));
    for (const [width, height] of WIDTHS) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of SCHEMES[kind]) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await page.screenshot({ path: `${shots}/states/${kind}-${state}-${width}-${colorScheme}.png`, fullPage: kind === 'panel' });
            if (width === 1280) await accessible(page, `${kind}, ${state}, ${colorScheme}`);
        }
        assert.deepEqual(await clipped(page), [], `${kind}, ${state}, at ${width} px`);
    }
    await page.evaluate(() => globalThis.stand(false));
}

/** What is typed at the table, and what both pages show then; the name is the pictures'. */
const STATES = [
    ['empty', '', 'ready', 'No results yet'],
    ['tumbling', 'play to spinning', 'tumbling', 'Tumbling'],
    ['settling', 'wait phase betting; at spun; play to entered', 'settling', 'Round 1'],
    ['ready', 'collect and pay; key entry', 'ready', 'Last round, 1'],
    ['void', 'play to spinning; press no_spin; wait phase void', 'void', 'The dice did not tumble at least three times.'],
    ['interrupted', 'at spun; go on; mark; play to bets-closed; kill; start', 'interrupted', 'Bets stay where they are'],
    ['last-round', 'lift dome; pass 600 ms; turn key; do interrupted cannot-tell; lower dome; pass 1500 ms; at settled; fault lamp.open:small; dice 1 1 2; try play to entered; wait latched lamps', 'settling', 'small'],
    ['blocked', 'collect and pay; key entry; wait phase blocked', 'blocked', 'This table is out of order'],
    ['closed', 'recover table; turn key; do close', 'closed', 'This table is closed'],
    ['maintenance', 'turn key; as technician; do maintenance on', 'maintenance', 'This table is being serviced'],
];

const WORD = 'x'.repeat(120), areas = Array.from({ length: 30 }, (_, n) => `combo-1-2-${n}`).join(', ');
/** The most that both pages ever have to show; and what the technician's drawing says of a part. */
const MOST = [
    ['waived', { waived: [{ code: 'lamps', procedure: WORD, by: WORD }] }, {}, 'buttons', 'none pressed'],
    ['many-faults', { phase: 'blocked', malfunctions: ['reader', 'seal', 'terminal', 'dome', 'lamps', 'tumbler', 'buttons'].map((code, n) => ({ code, cause: n ? WORD : `lamps do not do as they were told: ${areas}`, since: 0 })) }, {}, 'dice', 'flat'],
    ['four-buttons', {}, { place_bets: true, tumble: true, no_more_bets: true, no_spin: true }, 'buttons', '4 pressed'],
    // What a unit said before it was lost is not how the table is now.
    ['reader-lost', { lost_units: [10], poses: ['flat', 'flat', 'flat'] }, {}, 'dice', 'unknown'],
    ['terminal-lost', { lost_units: [1], display: '123' }, {}, 'terminal', 'no reply'],
    ['lamps-lost', { lost_units: [2], lit: ['small'], sensed: ['small'] }, {}, 'lamps', 'no reply'],
];

export async function states(browser, demo, shots) {
    await check('ten tabs of a browser are live, and below a prefix of a proxy too', async () => {
        await tabs(browser, demo.base);
        const below = await proxy(demo.base);
        await tabs(browser, below.base);
        below.stop();
    });
    const [panel, display] = [await openPage(browser, 'about:blank'), await openPage(browser, 'about:blank')];
    for (const [page, path] of [[panel, '/'], [display, '/display']]) {
        await page.addInitScript(stills);
        await page.goto(demo.base + path);
    }
    const shows = (page, id, what) => page.waitForFunction(([id, what]) => document.getElementById(id).textContent.includes(what), [id, what]);
    for (const [name, steps, phase, told] of STATES) {
        await check(`${name}: both pages show it, whole, at every width, light and dark`, async () => {
            if (steps) await demo.type(steps);
            await shows(panel, 'phase', phase.replaceAll('-', ' '));
            await shows(display, 'last', told);
            // Written while the page heard nothing of the table.
            if (name === 'interrupted') await shows(panel, 'latest', 'started under');
            await look(display, 'display', name, shots);
            await look(panel, 'panel', name, shots);
        });
    }
    for (const [name, snapshot, lines, part, told] of MOST) {
        await check(`${name}: both pages show it, whole, at every width, light and dark`, async () => {
            for (const [kind, page] of [['display', display], ['panel', panel]]) {
                await page.evaluate(([snapshot, lines]) => { globalThis.stand(true); globalThis.pretend(snapshot, lines); }, [snapshot, lines]);
                if (kind === 'panel') assert.equal(await page.textContent(`[data-part=${part}] .state`), told);
                if (kind === 'panel') assert.doesNotMatch(await page.textContent('[data-part=terminal] .digits'), /\d/);
                await look(page, kind, name, shots);
            }
        });
    }
    await check('wires: a button that is pressed is counted, and a unit shows its registers', async () => {
        const changes = () => Number([...document.querySelectorAll('#levels tr')].find((row) => row.cells[0].textContent === 'place_bets').cells[5].textContent);
        await panel.evaluate(() => document.getElementById('lines').scrollIntoView());
        await panel.waitForFunction(() => document.querySelectorAll('#levels tr').length === 16 && document.querySelectorAll('#units tr').length === 4);
        const before = await panel.evaluate(changes);
        await demo.type('press place_bets');
        // Pressed and released.
        for (const until = Date.now() + LONG; (await panel.evaluate(changes)) < before + 2; ) assert.ok(Date.now() < until, 'the press is not counted');
        await panel.selectOption('#only select', 'board-2');
        await panel.fill('#only input', 'dome');
        await panel.waitForFunction(() => document.querySelectorAll('#levels tr').length === 2 && document.querySelector('#registers:not([hidden])'));
        await panel.fill('#only input', '');
        await panel.waitForFunction(() => document.querySelectorAll('#values tr').length === 128);
        assert.match(await panel.textContent('#values'), /coil0(on|off)\d.* ago.*small/);
        await look(panel, 'panel', 'wires', shots);
    });
    await check('stale: both pages are dimmed and say so first, and no button does anything', async () => {
        await demo.stop();
        for (const [kind, page] of [['panel', panel], ['display', display]]) {
            await page.waitForSelector('#stale:not([hidden])');
            await look(page, kind, 'stale', shots);
        }
        assert.deepEqual(await panel.evaluate(() => [...document.querySelectorAll('button')].filter((button) => !button.matches(':disabled')).length), 0);
        assert.deepEqual(await display.evaluate(() => getComputedStyle(document.querySelector('main')).filter.startsWith('grayscale(1)')), true);
    });
}

// The panel and the display while a table plays.
import assert from 'node:assert/strict';
import { accessible, check, errors, openPage, tabTo, tooWide } from './lab.js';

export async function table(browser, demo, shots) {
    const open = (path, options) => openPage(browser, demo.base + path, options);
    const panel = await open('/');
    // The stories break something now and then, and put it right soon: this waits from the beginning.
    const fault = panel.waitForFunction(() => document.querySelector('.fault')?.textContent).then((found) => found.jsonValue());
    fault.catch(() => {});
    const display = await open('/display', { viewport: { width: 1920, height: 1080 } });

    await check('the winning areas light on the page as the table has them', async () => {
        // Of one moment: the next round may be on by the next question.
        const found = await panel.waitForFunction(() => {
            const lit = [...document.querySelectorAll('.area.lit')].map((area) => area.title);
            // Tests light areas too, without a result.
            const settles = document.getElementById('phase').textContent === 'settling';
            return settles && lit.length > 0 && document.getElementById('verified').textContent.includes('as told') && [lit, document.getElementById('dice').textContent];
        });
        const [lit, total] = await found.jsonValue();
        assert.ok(lit.some((id) => total.includes(`total ${id.replace('total-', '')}`)), `${lit} and ${total}`);
        await panel.screenshot({ path: `${shots}/lit.png`, fullPage: true });
    });
    await check('a settled round has its waveform and its story', async () => {
        await panel.waitForSelector('#timeline svg .wave');
        await panel.waitForFunction(() => document.getElementById('story').textContent.includes('Settled'));
        assert.match(await panel.textContent('#timeline'), /motor enable/);
    });
    await check('the results display shows dice, total, and counts', async () => {
        await display.waitForSelector('#last .total');
        await display.waitForSelector('#past li .die');
        assert.match(await display.textContent('#counts'), /big \d+small \d+triple \d+void \d+/);
        await display.screenshot({ path: `${shots}/display.png` });
    });
    await check('all ten layouts are drawn with all their areas', async () => {
        const counts = await panel.evaluate(async () => {
            const { drawLayout } = await import('/layout.js');
            const found = {};
            const known = (await (await fetch('/api/layout?id=none')).json()).error.split('known are ')[1].split(', ');
            for (const id of known) {
                const { areas } = await (await fetch(`/api/layout?id=${id}`)).json();
                // The table goes on meanwhile, and the page draws its layout again: of one moment, name and areas are one layout's.
                for (let tries = 0; tries < 100 && !found[id]; tries += 1) {
                    await drawLayout({ layout: id, lit: [], sensed: [], verified: false });
                    const drawn = document.getElementById('layout-name').textContent.startsWith(`${id} `);
                    if (drawn) found[id] = [document.querySelectorAll('#layout-bands .area').length, areas.length];
                    else await new Promise((resolve) => setTimeout(resolve, 20));
                }
            }
            return found;
        });
        assert.equal(Object.keys(counts).length, 10);
        for (const [id, [drawn, all]] of Object.entries(counts)) assert.equal(drawn, all, id);
        // The question for a layout that is none was this check's own.
        errors.splice(0, errors.length, ...errors.filter((error) => !error.includes('404')));
    });
    await check('a layout that could not be had at first is drawn all the same', async () => {
        let asked = 0;
        const page = await openPage(browser, 'about:blank');
        await page.route('**/api/layout?*', (route) => { asked += 1; return asked === 1 ? route.abort() : route.continue(); });
        await page.goto(`${demo.base}/`);
        await page.waitForSelector('#layout-bands .area');
        assert.ok(asked > 1);
        errors.splice(0, errors.length, ...errors.filter((error) => !error.includes('ERR_FAILED')));
        await page.context().close();
    });
    await check('a malfunction comes with its cause, its time, and what to do', async () => {
        assert.match(await fault, /: .*Since .*tumblerctl reset [a-z]+ --rectified/s);
    });
    await check('the journal is searched with the keyboard alone', async () => {
        await tabTo(panel, 'the search', (element) => element.name === 'search');
        await panel.keyboard.type('round began');
        await panel.keyboard.press('Tab');
        await panel.keyboard.press('Tab');
        await panel.keyboard.press('Shift+Tab');
        await panel.keyboard.press('Shift+Tab');
        await panel.keyboard.press('Control+A');
        await panel.keyboard.type('needed');
        await panel.keyboard.press('Enter');
        await panel.waitForFunction(() => document.querySelectorAll('#records tr').length > 0 && [...document.querySelectorAll('#records tr')].every((row) => row.textContent.includes('needed')));
    });
    await check('what has the keyboard\'s focus keeps it while the table goes on', async () => {
        const kept = await panel.waitForFunction(() => {
            const look = globalThis.look ?? {}, rounds = document.getElementById('recent').textContent, phase = document.getElementById('phase').textContent;
            if (look.rounds !== rounds) {
                // A round has ended meanwhile, or this is the beginning.
                const button = document.querySelector('#recent button');
                button?.focus();
                globalThis.look = { rounds, phase, button };
            } else if (look.button && look.phase !== phase) return { of: document.activeElement === look.button };
            return false;
        }).then((found) => found.jsonValue());
        assert.ok(kept.of, 'a button lost the focus');
    });
    for (const colorScheme of ['light', 'dark']) {
        await check(`panel and display are accessible, ${colorScheme}`, async () => {
            for (const path of ['/', '/display']) {
                const page = await open(path, { colorScheme });
                await page.waitForFunction(() => document.querySelector('#phase').textContent.trim().length > 1);
                await accessible(page, `${path} ${colorScheme}`);
                await page.screenshot({ path: `${shots}${path === '/' ? '/panel' : '/display'}-${colorScheme}.png`, fullPage: true });
            }
        });
    }
    await check('a phone shows all of it without sideways scrolling', async () => {
        for (const path of ['/', '/display']) {
            const page = await open(path, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
            await page.waitForFunction(() => document.querySelector('#phase').textContent.trim().length > 1);
            const over = await tooWide(page);
            await page.screenshot({ path: `${shots}${path === '/' ? '/panel' : '/display'}-phone.png`, fullPage: true });
            assert.ok(over <= 0, `${path} is ${over} px too wide`);
            await accessible(page, `${path} on a phone`);
            if (path === '/display') continue;
            await page.waitForSelector('#timeline svg .wave');
            const [least, scrolls, name] = await page.evaluate(async () => {
                const place = document.getElementById('timeline');
                const heights = [...place.querySelectorAll('text')].map((text) => text.getBoundingClientRect().height);
                place.scrollLeft = place.scrollWidth;
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const left = (of) => of.getBoundingClientRect().left;
                return [Math.min(...heights), place.scrollLeft > 0, left(place.querySelector('.names text')) - left(place)];
            });
            assert.ok(least >= 9 && scrolls, `the waveform's words are ${least} px high`);
            assert.ok(name >= 0 && name < 20, `scrolled to its end, the waveform has the lines' names ${name} px from its edge`);
        }
    });
    await check('no error in the browser\'s console', async () => assert.deepEqual(errors, []));
    await check('a page whose table is gone says that it is not live', async () => {
        await demo.stop();
        for (const page of [panel, display]) await page.waitForSelector('#stale:not([hidden])');
        assert.match(await display.textContent('#stale'), /Not live/);
        await display.screenshot({ path: `${shots}/not-live.png` });
    });
}

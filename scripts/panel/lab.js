// What the checks share: a demo that runs, a browser that looks, and a count of what was found right.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Longest time that anything here may take, in milliseconds; only a failure takes it. */
export const LONG = 240_000;
/** What went wrong in the pages, as the browser's console has it. */
export const errors = [];
let passed = 0;

const freePort = () => new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => done(port));
    });
});

/** A demo with a panel, once its table is open. */
export async function startDemo(rig, options) {
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(rig, ['demo', '--rules', 'nz-div9', '--layout', 'nz-div9-2', '--seed', '7', '--panel', address, ...options]);
    const ended = new Promise((done) => child.on('exit', done));
    let told = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { told += text; });
    const demo = {
        base: `http://${address}`,
        told: () => told,
        ended,
        /** Waits until the demo says this, from a place in what it said. */
        async says(what, from = 0) {
            for (const until = Date.now() + LONG; !told.includes(what, from); ) {
                assert.ok(Date.now() < until && child.exitCode === null, `the demo does not say "${what}":\n${told.slice(-1500)}`);
                await new Promise((done) => setTimeout(done, 50));
            }
        },
        /** Types steps on a demo by hand, and waits until they are done. */
        async type(steps) {
            const from = told.length;
            child.stdin.write(`${steps}\n`);
            await demo.says(`done: ${steps}`, from);
            assert.ok(!told.includes('not done: ', from), told.slice(from));
        },
        async stop() {
            if (child.exitCode === null) child.kill('SIGINT');
            await ended;
        },
    };
    try {
        await demo.says('panel: http');
    } catch (error) {
        await demo.stop();
        throw Object.assign(error, { told });
    }
    return demo;
}

/**
 * A browser that gives way to the table: where pictures took all processors, its field bus would be late. What it forgets to take away
 * when it ends lies in `dir`.
 */
export function openBrowser(dir) {
    const executablePath = join(dir, 'chromium');
    writeFileSync(executablePath, `#!/bin/sh\nTMPDIR='${dir}' exec nice -n 15 /usr/bin/chromium "$@"\n`, { mode: 0o755 });
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
    return chromium.launch({ executablePath, args });
}

/** A page in a browser of its own, as far as cookies go. */
export async function openPage(browser, address, options = {}) {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
    page.setDefaultTimeout(LONG);
    page.on('console', (said) => { if (said.type() === 'error') errors.push(`${address}: ${said.text()}`); });
    page.on('pageerror', (error) => errors.push(`${address}: ${error}`));
    await page.goto(address);
    return page;
}

export async function check(what, how) {
    await how();
    passed += 1;
    console.log(`ok  ${what}`);
}

/** WCAG 2 A and AA as axe-core knows them, contrast among them. */
export async function accessible(page, name) {
    // Beside the page's own policy, which lets no foreign script in: this is the browser's own.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }));
    const list = violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${help}: ${node.target} ${node.failureSummary}`));
    assert.deepEqual(list, [], `${name} is not for everybody`);
}

/** Presses Tab until what has the focus answers to `is`, a function of the element. What has the focus must show it. */
export async function tabTo(page, what, is) {
    for (let tabs = 0; !(await page.evaluate(`(${is})(document.activeElement)`)); tabs += 1) {
        assert.ok(tabs < 80, `Tab never reaches ${what}`);
        await page.keyboard.press('Tab');
    }
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none', `${what} does not show that it has the focus`);
}

/** How wide a page is beyond its window, in pixels. */
export const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Plays checks on one demo. Its pages are closed after it. Says whether the rig was at fault where they did not pass. */
async function attempt(browser, rig, options, checks) {
    let demo;
    try {
        demo = await startDemo(rig, options);
        // A demo that ends under the checks has nothing more to show: they would wait for it until their time is over.
        const gone = demo.ended.then((code) => {
            // With 0 the checks ended it themselves.
            if (code === 0) return new Promise(() => {});
            throw new Error(`the demo ended under the checks, with ${code}`);
        });
        await Promise.race([checks(demo), gone]);
        return { ok: true };
    } catch (error) {
        const told = demo?.told() ?? error.told ?? '';
        console.error(`the demo's last words:\n${told.slice(-1500)}`);
        return { ok: false, error, rigAtFault: told.includes('and so says nothing') };
    } finally {
        for (const context of browser.contexts()) await context.close();
        errors.length = 0;
        await demo?.stop();
    }
}

/** Runs checks on a demo. Where the rig says that its machine stood still, nothing is known of the table: it is asked once more. */
export async function on(browser, rig, options, checks) {
    const before = passed;
    let came = await attempt(browser, rig, options, checks);
    if (!came.ok && came.rigAtFault) {
        console.log('the rig was at fault: asked once more');
        passed = before;
        came = await attempt(browser, rig, options, checks);
    }
    if (!came.ok) throw came.error;
}

export const summary = () => console.log(`${passed} passed, 0 failed`);

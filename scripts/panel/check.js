// The panel as people use it: a real daemon plays the demo's stories, or what is typed by hand, and a headless Chromium looks.
// Usage: node check.js TUMBLER_HIL DIRECTORY    (tumblerctl lies beside TUMBLER_HIL; the directory gets screenshots)
import { mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { on, openBrowser, summary } from './lab.js';
import { states } from './states.js';
import { table } from './table.js';
import { PASSWORD, workshop } from './workshop.js';

const [rig, shots] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'panel-'));
const browser = await openBrowser(dir);
try {
    const accounts = join(dir, 'accounts');
    execFileSync(join(dirname(rig), 'tumblerctl'), ['panel-password', 'jo', '--file', accounts], { input: PASSWORD });
    await on(browser, rig, [], (demo) => table(browser, demo, shots));
    await on(browser, rig, ['--by-hand'], (demo) => states(browser, demo, shots));
    await on(browser, rig, ['--accounts', accounts, '--by-hand'], (demo) => workshop(browser, demo, shots));
    summary();
} catch (error) {
    console.error(error);
    process.exitCode = 1;
} finally {
    await browser.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
}

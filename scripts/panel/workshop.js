// A technician logs in and tests the hardware, at a table where everything is done by hand.
import assert from 'node:assert/strict';
import { accessible, check, errors, openPage, tabTo, tooWide } from './lab.js';

export const PASSWORD = 'correct horse battery';

const text = (page, id) => page.textContent(`#${id}`);
const says = (page, id, what) => page.waitForFunction(([id, what]) => document.getElementById(id).textContent.includes(what), [id, what]);
const shows = (page, selector) => page.waitForSelector(selector, { state: 'visible' });

/** Who only looks at a table is not asked to log in. */
async function enter(page) {
    await page.click('#enter');
    await shows(page, '#login');
}

/** What the table says of a test that no button of the page asks for. */
const asked = (page) => page.evaluate(async () => {
    const answer = await fetch('/api/test', { method: 'POST', headers: { 'content-type': 'application/json', 'x-tumblerd': 'panel' }, body: '{"test":"motor"}' });
    return (await answer.json()).error;
});

async function logIn(page, name, password) {
    await page.fill('#login input[name=name]', name);
    await page.fill('#login input[name=password]', password);
    await page.click('#login button');
}

export async function workshop(browser, demo, shots) {
    const page = await openPage(browser, `${demo.base}/`);
    const cookies = () => page.context().cookies();

    await check('a login with a wrong password is refused, and nothing is opened', async () => {
        assert.ok(await page.isHidden('#login'));
        await enter(page);
        await logIn(page, 'jo', 'a wrong password');
        await says(page, 'told', 'name or password is wrong');
        assert.deepEqual(await cookies(), []);
        assert.ok(await page.isHidden('#bench-tools'));
        await page.screenshot({ path: `${shots}/login-refused.png` });
    });
    await check('another page can have nothing done, cookie or not', async () => {
        // localhost is another origin than 127.0.0.1, and another site.
        const stranger = await openPage(browser, `${demo.base.replace('127.0.0.1', 'localhost')}/`);
        const sent = await stranger.evaluate(async (base) => {
            const simple = await fetch(`${base}/api/test`, { method: 'POST', mode: 'no-cors', body: '{"test":"motor"}' }).then(() => 'sent', (error) => `${error}`);
            const own = await fetch(`${base}/api/test`, { method: 'POST', headers: { 'x-tumblerd': 'panel' }, body: '{"test":"motor"}' }).then(() => 'sent', (error) => `${error}`);
            return [simple, own];
        }, demo.base);
        for (const how of sent) assert.match(how, /TypeError/, 'the page\'s own policy lets nothing go elsewhere');
        // A page without such a policy: what arrives is refused all the same.
        const { status } = await page.context().request.post(`${demo.base}/api/test`, { headers: { origin: 'http://evil.example', 'x-tumblerd': 'panel' }, data: { test: 'motor' } }).then((answer) => ({ status: answer.status() }));
        assert.equal(status, 403);
        errors.length = 0;
        await stranger.context().close();
    });
    await check('a login is granted with the keyboard alone', async () => {
        await page.fill('#login input[name=password]', '');
        await page.focus('#login input[name=name]');
        await page.keyboard.press('Control+A');
        await page.keyboard.type('jo');
        await page.keyboard.press('Tab');
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await shows(page, '#bench-tools');
        const [cookie] = await cookies();
        assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict', JSON.stringify(cookie));
        assert.equal(await page.evaluate(() => document.cookie), '', 'no script can read it');
    });
    await check('no test can be pressed without the key, and the page says what to do', async () => {
        await says(page, 'wanted', 'the table in maintenance and the supervisor\'s key turned');
        assert.ok(await page.isDisabled('#tests button:has-text("motor")'));
        assert.match(await asked(page), /turn the supervisor's key first/);
        await page.screenshot({ path: `${shots}/test-refused.png`, fullPage: true });
    });
    await check('maintenance is refused without the key', async () => {
        await page.click('#maintenance:has-text("Begin")');
        await says(page, 'told', 'turn the supervisor\'s key first');
    });
    await check('a test is refused with the key and out of maintenance', async () => {
        await demo.type('turn key');
        await page.waitForFunction(() => !document.getElementById('wanted').textContent.includes('key'));
        assert.ok(await page.isDisabled('#tests button:has-text("motor")'));
        assert.match(await asked(page), /not in maintenance/);
    });
    await check('with both, a test runs: bars live, then verdict, report and journal', async () => {
        await page.click('#maintenance:has-text("Begin")');
        await says(page, 'told', 'maintenance: no game can start');
        await says(page, 'wanted', 'tests may run');
        await page.click('#tests button:has-text("motor")');
        // No click moves anything.
        await says(page, 'step', 'Hardware test, motor: press tumble at the table within 10 s');
        await demo.type('press tumble');
        await shows(page, '#bars .gauge');
        await page.screenshot({ path: `${shots}/test-live.png`, fullPage: true });
        await says(page, 'result', 'motor: ');
        assert.match(await text(page, 'result'), /motor: (pass|marginal).*by jo \(panel\).*tumbles/s);
        // The record may come before the picture of the table that knows no test any more.
        await page.waitForSelector('#testing', { state: 'hidden' });
        await page.waitForFunction(() => document.getElementById('told').textContent === '');
        await page.waitForFunction(() => [...document.querySelectorAll('#records tr')].some((row) => /[Jj]o \(panel\) tested motor/.test(row.textContent)));
        await accessible(page, 'the workshop');
        await page.screenshot({ path: `${shots}/test-result.png`, fullPage: true });
    });
    await check('a person says what only a person can see', async () => {
        await page.click('#tests button:has-text("bell")');
        await shows(page, '#question');
        await says(page, 'asked', 'Was the bell heard?');
        await page.screenshot({ path: `${shots}/test-question.png`, fullPage: true });
        await page.click('#wrong');
        await says(page, 'result', 'bell: fail');
        assert.match(await text(page, 'result'), /a person found bell wrong/);
        await page.click('#tests button:has-text("bell")');
        await shows(page, '#question');
        await page.click('#right');
        await says(page, 'result', 'bell: pass');
        assert.match(await text(page, 'result'), /found right by a person: bell/);
    });
    await check('a test that needs hands says what they are to do, and starts with the keyboard alone', async () => {
        await page.focus('#logout');
        await tabTo(page, 'the test of the dome', (element) => element.matches('#tests button') && element.textContent === 'dome');
        await page.keyboard.press('Enter');
        await says(page, 'step', 'Hardware test, dome:');
        await demo.type('lift dome; pass 1500 ms; lower dome');
        await says(page, 'result', 'dome: pass');
    });
    await check('the report is a page with its plots', async () => {
        await page.click('#tests button:has-text("cam")');
        await says(page, 'step', 'press tumble at the table');
        await demo.type('press tumble');
        // On a machine with much to do the edges come late, and the cam is marginal.
        await says(page, 'result', 'cam: ');
        await page.click('#result a');
        await page.waitForSelector('svg path');
        assert.match(await page.textContent('body'), /cam: (pass|marginal)/);
        await accessible(page, 'the report');
        await page.screenshot({ path: `${shots}/report.png`, fullPage: true });
        await page.goBack();
    });
    await check('a phone shows the tests without sideways scrolling', async () => {
        const phone = await openPage(browser, `${demo.base}/`, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
        await enter(phone);
        await logIn(phone, 'jo', PASSWORD);
        await shows(phone, '#bench-tools');
        await phone.tap('#tests button:has-text("motor")');
        // Whatever the verdict: on a machine with much to do a motor may start late.
        await says(phone, 'result', 'motor: ');
        const over = await tooWide(phone);
        await phone.screenshot({ path: `${shots}/workshop-phone.png`, fullPage: true });
        assert.ok(over <= 0, `${over} px too wide`);
        await accessible(phone, 'the workshop on a phone');
        await phone.context().close();
    });
    await check('maintenance ends from the page, and leaves the table closed', async () => {
        await page.click('#maintenance:has-text("End")');
        await says(page, 'told', 'maintenance has ended: the table is closed');
        await says(page, 'phase', 'closed');
        await shows(page, '#maintenance:has-text("Begin")');
    });
    await check('a session does not outlive its logout', async () => {
        // The other cookie only says that this browser has logged in before: it opens nothing.
        const ofSession = async () => (await cookies()).filter(({ name }) => !name.startsWith('tumblerd-device'));
        const [before] = await ofSession();
        await page.click('#logout');
        await shows(page, '#enter');
        assert.deepEqual(await ofSession(), []);
        // Who has kept the cookie has nothing.
        await page.context().addCookies([before]);
        await page.reload();
        await enter(page);
        assert.ok(await page.isHidden('#bench-tools'));
    });
    await check('failed logins are braked', async () => {
        for (let tries = 0; !(await text(page, 'told')).includes('too many logins failed; try again in'); tries += 1) {
            assert.ok(tries < 6, 'nobody brakes');
            await page.evaluate(() => { document.getElementById('told').textContent = ''; });
            await logIn(page, 'jo', 'guessed again');
            await page.waitForFunction(() => document.getElementById('told').textContent !== '');
        }
        await logIn(page, 'jo', PASSWORD);
        await says(page, 'told', 'too many logins failed');
        assert.ok(await page.isHidden('#bench-tools'), 'not even with the right password');
    });
    await check('no error in the browser\'s console but what the daemon refused', async () => {
        assert.deepEqual(errors.filter((error) => !/status of 4(01|09|29)/.test(error)), []);
    });
}

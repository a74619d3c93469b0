// Many pages of one browser at once, and a proxy before the panel.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';

/** A proxy that has the panel below a prefix, as nginx with `location /pit/t1/` and `proxy_pass http://TABLE/`. */
export async function proxy(base) {
    const { hostname, port, host } = new URL(base);
    const server = createServer((asked, answer) => {
        if (!asked.url.startsWith('/pit/t1/')) { answer.writeHead(404).end(); return; }
        const path = asked.url.slice('/pit/t1'.length);
        const onward = request({ hostname, port, path, method: asked.method, headers: { ...asked.headers, host } }, (told) => {
            answer.writeHead(told.statusCode, told.headers);
            told.pipe(answer);
        });
        onward.on('error', () => answer.destroy());
        answer.on('close', () => onward.destroy());
        asked.pipe(onward);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return { base: `http://127.0.0.1:${server.address().port}/pit/t1`, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** Browsers open six connections a host: ten tabs are live all the same, and can ask. */
export async function tabs(browser, base) {
    const context = await browser.newContext();
    const pages = [];
    for (let n = 0; n < 10; n += 1) {
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        await page.goto(`${base}/`);
        pages.push(page);
    }
    for (const page of pages) await page.waitForFunction(() => document.getElementById('live').textContent === 'live');
    await pages.shift().close();
    for (const page of pages) assert.equal(await page.evaluate(async () => (await fetch('api/table')).status), 200);
    const before = await pages.at(-1).evaluate(() => performance.now());
    await pages.at(-1).waitForFunction((then) => performance.now() - then > 15_000 || document.getElementById('live').textContent !== 'live', before);
    for (const page of pages) assert.equal(await page.textContent('#live'), 'live', 'a tab is no longer live once another one was closed');
    await context.close();
}

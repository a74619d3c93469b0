// The table as it happens. Says how old what it shows is: a page that stands still must not look alive.

/** Milliseconds without a word after which the page says that it is not live; the server says something every 5 s. */
const SILENT = 12000;
/** What the server tells, by name. */
const TOLD = ["status", "record", "alive"];

/** Loads the page anew once it can be had: a proxy's error page would stay for ever. */
function again() {
  setTimeout(() => fetch(location.href, { cache: "no-store" }).then(({ ok }) => (ok ? location.reload() : again()), again), 5000);
}

/** Follows the table on a connection of its own: `hear(name, data)` for what it tells, `lose(closed)` when it is gone. */
function listen(hear, lose) {
  const source = new EventSource(new URL("events", import.meta.url));
  for (const name of TOLD) source.addEventListener(name, ({ data }) => hear(name, data));
  // A server that refused is not tried again by the browser itself.
  source.onerror = () => lose(source.readyState === EventSource.CLOSED);
  return source;
}

/** This file as the shared worker of all pages of a browser, which opens six connections a host at most: it listens for all of them. */
function share() {
  const pages = new Set();
  let source = null, status = null;
  const tell = (told) => pages.forEach((page) => page.postMessage(told));
  globalThis.onconnect = ({ ports: [page] }) => {
    page.onmessage = () => {
      pages.delete(page);
      if (pages.size === 0 && source) { source.close(); source = null; status = null; }
    };
    pages.add(page);
    if (status) page.postMessage({ name: "status", data: status });
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = listen((name, data) => {
      if (name === "status") status = data;
      tell({ name, data });
    }, (closed) => {
      status = null;
      tell({ closed });
    });
  };
}

/** Listens by the shared worker, or alone where the browser has none. */
function attend(hear, lose) {
  if (!globalThis.SharedWorker) return listen(hear, lose);
  const { port } = new SharedWorker(import.meta.url, { type: "module", name: "the table as it happens" });
  port.onmessage = ({ data: { name, data, closed } }) => (name ? hear(name, data) : lose(closed));
  addEventListener("pagehide", () => port.postMessage("gone"));
  // A page that comes back from the browser's memory is no follower any more.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  return port;
}

/**
 * Follows the table. `on.status(status)` for each state, `on.record(record)` for each new record,
 * `on.live(live, seconds)` when the connection comes, goes, or is silent.
 */
export function follow(on) {
  let heard = 0, live = null, broken = false;
  const say = (now) => {
    const seconds = heard ? Math.round((Date.now() - heard) / 1000) : null;
    if (now !== live || !now) { live = now; on.live(now, seconds); }
  };
  attend((name, data) => {
    heard = Date.now();
    broken = false;
    say(true);
    if (on[name]) on[name](JSON.parse(data));
  }, (closed) => {
    // What is known to be gone is not live for the rest of the silence that is borne.
    broken = true;
    say(false);
    if (closed) again();
  });
  setInterval(() => say(!broken && heard > 0 && Date.now() - heard < SILENT), 1000);
}

if (globalThis.SharedWorkerGlobalScope) share();

/** Asks, or tells where there is something to send; throws an error with the daemon's own words and `code`. */
export async function ask(path, send) {
  const answer = await fetch(path, send && { method: "POST", headers: { "content-type": "application/json", "x-tumblerd": "panel" }, body: JSON.stringify(send) });
  const said = await answer.json().catch(() => ({ error: `the daemon answered with ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(said.error), { code: answer.status });
  return said;
}

/** An element with a text, a class and children. */
export function el(tag, text = "", name = "", ...children) {
  const made = document.createElement(tag);
  if (text !== "") made.textContent = text;
  if (name) made.className = name;
  made.append(...children);
  return made;
}

/** Puts these in place of what an element has. */
export function fill(id, ...children) { document.getElementById(id).replaceChildren(...children); }

/** Date and time of a moment in milliseconds since 1970, as `tumblerctl` has them: 2026-11-21 03:04:05Z. */
export const when = (wall) => (Math.abs(wall) < 8e15 ? new Date(wall).toISOString().replace("T", " ").replace(/\..*/, "Z") : "no date");

/** A name such as `bets-closed` for people. */
export const words = (name) => name.replaceAll("-", " ").replaceAll("_", " ");

/** What people call the unit with this address on the field bus. */
export const unitName = (address) => ({ 1: "terminal", 10: "reader" })[address] ?? `board ${address}`;

/** A test in progress, for people: `hardware buttons: press no_spin` is "Hardware test, buttons: press no spin". */
export const testing = (text) => text.replaceAll("_", " ").replace(/^hardware (\S+):/, "Hardware test, $1:")
  .replace(/^reset (\S+):/, "Reset of $1:").replace(/^opening:/, "Opening:");

// The table as it happens. Says how old what it shows is: a page that stands still must not look alive.

/** Milliseconds without a word after which the page says that it is not live; the server says something every 5 s. */
const SILENT = 12000;

/** Loads the page anew once it can be had: a proxy's error page would stay for ever. */
function again() {
  setTimeout(() => fetch(location.href, { cache: "no-store" }).then(({ ok }) => (ok ? location.reload() : again()), again), 5000);
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
  const source = new EventSource("/events");
  const hear = (then) => (event) => { heard = Date.now(); broken = false; say(true); if (then) then(JSON.parse(event.data)); };
  source.addEventListener("status", hear(on.status));
  source.addEventListener("record", hear(on.record));
  source.addEventListener("alive", hear(null));
  source.onerror = () => {
    // What is known to be gone is not live for the rest of the silence that is borne.
    broken = true;
    say(false);
    // A server that refused is not tried again by the browser itself.
    if (source.readyState === EventSource.CLOSED) again();
  };
  setInterval(() => say(!broken && heard > 0 && Date.now() - heard < SILENT), 1000);
}

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

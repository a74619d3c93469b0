// Every wire and every register as they are now, for whoever looks for a broken one.

import { ask, el, fill } from "./live.js";

/** A part of transactions that fails where something is wrong with cable or unit; now and then one fails on a good bus. */
const MANY = 0.01;
/** Time between two questions, in milliseconds: the table tells no more often. */
const PACE = 500;
const at = (id) => document.getElementById(id);
const level = (active) => (active === null ? "?" : active ? "active" : "inactive");

/** A time in nanoseconds, in the unit that suits it. */
function time(ns) {
  const s = Math.max(0, ns) / 1e9;
  return s < 10 ? `${s.toFixed(1)} s` : s < 120 ? `${Math.floor(s)} s` : s < 7200 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 3600)} h`;
}

function line(wire, now) {
  const { line: name, pin, header, watched, active, means, high, since, changes, changed, gaps, commanded, note } = wire;
  const notes = [...(watched ? [] : ["not watched: chip or bench is gone"]), ...(note ? [note] : []), ...(gaps ? [`edges were lost ${gaps} times`] : [])];
  const tone = !watched || note ? "bad" : gaps ? "warn" : "";
  const cells = [[name], [high === null ? level(active) : `${level(active)}, ${high ? "high" : "low"}`], [means ?? ""], [commanded === null ? "" : level(commanded)],
    [since === null ? "" : time(now - since), "num"], [String(changes), "num"], [changed === null ? "" : `${time(now - changed)} ago`, "num"],
    [header === null ? pin ?? "" : `${header} (GPIO: ${pin})`], [notes.join("; "), tone]];
  return el("tr", "", "", ...cells.map(([text, kind]) => el("td", text, kind ?? "")));
}

function unit(of, now) {
  const { name, lost, exchanges, timeouts, corrupt, misshapen, exceptions, exception, port_gone: gone, retries, answered } = of;
  const count = (n, note = "") => el("td", `${n}${note}`, n > exchanges * MANY ? "num warn" : "num");
  return el("tr", "", "", el("td", lost ? `${name}: lost` : name, lost ? "bad" : ""), el("td", String(exchanges), "num"), count(timeouts), count(corrupt), count(misshapen),
    count(exceptions, exception === null ? "" : ` (last ${String(exception).padStart(2, "0")})`), count(gone), el("td", String(retries), "num"), el("td", answered === null ? "never" : `${time(now - answered)} ago`));
}

function register({ kind, address, name, area, value, secret, at: when }, now) {
  const bit = kind === "coil" || kind === "discrete-input";
  const shown = secret ? "secret" : value === null ? "" : bit ? (value ? "on" : "off") : value > 9 ? `${value} (0x${value.toString(16).toUpperCase().padStart(4, "0")})` : String(value);
  const cells = [kind.replace("-", " "), String(address), shown, when === null ? "never" : `${time(now - when)} ago`, name, area ?? ""];
  return el("tr", "", "", ...cells.map((text, n) => el("td", text, n === 1 ? "num" : "")));
}

/** Shows them from now on, as often as they are told, while somebody can see them. */
export function wires() {
  const form = at("only"), choice = form.elements.unit;
  let told = null, seen = true;
  const show = () => {
    if (!told?.lines.length) return;
    const { now, lines, units } = told;
    const only = form.elements.name.value.trim().toLowerCase();
    const fits = (...words) => words.some((word) => (word ?? "").toLowerCase().includes(only));
    const found = lines.filter((wire) => fits(wire.line, wire.note));
    const none = el("tr", "", "", Object.assign(el("td", "No line has this in its name.", "quiet"), { colSpan: 9 }));
    fill("levels", ...(found.length ? found.map((wire) => line(wire, now)) : [none]));
    fill("units", ...units.map((of) => unit(of, now)));
    if (choice.options.length - 1 !== units.length) choice.append(...units.map(({ name }) => new Option(name, name)));
    const of = units.find(({ name }) => name === choice.value);
    at("registers").hidden = of === undefined;
    const listed = (of?.registers ?? []).filter(({ name, area }) => fits(of.name, name, area));
    fill("values", ...listed.map((each) => register(each, now)));
  };
  const look = async () => {
    if (document.hidden || !seen) return;
    told = await ask("api/wires");
    show();
  };
  form.onsubmit = (event) => event.preventDefault();
  form.oninput = show;
  new IntersectionObserver(([of]) => { seen = of.isIntersecting; }, { rootMargin: "100px" }).observe(at("lines"));
  const again = () => look().catch(() => {}).finally(() => setTimeout(again, PACE));
  again();
}

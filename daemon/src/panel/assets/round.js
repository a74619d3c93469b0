// One round: its lines over time, and what the journal says of it.

import { ask, el, fill, words } from "./live.js";
import { shape } from "./dice.js";

const ORDER = ["motor_enable", "cam_a", "cam_b", "dome_closed", "dome_open", "place_bets", "tumble", "no_more_bets", "no_spin", "bell", "seal", "supervisor_key", "motor_fault", "power_good", "out_of_service"];
const ROW = 26, LEFT = 120, WIDTH = 1200;
let wanted = null;

/** A record as the daemon says it, with the clauses that it is about. */
export function sentence({ said, clauses = [] }, tone = "") {
  const parts = [el("span", `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, "")}.`, tone)];
  if (clauses.length) parts.push(" ", el("span", clauses.join(", "), "clauses"));
  return parts;
}

function step(changes, level, x, y) {
  const low = y + ROW - 7, high = y + 5;
  let path = `M${LEFT} ${level ? high : low}`;
  for (const { at, active } of changes) path += ` H${x(at).toFixed(1)} V${active ? high : low}`;
  return `${path} H${WIDTH - 10}`;
}

function plot({ waves, records }) {
  const moved = new Set(waves.changes.map((change) => change.line));
  const lines = ORDER.filter((line) => moved.has(line));
  const x = (at) => LEFT + ((at - waves.from) / Math.max(1, waves.to - waves.from)) * (WIDTH - 10 - LEFT);
  const height = lines.length * ROW + 34;
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "plot", role: "img", "aria-label": `Levels of ${lines.map(words).join(", ")} over ${((waves.to - waves.from) / 1e9).toFixed(1)} seconds` });
  const seconds = (waves.to - waves.from) / 1e9, every = [1, 2, 5, 10, 30, 60].find((s) => seconds / s <= 12) ?? 300;
  for (let s = 0; s <= seconds; s += every) {
    const at = x(waves.from + s * 1e9);
    svg.append(shape("line", { x1: at, x2: at, y1: 0, y2: height - 18, class: "axis" }), shape("text", { x: at + 3, y: height - 4 }, `${s} s`));
  }
  for (const record of records) {
    if (record.kind === "refused") continue;
    const mark = shape("line", { x1: x(record.at), x2: x(record.at), y1: 0, y2: height - 18, class: "mark" });
    mark.append(shape("title", {}, words(record.kind)));
    svg.append(mark);
  }
  const names = shape("g", { class: "names" });
  names.append(shape("rect", { width: LEFT, height }));
  lines.forEach((line, row) => {
    const y = row * ROW + 6;
    names.append(shape("text", { x: 4, y: y + ROW - 9 }, words(line)));
    const changes = waves.changes.filter((change) => change.line === line);
    svg.append(shape("path", { d: step(changes, waves.before[line] ?? !changes[0].active, x, y), class: "wave" }));
  });
  svg.append(names);
  return lines.length ? svg : el("p", "No line changed in the time that is kept.", "quiet");
}

// Where the drawing is scrolled sideways, the names of its lines stay.
document.getElementById("timeline").addEventListener("scroll", ({ target }) => {
  const svg = target.querySelector("svg.plot");
  svg?.querySelector(".names").setAttribute("transform", `translate(${(target.scrollLeft * WIDTH) / svg.getBoundingClientRect().width} 0)`);
}, { passive: true });

/** Shows a round's waveform and records. */
export async function showRound(id) {
  wanted = id;
  document.getElementById("timeline-name").textContent = `${id}`;
  try {
    const round = await ask(`api/round?id=${id}`);
    if (wanted !== id) return;
    const parts = [plot(round)];
    if (round.waves.incomplete) parts.push(el("p", "Older changes of the lines are forgotten: the drawing is not whole.", "warn"));
    fill("timeline", ...parts);
    const began = round.records[0].at;
    fill("story", ...round.records.map((record) => el("li", "", "", el("b", `${((record.at - began) / 1e9).toFixed(3)} s`), " ", ...sentence(record))));
  } catch (error) {
    fill("timeline", el("p", error.message, "warn"));
    fill("story");
  }
}

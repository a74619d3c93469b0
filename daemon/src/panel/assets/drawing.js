// The table as a drawing that lives: what differs from a sound table is marked where it is.

import { unitName, words } from "./live.js";
import { PIPS, shape } from "./dice.js";

/** The part that each malfunction is of. */
const PARTS = { tumbler: "cam", deadman: "motor", temperature: "motor", dome: "dome", buttons: "buttons", key: "key", interference: "dice", dice: "dice", reader: "reader", terminal: "terminal", lamps: "lamps", seal: "seal", gpio: "board", journal: "board" };
const BUTTONS = ["place_bets", "tumble", "no_more_bets", "no_spin"];
const svg = shape("svg", { viewBox: "0 -54 500 446", class: "table", role: "img" });
const parts = {};

/** A part with its drawing at a place, and its name and state below it. */
function part(id, x, y, below, ...drawn) {
  const state = shape("text", { class: "state", y: below + 15 }), name = shape("text", { class: "name", y: below }, words(id));
  const group = shape("g", { transform: `translate(${x} ${y})`, "data-part": id });
  group.append(...drawn, name, state);
  parts[id] = { group, name, state };
  return group;
}

const rect = (x, y, width, height, more) => shape("rect", { x, y, width, height, rx: 5, ...more });
const circle = (cx, cy, r, more) => shape("circle", { cx, cy, r, ...more });
const path = (d, more) => shape("path", { d, ...more });

// From the tumbler with the dice, by the shaft, to cam and motor; then what people touch and see; the bus joins what is on it.
const faces = [0, 1, 2].map(() => shape("g", { class: "face" }));
const wheel = shape("g", { class: "wheel" });
wheel.append(circle(0, 0, 30), path("M0 -30V30M-30 0H30", { class: "thin" }), circle(0, -21, 5, { class: "magnet" }), circle(0, 21, 5, { class: "magnet" }));
const cams = { cam_a: circle(-40, 0, 6, { class: "sensor" }), cam_b: circle(40, 0, 6, { class: "sensor" }) };
const lid = shape("g", { class: "lid" });
lid.append(path("M-80 0A80 80 0 0 1 80 0Z"), circle(0, -84, 5));
const digits = shape("text", { class: "digits", x: 0, y: 8 });
const bit = path("M-3 -11H3V11H-3Z", { class: "bit" });
const pressed = Object.fromEntries(BUTTONS.map((name, n) => [name, circle(n * 26 - 39, 0, 9, { class: "button" })]));
svg.append(
  path("M135 142H330M290 172V227M372 330V40H384M372 128H396M372 208H410", { class: "thin" }),
  part("dice", 135, 150, 42, path("M-76 -4A76 76 0 0 0 76 -4", { class: "bowl" }), ...faces),
  part("dome", 135, 112, -150, lid),
  part("seal", 60, 262, 34, path("M-18 0A18 18 0 1 1 18 0", { class: "loop" }), rect(-22, 0, 44, 12)),
  part("cam", 290, 142, -50, wheel, ...Object.values(cams)),
  part("motor", 290, 246, 34, rect(-34, -18, 68, 36), path("M4 -13L-8 3H-1L-4 13L8 -3H1Z", { class: "bolt" })),
  part("terminal", 430, 40, 40, rect(-46, -24, 92, 48), rect(-38, -16, 76, 32, { class: "glass" }), digits),
  part("lamps", 430, 128, 28, ...[-27, -9, 9, 27].map((x) => rect(x - 7, -12, 14, 24))),
  part("reader", 430, 208, 28, rect(-20, -12, 40, 24), circle(0, 0, 8)),
  part("key", 190, 262, 34, circle(0, 0, 17), bit),
  part("bell", 445, 286, 28, path("M-15 10C-11 6 -12 -14 0 -14C12 -14 11 6 15 10ZM-4 13A4 4 0 0 0 4 13")),
  part("sign", 60, 342, 26, rect(-46, -13, 92, 26, { class: "plate" }), shape("text", { class: "plate-text", y: 5 }, "NO GAMES")),
  part("buttons", 210, 342, 26, ...Object.values(pressed)),
  part("board", 372, 342, 26, rect(-26, -13, 52, 26), path("M-18 -13V-18M-6 -13V-18M6 -13V-18M18 -13V-18")),
);

/** A die as it lies: its face once a result tells it, else only how it lies. */
function lie(group, pose, face, x) {
  const turned = { flat: 0, "not-flat": 24, moving: 45 }[pose] ?? 0;
  group.setAttribute("class", `face ${pose}`);
  group.setAttribute("transform", `translate(${x} 0) rotate(${turned})`);
  const pips = pose === "flat" ? PIPS[face] ?? [] : [];
  group.replaceChildren(rect(-17, -17, 34, 34), ...pips.map((place) => circle(9 * (place % 3 - 1), 9 * (Math.floor(place / 3) - 1), face === 1 ? 6 : 3.5, { class: face === 1 || face === 4 ? "pip red" : "pip" })));
}

/** Draws this state into an element. */
export function drawTable(id, { snapshot: s, lines = {} }) {
  const place = document.getElementById(id);
  if (svg.parentNode !== place) place.replaceChildren(svg);
  const lost = new Set(s.lost_units.map(unitName).map((name) => (name.startsWith("board") ? "lamps" : name)));
  // What a unit said before it was lost is old: it is not drawn as if it were now.
  const poses = lost.has("reader") ? s.poses.map(() => "unknown") : s.poses;
  const display = lost.has("terminal") ? "" : s.display;
  const silent = (part, otherwise) => (lost.has(part) ? "no reply" : otherwise);
  const wrong = new Set([...s.malfunctions.map(({ code }) => PARTS[code] ?? "board"), ...lost]);
  if (s.dome === "fault") wrong.add("dome");
  if (poses.some((pose) => pose === "not-flat" || pose === "missing")) wrong.add("dice");
  const differ = s.lit.length + s.sensed.length && (s.lit.some((area) => !s.sensed.includes(area)) || s.sensed.some((area) => !s.lit.includes(area)));
  const level = (line, on, off) => (lines[line] === undefined ? "not heard of" : lines[line] ? on : off);
  const held = BUTTONS.filter((name) => lines[name]);
  const told = {
    dice: poses.every((pose) => pose === poses[0]) ? words(poses[0]) : poses.map(words).join(", "),
    dome: words(s.dome), seal: level("seal", "whole", "OPEN"), cam: `${s.tumbles} tumbles`,
    motor: `${s.motor ? "ON" : "off"}${s.temperature === null ? "" : `, ${(s.temperature / 1000).toFixed(0)} °C`}`,
    terminal: silent("terminal", ""), lamps: silent("lamps", differ ? "not as told" : `${s.sensed.length} lit`), reader: silent("reader", poses.includes("unknown") ? "no pose" : ""),
    key: s.key ? "in force" : "not in force", bell: level("bell", "rings", "silent"), sign: level("out_of_service", "lit", "dark"),
    buttons: held.length > 2 ? `${held.length} pressed` : held.map(words).join(", ") || "none pressed", board: "",
  };
  if (lines.seal === false) wrong.add("seal");
  for (const [id, { group, name, state }] of Object.entries(parts)) {
    // Not by colour alone.
    name.textContent = wrong.has(id) ? `! ${id}` : id;
    state.textContent = told[id];
    group.setAttribute("class", wrong.has(id) ? "wrong" : "");
  }
  poses.forEach((pose, n) => lie(faces[n], pose, s.result?.[n], 44 * n - 44));
  lid.setAttribute("class", `lid ${s.dome}`);
  wheel.setAttribute("class", s.motor ? "wheel turns" : "wheel");
  for (const [name, sensor] of Object.entries(cams)) sensor.setAttribute("class", lines[name] ? "sensor on" : "sensor");
  for (const [name, button] of Object.entries(pressed)) button.setAttribute("class", lines[name] ? "button on" : "button");
  for (const [name, on] of [["motor", s.motor], ["key", s.key], ["bell", lines.bell], ["sign", lines.out_of_service], ["lamps", s.sensed.length > 0 && !lost.has("lamps")]]) parts[name].group.classList.toggle("on", Boolean(on));
  digits.textContent = display;
  svg.setAttribute("aria-label", `The table: ${Object.entries(told).filter(([, text]) => text).map(([name, text]) => `${name} ${text}`).join("; ")}; terminal shows ${display.trim() || "nothing"}${wrong.size ? `. To be looked at: ${[...wrong].join(", ")}` : ""}`);
}

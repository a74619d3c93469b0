// The layout as it lies on the table: one felt for all ten, for each has its areas in the same bands.

import { ask, el, fill } from "/live.js";
import { die } from "/dice.js";

/** Bands from the dealer's side; a band that a layout has no area of is left out. */
const BANDS = [
  ["small", "odd", "double", "triple", "any", "even", "big"],
  ["total"], ["four"], ["combo2"], ["combo"], ["pair"], ["single"],
];
/** No more areas in a row than can be read. */
const MOST = 15;
let drawn = null, loading = null, areas = new Map();

const numbers = (id) => id.split("-").slice(1).map(Number).filter(Boolean);

function kindOf(id) {
  const [kind] = id.split("-");
  if (kind !== "combo") return kind;
  return new Set(numbers(id)).size < 3 ? "combo2" : "combo";
}

function label(id) {
  const kind = kindOf(id), faces = numbers(id);
  if (kind === "any") return [el("b", "any triple")];
  if (kind === "total") return [el("b", String(faces[0]))];
  if (kind === "double") return [die(faces[0]), die(faces[0])];
  if (kind === "triple") return [die(faces[0]), die(faces[0]), die(faces[0])];
  if (faces.length) return faces.map(die);
  return [el("b", kind.toUpperCase()), ...(kind === "small" ? ["4 to 10"] : kind === "big" ? ["11 to 17"] : [])];
}

function build(layout) {
  areas = new Map();
  const rows = [];
  for (const kinds of BANDS) {
    const here = layout.areas.filter((area) => kinds.includes(kindOf(area.id)))
      .sort((a, b) => kinds.indexOf(kindOf(a.id)) - kinds.indexOf(kindOf(b.id)));
    const perRow = Math.ceil(here.length / Math.max(1, Math.ceil(here.length / MOST)));
    for (let from = 0; from < here.length; from += perRow) {
      const band = el("div", "", "band");
      for (const { id, odds } of here.slice(from, from + perRow)) {
        const area = el("div", "", "area");
        if (["small", "big"].includes(id)) area.classList.add("big");
        area.append(...label(id), el("div", `${odds.join("/")} to 1`));
        area.title = id;
        areas.set(id, area);
        band.append(area);
      }
      rows.push(band);
    }
  }
  fill("felt", ...rows);
  const small = layout.areas.length;
  document.getElementById("layout-name").textContent = `${layout.id} (${small} areas, ${layout.source})`;
}

/** Draws the layout of this state, and on it the lamps: lit is what is sensed, a difference to what is told is marked. */
export async function drawLayout(state) {
  if (drawn !== state.layout && loading !== state.layout) {
    loading = state.layout;
    build(await ask(`/api/layout?id=${encodeURIComponent(state.layout)}`));
    drawn = state.layout;
    loading = null;
  }
  if (drawn !== state.layout) return;
  for (const [id, area] of areas) {
    const told = state.lit.includes(id), sensed = state.sensed.includes(id);
    area.classList.toggle("lit", sensed);
    area.classList.toggle("odd", told !== sensed);
    const how = sensed ? (told ? "lit" : "lit and not told to") : told ? "told to light, and dark" : "dark";
    area.setAttribute("aria-label", `${id.replaceAll("-", " ")}: ${how}`);
    area.setAttribute("role", "img");
  }
  const verified = document.getElementById("verified");
  verified.textContent = state.lit.length === 0 ? "" : state.verified ? "Found lit as told." : "Not yet found lit as told.";
}

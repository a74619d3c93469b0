// The layout as it lies on the table, in the rows that the daemon has it in.

import { ask, el, fill } from "./live.js";
import { die } from "./dice.js";

let drawn = null, loading = null, areas = new Map();

const numbers = (id) => id.split("-").slice(1).map(Number).filter(Boolean);

function label(id) {
  const [kind] = id.split("-"), faces = numbers(id);
  if (kind === "any") return [el("b", "any triple")];
  if (kind === "total") return [el("b", String(faces[0]))];
  if (kind === "double") return [die(faces[0]), die(faces[0])];
  if (kind === "triple") return [die(faces[0]), die(faces[0]), die(faces[0])];
  if (faces.length) return faces.map(die);
  return [el("b", kind.toUpperCase()), ...(kind === "small" ? ["4 to 10"] : kind === "big" ? ["11 to 17"] : [])];
}

function build(layout) {
  areas = new Map();
  const odds = new Map(layout.areas.map((area) => [area.id, area.odds]));
  const rows = layout.rows.map((row) => el("div", "", "band", ...row.map((id) => {
    const area = el("div", "", ["small", "big"].includes(id) ? "area big" : "area", ...label(id), el("div", `${odds.get(id).join("/")} to 1`));
    area.title = id;
    areas.set(id, area);
    return area;
  })));
  fill("layout-bands", ...rows);
  const small = layout.areas.length;
  document.getElementById("layout-name").textContent = `${layout.id} (${small} areas, ${layout.source})`;
}

/** Draws the layout of this state, and on it the lamps: lit is what is sensed, a difference to what is told is marked. */
export async function drawLayout(state) {
  if (drawn !== state.layout && loading !== state.layout) {
    loading = state.layout;
    try {
      const layout = await ask(`api/layout?id=${encodeURIComponent(state.layout)}`);
      // Another one is wanted by now.
      if (loading !== state.layout) return;
      build(layout);
      drawn = state.layout;
    } catch {
      // The page says itself that it is not live; the next state asks anew.
    } finally {
      if (loading === state.layout) loading = null;
    }
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

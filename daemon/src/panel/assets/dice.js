// Dice as pictures.

const SVG = "http://www.w3.org/2000/svg";
/** Where the pips of a face are, in three rows of three. */
export const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/** A shape of a drawing. */
export function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** One face; on Chinese dice one and four are red. */
export function die(face) {
  const svg = shape("svg", { viewBox: "0 0 64 64", class: "die", role: "img", "aria-label": String(face) });
  svg.append(shape("rect", { x: 2, y: 2, width: 60, height: 60, rx: 11 }));
  for (const place of PIPS[face] ?? []) {
    const red = face === 1 || face === 4;
    svg.append(shape("circle", { cx: 15 + 17 * (place % 3), cy: 15 + 17 * Math.floor(place / 3), r: face === 1 ? 9 : 6.5, ...(red && { class: "red" }) }));
  }
  return svg;
}

/** What three faces are called: total, and triple, big or small. */
export function kind(dice) {
  const total = dice.reduce((sum, face) => sum + face, 0);
  if (dice[0] === dice[1] && dice[1] === dice[2]) return { total, name: "triple" };
  return { total, name: total >= 11 ? "big" : "small" };
}

/** How a round counts now: by its dice, or void with why. One that was found affected after its end (SG 5.6) is no result any more. */
export function ended({ id, dice, void: reason, affected }) {
  if (affected !== undefined) return { id, dice: null, why: "voided afterwards" };
  return { id, dice, why: reason ? reason.replaceAll("-", " ") : "" };
}

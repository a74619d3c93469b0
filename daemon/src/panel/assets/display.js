// Results and voids as players know them. Informational: the dice and the dealer's call decide (NZ9 7.5, SGV6 5.11).

import { ask, el, fill, follow, words } from "/live.js";
import { die, ended, kind } from "/dice.js";

const CALLS = { ready: "Place your bets soon", betting: "Place your bets", tumbling: "Tumbling", "bets-closed": "No more bets", revealed: "Result", settling: "Result", interrupted: "Please wait: the round is interrupted", void: "Void: all bets are returned", blocked: "No games", closed: "Closed", maintenance: "No games" };
const KEPT = 20;

function latest(id, dice, reason) {
  if (reason === "interrupted") return [el("div", "interrupted", "name void"), el("div", `Round ${id} is interrupted. Please wait: bets stay where they are.`, "why")];
  if (!dice) return [el("div", "void", "name void"), el("div", `Round ${id}: ${reason}. All bets are returned.`, "why")];
  const { total, name } = kind(dice);
  return [el("div", "", "faces", ...dice.map(die)), el("div", String(total), "total"), el("div", name, `name ${name}`), el("div", `Round ${id}`, "why")];
}

function status({ snapshot: s }) {
  const said = CALLS[s.phase] ?? words(s.phase);
  const phase = document.getElementById("phase");
  if (phase.textContent !== said) phase.textContent = said;
  const past = s.recent.slice(-KEPT).reverse().map(ended);
  // A result on show may still be amended; from its settlement on it is among the past ones.
  let [now] = past;
  if (s.question) now = { id: s.question.round, dice: null, why: "interrupted" };
  else if (s.result && s.round !== null) now = { id: s.round, dice: s.result };
  const key = JSON.stringify(now);
  const last = document.getElementById("last");
  if (last.dataset.key !== key) { last.dataset.key = key; last.replaceChildren(...(now ? latest(now.id, now.dice, now.why) : [el("div", "No results yet", "why")])); }
  fill("past", ...past.map(({ dice, why }) => {
    const row = el("li");
    if (dice) {
      const { total, name } = kind(dice);
      row.append(el("span", "", "", ...dice.map(die)), el("span", String(total)), el("span", name, name));
    } else row.append(el("span", "void", "void"), el("span"), el("span"));
    row.title = why;
    return row;
  }));
  const count = (wanted) => past.filter(({ dice }) => (dice ? kind(dice).name : "void") === wanted).length;
  fill("counts", ...["big", "small", "triple", "void"].map((name) => el("span", `${name} ${count(name)}`, name)));
}

const about = await ask("/api/table");
document.getElementById("name").textContent = `Table ${about.table}`;
document.getElementById("bench").hidden = about.backend !== "virtual";
document.getElementById("full").onclick = () => document.documentElement.requestFullscreen();
follow({
  status,
  live(live, seconds) {
    const stale = document.getElementById("stale");
    stale.hidden = live;
    stale.textContent = seconds === null ? "Connecting to the table …" : `Not live: nothing heard of the table for ${seconds} s`;
  },
});

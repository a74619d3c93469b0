// Results and voids as players know them. Informational: the dice and the dealer's call decide (NZ9 7.5, SGV6 5.11).

import { ask, el, fill, follow, words } from "./live.js";
import { die, ended, kind } from "./dice.js";

const CALLS = { ready: "Betting opens soon", betting: "Place your bets", tumbling: "Tumbling", "bets-closed": "No more bets", revealed: "Result", settling: "Result", interrupted: "Please wait", void: "Void", blocked: "No games", closed: "Closed", maintenance: "No games" };
/** What players are told where nothing is played, or nothing goes on; what is wrong is the house's business. */
const WAITS = { blocked: "This table is out of order.", closed: "This table is closed.", maintenance: "This table is being serviced." };
const KEPT = 20;

const result = (dice, id) => {
  const { total, name } = kind(dice);
  return [el("div", "", "faces", ...dice.map(die)), el("div", String(total), "total"), el("div", name, `name ${name}`), el("div", `Round ${id}`, "why")];
};

/** Why a round is void, in a sentence. */
const whyVoid = ({ reason, why }) => about.voids[reason] ?? why;

/** What has passed, marked as that. */
function before(round) {
  if (!round) return [el("div", "No results yet", "before")];
  const { total, name } = round.dice ? kind(round.dice) : {};
  const how = round.dice ? [el("span", "", "faces", ...round.dice.map(die)), el("span", `${total} ${name}`)] : [el("span", "void")];
  return [el("div", "", "before", el("span", `Last round, ${round.id}:`), ...how)];
}

/** The table now: its result, or why there is none; then, smaller, what was before. */
function now(s, past) {
  const large = (text, ...why) => [el("div", text, "name"), ...why.map((line) => el("div", line, "why"))];
  if (s.question) return large("Please wait", `Round ${s.question.round} is interrupted.`, "Bets stay where they are.");
  // It may still be amended; from its settlement on it is among the past ones.
  if (s.result && s.round !== null) return result(s.result, s.round);
  if (s.phase === "void" && past.length) return [el("div", "void", "name void"), ...[`Round ${past[0].id}`, whyVoid(past[0]), ...(about.returns.includes(past[0].rules) ? ["All bets are returned."] : [])].map((line) => el("div", line, "why"))];
  if (WAITS[s.phase]) return [...large("No games", WAITS[s.phase]), ...before(past[0])];
  return [...large(CALLS[s.phase] ?? words(s.phase)), ...before(past[0])];
}

function status({ snapshot: s }) {
  const said = CALLS[s.phase] ?? words(s.phase);
  const phase = document.getElementById("phase");
  if (phase.textContent !== said) phase.textContent = said;
  const past = s.recent.slice(-KEPT).reverse().map((round) => ({ reason: round.void, ...ended(round) }));
  const key = JSON.stringify([s.question?.round, s.round, s.result, s.phase, past[0]]);
  const last = document.getElementById("last");
  if (last.dataset.key !== key) { last.dataset.key = key; last.replaceChildren(...now(s, past)); }
  // Why nothing is played is read from everywhere: it has the whole width, and what has passed lies below it.
  document.body.classList.toggle("whole", Boolean(s.question || WAITS[s.phase] || s.phase === "void"));
  fill("past", ...past.map((round) => {
    const { dice, id } = round, row = el("li", "", "", el("span", String(id % 1000), "id"));
    if (dice) {
      const { total, name } = kind(dice);
      row.append(el("span", "", "", ...dice.map(die)), el("span", String(total)), el("span", name, name));
    } else row.append(el("span", "void", "void"));
    row.title = dice ? "" : whyVoid(round);
    return row;
  }));
  const count = (wanted) => past.filter(({ dice }) => (dice ? kind(dice).name : "void") === wanted).length;
  fill("counts", ...["big", "small", "triple", "void"].map((name) => el("span", `${name} ${count(name)}`, name)));
}

const about = await ask("api/table");
document.getElementById("name").textContent = `Table ${about.table}`;
document.getElementById("bench").hidden = about.backend !== "virtual";
document.getElementById("full").onclick = () => document.documentElement.requestFullscreen();
follow({
  status,
  live(live, seconds) {
    const stale = document.getElementById("stale");
    stale.hidden = live;
    stale.textContent = seconds === null ? "Connecting to the table …" : `Not live for ${seconds} s: what is below is old. Ask the dealer.`;
    document.body.classList.toggle("old", !live);
  },
});

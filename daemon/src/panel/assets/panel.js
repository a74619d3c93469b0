// The technician's page: the table as it is.

import { ask, el, fill, follow, testing, unitName, when, words } from "./live.js";
import { die, ended, kind } from "./dice.js";
import { drawTable } from "./drawing.js";
import { drawLayout } from "./layout.js";
import { showRound } from "./round.js";
import { journal } from "./journal.js";
import { wires } from "./wires.js";
import { workshop } from "./workshop.js";

/** How a table in each phase is: what is to be noticed, and whether and why games are played. */
const PHASES = {
  ready: ["", "Open: a game may begin."],
  betting: ["", "A round is in progress, and bets are not closed yet."],
  tumbling: ["", "A round is in progress: the tumbler runs."],
  "bets-closed": ["", "A round is in progress: the dice are not revealed yet."],
  revealed: ["", "A round is in progress: the result is to be entered."],
  settling: ["", "A round is in progress: wagers are being settled."],
  interrupted: ["warn", "The round waits until a person has said how the dice lie."],
  void: ["", "Open: the last round was void, and a game may begin."],
  closed: ["warn", "No games before a supervisor opens the table: tumblerctl open"],
  blocked: ["bad", "No games until what is above is put right and reset."],
  maintenance: ["warn", "No games: a technician works on the table."],
};
const KEPT = 10;
/** Letters of a cause beyond which it is written smaller: a list of lamps must not push the table out of sight. */
const LONG = 120;
let about = { remedies: {} };
let shown = null;

/** Puts a text in its place, where it is another: what has not changed is not said again. */
function say(id, text) {
  const at = document.getElementById(id);
  if (at.textContent !== text) at.textContent = text;
}

const facts = (id, rows) => fill(id, ...rows.flatMap(([name, value, tone]) => {
  const dd = el("dd", "", tone ?? "");
  dd.append(...[value].flat());
  return [el("dt", name), dd];
}));

function faultCard({ code, cause, since }, { mono, wall, snapshot: { round } }) {
  const card = el("article", "", "fault", el("h2", "", cause.length > LONG ? "long" : "", el("b", `${words(code)}: `), cause));
  card.append(el("p", since ? `Since ${when(wall - (mono - since) / 1e6)}` : "From before the last start of this machine"));
  const { remedy, procedure } = about.remedies[code] ?? {};
  if (remedy) card.append(el("p", remedy, "do"));
  const then = round === null ? "Then" : `Then, once round ${round} has ended`;
  const reset = el("p", `${then}, with the supervisor's key turned again: `);
  reset.append(el("code", `tumblerctl reset ${code} --rectified --name NAME`));
  if (procedure) reset.append(" or, where a stated procedure replaces the check: ", el("code", `tumblerctl reset ${code} --procedure TEXT --name NAME`));
  card.append(reset);
  return card;
}

/** Light or dark as the system has it, until somebody chooses: then this page's rules for the dark are in force, or are not. */
function scheme() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.conditionText?.includes("prefers-color-scheme: dark"));
  const system = matchMedia("(prefers-color-scheme: dark)"), button = document.getElementById("scheme");
  let chosen = null;
  // A browser that keeps nothing goes by the system again at the next visit.
  try { chosen = localStorage.getItem("scheme"); } catch { /* as above */ }
  const show = () => {
    const dark = chosen === null ? system.matches : chosen === "dark";
    for (const rule of rules) rule.media.mediaText = chosen === null ? "(prefers-color-scheme: dark)" : dark ? "all" : "not all";
    document.documentElement.style.colorScheme = chosen ?? "";
    button.textContent = dark ? "Light colours" : "Dark colours";
    button.onclick = () => {
      chosen = dark ? "light" : "dark";
      try { localStorage.setItem("scheme", chosen); } catch { /* as above */ }
      show();
    };
  };
  system.onchange = show;
  show();
}

/** What is wrong, whether games are played, and what people are to do. */
function showState(now) {
  const { malfunctions, waived, phase, round, question, prompt, test } = now.snapshot;
  const cards = malfunctions.map((fault) => faultCard(fault, now));
  if (now.shared) cards.unshift(el("article", "", "fault", el("h2", "", "long", el("b", "field bus: "), now.shared)));
  cards.push(...waived.map((waiver) => el("article", "", "fault waived",
    el("h2", `${words(waiver.code)}: replaced by a procedure until the table closes`), el("p", `${waiver.procedure} (${waiver.by})`))));
  fill("fault-list", ...cards);
  const [tone, meaning] = PHASES[phase] ?? ["warn", ""];
  document.getElementById("state").className = malfunctions.length ? "bad" : tone || (waived.length ? "warn" : "");
  say("phase", words(phase));
  say("meaning", malfunctions.length && round !== null ? `${meaning} After it no game begins until what is above is put right and reset.` : meaning);
  say("round", round === null ? "" : `round ${round}`);
  const result = now.snapshot.result ?? [], outcome = result.length ? `${result.join("-")} = ${kind(result).total}` : "";
  if (document.getElementById("outcome").dataset.is !== outcome) {
    document.getElementById("outcome").dataset.is = outcome;
    fill("outcome", ...(outcome ? [...result.map(die), ` ${kind(result).total} ${kind(result).name}`] : []));
  }
  const todo = question ? `${question.text} Next: ${now.answered}` : testing(prompt?.text ?? test ?? "");
  document.getElementById("todo").hidden = !todo;
  say("todo", todo);
}

function showFacts(s, relay) {
  facts("facts", [
    ["Rules", s.rules],
    ["Round", s.round === null ? "none in progress" : String(s.round)],
    ["Field bus", s.lost_units.length ? `${s.lost_units.map(unitName).join(", ")} lost` : "all units answer", s.lost_units.length ? "bad" : ""],
    ["Broker", relay === null ? "none configured" : `${relay.broker}, ${relay.connected ? "connected" : "NOT CONNECTED"}, ${relay.waiting} records wait`, relay && !relay.connected ? "warn" : ""],
    ...(relay?.trouble ? [["Trouble", relay.trouble, "warn"]] : []),
    ["Last record", String(s.seq)],
  ]);
  facts("dice", [["Result", s.result ? [...s.result.map(die), ` total ${kind(s.result).total}`] : "not entered"]]);
}

let recent = null;

function showRecent(s) {
  // Only what changed is drawn again: a button that has the keyboard's focus keeps it.
  const now = JSON.stringify(s.recent);
  if (now === recent || !s.recent.length) return;
  recent = now;
  const rows = s.recent.slice(-KEPT).reverse().map((past) => {
    const how = el("td");
    const { dice, why } = ended(past);
    if (dice) how.append(...dice.map(die), ` ${kind(dice).total}`);
    else how.append(el("span", past.affected === undefined ? `void: ${why}` : `${why}: ${past.affected}`, "warn"));
    const look = el("button", "Show");
    look.setAttribute("aria-label", `Show round ${past.id}`);
    look.onclick = () => { showRound(past.id); document.getElementById("h-timeline").scrollIntoView(); };
    return el("tr", "", "", el("td", String(past.id)), how, el("td", "", "", look));
  });
  fill("recent", ...rows);
  const last = s.recent.at(-1)?.id;
  if (last !== undefined && last !== shown) { shown = last; showRound(last); }
}

function status(now) {
  const { snapshot: s, relay } = now;
  showState(now);
  drawTable("table", now);
  showFacts(s, relay);
  showRecent(s);
  drawLayout(s);
  tools.status(now);
}

function bars(name, histogram, steps) {
  const most = Math.max(1, ...histogram.counts);
  const label = (at) => at < steps.length ? `≤ ${steps[at] < 1000 ? `${steps[at]} µs` : `${steps[at] / 1000} ms`}` : "more";
  const made = el("div", "", "bars");
  histogram.counts.forEach((count, at) => {
    if (!count) return;
    const bar = el("i");
    bar.style.width = `${(100 * count) / most}%`;
    made.append(el("span", label(at)), bar, el("span", String(count)));
  });
  return el("div", "", "", el("h3", `${name}, longest ${histogram.max_us < 1000 ? `${histogram.max_us} µs` : `${(histogram.max_us / 1000).toFixed(1)} ms`}`), made);
}

async function showHealth() {
  if (document.hidden) return;
  const { health, disk } = await ask("api/health");
  const gib = (bytes) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const parts = [el("div", "", "plots", bars("Control loop: how late it was woken", health.late, health.steps_us),
    ...Object.entries(health.took).map(([unit, took]) => bars(`${unitName(unit)}: time of a transaction`, took, health.steps_us)))];
  const list = el("dl");
  const row = (name, value, tone) => list.append(el("dt", name), el("dd", value, tone ?? ""));
  if (disk) row("Journal's disk", `${gib(disk.free)} of ${gib(disk.bytes)} free`, disk.free < disk.bytes / 20 ? "bad" : "");
  if (health.temperatures.length > 1) {
    const all = health.temperatures.map(([, t]) => t / 1000);
    row("Motor temperature", `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)} °C in ${Math.round((health.temperatures.at(-1)[0] - health.temperatures[0][0]) / 6e10)} min`);
  }
  if (health.lost) row("Not drawn", `${health.lost} changes found no room`, "warn");
  parts.push(list);
  fill("health", ...parts);
}

about = await ask("api/table");
document.title = `${about.table} · ${about.site}`;
document.getElementById("name").textContent = `Table ${about.table}, ${about.site}`;
document.getElementById("bench").hidden = about.backend !== "virtual";
const browser = journal();
const tools = await workshop(about.tests);
let missed = false;
follow({
  status,
  record(record) { browser.add(record); tools.record(record); },
  live(live, seconds) {
    if (live && missed) browser.again().catch(() => {});
    missed = !live;
    const note = document.getElementById("live");
    note.textContent = live ? "live" : "not live";
    const stale = document.getElementById("stale");
    stale.hidden = live;
    stale.textContent = `Not live: nothing heard of the table ${seconds === null ? "yet" : `for ${seconds} s`}. What follows is old. Is tumblerd running (systemctl status tumblerd)?`;
    document.body.classList.toggle("old", !live);
    // Nothing can be done to a table that does not answer.
    document.getElementById("acts").disabled = !live;
    for (const button of document.querySelectorAll("header button")) button.disabled = !live;
  },
});
wires();
scheme();
showHealth();
setInterval(() => showHealth().catch(() => {}), 5000);

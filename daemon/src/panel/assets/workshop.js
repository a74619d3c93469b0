// Hardware tests, for a technician who is logged in. The table decides what it grants; what it says is shown as it says it.

import { shape } from "./dice.js";
import { ask, el, fill, testing, words } from "./live.js";

const QUESTIONS = { areas: "Did the right areas light for each result?", seal: "Does the dice compartment's seal look whole?", bell: "Was the bell heard?" };
const at = (id) => document.getElementById(id);
const say = (text, tone = "bad") => { at("told").textContent = text; at("told").className = tone; };

/** The limits as coloured bands with their marks, and the value as a needle across them. */
function gauge({ name, value, limits, scale }) {
  const svg = shape("svg", { viewBox: "0 0 320 52", class: "gauge", role: "img", "aria-label": `${words(name)} ${value}: ${limits}` });
  const x = (at) => 10 + at * 0.3;
  let from = 0;
  for (const [verdict, to] of scale.bands) {
    svg.append(shape("rect", { x: x(from), y: 18, width: x(to) - x(from), height: 14, class: verdict }));
    from = to;
  }
  for (const [at, text] of scale.marks) {
    // What passes is told above, what fails below: marks close to each other leave room.
    const n = scale.bands.findIndex(([, to]) => to === at);
    const fails = n < 0 || [n, n + 1].some((band) => scale.bands[band]?.[0] === "fail");
    const anchor = at < 80 ? "start" : at > 900 ? "end" : "middle";
    svg.append(shape("line", { x1: x(at), x2: x(at), y1: fails ? 18 : 13, y2: fails ? 37 : 32, class: "mark" }), shape("text", { x: x(at), y: fails ? 48 : 10, "text-anchor": anchor }, text));
  }
  svg.append(shape("path", { d: `M${x(scale.value)} 36l-5 -22h10z`, class: "needle" }));
  return svg;
}

/** Measurements; while they go on, nothing is judged yet. */
function table(bars, live) {
  const tone = { pass: "good", marginal: "warn", fail: "bad" };
  const judged = (m) => (live ? [] : [el("td", m.verdict, tone[m.verdict]), el("td", m.remedy ?? "")]);
  const rows = bars.map((m) => el("tr", "", "", el("td", words(m.name)), el("td", m.value, "num"), el("td", "", "limits", gauge(m), el("span", m.limits, "quiet")), ...judged(m)));
  const head = el("tr", "", "", ...["Measured", "Value", "Limits", ...(live ? [] : ["Verdict", "What to do"])].map((name) => el("th", name)));
  return el("table", "", "", el("thead", "", "", head), el("tbody", "", "", ...rows));
}

/** Whether somebody wants to log in. Who only looks is not asked to. */
let wanted = false;

/** The section is there for who is logged in or wants to be, and for everybody while there is a test to be seen. */
function place() {
  at("workshop").hidden = !wanted && at("bench-tools").hidden && at("testing").hidden && !at("result").hasChildNodes();
  at("login").hidden = !wanted || !at("bench-tools").hidden;
  at("enter").hidden = !at("bench-tools").hidden;
  at("enter").setAttribute("aria-expanded", String(wanted));
}

function show(account) {
  at("bench-tools").hidden = account === null;
  at("account").textContent = account ?? "";
  place();
}

/** Tells the table; what it refuses is shown, and a session that has ended asks for another login. */
async function tell(path, send) {
  say("");
  try {
    return await ask(path, send);
  } catch (error) {
    say(error.message);
    if (error.code === 401) { wanted = true; show(null); }
    return null;
  }
}

async function test(name) {
  fill("result");
  // The answer may be minutes away: what happens meanwhile comes with the table's state, and the result as a record.
  await tell("api/test", { test: name });
}

/** Sets the section up. What it gives back takes states and records. */
export async function workshop(tests) {
  const { login, account } = await ask("api/session");
  if (!login) return { status() {}, record() {} };
  show(account);
  at("enter").onclick = () => {
    wanted = !wanted;
    place();
    if (wanted) at("login").elements.name.focus();
  };
  fill("tests", ...tests.map((name) => {
    const button = el("button", words(name));
    button.setAttribute("aria-label", `Test ${words(name)}`);
    button.onclick = () => test(name);
    return button;
  }));
  at("login").onsubmit = async (event) => {
    event.preventDefault();
    const form = event.target, button = form.querySelector("button");
    button.disabled = true;
    const said = await tell("api/login", Object.fromEntries(new FormData(form)));
    button.disabled = false;
    form.elements.password.value = "";
    if (said) show(said.account); else form.elements.password.focus();
  };
  at("logout").onclick = async () => { await tell("api/logout", {}); wanted = false; show(null); };
  let maintained = false;
  at("maintenance").onclick = async () => {
    const said = await tell("api/maintenance", { on: !maintained });
    if (said) say(said.done, "good");
  };
  let item = null;
  for (const [id, right] of [["right", true], ["wrong", false]]) at(id).onclick = () => tell("api/witness", { item, right });
  return {
    status({ snapshot, bars = [] }) {
      const [, , step] = /^hardware (\S+): (.*)$/.exec(snapshot.test ?? "") ?? [];
      at("testing").hidden = step === undefined;
      place();
      maintained = snapshot.phase === "maintenance";
      at("maintenance").textContent = maintained ? "End maintenance" : "Begin maintenance";
      const missing = [...(maintained ? [] : ["the table in maintenance"]), ...(snapshot.key ? [] : ["the supervisor's key turned a short time ago"])];
      at("wanted").textContent = missing.length ? `A test needs ${missing.join(" and ")}.` : "The key is in force and the table in maintenance: tests may run.";
      at("maintenance").disabled = step !== undefined;
      for (const button of at("tests").children) button.disabled = step !== undefined || missing.length > 0;
      if (step === undefined) return;
      const shown = testing(snapshot.test);
      if (at("step").textContent !== shown) at("step").textContent = shown;
      fill("bars", ...(bars.length ? [table(bars, true)] : []));
      item = snapshot.prompt?.id === "witness" ? snapshot.prompt.of[0] : null;
      at("question").hidden = item === null || at("bench-tools").hidden;
      at("asked").textContent = QUESTIONS[item] ?? "";
    },
    async record({ kind, seq, data }) {
      if (kind !== "hardware-tested") return;
      const { test: name, by, verdict, found, seen, bars } = await ask(`api/result?record=${seq}`);
      const tone = { pass: "good", marginal: "warn", fail: "bad" }[verdict];
      const link = el("a", "Report with plots");
      link.href = `report?record=${seq}`;
      const parts = [el("h3", `${words(name)}: ${verdict}`, tone), el("p", `by ${by}`, "quiet")];
      if (found) parts.push(el("p", found, "bad"));
      if (seen.length) parts.push(el("p", `found right by a person: ${seen.join(", ")}`));
      if (bars.length) {
        const scrolled = el("div", "", "scroll", table(bars, false));
        // What scrolls is reached with the keyboard too.
        for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", "Result"]]) scrolled.setAttribute(name, value);
        parts.push(scrolled);
      }
      fill("result", ...parts, el("p", "", "", link));
      place();
    },
  };
}

// The journal's browser.

import { ask, el, fill, when, words } from "./live.js";
import { sentence, showRound } from "./round.js";

const KINDS = ["commissioned", "started", "stopped", "test-began", "tested", "opened", "closed", "maintenance", "round-began", "called", "spin-began", "spin-made", "spin-dropped", "spin-flickered", "spin-ended", "revealed", "established", "faces-read", "entry-error", "entry-differs", "result", "amended", "lamps-verified", "settled", "voided", "noted", "voided-afterwards", "corrected", "supervised", "resumed", "asked", "answered", "latched", "unlatched", "refused", "key-turned", "decided", "closing", "dice-enrolled", "hardware-tested", "keyframe"];
/** Records beside the drawing of the table. */
const LATEST = 8;
/** Rows on the page before the oldest go, while the page only follows. */
const MOST = 200;

const tone = ({ kind }) => (["latched", "voided", "voided-afterwards"].includes(kind) ? "bad" : kind === "refused" ? "warn" : "");

/** A row for a record as it left the table. */
function row(record) {
  const { wall, wall_quality: quality } = record;
  const time = el("time", when(wall)), moment = el("td", "", "", time);
  // A clock that nobody has set says little: the records' order is their number.
  if (quality !== "synchronised") { time.prepend("≈ "); moment.title = `the clock was ${quality}`; }
  const round = el("td", record.round === undefined ? "" : String(record.round));
  const look = el("td");
  if (record.round !== undefined) {
    const button = el("button", "Round");
    button.setAttribute("aria-label", `Show round ${record.round}`);
    button.onclick = () => { showRound(record.round); document.getElementById("h-timeline").scrollIntoView(); };
    look.append(button);
  }
  const text = el("td", "", "what", ...sentence(record, tone(record)));
  return el("tr", "", "", el("td", String(record.seq)), moment, round, text, look);
}

/** What has just happened, the newest first. */
function showLatest(records) {
  fill("latest", ...records.map((record) => el("li", "", "", el("time", `${when(record.wall).slice(11)} `, "quiet"), ...sentence(record, tone(record)))));
}

/** Sets the browser up. What it gives back takes new records. */
export function journal() {
  const body = document.getElementById("records"), form = document.getElementById("look"), older = document.getElementById("older");
  const note = document.getElementById("looked");
  let before = null, following = true, latest = [];
  form.elements.kind.append(...KINDS.map((kind) => {
    const option = el("option", words(kind));
    option.value = kind;
    return option;
  }));
  const search = async (more) => {
    const { search: text, kind } = Object.fromEntries(new FormData(form));
    following = !text && !kind;
    const asked = new URLSearchParams({ search: text, kind, limit: 30 });
    if (more) asked.set("before", before);
    try {
      const found = await ask(`api/journal?${asked}`);
      const rows = found.records.map(row);
      if (more) body.append(...rows); else fill("records", ...rows);
      before = found.before;
      if (latest.length === 0) showLatest(latest = found.records.slice(0, LATEST));
      note.textContent = `${body.children.length} records shown${before === null ? ", back to the journal's beginning" : ""}.`;
    } catch (error) {
      note.textContent = `The journal could not be searched: ${error.message}`;
    }
    older.hidden = before === null;
  };
  form.onsubmit = (event) => { event.preventDefault(); search(false); };
  older.onclick = () => search(true);
  search(false);
  return {
    /** Asks for what came while nothing was heard: the table tells only what is new since it is heard again. */
    async again() {
      const { records } = await ask(`api/journal?${new URLSearchParams({ search: "", kind: "", limit: LATEST })}`);
      const newer = latest.filter(({ seq }) => seq > (records[0]?.seq ?? 0));
      showLatest(latest = [...newer, ...records].slice(0, LATEST));
      if (following) await search(false);
    },
    add(record) {
      if (!latest.some(({ seq }) => seq >= record.seq)) showLatest(latest = [record, ...latest].slice(0, LATEST));
      if (!following) return;
      if (body.firstElementChild?.firstElementChild?.textContent >= record.seq) return;
      body.prepend(row(record));
      while (body.children.length > MOST) body.lastElementChild.remove();
    },
  };
}

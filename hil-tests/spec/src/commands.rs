//! Commands (console.md; NZ 7.4): what the page of the console allows a person is done, and everything else is refused.
//!
//! A command and its record carry the same time, and records come in the order in which the table decided. So the records before it
//! say what state the table was in, whatever else is still being written.

mod expected;
mod state;

use crate::areas::sorted;
use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::Record;
use crate::scene::Scene;
use expected::Expected;
use serde_json::Value;
use state::State;

const NAME: &str = "commands";
pub(crate) const DONE: &str = "console: what a person may do is done";
pub(crate) const REFUSED: &str = "console: what a person may not do is refused";
pub(crate) const SAID: &str = "NZ 7.4: what a person finds out of order bars the next game";
pub(crate) const ANSWERED: &str = "console: every command is answered";

const MS: u64 = 1_000_000;
/// A turn of the key counts once its contact is debounced.
const TURNED_NS: u64 = 60 * MS;
/// A decision is on disk by then if nothing else has to be written.
const SOON_NS: u64 = 8_000 * MS;
/// A reader that was mended is polled again, and believed, by then.
const READER_NS: u64 = 5_000 * MS;
/// A test has ended by then, with everything that people have to do in it.
const TEST_NS: u64 = 900_000 * MS;

/// A command whose record has not come yet, and the state of the world when it was given.
#[derive(Clone, Debug)]
struct Command {
    command: String,
    with: Value,
    at_ns: u64,
    /// The turn of the key that counts for it; `None` if none does.
    turned_ns: Option<u64>,
    /// Whether the dome is away, by its contacts; `None` while they change or contradict each other.
    away: Option<bool>,
    /// The shaft has not moved for a while.
    still: bool,
    /// A test may have been in progress.
    testing: bool,
    /// Whether the reader, if sound, saw three dice that it can tell apart.
    three: Option<bool>,
    /// The faces of the dice, sorted, if all lay flat.
    lay: Option<[u8; 3]>,
}

/// Watches what becomes of commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands {
    state: State,
    asked: Vec<Command>,
    /// The malfunction that a command reported, and when the command was given.
    out_of_order: Option<(&'static str, u64)>,
    /// The deadlines of commands that were not answered yet, the latest first.
    unanswered: Vec<u64>,
    /// An edge of the key's line did not reach the table: it is not known which turns the table has seen.
    key_lost: bool,
    /// How long the key was held at its last turn.
    key_down_ns: u64,
    done: u64,
    refused: u64,
}

impl Judge for Commands {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        if !scene.config.given.alone {
            return;
        }
        match &seen.what {
            Seen::RepeatedLevel { line: Line::SupervisorKey, .. } => self.key_lost = true,
            Seen::Wire { line: Line::SupervisorKey, active, .. } => self.key(*active, scene),
            Seen::Truth(Truth::Process { .. } | Truth::Hung { .. }) => {
                self.key_lost = false;
                self.asked.clear();
                self.unanswered.clear();
                self.out_of_order = None;
                self.state.restarted();
            }
            Seen::ConsoleCommand { command, with, .. } => {
                self.answer_due(command, scene);
                self.ask(command, with, scene);
            }
            // It cannot be told which command is answered. The answer to a test comes late, so the earliest deadline is taken off.
            Seen::Answer { .. } => drop(self.unanswered.pop()),
            Seen::Record(record) => {
                self.record(record, scene, findings);
                self.state.record(record, scene);
            }
            other => self.state.see(other, scene),
        }
        if scene.may_lag() {
            self.asked.clear();
            self.unanswered.clear();
        }
        self.overdue(scene, findings);
    }

    fn finish(&mut self, _at_ns: u64, scene: &Scene, findings: &mut Findings) {
        self.overdue(scene, findings);
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![("commands that had to be done", self.done), ("commands that had to be refused", self.refused)]
    }
}

impl Commands {
    fn answer_due(&mut self, command: &str, scene: &Scene) {
        self.unanswered.push(scene.now_ns.saturating_add(if is_test(command) { TEST_NS } else { SOON_NS }));
        // The earliest deadline is last.
        self.unanswered.sort_unstable_by(|one, other| other.cmp(one));
    }

    fn key(&mut self, active: bool, scene: &Scene) {
        if !active {
            self.key_down_ns = scene.key_ns.map_or(0, |on| scene.now_ns.saturating_sub(on));
        }
    }

    /// The turn of the key whose privilege surely holds. The inner `None`: surely none does. The outer `None`: that cannot be told.
    fn turned(&self, scene: &Scene) -> Option<Option<u64>> {
        let Some(edge) = scene.key_ns.filter(|edge| *edge > scene.started_ns) else { return Some(None) };
        let (ago, lasts) = (scene.now_ns.saturating_sub(edge), scene.config.given.limits.key_privilege_ns);
        if ago > lasts.saturating_add(2_000 * MS) {
            return Some(None);
        }
        let firm = if scene.is(Line::SupervisorKey, true) { ago } else { self.key_down_ns };
        let sure = firm > TURNED_NS && ago > TURNED_NS && ago < lasts / 30 * 29;
        sure.then_some(Some(edge))
    }

    fn ask(&mut self, command: &str, with: &Value, scene: &Scene) {
        let blind = scene.may_lag() || self.key_lost || scene.recently_broken(Part::Buttons, SOON_NS);
        let testing = self.state.may_be_testing(scene.now_ns);
        self.state.asked(command, scene);
        let Some(turned_ns) = self.turned(scene).filter(|_| !blind && with.get("supervisor").is_some()) else { return };
        let rested = |line: Line| scene.now_ns > scene.since(line).saturating_add(1_000 * MS);
        let settled = rested(Line::DomeClosed) && rested(Line::DomeOpen);
        let away = match (scene.level(Line::DomeClosed), scene.level(Line::DomeOpen)) {
            (Some(closed), Some(open)) if closed != open && settled => Some(open),
            _ => None,
        };
        let still = scene.is(Line::MotorEnable, false) && scene.now_ns.saturating_sub(scene.moved_ns) > 3_000 * MS;
        let (command, with, at_ns) = (command.to_owned(), with.clone(), scene.now_ns);
        let sound = ![Part::Reader, Part::Bus].into_iter().any(|part| scene.recently_broken(part, READER_NS));
        let three = self.state.three.filter(|_| sound);
        let lay = scene.dice.filter(|(_, flat)| *flat == [true; 3]).map(|(faces, _)| sorted(faces));
        self.asked.push(Command { command, with, at_ns, turned_ns, away, still, testing, three, lay });
    }

    fn record(&mut self, record: &Record, scene: &Scene, findings: &mut Findings) {
        if let Some((code, _)) = self.out_of_order.take_if(|(_, at_ns)| *at_ns < record.at_ns) {
            if !scene.is_latched(code) {
                findings.note(NAME, scene.now_ns, SAID, format!("a person said so, and `{code}` is not latched"));
            }
        }
        // Whatever was decided before this record is on disk.
        let passed = |asked: &Command| asked.at_ns < record.at_ns;
        while self.asked.first().is_some_and(passed) {
            let asked = self.asked.remove(0);
            self.nothing_came(&asked, scene, findings);
        }
        let place = self.asked.iter().position(|asked| asked.at_ns == record.at_ns && asked.is_answered_by(record));
        let Some(place) = place else { return };
        let asked = self.asked.remove(place);
        let expected = expected::expected(&asked, &self.state, scene);
        let refused = record.kind == "refused";
        if refused {
            self.state.refused(&asked.command);
        }
        self.count(expected);
        if let (false, Some(code)) = (refused, expected::reported_malfunction(&asked, &self.state)) {
            self.out_of_order = Some((code, asked.at_ns));
        }
        let what = format!("`{}` {}", asked.command, asked.with);
        match expected {
            Expected::Done if refused => {
                findings.note(NAME, scene.now_ns, DONE, format!("{what} is refused: {}", record.data));
            }
            Expected::Refused if !refused => {
                findings.note(NAME, scene.now_ns, REFUSED, format!("{what} is done: {} {}", record.kind, record.data));
            }
            _ => {}
        }
    }

    fn count(&mut self, expected: Expected) {
        match expected {
            Expected::Done => self.done += 1,
            Expected::Refused => self.refused += 1,
            Expected::Unknown => {}
        }
    }

    fn nothing_came(&mut self, asked: &Command, scene: &Scene, findings: &mut Findings) {
        let expected = expected::expected(asked, &self.state, scene);
        self.count(expected);
        let what = format!("`{}` {}", asked.command, asked.with);
        match expected {
            Expected::Done if !asked.leads_to().is_empty() => {
                findings.note(NAME, scene.now_ns, DONE, format!("nothing came of {what}"));
            }
            Expected::Refused => findings.note(NAME, scene.now_ns, REFUSED, format!("nobody refused {what}")),
            _ => {}
        }
    }

    fn overdue(&mut self, scene: &Scene, findings: &mut Findings) {
        while self.asked.first().is_some_and(|asked| scene.now_ns > asked.at_ns.saturating_add(SOON_NS)) {
            let asked = self.asked.remove(0);
            self.nothing_came(&asked, scene, findings);
        }
        while self.unanswered.last().is_some_and(|by_ns| scene.now_ns > *by_ns) {
            self.unanswered.pop();
            findings.note(NAME, scene.now_ns, ANSWERED, "a command was not answered");
        }
    }
}

/// Whether this command starts a test.
fn is_test(command: &str) -> bool {
    matches!(command, "open" | "reset" | "hardware-test")
}

impl Command {
    fn flag(&self, field: &str) -> bool {
        self.with.get(field) == Some(&Value::Bool(true))
    }

    fn text(&self, field: &str) -> &str {
        self.with.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn dice(&self) -> Option<[u8; 3]> {
        serde_json::from_value(self.with.get("dice")?.clone()).ok().map(sorted)
    }

    /// Its name in the record of a refusal.
    fn name(&self) -> &str {
        match self.command.as_str() {
            "finding" => "interrupted",
            "enrol-dice" => "dice enrol",
            other => other,
        }
    }

    /// Kinds of records, any of which shows that it was done.
    fn leads_to(&self) -> &'static [&'static str] {
        match self.command.as_str() {
            "open" | "hardware-test" => &["test-began"],
            "reset" if self.text("exit") == "rectified" => &["test-began"],
            "reset" => &["unlatched"],
            "maintenance" => &["maintenance"],
            "amend" => &["amended", "result"],
            "void" => &["decided"],
            "finding" => &["answered"],
            "supervise" => &["supervised"],
            "correct" => &["corrected"],
            "void-afterwards" => &["voided-afterwards", "corrected"],
            "confirm-dome" => &["revealed"],
            "settle" => &["settled", "result"],
            "enrol-dice" => &["dice-enrolled"],
            _ => &[],
        }
    }

    fn is_answered_by(&self, record: &Record) -> bool {
        if record.kind == "refused" {
            return record.data.get("what").and_then(Value::as_str) == Some(self.name());
        }
        let other = record.kind == "decided" && !record.fact.answers_void();
        self.leads_to().contains(&record.kind.as_str()) && !other
    }
}

#[cfg(test)]
mod tests;

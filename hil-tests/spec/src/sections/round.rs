//! What the dealer's buttons lead to: a round that begins, calls, a spin, or its refusal.
//!
//! ```text
//!            ┌── no round: table ready? ──┬── yes ──> round-began, with its call or its spin
//!  press ────┤                            └── no ───> called out of turn; `tumble` refused
//!            └── a round: order of play ──┬── in turn ──> called; spin-began
//!                                         └── else ─────> called out of turn; `tumble` refused
//! ```

use super::press::DEALERS;
use super::run::{HOT, STALE_NS};
use crate::config::{Order, Rules};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Seen};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::{Round, Scene};
use crate::section::{Answer, Section, must};
use serde_json::{Value, json};

const PRESSED: Rule = Rule::new(
    "round.pressed",
    "design.md, Buttons and key: a press acts once it is debounced, and is recorded as a call or a request",
);
const BEGINS: Rule =
    Rule::new("round.begins", "table.md, Phases: a ready table begins the next round, under the rules in force");
const CALLED: Rule =
    Rule::new("round.called", "table.md, Phases: a call is a fact, in turn or out of turn by the order of play");
const SPINS: Rule =
    Rule::new("round.spins", "table.md, Phases: the press of `tumble` begins the spin of a round that may have one");
const REFUSED: Rule =
    Rule::new("round.refused", "table.md, What `tumble` is refused for: the first obstacle that applies is named");
const NOTED: Rule =
    Rule::new("round.noted", "mqtt.md, What was decided or noted: what would have voided, or came late");

const DROPPED: Rule =
    Rule::new("round.dropped", "table.md, What `tumble` is refused for: what stands in the way by then drops the spin");

/// Malfunctions with which a round may still have its spin.
const BESIDE: [&str; 5] = ["buttons", "key", "reader", "terminal", "lamps"];

/// Watches what the dealer's buttons lead to.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    last_round: Option<u64>,
    layout: String,
    /// When and why the last spin was dropped.
    dropped: Option<(u64, Value)>,
}

/// What a press leads to.
const fn own(line: Line) -> &'static str {
    match line {
        Line::Tumble => "press of tumble",
        Line::PlaceBets => "press of place_bets",
        Line::NoMoreBets => "press of no_more_bets",
        _ => "press of no_spin",
    }
}

/// What stands in the way of a game where no round is in progress.
fn no_game(scene: &Scene, at_ns: u64) -> Option<&'static str> {
    match () {
        () if scene.maintenance => Some("in-maintenance"),
        () if !scene.latched.is_empty() => Some("malfunction"),
        () if scene.open != Some(true) => Some("closed"),
        () if at_ns < scene.permitted_ns => Some("permission-not-durable"),
        () => None,
    }
}

/// What stands in the way of a spin by the order of play.
fn order(round: &Round, rules: Rules) -> Option<&'static str> {
    match () {
        () if round.asked.is_some() => Some("asked-before-motion"),
        () if round.spinning => Some("runs-already"),
        () if round.valid_spin => Some("has-had-its-spin"),
        () if rules.order() == Order::BeforeBets && round.called => Some("bets-closed"),
        () if rules.order() == Order::AfterBets && !round.called => Some("bets-open"),
        () => None,
    }
}

/// Whether this call belongs to the round.
fn in_turn(call: &str, scene: &Scene, at_ns: u64) -> bool {
    let Some(round) = &scene.round else { return false };
    let rules = round.rules.unwrap_or(scene.config.rules);
    let betting = !round.called;
    match call {
        "place-bets" => betting && !round.placed,
        "no-more-bets" => betting,
        _ => {
            let eye =
                round.revealed && !round.established && !(scene.config.given.reader && scene.in_service("reader"));
            let away = scene.past.line(Line::DomeClosed).at(at_ns).is_some_and(|(_, down)| !down);
            let covered = !(round.revealed || round.asked.is_some() && away);
            eye || round.spinning || rules.order() == Order::BeforeBets && covered
        }
    }
}

/// What is out of order about a call in turn.
fn remark(call: &str, scene: &Scene) -> Option<String> {
    let round = scene.round.as_ref()?;
    let rules = round.rules.filter(|rules| rules.order() == Order::BeforeBets)?;
    match call {
        "place-bets" if round.spins == 0 => Some(format!("before the tumbler was activated ({} 6.1)", rules.text())),
        "no-more-bets" if !round.placed => Some(format!("without \"Place your bets\" ({} 6.1)", rules.text())),
        _ => None,
    }
}

/// What `tumble` is refused for at this moment.
fn refused(scene: &Scene, at_ns: u64) -> Option<&'static str> {
    let rules = scene.rules();
    let first = match &scene.round {
        Some(_) if scene.open == Some(false) => Some("closed"),
        Some(round) => order(round, rules),
        None => no_game(scene, at_ns).or_else(|| (!rules.is_new_zealand()).then_some("place-bets-first")),
    };
    first.or_else(|| equipment(scene, at_ns))
}

/// Whether a malfunction of this code keeps the motor off, in a round as well.
pub(super) fn is_grave(code: &str) -> bool {
    !BESIDE.contains(&code)
}

/// What the equipment puts in the way of a spin.
pub(super) fn equipment(scene: &Scene, at_ns: u64) -> Option<&'static str> {
    let level = |line: Line| scene.past.line(line).at(at_ns).map(|(_, level)| *level);
    let known_ns = at_ns.saturating_sub(STALE_NS).max(scene.started_ns);
    let mut readings = scene.past.readings.within(known_ns, at_ns).filter_map(|(_, reading)| *reading);
    let guards = [(Line::Seal, true), (Line::PowerGood, true), (Line::MotorFault, false)];
    let debounce_ns = scene.config.given.limits.dome_debounce_ns;
    let down = [(Line::DomeClosed, true), (Line::DomeOpen, false)].into_iter().all(|(line, down)| {
        level(line) == Some(down) && scene.past.line(line).settled(debounce_ns, at_ns) == Some(&down)
    });
    match () {
        () if scene.latched.iter().any(|(code, _)| is_grave(code)) => Some("malfunction"),
        () if scene.rules().covered() && !down => Some("dome-not-down"),
        () if guards.into_iter().any(|(line, good)| level(line) != Some(good)) => Some("guard-away"),
        () if !scene.run.rests(scene, at_ns) => Some("shaft-moves"),
        () if readings.next().is_none_or(|milli| milli > HOT) => Some("too-hot"),
        () => None,
    }
}

/// A spin that was granted.
pub(super) const GRANTED: &str = "spin";

/// What stands in the way at this moment of a spin that was granted before.
pub(super) fn withdrawn(scene: &Scene, at_ns: u64) -> Option<&'static str> {
    let pressed = |line: Line| scene.buttons.acted(line, scene.run.granted_ns, at_ns);
    match () {
        () if pressed(Line::NoSpin) => Some("no-spin-pressed"),
        () if scene.round.as_ref().is_some_and(|round| round.asked.is_some()) => Some("asked-before-motion"),
        () if scene.rules().order() == Order::BeforeBets && pressed(Line::NoMoreBets) => Some("bets-closed"),
        () => equipment(scene, at_ns),
    }
}

/// The words in which a refusal is told.
fn words(code: &str) -> &'static str {
    match code {
        "asked-before-motion" => "a person is asked how the dice lie: nothing may move them",
        "runs-already" => "the tumbler runs already",
        "has-had-its-spin" => "this round has had its valid spin",
        "bets-closed" => "\"No more bets\" was called",
        "bets-open" => "the tumbler runs only after \"No more bets\"",
        "in-maintenance" => " has the table in maintenance",
        "malfunction" => "malfunction ",
        "closed" => "the table is closed: a supervisor opens it",
        "permission-not-durable" => "the permission to play is not durable yet: ask again in a moment",
        "place-bets-first" => "the round begins with \"Place your bets\"",
        "dome-not-down" => "the dome is not down",
        "guard-away" => " does not allow it: see to seal, supply or motor driver",
        "shaft-moves" => "the tumbler does not stand still",
        "too-hot" => "the motor's temperature does not allow it",
        _ => "\"No spin\" was pressed",
    }
}

/// Whether the record gives this reason in its words, and names what is latched.
fn says(record: &Record, code: &str, scene: &Scene) -> bool {
    let why = record.data.get("why").and_then(Value::as_str).unwrap_or_default();
    let latched = |(code, _): &(String, u64)| why.starts_with(&format!("malfunction {code}: "));
    why.contains(words(code)) && (code != "malfunction" || scene.latched.iter().any(latched))
}

/// Whether the button acted at this moment; its press has then led to its record.
fn acts(line: Line, at_ns: u64, scene: &Scene, ledger: &mut Ledger) -> bool {
    ledger.meet(own(line), at_ns);
    scene.buttons.acted(line, at_ns, at_ns)
}

impl Rounds {
    fn explain_record(&self, record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let at_ns = record.at_ns;
        match record.kind.as_str() {
            "round-began" => self.begins(record, scene),
            "called" => Self::called(record, scene, ledger),
            "spin-began" => Self::spins(at_ns, scene, ledger),
            "spin-dropped" => Self::drops(record, scene, ledger),
            "refused" if record.data.get("what") == Some(&json!("tumble")) => self.refuses(record, scene, ledger),
            "noted" => Self::noted(record, scene),
            _ => Answer::NotMine,
        }
    }

    fn begins(&self, record: &Record, scene: &Scene) -> Answer {
        let pressed = |line: Line| scene.buttons.acted(line, record.at_ns, record.at_ns);
        let by_call = pressed(Line::PlaceBets) && no_game(scene, record.at_ns).is_none();
        let by_spin = pressed(Line::Tumble) && refused(scene, record.at_ns).is_none();
        let rules = scene.config.rules.id();
        let says = json!({"rules": rules, "layout": self.layout});
        let next = self.last_round.is_none_or(|last| record.round == Some(last + 1));
        if scene.round.is_none() && (by_call || by_spin) && record.data == says && next {
            return must(BEGINS);
        }
        let (last, call, spin) = (self.last_round, no_game(scene, record.at_ns), refused(scene, record.at_ns));
        Answer::Unexplained(BEGINS, format!("a press on a ready table; {says} after round {last:?}; {call:?} {spin:?}"))
    }

    fn called(record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let call = record.data.get("call").and_then(Value::as_str).unwrap_or_default();
        let line = Line::named(&call.replace('-', "_")).unwrap_or(Line::Tumble);
        let turn = in_turn(call, scene, record.at_ns);
        let mut says = json!({"call": call, "in_turn": turn});
        if let (true, Some(remark), Some(fields)) = (turn, remark(call, scene), says.as_object_mut()) {
            fields.insert("remark".into(), remark.into());
        }
        let round = scene.round.as_ref().and_then(|round| round.id);
        let skipped = call == "place-bets" && scene.round.is_none() && no_game(scene, record.at_ns).is_none();
        if acts(line, record.at_ns, scene, ledger) && record.data == says && record.round == round && !skipped {
            return must(CALLED);
        }
        Answer::Unexplained(CALLED, format!("a press; {says} of round {round:?}"))
    }

    fn spins(at_ns: u64, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let refused = refused(scene, at_ns);
        if acts(Line::Tumble, at_ns, scene, ledger) && refused.is_none() && scene.round.is_some() {
            return must(SPINS);
        }
        Answer::Unexplained(SPINS, format!("a press that is granted; refused: {refused:?}"))
    }

    /// A spin is dropped by "No spin", by a latch, or by what stands in its way when its record is durable.
    fn drops(record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let at_ns = record.at_ns;
        let taken_back = scene.buttons.acted(Line::NoSpin, at_ns, at_ns);
        let latched = scene.latched.iter().any(|(_, at)| *at == at_ns);
        let withdrawn = withdrawn(scene, at_ns);
        let told = withdrawn.is_some_and(|code| says(record, code, scene));
        if (taken_back || latched || at_ns == scene.run.durable_ns) && told && ledger.meet(GRANTED, at_ns) {
            return must(DROPPED);
        }
        let durable_ns = scene.run.durable_ns;
        Answer::Unexplained(DROPPED, format!("a spin whose record is durable at {durable_ns} ns: {withdrawn:?}"))
    }

    fn refuses(&self, record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let at_ns = record.at_ns;
        let why = record.data.get("why").unwrap_or(&Value::Null);
        let code = if self.dropped.as_ref() == Some(&(at_ns, why.clone())) {
            withdrawn(scene, at_ns)
        } else {
            refused(scene, at_ns).filter(|_| acts(Line::Tumble, at_ns, scene, ledger))
        };
        let round = scene.round.as_ref().and_then(|round| round.id);
        let told = code.is_some_and(|code| says(record, code, scene));
        if told && record.data.get("code").and_then(Value::as_str) == code && record.round == round {
            return must(REFUSED);
        }
        Answer::Unexplained(REFUSED, format!("{code:?} of round {round:?}, in its words"))
    }

    fn noted(record: &Record, scene: &Scene) -> Answer {
        let Some(round) = &scene.round else { return Answer::Unexplained(NOTED, "a round".into()) };
        let latched = scene.latched.iter().any(|(_, at_ns)| *at_ns == record.at_ns);
        let fits = match record.data.get("kind").and_then(Value::as_str) {
            Some("late-spin") => round.placed && round.spins == 0 && scene.rules().order() == Order::BeforeBets,
            Some("after-outcome") => round.established,
            Some("after-spin") => !round.established && (round.made || round.valid_spin),
            Some("dice-moved") => latched && scene.is_latched("interference"),
            _ => false,
        };
        if fits && record.round == round.id {
            return must(NOTED);
        }
        Answer::Unexplained(NOTED, "late-spin, after-outcome, after-spin or dice-moved as the round stands".into())
    }

    /// Owes each press its record.
    fn press(seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        let Seen::Wire { line, .. } = seen.what else { return };
        if !DEALERS.contains(&line) || scene.tests_buttons() {
            return;
        }
        ledger.unless(own(line), seen.at_ns);
        if let Some(due) = scene.buttons.due(line).filter(|_| !(line == Line::Tumble && scene.testing())) {
            ledger.must(PRESSED, What::Own(own(line)), due, due);
        }
    }
}

impl Section for Rounds {
    fn rules(&self) -> Vec<Rule> {
        vec![PRESSED, BEGINS, CALLED, SPINS, REFUSED, NOTED, DROPPED]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Record(record) => self.explain_record(record, scene, ledger),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        Self::press(seen, scene, ledger);
        let Seen::Record(record) = &seen.what else { return };
        self.last_round = self.last_round.max(record.round);
        match &record.fact {
            Fact::Started { layout, .. } => self.layout.clone_from(layout),
            Fact::Keyframe(keyframe) => self.last_round = self.last_round.max(Some(keyframe.last_round)),
            // From its beginning on the test of the buttons takes all presses.
            _ if record.kind == "test-began" && scene.tests_buttons() => {
                DEALERS.into_iter().for_each(|line| ledger.unless(own(line), record.at_ns));
            }
            Fact::Plain if record.kind == "spin-dropped" => {
                self.dropped = record.data.get("why").map(|why| (record.at_ns, why.clone()));
            }
            _ => {}
        }
    }
}

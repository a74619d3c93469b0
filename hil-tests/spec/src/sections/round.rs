//! What the dealer's buttons lead to: a round that begins, calls, a spin, or its refusal.
//!
//! ```text
//!            ┌── no round: table ready? ──┬── yes ──> round-began, with its call or its spin
//!  press ────┤                            └── no ───> called out of turn; `tumble` refused
//!            └── a round: order of play ──┬── in turn ──> called; spin-began
//!                                         └── else ─────> called out of turn; `tumble` refused
//! ```

use super::press::Button;
use super::run::{HOT, Run, STALE_NS};
use crate::config::{Order, Rules};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Seen};
use crate::past::remember;
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::{Round, Scene};
use crate::section::{Answer, Section, must};
use serde_json::{Value, json};
use std::collections::VecDeque;

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

const BUTTONS: [(Line, &str); 4] = [
    (Line::Tumble, "press of tumble"),
    (Line::PlaceBets, "press of place_bets"),
    (Line::NoMoreBets, "press of no_more_bets"),
    (Line::NoSpin, "press of no_spin"),
];
/// Malfunctions with which a round may still have its spin.
const BESIDE: [&str; 5] = ["buttons", "key", "reader", "terminal", "lamps"];

/// As many presses are remembered.
const MOST: usize = 256;

/// A press: its button, and when it acted.
type Press = (Line, u64);

/// Watches the dealer's buttons.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    buttons: [Button; 4],
    run: Run,
    presses: VecDeque<Press>,
    last_round: Option<u64>,
    layout: String,
    /// When the last spin was granted, and when it was dropped.
    granted_ns: u64,
    dropped_ns: Option<u64>,
}

impl Default for Rounds {
    fn default() -> Self {
        Self {
            buttons: BUTTONS.map(|(line, _)| Button::new(line)),
            run: Run::default(),
            presses: VecDeque::new(),
            last_round: None,
            layout: String::new(),
            granted_ns: 0,
            dropped_ns: None,
        }
    }
}

/// What stands in the way of a game where no round is in progress.
fn no_game(scene: &Scene) -> Option<&'static str> {
    match () {
        () if scene.maintenance => Some("in-maintenance"),
        () if !scene.latched.is_empty() => Some("malfunction"),
        () if scene.open != Some(true) => Some("closed"),
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

impl Rounds {
    /// Whether this button acted at this moment.
    fn pressed(&self, line: Line, at_ns: u64) -> bool {
        self.presses.contains(&(line, at_ns))
    }

    /// What `tumble` is refused for at this moment.
    fn refused(&self, scene: &Scene, at_ns: u64) -> Option<&'static str> {
        let rules = scene.rules();
        let first = match &scene.round {
            Some(_) if scene.open == Some(false) => Some("closed"),
            Some(round) => order(round, rules),
            None => no_game(scene).or_else(|| (!rules.is_new_zealand()).then_some("place-bets-first")),
        };
        first.or_else(|| self.equipment(scene, at_ns))
    }

    /// What the equipment puts in the way of a spin.
    fn equipment(&self, scene: &Scene, at_ns: u64) -> Option<&'static str> {
        let level = |line: Line| scene.past.line(line).at(at_ns).map(|(_, level)| *level);
        let grave = |(code, _): &(String, u64)| !BESIDE.contains(&code.as_str());
        let known_ns = at_ns.saturating_sub(STALE_NS).max(scene.started_ns);
        let mut readings = scene.past.readings.within(known_ns, at_ns).filter_map(|(_, reading)| *reading);
        let guards = [(Line::Seal, true), (Line::PowerGood, true), (Line::MotorFault, false)];
        let down = level(Line::DomeClosed) == Some(true) && level(Line::DomeOpen) == Some(false);
        match () {
            () if scene.latched.iter().any(grave) => Some("malfunction"),
            () if scene.rules().covered() && !down => Some("dome-not-down"),
            () if guards.into_iter().any(|(line, good)| level(line) != Some(good)) => Some("guard-away"),
            () if !self.run.rests(scene, at_ns) => Some("shaft-moves"),
            () if readings.next().is_none_or(|milli| milli > HOT) => Some("too-hot"),
            () => None,
        }
    }

    fn explain_record(&self, record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let at_ns = record.at_ns;
        match record.kind.as_str() {
            "round-began" => self.begins(record, scene),
            "called" => self.called(record, scene, ledger),
            "spin-began" => self.spins(at_ns, scene, ledger),
            "refused" if record.data.get("what") == Some(&json!("tumble")) => self.refuses(record, scene, ledger),
            "noted" => Self::noted(record, scene),
            _ => Answer::NotMine,
        }
    }

    fn begins(&self, record: &Record, scene: &Scene) -> Answer {
        let by_call = self.pressed(Line::PlaceBets, record.at_ns) && no_game(scene).is_none();
        let by_spin = self.pressed(Line::Tumble, record.at_ns) && self.refused(scene, record.at_ns).is_none();
        let rules = scene.config.rules.id();
        let says = json!({"rules": rules, "layout": self.layout});
        let next = self.last_round.is_none_or(|last| record.round == Some(last + 1));
        if scene.round.is_none() && (by_call || by_spin) && record.data == says && next {
            return must(BEGINS);
        }
        let (last, call, spin) = (self.last_round, no_game(scene), self.refused(scene, record.at_ns));
        Answer::Unexplained(BEGINS, format!("a press on a ready table; {says} after round {last:?}; {call:?} {spin:?}"))
    }

    fn called(&self, record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let call = record.data.get("call").and_then(Value::as_str).unwrap_or_default();
        let line = Line::named(&call.replace('-', "_")).unwrap_or(Line::Tumble);
        let turn = in_turn(call, scene, record.at_ns);
        let mut says = json!({"call": call, "in_turn": turn});
        if let (true, Some(remark), Some(fields)) = (turn, remark(call, scene), says.as_object_mut()) {
            fields.insert("remark".into(), remark.into());
        }
        let round = scene.round.as_ref().and_then(|round| round.id);
        let skipped = call == "place-bets" && scene.round.is_none() && no_game(scene).is_none();
        if self.acts(line, record.at_ns, ledger) && record.data == says && record.round == round && !skipped {
            return must(CALLED);
        }
        Answer::Unexplained(CALLED, format!("a press; {says} of round {round:?}"))
    }

    /// Whether the button acted at this moment; its press has then led to its record.
    fn acts(&self, line: Line, at_ns: u64, ledger: &mut Ledger) -> bool {
        let own = BUTTONS.into_iter().find(|(button, _)| *button == line);
        if let Some((_, own)) = own {
            ledger.meet(own, at_ns);
        }
        self.pressed(line, at_ns)
    }

    fn spins(&self, at_ns: u64, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let refused = self.refused(scene, at_ns);
        if self.acts(Line::Tumble, at_ns, ledger) && refused.is_none() && scene.round.is_some() {
            return must(SPINS);
        }
        Answer::Unexplained(SPINS, format!("a press that is granted; refused: {refused:?}"))
    }

    fn refuses(&self, record: &Record, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let at_ns = record.at_ns;
        let code = if self.dropped_ns == Some(at_ns) {
            let no_spin = self.presses.iter().any(|(line, at)| *line == Line::NoSpin && *at >= self.granted_ns);
            if no_spin { Some("no-spin-pressed") } else { self.equipment(scene, at_ns) }
        } else {
            self.refused(scene, at_ns).filter(|_| self.acts(Line::Tumble, at_ns, ledger))
        };
        let latched =
            |why: &str| scene.latched.iter().any(|(code, _)| why.starts_with(&format!("malfunction {code}:")));
        let why = record.data.get("why").and_then(Value::as_str).unwrap_or_default();
        let named = code != Some("malfunction") || latched(why);
        let round = scene.round.as_ref().and_then(|round| round.id);
        if code.is_some() && record.data.get("code").and_then(Value::as_str) == code && named && record.round == round {
            return must(REFUSED);
        }
        Answer::Unexplained(REFUSED, format!("{code:?} of round {round:?}, naming what is latched"))
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

    /// Takes the presses, and owes each of them its record.
    fn press(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        for (button, (line, own)) in self.buttons.iter_mut().zip(BUTTONS) {
            let edge = matches!(&seen.what, Seen::Wire { line: of, .. } if *of == line);
            button.take(seen, scene);
            if !edge || scene.tests_buttons() {
                continue;
            }
            // Until the contact breaks it is taken to be pressed; then it was not.
            self.presses.retain(|(of, at)| *of != line || *at <= seen.at_ns);
            ledger.unless(own, seen.at_ns);
            if let Some(due) = button.due(scene) {
                remember(&mut self.presses, MOST, (line, due));
                if !(line == Line::Tumble && scene.testing()) {
                    ledger.must(PRESSED, What::Own(own), due, due);
                }
            }
        }
    }
}

impl Section for Rounds {
    fn explain(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Record(record) => self.explain_record(record, scene, ledger),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        self.run.notice(seen, scene);
        self.press(seen, scene, ledger);
        let Seen::Record(record) = &seen.what else { return };
        self.last_round = self.last_round.max(record.round);
        match &record.fact {
            Fact::Started { layout, .. } => self.layout.clone_from(layout),
            Fact::Keyframe(keyframe) => self.last_round = self.last_round.max(Some(keyframe.last_round)),
            // From its beginning on the test of the buttons takes all presses.
            _ if record.kind == "test-began" && scene.tests_buttons() => {
                self.presses.retain(|(_, at)| *at <= record.at_ns);
                BUTTONS.into_iter().for_each(|(_, own)| ledger.unless(own, record.at_ns));
            }
            Fact::SpinBegan => self.granted_ns = record.at_ns,
            Fact::Plain if record.kind == "spin-dropped" => self.dropped_ns = Some(record.at_ns),
            _ => {}
        }
    }
}

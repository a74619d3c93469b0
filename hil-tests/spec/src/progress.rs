//! Progress: a sound table does what people lawfully ask of it, in time, and raises no false alarms. The other judges find what
//! must not happen; a table that never opens, never spins or never settles would break none of their rules.
//!
//! This judge speaks only about quiet stretches, in which nothing is broken or was just mended, nobody is asked anything and nobody
//! touches what he should not. By NZ 3.3(a), 4.2, 4.4, 5, 6.1 to 6.5 and 7.1, SGV6 1.7, 3.7, 3.8 and 5.4.2, SGOC 1.7 and 3.6 to
//! 3.8, and faults.md, No false alarms.

mod opening;
mod terminal;

use crate::config::Order;
use crate::disturbances::Disturbances;
use crate::judge::{Exercised, Findings, Judge};
use crate::latch::REPLACED_BY_EYE;
use crate::observation::{BusKind, Key, Line, Observation, Seen, Truth};
use crate::record::{Call, Fact, Record};
use crate::registers;
use crate::scene::{Round, Scene};
use opening::Opening;
use serde_json::Value;
use terminal::Terminal;

const NAME: &str = "progress";
pub(crate) const ALARM: &str = "faults.md, No false alarms: a sound table gives none";
pub(crate) const TESTS: &str = "NZ 5: a sound table passes its tests";
pub(crate) const OPENS: &str = "NZ 5: a table whose tests are right is opened";
pub(crate) const BEGINS: &str = "NZ 6.1, SGV6 1.7, SGOC 1.7: the dealer's call begins a round";
pub(crate) const CALLS: &str = "NZ 6.2, SGV6 3.7, SGOC 3.6: \"No more bets\" is called";
pub(crate) const SPINS: &str = "NZ 6.1, SGV6 3.7, SGOC 3.6: the tumbler is activated when the dealer does so in turn";
pub(crate) const ENDS: &str = "NZ 6.1, SGV6 3.7, SGOC 3.7: a spin of a sound tumbler ends, and is valid";
pub(crate) const OUTCOME: &str = "NZ 4.2, SGV6 3.8, SGOC 3.8: dice that lie flat after a valid spin are the outcome";
pub(crate) const DISPLAY: &str = "NZ 3.3(a)(iii): the display shows the last three numbers";
pub(crate) const ENTERS: &str = "NZ 3.3(a), 6.4: the numbers that the dealer enters are the result";
pub(crate) const SETTLES: &str = "NZ 4.4, 6.5: once the winners are paid the round is settled";
pub(crate) const SOUND: &str = "NZ 7.1, SGV6 5.4.2: no round is void by equipment that is sound";

const MS: u64 = 1_000_000;
/// The table has recognised a press by then.
const PRESSED_NS: u64 = 60 * MS;
/// A healthy contact has stopped bouncing by then.
const BOUNCE_NS: u64 = 10 * MS;
/// Nothing is expected before it has been quiet for this long.
const QUIET_NS: u64 = 6_000 * MS;
/// The slowest checks have noticed any trouble by then.
const ALARM_NS: u64 = 130_000 * MS;
/// A record that is due is on disk by then: a slow disk takes half a second for each.
const SOON_NS: u64 = 8_000 * MS;
/// A spin may take 8 s, and then the shaft coasts.
const SPIN_NS: u64 = 18_000 * MS;
/// An opening lights the areas of all results for 300 ms each, and spins the tumbler.
const OPENING_NS: u64 = 90_000 * MS;
/// The time for collecting and paying, with the polls around it (parameter `all_paid`).
const PAID_NS: u64 = 4_000 * MS;
/// Tests that depend on what a person does or says: the tumbler's begins by a press (design.md, Motion by command).
const PERSONS: [&str; 9] = ["tumbler", "deadman", "areas", "seal", "bell", "sign", "dice", "keys", "terminal"];

/// A rule by which a record is due, and by when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deadline {
    clause: &'static str,
    by_ns: u64,
}

/// Watches that a sound table does what it should.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    disturbances: Disturbances,
    deadlines: Vec<Deadline>,
    /// A button that went down when it was in turn, when, and the rule by which it must lead to a record.
    press: Option<(Line, u64, &'static str)>,
    opening: Option<Opening>,
    /// When a spin ended that is not valid. A daemon that is stopping ends a spin too, and is gone soon after.
    invalid_ns: Option<u64>,
    terminal: Terminal,
    /// When the lamps were verified.
    verified_ns: u64,
    /// The round whose outcome is expected, or established.
    outcome: Option<u64>,
    deadlines_met: u64,
    alarms: u64,
    tests: u64,
}

impl Judge for Progress {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        if !scene.config.given.alone {
            return;
        }
        if self.disturbances.observe(seen, scene) {
            self.deadlines.clear();
            self.press = None;
            self.opening = None;
            self.invalid_ns = None;
        }
        self.overdue(scene, findings);
        match &seen.what {
            Seen::Wire { .. } => self.wire(scene),
            Seen::ConsoleCommand { command, with, .. } => self.asked(command, with, scene),
            Seen::Truth(Truth::Pressed(key)) => self.key(*key, scene, findings),
            Seen::Bus(bus) if bus.unit == registers::TERMINAL && bus.kind == BusKind::WriteHolding && bus.ok => {
                self.terminal.display(bus);
            }
            Seen::Record(record) => self.record(record, scene, findings),
            _ => {}
        }
        self.pressed(scene);
        self.outcome_due(scene);
    }

    fn finish(&mut self, _at_ns: u64, scene: &Scene, findings: &mut Findings) {
        self.overdue(scene, findings);
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("what was due came", self.deadlines_met),
            ("malfunctions latched", self.alarms),
            ("tests that ended", self.tests),
        ]
    }
}

fn in_play(scene: &Scene) -> bool {
    scene.open == Some(true) && scene.latched.is_empty() && !scene.maintenance && !scene.testing()
}

/// Whether the round in progress may still be spun: nothing is latched but devices that the spin does not need (table.md, What
/// `tumble` is refused for).
fn may_still_spin(scene: &Scene) -> bool {
    let harmless = |(code, _): &(String, u64)| REPLACED_BY_EYE.contains(&code.as_str());
    scene.round.is_some() && !scene.testing() && scene.latched.iter().all(harmless)
}

impl Progress {
    fn expect(&mut self, clause: &'static str, scene: &Scene, within_ns: u64) {
        if scene.alive == Some(true) && !self.expects(clause) {
            self.deadlines.push(Deadline { clause, by_ns: scene.now_ns.saturating_add(within_ns) });
        }
    }

    fn expects(&self, clause: &str) -> bool {
        self.deadlines.iter().any(|due| due.clause == clause)
    }

    fn met(&mut self, clause: &str) {
        let before = self.deadlines.len();
        self.deadlines.retain(|due| due.clause != clause);
        self.deadlines_met += (before - self.deadlines.len()) as u64;
        // On a fast disk the record comes before the button is released.
        self.press = self.press.filter(|(_, _, leads_to)| *leads_to != clause);
    }

    fn overdue(&mut self, scene: &Scene, findings: &mut Findings) {
        while let Some(place) = self.deadlines.iter().position(|due| scene.now_ns > due.by_ns) {
            let due = self.deadlines.swap_remove(place);
            findings.note(NAME, scene.now_ns, due.clause, "nothing came of it, and nothing stood in its way");
        }
        if self.invalid_ns.take_if(|at| scene.now_ns > at.saturating_add(SOON_NS)).is_some() {
            findings.note(NAME, scene.now_ns, ENDS, "the spin was not valid, and nothing was out of order");
        }
    }

    fn quiet(&self, scene: &Scene) -> bool {
        self.disturbances.none_for(scene, QUIET_NS)
    }

    /// The round in progress, if nothing has been out of order since shortly before it began.
    fn quiet_round<'a>(&self, scene: &'a Scene) -> Option<&'a Round> {
        let round = scene.round.as_ref()?;
        self.disturbances
            .none_for(scene, scene.now_ns.saturating_sub(round.began_ns).saturating_add(QUIET_NS))
            .then_some(round)
    }

    fn wire(&mut self, scene: &Scene) {
        let Some((line, true)) = scene.edge else { return };
        let again = self.press.is_some_and(|(of, at, _)| of == line && scene.now_ns <= at.saturating_add(BOUNCE_NS));
        let in_play = in_play(scene) || line == Line::Tumble && may_still_spin(scene);
        if again || !self.quiet(scene) || !in_play || !self.deadlines.is_empty() {
            return;
        }
        let round = scene.round.as_ref();
        let clause = match (line, round) {
            (Line::PlaceBets, None) => BEGINS,
            (Line::NoMoreBets, Some(round)) if self.may_close(round, scene) => CALLS,
            (Line::Tumble, round) if self.may_spin(round, scene) => SPINS,
            _ => return,
        };
        self.press = Some((line, scene.now_ns, clause));
    }

    fn may_close(&self, round: &Round, scene: &Scene) -> bool {
        let spun = round.valid_spin || scene.rules().order() != Order::BeforeBets;
        spun && !round.called && !round.spinning && round.no_more_bets_ns.is_none_or(|at| at == scene.now_ns)
    }

    fn may_spin(&self, round: Option<&Round>, scene: &Scene) -> bool {
        let rests = scene.now_ns.saturating_sub(scene.moved_ns) > 3_000 * MS && scene.is(Line::MotorEnable, false);
        let covers = !scene.rules().covered()
            || scene.is(Line::DomeClosed, true)
                && scene.is(Line::DomeOpen, false)
                && scene.dome.is_none_or(|(open, since)| !open && scene.now_ns.saturating_sub(since) > 1_500 * MS);
        let turn = match scene.rules().order() {
            Order::BeforeBets => round.is_none(),
            Order::DuringBets => round.is_some_and(|round| round.spins == 0),
            Order::AfterBets => round.is_some_and(|round| round.spins == 0 && round.called),
        };
        rests && covers && turn
    }

    /// A button that stays down for long enough is pressed.
    fn pressed(&mut self, scene: &Scene) {
        let Some((line, at_ns, clause)) = self.press else { return };
        let (released, held) = (scene.edge == Some((line, false)), scene.now_ns >= at_ns.saturating_add(PRESSED_NS));
        if held {
            self.press = None;
            if released || scene.is(line, true) && scene.since(line) <= at_ns.saturating_add(BOUNCE_NS) {
                self.expect(clause, scene, SOON_NS);
            }
        } else if released && scene.now_ns > at_ns.saturating_add(BOUNCE_NS) {
            self.press = None;
        }
    }

    fn asked(&mut self, command: &str, with: &Value, scene: &Scene) {
        match command {
            "open" => {
                let undisturbed = self.disturbances.never_any() || self.quiet(scene);
                let new = || Opening::requested(with, undisturbed, PRESSED_NS, scene);
                self.opening.get_or_insert_with(new).count();
            }
            "witness" => {
                if let Some(opening) = &mut self.opening {
                    opening.witness(with);
                }
                self.opening_due(scene);
            }
            _ => {}
        }
    }

    /// Once people have done everything that is asked of them, the table opens.
    fn opening_due(&mut self, scene: &Scene) {
        if self.opening.as_ref().is_some_and(|opening| opening.is_complete(scene)) {
            self.expect(OPENS, scene, OPENING_NS);
        }
    }

    fn key(&mut self, key: Key, scene: &Scene, findings: &mut Findings) {
        if let Some(opening) = &mut self.opening {
            opening.key(key);
            self.opening_due(scene);
        }
        self.terminal.key(key, scene.now_ns);
        if key != Key::Entry || !in_play(scene) {
            return;
        }
        let Some(round) = self.quiet_round(scene) else { return };
        if round.result.is_none() && self.terminal.keyed_the_dice(round, scene) {
            if let Some(error) = self.terminal.display_error() {
                findings.note(NAME, scene.now_ns, DISPLAY, error);
            }
            self.expect(ENTERS, scene, SOON_NS);
        }
        let paid_ns = self.verified_ns.saturating_add(PAID_NS);
        if round.verified && self.terminal.only_entry_since(self.verified_ns) && scene.now_ns > paid_ns {
            self.expect(SETTLES, scene, SOON_NS);
        }
    }

    fn outcome_due(&mut self, scene: &Scene) {
        let Some(round) = scene.round.as_ref() else { return };
        if self.outcome == Some(round.began_ns) || !round.valid_spin || !round.called || !round.could_see {
            return;
        }
        let away = !scene.rules().covered() || scene.dome.is_some_and(|(open, _)| open) && scene.dome_contacts_open();
        let flat = scene.dice.is_some_and(|(_, flat)| flat == [true; 3]);
        if away && flat && in_play(scene) && self.quiet_round(scene).is_some() {
            self.outcome = Some(round.began_ns);
            let here = if scene.config.given.reader { round.established } else { round.revealed };
            if !here {
                self.expect(OUTCOME, scene, SOON_NS);
            }
        }
    }

    fn record(&mut self, record: &Record, scene: &Scene, findings: &mut Findings) {
        let mut note = |clause, what: String| findings.note(NAME, scene.now_ns, clause, what);
        match &record.fact {
            Fact::Latched { code } => {
                self.alarms += 1;
                if scene.config.given.sound || self.disturbances.none_for(scene, ALARM_NS) {
                    note(ALARM, format!("`{code}` is latched, and nothing was out of order"));
                }
            }
            Fact::Tested { test, passed } => {
                self.tests += 1;
                let lawful = self.opening.as_ref().is_some_and(Opening::is_lawful);
                // Where no reader is fitted, the test of the dice depends on a person.
                let persons = PERSONS.contains(&test.as_str()) && !(test == "dice" && scene.config.given.reader);
                if !passed && (scene.config.given.sound || lawful && !persons) {
                    note(TESTS, format!("the test `{test}` failed, and nothing is out of order"));
                }
                self.opening = self.opening.take().filter(|_| *passed);
            }
            Fact::Opened { .. } => {
                self.met(OPENS);
                self.opening = None;
            }
            Fact::Closed | Fact::Maintenance { .. } => self.opening = None,
            Fact::RoundBegan { .. } => {
                self.met(BEGINS);
                self.terminal.clear();
            }
            Fact::Called { call: Call::NoMoreBets, .. } => self.met(CALLS),
            Fact::SpinBegan => {
                self.met(SPINS);
                if self.quiet(scene) {
                    self.expect(ENDS, scene, SPIN_NS);
                }
            }
            Fact::SpinEnded { valid, .. } => {
                self.invalid_ns = (self.expects(ENDS) && !valid).then_some(scene.now_ns);
                self.met(ENDS);
            }
            Fact::Revealed { .. } => {
                self.terminal.revealed(scene.now_ns);
                if !scene.config.given.reader {
                    self.met(OUTCOME);
                }
            }
            Fact::Established { .. } => {
                self.met(OUTCOME);
                self.terminal.revealed(scene.now_ns);
            }
            Fact::Result { .. } => self.met(ENTERS),
            Fact::LampsVerified => self.verified_ns = scene.now_ns,
            Fact::Settled { .. } => {
                self.met(SETTLES);
                self.deadlines.clear();
            }
            Fact::Voided { reason, .. } => {
                self.deadlines.clear();
                let began = scene.last.as_ref().filter(|_| scene.ended).map(|round| round.began_ns);
                let sound = began.is_some_and(|began| {
                    self.disturbances.none_for(scene, scene.now_ns.saturating_sub(began).saturating_add(QUIET_NS))
                });
                if scene.config.given.sound {
                    note(SOUND, format!("void as `{reason}` at a sound table where everybody does right"));
                } else if sound
                    && matches!(reason.as_str(), "equipment" | "interruption" | "damaged-dice" | "supervisor")
                {
                    note(SOUND, format!("void as `{reason}`, and nothing was out of order"));
                }
            }
            Fact::Plain if record.kind == "hardware-tested" => {
                self.tests += 1;
                // The measurements of a worn key or a noisy bus may be out of limits. A test that does not get that far is no
                // noise.
                let fails = record.data.get("found").is_some();
                if fails && scene.config.given.sound {
                    note(TESTS, format!("a hardware test failed at a sound table: {}", record.data));
                }
            }
            Fact::Plain if record.kind == "refused" && record.data.get("what").is_some_and(|what| what == "open") => {
                if self.opening.as_ref().is_some_and(Opening::is_first_and_lawful) {
                    note(OPENS, format!("refused: {}, and nothing stands in its way", record.data));
                }
                self.opening = None;
                self.met(OPENS);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;

//! Rounds: each begins once and ends once, in the order of play of its rule set. None is settled against the truth, and none is
//! void for something that did not happen. `order` judges by NZ 6.1 and 6.3, SGV6 1.7 and 3.7, SGOC 1.7, 3.6 and 3.7, SGOC-early
//! 3.1 and 3.4; `ending` by NZ 4.4, 4.9, 6.2, 7.1 and 7.3, SGV6 and SGOC 5.4, 5.5 and 5.10, and SGOC-early 5.1.

mod ending;
mod order;

use crate::areas::sorted;
use crate::config::Rules;
use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{BusKind, Key, Line, Observation, Part, Seen, Truth};
use crate::record::{Fact, Record};
use crate::registers;
use crate::scene::{Round, Scene};

const NAME: &str = "rounds";

/// Quarter turns of three tumbles.
const THREE_TUMBLES: i64 = 12;
/// A healthy button has stopped bouncing by then.
const BOUNCE_NS: u64 = 8_000_000;

/// If the motor goes on again within this time, a flicker had cut it.
const AGAIN_NS: u64 = 200_000_000;

/// Watches the rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// Position of the shaft when the motor went on, other than after a flicker, and when it last went off.
    on_shaft: Option<i64>,
    off_ns: u64,
    facts: Facts,
    /// Whether a round is in progress, by this judge's own account.
    in_progress: bool,
    /// A round was in progress when watching began. It is not judged, and may end once.
    began_before: bool,
    last_id: Option<u64>,
    /// When the last round ended, by its record's own time.
    ended_at_ns: u64,
    place_bets_ns: Option<u64>,
    tumble_ns: Option<u64>,
    /// When `tumble` was pressed since the last round ended.
    tumbles_pressed: Vec<u64>,
    count: Counts,
}

/// How often rules had something to judge.
#[derive(Clone, Debug, Default)]
struct Counts {
    began: u64,
    settled: u64,
    voided: u64,
    established: u64,
    tumbles: u64,
    dice: u64,
    keyed: u64,
    claims: u64,
    due: u64,
    interrupted: u64,
    bells: u64,
}

/// Dice at rest: their faces, and which of them are flat.
type AtRest = ([u8; 3], [bool; 3]);

/// What really happened in this round, by wires and truth.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// The motor was switched on for a spin of this round.
    activated: bool,
    /// Position of the shaft when the motor went on for the spin.
    spin_base: Option<i64>,
    /// How far the shaft turned in the spin, at most, in quarter turns.
    turned: i64,
    /// The same when the motor went off last.
    turned_at_off: i64,
    /// Position of the shaft when the round began.
    base: Option<i64>,
    /// How far it moved before "No more bets", at most.
    moved_early: i64,
    /// It moved while the button "No more bets" was pressed and not yet debounced.
    moved_in_call: bool,
    /// Whether the faces are on record, and which they are.
    faces_read: bool,
    read: Option<[u8; 3]>,
    /// "Place your bets" was called in turn.
    opened: bool,
    /// Time of the record in which the table noted that the spin comes after "Place your bets".
    late_spin_ns: Option<u64>,
    away_since: Option<u64>,
    /// By the contacts, the dice were exposed before "No more bets" for long enough.
    exposed: bool,
    /// The dome was away at some time in this round, by a contact or in truth.
    lifted: bool,
    /// How the dice have lain since the spin, with the times, the latest last.
    rests: Vec<(u64, AtRest)>,
    /// The faces of the dice when they were read, and when the outcome was established.
    first_seen: [Option<[u8; 3]>; 2],
    digits: [u8; 3],
    digits_pressed: u32,
    /// The last three digits at each press of Entry, with its time.
    entered: Vec<(u64, [u8; 3])>,
    /// The dice that the supervisor named to settle by.
    named: Option<[u8; 3]>,
    /// The daemon restarted before the outcome was established.
    restarted: bool,
    bell: bool,
    /// Since when the round has to be void, and why.
    due: Option<(u64, &'static str)>,
}

impl Facts {
    /// How the dice lie.
    fn at_rest(&self) -> Option<AtRest> {
        self.rests.last().map(|(_, lie)| *lie)
    }

    /// Forgets what came after this time: dice that a hand moved while a record was being written lay differently when it was made.
    fn as_they_lay(&mut self, at_ns: u64) {
        self.rests.retain(|(since_ns, _)| *since_ns <= at_ns);
    }
}

impl Judge for Rounds {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        match &seen.what {
            Seen::Wire { .. } => self.wire(scene),
            Seen::Truth(truth) => self.truth(*truth, scene),
            Seen::Bus(bus) => {
                let faces = bus.unit == registers::READER
                    && bus.kind == BusKind::ReadInput
                    && bus.touches(registers::FACES_FIRST, registers::FACES_LAST);
                let rest = self.facts.at_rest();
                if let ([first, _], true) = (&mut self.facts.first_seen, faces) {
                    *first = first.or(rest.map(|(faces, _)| sorted(faces)));
                }
            }
            Seen::InitialState { in_round, .. } => self.began_before = *in_round,
            Seen::Record(record) => self.record(record, scene, findings),
            // The supervisor says what the dice show, whatever was keyed.
            Seen::ConsoleCommand { command, with, .. } if command == "settle" || command == "amend" => {
                self.facts.named =
                    serde_json::from_value(with.get("dice").cloned().unwrap_or_default()).ok().map(sorted);
            }
            _ => {}
        }
        self.exposure(scene);
    }

    fn finish(&mut self, at_ns: u64, scene: &Scene, findings: &mut Findings) {
        self.overdue(at_ns, scene, findings);
    }

    fn exercised(&self) -> Vec<Exercised> {
        let Counts { began, settled, voided, established, tumbles, dice, keyed, claims, due, interrupted, bells } =
            self.count;
        vec![
            ("rounds begun", began),
            ("rounds settled", settled),
            ("rounds void", voided),
            ("outcomes established", established),
            ("settled rounds whose true tumbles are known", tumbles),
            ("results compared with the true dice", dice),
            ("results compared with the keys pressed", keyed),
            ("void reasons compared with the truth", claims),
            ("rounds that had to be void", due),
            ("rounds interrupted", interrupted),
            ("bells at \"No more bets\"", bells),
        ]
    }
}

impl Rounds {
    fn wire(&mut self, scene: &Scene) {
        let Some((line, active)) = scene.edge else { return };
        if (line, active) == (Line::MotorEnable, true) {
            self.facts.activated |= scene.round.as_ref().is_some_and(|round| round.spinning);
            if scene.round.is_none() {
                // The press that a test's spin began by is for no round.
                self.tumbles_pressed.clear();
            }
        }
        match (line, active) {
            (Line::PlaceBets, true) => self.place_bets_ns = Some(scene.now_ns),
            (Line::Tumble, true) => {
                self.tumble_ns = Some(scene.now_ns);
                self.tumbles_pressed.push(scene.now_ns);
            }
            (Line::Bell, true) => {
                self.count.bells += u64::from(!self.facts.bell && scene.round.is_some());
                self.facts.bell = true;
            }
            (Line::MotorEnable, true)
                if scene.round.as_ref().is_some_and(|round| round.spinning) && self.facts.spin_base.is_none() =>
            {
                // After a flicker the motor goes on again. The spin began earlier, perhaps before its record was seen.
                let again = scene.now_ns.saturating_sub(self.off_ns) <= AGAIN_NS;
                self.facts.spin_base = if again { self.on_shaft } else { scene.shaft };
                self.on_shaft = self.facts.spin_base;
                self.facts.turned = 0;
                self.facts.rests.clear();
            }
            (Line::MotorEnable, true) if scene.now_ns.saturating_sub(self.off_ns) > AGAIN_NS => {
                self.on_shaft = scene.shaft
            }
            (Line::MotorEnable, false) => {
                self.facts.turned_at_off = self.facts.turned;
                self.off_ns = scene.now_ns;
            }
            (Line::NoMoreBets, true) => {
                // NZ 7.1(d): no tumbler was activated for this game.
                let never = scene.round.as_ref().is_some_and(|round| {
                    round.spins == 0 && round.covered() && round.rules.is_some_and(order::spins_first)
                });
                if never {
                    self.set_due(scene.now_ns, scene, "never-activated");
                }
            }
            (Line::NoMoreBets, false) => {
                // A contact that closes for less than the debounce time was not pressed.
                let debounce_ns = scene.config.given.limits.button_debounce_ns;
                self.facts.due.take_if(|(since_ns, why)| {
                    *why == "never-activated" && scene.now_ns < since_ns.saturating_add(debounce_ns)
                });
            }
            _ => {}
        }
        self.facts.lifted |= scene.is(Line::DomeOpen, true) || scene.is(Line::DomeClosed, false);
    }

    fn truth(&mut self, truth: Truth, scene: &Scene) {
        let facts = &mut self.facts;
        match truth {
            Truth::Shaft { quarters } => {
                if let Some(base) = facts.spin_base {
                    facts.turned = facts.turned.max(quarters.saturating_sub(base));
                }
                let Some(round) = &scene.round else { return };
                // A button that bounces is debounced that much later.
                let debounced_ns = scene.config.given.limits.button_debounce_ns.saturating_add(BOUNCE_NS);
                // The first edge of a chattering button need not have been the call.
                let chatter = scene.broken(Part::Buttons) && round.spins == 0;
                facts.moved_in_call |= round
                    .no_more_bets_ns
                    .is_some_and(|call| chatter || scene.now_ns <= call.saturating_add(debounced_ns));
                if let (Some(base), None) = (facts.base, round.no_more_bets_ns) {
                    facts.moved_early = facts.moved_early.max(quarters.saturating_sub(base).abs());
                    // One whole tumble: less may be the shaft coming to rest.
                    if !round.covered() && facts.moved_early >= 4 && !scene.broken(Part::Cam) {
                        self.set_due(scene.now_ns, scene, "activated-early");
                    }
                }
            }
            Truth::Dome { open } => facts.lifted |= open,
            Truth::Dice { faces, flat } => {
                // Once the outcome is established the dice count as they were first seen, whoever moves them.
                let spun = scene.round.as_ref().is_some_and(|round| round.spins > 0 && !round.established);
                if spun && facts.at_rest() != Some((faces, flat)) {
                    facts.rests.push((scene.now_ns, (faces, flat)));
                }
            }
            Truth::Pressed(Key::Digit(digit)) if scene.round.as_ref().is_some_and(|round| round.could_see) => {
                let [_, second, third] = facts.digits;
                facts.digits = [second, third, digit];
                facts.digits_pressed = facts.digits_pressed.saturating_add(1);
            }
            Truth::Pressed(Key::Entry) => {
                if facts.digits_pressed >= 3 {
                    facts.entered.push((scene.now_ns, sorted(facts.digits)));
                }
                facts.digits_pressed = 0;
            }
            Truth::Process { alive: true } => {
                if let Some(round) = &scene.round {
                    self.count.interrupted += 1;
                    // New Zealand's text and the early edition have no void for a controller that was away before the spin.
                    let voids = matches!(round.rules, Some(Rules::SgV6 | Rules::SgOpen));
                    facts.restarted |= !round.established && (voids || round.spins > 0);
                }
            }
            _ => {}
        }
    }

    /// The dice are exposed before "No more bets", by both contacts (NZ 7.1(c), SGV6 5.5.3).
    fn exposure(&mut self, scene: &Scene) {
        let facts = &mut self.facts;
        if !scene.dome_contacts_open() {
            facts.away_since = None;
            return;
        }
        let since = *facts.away_since.get_or_insert(scene.now_ns);
        let Some(round) = &scene.round else { return };
        // A spin that was granted, and refused when the guards were checked again, threw no dice.
        let refused = scene.level(Line::MotorEnable).is_some() && !facts.activated;
        if facts.exposed || !round.covered() || round.spins == 0 || refused {
            return;
        }
        let limits = &scene.config.given.limits;
        // A call that was pressed before this moment may have come in time; one pressed after it cannot.
        let since = since.max(round.began_ns).saturating_add(limits.dome_debounce_ns);
        if scene.now_ns >= since && round.no_more_bets_ns.is_none_or(|call| call >= since) {
            facts.exposed = true;
            self.set_due(since, scene, "exposed");
        }
    }

    fn set_due(&mut self, since_ns: u64, scene: &Scene, why: &'static str) {
        if self.facts.due.is_none() && scene.round.as_ref().is_some_and(|round| !round.established) {
            self.facts.due = Some((since_ns, why));
            self.count.due += 1;
        }
    }

    fn record(&mut self, record: &Record, scene: &Scene, findings: &mut Findings) {
        if let (Fact::Keyframe(keyframe), true, None) = (&record.fact, self.in_progress, &scene.round) {
            // The new journal has lost this round. The next one is numbered by what the slot has kept.
            self.in_progress = false;
            self.last_id = Some(keyframe.last_round);
        }
        if scene.began {
            if core::mem::take(&mut self.began_before) {
                findings.note(
                    NAME,
                    scene.now_ns,
                    order::ONCE,
                    format!("record {} begins a round in another", record.seq),
                );
            }
            self.count.began += 1;
            self.begins(record, scene, findings);
            self.in_progress = true;
            self.last_id = record.round.or(self.last_id);
            // The shaft may have turned since the round began, while its first record was being written.
            let moved_early = i64::from(scene.shaft.is_some() && scene.moved_ns >= record.at_ns);
            let away_since = self.facts.away_since;
            self.facts = Facts { base: scene.shaft, moved_early, away_since, ..Facts::default() };
            return;
        }
        if let Fact::Settled { .. } | Fact::Voided { .. } = record.fact {
            if core::mem::take(&mut self.began_before) && !self.in_progress {
                self.ended_at_ns = record.at_ns;
                return;
            }
            if !self.in_progress || !scene.ended {
                findings.note(NAME, scene.now_ns, order::ONCE, format!("record {} ends no round", record.seq));
            } else if let Some(round) = &scene.last {
                self.facts.as_they_lay(record.at_ns);
                self.ends(record, round, scene, findings);
            }
            self.in_progress = false;
            self.ended_at_ns = record.at_ns;
            // On a slow disk the press for the next round comes before this ending is durable.
            let since_ns = self.ended_at_ns.saturating_sub(scene.config.given.limits.button_debounce_ns);
            self.tumbles_pressed.retain(|at| *at >= since_ns);
            return;
        }
        if let Some(round) = &scene.round {
            if let Fact::Established { .. } = record.fact {
                self.facts.as_they_lay(record.at_ns);
                let [first, _] = self.facts.first_seen;
                self.facts.first_seen = [first, self.facts.at_rest().map(|(faces, _)| sorted(faces))];
            }
            self.goes_on(record, round, scene, findings);
        }
    }

    /// True tumbles of this round's spin, in quarter turns, where they are known.
    fn true_quarters(&self) -> Option<i64> {
        self.facts.spin_base.map(|_| self.facts.turned)
    }

    /// Whether the table's reading of the dice can be compared with the truth.
    fn reader_sound(scene: &Scene, round: &Round) -> bool {
        scene.config.given.reader
            && ![Part::Reader, Part::Dice, Part::Bus].into_iter().any(|part| round.was_broken(part))
    }
}

#[cfg(test)]
mod tests;

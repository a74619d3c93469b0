//! The order of play, record by record (NZ 3.3, 4.2, 6.1, 6.3 and 7.1(a); SGV6 1.7, 3.7, 3.8 and 5.5.3; SGOC 1.7 and 3.6 to 3.8;
//! SGOC-early 3.1, 3.4 and 3.5; SGV6 and SGOC 5.4).

use super::{NAME, Rounds};
use crate::areas::sorted;
use crate::config::{Order, Rules};
use crate::judge::Findings;
use crate::observation::{Line, Part};
use crate::record::{Call, Fact, Record};
use crate::scene::{Round, Scene};

pub(super) const ONCE: &str = "rounds: each begins once and ends exactly once";
pub(super) const NUMBERS: &str = "rounds: numbered without gaps";
pub(super) const OPENS: &str = "NZ 6.1, SGV6 1.7, SGOC 1.7, SGOC-early 3.1: what begins a round";
pub(super) const KEEPS: &str = "rounds: a round has the rule set in force when it begins";
pub(super) const SPIN_ORDER: &str = "NZ 6.1, SGV6 3.7, SGOC 3.6 and 3.7: when the tumbler is activated";
pub(super) const REMARKS: &str = "NZ 6.1: what is out of order of play is said beside the call, and nothing else is";
pub(super) const STOPPED: &str = "table.md: a daemon that is stopped in order has written what it counted of a spin";
pub(super) const ONE_SPIN: &str = "rounds: one valid spin a round, at one press each";
pub(super) const STEPS: &str = "NZ 6.1, SGV6 5.5.1, table.md: the record of a spin has the steps that its cam made";
pub(super) const THREE: &str = "NZ 6.1, SGV6 3.7, SGOC 3.7, SGOC-early 3.4: at least three tumbles";
pub(super) const REVEAL: &str = "NZ 6.3, SGV6 5.5.3: dice are uncovered after \"No more bets\"";
pub(super) const ESTABLISHED: &str =
    "established: a valid spin, \"No more bets\", a lawful reveal, and dice that lie flat";
pub(super) const FLAT: &str = "NZ 7.1(a), SGV6 3.8, SGOC 3.8, SGOC-early 3.5: the dice must lie flat";
pub(super) const DICE: &str = "NZ 4.2, SGV6 3.8: the result is what the dice show";
pub(super) const KEYED: &str = "NZ 3.3(a)(iii): the result is the last three numbers pressed";
pub(super) const INTERRUPTED: &str =
    "SGV6 5.4, SGOC 5.4: interrupted with no outcome, a round is void; where only people can know, a person says";

/// New Zealand's order: the dice are spun before bets are placed.
pub(super) fn spins_first(rules: Rules) -> bool {
    rules.order() == Order::BeforeBets
}

impl Rounds {
    pub(super) fn begins(&self, record: &Record, scene: &Scene, findings: &mut Findings) {
        let Some(round) = &scene.round else { return };
        if self.in_progress {
            findings.note(NAME, scene.now_ns, ONCE, format!("record {}: the round before has not ended", record.seq));
        }
        match (self.last_id, round.id) {
            (Some(last), Some(id)) if id != last + 1 => {
                findings.note(NAME, scene.now_ns, NUMBERS, format!("round {id} follows round {last}"));
            }
            (_, None) => findings.note(NAME, scene.now_ns, NUMBERS, format!("record {} names no round", record.seq)),
            _ => {}
        }
        let Some(rules) = round.rules.filter(|rules| *rules == scene.config.rules) else {
            let text = format!("round {:?} begins under `{}`", round.id, round.layout);
            findings.note(NAME, scene.now_ns, KEEPS, text);
            return;
        };
        // A press counts once it is debounced. Its edge may lie in the round before.
        let ended_ns = self.ended_at_ns.saturating_sub(scene.config.given.limits.button_debounce_ns);
        let pressed = |at: Option<u64>| at.is_some_and(|at| at >= ended_ns);
        let called = pressed(self.place_bets_ns) || scene.level(Line::PlaceBets).is_none();
        let asked = pressed(self.tumble_ns) || scene.level(Line::Tumble).is_none();
        if !(called || spins_first(rules) && asked) {
            let text = format!("round {:?} begins, and no button asked for it", round.id);
            findings.note(NAME, scene.now_ns, OPENS, text);
        }
    }

    pub(super) fn goes_on(&mut self, record: &Record, round: &Round, scene: &Scene, findings: &mut Findings) {
        let at_ns = scene.now_ns;
        match &record.fact {
            Fact::SpinBegan => {
                // Of two buttons at the same moment the one that chatters is debounced later: this call comes after the spin.
                let called_ns = at_ns.saturating_sub(scene.config.given.limits.button_debounce_ns + super::BOUNCE_NS);
                self.facts.due.take_if(|(since_ns, why)| *why == "never-activated" && *since_ns >= called_ns);
                self.spins(round, scene, findings);
                let late = self.facts.opened && round.rules.is_some_and(spins_first);
                self.remarks(late, self.facts.late_spin_ns == Some(record.at_ns), scene, findings);
            }
            Fact::Called { call, in_turn: true } => {
                let said = record.data.get("remark").is_some_and(|remark| !remark.is_null());
                if let Some(due) = self.out_of_order(*call, round) {
                    self.remarks(due, said, scene, findings);
                }
                self.facts.opened |= *call == Call::PlaceBets;
            }
            Fact::Plain
                if record.kind == "noted" && record.data.get("kind").is_some_and(|kind| kind == "late-spin") =>
            {
                self.facts.late_spin_ns = Some(record.at_ns);
            }
            Fact::SpinMade if self.true_quarters().is_some_and(|turned| turned < super::THREE_TUMBLES) => {
                let text =
                    format!("three tumbles are written down after {:?} true quarter turns", self.true_quarters());
                findings.note(NAME, at_ns, THREE, text);
            }
            // A spin of which people are asked was lost: it has none.
            Fact::Stopped if round.spinning && round.asked.is_none() => {
                findings.note(NAME, at_ns, STOPPED, "stopped, and the spin has no end");
            }
            Fact::SpinEnded { tumbles, valid, steps } => {
                let turned = self.true_quarters();
                if *valid && (*tumbles < 3 || turned.is_some_and(|turned| turned < super::THREE_TUMBLES)) {
                    let text = format!("a spin of {tumbles} counted, {turned:?} true quarter turns is valid");
                    findings.note(NAME, at_ns, THREE, text);
                }
                // A sound cam makes one step in each quarter turn, and one more if it stood at an edge.
                let sound = ![Part::Cam, Part::Gpio].into_iter().any(|part| round.was_broken(part));
                if sound && turned.is_some_and(|turned| *steps > turned.saturating_add(1)) {
                    findings.note(
                        NAME,
                        at_ns,
                        STEPS,
                        format!("{steps} steps recorded for {turned:?} true quarter turns"),
                    );
                }
            }
            Fact::Revealed { .. } => {
                let watched = scene.level(Line::DomeOpen).is_some() || !round.covered();
                // A cam that breaks in the spin adds or hides steps: nothing shows the table that the shaft still coasts.
                let blind = !round.covered() && [Part::Cam, Part::Gpio].into_iter().any(|part| round.was_broken(part));
                if watched && !round.could_see && !blind {
                    findings.note(NAME, at_ns, REVEAL, "revealed, though the dice could not lawfully be seen yet");
                }
            }
            Fact::Established { flat } => {
                self.count.established += 1;
                self.establishes(flat == "reader", round, scene, findings);
            }
            Fact::FacesRead => {
                self.facts.faces_read = true;
                self.facts.read =
                    serde_json::from_value(record.data.get("dice").cloned().unwrap_or_default()).ok().map(sorted);
            }
            // A person who was asked says that the dice lie as they lay. Without a valid spin there was nothing to ask.
            Fact::Answered { finding, .. } if finding == "undisturbed" => {
                if !round.valid_spin {
                    findings.note(NAME, at_ns, INTERRUPTED, "a round without a valid spin goes on by a person's word");
                }
                self.facts.restarted = false;
            }
            Fact::Result { dice, .. } => self.results(sorted(*dice), record.at_ns, round, scene, findings),
            Fact::Amended { .. } | Fact::LampsVerified if round.result.is_none() => {
                findings.note(NAME, at_ns, ESTABLISHED, format!("`{}` before a result", record.kind));
            }
            _ => {}
        }
    }

    /// Whether the call comes before something that the order of play puts first (NZ 6.1); `None` if a spin was granted that may
    /// not have run.
    fn out_of_order(&self, call: Call, round: &Round) -> Option<bool> {
        let spins_first = round.rules.is_some_and(spins_first);
        match call {
            Call::PlaceBets if spins_first && round.spins > 0 => self.facts.activated.then_some(false),
            Call::PlaceBets => Some(spins_first),
            Call::NoMoreBets => Some(!self.facts.opened),
            Call::NoSpin => Some(false),
        }
    }

    fn remarks(&self, due: bool, said: bool, scene: &Scene, findings: &mut Findings) {
        if due != said {
            let text =
                if due { "nothing is said of what is out of order" } else { "said to be out of order, and is not" };
            findings.note(NAME, scene.now_ns, REMARKS, text);
        }
    }

    fn spins(&self, round: &Round, scene: &Scene, findings: &mut Findings) {
        let closed = round.called;
        let wrong = match round.rules.map(Rules::order) {
            Some(Order::BeforeBets) => closed.then_some("after \"No more bets\""),
            Some(Order::AfterBets) => (!closed).then_some("before \"No more bets\""),
            Some(Order::DuringBets) | None => None,
        };
        if let Some(wrong) = wrong {
            findings.note(NAME, scene.now_ns, SPIN_ORDER, format!("a spin began {wrong}"));
        }
        let watched = scene.level(Line::Tumble).is_some();
        if round.valid_spin || watched && round.spins as usize > self.tumbles_pressed.len() {
            let text = format!(
                "spin {} at {} presses, a valid one before: {}",
                round.spins,
                self.tumbles_pressed.len(),
                round.valid_spin
            );
            findings.note(NAME, scene.now_ns, ONE_SPIN, text);
        }
        if self.facts.restarted {
            findings.note(NAME, scene.now_ns, INTERRUPTED, "a spin began after the interruption");
        }
    }

    fn establishes(&self, by_reader: bool, round: &Round, scene: &Scene, findings: &mut Findings) {
        let missing = if !round.valid_spin {
            Some("a valid spin")
        } else if !round.called {
            Some("\"No more bets\"")
        } else if !round.revealed || !round.could_see {
            Some("a lawful reveal")
        } else {
            None
        };
        if let Some(missing) = missing {
            findings.note(NAME, scene.now_ns, ESTABLISHED, format!("the outcome is established without {missing}"));
        }
        if self.facts.restarted {
            findings.note(NAME, scene.now_ns, INTERRUPTED, "an outcome is established after the interruption");
        }
        if by_reader && Self::reader_sound(scene, round) {
            if let Some((_, flat)) = self.facts.at_rest().filter(|(_, flat)| flat.contains(&false)) {
                findings.note(NAME, scene.now_ns, FLAT, format!("established, though flat are {flat:?}"));
            }
        }
    }

    fn results(&mut self, dice: [u8; 3], made_ns: u64, round: &Round, scene: &Scene, findings: &mut Findings) {
        if !round.established {
            findings.note(NAME, scene.now_ns, ESTABLISHED, "a result without an established outcome");
        }
        if round.amended || round.decided {
            // A person's eyes decided, against the keys or the reader.
            return;
        }
        if let Some(read) = self.facts.read.filter(|read| *read != dice) {
            let text = format!("the result is {dice:?}, and the reader read {read:?}");
            findings.note(NAME, scene.now_ns, DICE, text);
        }
        // If the dice were moved before their faces were read, the dealer's eye decides.
        let unread = scene.is_latched("interference") && !self.facts.faces_read;
        if round.flat_by == "reader" && Self::reader_sound(scene, round) && !unread {
            let mut seen = self.facts.first_seen.iter().flatten().peekable();
            if seen.peek().is_some() {
                self.count.dice += 1;
                if !seen.any(|shown| *shown == dice) {
                    let text = format!("the result is {dice:?}, the dice showed {:?}", self.facts.first_seen);
                    findings.note(NAME, scene.now_ns, DICE, text);
                }
            }
        }
        let sound = !round.was_broken(Part::Terminal);
        let said = self.facts.named == Some(dice);
        // On a slow disk the dealer may have keyed more by the time the record is seen.
        let before = self.facts.entered.iter().rfind(|(pressed_ns, _)| *pressed_ns <= made_ns);
        let entered = before.map(|(_, digits)| *digits);
        if let (Some(entered), true, false) = (entered, sound, round.interrupted || said) {
            self.count.keyed += 1;
            if entered != dice {
                let text = format!("the result is {dice:?}, the last three keys were {entered:?}");
                findings.note(NAME, scene.now_ns, KEYED, text);
            }
        }
    }
}

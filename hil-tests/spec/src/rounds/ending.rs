//! How a round ends, compared with what really happened (NZ 4.4, 4.9, 6.2, 7.1 and 7.3; SGV6 and SGOC 5.4, 5.5 and 5.10;
//! SGOC-early 5.1).

use super::order::{DICE, ESTABLISHED, FLAT, INTERRUPTED, THREE, spins_first};
use super::{NAME, Rounds, THREE_TUMBLES};
use crate::areas::{Family, sorted};
use crate::config::Order;
use crate::judge::Findings;
use crate::observation::{Line, Part};
use crate::record::{Fact, Record};
use crate::scene::{Round, Scene};

pub(super) const STANDS: &str =
    "established: nothing voids the round but damaged dice, and not those under New Zealand (4.9)";
pub(super) const PAID: &str = "NZ 4.4: a round is settled when the winners are paid";
pub(super) const MUST_BE_VOID: &str = "NZ 7.1, SGV6 5.5, SGOC 5.5, SGOC-early 5.1: the round is void";
pub(super) const FALSE_CLAIM: &str = "rounds: void only for what really happened";
pub(super) const LAMPS: &str = "NZ 7.3, SGV6 5.10: settled by the dice where the lamps were not proved, and said so";
pub(super) const BELL: &str = "NZ 6.2: the bell is rung with \"No more bets\"";

/// Longest time from the fact to the void ending: the shaft coasts, the dice come to rest, a slow disk writes.
const DUE_NS: u64 = 30_000_000_000;

impl Rounds {
    pub(super) fn ends(&mut self, record: &Record, round: &Round, scene: &Scene, findings: &mut Findings) {
        match &record.fact {
            Fact::Settled { dice, by, .. } => {
                self.count.settled += 1;
                self.settles(sorted(*dice), by.is_some(), round, scene, findings);
                let stated = record.data.get("lamps").and_then(|lamps| lamps.as_str());
                let sound = !round.interrupted && !round.was_broken(Part::Lamps) && !scene.is_latched("lamps");
                if stated == Some("proved") && !round.verified
                    || stated == Some("by-the-dice") && round.verified && sound
                {
                    let text = format!("settled, its lamps {stated:?}, and verified: {}", round.verified);
                    findings.note(NAME, scene.now_ns, LAMPS, text);
                }
            }
            Fact::Voided { reason, .. } => {
                self.count.voided += 1;
                self.voids(reason, round, scene, findings);
            }
            _ => {}
        }
    }

    fn settles(&mut self, dice: [u8; 3], by_person: bool, round: &Round, scene: &Scene, findings: &mut Findings) {
        let at_ns = scene.now_ns;
        let mut note = |clause, what: String| findings.note(NAME, at_ns, clause, what);
        if !round.established {
            note(ESTABLISHED, "settled without an established outcome".into());
        }
        match round.result {
            Some(result) if sorted(result) != dice && !by_person => {
                note(DICE, format!("settled by {dice:?}, the result was {result:?}"));
            }
            None if !by_person => note(ESTABLISHED, "settled without a result".into()),
            _ => {}
        }
        // A broken terminal reports keys that nobody pressed.
        if !by_person && scene.sees_keys && !round.was_broken(Part::Terminal) && round.paid == 0 {
            note(PAID, "settled, and nobody pressed entry after the result".into());
        }
        if let Some(turned) = self.true_quarters() {
            self.count.tumbles += 1;
            if turned < THREE_TUMBLES {
                note(THREE, format!("settled after {turned} true quarter turns"));
            }
        }
        if let Some((_, why)) = self.facts.due {
            note(MUST_BE_VOID, format!("settled, though {why}"));
        }
        if self.facts.restarted {
            note(INTERRUPTED, "settled, though interrupted before the outcome was established".into());
        }
        // A person who says "flat" is believed. A sound reader is not, if the dice are not flat.
        if round.flat_by == "reader" && Self::reader_sound(scene, round) {
            // Dice that a hand moves after the outcome was established change nothing: the first reading counts.
            let [_, seen] = self.facts.first_seen;
            let same = |faces: [u8; 3]| seen.is_none_or(|seen| seen == sorted(faces));
            if let Some((_, flat)) = self.facts.at_rest().filter(|(faces, flat)| same(*faces) && flat.contains(&false))
            {
                note(FLAT, format!("settled, though flat are {flat:?}"));
            }
        }
        // The bell waits for the record of the call. On a failing or slow disk it may never ring.
        let late = [Part::Gpio, Part::Journal].into_iter().any(|part| round.was_broken(part));
        if !self.facts.bell && !round.interrupted && scene.level(Line::Bell).is_some() && !late {
            note(BELL, "settled, and the bell was not struck".into());
        }
    }

    fn voids(&mut self, reason: &str, round: &Round, scene: &Scene, findings: &mut Findings) {
        // faults.md reader.wrong_pose_*: until a result is entered the supervisor's eye overrules a reader that said "flat". Then
        // the outcome was never established, and the reader is out of service.
        let disputed = reason == "not-flat"
            && round.flat_by == "reader"
            && round.result.is_none()
            && round.said_not_flat
            && scene.is_latched("reader");
        // NZ 4.9: a wager is settled "when the result of the spin has been established"; no rule there voids it for a die found
        // damaged.
        let damaged = reason == "damaged-dice" && round.rules.is_some_and(|rules| rules.family() == Family::Singapore);
        if round.established && !damaged && !disputed && !round.doubted {
            findings.note(NAME, scene.now_ns, STANDS, format!("an established round is void: {reason}"));
        }
        let Some(really) = self.really(reason, round, scene) else { return };
        self.count.claims += 1;
        if !really {
            findings.note(NAME, scene.now_ns, FALSE_CLAIM, format!("void as `{reason}`, which did not happen"));
        }
    }

    /// Whether the facts of this reason are true; `None` if the truth is not known.
    fn really(&self, reason: &str, round: &Round, scene: &Scene) -> Option<bool> {
        let broken = |parts: &[Part]| parts.iter().any(|part| round.was_broken(*part));
        match reason {
            "fewer-than-three" => {
                self.facts.spin_base?;
                // A shaft that crosses twelve boundaries may have turned a little less than twelve quarters.
                let short = self.facts.turned_at_off <= THREE_TUMBLES;
                Some(short || broken(&[Part::Cam, Part::Motor, Part::Gpio]))
            }
            "not-flat" => {
                let (_, flat) = self.facts.at_rest()?;
                let unsure = broken(&[Part::Reader, Part::Dice, Part::Bus]);
                Some(flat.contains(&false) || round.no_spin || round.said_not_flat || unsure)
            }
            "exposed" => {
                scene.level(Line::DomeOpen).or(scene.dome.map(|(open, _)| open))?;
                Some(self.facts.lifted && round.covered() && round.spins > 0)
            }
            "activated-early" => {
                self.facts.base?;
                let moved = self.facts.moved_early >= 1 || self.facts.moved_in_call || broken(&[Part::Cam]);
                Some(moved && round.rules.is_some_and(|rules| rules.order() == Order::AfterBets))
            }
            "never-activated" => {
                // A spin that was granted, and refused when the guards were checked again, moved nothing.
                let refused = scene.level(Line::MotorEnable).is_some() && !self.facts.activated;
                Some((round.spins == 0 || refused) && round.rules.is_some_and(spins_first))
            }
            "interruption" => scene.alive.map(|_| round.interrupted || round.dipped || broken(&[Part::Journal])),
            _ => None,
        }
    }

    /// A round that should have been void long ago, and is still in progress when the run is over.
    pub(super) fn overdue(&self, at_ns: u64, scene: &Scene, findings: &mut Findings) {
        let (Some((since, why)), Some(_)) = (self.facts.due, &scene.round) else { return };
        if at_ns > since.saturating_add(DUE_NS) && scene.alive != Some(false) && !scene.broken(Part::Journal) {
            findings.note(NAME, at_ns, MUST_BE_VOID, format!("the round goes on, though {why}"));
        }
    }
}

//! How the round stands at a moment, in the dimensions of the truth table. Where physics leaves doubt, a dimension has several
//! values.

use super::super::situation::{Bets, Dice, Eyes, Stage, Tumbles};
use super::{History, push};
use crate::observation::{Line, Part};
use crate::scene::{Round, Scene};

/// How the round stood at a moment.
#[derive(Clone, Debug, Default)]
pub(in crate::truth) struct Moment {
    pub(in crate::truth) stages: Vec<Stage>,
    pub(in crate::truth) bets: Vec<Bets>,
    pub(in crate::truth) tumbles: Vec<Tumbles>,
    pub(in crate::truth) dice: Vec<Dice>,
    pub(in crate::truth) eyes: Vec<Eyes>,
}

impl Moment {
    /// This moment or that one.
    pub(super) fn join(&mut self, other: Self) {
        other.stages.into_iter().for_each(|stage| push(&mut self.stages, stage));
        other.bets.into_iter().for_each(|bets| push(&mut self.bets, bets));
        other.tumbles.into_iter().for_each(|tumbles| push(&mut self.tumbles, tumbles));
        other.dice.into_iter().for_each(|dice| push(&mut self.dice, dice));
        other.eyes.into_iter().for_each(|eyes| push(&mut self.eyes, eyes));
    }
}

/// The round in progress, or the one that ends with the record just seen.
pub(super) fn current(scene: &Scene) -> Option<&Round> {
    if scene.ended { scene.last.as_ref() } else { scene.round.as_ref() }
}

/// Whether "No more bets" has been called. Between the press and its record, it may or may not count.
pub(super) fn bets(round: &Round) -> Vec<Bets> {
    match (round.called, round.no_more_bets_ns) {
        (true, _) => vec![Bets::Closed],
        (false, Some(_)) => vec![Bets::Open, Bets::Closed],
        (false, None) => vec![Bets::Open],
    }
}

impl History {
    /// How the round stands now; nothing outside a round.
    pub(in crate::truth) fn moment(&self, scene: &Scene) -> Moment {
        let Some(round) = current(scene) else { return Moment::default() };
        // The spin of Open Cover is filed with the bets as they were when the tumbler was activated (SGOC 5.5.3, SGOC-early 5.1.4).
        let at_activation = !round.covered() && self.spin.activated();
        let unsure = [Part::Dice, Part::Reader].into_iter().any(|part| round.was_broken(part));
        let mut dice = match self.dice.first_flat {
            Some(true) if !unsure => vec![Dice::Flat],
            Some(false) if !unsure => vec![Dice::NotFlat],
            _ => vec![Dice::Flat, Dice::NotFlat],
        };
        let eyes = self.eyes(scene, round);
        // Where no reader looks, only people tell the table that a die does not lie flat, and a person who says "flat" is believed.
        if eyes != [Eyes::Reader] {
            push(&mut dice, Dice::Flat);
        }
        Moment {
            stages: self.stages(scene, round),
            bets: if at_activation { self.spin.bets().to_vec() } else { bets(round) },
            tumbles: self.spin.tumbles(scene, round),
            dice,
            eyes,
        }
    }

    fn stages(&self, scene: &Scene, round: &Round) -> Vec<Stage> {
        if round.result.is_some() {
            return vec![Stage::Keyed];
        }
        if !self.spin.activated() {
            return if round.spinning { vec![Stage::Unspun, Stage::Tumbling] } else { vec![Stage::Unspun] };
        }
        // A line that nothing can write any more may stay on: the dead-man relay has ended the spin then, and the shaft tells it.
        if scene.is(Line::MotorEnable, true) && !round.was_broken(Part::Gpio) {
            return vec![Stage::Tumbling];
        }
        let mut stages = Vec::new();
        let still = scene.now_ns.saturating_sub(scene.moved_ns) >= scene.config.given.limits.standstill_ns;
        if !still || round.spinning {
            stages.push(Stage::Tumbling);
        }
        if !round.could_see || !round.established {
            stages.push(Stage::Spun);
        }
        if round.could_see {
            stages.push(Stage::Revealed);
        }
        if round.could_see && self.entered {
            stages.push(Stage::Keyed);
        }
        // Dice that people have seen at rest are revealed, whatever a reader still has to do. Where the twin reports the dice but
        // they have not come to rest, they still roll.
        let rested = self.dice.now.map_or(scene.shaft.is_none(), |resting| resting.at_rest(scene.now_ns));
        let seen = round.revealed && (!round.covered() || self.eyes(scene, round) == [Eyes::People]);
        // A broken cam that reports turns makes the table believe that the dice do not rest.
        let turns_reported = [Part::Cam, Part::Gpio].into_iter().any(|part| round.was_broken(part));
        if seen && still && rested && !turns_reported {
            stages.retain(|stage| *stage != Stage::Spun);
        }
        stages
    }

    /// Whether a sound reader is in service.
    pub(super) fn reader_looks(scene: &Scene, round: &Round) -> bool {
        scene.config.given.reader && !reader_was_broken(round) && scene.in_service("reader")
    }

    fn eyes(&self, scene: &Scene, round: &Round) -> Vec<Eyes> {
        if !scene.config.given.reader {
            return vec![Eyes::People];
        }
        // While the program is gone nobody polls the reader.
        let unpolled = scene.alive == Some(false) || round.could_see && !round.established;
        if reader_was_broken(round) || unpolled {
            return vec![Eyes::Reader, Eyes::People];
        }
        // A reader that has established the outcome need not do so again.
        let people = if round.established { round.flat_by != "reader" } else { !scene.in_service("reader") };
        vec![if people { Eyes::People } else { Eyes::Reader }]
    }
}

/// Whether anything that a reading of the dice depends on was broken in this round.
fn reader_was_broken(round: &Round) -> bool {
    [Part::Reader, Part::Bus, Part::Dice].into_iter().any(|part| round.was_broken(part))
}

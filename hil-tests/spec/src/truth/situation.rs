//! A situation, in the dimensions that the head of `table.toml` defines.

use serde::Deserialize;

/// A closed list of names, as the table writes them.
macro_rules! dimension {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $value:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum $name { $($(#[$of])* $value),+ }

        impl $name {
            /// Every value.
            #[cfg(test)]
            pub(super) const ALL: &'static [Self] = &[$(Self::$value),+];
        }
    };
}

dimension!(
    /// How far the round was when the event happened.
    Stage { Unspun, Tumbling, Spun, Revealed, Keyed, Settled }
);
dimension!(
    /// Whether "No more bets" had been called.
    Bets { Open, Closed }
);
dimension!(
    /// What the cam's steps prove.
    Tumbles { None, Short, Doubt, Proved }
);
dimension!(
    /// What ended the spin or the round, or raised a question.
    Event {
        None, NoSpin, DomeOpened, GuardLost, Stall, Supply, Interruption, Sensor, RunsOn, Temperature, Equipment,
        EquipmentHarmless, SealBroken, Knocked, DamagedDice, ForeignDice, WrongCount, NotTumbled, ManagerDecision,
        SupervisorDecision, SaidNotFlat, LampsNotProved,
    }
);
dimension!(
    /// How the dice lay when they were first seen at rest; for [`Event::Knocked`], how they lie after it.
    Dice { Unseen, Flat, NotFlat }
);
dimension!(
    /// Who says how the dice lie.
    Eyes { Reader, People }
);
dimension!(
    /// The answer of the person who was asked.
    Finding { None, Undisturbed, NotFlat, CannotTell }
);

impl Tumbles {
    /// What a number of net steps proves. The first edge may come at once, so it takes the thirteenth to prove three full tumbles.
    pub(super) const fn of(steps: i64) -> Self {
        match steps {
            ..=0 => Self::None,
            1..=11 => Self::Short,
            12 => Self::Doubt,
            _ => Self::Proved,
        }
    }
}

/// A situation: one value of every dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Situation {
    pub(super) stage: Stage,
    pub(super) bets: Bets,
    pub(super) tumbles: Tumbles,
    pub(super) event: Event,
    pub(super) dice: Dice,
    pub(super) eyes: Eyes,
    pub(super) finding: Finding,
}

impl Situation {
    /// Every combination.
    #[cfg(test)]
    pub(super) fn every() -> impl Iterator<Item = Self> {
        let of = |stage: Stage, bets, tumbles, event| {
            Dice::ALL.iter().flat_map(move |dice| {
                Eyes::ALL.iter().flat_map(move |eyes| {
                    Finding::ALL.iter().map(move |finding| Self {
                        stage,
                        bets,
                        tumbles,
                        event,
                        dice: *dice,
                        eyes: *eyes,
                        finding: *finding,
                    })
                })
            })
        };
        Stage::ALL.iter().flat_map(move |stage| {
            Bets::ALL.iter().flat_map(move |bets| {
                Tumbles::ALL.iter().flat_map(move |tumbles| {
                    Event::ALL.iter().flat_map(move |event| of(*stage, *bets, *tumbles, *event))
                })
            })
        })
    }
}

/// Some values of a dimension: one, or a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Values<T> {
    One(T),
    Any(Vec<T>),
}

impl<T: PartialEq> Values<T> {
    fn holds(some: Option<&Self>, value: &T) -> bool {
        match some {
            None => true,
            Some(Self::One(one)) => one == value,
            Some(Self::Any(list)) => list.contains(value),
        }
    }
}

/// A pattern of situations: a dimension that is left out may have any value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pattern {
    stage: Option<Values<Stage>>,
    bets: Option<Values<Bets>>,
    tumbles: Option<Values<Tumbles>>,
    event: Option<Values<Event>>,
    dice: Option<Values<Dice>>,
    eyes: Option<Values<Eyes>>,
    finding: Option<Values<Finding>>,
}

impl Pattern {
    pub(super) fn holds(&self, situation: &Situation) -> bool {
        Values::holds(self.stage.as_ref(), &situation.stage)
            && Values::holds(self.event.as_ref(), &situation.event)
            && Values::holds(self.bets.as_ref(), &situation.bets)
            && Values::holds(self.tumbles.as_ref(), &situation.tumbles)
            && Values::holds(self.dice.as_ref(), &situation.dice)
            && Values::holds(self.eyes.as_ref(), &situation.eyes)
            && Values::holds(self.finding.as_ref(), &situation.finding)
    }
}

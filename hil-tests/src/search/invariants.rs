//! The invariants, which must hold after every step, stated independently of the core. They see the durable records of the step
//! and the physical truth after it. Within the step the judges of `tumbler-spec` watch every observation.

use super::view::View;
use std::collections::BTreeSet;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::{Event, Record};
use tumbler_core::round::call::Call;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::settings::Parameters;
use tumbler_core::units::Seq;

/// What the invariants need to know of a path's durable records so far.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Codes that are latched.
    pub latched: BTreeSet<&'static str>,
    /// The round in progress.
    pub round: Option<RoundHistory>,
    /// Codes latched since the supervisor's key was last turned.
    stale: BTreeSet<&'static str>,
    /// Number of the last record.
    last: Seq,
    /// When an output pin last did not obey, in nanoseconds of table time.
    deaf: Option<u64>,
}

/// How soon a pin that obeys again must be driven correctly, in nanoseconds (`table.md`, `readback`).
fn readback_ns() -> u64 {
    u64::from(Parameters::default().readback) * 1_000_000
}

/// The round in progress.
#[derive(Clone, Debug, Default)]
pub struct RoundHistory {
    spun: bool,
    closed: bool,
    established: bool,
    /// A person was asked what became of the dice, and answered.
    answered: bool,
    /// The dice were exposed after the spin and before "No more bets".
    exposed: bool,
    /// What the dice showed when the outcome was established.
    pub faces: Option<[u8; 3]>,
}

/// A step, as the invariants see it.
#[derive(Debug)]
pub struct TakenStep<'a> {
    /// The history before it.
    pub before: &'a History,
    /// Records that became durable in it, in order.
    pub records: &'a [Record],
    /// The table and the twin after it.
    pub view: &'a View,
    /// Whether a dome covers the dice under this rule set.
    pub covered: bool,
}

/// An invariant.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// The clause or rule that says so.
    pub clause: &'static str,
    /// What is wrong with a step, if something is.
    pub broken: fn(&TakenStep<'_>) -> Option<String>,
}

impl History {
    /// Adds a record.
    pub fn take(&mut self, record: &Record) {
        self.last = record.seq;
        match &record.event {
            Event::Latched { code, .. } => {
                self.latched.insert(code.name());
                self.stale.insert(code.name());
            }
            Event::Unlatched { code, .. } => {
                self.latched.remove(code.name());
            }
            Event::KeyTurned => self.stale.clear(),
            Event::RoundBegan { .. } => self.round = Some(RoundHistory::default()),
            Event::SpinEnded { valid: true, .. } => self.in_round(|round| round.spun = true),
            Event::Called { call, in_turn: true, .. } if *call == Call::NoMoreBets => {
                self.in_round(|round| round.closed = true);
            }
            Event::Established { .. } => self.in_round(|round| round.established = true),
            Event::Answered { .. } => self.in_round(|round| round.answered = true),
            Event::Settled { .. } | Event::Voided(_) => self.round = None,
            _ => {}
        }
    }

    fn in_round(&mut self, change: impl FnOnce(&mut RoundHistory)) {
        if let Some(round) = &mut self.round {
            change(round);
        }
    }

    /// Adds the view after a step.
    pub fn look(&mut self, view: &View) {
        // By the contacts: the table cannot know that they lie.
        let open = view.level(InLine::DomeOpen) && !view.level(InLine::DomeClosed);
        if view.has_deaf_pin() {
            self.deaf = Some(view.now);
        }
        self.in_round(|round| {
            round.exposed |= round.spun && !round.closed && open;
            if round.established {
                round.faces.get_or_insert(view.physical.faces);
            }
        });
    }
}

/// Every record of a step with the history before it.
fn with_history<'a>(taken: &'a TakenStep<'_>) -> impl Iterator<Item = (History, &'a Record)> {
    let mut history = taken.before.clone();
    taken.records.iter().map(move |record| {
        let before = history.clone();
        history.take(record);
        (before, record)
    })
}

/// The first violation that `wrong` finds in the step's records.
fn first(taken: &TakenStep<'_>, wrong: impl Fn(&History, &Event) -> Option<String>) -> Option<String> {
    with_history(taken).find_map(|(before, record)| wrong(&before, &record.event))
}

/// All invariants.
pub const INVARIANTS: &[Invariant] = &[
    Invariant {
        clause: "NZ 7.4: no further game while a malfunction is latched",
        broken: |taken| {
            first(taken, |before, event| match event {
                Event::RoundBegan { .. } if !before.latched.is_empty() => {
                    Some(format!("a round began while {:?} was latched", before.latched))
                }
                _ => None,
            })
        },
    },
    Invariant {
        clause: "design.md, The table's life: a round ends exactly once",
        broken: |taken| {
            first(taken, |before, event| match event {
                Event::RoundBegan { .. } if before.round.is_some() => Some("a round began within a round".into()),
                Event::Settled { .. } | Event::Voided(_) if before.round.is_none() => {
                    Some("a round ended that was not in progress".into())
                }
                _ => None,
            })
        },
    },
    Invariant {
        clause: "NZ 7.1(c), SGV6 5.5.3: dice exposed before \"No more bets\" are never settled",
        broken: |taken| {
            first(taken, |before, event| match (event, &before.round) {
                (Event::Settled { .. }, Some(round)) if taken.covered && round.exposed => {
                    Some("a round was settled whose dice were exposed early".into())
                }
                _ => None,
            })
        },
    },
    Invariant {
        clause: "SGV6 5.6, design.md, Outcome established: only damaged dice, or the supervisor against the reader, void it",
        broken: |taken| {
            first(taken, |before, event| match (event, &before.round) {
                (Event::Voided(void), Some(round)) if round.established => {
                    let may = void.reason == VoidReason::DamagedDice || void.reason == VoidReason::NotFlat;
                    // Dice that were knocked after they had come to rest are left to the shift manager or above (SGV6 5.14).
                    let may = may || round.answered && void.reason == VoidReason::Supervisor;
                    (!may).then(|| format!("an established outcome was voided: {}", void.reason.name()))
                }
                _ => None,
            })
        },
    },
    Invariant {
        clause: "design.md, Latch: opens only with a key edge newer than it",
        broken: |taken| {
            first(taken, |before, event| match event {
                Event::Unlatched { code, .. } if before.stale.contains(code.name()) => {
                    Some(format!("{code} was unlatched without a new turn of the key"))
                }
                _ => None,
            })
        },
    },
    Invariant {
        clause: "design.md, Latch: survives restarts and power cuts",
        broken: |taken| {
            let table = taken.view.table.as_ref()?;
            let mut history = taken.before.clone();
            taken.records.iter().for_each(|record| history.take(record));
            let open =
                history.latched.iter().find(|code| !table.malfunctions.iter().any(|m| m.code.name() == **code))?;
            // The snapshot lags while records are not yet durable (design.md rule 2: make durable, then publish).
            (table.seq >= history.last)
                .then(|| format!("{open} is latched in the journal, and the table says that it is not"))
        },
    },
    Invariant {
        clause: "design.md, Motor guard: the motor is never commanded on while a guard line forbids it",
        broken: |taken| {
            let view = taken.view;
            let covers = view.level(InLine::DomeClosed) && !view.level(InLine::DomeOpen);
            let good = view.level(InLine::Seal) && view.level(InLine::PowerGood) && !view.level(InLine::MotorFault);
            let on = view.pins.get(OutLine::MotorEnable.index()).copied().unwrap_or_default();
            let dead = view.has_deaf_pin() || taken.before.deaf.is_some_and(|at| view.now <= at + readback_ns());
            let forbidden = !good || (taken.covered && !covers);
            (view.is_up() && !dead && on && forbidden).then(|| "motor_enable is on".into())
        },
    },
    Invariant {
        clause: "design.md, Permission to play: the sign goes dark only where a game may go on",
        broken: |taken| {
            let table = taken.view.table.as_ref()?;
            let wrong = !taken.view.physical.sign && taken.view.physical.supply && !table.malfunctions.is_empty();
            wrong.then(|| "the sign is dark while a malfunction is latched".into())
        },
    },
];

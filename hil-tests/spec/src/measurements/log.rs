//! The log of what was seen during a test, for the evaluation at its end.

use crate::observation::{Line, Observation, Part, Seen, Transaction, Truth};
use crate::scene::Scene;

/// An entry of the log.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Level(Line, bool),
    Again(Line, bool),
    Bus(Transaction),
    Temperature(i32),
    Hand(Line, bool),
}

/// All parts that a fault can break.
const PARTS: [Part; Part::COUNT] = [
    Part::Relay,
    Part::Motor,
    Part::Cam,
    Part::DomeContacts,
    Part::Reader,
    Part::Dice,
    Part::Terminal,
    Part::Lamps,
    Part::Buttons,
    Part::Bus,
    Part::Gpio,
    Part::Journal,
    Part::Network,
];
/// How long the effect of a fault may still show after it was mended, in ns: a hot motor has to cool.
const AFTERMATH_NS: u64 = 30_000_000_000;

/// The log, from the command that asked for a test.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Levels at the beginning.
    levels: [Option<bool>; Line::COUNT],
    entries: Vec<(u64, Entry)>,
    /// Parts that were broken at any time.
    broken: [bool; Part::COUNT],
    /// The daemon was stopped or its supply failed in that time: it reads late then.
    stalled: bool,
    /// Last edge of an input other than the cam.
    touched_ns: u64,
    /// When a command was last given that does not belong to a test.
    said_ns: u64,
}

impl Log {
    /// Starts the log with the present state.
    pub(super) fn begin(&mut self, scene: &Scene) {
        self.levels = Line::ALL.map(|line| scene.level(line));
        self.entries.clear();
        self.stalled = scene.alive == Some(false);
        let recent = |part| scene.mended(part).is_some_and(|at| scene.now_ns.saturating_sub(at) < AFTERMATH_NS);
        for (part, broken) in PARTS.into_iter().zip(&mut self.broken) {
            *broken = scene.broken(part) || recent(part);
        }
        self.touched_ns = 0;
        self.said_ns = 0;
    }

    pub(super) fn take(&mut self, seen: &Observation) {
        let item = match &seen.what {
            Seen::Wire { line, active, .. } => {
                if !matches!(line, Line::CamA | Line::CamB | Line::MotorEnable | Line::MotorAlive)
                    && !matches!(line, Line::Bell | Line::OutOfService)
                {
                    self.touched_ns = seen.at_ns;
                }
                Entry::Level(*line, *active)
            }
            Seen::RepeatedLevel { line, active } => {
                self.touched_ns = seen.at_ns;
                Entry::Again(*line, *active)
            }
            Seen::Bus(transaction) => Entry::Bus(*transaction),
            Seen::Temperature { milli_celsius: Some(reading) } => Entry::Temperature(*reading),
            Seen::ConsoleCommand { command, .. } if command != "witness" => {
                self.said_ns = seen.at_ns;
                return;
            }
            Seen::Truth(Truth::Hand { button, down }) => Entry::Hand(*button, *down),
            Seen::Truth(Truth::Broken { part, broken: true }) => {
                if let Some(broken) = self.broken.get_mut(*part as usize) {
                    *broken = true;
                }
                return;
            }
            Seen::Truth(Truth::Hung { .. } | Truth::Supply { .. }) => {
                self.stalled = true;
                return;
            }
            _ => return,
        };
        self.entries.push((seen.at_ns, item));
    }

    /// Length of the log so far.
    pub(super) fn mark(&self) -> usize {
        self.entries.len()
    }

    /// What was seen of a test that was asked for at this mark and began at `from_ns`, until and including `to_ns`.
    pub(super) fn span(&self, mark: usize, from_ns: u64, to_ns: u64) -> Span<'_> {
        // A stopped daemon begins the test later.
        let first = mark.max(self.entries.partition_point(|(at, _)| *at < from_ns)).min(self.entries.len());
        let (before, entries) = self.entries.split_at(first);
        let mut levels = self.levels;
        for (_, item) in before {
            if let Entry::Level(line, active) = item {
                if let Some(level) = levels.get_mut(*line as usize) {
                    *level = Some(*active);
                }
            }
        }
        let last = entries.partition_point(|(at, _)| *at <= to_ns);
        Span { from_ns, to_ns, levels, entries: entries.get(..last).unwrap_or_default(), log: self }
    }
}

/// What was seen of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    levels: [Option<bool>; Line::COUNT],
    entries: &'a [(u64, Entry)],
    log: &'a Log,
}

impl<'a> Span<'a> {
    /// The same without the entries of its last moment: they may have come just after the end.
    /// The same, up to the moment within its last one at which the motor went off.
    pub(super) fn until_off(self) -> Self {
        let off =
            |(at, item): &(u64, Entry)| *at == self.to_ns && matches!(item, Entry::Level(Line::MotorEnable, false));
        let entries = self.entries.iter().rposition(off).and_then(|last| self.entries.get(..=last));
        Self { entries: entries.unwrap_or(self.entries), ..self }
    }
    pub(super) fn short(self) -> Self {
        let last = self.entries.partition_point(|(at, _)| *at < self.to_ns);
        Self { entries: self.entries.get(..last).unwrap_or_default(), ..self }
    }

    /// Whether this part was broken at any time during the log.
    pub(super) fn broken(&self, part: Part) -> bool {
        self.log.broken.get(part as usize).copied().unwrap_or(true)
    }

    /// Whether wires and readings reached the table at their own times.
    pub(super) fn prompt(&self) -> bool {
        !self.log.stalled && !self.broken(Part::Gpio)
    }

    /// Whether nothing was broken, nobody touched anything but what the test asks for, and nobody said anything else.
    pub(super) fn undisturbed(&self) -> bool {
        self.prompt()
            && !self.log.broken.contains(&true)
            && self.log.touched_ns <= self.from_ns
            && self.log.said_ns <= self.from_ns
    }

    /// Whether nobody said anything that does not belong to the test, such as what calls it off.
    pub(super) fn uninterrupted(&self) -> bool {
        self.prompt() && self.log.said_ns <= self.from_ns
    }

    /// What hands did to buttons and key.
    pub(super) fn hands(&self) -> impl Iterator<Item = (u64, Line, bool)> + Clone + 'a {
        self.all().filter_map(|(at, item)| match item {
            Entry::Hand(button, down) => Some((at, button, down)),
            _ => None,
        })
    }

    /// The level of a line at the beginning.
    pub(super) fn level(&self, line: Line) -> Option<bool> {
        self.levels.get(line as usize).copied().flatten()
    }

    /// All entries, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, Entry)> + Clone + 'a {
        self.entries.iter().copied()
    }

    /// Edges of a line.
    pub(super) fn edges(&self, line: Line) -> impl Iterator<Item = (u64, bool)> + Clone + 'a {
        self.all().filter_map(move |(at, item)| match item {
            Entry::Level(of, active) if of == line => Some((at, active)),
            _ => None,
        })
    }

    /// Whether a level of this line was reported twice, so that edges were lost.
    pub(super) fn again(&self, line: Line) -> bool {
        self.all().any(|(_, item)| matches!(item, Entry::Again(of, _) if of == line))
    }

    /// Transactions, with the times of their ends.
    pub(super) fn bus(&self) -> impl Iterator<Item = (u64, Transaction)> + Clone + 'a {
        self.all().filter_map(|(at, item)| match item {
            Entry::Bus(transaction) => Some((at, transaction)),
            _ => None,
        })
    }

    /// Readings of the motor's temperature.
    pub(super) fn temperatures(&self) -> impl Iterator<Item = (u64, i64)> + Clone + 'a {
        self.all().filter_map(|(at, item)| match item {
            Entry::Temperature(reading) => Some((at, i64::from(reading))),
            _ => None,
        })
    }
}

/// Microseconds between two times.
pub(super) fn micros(from_ns: u64, to_ns: u64) -> i64 {
    i64::try_from(to_ns.saturating_sub(from_ns) / 1_000).unwrap_or(i64::MAX)
}

/// The range in which a reported value must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) quantity: &'static str,
    pub(super) least: i64,
    pub(super) most: i64,
}

pub(super) const fn exactly(quantity: &'static str, value: i64) -> Expected {
    Expected { quantity, least: value, most: value }
}

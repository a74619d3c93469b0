//! Signals over time, from what was seen in a cell: for diagrams and value change dumps.

use super::capture::Capture;
use crate::scenario::timeline::MarkKind;
use std::collections::BTreeMap;
use tumbler_core::snapshot::Phase;
use tumbler_spec::{BusKind, Key, Line, Observation, Seen, Transaction, Truth};

/// Shortest duration with which a transaction is drawn, in nanoseconds: the virtual bench sees only its end.
const SHORTEST_NS: u64 = 100_000;
/// Characters of a text that are kept.
const TEXT_CHARS: usize = 48;

/// Group of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaveGroup {
    /// What the rig broke and healed.
    Rig,
    /// What the table says of itself: phase, records, messages, answers.
    Table,
    /// The wires between the table's parts and the daemon.
    Wires,
    /// What the twin knows to be true.
    Truth,
    /// The field bus.
    Bus,
}

impl WaveGroup {
    /// All groups, in the order of display.
    pub const ALL: [Self; 5] = [Self::Rig, Self::Table, Self::Wires, Self::Truth, Self::Bus];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rig => "rig",
            Self::Table => "table",
            Self::Wires => "wires",
            Self::Truth => "truth",
            Self::Bus => "bus",
        }
    }
}

/// Values of a signal: each holds from its table time, in nanoseconds, until the next. Unknown before the first.
pub type Changes<T> = Vec<(u64, T)>;

/// A signal with its values.
pub type Wave<T> = ((WaveGroup, String), Changes<T>);

/// All signals of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waves {
    bits: BTreeMap<(WaveGroup, String), Changes<bool>>,
    texts: BTreeMap<(WaveGroup, String), Changes<String>>,
    /// End of the cell, in nanoseconds of table time.
    pub end_ns: u64,
}

impl Waves {
    /// The signals of this capture.
    #[must_use]
    pub fn of(capture: &Capture) -> Self {
        let mut waves = Self { end_ns: capture.end_ns, ..Self::default() };
        for line in Line::ALL {
            waves.bits.insert((WaveGroup::Wires, line.name().to_owned()), Vec::new());
        }
        for seen in &capture.seen {
            waves.end_ns = waves.end_ns.max(seen.at_ns);
            waves.observation(seen);
        }
        waves.phases(&capture.phases);
        for mark in &capture.marks {
            let word = if mark.kind == MarkKind::Broken { "break" } else { "mend" };
            waves.bit(mark.at_ns, WaveGroup::Rig, "broken", mark.kind == MarkKind::Broken);
            waves.text(mark.at_ns, WaveGroup::Rig, "deed", format!("{word} {}", mark.what));
        }
        waves
    }

    /// Binary signals, by group and name.
    pub fn bits(&self) -> impl Iterator<Item = (&(WaveGroup, String), &Changes<bool>)> {
        self.bits.iter()
    }

    /// Signals whose values are texts, by group and name.
    pub fn texts(&self) -> impl Iterator<Item = (&(WaveGroup, String), &Changes<String>)> {
        self.texts.iter()
    }

    fn bit(&mut self, at: u64, group: WaveGroup, name: &str, value: bool) {
        let changes = self.bits.entry((group, name.to_owned())).or_default();
        if changes.last().is_none_or(|(_, last)| *last != value) {
            changes.push((at, value));
        }
    }

    fn text(&mut self, at: u64, group: WaveGroup, name: &str, value: String) {
        let value = value.chars().take(TEXT_CHARS).collect();
        self.texts.entry((group, name.to_owned())).or_default().push((at, value));
    }

    fn observation(&mut self, seen: &Observation) {
        let at = seen.at_ns;
        match &seen.what {
            Seen::Wire { line, active, .. } => self.bit(at, WaveGroup::Wires, line.name(), *active),
            Seen::Bus(transaction) => self.transaction(at, transaction),
            Seen::Record(record) => self.text(at, WaveGroup::Table, "record", record.kind.clone()),
            Seen::Mqtt { topic, .. } => {
                let topic = topic.splitn(4, '/').last().unwrap_or_default();
                self.text(at, WaveGroup::Table, "published", topic.to_owned());
            }
            Seen::ConsoleCommand { command, .. } => self.text(at, WaveGroup::Table, "asked", command.clone()),
            Seen::Text { text, .. } | Seen::Answer { text, .. } => {
                self.text(at, WaveGroup::Table, "said", text.clone())
            }
            Seen::InitialState { .. }
            | Seen::RepeatedLevel { .. }
            | Seen::Temperature { .. }
            | Seen::Readback { .. }
            | Seen::Status(_) => {}
            Seen::Truth(truth) => self.truth(at, truth),
        }
    }

    fn truth(&mut self, at: u64, truth: &Truth) {
        match *truth {
            Truth::Shaft { quarters } => self.bit(at, WaveGroup::Truth, "shaft_quarter", quarters.rem_euclid(2) == 1),
            Truth::MotorPower { on } => self.bit(at, WaveGroup::Truth, "motor_power", on),
            Truth::Dome { open } => self.bit(at, WaveGroup::Truth, "dome_away", open),
            Truth::Dice { faces, flat } => {
                let die = |(face, flat): (u8, bool)| if flat { format!("{face}") } else { format!("{face}!") };
                let dice: Vec<String> = faces.into_iter().zip(flat).map(die).collect();
                self.text(at, WaveGroup::Truth, "dice", dice.join("-"));
            }
            Truth::Lamps { boards } => self.bit(at, WaveGroup::Truth, "lamps_shine", boards != [0, 0]),
            Truth::Pressed(key) => {
                let key = match key {
                    Key::Digit(digit) => digit.to_string(),
                    Key::Entry => "entry".to_owned(),
                };
                self.text(at, WaveGroup::Truth, "key", key);
            }
            Truth::Process { alive } => self.bit(at, WaveGroup::Truth, "daemon_runs", alive),
            Truth::Hung { hung } => self.bit(at, WaveGroup::Truth, "daemon_hung", hung),
            Truth::Supply { good } => self.bit(at, WaveGroup::Truth, "supply", good),
            // Left out: the marks have the fault's own name, and dice that moved come to rest.
            Truth::Broken { .. } | Truth::DiceMoved | Truth::Hand { .. } => {}
        }
    }

    fn transaction(&mut self, at: u64, transaction: &Transaction) {
        let unit = match transaction.unit {
            1 => "terminal".to_owned(),
            10 => "reader".to_owned(),
            board => format!("lamps_{board}"),
        };
        let kind = match transaction.kind {
            BusKind::ReadCoils | BusKind::ReadDiscrete | BusKind::ReadHolding | BusKind::ReadInput => "read",
            BusKind::WriteCoils | BusKind::WriteHolding => "write",
        };
        let (begun, ended) = (transaction.begun_ns, at.max(transaction.begun_ns + SHORTEST_NS));
        let asked = format!("{kind} {}+{}", transaction.address, transaction.count);
        self.bit(begun, WaveGroup::Bus, &unit, true);
        self.bit(ended, WaveGroup::Bus, &unit, false);
        self.text(begun, WaveGroup::Bus, &format!("{unit}_asked"), asked);
        if !transaction.ok {
            self.bit(begun, WaveGroup::Bus, &format!("{unit}_failed"), true);
            self.bit(ended, WaveGroup::Bus, &format!("{unit}_failed"), false);
        }
    }

    fn phases(&mut self, phases: &[(u64, String)]) {
        let Some((begin, first)) = phases.first() else { return };
        for phase in Phase::ALL.map(Phase::name) {
            if phase != first && phases.iter().any(|(_, p)| p == phase) {
                self.bit(*begin, WaveGroup::Table, &one_hot(phase), false);
            }
        }
        let mut last: Option<&str> = None;
        for (at, phase) in phases {
            if let Some(last) = last {
                self.bit(*at, WaveGroup::Table, &one_hot(last), false);
            }
            self.bit(*at, WaveGroup::Table, &one_hot(phase), true);
            self.text(*at, WaveGroup::Table, "phase", phase.clone());
            last = Some(phase);
        }
    }
}

/// A line of its own for each phase, because some readers of dumps cannot read strings.
fn one_hot(phase: &str) -> String {
    format!("phase_{}", phase.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::timeline::Mark;

    fn wire(at_ns: u64, line: Line, active: bool, initial: bool) -> Observation {
        Observation::new(at_ns, Seen::Wire { line, active, initial })
    }

    fn bit<'a>(waves: &'a Waves, group: WaveGroup, name: &str) -> &'a [(u64, bool)] {
        waves.bits.get(&(group, name.to_owned())).map(Vec::as_slice).unwrap()
    }

    #[test]
    fn a_level_told_again_is_no_change_and_phases_have_a_line_each() {
        let transaction = Transaction {
            begun_ns: 50,
            unit: 10,
            kind: BusKind::ReadInput,
            address: 0,
            count: 4,
            words: tumbler_spec::Words::default(),
            bits: 0,
            ok: false,
        };
        let waves = Waves::of(&Capture {
            seen: vec![
                wire(0, Line::Seal, true, true),
                wire(20, Line::Seal, false, false),
                wire(30, Line::Seal, false, true),
                Observation::new(50, Seen::Bus(transaction)),
            ],
            phases: vec![(0, "ready".into()), (40, "bets-closed".into())],
            marks: vec![Mark { at_ns: 20, kind: MarkKind::Broken, what: "seal".into() }],
            end_ns: 90,
        });
        assert_eq!(bit(&waves, WaveGroup::Wires, "seal"), [(0, true), (20, false)]);
        assert_eq!(bit(&waves, WaveGroup::Wires, "bell"), []);
        assert_eq!(bit(&waves, WaveGroup::Table, "phase_ready"), [(0, true), (40, false)]);
        assert_eq!(bit(&waves, WaveGroup::Table, "phase_bets_closed"), [(0, false), (40, true)]);
        assert_eq!(bit(&waves, WaveGroup::Rig, "broken"), [(20, true)]);
        assert_eq!(bit(&waves, WaveGroup::Bus, "reader_failed"), [(50, true), (50 + SHORTEST_NS, false)]);
        assert_eq!(waves.end_ns, 90);
    }
}

//! What the field bus shows: its transactions, the terminal's keys, the lamps' currents.

use super::{Plots, Quantity};
use crate::device::bus::Unit;
use crate::line::Key;
use crate::prelude::*;
use crate::units::Mono;
use crate::wire::registers::terminal::ENTRY;
use serde::{Deserialize, Serialize};

/// Transactions of a bus test: enough that one bad frame in them is above the share that is marginal.
pub const TRANSACTIONS: i64 = 300;

fn micros(from: Mono, to: Mono) -> i64 {
    i64::try_from(to.nanos_since(from) / 1000).unwrap_or(i64::MAX)
}

/// Transactions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    asked: Option<Mono>,
    good: i64,
    bad: i64,
    /// Of which units bad ones came, and how many.
    from: Vec<(Unit, i64)>,
    total: i64,
    greatest: i64,
}

impl Traffic {
    /// A transaction began.
    pub fn ask(&mut self, at: Mono) {
        self.asked = Some(at);
    }

    /// It was answered, validly or not. One that began before the test does not count.
    pub fn answer(&mut self, unit: Unit, at: Mono, good: bool) {
        let Some(asked) = self.asked.take() else { return };
        if good {
            let took = micros(asked, at);
            self.good += 1;
            self.total = self.total.saturating_add(took);
            self.greatest = self.greatest.max(took);
        } else {
            self.bad += 1;
            match self.from.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, bad)) => *bad += 1,
                None => self.from.push((unit, 1)),
            }
        }
    }

    /// Which units did not answer, or not validly: where it is one, that one and its stub are to be looked at, and not the whole bus.
    pub(super) fn wrong(&self) -> String {
        let of = self.from.iter().map(|(unit, bad)| format!("{} gave no valid reply {bad} times", unit.called()));
        of.collect::<Vec<_>>().join("; ")
    }

    /// Whether there were enough.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.good + self.bad >= TRANSACTIONS
    }

    pub(super) fn found(&self) -> Vec<(Quantity, i64)> {
        let all = self.good + self.bad;
        if all == 0 {
            return Vec::new();
        }
        let mut found = vec![(Quantity::BusErrors, self.bad * 1000 / all)];
        if self.good > 0 {
            found.push((Quantity::BusTurnaround, self.total / self.good));
            found.push((Quantity::BusTurnaroundGreatest, self.greatest));
        }
        found
    }
}

/// Keys of the terminal, asked for one after another: 1 to 6, then entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// Keys pressed as asked.
    right: u16,
    wrong: i64,
    held: Option<Mono>,
    longest: i64,
    /// Presses that the terminal's bounce filter had taken away when the probe began, and by now.
    before: Option<u32>,
    bounced: i64,
}

impl Keys {
    /// A poll was read: whether a key is held, and how many presses were bounce since the daemon started.
    pub fn poll(&mut self, held: bool, bounced: u32, at: Mono) {
        let before = *self.before.get_or_insert(bounced);
        self.bounced = i64::from(bounced.wrapping_sub(before));
        if held {
            let since = *self.held.get_or_insert(at);
            self.longest = self.longest.max(micros(since, at));
        } else if let Some(since) = self.held.take() {
            self.longest = self.longest.max(micros(since, at));
        }
    }

    /// A key was taken.
    pub fn press(&mut self, key: Key) {
        let code = match key {
            Key::Hidden => return,
            Key::Digit(face) => u16::from(face.pips()),
            Key::Entry => ENTRY,
        };
        if code == self.right + 1 {
            self.right += 1;
        } else {
            self.wrong += 1;
        }
    }

    /// Whether every key was pressed.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.right >= ENTRY
    }

    /// The code of the key that is to be pressed next.
    #[must_use]
    pub fn wanted(&self) -> u16 {
        (self.right + 1).min(ENTRY)
    }

    /// What a person is to do.
    #[must_use]
    pub fn prompt(&self) -> String {
        match self.right + 1 {
            ENTRY.. => "press the entry key".to_owned(),
            digit => format!("press the key {digit}"),
        }
    }

    pub(super) fn found(&self) -> Vec<(Quantity, i64)> {
        vec![
            (Quantity::KeysPressed, i64::from(self.right)),
            (Quantity::KeysWrong, self.wrong),
            (Quantity::KeyBounces, self.bounced),
            (Quantity::KeyHold, self.longest),
        ]
    }
}

/// The lamps, result by result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LampMap {
    /// Areas without current although commanded on, and with current although not.
    dark: u128,
    untold: u128,
    /// Ids of both, for the report.
    names: [Vec<String>; 2],
    /// Id of the layout.
    layout: String,
    slowest: i64,
    /// Whether the time of the present picture is taken.
    timed: bool,
    /// Whether a picture was looked at, and whether one that lights areas came right.
    looked: bool,
    lit: bool,
}

impl LampMap {
    /// The time of the picture is over.
    pub fn look(&mut self, wanted: u128, sensed: u128) {
        self.looked = true;
        self.dark |= wanted & !sensed;
        self.untold |= sensed & !wanted;
    }

    /// What the areas are called that were found wrong until now, on this layout.
    pub fn name(&mut self, layout: &str, ids: impl Fn(u128) -> Vec<String>) {
        self.layout = layout.to_owned();
        self.names = [ids(self.dark), ids(self.untold)];
    }

    /// Ids of the areas that this quantity counts; none of any other.
    #[must_use]
    pub fn counted_by(&self, quantity: Quantity) -> &[String] {
        let [dark, untold] = &self.names;
        match quantity {
            Quantity::LampsDark => dark,
            Quantity::LampsUntold => untold,
            _ => &[],
        }
    }

    /// All areas of the picture that was lit at `since` do as they are told. What never lights has no time to light.
    pub fn right(&mut self, wanted: u128, since: Mono, at: Mono) {
        self.looked = true;
        if !core::mem::replace(&mut self.timed, true) {
            self.lit |= wanted != 0;
            self.slowest = self.slowest.max(micros(since, at));
        }
    }

    /// Another picture comes.
    pub fn next(&mut self) {
        self.timed = false;
    }

    pub(super) fn found(&self) -> Vec<(Quantity, i64)> {
        if !self.looked {
            return Vec::new();
        }
        let mut found = vec![
            (Quantity::LampsDark, i64::from(self.dark.count_ones())),
            (Quantity::LampsUntold, i64::from(self.untold.count_ones())),
        ];
        found.extend(self.lit.then_some((Quantity::LampsTime, self.slowest)));
        found
    }

    pub(super) fn plots(&self) -> Plots {
        let [dark, untold] = self.names.clone();
        Plots { layout: self.layout.clone(), dark, untold, ..Plots::default() }
    }
}

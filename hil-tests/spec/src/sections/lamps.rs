//! The lamps: what the boards are told, and when they are proved.
//!
//! ```text
//!  dark ── `result` or `amended` is durable ──> winning areas ── sensed as told ──> `lamps-verified`
//!   ^                                                │
//!   ├── the round ends, the daemon stops ────────────┘
//!   └── a test of the lamps: the areas of one result after the other, then dark
//! ```

use crate::ledger::{Ledger, What};
use crate::observation::{BusKind, Observation, Part, Seen, Transaction, Truth};
use crate::past::remember;
use crate::record::{Fact, Record};
use crate::registers::LAMPS;
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use std::collections::VecDeque;

const LIT: Rule = Rule::new(
    "lamps.lit",
    "NZ 3.3(b), 6.5, design.md rule 2: the winning areas light, and no others, once the result is durable",
);
const DARK: Rule =
    Rule::new("lamps.dark", "NZ 3.3(b): the areas are lit until the wagers are settled, and dark otherwise");
const TESTED: Rule =
    Rule::new("lamps.tested", "NZ 5(b), hardware-tests.md: a test lights the areas of one result after the other");
const AGAIN: Rule =
    Rule::new("lamps.again", "design.md rule 2: a board that was lost, or does not do as told, is told the same again");
const PROVED: Rule = Rule::new(
    "lamps.proved",
    "table.md, The result: `lamps-verified` when the boards sense the winning areas, and no others",
);

/// Other units are asked before a board is told; on a bus with failures, for longer.
const TOLD_NS: u64 = 60_000_000;
/// As many readings are remembered.
const MOST: usize = 32;
/// A unit that was lost is heard again within this time.
const MENDED_NS: u64 = 3_000_000_000;

/// Watches what the lamps are told.
#[derive(Clone, Debug, Default)]
pub(super) struct Lamps {
    layout: String,
    /// What each board was last told, and whether it replied.
    told: [Option<(u64, bool)>; 2],
    /// Each board's readings since it was last written: when the first that agreed ended.
    sensed: [Option<(u64, u64)>; 2],
    /// Whether the areas of the result on show are proved.
    proved: bool,
    /// When readings showed all areas as they should be, the latest last.
    lit_ns: VecDeque<u64>,
    /// When lamps of a result began to be told dark, before it is on record why.
    darkened_ns: Option<u64>,
}

fn board_of(bus: &Transaction) -> Option<usize> {
    bus.unit.checked_sub(LAMPS).map(usize::from).filter(|board| *board < 2)
}

fn of(boards: [u64; 2], board: usize) -> u64 {
    boards.get(board).copied().unwrap_or(0)
}

impl Lamps {
    /// Whether these are the areas of some result, on this board.
    fn some_result(&self, bits: u64, board: usize, scene: &Scene) -> bool {
        let Some(lamps) = scene.config.board(&self.layout) else { return false };
        (1..=6).any(|a| (a..=6).any(|b| (b..=6).any(|c| of(lamps.lit([a, b, c]), board) == bits)))
    }

    fn write(&mut self, bus: &Transaction, scene: &Scene) -> Answer {
        let Some(board) = board_of(bus) else { return Answer::NotMine };
        let told = self.told.get(board).copied().flatten();
        let winning = scene.round.as_ref().and_then(|round| Some(of(scene.board()?.lit(round.result?), board)));
        if winning == Some(bus.bits) {
            return match told {
                Some((before, true)) if before == bus.bits => may(AGAIN),
                _ => must(LIT),
            };
        }
        if bus.bits == 0 {
            let shown = scene.round.as_ref().is_some_and(|round| bus.begun_ns >= round.result_ns);
            if shown && winning.is_some() && told.is_some_and(|(before, _)| before != 0) {
                self.darkened_ns = self.darkened_ns.or(Some(bus.begun_ns));
            }
            return if winning.is_some() { may(DARK) } else { must(DARK) };
        }
        if scene.testing() && winning.is_none() && self.some_result(bus.bits, board, scene) {
            return may(TESTED);
        }
        Answer::Unexplained(LIT, format!("the areas of the result, {winning:x?}, or none"))
    }
}

/// The areas of the result on show, if there is one.
fn winning(scene: &Scene) -> Option<[u64; 2]> {
    Some(scene.board()?.lit(scene.round.as_ref()?.result?))
}

/// Whether every board hears what it is told, and lights it.
fn sound(scene: &Scene) -> bool {
    let lag = [Part::Lamps, Part::Bus].into_iter().any(|part| scene.recently_broken(part, MENDED_NS));
    !lag && !scene.may_lag() && scene.in_service("lamps")
}

impl Lamps {
    fn record(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        let lit = match &record.fact {
            Fact::Started { layout, .. } => return self.layout.clone_from(layout),
            Fact::LampsVerified => {
                self.proved = true;
                None
            }
            Fact::RoundBegan { .. } => {
                self.proved = false;
                None
            }
            Fact::Result { .. } | Fact::Amended { .. } => {
                self.proved = false;
                self.darkened_ns = None;
                winning(scene)
            }
            _ if scene.ended => Some([0; 2]),
            _ => None,
        };
        if let Some(lit) = lit.filter(|_| sound(scene)) {
            self.owe(lit, scene, ledger);
        }
        if scene.ended {
            self.darkened_ns = None;
        } else if let Some(dark_ns) = self.darkened_ns.filter(|dark_ns| record.at_ns > *dark_ns) {
            // Nothing ended the round before this: the areas should have stayed lit.
            self.darkened_ns = None;
            ledger.must(DARK, What::record("settled"), dark_ns, dark_ns);
        }
    }

    /// Each board that is not told so yet has to be.
    fn owe(&self, lit: [u64; 2], scene: &Scene, ledger: &mut Ledger) {
        let rule = if lit == [0; 2] { DARK } else { LIT };
        ledger.drop_of(DARK);
        ledger.drop_of(LIT);
        for (unit, (bits, told)) in (LAMPS..).zip(lit.into_iter().zip(self.told)) {
            if told.is_some_and(|(told, ok)| told != bits || !ok) {
                ledger.must(rule, What::Coils { unit, bits }, scene.now_ns, scene.now_ns + TOLD_NS);
            }
        }
    }

    fn bus(&mut self, bus: &Transaction, now_ns: u64, scene: &Scene, ledger: &mut Ledger) {
        let Some(board) = board_of(bus) else { return };
        let (Some(told), Some(sensed)) = (self.told.get_mut(board), self.sensed.get_mut(board)) else { return };
        match bus.kind {
            BusKind::WriteCoils => {
                *told = Some((bus.bits, bus.ok));
                *sensed = None;
            }
            BusKind::ReadDiscrete if bus.ok && sensed.is_none_or(|(before, _)| before != bus.bits) => {
                *sensed = Some((bus.bits, now_ns));
                if self.all_lit(scene) != Some(now_ns) {
                    return;
                }
                remember(&mut self.lit_ns, MOST, now_ns);
                if !self.proved && sound(scene) && !ledger.owes(PROVED) {
                    ledger.must(PROVED, What::record("lamps-verified"), now_ns, now_ns);
                }
            }
            _ => {}
        }
    }

    /// When the last board was read that showed the winning areas of the result on all boards.
    fn all_lit(&self, scene: &Scene) -> Option<u64> {
        let (winning, all) = (winning(scene)?, scene.board()?.all);
        let mut last_ns = 0;
        for ((winning, all), sensed) in winning.into_iter().zip(all).zip(self.sensed) {
            if all != 0 {
                let (bits, at_ns) = sensed?;
                last_ns = at_ns.max(last_ns);
                (bits & all == winning).then_some(())?;
            }
        }
        Some(last_ns)
    }

    fn verified(&self, record: &Record, scene: &Scene) -> Answer {
        match self.all_lit(scene) {
            Some(at_ns) if at_ns == record.at_ns && !self.proved => must(PROVED),
            // The areas may have changed while the disk was writing; and a board that was lost is proved again.
            _ if self.lit_ns.contains(&record.at_ns) => may(PROVED),
            at_ns => Answer::Unexplained(PROVED, format!("one, at the reading that shows them: {at_ns:?}")),
        }
    }
}

impl Section for Lamps {
    fn rules(&self) -> Vec<Rule> {
        vec![LIT, DARK, TESTED, AGAIN, PROVED]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Bus(bus) if bus.kind == BusKind::WriteCoils => self.write(bus, scene),
            Seen::Record(record) if record.fact == Fact::LampsVerified => self.verified(record, scene),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Bus(bus) => self.bus(bus, seen.at_ns, scene, ledger),
            Seen::Truth(Truth::Process { .. }) => {
                *self = Self { layout: core::mem::take(&mut self.layout), ..Self::default() }
            }
            Seen::Record(record) => self.record(record, scene, ledger),
            _ => {}
        }
    }
}

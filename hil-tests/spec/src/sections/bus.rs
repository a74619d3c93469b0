//! The field bus: which blocks are read, and how often; which key events are acknowledged.
//!
//! ```text
//!  polled ──┬── reply ──> again after `poll_fast` or `poll_slow`, after the transaction that occupies the line
//!           └── none  ──> again, after its turn
//!  terminal: reading with events N, N+1, … ──> "acknowledge" N + count ──> the next reading has none of them
//!  reader:   dice may be seen ──> face block, until all three faces are known ──> never again in this round
//! ```

use crate::ledger::{Ledger, What};
use crate::observation::{BusKind, Observation, Part, Seen, Transaction, Truth};
use crate::record::Fact;
use crate::registers::{ACKNOWLEDGE, EVENTS, FACES_FIRST, HELD, LAMPS, POSES, READER, TERMINAL, place};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};

const BLOCK: Rule =
    Rule::new("bus.block", "registers.md: each unit is asked for its polled block, and for nothing else");
const OFTEN: Rule =
    Rule::new("bus.often", "design.md, Field bus: every unit is polled all the time, at least every `poll_slow`");
const RARELY: Rule =
    Rule::new("bus.rarely", "table.md, Parameters: no unit is polled sooner than after `poll_fast`, if it replied");
const SECRET: Rule = Rule::new(
    "bus.secret",
    "design.md, Secrecy of faces: the face registers are read from the reveal on until all are known",
);
const NEXT: Rule = Rule::new("bus.next", "registers.md, Keys: \"acknowledge\" says which event the master wants next");
const KEPT: Rule = Rule::new(
    "bus.kept",
    "registers.md, Keys: events that were read are acknowledged before they are read a third time",
);
const FAST: Rule =
    Rule::new("bus.fast", "table.md, Which keys count: the terminal is read every `poll_fast` once its keys matter");

const MS: u64 = 1_000_000;
const POLL_FAST_NS: u64 = 20 * MS;
const POLL_SLOW_NS: u64 = 250 * MS;
/// So exactly is a request made that is due, on a line that is free.
const PUNCTUAL_NS: u64 = MS;
/// Whoever has not been asked for so much longer is not asked any more.
const UNASKED_NS: u64 = 100 * MS;
/// A reader that was mended so recently may still be wrong.
const MENDED_NS: u64 = 3_000 * MS;
/// A unit that does not reply occupies the line so long, with the pause after it (registers.md: 50 ms and 256 bytes).
const SILENCE_NS: u64 = 85 * MS;

/// What is known of one unit.
#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    /// When it was last polled, and whether it replied; `None` since the process started.
    polled: Option<(u64, bool)>,
}

/// Watches the bus.
#[derive(Clone, Debug, Default)]
pub(super) struct Bus {
    /// Terminal, two boards, reader.
    units: [Unit; 4],
    /// When a transaction last failed, or the process last stood still.
    failed_ns: u64,
    /// When the last transaction ended, and since when there had been no rest between them.
    ended_ns: u64,
    busy_ns: u64,
    /// When the last transaction of the other kinds was made of each unit.
    written_ns: [u64; 4],
    /// Number of the first event and of the next one in the last reading, and how often the same was read.
    read: Option<(u16, u16, u32)>,
    /// All three faces were read in this round, and what is read belongs to it.
    known: bool,
    /// Since when keys matter.
    fast_ns: Option<u64>,
    /// The faces are on record.
    recorded: bool,
    /// When the faces have to be read.
    faces_ns: Option<u64>,
    /// The terminal was read slowly after this reading, and nothing on record says yet why.
    slow_ns: Option<u64>,
}

impl Bus {
    /// Whether this is a request that the map has.
    fn permitted(&self, bus: &Transaction, scene: &Scene) -> bool {
        let lamps = |unit: u8| {
            let board = usize::from(unit.saturating_sub(LAMPS));
            let wired = |all: [u64; 2]| all.get(board).is_some_and(|all| all.count_ones() == u32::from(bus.count));
            scene.config.boards.iter().any(|board| wired(board.all))
        };
        match (bus.unit, bus.kind, bus.address) {
            (TERMINAL, BusKind::ReadInput, HELD) => bus.count == 12,
            (TERMINAL, BusKind::WriteHolding, ACKNOWLEDGE | 1) => bus.count == 1,
            (LAMPS | 3, BusKind::ReadDiscrete | BusKind::WriteCoils, 0) => lamps(bus.unit),
            (READER, BusKind::ReadInput, POSES) => scene.config.given.reader && bus.count == 9,
            (READER, BusKind::ReadInput, FACES_FIRST) => scene.config.given.reader && bus.count == 4,
            _ => false,
        }
    }

    fn poll(&mut self, bus: &Transaction, scene: &Scene) -> Answer {
        let Some(unit) = place(bus.unit).and_then(|place| self.units.get(place)) else { return may(BLOCK) };
        let calm = bus.ok && self.failed_ns < bus.begun_ns;
        if calm && bus.unit == TERMINAL && self.read.is_some_and(|(first, next, times)| first != next && times > 2) {
            return Answer::Unexplained(KEPT, "\"acknowledge\" first".into());
        }
        let Some((last_ns, true)) = unit.polled else { return may(OFTEN) };
        let written = place(bus.unit).and_then(|place| self.written_ns.get(place)).is_some_and(|at| *at >= last_ns);
        let gap_ns = bus.begun_ns.saturating_sub(last_ns);
        let quiet = self.failed_ns < last_ns && bus.begun_ns > scene.started_ns + POLL_SLOW_NS;
        let rested = bus.begun_ns > self.ended_ns + PUNCTUAL_NS;
        let late = |after_ns: u64| {
            let due_ns = last_ns + after_ns + PUNCTUAL_NS;
            quiet && bus.begun_ns > due_ns && (rested || self.busy_ns > due_ns)
        };
        if late(POLL_SLOW_NS) {
            return Answer::Unexplained(OFTEN, format!("a poll within 250 ms, not after {} us", gap_ns / 1000));
        }
        let matter = self.fast_ns.is_some_and(|since| since < last_ns);
        if bus.unit == TERMINAL && matter && late(POLL_FAST_NS) {
            self.slow_ns = self.slow_ns.or(Some(last_ns));
            return may(FAST);
        }
        if quiet && bus.unit != TERMINAL && bus.unit != READER && !written && gap_ns < POLL_FAST_NS / 2 {
            return Answer::Unexplained(RARELY, format!("the next poll after 20 ms, not after {} us", gap_ns / 1000));
        }
        if quiet { must(OFTEN) } else { may(OFTEN) }
    }

    fn faces(&self, scene: &Scene) -> Answer {
        let seen = scene.round.as_ref().is_some_and(|round| round.could_see);
        if seen && !self.known {
            must(SECRET)
        } else {
            Answer::Unexplained(SECRET, "the face block of dice that may be seen, whose faces are not known".into())
        }
    }

    /// Nothing that has to be asked is left unasked.
    fn asks(&mut self, scene: &Scene, ledger: &mut Ledger) {
        let now_ns = scene.now_ns;
        if scene.alive != Some(true) || now_ns < self.failed_ns || scene.recently_broken(Part::Bus, MENDED_NS) {
            return;
        }
        let since_ns = self.failed_ns.max(scene.started_ns);
        let sound = scene.in_service("reader") && !scene.recently_broken(Part::Reader, MENDED_NS) && !scene.may_lag();
        let faces_ns = self.faces_ns.filter(|_| !self.known && scene.config.given.reader && sound);
        if faces_ns.is_some_and(|at_ns| since_ns + POLL_SLOW_NS + UNASKED_NS < at_ns && at_ns < now_ns) {
            self.faces_ns = None;
            ledger.wrong(SECRET, "missing: the faces of dice that the reader finds flat are not read".into());
        }
    }

    fn acknowledged(&self, bus: &Transaction) -> Answer {
        let next = self.read.map(|(_, next, _)| next);
        let says = bus.word(ACKNOWLEDGE);
        if says.is_some() && says == next { must(NEXT) } else { Answer::Unexplained(NEXT, format!("{next:?}")) }
    }

    fn took(&mut self, bus: &Transaction, now_ns: u64) {
        if bus.begun_ns > core::mem::replace(&mut self.ended_ns, now_ns) + PUNCTUAL_NS {
            self.busy_ns = bus.begun_ns;
        }
        let Some(place) = place(bus.unit) else { return };
        if bus.kind != BusKind::WriteCoils && bus.kind != BusKind::WriteHolding {
            if let Some(unit) = self.units.get_mut(place) {
                unit.polled = Some((if bus.is_poll() { bus.begun_ns } else { now_ns }, bus.ok));
            }
        } else if let Some(written) = self.written_ns.get_mut(place) {
            *written = bus.begun_ns;
        }
        if let (TERMINAL, true, true, Some(first), Some(count)) =
            (bus.unit, bus.is_poll(), bus.ok, bus.word(HELD + 1), bus.word(EVENTS))
        {
            let next = first.wrapping_add(count);
            let times = self
                .read
                .filter(|(begin, end, _)| *begin == first && begin != end)
                .map_or(1, |(_, _, times)| times + 1);
            self.read = Some((first, next, times));
        }
        if bus.unit == TERMINAL && bus.kind == BusKind::WriteHolding && bus.address == ACKNOWLEDGE {
            self.read = self.read.map(|(first, next, _)| (first, next, 0));
        }
        if bus.unit == READER && bus.kind == BusKind::ReadInput && bus.address == FACES_FIRST && bus.ok {
            self.known =
                (FACES_FIRST + 1..=FACES_FIRST + 3).all(|at| bus.word(at).is_some_and(|face| (1..=6).contains(&face)));
        }
    }
}

impl Section for Bus {
    fn rules(&self) -> Vec<Rule> {
        vec![BLOCK, OFTEN, RARELY, SECRET, NEXT, KEPT, FAST]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Bus(bus) = &seen.what else { return Answer::NotMine };
        if !self.permitted(bus, scene) {
            return Answer::Unexplained(BLOCK, "a request of a block that the unit has".into());
        }
        match bus.kind {
            _ if bus.is_poll() => self.poll(bus, scene),
            BusKind::ReadInput => self.faces(scene),
            BusKind::WriteHolding if bus.address == ACKNOWLEDGE => self.acknowledged(bus),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Bus(bus) => {
                if !bus.ok {
                    self.failed_ns = seen.at_ns + SILENCE_NS * 4;
                }
                self.took(bus, seen.at_ns);
            }
            Seen::Truth(Truth::Process { .. } | Truth::Hung { .. } | Truth::Supply { .. }) => {
                *self = Self {
                    known: self.recorded,
                    recorded: self.recorded,
                    failed_ns: seen.at_ns + SILENCE_NS * 4,
                    ..Self::default()
                };
            }
            Seen::Record(record) => {
                self.recorded |= record.fact == Fact::FacesRead;
                if matches!(&record.fact, Fact::Established { flat } if flat == "reader") {
                    self.faces_ns = Some(seen.at_ns + POLL_SLOW_NS + UNASKED_NS);
                }
                if record.fact.begins_new_journal() {
                    (self.known, self.recorded) = (false, false);
                }
                if scene.began || scene.ended {
                    (self.known, self.recorded, self.fast_ns, self.faces_ns) = (false, false, None, None);
                }
                let matter =
                    scene.round.as_ref().is_some_and(|round| round.called && round.valid_spin && round.asked.is_none());
                if let Some(slow_ns) = self.slow_ns.filter(|slow_ns| record.at_ns > slow_ns + POLL_SLOW_NS) {
                    self.slow_ns = None;
                    // Nothing ended the round before: keys mattered, and they were read slowly.
                    if matter && self.fast_ns.is_some() {
                        ledger.must(FAST, What::record("settled"), slow_ns, slow_ns);
                    }
                }
                self.fast_ns = if matter { self.fast_ns.or(Some(seen.at_ns)) } else { None };
            }
            _ => {}
        }
        self.asks(scene, ledger);
    }
}

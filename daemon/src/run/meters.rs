//! What wires and field bus did since the daemon's start: a slot for each line, each unit, and each block of registers.
//!
//! It is told of inputs and effects after they have had theirs, so that nothing waits for it; it allocates nothing and never grows. What
//! comes in was masked before: no key that may not be known yet comes here.

use tumbler_core::device::bus::Unit;
use tumbler_core::effect::{BusOp, BusRequest, Effect};
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::timer::UNITS;
use tumbler_core::units::Mono;
use tumbler_core::wire::registers::Kind;

/// Blocks of registers that are read or written in one transaction, of one unit at most.
const BLOCKS: usize = 4;
/// Registers in one block at most.
const WORDS: usize = 16;

/// All of it.
#[derive(Clone, Debug)]
pub struct Meters {
    pub(super) began: Mono,
    /// Whether the lines are watched.
    pub(super) watched: bool,
    pub(super) inputs: [Line; InLine::ALL.len()],
    pub(super) outputs: [Line; OutLine::ALL.len()],
    units: [Counts; UNITS],
    /// The transaction under way.
    transaction: Option<Transaction>,
}

/// One line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Its level, as far as one was heard since the lines are watched.
    pub(super) active: Option<bool>,
    /// The level that was heard last.
    last: Option<bool>,
    pub(super) since: Mono,
    pub(super) changes: u64,
    pub(super) changed: Option<Mono>,
    pub(super) gaps: u64,
    pub(super) commanded: Option<bool>,
}

impl Line {
    /// It has this level; `is_edge`: it has just changed to it.
    fn hear(&mut self, active: bool, is_edge: bool, at: Mono) {
        if is_edge || self.last.is_some_and(|last| last != active) {
            self.changes = self.changes.saturating_add(1);
            self.changed = Some(at);
        }
        if is_edge || self.active != Some(active) {
            self.since = at;
        }
        (self.active, self.last) = (Some(active), Some(active));
    }
}

/// One unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) exchanges: u64,
    pub(super) timeouts: u64,
    pub(super) corrupt: u64,
    pub(super) misshapen: u64,
    pub(super) exceptions: u64,
    pub(super) exception: Option<u8>,
    pub(super) port_gone: u64,
    pub(super) retries: u64,
    pub(super) answered: Option<Mono>,
    /// Whether the last transaction failed.
    failed: bool,
    blocks: [Option<Block>; BLOCKS],
}

/// Registers or bits that were last read or written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    kind: Kind,
    address: u16,
    count: u16,
    values: Values,
    /// When.
    pub(super) at: Mono,
    /// Its keys were masked.
    pub(super) masked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Words([u16; WORDS]),
    Bits(u64),
}

impl Values {
    /// The first [`WORDS`] of these.
    fn words(from: &[u16]) -> Self {
        let mut words = [0; WORDS];
        words.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        Self::Words(words)
    }
}

impl Block {
    /// The value at an address, where that is in it.
    pub(super) fn value(&self, address: u16) -> Option<u16> {
        let place = address.checked_sub(self.address).filter(|place| *place < self.count)?;
        match &self.values {
            Values::Words(words) => words.get(usize::from(place)).copied(),
            Values::Bits(bits) => Some(u16::from(bits.checked_shr(u32::from(place))? & 1 == 1)),
        }
    }
}

impl Counts {
    /// The block that has this address.
    pub(super) fn block(&self, kind: Kind, address: u16) -> Option<&Block> {
        self.blocks.iter().flatten().find(|block| block.kind == kind && block.value(address).is_some())
    }

    fn keep(&mut self, block: Block) {
        let is_it = |old: &Option<Block>| old.is_none_or(|old| (old.kind, old.address) == (block.kind, block.address));
        if let Some(slot) = self.blocks.iter_mut().find(|slot| is_it(slot)) {
            *slot = Some(block);
        }
    }

    fn fail(&mut self, failure: BusFailure) {
        let count = match failure {
            BusFailure::Timeout => &mut self.timeouts,
            BusFailure::Corrupt => &mut self.corrupt,
            BusFailure::WrongShape => &mut self.misshapen,
            BusFailure::PortGone => &mut self.port_gone,
            BusFailure::Exception(code) => {
                self.exception = Some(code);
                &mut self.exceptions
            }
        };
        *count = count.saturating_add(1);
    }
}

/// A transaction that goes on.
#[derive(Clone, Copy, Debug)]
struct Transaction {
    id: u32,
    unit: u8,
    asked: Mono,
    /// What it reads or writes; what it reads has no values yet.
    block: Block,
}

impl Meters {
    /// Nothing was seen yet.
    #[must_use]
    pub fn new(began: Mono) -> Self {
        Self {
            began,
            watched: true,
            inputs: Default::default(),
            outputs: Default::default(),
            units: Default::default(),
            transaction: None,
        }
    }

    /// Takes note of what came in. `masked`: the reply that it may be has keys that were masked. Gives the unit and the time in nanoseconds
    /// of a transaction that ended with it.
    pub fn take(&mut self, at: Mono, input: &Input, masked: bool) -> Option<(u8, u64)> {
        match *input {
            Input::Level { line, active } => self.input(line).hear(active, false, at),
            Input::Edge { line, active } => self.input(line).hear(active, true, at),
            Input::LineGap { line } => {
                let line = self.input(line);
                line.gaps = line.gaps.saturating_add(1);
            }
            Input::Readback { line, active } => self.output(line).hear(active, false, at),
            Input::LinesLost { .. } => {
                self.watched = false;
                self.inputs.iter_mut().chain(&mut self.outputs).for_each(|line| line.active = None);
            }
            Input::LinesBack => self.watched = true,
            Input::Bus { id, ref reply } => return self.answered(at, id, reply, masked),
            _ => {}
        }
        None
    }

    /// Takes note of what goes out: levels that outputs are to have, and what units are asked.
    pub fn tell(&mut self, now: Mono, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Set(told) => self.output(told.line()).commanded = Some(told.is_active()),
                Effect::Bus(request) => self.asked(now, request),
                _ => {}
            }
        }
    }

    fn asked(&mut self, asked: Mono, request: &BusRequest) {
        let (kind, address, count, values) = match request.op {
            BusOp::ReadInput { address, count } => (Kind::InputRegister, address, count, Values::Bits(0)),
            BusOp::ReadDiscrete { address, count } => (Kind::DiscreteInput, address, count, Values::Bits(0)),
            BusOp::WriteCoils { address, count, bits } => (Kind::Coil, address, count, Values::Bits(bits)),
            BusOp::WriteHolding { address, ref values } => {
                let count = u16::try_from(values.len()).unwrap_or(u16::MAX);
                (Kind::HoldingRegister, address, count, Values::words(values))
            }
        };
        let block = Block { kind, address, count, values, at: asked, masked: false };
        self.transaction = Some(Transaction { id: request.id, unit: request.unit, asked, block });
        if let Some(counts) = self.counts(request.unit) {
            counts.retries = counts.retries.saturating_add(u64::from(counts.failed));
        }
    }

    fn answered(&mut self, at: Mono, id: u32, reply: &Result<BusReply, BusFailure>, masked: bool) -> Option<(u8, u64)> {
        let Transaction { unit, asked, block, .. } = self.transaction.take_if(|asked| asked.id == id)?;
        let ended = Some((unit, at.nanos_since(asked)));
        let Some(counts) = self.counts(unit) else { return ended };
        counts.exchanges = counts.exchanges.saturating_add(1);
        counts.failed = reply.is_err();
        let values = match reply {
            Err(failure) => {
                counts.fail(*failure);
                return ended;
            }
            Ok(BusReply::Words(words)) => Values::words(words),
            Ok(BusReply::Bits(bits)) => Values::Bits(*bits),
            Ok(BusReply::Written) => block.values,
        };
        counts.answered = Some(at);
        counts.keep(Block { values, at, masked, ..block });
        ended
    }

    fn input(&mut self, line: InLine) -> &mut Line {
        #[expect(clippy::indexing_slicing, reason = "a line's index is its place in ALL")]
        &mut self.inputs[line.index()]
    }

    fn output(&mut self, line: OutLine) -> &mut Line {
        #[expect(clippy::indexing_slicing, reason = "a line's index is its place in ALL")]
        &mut self.outputs[line.index()]
    }

    /// The place of the unit at this address.
    fn place(address: u8) -> Option<usize> {
        let places = 0..u8::try_from(UNITS).unwrap_or(u8::MAX);
        places.map(Unit::at).find(|unit| unit.address() == address).map(|unit| unit.index().into())
    }

    fn counts(&mut self, unit: u8) -> Option<&mut Counts> {
        self.units.get_mut(Self::place(unit)?)
    }

    /// What is known of the unit at this address.
    pub(super) fn unit(&self, unit: u8) -> Counts {
        Self::place(unit).and_then(|place| self.units.get(place)).copied().unwrap_or_default()
    }
}

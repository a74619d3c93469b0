//! Every wire and every register by its name, for whoever looks for a broken one: what [`Meters`] has, and where it lies.

use super::clock;
use super::meters::{Counts, Line as Meter, Meters};
use std::sync::Arc;
use tokio::sync::watch;
use tumbler_core::device::bus::Unit as Address;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Mono;
use tumbler_core::wire::lines::Line;
use tumbler_core::wire::registers::{Kind, Named, lamps, reader, terminal};
use tumbler_core::wire::wires::{Register, Unit, Wire, Wires};

/// Where a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As the configuration has it.
    pub pin: String,
    /// The pin of a Raspberry Pi's 40-pin header.
    pub header: Option<u8>,
    /// A low level is the active one.
    pub active_low: bool,
}

/// What there is at a table, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order of [`InLine::ALL`]; none on a bench's wire.
    pub inputs: [Option<Place>; InLine::ALL.len()],
    /// In the order of [`OutLine::ALL`]; none on a bench's wire.
    pub outputs: [Option<Place>; OutLine::ALL.len()],
    /// Whether there is a dice reader.
    pub reader: bool,
    /// The areas of the layout, in its order.
    pub areas: Vec<String>,
}

/// What tells of the wires.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// What there is.
    pub plan: Arc<Plan>,
    /// What it did.
    pub meters: watch::Receiver<Arc<Meters>>,
}

impl Wiring {
    /// All of it as it is now, beside the table as it is.
    #[must_use]
    pub fn shown(&self, snapshot: &Snapshot) -> Wires {
        let meters = Arc::clone(&self.meters.borrow());
        self.plan.shown(&meters, &snapshot.lost_units, clock::now(), clock::wall())
    }
}

impl Plan {
    fn shown(&self, meters: &Meters, lost: &[u8], now: Mono, wall: i64) -> Wires {
        let inputs = InLine::ALL.into_iter().zip(&self.inputs).zip(&meters.inputs);
        let inputs = inputs.map(|((line, place), meter)| {
            let note = note(line, meters);
            wire(Line::In(line), place.as_ref(), meter, meters.watched, |active| line.means(active), note)
        });
        let outputs = OutLine::ALL.into_iter().zip(&self.outputs).zip(&meters.outputs);
        let outputs = outputs.map(|((line, place), meter)| {
            let differs = meter.active.zip(meter.commanded).filter(|(active, commanded)| active != commanded);
            let note = differs.map(|(active, commanded)| {
                format!("told {}, and reads back {}", line.means(commanded), line.means(active))
            });
            wire(Line::Out(line), place.as_ref(), meter, meters.watched, |active| line.means(active), note)
        });
        let lines = inputs.chain(outputs).collect();
        let units = self.addresses().map(|address| self.unit(address, meters, lost)).collect();
        Wires { now, wall, began: meters.began, lines, units }
    }

    /// The units that there are, by their addresses.
    fn addresses(&self) -> impl Iterator<Item = Address> {
        let boards = u8::try_from(self.areas.len().div_ceil(lamps::PER_BOARD)).unwrap_or(u8::MAX);
        let reader = self.reader.then_some(Address::Reader);
        [Address::Terminal].into_iter().chain((0..boards).map(Address::Board)).chain(reader)
    }

    fn unit(&self, address: Address, meters: &Meters, lost: &[u8]) -> Unit {
        let unit = address.address();
        let counts = meters.unit(unit);
        let registers = match address {
            Address::Terminal => registers(&terminal::MAP, &counts, &[]),
            Address::Reader => registers(&reader::MAP, &counts, &[]),
            Address::Board(board) => {
                let areas = self.areas.chunks(lamps::PER_BOARD).nth(board.into()).unwrap_or_default();
                registers(&lamps::MAP, &counts, areas)
            }
        };
        let Counts {
            exchanges, timeouts, corrupt, misshapen, exceptions, exception, port_gone, retries, answered, ..
        } = counts;
        Unit {
            unit,
            name: Address::name_of(unit),
            lost: lost.contains(&unit),
            exchanges,
            timeouts,
            corrupt,
            misshapen,
            exceptions,
            exception,
            port_gone,
            retries,
            answered,
            registers,
        }
    }
}

fn wire(
    line: Line,
    place: Option<&Place>,
    meter: &Meter,
    watched: bool,
    means: impl Fn(bool) -> &'static str,
    note: Option<String>,
) -> Wire {
    let Meter { active, since, changes, changed, gaps, commanded, .. } = *meter;
    Wire {
        line,
        pin: place.map(|place| place.pin.clone()),
        header: place.and_then(|place| place.header),
        watched,
        active,
        means: active.map(|active| means(active).to_owned()),
        high: place.zip(active).map(|(place, active)| active != place.active_low),
        since: active.map(|_| since),
        changes,
        changed,
        gaps,
        commanded,
        note,
    }
}

/// What is odd about an input: of the dome's contacts, of which exactly one is made in a healthy pair.
fn note(line: InLine, meters: &Meters) -> Option<String> {
    let of = |line: InLine| meters.inputs.get(line.index()).and_then(|meter| meter.active);
    let both = of(InLine::DomeClosed).zip(of(InLine::DomeOpen)).filter(|_| line.is_of_dome());
    let said = match both? {
        (true, true) => "both contacts of the dome are made",
        (false, false) => "neither contact of the dome is made",
        _ => return None,
    };
    Some(said.to_owned())
}

/// All that a unit has by its map; a lamp board's as far as it has areas.
fn registers(map: &[Named], counts: &Counts, areas: &[String]) -> Vec<Register> {
    let is_wired = |kind: Kind, place: u16| match kind {
        Kind::Coil | Kind::DiscreteInput => usize::from(place) < areas.len(),
        Kind::InputRegister | Kind::HoldingRegister => true,
    };
    let each = map.iter().flat_map(|named| (0..named.count).map(move |place| (named, place)));
    let each = each.filter(|(named, place)| is_wired(named.kind, *place));
    each.map(|(named, place)| {
        let (kind, address) = (named.kind, named.address.saturating_add(place));
        let block = counts.block(kind, address);
        let value = block.and_then(|block| block.value(address));
        // Masked are the keys: what is not 0 says only that there is one.
        let secret = block.is_some_and(|block| block.masked) && value != Some(0) && terminal::is_key(address);
        Register {
            kind,
            address,
            name: named.name.to_owned(),
            area: areas.get(usize::from(place)).cloned(),
            value: value.filter(|_| !secret),
            secret,
            at: block.map(|block| block.at),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests;

//! Finds the faults of the other parts in a recording, from their answers: units of the field bus, lamps, display, dice and
//! reader, temperature, driver, outputs, disk. Each becomes the catalogue's fault that fits best, from when it showed.

use super::events::{Events, Transaction};
use super::script::Script;
use std::collections::BTreeMap;
use tumbler_bench::EnvironmentFault;
use tumbler_bench::environment_fault::SLOW_SYNC_MILLIS;
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::rules::Layout;
use tumbler_core::units::Dice;
use tumbler_core::wire::registers::{lamps, reader, terminal};
use tumbler_twin::{Fault, LampFault, Noise};

/// A unit that does not answer for this long is broken; a shorter silence is noise.
const SILENT: u64 = 900_000_000;
/// A fault is injected this long before it shows.
const BEFORE: u64 = 2_000_000;
/// A displayed value that differs for this long is wrong and not just late.
const WRONG: u64 = 400_000_000;
/// A dark lamp fails this long before it should have shone.
const UNSEEN: u64 = 3_000_000_000;
/// A commit that takes this long is slow.
const SLOW: u64 = 1_000_000_000;

/// Contacts of the driver, the outputs' readback, temperature and disk.
pub(super) fn wires(events: &Events, script: &mut Script) {
    for moved in events.of_line(InLine::MotorFault).iter().filter(|moved| moved.changed) {
        script.broken(moved.at, Fault::DriverFault, moved.active);
    }
    for line in [InLine::DomeClosed, InLine::Seal] {
        let blinks: Vec<_> = events.of_line(line).iter().filter(|moved| !moved.changed).collect();
        if let (Some(first), Some(last)) = (blinks.first(), blinks.last()) {
            let long = line == InLine::DomeClosed && blinks.iter().any(|b| b.away >= 3_000_000);
            let noise = Fault::Noise(if long { Noise::long_flicker(line) } else { Noise::flicker(line) });
            script.broken(first.at.saturating_sub(BEFORE), noise, true);
            script.broken(last.at + 20_000_000, noise, false);
        }
    }
    for (at, line, active) in &events.driven {
        let is = |wanted: bool| {
            let mut after = events.read.iter().filter(|(read, l, _)| l == line && *read >= *at);
            after.next().is_some_and(|(read, _, level)| *level == wanted && read - at < 50_000_000)
        };
        if *line != tumbler_core::line::OutLine::MotorAlive && is(!*active) {
            script.broken(at.saturating_sub(BEFORE), Fault::PinStuck(*line), true);
        }
    }
    temperature(events, script);
    disk(events, script);
}

fn temperature(events: &Events, script: &mut Script) {
    let mut broken: Option<Fault> = None;
    let mut before: Option<i32> = None;
    for (at, reading) in &events.temperature {
        let jumped = before.zip(*reading).is_some_and(|(before, now)| (before - now).abs() > 30_000);
        let fault = match reading {
            None => Some(Fault::TemperatureDead),
            Some(_) if jumped || broken == Some(Fault::TemperatureAbsurd) => Some(Fault::TemperatureAbsurd),
            Some(now) if *now > 80_000 || before.is_some_and(|b| now - b > 4_000) => Some(Fault::MotorHot),
            Some(_) => None,
        };
        if fault != broken && !(broken == Some(Fault::MotorHot) && reading.is_some_and(|now| now > 60_000)) {
            if let Some(was) = broken {
                script.broken(at.saturating_sub(BEFORE), was, false);
            }
            if let Some(now) = fault {
                script.broken(at.saturating_sub(BEFORE), now, true);
            }
            broken = fault;
        }
        before = reading.or(before);
    }
}

fn disk(events: &Events, script: &mut Script) {
    let mut slow = false;
    for (at, record) in &events.records {
        let durable = events.durable.iter().find(|(_, seq)| *seq >= record.seq.0).map_or(events.end, |(at, _)| *at);
        let late = durable.saturating_sub(*at) > SLOW;
        if late != slow {
            let commits = EnvironmentFault::DiskTakes(SLOW_SYNC_MILLIS);
            let word = if late { "fault" } else { "heal" };
            script.at(at.saturating_sub(BEFORE), 0, format!("{word} {commits}"));
            slow = late;
        }
    }
}

/// Units that did not answer.
pub(super) fn silence(events: &Events, script: &mut Script) {
    let mut since: BTreeMap<u8, u64> = BTreeMap::new();
    let mut gaps: Vec<(u8, u64, Option<u64>)> = Vec::new();
    for Transaction { begun, ended, request, reply } in &events.bus {
        match reply {
            Ok(_) | Err(BusFailure::Exception(_)) => {
                if let Some(from) = since.remove(&request.unit).filter(|from| ended - from > SILENT) {
                    gaps.push((request.unit, from, Some(*begun)));
                }
            }
            Err(BusFailure::PortGone) => script.leave_out("the field bus' port was gone"),
            Err(BusFailure::Corrupt | BusFailure::WrongShape) => script.leave_out("frames of the field bus were hit"),
            Err(BusFailure::Timeout) => drop(since.entry(request.unit).or_insert(*begun)),
        }
    }
    gaps.extend(
        since.into_iter().filter(|(_, from)| events.end - from > SILENT).map(|(unit, from)| (unit, from, None)),
    );
    for (unit, from, until) in gaps {
        if ![terminal::UNIT, reader::UNIT, lamps::FIRST_UNIT].contains(&unit) {
            script.leave_out("the second lamp board was silent");
            continue;
        }
        script.broken(from.saturating_sub(BEFORE), Fault::UnitSilent(unit), true);
        if let Some(until) = until {
            script.broken(until.saturating_sub(BEFORE), Fault::UnitSilent(unit), false);
        }
    }
}

/// Lamps that did not follow their coils.
pub(super) fn lights(events: &Events, layout: &Layout, script: &mut Script) {
    let mut told: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    let mut lamps: BTreeMap<(u8, u32), Lamp> = BTreeMap::new();
    for Transaction { begun, ended, request, reply } in &events.bus {
        let Some(board) = request.unit.checked_sub(lamps::FIRST_UNIT).filter(|_| request.unit < reader::UNIT) else {
            continue;
        };
        match (&request.op, reply) {
            (BusOp::WriteCoils { bits, .. }, _) => drop(told.insert(request.unit, (*begun, *bits))),
            (BusOp::ReadDiscrete { .. }, Ok(BusReply::Bits(sensed))) => {
                let Some((at, bits)) = told.get(&request.unit) else { continue };
                for output in 0..64_u32 {
                    let number = usize::from(board) * lamps::PER_BOARD + output as usize;
                    let Some(number) = u16::try_from(number).ok().filter(|_| number < layout.areas.len()) else {
                        break;
                    };
                    let lamp = lamps.entry((board, output)).or_default();
                    let (on, flows) = (bits >> output & 1 == 1, sensed >> output & 1 == 1);
                    // A lamp takes its time to light and to go out.
                    lamp.sensed(on, flows, *begun, ended - at > WRONG, number, script);
                }
            }
            _ => {}
        }
    }
}

/// What is known of one lamp.
#[derive(Default)]
struct Lamp {
    /// When it last shone, and was last dark, as commanded.
    good: [u64; 2],
    wrong_since: Option<u64>,
    broken: Option<(bool, Fault)>,
}

impl Lamp {
    fn sensed(&mut self, on: bool, flows: bool, at: u64, settled: bool, lamp: u16, script: &mut Script) {
        let [dark, lit] = &mut self.good;
        let good = if on { lit } else { dark };
        if on == flows {
            *good = at;
            self.wrong_since = None;
            if let Some((_, was)) = self.broken.take_if(|(was, _)| *was == on) {
                script.broken(at.saturating_sub(BEFORE), was, false);
            }
            return;
        }
        let since = *self.wrong_since.get_or_insert(at);
        if settled && self.broken.is_none() {
            let fault = Fault::Lamp { kind: if on { LampFault::Open } else { LampFault::StuckOn }, lamp };
            // It may have failed at any time since it last worked, because a failure of a dark lamp does not show.
            let failed = since.saturating_sub(if on { UNSEEN } else { BEFORE }).max(*good + 1);
            script.broken(failed, fault, true);
            self.broken = Some((on, fault));
        }
    }
}

/// A display that showed something else, and keys that were stuck.
pub(super) fn terminal(events: &Events, stuck: u64, script: &mut Script) {
    let mut written: Option<(u64, u16)> = None;
    let mut held: Option<(u64, u16)> = None;
    let (mut wrong, mut caught) = (false, None);
    for Transaction { begun, ended, request, reply } in events.bus.iter().filter(|t| t.request.unit == terminal::UNIT) {
        match (&request.op, reply) {
            (BusOp::WriteHolding { address: terminal::DISPLAY, values }, Ok(_)) => {
                written = values.first().map(|value| (*begun, *value));
            }
            (BusOp::ReadInput { address: terminal::POLL, .. }, Ok(BusReply::Words(words))) => {
                let (Some(now), Some(shown)) = (words.first(), words.last()) else { continue };
                if let Some((at, wanted)) = written {
                    if wanted != *shown && ended - at > WRONG && !wrong {
                        script.broken(at.saturating_sub(BEFORE), Fault::DisplayWrong, true);
                        wrong = true;
                    } else if wanted == *shown && wrong {
                        script.broken(begun.saturating_sub(BEFORE), Fault::DisplayWrong, false);
                        wrong = false;
                    }
                }
                held = match held {
                    Some((since, keys)) if keys & now != 0 => Some((since, keys & now)),
                    _ => (*now != 0).then_some((*begun, *now)),
                };
                let long = held.filter(|(since, _)| ended - since >= stuck);
                if let (Some((since, keys)), None) = (long, caught) {
                    let key = Fault::KeyStuck(keys.trailing_zeros() as u8 + 1);
                    script.broken(since.saturating_sub(BEFORE), key, true);
                    caught = Some(key);
                } else if let (None, Some(key)) = (held, caught) {
                    script.broken(begun.saturating_sub(BEFORE), key, false);
                    caught = None;
                }
            }
            _ => {}
        }
    }
}

/// What the dice showed after each spin, and how they lay: a step before each throw says so.
pub(super) fn dice(events: &Events, enrolled: Option<[u16; 3]>, script: &mut Script) {
    let mut spins: Vec<u64> =
        events.records.iter().filter(|(_, r)| matches!(r.event, Event::SpinBegan)).map(|(at, _)| *at).collect();
    spins.push(u64::MAX);
    let mut broken: Option<Fault> = None;
    for spin in spins.windows(2) {
        let &[from, to] = spin else { continue };
        let faces = shown(events, from, to);
        if let Some([a, b, c]) = faces {
            script.at(from.saturating_sub(BEFORE), 0, format!("dice {a} {b} {c}"));
        }
        let fault = lying(events, from, to, enrolled);
        if let Some(was) = broken.take_if(|was| Some(*was) != fault) {
            script.broken(from.saturating_sub(BEFORE), was, false);
        }
        if let Some(now) = fault.filter(|_| broken.is_none()) {
            script.broken(from.saturating_sub(BEFORE), now, true);
            broken = Some(now);
        }
    }
}

/// The faces: as settled, else as read by the reader, else as entered.
fn shown(events: &Events, from: u64, to: u64) -> Option<[u8; 3]> {
    let records = || events.records.iter().filter(|(at, _)| (from..to).contains(at)).map(|(_, record)| &record.event);
    let settled = records().find_map(|event| match event {
        Event::Settled { dice, .. } => Some(dice.pips()),
        _ => None,
    });
    let read =
        events.bus.iter().filter(|t| (from..to).contains(&t.ended)).find_map(|t| match (&t.request.op, &t.reply) {
            (BusOp::ReadInput { address: reader::FACES, .. }, Ok(BusReply::Words(words))) => {
                let &[_, a, b, c] = words.as_slice() else { return None };
                let pips = [u8::try_from(a).ok()?, u8::try_from(b).ok()?, u8::try_from(c).ok()?];
                Dice::from_pips(pips).ok().map(|_| pips)
            }
            _ => None,
        });
    let entered = records().find_map(|event| match event {
        Event::Result { dice, .. } => Some(dice.pips()),
        _ => None,
    });
    settled.or(read).or(entered)
}

/// How the dice last lay after a spin, as a fault; `None` if they lay flat.
fn lying(events: &Events, from: u64, to: u64, enrolled: Option<[u16; 3]>) -> Option<Fault> {
    let mut last = None;
    for t in events.bus.iter().filter(|t| (from..to).contains(&t.ended)) {
        if let (BusOp::ReadInput { address: reader::POSE, .. }, Ok(BusReply::Words(words))) = (&t.request.op, &t.reply)
        {
            let &[_, seen, p0, p1, p2, i0, i1, i2, _] = words.as_slice() else { continue };
            last = Some((seen, [p0, p1, p2], [i0, i1, i2]));
            // The round is over, so people may move the dice.
            if events.records.iter().any(|(at, r)| *at > from && *at < t.ended && matches!(r.event, Event::Voided(_))) {
                break;
            }
        }
    }
    let (seen, poses, identities) = last?;
    let cocked = poses.iter().filter(|pose| **pose == reader::NOT_FLAT).count();
    if poses.contains(&reader::MISSING) {
        Some(Fault::DiceMissing)
    } else if seen > 3 {
        Some(Fault::DiceExtra)
    } else if enrolled.is_some_and(|enrolled| enrolled != identities) {
        Some(Fault::DiceForeign)
    } else if cocked > 0 {
        Some(Fault::DiceCocked(cocked as u8))
    } else {
        None
    }
}

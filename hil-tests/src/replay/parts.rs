//! Finds the faults of the other parts in a recording, from their answers: units of the field bus, lamps, display, dice and
//! reader, temperature, driver, outputs, disk. Each becomes the catalogue's fault that fits best, from when it showed.

use super::events::{Events, Transaction};
use super::script::Script;
use std::collections::BTreeMap;
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::rules::Layout;
use tumbler_core::units::Dice;
use tumbler_core::wire::registers::{lamps, reader, terminal};

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
        script.at(moved.at, 0, format!("{} motor.driver_fault", if moved.active { "fault" } else { "heal" }));
    }
    for (line, id) in [(InLine::DomeClosed, "dome"), (InLine::Seal, "seal")] {
        let blinks: Vec<_> = events.of_line(line).iter().filter(|moved| !moved.changed).collect();
        if let (Some(first), Some(last)) = (blinks.first(), blinks.last()) {
            let long = if id == "dome" && blinks.iter().any(|b| b.away >= 3_000_000) { "_long" } else { "" };
            script.at(first.at.saturating_sub(BEFORE), 0, format!("fault {id}.flicker{long}"));
            script.at(last.at + 20_000_000, 0, format!("heal {id}.flicker{long}"));
        }
    }
    for (at, line, active) in &events.driven {
        let is = |wanted: bool| {
            let mut after = events.read.iter().filter(|(read, l, _)| l == line && *read >= *at);
            after.next().is_some_and(|(read, _, level)| *level == wanted && read - at < 50_000_000)
        };
        if *line != tumbler_core::line::OutLine::MotorAlive && is(!*active) {
            script.at(at.saturating_sub(BEFORE), 0, format!("fault gpio.write_fails:{}", line.name()));
        }
    }
    temperature(events, script);
    disk(events, script);
}

fn temperature(events: &Events, script: &mut Script) {
    let mut broken: Option<&str> = None;
    let mut before: Option<i32> = None;
    for (at, reading) in &events.temperature {
        let jumped = before.zip(*reading).is_some_and(|(before, now)| (before - now).abs() > 30_000);
        let fault = match reading {
            None => Some("sensor.temp_dead"),
            Some(_) if jumped || broken == Some("sensor.temp_absurd") => Some("sensor.temp_absurd"),
            Some(now) if *now > 80_000 || before.is_some_and(|b| now - b > 4_000) => Some("motor.hot"),
            Some(_) => None,
        };
        if fault != broken && !(broken == Some("motor.hot") && reading.is_some_and(|now| now > 60_000)) {
            if let Some(was) = broken {
                script.at(at.saturating_sub(BEFORE), 0, format!("heal {was}"));
            }
            if let Some(id) = fault {
                script.at(at.saturating_sub(BEFORE), 0, format!("fault {id}"));
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
            script.at(
                at.saturating_sub(BEFORE),
                0,
                format!("{} disk.takes_ms:5000", if late { "fault" } else { "heal" }),
            );
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
        let id = match unit {
            terminal::UNIT => "terminal.silent",
            reader::UNIT => "reader.silent",
            lamps::FIRST_UNIT => "lamps.board_silent",
            _ => {
                script.leave_out("the second lamp board was silent");
                continue;
            }
        };
        script.at(from.saturating_sub(BEFORE), 0, format!("fault {id}"));
        if let Some(until) = until {
            script.at(until.saturating_sub(BEFORE), 0, format!("heal {id}"));
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
                    let Some(area) = layout.areas.get(number) else { break };
                    let lamp = lamps.entry((board, output)).or_default();
                    let (on, flows) = (bits >> output & 1 == 1, sensed >> output & 1 == 1);
                    // A lamp takes its time to light and to go out.
                    lamp.sensed(on, flows, *begun, ended - at > WRONG, &area.id, script);
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
    broken: Option<(bool, String)>,
}

impl Lamp {
    fn sensed(&mut self, on: bool, flows: bool, at: u64, settled: bool, area: &str, script: &mut Script) {
        let [dark, lit] = &mut self.good;
        let good = if on { lit } else { dark };
        if on == flows {
            *good = at;
            self.wrong_since = None;
            if let Some((_, id)) = self.broken.take_if(|(was, _)| *was == on) {
                script.at(at.saturating_sub(BEFORE), 0, format!("heal {id}"));
            }
            return;
        }
        let since = *self.wrong_since.get_or_insert(at);
        if settled && self.broken.is_none() {
            let id = format!("lamp.{}:{area}", if on { "open" } else { "stuck_on" });
            // It may have failed at any time since it last worked, because a failure of a dark lamp does not show.
            let failed = since.saturating_sub(if on { UNSEEN } else { BEFORE }).max(*good + 1);
            script.at(failed, 0, format!("fault {id}"));
            self.broken = Some((on, id));
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
                        script.at(at.saturating_sub(BEFORE), 0, "fault display.wrong".into());
                        wrong = true;
                    } else if wanted == *shown && wrong {
                        script.at(begun.saturating_sub(BEFORE), 0, "heal display.wrong".into());
                        wrong = false;
                    }
                }
                held = match held {
                    Some((since, keys)) if keys & now != 0 => Some((since, keys & now)),
                    _ => (*now != 0).then_some((*begun, *now)),
                };
                let long = held.filter(|(since, _)| ended - since >= stuck);
                if let (Some((since, keys)), None) = (long, caught) {
                    let key = keys.trailing_zeros() + 1;
                    script.at(since.saturating_sub(BEFORE), 0, format!("fault terminal.key_stuck:{key}"));
                    caught = Some(key);
                } else if let (None, Some(key)) = (held, caught) {
                    script.at(begun.saturating_sub(BEFORE), 0, format!("heal terminal.key_stuck:{key}"));
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
    let mut broken: Option<String> = None;
    for spin in spins.windows(2) {
        let &[from, to] = spin else { continue };
        let faces = shown(events, from, to);
        if let Some([a, b, c]) = faces {
            script.at(from.saturating_sub(BEFORE), 0, format!("dice {a} {b} {c}"));
        }
        let fault = lying(events, from, to, enrolled);
        if let Some(was) = broken.take_if(|was| Some(&*was) != fault.as_ref()) {
            script.at(from.saturating_sub(BEFORE), 0, format!("heal {was}"));
        }
        if let Some(id) = fault.filter(|_| broken.is_none()) {
            script.at(from.saturating_sub(BEFORE), 0, format!("fault {id}"));
            broken = Some(id);
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
fn lying(events: &Events, from: u64, to: u64, enrolled: Option<[u16; 3]>) -> Option<String> {
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
        Some("dice.missing".into())
    } else if seen > 3 {
        Some("dice.extra".into())
    } else if enrolled.is_some_and(|enrolled| enrolled != identities) {
        Some("dice.foreign".into())
    } else if cocked > 0 {
        Some(format!("dice.cocked_{cocked}"))
    } else {
        None
    }
}

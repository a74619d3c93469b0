//! What the field bus shows of its units (hardware-tests.md, bus, terminal and reader): errors and turnaround, keys, and how long
//! the dice take to come to rest.

use super::log::{Expected, Span, exactly, micros};
use crate::observation::{BusKind, Line, Part, Transaction};
use crate::registers;

const MS: u64 = 1_000_000;
/// A key that is pressed again within this time, in ns, bounces (`key_repeat`: nobody presses a key twice in 60 ms).
const KEY_REPEAT_NS: u64 = 60 * MS;
/// Dice that have lain for this long, in ns, are at rest (parameter `settle`).
const SETTLE_NS: u64 = 300 * MS;
/// Longest time, in microseconds, from the last edge of the cam or the end of motor power until standstill is found: `standstill`,
/// or twice the quarter of a slow shaft, which is at most `stall`.
const STANDSTILL: i64 = 700_000;
/// A guard that breaks switches the motor off within this time, in ns.
const AT_ONCE_NS: u64 = 5 * MS;

/// Terminal, input registers: the block that is polled, from the held keys to the display.
const POLL: u16 = 2;
const POLL_COUNT: u16 = 12;
/// Number of keys: the digits, then Entry.
const KEYS: usize = 7;
const BLANK: u16 = 0x0FFF;
/// The last pattern of the display's test, before the display is blank.
const LAST_PATTERN: u16 = 0x0456;

/// Reader, input registers: the block of poses, the pose "moving", and the highest pose.
const POSES: u16 = 0x10;
const MOVING: u16 = 3;
const HIGHEST_POSE: u16 = 4;

/// The bus: its errors in thousandths, and its turnaround.
pub(super) fn bus(span: &Span<'_>) -> Vec<Expected> {
    let (mut good, mut bad, mut doubtful) = (0_i64, 0_i64, 0_i64);
    let (mut total, mut longest) = (0_i64, 0_i64);
    // Only requests from the beginning of the test on count. The first may be made at that very moment.
    for (at, transaction) in span.bus().filter(|(_, transaction)| transaction.begun_ns >= span.from_ns) {
        if !transaction.ok {
            bad += 1;
            continue;
        }
        good += 1;
        doubtful += i64::from(sick(span, transaction.unit));
        let took = micros(transaction.begun_ns, at);
        total += took;
        longest = longest.max(took);
    }
    let all = good + bad;
    if all == 0 {
        return Vec::new();
    }
    // A reply with impossible contents is an error too, so the replies of broken units may count as errors.
    let mut found =
        vec![Expected { quantity: "bus-errors", least: bad * 1_000 / all, most: (bad + doubtful) * 1_000 / all }];
    if good > 0 && doubtful == 0 {
        found.extend([exactly("bus-turnaround", total / good), exactly("bus-turnaround-greatest", longest)]);
    }
    found
}

/// Whether a unit was broken in a way that its replies show.
fn sick(span: &Span<'_>, unit: u8) -> bool {
    match unit {
        registers::TERMINAL => span.broken(Part::Terminal),
        registers::READER => span.broken(Part::Reader) || span.broken(Part::Dice),
        _ => span.broken(Part::Lamps),
    }
}

/// How many transactions a test of the bus saw.
pub(super) fn transactions(span: &Span<'_>) -> usize {
    span.bus().filter(|(_, transaction)| transaction.begun_ns >= span.from_ns).count()
}

fn poll(transaction: &Transaction) -> Option<(u16, u16, &[u16], u16)> {
    let block = transaction.unit == registers::TERMINAL && transaction.kind == BusKind::ReadInput;
    if !block || transaction.address != POLL || transaction.count != POLL_COUNT || !transaction.ok {
        return None;
    }
    let &[held, first, count, ref events @ .., display] = transaction.words.as_slice() else { return None };
    Some((held, first, events.get(..usize::from(count))?, display))
}

/// The keys of a terminal, by its polls.
#[derive(Debug, Default)]
struct Keys {
    next: Option<u16>,
    polled_ns: Option<u64>,
    last_ns: [Option<u64>; KEYS + 1],
    held_ns: Option<u64>,
    longest: i64,
    bounces: i64,
    right: u16,
    wrong: i64,
    /// Progress of the display's test: it was told the last pattern, then to be blank; once it is blank, keys are asked for.
    asking: bool,
    blank_commanded: bool,
    last_commanded: bool,
}

impl Keys {
    fn wrote(&mut self, shown: u16) {
        self.blank_commanded = shown == BLANK && self.last_commanded;
        self.last_commanded |= shown == LAST_PATTERN;
    }

    fn poll(&mut self, at: u64, (held, first, events, display): (u16, u16, &[u16], u16)) {
        let before = self.polled_ns.replace(at);
        for (seq, code) in (first..=u16::MAX).zip(events) {
            if self.next.is_some_and(|next| seq < next) {
                continue;
            }
            let Some(last) = self.last_ns.get_mut(usize::from(*code)) else { continue };
            if last.is_some_and(|last| before.unwrap_or(at) < last + KEY_REPEAT_NS) {
                self.bounces += 1;
                continue;
            }
            *last = Some(at);
            if self.asking {
                if *code == self.right + 1 { self.right += 1 } else { self.wrong += 1 }
            }
        }
        self.next = first.checked_add(u16::try_from(events.len()).unwrap_or(0));
        if held != 0 {
            let since = *self.held_ns.get_or_insert(at);
            self.longest = self.longest.max(micros(since, at));
        } else if let Some(since) = self.held_ns.take() {
            self.longest = self.longest.max(micros(since, at));
        }
        self.asking |= held == 0 && self.blank_commanded && display == BLANK;
    }
}

/// The terminal: keys that were pressed as asked, other keys, bounces, and the longest hold.
pub(super) fn terminal(span: &Span<'_>) -> Vec<Expected> {
    // To the table, a terminal that is lost and comes back is a new one.
    if [Part::Terminal, Part::Bus].into_iter().any(|part| span.broken(part)) {
        return Vec::new();
    }
    let mut keys = Keys::default();
    for (at, transaction) in span.bus() {
        if transaction.kind == BusKind::WriteHolding && transaction.unit == registers::TERMINAL && transaction.ok {
            if let Some(shown) = transaction.word(registers::DISPLAY) {
                keys.wrote(shown);
            }
        } else if let Some(polled) = poll(&transaction) {
            let (_, _, events, _) = polled;
            // Keys that were pressed before the test cannot be told apart from those that it asks for.
            if keys.polled_ns.is_none() && !events.is_empty() {
                return Vec::new();
            }
            keys.poll(at, polled);
        }
    }
    vec![
        exactly("keys-pressed", keys.right.into()),
        exactly("keys-wrong", keys.wrong),
        exactly("key-bounces", keys.bounces),
        exactly("key-hold", keys.longest),
    ]
}

/// The reader: the time from the standstill of the shaft, at which the table switches the motor off, to the dice at rest.
pub(super) fn reader(span: &Span<'_>, ended: bool) -> Vec<Expected> {
    let Some((still_ns, _)) = span.edges(Line::MotorEnable).filter(|(_, on)| !on).last() else { return Vec::new() };
    if !ended || span.edges(Line::MotorEnable).all(|(_, on)| !on) {
        return Vec::new();
    }
    // The test ends as soon as the reader has found the dice at rest.
    let sound = !span.broken(Part::Reader) && !span.broken(Part::Bus);
    let found_ns = if sound { rested(span, still_ns) } else { None };
    let most = micros(still_ns, found_ns.unwrap_or(span.to_ns));
    // A guard that breaks while the shaft coasts switches the motor off sooner than standstill is found.
    let guards = [Line::Seal, Line::DomeClosed, Line::DomeOpen, Line::PowerGood, Line::MotorFault];
    let cut =
        guards.into_iter().any(|line| span.edges(line).any(|(at, _)| at <= still_ns && still_ns - at <= AT_ONCE_NS));
    let least = if cut { most.saturating_sub(STANDSTILL) } else { most };
    vec![Expected { quantity: "settle-time", least, most }]
}

/// When the dice were first seen at rest for long enough.
fn rested(span: &Span<'_>, still_ns: u64) -> Option<u64> {
    let (mut before, mut since): (Option<(Vec<u16>, u16)>, Option<u64>) = (None, None);
    for (at, transaction) in span.bus() {
        if transaction.unit != registers::READER || transaction.address != POSES || !transaction.ok {
            continue;
        }
        let &[_, _, ref poses @ .., _, _, _, motion] = transaction.words.as_slice() else { continue };
        if poses.iter().any(|pose| *pose > HIGHEST_POSE) {
            continue;
        }
        let now = (poses.to_vec(), motion);
        let moves = poses.contains(&MOVING);
        let moved = moves || before.as_ref().is_some_and(|before| *before != now);
        before = Some(now);
        if at <= still_ns {
            continue;
        }
        match since {
            _ if moved => since = (!moves).then_some(at),
            Some(first) if at - first >= SETTLE_NS => return Some(at),
            Some(_) => {}
            None => since = Some(at),
        }
    }
    None
}

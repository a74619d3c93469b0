//! The dome's contacts, the seal's loop and the motor's temperature (hardware-tests.md, dome, seal and temperature).

use super::log::{Entry, Expected, Span, exactly, micros};
use super::spin::KEPT;
use crate::observation::Line;

/// Edges of a contact that are no further apart, in ns, belong to one movement: a hand needs longer to turn back.
const MOVEMENT_NS: u64 = 200_000_000;
/// A stroke of the dome is over when no contact has changed for this long, in ns: longer than any lawful travel.
const STROKE_NS: u64 = 1_000_000_000;
/// How long the seal's loop is watched, in ns.
pub(super) const SEAL_NS: u64 = 2_000_000_000;
/// Readings of the temperature that a test takes.
const READINGS: usize = 5;
/// Good readings in a row that a reset requires before it measures.
const PROOF: usize = 3;
/// The limits of the temperature and of its jumps, in thousandths of a degree Celsius (`temperature_limit`, `temperature_jump`).
const LIMIT: i64 = 80_000;
const JUMP: i64 = 10_000;
/// After this long, in ns, the table takes the loop as closed (`seal_debounce`, and some tolerance).
const DEBOUNCED_NS: u64 = 20_000_000;
const CONTACTS: [Line; 2] = [Line::DomeClosed, Line::DomeOpen];

/// Edges of both contacts: the time, which contact, and its new level.
fn moves<'a>(span: &Span<'a>) -> impl Iterator<Item = (u64, usize, bool)> + 'a {
    span.all().filter_map(|(at, item)| match item {
        Entry::Level(line, active) => {
            CONTACTS.iter().position(|contact| *contact == line).map(|which| (at, which, active))
        }
        _ => None,
    })
}

/// The dome: how long neither contact was made, how long both, and how long one bounced.
pub(super) fn dome(span: &Span<'_>) -> Vec<Expected> {
    let [Some(closed), Some(open)] = CONTACTS.map(|line| span.level(line)) else { return Vec::new() };
    // The dome was moving already, or edges were lost: nothing can be measured.
    if closed == open || CONTACTS.into_iter().any(|line| span.again(line)) {
        return Vec::new();
    }
    let mut levels = [closed, open];
    let (mut same, mut longest) = (None, [0; 2]);
    let mut moving: [Option<(u64, u64)>; 2] = [None; 2];
    let mut bounce = 0;
    for (at, which, active) in moves(span) {
        if let Some((since, made)) = same.take() {
            if let Some(longest) = longest.get_mut(usize::from(made)) {
                *longest = micros(since, at).max(*longest);
            }
        }
        if let Some(level) = levels.get_mut(which) {
            *level = active;
        }
        let [closed, open] = levels;
        same = (closed == open).then_some((at, closed));
        if let Some(moving) = moving.get_mut(which) {
            let first = moving.filter(|(_, last)| at - last <= MOVEMENT_NS).map_or(at, |(first, _)| first);
            *moving = Some((first, at));
            bounce = micros(first, at).max(bounce);
        }
    }
    let [neither, both] = longest;
    vec![exactly("dome-travel", neither), exactly("dome-overlap", both), exactly("dome-bounce", bounce)]
}

/// The waveforms that a report draws of the dome: both contacts while it was lifted, and while it was put back.
pub(super) fn strokes(span: &Span<'_>) -> Vec<(String, bool, Vec<i64>)> {
    let mut levels = CONTACTS.map(|line| span.level(line).unwrap_or(false));
    let mut waves: Vec<(String, bool, Vec<i64>)> = Vec::new();
    let (mut first, mut last, mut begun) = (0, None, 0);
    for (at, which, active) in moves(span) {
        if last.is_none_or(|last| at - last > STROKE_NS) {
            first = at;
            begun += 1;
            let stroke = if begun == 1 { "lifted" } else { "put back" };
            if begun <= 2 {
                let wave = |(line, level): (&Line, &bool)| (format!("{}, {stroke}", line.name()), *level, Vec::new());
                waves.extend(CONTACTS.iter().zip(&levels).map(wave));
            }
        }
        last = Some(at);
        if let Some(level) = levels.get_mut(which) {
            *level = active;
        }
        if begun <= 2 {
            let place = waves.len().saturating_sub(2) + which;
            if let Some((_, _, edges)) = waves.get_mut(place).filter(|(_, _, edges)| edges.len() < KEPT) {
                edges.push(micros(first, at));
            }
        }
    }
    waves
}

/// The seal: breaks of its loop in the 2 s for which it is watched, which begin when the beginning of the test is durable and the
/// loop is closed.
pub(super) fn seal(span: &Span<'_>, durable_ns: u64) -> Vec<Expected> {
    let edges = || {
        span.all().filter_map(|(at, item)| match item {
            Entry::Level(Line::Seal, active) | Entry::Again(Line::Seal, active) => Some((at, active)),
            _ => None,
        })
    };
    let breaks = |from_ns: u64, until_ns: u64| {
        let broke = edges().filter(|(at, active)| !active && *at > from_ns && *at <= until_ns);
        i64::try_from(broke.count()).unwrap_or(i64::MAX)
    };
    // The test waits for a loop that is open or has just changed.
    let (mut closed, mut since) = (span.level(Line::Seal) == Some(true), 0);
    for (at, active) in edges() {
        if closed && at.saturating_sub(since) > DEBOUNCED_NS && at > durable_ns {
            break;
        }
        (closed, since) = (active, at);
    }
    let from = if closed { durable_ns.max(since.saturating_add(DEBOUNCED_NS)) } else { span.to_ns };
    let least = if span.again(Line::Seal) { 0 } else { breaks(from, durable_ns + SEAL_NS) };
    vec![Expected { quantity: "seal-breaks", least, most: breaks(durable_ns, from + SEAL_NS) }]
}

/// The temperature: the last readings of the test. A test that ends early may not have measured.
pub(super) fn temperature(span: &Span<'_>, ended: bool) -> Vec<Expected> {
    let all: Vec<(u64, i64)> = span.temperatures().collect();
    let Some(readings) = all.len().checked_sub(READINGS).and_then(|first| all.get(first..)).filter(|_| ended) else {
        return Vec::new();
    };
    let values = || readings.iter().map(|(_, value)| *value);
    let (Some(least), Some(most)) = (values().min(), values().max()) else { return Vec::new() };
    let mut found = vec![exactly("temperature", most), exactly("temperature-spread", most - least)];
    let apart = readings.iter().zip(readings.iter().skip(1)).map(|((from, _), (to, _))| micros(*from, *to));
    found.extend(apart.max().map(|apart| exactly("temperature-interval", apart)));
    found
}

/// Whether the temperature was read often enough; in a reset, after three good readings in a row.
pub(super) fn read_enough(span: &Span<'_>, reset: bool) -> bool {
    let (mut before, mut good, mut bad) = (None, 0, false);
    for (_, reading) in span.temperatures() {
        let jumped = before.replace(reading).is_some_and(|before: i64| (before - reading).abs() > JUMP);
        let is_bad = jumped || reading > LIMIT;
        bad |= is_bad;
        good = if is_bad { 0 } else { good + 1 };
    }
    // Readings from before the test are not in the log, and may have been good.
    good >= READINGS + if reset && bad { PROOF } else { 0 } || !reset && span.temperatures().count() >= READINGS
}

//! The buttons and the key (hardware-tests.md, buttons): what their lines showed, and what hands did to them.

use super::log::{Expected, Span, exactly, micros};
use crate::observation::Line;

const MS: u64 = 1_000_000;
/// What is asked for, in its order.
pub(super) const ALL: [Line; 5] = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin, Line::SupervisorKey];
/// A level that has lasted for this long, in ns, counts (`button_debounce`).
const LASTS_NS: u64 = 20 * MS;
/// A button that is on for longer than this, in ns, sticks (`button_stuck`), and a key after this: both with some tolerance.
const STUCK_NS: u64 = 5_200 * MS;
const KEY_STUCK_NS: u64 = 10_200 * MS;
/// Limits of the page: longest movement in ns, most breaks within one, most flickers.
const BOUNCE_NS: u64 = 20 * MS;
const BREAKS: u64 = 8;
const FLICKERS: u64 = 2;
/// Whoever presses as asked needs less than this, in ns: the page gives 10 s, and 5 s to let go of a button.
const DILIGENT_NS: u64 = 4_000 * MS;

/// A level of a line that lasted.
#[derive(Clone, Copy, Debug)]
struct Stay {
    from_ns: u64,
    to_ns: u64,
}

/// A line, as it was during the test.
#[derive(Clone, Debug, Default)]
struct Shown {
    /// When it was on, each time from the first edge of one movement to the first edge of the next.
    on: Vec<Stay>,
    /// It is on at the end.
    held: bool,
    bounce_ns: u64,
    breaks: u64,
    flickers: u64,
    /// The test ended within a movement: whether it is one more flicker was still open.
    open: u64,
}

/// Reads a line from this time on: edges that are less than the time of debounce apart are one movement.
fn shown(span: &Span<'_>, line: Line, from_ns: u64) -> Shown {
    let mut level = span.level(line).unwrap_or(false);
    let mut edges: Vec<u64> = Vec::new();
    let mut now = level;
    for (at, active) in span.edges(line) {
        if at < from_ns {
            (level, now) = (active, active);
        } else if core::mem::replace(&mut now, active) != active {
            edges.push(at);
        }
    }
    let mut shown = Shown::default();
    let mut since = level.then_some(from_ns);
    for movement in edges.chunk_by(|a, b| b - a < LASTS_NS) {
        let (Some(first), Some(last)) = (movement.first(), movement.last()) else { continue };
        let count = movement.len() as u64;
        // It comes to nothing, or has not come to rest at the end.
        if count % 2 == 0 || span.to_ns.saturating_sub(*last) < LASTS_NS {
            shown.flickers += count / 2;
            shown.open += count % 2;
            continue;
        }
        shown.bounce_ns = shown.bounce_ns.max(last - first);
        shown.breaks = shown.breaks.max(count / 2);
        match since.take() {
            None => since = Some(*first),
            Some(from_ns) => shown.on.push(Stay { from_ns, to_ns: *first }),
        }
    }
    if let Some(from_ns) = since {
        shown.held = true;
        shown.on.push(Stay { from_ns, to_ns: span.to_ns });
    }
    shown
}

/// The values that follow from the lines alone.
pub(super) fn expected(span: &Span<'_>, from_ns: u64) -> Vec<Expected> {
    // Edges were lost: nothing can be measured.
    if ALL.into_iter().any(|line| span.again(line)) {
        return Vec::new();
    }
    let all = ALL.map(|line| shown(span, line, from_ns));
    let buttons = all.iter().take(ALL.len() - 1).flat_map(|shown| &shown.on);
    let hold = buttons.map(|stay| micros(stay.from_ns, stay.to_ns)).max().unwrap_or(0);
    let whole = |shown: &&Shown| shown.on.len() > usize::from(shown.held);
    let pressed = i64::try_from(all.iter().filter(whole).count()).unwrap_or(i64::MAX);
    let count = |of: u64| i64::try_from(of).unwrap_or(i64::MAX);
    let sum = |of: fn(&Shown) -> u64| all.iter().map(of).sum::<u64>();
    let (flickers, open) = (sum(|shown| shown.flickers), sum(|shown| shown.open));
    vec![
        Expected { quantity: "buttons-pressed", least: 0, most: pressed },
        exactly("button-hold", hold),
        exactly("button-bounce", micros(0, all.iter().map(|shown| shown.bounce_ns).max().unwrap_or(0))),
        exactly("button-bounces", count(all.iter().map(|shown| shown.breaks).max().unwrap_or(0))),
        Expected { quantity: "button-flickers", least: count(flickers), most: count(flickers + open) },
    ]
}

/// When a hand was on a button or had the key turned.
fn hands(span: &Span<'_>, button: Line) -> Vec<Stay> {
    let mut hands: Vec<Stay> = Vec::new();
    for (at, of, down) in span.hands() {
        if of != button {
            continue;
        }
        match hands.last_mut().filter(|stay| stay.to_ns == u64::MAX) {
            Some(stay) => stay.to_ns = at,
            None if down => hands.push(Stay { from_ns: at, to_ns: u64::MAX }),
            None => {}
        }
    }
    hands
}

/// What is out of order on the table, whatever its report says: each with the reason.
pub(super) fn wrong(span: &Span<'_>, from_ns: u64) -> Vec<(Line, &'static str)> {
    let mut wrong = Vec::new();
    for line in ALL {
        let shown = shown(span, line, from_ns);
        let stuck_ns = if line == Line::SupervisorKey { KEY_STUCK_NS } else { STUCK_NS };
        let long = |stay: &Stay| stay.to_ns.saturating_sub(stay.from_ns) >= stuck_ns;
        // A key may be turned since before its turn came.
        let late = line != Line::SupervisorKey || shown.held;
        if late && shown.on.last().is_some_and(long) || line != Line::SupervisorKey && shown.on.iter().any(long) {
            wrong.push((line, "it stayed on"));
        }
        if shown.on.is_empty() {
            wrong.push((line, "it never came on"));
        }
        if shown.bounce_ns > BOUNCE_NS || shown.breaks > BREAKS || shown.flickers > FLICKERS {
            wrong.push((line, "its contact bounces or flickers"));
        }
        // A hand on one button moves the line of another, and not its own.
        for hand in hands(span, line) {
            let within = |of: Line, shown: &Shown| {
                of != line && shown.on.iter().any(|stay| stay.from_ns >= hand.from_ns && stay.from_ns <= hand.to_ns)
            };
            let own = shown.on.iter().any(|stay| stay.from_ns >= hand.from_ns && stay.from_ns <= hand.to_ns);
            let idle =
                |of: Line| hands(span, of).iter().all(|other| other.to_ns < hand.from_ns || other.from_ns > hand.to_ns);
            let other = ALL.into_iter().find(|of| within(*of, &self::shown(span, *of, from_ns)) && idle(*of));
            if let (Some(other), false) = (other, own) {
                wrong.extend([(line, "its press moved another's line"), (other, "another's press moved its line")]);
            }
        }
    }
    wrong
}

/// Whether a person did all that was asked for, in its order, each in its time and nothing twice.
pub(super) fn pressed_as_asked(span: &Span<'_>, from_ns: u64) -> bool {
    let mut done = span.hands();
    let mut before_ns = from_ns;
    let all = ALL.into_iter().all(|line| {
        let (Some(down), Some(up)) = (done.next(), done.next()) else { return false };
        let right = (down.1, down.2, up.1, up.2) == (line, true, line, false);
        let long = up.0 >= down.0.saturating_add(LASTS_NS * 3) && up.0 - down.0 < DILIGENT_NS;
        let soon = down.0 >= before_ns && down.0 - before_ns < DILIGENT_NS;
        before_ns = up.0;
        right && long && soon
    });
    all && done.next().is_none()
}

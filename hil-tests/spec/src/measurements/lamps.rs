//! The test of the lamps (hardware-tests.md, lamps): picture after picture, as the boards were written and as they sensed currents.

use super::log::{Expected, Span, micros};
use crate::observation::{BusKind, Transaction};
use crate::registers;

const BOARDS: usize = 2;
/// The time to light.
pub(super) const TIME: &str = "lamps-time";

/// One picture: the lamps of one result.
#[derive(Clone, Debug, Default)]
struct Picture {
    /// The earliest and the latest moment at which the table can have begun it.
    begun_ns: (u64, u64),
    commanded: [u64; BOARDS],
    /// Boards that were written for it.
    asked: [bool; BOARDS],
    /// Lamps whose current was sensed since.
    sensed: [Option<u64>; BOARDS],
    /// Time and board of the last reading, and what that board had sensed before it.
    last: Option<(u64, usize, Option<u64>)>,
    proved_ns: Option<u64>,
}

/// What the test of the lamps showed.
#[derive(Clone, Debug, Default)]
pub(super) struct LampTest {
    /// Lamps that were commanded on in any picture.
    pub(super) commanded: [u64; BOARDS],
    /// Lamps that were surely, and perhaps, dark in spite of a command; and those surely, and perhaps, lit without one.
    pub(super) dark: [[u64; BOARDS]; 2],
    pub(super) uncommanded: [[u64; BOARDS]; 2],
    /// Longest time to light, in microseconds: at least, at most.
    time: (i64, i64),
    /// Whether a picture was surely, and perhaps, right in time.
    right: [bool; 2],
    pictures: usize,
}

/// If a picture is not right within this time, in microseconds, the next one follows (`lamp_verify`).
const VERIFY: i64 = 500_000;
/// Tolerance for one more transaction at the end of such a picture, in microseconds.
const LATE: i64 = 60_000;

/// A board that is not right is read again after this time, in ns (`poll_fast`).
const AGAIN_NS: u64 = 20_000_000;

/// Shortest time of a picture, in ns: a board that is written within it belongs to the same picture.
const SHORTEST_NS: u64 = 150_000_000;

fn board(transaction: &Transaction) -> Option<usize> {
    let board = usize::from(transaction.unit.checked_sub(registers::LAMPS)?);
    (board < BOARDS && transaction.address == 0).then_some(board)
}

impl Picture {
    fn proves(&self) -> bool {
        let boards = self.asked.iter().zip(self.commanded.iter().zip(&self.sensed));
        boards.filter(|(asked, _)| **asked).all(|(_, (commanded, sensed))| *sensed == Some(*commanded))
    }

    fn dark(commanded: u64, sensed: Option<u64>) -> u64 {
        commanded & !sensed.unwrap_or(0)
    }
}

impl LampTest {
    fn end(&mut self, picture: &Picture, next_ns: u64) {
        self.pictures += 1;
        for board in 0..BOARDS {
            let at = |of: &[u64; BOARDS]| of.get(board).copied().unwrap_or(0);
            let commanded = at(&picture.commanded);
            let asked = picture.asked.get(board).copied().unwrap_or(false);
            let now = picture.sensed.get(board).copied().flatten();
            // A reading that ended when the next picture was written may have come too late for this one.
            let before = match picture.last {
                Some((ended, of, before)) if of == board && ended >= next_ns => before,
                _ => now,
            };
            let (dark, was_dark) = (Picture::dark(commanded, now), Picture::dark(commanded, before));
            let lit = |sensed: Option<u64>| sensed.map_or(0, |sensed| sensed & !commanded);
            let sure = asked && now.is_some() && before.is_some();
            let sets = [(&mut self.dark, dark, was_dark), (&mut self.uncommanded, lit(now), lit(before))];
            for (set, now, before) in sets {
                let [surely, perhaps] = set;
                if let (Some(surely), Some(perhaps)) = (surely.get_mut(board), perhaps.get_mut(board)) {
                    *surely |= if sure { now & before } else { 0 };
                    *perhaps |= now | before;
                }
            }
            if let Some(all) = self.commanded.get_mut(board) {
                *all |= commanded;
            }
        }
        let (early, late) = picture.begun_ns;
        // A picture that is not right in time has no time to light; one that becomes right just at its end may have one.
        let Some(proved) = picture.proved_ns else { return };
        let (least, most) = (micros(late, proved), micros(early, proved));
        let in_time = [most < VERIFY, least <= VERIFY + LATE];
        if picture.commanded != [0; BOARDS] {
            self.right = [self.right[0] | in_time[0], self.right[1] | in_time[1]];
        }
        let (least, most) = (if in_time[0] { least } else { 0 }, if in_time[1] { most.min(VERIFY + LATE) } else { 0 });
        self.time = (self.time.0.max(least), self.time.1.max(most));
    }
}

/// What was shown in a test.
pub(super) fn shown(span: &Span<'_>) -> LampTest {
    let mut shown = LampTest::default();
    let mut picture: Option<Picture> = None;
    let mut before: Option<(u64, u64)> = None;
    let mut commanded = [0_u64; BOARDS];
    for (at, transaction) in span.bus() {
        let busy = before.replace((transaction.begun_ns, at));
        let Some(of) = board(&transaction) else { continue };
        match transaction.kind {
            BusKind::WriteCoils => {
                let known = commanded.get(of).copied().unwrap_or(0);
                let goes_on = picture.as_ref().is_some_and(|now| {
                    let young = transaction.begun_ns.saturating_sub(now.begun_ns.1) < SHORTEST_NS;
                    let unread = now.sensed.iter().all(Option::is_none);
                    match now.asked.get(of) {
                        Some(true) => known == transaction.bits,
                        _ => young || unread,
                    }
                });
                if let Some(commanded) = commanded.get_mut(of) {
                    *commanded = transaction.bits;
                }
                if !goes_on {
                    let wrong = picture.as_ref().is_none_or(|last| !last.proves());
                    if let Some(last) = picture.take() {
                        shown.end(&last, transaction.begun_ns);
                    }
                    // The bus may have been busy when the picture began, and a board that was not right, even before the test, is
                    // not written for a while.
                    let late = transaction.begun_ns;
                    let early = busy.filter(|(_, ended)| *ended >= late).map_or(late, |(begun, _)| begun);
                    let early = early.saturating_sub(if wrong { AGAIN_NS } else { 0 });
                    picture =
                        Some(Picture { begun_ns: (early.max(span.from_ns), late), commanded, ..Picture::default() });
                }
                if let Some(now) = &mut picture {
                    now.commanded = commanded;
                    if let (Some(asked), Some(sensed)) = (now.asked.get_mut(of), now.sensed.get_mut(of)) {
                        *asked = true;
                        *sensed = None;
                    }
                }
            }
            BusKind::ReadDiscrete if transaction.ok => {
                if let Some(now) = &mut picture {
                    if let Some(sensed) = now.sensed.get_mut(of) {
                        now.last = Some((at, of, sensed.replace(transaction.bits)));
                    }
                    if now.proved_ns.is_none() && now.proves() {
                        now.proved_ns = Some(at);
                    }
                }
            }
            _ => {}
        }
    }
    if let Some(last) = picture {
        shown.end(&last, span.to_ns);
    }
    shown
}

fn count(set: [u64; BOARDS]) -> i64 {
    set.iter().map(|word| i64::from(word.count_ones())).sum()
}

impl LampTest {
    pub(super) fn expected(&self, noisy: bool) -> Vec<Expected> {
        if self.pictures == 0 {
            return Vec::new();
        }
        let between = |quantity, [surely, perhaps]: [[u64; BOARDS]; 2]| Expected {
            quantity,
            least: count(surely),
            most: count(perhaps),
        };
        let mut expected = vec![between("lamps-dark", self.dark), between("lamps-untold", self.uncommanded)];
        if self.right() != Some(false) {
            // On a noisy bus a board may be written long after its picture began.
            let most = if noisy { VERIFY + LATE } else { self.time.1 };
            expected.push(Expected { quantity: TIME, least: self.time.0, most });
        }
        expected
    }

    /// Whether a picture was right in time, if that can be told. Only then is there a time to light.
    pub(super) fn right(&self) -> Option<bool> {
        let [surely, perhaps] = self.right;
        (surely == perhaps).then_some(surely)
    }
}

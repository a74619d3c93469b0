//! The edges of the inputs, in the kernel's order and with its times.

use super::find::{LabelledChip, OpenError};
use crate::config::Pins;
use crate::hardware::clamp;
use crate::run::clock;
use crate::run::inbox::Arrival;
use gpiocdev::Request;
use gpiocdev::line::{EdgeEvent, EdgeKind, Offset, Value, Values};
use std::io;
use std::task::{Context, Poll, ready};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tumbler_core::input::Input;
use tumbler_core::line::InLine;
use tumbler_core::units::Mono;

/// Edges taken in at once; what is left comes with the next turn of the control loop.
const AT_ONCE: usize = 64;

/// The inputs' request, and how far each line has been followed.
#[derive(Debug)]
pub(super) struct Edges {
    request: AsyncFd<Request>,
    follow: Follow,
    buffer: Vec<u64>,
}

impl Edges {
    /// Asks for the inputs, and appends the level of each.
    pub(super) fn watch(chip: &LabelledChip, pins: &Pins, out: &mut Vec<Arrival>) -> Result<Self, OpenError> {
        let (request, offsets) = chip.inputs(pins)?;
        let refused = |source| OpenError::Refused { what: "the inputs cannot be read".into(), source };
        let follow = Follow::new(offsets, clock::now());
        let mut values = Values::from_offsets(&offsets);
        request.values(&mut values).map_err(refused)?;
        let at = clock::now();
        for (line, offset) in InLine::ALL.into_iter().zip(offsets) {
            let active = values.get(offset) == Some(Value::Active);
            out.push(Arrival { at, input: Input::Level { line, active } });
        }
        let buffer = vec![0; request.edge_event_u64_size() * AT_ONCE];
        #[expect(unsafe_code, reason = "the runtime takes descriptors of other crates in no other way")]
        // SAFETY: the request owns its descriptor, and nothing closes or replaces it while `AsyncFd` holds it.
        let request = unsafe { AsyncFd::register_with_interest(request, Interest::READABLE) }
            .map_err(|error| refused(gpiocdev::Error::from(io::Error::from(error))))?;
        Ok(Self { request, follow, buffer })
    }

    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // An error of the runtime shows as an error of the next read. The guard is let go: readiness ends in `drain`.
        let _ = ready!(self.request.poll_read_ready(cx));
        Poll::Ready(())
    }

    /// Takes in the edges that wait, as many as one read brings.
    ///
    /// # Errors
    /// The chip is gone, or the kernel refuses.
    pub(super) fn drain(&mut self, out: &mut Vec<Arrival>) -> Result<(), gpiocdev::Error> {
        let Self { request, follow, buffer } = self;
        let read = request.try_io(Interest::READABLE, |request| match request.has_edge_event() {
            Ok(true) => Ok(request.read_edge_events_into_slice(buffer)),
            Ok(false) => Err(io::ErrorKind::WouldBlock.into()),
            Err(error) => Ok(Err(error)),
        });
        let words = match read {
            Ok(words) => words?,
            Err(_nothing_waits) => return Ok(()),
        };
        let (request, now) = (request.get_ref(), clock::now());
        for event in buffer.get(..words).unwrap_or_default().chunks_exact(request.edge_event_u64_size()) {
            let event = request.edge_event_from_slice(event)?;
            let Some((line, lost)) = follow.take(&event, now, out) else { continue };
            if lost {
                let active = request.value(event.offset)? == Value::Active;
                out.push(Arrival { at: now, input: Input::Level { line, active } });
            }
        }
        Ok(())
    }
}

/// How far each line has been followed.
#[derive(Debug)]
struct Follow {
    lines: [(Offset, u32, Mono); 12],
    since: Mono,
}

impl Follow {
    fn new(offsets: [Offset; 12], since: Mono) -> Self {
        Self { lines: offsets.map(|offset| (offset, 0, since)), since }
    }

    /// Takes in an edge: which line it is on, and whether edges before it were lost, so that its level must be read again.
    fn take(&mut self, event: &EdgeEvent, now: Mono, out: &mut Vec<Arrival>) -> Option<(InLine, bool)> {
        let mut lines = InLine::ALL.into_iter().zip(&mut self.lines);
        let (line, (_, number, last)) = lines.find(|(_, (offset, ..))| *offset == event.offset)?;
        let at = clamp(Mono(event.timestamp_ns), self.since.max(*last), now);
        // The kernel numbers a line's edges from 1, and those that it had no room for too.
        let lost = event.line_seqno != number.wrapping_add(1);
        (*number, *last) = (event.line_seqno, at);
        let active = event.kind == EdgeKind::Rising;
        let input = if lost { Input::LineGap { line } } else { Input::Edge { line, active } };
        out.push(Arrival { at, input });
        Some((line, lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(offset: Offset, line_seqno: u32, timestamp_ns: u64, kind: EdgeKind) -> EdgeEvent {
        EdgeEvent { timestamp_ns, kind, offset, seqno: line_seqno, line_seqno }
    }

    /// What an edge is told as, and whose it is.
    type Took = (Vec<(u64, Input)>, Option<(InLine, bool)>);

    fn took(follow: &mut Follow, event: &EdgeEvent) -> Took {
        let mut out = Vec::new();
        let taken = follow.take(event, Mono(1_000), &mut out);
        (out.into_iter().map(|a| (a.at.0, a.input)).collect(), taken)
    }

    fn follow() -> Follow {
        Follow::new([24, 5, 6, 12, 13, 16, 19, 20, 21, 25, 26, 4], Mono(100))
    }

    #[test]
    fn an_edge_is_that_of_its_line_at_its_time() {
        let mut follow = follow();
        let up = (200, Input::Edge { line: InLine::CamA, active: true });
        assert_eq!(took(&mut follow, &edge(5, 1, 200, EdgeKind::Rising)), (vec![up], Some((InLine::CamA, false))));
        let down = (300, Input::Edge { line: InLine::CamA, active: false });
        assert_eq!(took(&mut follow, &edge(5, 2, 300, EdgeKind::Falling)), (vec![down], Some((InLine::CamA, false))));
        assert_eq!(took(&mut follow, &edge(7, 1, 300, EdgeKind::Rising)), (vec![], None), "no line of the table");
    }

    /// design.md, Wires: a gap in the sequence is a fault, never ignored.
    #[test]
    fn a_gap_in_the_numbers_of_a_line_is_told() {
        for (first, then) in [(1, 3), (1, 1), (2, 3)] {
            let mut follow = follow();
            let (_, begun) = took(&mut follow, &edge(26, first, 200, EdgeKind::Rising));
            let (seen, taken) = took(&mut follow, &edge(26, then, 300, EdgeKind::Falling));
            assert_eq!(begun, Some((InLine::Seal, first != 1)));
            let gap = then != first + 1;
            assert_eq!(taken, Some((InLine::Seal, gap)), "{first}, {then}");
            assert_eq!(seen.contains(&(300, Input::LineGap { line: InLine::Seal })), gap);
        }
    }

    #[test]
    fn times_are_held_between_the_request_and_now_and_in_order() {
        let mut follow = follow();
        let mut at = |number, time| took(&mut follow, &edge(6, number, time, EdgeKind::Rising)).0[0].0;
        assert_eq!([at(1, 5), at(2, 700), at(3, 650), at(4, u64::MAX)], [100, 700, 700, 1_000]);
    }
}

//! What is known of the lines since the bench connected: numbers, times and levels.

use crate::hardware::clamp;
use crate::run::inbox::Arrival;
use tumbler_core::input::Input;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::units::Mono;
use tumbler_core::wire::lines::{FromBench, Line, LineMessage, TemperatureMessage};

/// Most messages in one second that a bench may send. Every contact of the table bouncing at once, all sensors at full
/// speed and noise on top stay under a tenth of it; whatever sends more is no table.
pub const FLOOD: u32 = 20_000;

/// The bench sends more than any table could.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {FLOOD} messages in a second: no table makes so many edges")]
pub(super) struct Flood;

/// One line that is watched.
#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    /// Number that the next message must have.
    next: u64,
    /// Time of its last message.
    last: Mono,
}

/// One connection of a bench.
#[derive(Debug)]
pub(super) struct Session {
    connected: Mono,
    inputs: [Watched; InLine::ALL.len()],
    outputs: [Watched; OutLine::ALL.len()],
    /// What each output was last driven to in this connection.
    sent: [Option<bool>; OutLine::ALL.len()],
    /// What each output was last reported to be.
    reported: [Option<bool>; OutLine::ALL.len()],
    second: u64,
    messages: u32,
    /// Gaps found in the numbers, for the log.
    pub(super) gaps: u64,
}

impl Session {
    /// A connection that begins now.
    #[must_use]
    pub(super) fn new(connected: Mono) -> Self {
        Self {
            connected,
            inputs: Default::default(),
            outputs: Default::default(),
            sent: Default::default(),
            reported: Default::default(),
            second: 0,
            messages: 0,
            gaps: 0,
        }
    }

    /// How long the connection has lasted, in nanoseconds.
    #[must_use]
    pub(super) fn age(&self, now: Mono) -> u64 {
        now.nanos_since(self.connected)
    }

    /// Takes a message in and appends the inputs that it makes.
    ///
    /// # Errors
    /// [`Flood`].
    pub(super) fn take(&mut self, message: FromBench, now: Mono, out: &mut Vec<Arrival>) -> Result<(), Flood> {
        let second = now.0 / 1_000_000_000;
        if second != self.second {
            self.second = second;
            self.messages = 0;
        }
        self.messages = self.messages.saturating_add(1);
        if self.messages > FLOOD {
            return Err(Flood);
        }
        match message {
            FromBench::Line(message @ LineMessage { line: Line::In(line), .. }) => self.input(line, message, now, out),
            FromBench::Line(message @ LineMessage { line: Line::Out(line), .. }) => {
                self.output(line, message, now, out);
            }
            FromBench::Temperature(TemperatureMessage { motor_temperature_mc, at_ns }) => out.push(Arrival {
                at: clamp(Mono(at_ns), self.connected, now),
                input: Input::Temperature { reading: motor_temperature_mc },
            }),
        }
        Ok(())
    }

    fn input(&mut self, line: InLine, message: LineMessage, now: Mono, out: &mut Vec<Arrival>) {
        let Some(watched) = self.inputs.get_mut(line.index()) else { return };
        // Never later than now, and in order on each line, whatever the bench's clock says.
        let at = clamp(Mono(message.at_ns), self.connected.max(watched.last), now);
        let (in_order, first) = (message.seq == watched.next, watched.next == 0);
        watched.next = message.seq.saturating_add(1);
        watched.last = at;
        let active = message.active;
        let input = match (in_order, first) {
            (true, true) => Input::Level { line, active },
            (true, false) => Input::Edge { line, active },
            (false, _) => {
                self.gaps = self.gaps.saturating_add(1);
                out.push(Arrival { at, input: Input::LineGap { line } });
                Input::Level { line, active }
            }
        };
        out.push(Arrival { at, input });
    }

    fn output(&mut self, line: OutLine, message: LineMessage, now: Mono, out: &mut Vec<Arrival>) {
        let index = line.index();
        let (Some(watched), Some(reported)) = (self.outputs.get_mut(index), self.reported.get_mut(index)) else {
            return;
        };
        let at = clamp(Mono(message.at_ns), self.connected.max(watched.last), now);
        if message.seq != watched.next {
            // The last report is what counts, so a gap here is told in the log only.
            self.gaps = self.gaps.saturating_add(1);
        }
        watched.next = message.seq.saturating_add(1);
        watched.last = at;
        *reported = Some(message.active);
        if line != OutLine::MotorAlive {
            out.push(Arrival { at, input: Input::Readback { line, active: message.active } });
        }
    }

    /// Takes note that an output was driven. Where the pin had been driven to this level before and the bench reported
    /// it so, nothing will change and so nothing need be reported again: the answer is the level that is known.
    pub(super) fn driven(&mut self, line: OutLine, active: bool, now: Mono) -> Option<Arrival> {
        let index = line.index();
        let sent = self.sent.get_mut(index)?;
        let unchanged = *sent == Some(active) && self.reported.get(index).copied().flatten() == Some(active);
        *sent = Some(active);
        (unchanged && line != OutLine::MotorAlive)
            .then_some(Arrival { at: now, input: Input::Readback { line, active } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::units::MilliCelsius;

    const NOW: Mono = Mono(1_000);

    fn line(line: Line, active: bool, at_ns: u64, seq: u64) -> FromBench {
        FromBench::Line(LineMessage { line, active, at_ns, seq })
    }

    fn took(session: &mut Session, message: FromBench) -> Vec<(u64, Input)> {
        let mut out = Vec::new();
        session.take(message, NOW, &mut out).unwrap();
        out.into_iter().map(|a| (a.at.0, a.input)).collect()
    }

    #[test]
    fn the_first_message_is_the_level_and_the_others_are_edges() {
        let mut session = Session::new(Mono(100));
        let seal = Line::In(InLine::Seal);
        let level = took(&mut session, line(seal, true, 500, 0));
        assert_eq!(level, [(500, Input::Level { line: InLine::Seal, active: true })]);
        let edge = took(&mut session, line(seal, false, 600, 1));
        assert_eq!(edge, [(600, Input::Edge { line: InLine::Seal, active: false })]);
    }

    #[test]
    fn a_gap_in_the_numbers_is_told_and_the_level_taken_anew() {
        for wrong in [0, 1, 3, u64::MAX] {
            let mut session = Session::new(Mono(100));
            let cam = Line::In(InLine::CamA);
            took(&mut session, line(cam, true, 200, 0));
            took(&mut session, line(cam, false, 300, 1));
            let got = took(&mut session, line(cam, true, 400, wrong));
            assert_eq!(
                got,
                [
                    (400, Input::LineGap { line: InLine::CamA }),
                    (400, Input::Level { line: InLine::CamA, active: true })
                ],
                "seq {wrong} after 1"
            );
        }
    }

    #[test]
    fn times_are_held_between_the_connection_and_now_and_in_order() {
        let mut session = Session::new(Mono(100));
        let cam = Line::In(InLine::CamB);
        assert_eq!(took(&mut session, line(cam, true, 5, 0))[0].0, 100);
        assert_eq!(took(&mut session, line(cam, false, 700, 1))[0].0, 700);
        assert_eq!(took(&mut session, line(cam, true, 650, 2))[0].0, 700);
        assert_eq!(took(&mut session, line(cam, false, u64::MAX, 3))[0].0, 1_000);
    }

    #[test]
    fn reports_of_outputs_are_readbacks_but_for_the_dead_man_line() {
        let mut session = Session::new(Mono(100));
        let motor = took(&mut session, line(Line::Out(OutLine::MotorEnable), true, 200, 0));
        assert_eq!(motor, [(200, Input::Readback { line: OutLine::MotorEnable, active: true })]);
        assert_eq!(took(&mut session, line(Line::Out(OutLine::MotorAlive), true, 200, 0)), []);
    }

    #[test]
    fn a_level_that_was_driven_and_reported_already_reads_back_at_once() {
        let mut session = Session::new(Mono(100));
        assert_eq!(session.driven(OutLine::Bell, false, NOW), None);
        took(&mut session, line(Line::Out(OutLine::Bell), false, 200, 0));
        assert!(session.driven(OutLine::Bell, false, NOW).is_some());
        // On its way up the last report is stale.
        assert_eq!(session.driven(OutLine::Bell, true, NOW), None);
        assert_eq!(session.driven(OutLine::Bell, false, NOW), None);
    }

    #[test]
    fn a_temperature_is_handed_on_and_its_lack_too() {
        let mut session = Session::new(Mono(0));
        for reading in [Some(MilliCelsius(35_500)), None] {
            let message = FromBench::Temperature(TemperatureMessage { motor_temperature_mc: reading, at_ns: 3 });
            assert_eq!(took(&mut session, message), [(3, Input::Temperature { reading })]);
        }
    }

    #[test]
    fn a_flood_is_no_table() {
        let mut session = Session::new(Mono(0));
        let mut out = Vec::new();
        for seq in 0..u64::from(FLOOD) {
            out.clear();
            assert_eq!(session.take(line(Line::In(InLine::CamA), true, 1, seq), NOW, &mut out), Ok(()));
        }
        assert_eq!(session.take(line(Line::In(InLine::CamA), true, 1, 0), NOW, &mut out), Err(Flood));
    }
}

//! Measurements at the wires of a running table.

use super::clock;
use super::rig_fault::RigFault;
use super::table::Virtual;
use super::wire::{WireEvent, WireSocket};
use nix::poll::{PollFd, PollFlags, ppoll};
use std::time::Duration;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::units::Millis;
use tumbler_core::wire::lines::ToBench;

/// Limit for a reaction.
const ANSWER: Millis = Millis(1000);

/// Waits for the socket's next messages, at most until `end`.
fn next(socket: &mut WireSocket, end: tumbler_core::units::Mono) -> Result<Vec<WireEvent>, RigFault> {
    if let (_, Some((daemon, _))) = socket.fds() {
        let mut fds = [PollFd::new(daemon, PollFlags::POLLIN)];
        match ppoll(&mut fds, Some(clock::until(end)), None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(e) => return Err(RigFault::system("wait for the wire")(e)),
        }
    }
    socket.poll()
}

/// Sends the edge of a dome that leaves its contact to the connected program. Returns the nanoseconds until the motor was switched
/// off, and everything that was driven meanwhile, in order.
///
/// # Errors
/// [`RigFault::Late`] when the motor is not switched off within a second.
pub fn dome_to_motor(socket: &mut WireSocket) -> Result<(u64, Vec<ToBench>), RigFault> {
    let sent = clock::now();
    let end = sent.after(ANSWER);
    socket.edge(sent, InLine::DomeClosed, false);
    let mut driven = Vec::new();
    while clock::now() < end {
        for event in next(socket, end)? {
            let WireEvent::Driven(message) = event else { continue };
            driven.push(message);
            if message == (ToBench { line: OutLine::MotorEnable, active: false }) {
                return Ok((clock::now().nanos_since(sent), driven));
            }
        }
    }
    Err(RigFault::Late {
        what: "motor_enable to go off".into(),
        after: Duration::from_nanos(ANSWER.as_nanos()),
        hint: "is the motor on, and does the daemon read its wire?".into(),
    })
}

impl Virtual {
    /// Sends a flicker of the dome's contact, shorter than the motor guard's 3 ms. Returns the nanoseconds until the motor was
    /// switched off; `None` if the motor does not run.
    ///
    /// # Errors
    /// [`RigFault`] when the daemon does not react.
    pub fn flicker(&mut self) -> Result<Option<u64>, RigFault> {
        self.tick()?;
        if !self.world.twin.motor_power() {
            return Ok(None);
        }
        let (nanos, driven) = dome_to_motor(&mut self.socket)?;
        self.socket.edge(clock::now(), InLine::DomeClosed, true);
        self.world.begin_tick();
        for message in driven {
            self.world.output_driven(message.line, message.active);
        }
        self.world.deliver_wires(&mut self.socket);
        Ok(Some(nanos))
    }

    /// When the last byte of a lamp board's latest answer about its lamps was sent, in table time.
    #[must_use]
    pub fn lamps_answered(&self) -> Option<u64> {
        // Unit, function, count, eight bytes of bits, checksum.
        self.world.sensed.map(|at| at + super::speed::LineSpeed::default().bytes(13))
    }
}

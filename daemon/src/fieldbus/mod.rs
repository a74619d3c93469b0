//! The field bus: Modbus RTU over RS-485, one transaction at a time, on a thread of its own.
//! `daemon/docs/registers.md` is the page for builders of boards.
//!
//! Nothing is ever decided on a doubtful reply. Before a request the line must have been silent; after a transaction that
//! failed it is left alone until a late reply must have come, and cleared; while replies come twice, the line is left alone for the
//! second one; every reply is checked against what was asked;
//! what comes before it, as the echo of a line with two wires, is passed over; every call is bounded. A port that is gone is opened again by its path, which should be one under `/dev/serial/by-id`.

mod exchange;
mod port;
mod proven;
mod timing;

pub use exchange::exchange;
pub use timing::Timing;

use crate::run::backoff::Backoff;
use crate::run::clock::{self, Alarm};
use crate::run::inbox::{Ended, Inbox};
use port::{Port, later};
use proven::{Beside, Proven};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tumbler_core::effect::BusRequest;
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::units::Mono;

/// Requests that wait at most. The table has one outstanding; the second place keeps its successor from being refused in
/// the moment in which the first one's answer is on its way.
pub const WAITING: usize = 2;
/// First pause before the port is opened again; doubled at every failure.
const FIRST: Duration = Duration::from_millis(50);
/// Longest pause: a port that comes back is found within a second.
const LONGEST: Duration = Duration::from_secs(1);
/// So long after a reply that was none, or stray bytes, every reply is taken to come twice.
const WARY: Duration = Duration::from_secs(1);

/// One serial line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The port's path.
    pub path: PathBuf,
    /// Its times.
    pub timing: Timing,
}

/// Serves requests on the calling thread until the control loop hangs up.
///
/// # Errors
/// No runtime or timer can be had. Trouble with port and units is an answer and no error.
pub fn run(settings: Settings, requests: mpsc::Receiver<BusRequest>, inbox: Inbox) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { serve(settings, requests, inbox).await })
}

async fn serve(settings: Settings, mut requests: mpsc::Receiver<BusRequest>, inbox: Inbox) -> anyhow::Result<()> {
    let mut bus = Bus::new(settings)?;
    while let Some(request) = requests.recv().await {
        let reply = bus.transact(&request).await;
        if inbox.send(Input::Bus { id: request.id, reply }).await == Err(Ended) {
            break;
        }
    }
    Ok(())
}

/// The master of one serial line.
#[derive(Debug)]
pub struct Bus {
    settings: Settings,
    port: Option<Port>,
    alarm: Alarm,
    /// The line must be silent until then before anything is asked.
    quiet_until: Mono,
    /// Until then replies may come twice, the second in the next one's place.
    wary_until: Mono,
    /// When the port may be tried again.
    retry: Mono,
    backoff: Backoff,
    /// Whether the port's loss has been logged.
    told: bool,
    /// Whether an echo has been logged since the port was opened, and whether stray bytes have.
    told_beside: (bool, bool),
}

impl Bus {
    /// A master that opens its port when it is first asked. Needs a running I/O driver.
    ///
    /// # Errors
    /// The kernel gives no timer.
    pub fn new(settings: Settings) -> io::Result<Self> {
        Ok(Self {
            settings,
            port: None,
            alarm: Alarm::new()?,
            quiet_until: Mono(0),
            wary_until: Mono(0),
            retry: Mono(0),
            // The pauses begin again once the port opens, however long it stays.
            backoff: Backoff::new(FIRST, LONGEST, Duration::MAX),
            told: false,
            told_beside: (false, false),
        })
    }

    /// Runs one transaction. Returns within the transaction's time and two quarantines, whatever happens.
    ///
    /// # Errors
    /// How the transaction failed.
    pub async fn transact(&mut self, request: &BusRequest) -> Result<BusReply, BusFailure> {
        let result = self.attempt(request).await;
        let now = clock::now();
        let timing = self.settings.timing;
        match &result {
            // The unit has answered: the next request waits for the silence that ends its frame, or that of its double.
            Ok(_) | Err(BusFailure::Exception(_)) => {
                let wary = now < self.wary_until;
                self.quiet_until = later(now, if wary { timing.doubled(&request.op) } else { timing.silence() });
            }
            Err(BusFailure::PortGone) => self.lose_port(now),
            Err(failure) => {
                tracing::debug!(unit = request.unit, ?failure, "transaction failed");
                self.quiet_until = later(now, timing.quarantine());
                if matches!(failure, BusFailure::Corrupt | BusFailure::WrongShape) {
                    self.wary_until = later(now, WARY);
                }
            }
        }
        result
    }

    async fn attempt(&mut self, request: &BusRequest) -> Result<BusReply, BusFailure> {
        self.open_port()?;
        let port = self.port.as_ref().ok_or(BusFailure::PortGone)?;
        let timing = self.settings.timing;
        match port.clear(&mut self.alarm, timing.silence(), self.quiet_until, timing.quarantine()).await {
            Ok(0) => {}
            Ok(bytes) => {
                tracing::debug!(bytes, unit = request.unit, "stray bytes on the line thrown away");
                self.wary_until = later(clock::now(), WARY);
            }
            Err(error) => return Err(exchange::failure(&error)),
        }
        let limit = timing.transaction(&request.op);
        let (beside, length) = (Arc::new(Beside::default()), timing::reply_bytes(&request.op));
        let proven = Proven::new(port.lend(), length, &beside);
        let answer = tokio::time::timeout(limit, exchange(proven, request)).await;
        let stray = beside.stray.load(Ordering::Relaxed);
        match answer {
            Ok(answer) => {
                self.tell(request.unit, beside.echo.load(Ordering::Relaxed), stray);
                answer
            }
            // As many bytes as a reply has, and no frame among them.
            Err(_) if u64::try_from(stray).is_ok_and(|stray| stray >= length) => Err(BusFailure::Corrupt),
            Err(_) => Err(BusFailure::Timeout),
        }
    }

    /// Says what was passed over before a frame: the first time after the port was opened, for it may come with every one.
    fn tell(&mut self, unit: u8, echo: bool, stray: usize) {
        if echo && !std::mem::replace(&mut self.told_beside.0, true) {
            tracing::warn!(
                unit,
                "the line echoes what is sent, and the echo is passed over; turn it off at the RS-485 adapter"
            );
        }
        if stray > 0 {
            self.wary_until = later(clock::now(), WARY);
            if !std::mem::replace(&mut self.told_beside.1, true) {
                tracing::warn!(
                    unit,
                    bytes = stray,
                    "stray bytes before a reply are passed over; check the bus cable and its bias"
                );
            }
        }
    }

    fn open_port(&mut self) -> Result<(), BusFailure> {
        if self.port.is_some() {
            return Ok(());
        }
        let now = clock::now();
        if now < self.retry {
            return Err(BusFailure::PortGone);
        }
        let (path, baud) = (&self.settings.path, self.settings.timing.baud);
        match port::open(path, baud) {
            Ok(port) => {
                tracing::info!(port = %path.display(), baud, "field bus opened");
                self.port = Some(port);
                self.told = false;
                self.told_beside = (false, false);
                self.backoff.reset();
                // Opening may have caught a frame in its middle.
                self.quiet_until = later(now, self.settings.timing.silence());
                Ok(())
            }
            Err(error) => {
                if !self.told {
                    tracing::warn!(port = %path.display(), %error, "field bus cannot be opened; trying again");
                    self.told = true;
                }
                self.retry = later(now, self.backoff.pause(Duration::ZERO));
                Err(BusFailure::PortGone)
            }
        }
    }

    fn lose_port(&mut self, now: Mono) {
        if self.port.take().is_some() {
            tracing::warn!(port = %self.settings.path.display(), "field bus is gone; trying to open it again");
            self.told = true;
            self.retry = later(now, self.backoff.pause(Duration::ZERO));
        }
    }
}

#[cfg(test)]
mod tests;

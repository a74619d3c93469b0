//! The composition root: the one place that names the concrete types and ties them together.

mod io;
mod network;
mod runtime;

pub use network::run as run_network;

use crate::config::{self, Config};
use crate::console;
use crate::fieldbus;
use crate::hardware::cdev::Cdev;
use crate::hardware::chip::{ChipLines, Driver};
use crate::hardware::rppal::{self, Rppal};
use crate::hardware::thermometer;
use crate::hardware::virtual_wire::VirtualLines;
use crate::hardware::{Lines, OpenLines};
use crate::journal::{self, Appender, Job, Journal, TakenOver};
use crate::recording::recorder::recorder;
use crate::run::control::{self, Outside, Parts, Progress};
use crate::run::inbox::{self, Inbox};
use crate::run::notify::{self, Watchdog};
use crate::run::supervise::{Event, Supervisor};
use crate::run::trace::{self, Tap};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tumbler_core::effect::{BusRequest, KeyTold};
use tumbler_core::input::{BusFailure, Input};
use tumbler_core::record::Record;
use tumbler_core::table::{Found, Start};
use tumbler_core::units::{Millis, Seq};
use tumbler_core::wire::console::Answer;
use tumbler_core::wire::recording::{FORMAT, Header};

/// Key presses that wait for the relay at most; what finds no room is dropped, for it is news and no record.
const KEYS: usize = 16;
/// Longest time that the control loop may take to end in safe state; it limits itself to 2 s.
const CONTROL_ENDS: Duration = Duration::from_millis(2500);
/// Longest time for everything else to end. Whatever has not ended then ends with the process.
const REST_ENDS: Duration = Duration::from_millis(2500);

/// Sets up the journal of a new table.
///
/// # Errors
/// There is a journal already, or none can be written.
pub fn commission(config: &Config) -> anyhow::Result<String> {
    let boot = journal::boot_id().context("the kernel's boot id cannot be read")?;
    let place = &config.journal;
    Ok(Journal::commission(&place.state_dir, &place.run_dir, &config.identity(), &boot)?)
}

/// Takes the table over that lies in the state directory `from` of another board.
///
/// # Errors
/// Those of [`Journal::take_over`]; the kernel's boot id cannot be read.
pub fn take_over(config: &Config, from: &Path) -> anyhow::Result<TakenOver> {
    let boot = journal::boot_id().context("the kernel's boot id cannot be read")?;
    let place = &config.journal;
    Ok(Journal::take_over(from, &place.state_dir, &place.run_dir, &config.identity(), &boot, &journal::board())?)
}

/// Work that a thread hands to another.
type Work = Box<dyn FnOnce() + Send>;

/// Runs the table until somebody asks the daemon to stop. To be called on the process's first thread, which becomes the control
/// thread: systemd gives that one its real-time priority, so that nobody in the daemon need be allowed to ask for any.
///
/// # Errors
/// What cannot be started, or the first part to end by itself. Outputs are in safe state by then.
pub fn run(config: Config) -> anyhow::Result<()> {
    for note in config.notes() {
        tracing::warn!("{note}");
    }
    let supervisor = Supervisor::default();
    supervisor.heed_signals().context("SIGTERM and SIGINT cannot be waited for")?;
    let (control, work) = sync_channel(1);
    let rest =
        thread::Builder::new().name("supervisor".into()).spawn(move || supervise(config, supervisor, &control))?;
    // None where something before the control loop cannot be started: `rest` says what.
    if let Ok(control) = work.recv() {
        let control: Work = control;
        control();
    }
    rest.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the supervisor's thread panicked")))
}

/// Everything but the control loop, which is handed to `first`.
fn supervise(config: Config, mut supervisor: Supervisor, first: &SyncSender<Work>) -> anyhow::Result<()> {
    let boot = journal::boot_id().context("the kernel's boot id cannot be read")?;
    let place = &config.journal;
    let (inbox, arrivals) = inbox::inbox();
    let answer_with = |readers: &(journal::Reader, journal::Reader)| {
        let (durable, durable_seen) = watch::channel(readers.0.durable());
        (answers(inbox.clone(), durable), durable_seen)
    };
    let (readers, (appender, writer), durable_seen, found) =
        match Journal::open(&place.state_dir, &place.run_dir, &config.identity(), &boot)
            .and_then(|(journal, found)| Ok(((journal.reader()?, journal.reader()?), journal, found)))
        {
            Ok((readers, journal, found)) => {
                let (answer, durable_seen) = answer_with(&readers);
                let spawned = journal.spawn(answer)?;
                verify_in_background(place.state_dir.clone(), inbox.clone())?;
                (readers, spawned, durable_seen, found)
            }
            // The table comes up blocked and says why, where nobody would look into the log.
            Err(error) => {
                let (standby, found) = Journal::stand_by(error, &place.state_dir, &config.identity())?;
                let readers = (standby.reader()?, standby.reader()?);
                let (answer, durable_seen) = answer_with(&readers);
                (readers, standby.spawn(answer)?, durable_seen, found)
            }
        };
    let relayed = relayed(&found);
    let (tap, watched) = match config.panel {
        None => (Tap::default(), None),
        Some(_) => {
            let (tap, traces) = trace::tap();
            (tap, Some(traces))
        }
    };

    let (bus, requests) = mpsc::channel(fieldbus::WAITING);
    let (line, bus_inbox) = (serial_line(&config.bus), inbox.clone());
    supervisor.thread("bus", move || fieldbus::run(line, requests, bus_inbox))?;

    let header = Header {
        format: FORMAT,
        build: crate::BUILD.into(),
        backend: config.settings.backend.clone(),
        boot: boot.clone(),
        reason: String::new(),
    };
    if let Some(sensor) = config.thermometer.clone() {
        let (stale, readings) = (Millis(config.settings.parameters.temperature_stale), inbox.clone());
        supervisor.thread("temperature", move || thermometer::run(&sensor, stale, &readings))?;
    }

    let (recorder, recordings) = recorder(place.state_dir.join("incidents"), header);
    let (answer, answers) = mpsc::channel(console::ANSWERS);
    let of_recordings = answer.clone();
    supervisor.thread("recorder", move || {
        recordings.run(|request, told| reply(&of_recordings, request, told));
        Ok(())
    })?;

    let (keys, keys_told) = mpsc::channel(KEYS);
    let (up, is_up) = oneshot::channel();
    let (stop_control, stop) = oneshot::channel();
    let progress = Arc::new(Progress::default());
    let parts = Parts {
        settings: config.settings.clone(),
        start: Start { boot: boot.clone(), build: crate::BUILD.into(), config: config.hash(), journal: found },
        lines: lines(&config.hardware),
        inbox: arrivals,
        outside: Box::new(Queues { appender, bus, keys, answer }),
        recorder,
        tap,
        progress: Arc::clone(&progress),
        up,
        stop,
    };
    let control = supervisor.elsewhere("control", move || control::run(parts));
    first.send(Box::new(control)).map_err(|_| anyhow::anyhow!("the first thread is gone"))?;
    let Ok(up) = is_up.blocking_recv() else {
        return Err(first_end(&mut supervisor));
    };

    let (stop_io, io_stops) = watch::channel(false);
    let (io_up, io_is_up) = oneshot::channel();
    let snapshot = up.snapshot.clone();
    let io_parts = io::Parts {
        boot,
        readers,
        watched,
        relayed,
        snapshot: up.snapshot,
        meters: up.meters,
        durable: durable_seen,
        keys: keys_told,
        answers,
        inbox,
        up: io_up,
        stop: io_stops,
        config,
    };
    supervisor.thread("io", move || io::run(io_parts))?;
    if io_is_up.blocking_recv().is_ok() {
        let snapshot = Arc::clone(&snapshot.borrow());
        tracing::info!(phase = snapshot.phase.name(), backend = snapshot.backend, "the table is up");
        notify::ready(&snapshot);
    }

    let outcome = watch_over(&mut supervisor, Watchdog::new(progress), || writer.ended());
    notify::stopping();
    // The control loop makes the outputs safe first of all; everything that it needs for its last record still runs.
    drop(stop_control);
    let hangs = !supervisor.join("control", CONTROL_ENDS);
    if hangs {
        tracing::error!("the control loop does not end; outputs are left to the dead-man line");
    }
    stop_io.send_replace(true);
    stop_journal(&mut supervisor, writer);
    supervisor.join("io", REST_ENDS);
    supervisor.join("recorder", REST_ENDS);
    if hangs {
        // The first thread would never return from it.
        std::process::exit(1);
    }
    outcome
}

/// Waits for the first reason to end; feeds the watchdog meanwhile.
fn watch_over(
    supervisor: &mut Supervisor,
    mut watchdog: Watchdog,
    journal_ended: impl Fn() -> bool,
) -> anyhow::Result<()> {
    loop {
        match supervisor.wait(watchdog.patience()) {
            Some(Event::Stop { by }) => {
                tracing::info!(by, "stopping");
                return Ok(());
            }
            Some(ended @ Event::Ended { .. }) => return Err(unexpected(ended)),
            None if journal_ended() => anyhow::bail!("the journal's thread ended by itself"),
            None => {}
        }
        watchdog.look();
    }
}

fn unexpected(event: Event) -> anyhow::Error {
    match event {
        Event::Ended { name, how: Err(why) } => anyhow::anyhow!("thread `{name}` failed: {why}"),
        Event::Ended { name, how: Ok(()) } => anyhow::anyhow!("thread `{name}` ended although nobody asked it to"),
        Event::Stop { by } => anyhow::anyhow!("stopped by {by} before the table was up"),
    }
}

/// Why the control thread did not come up.
fn first_end(supervisor: &mut Supervisor) -> anyhow::Error {
    supervisor.wait(CONTROL_ENDS).map_or_else(|| anyhow::anyhow!("the control loop did not come up"), unexpected)
}

/// Closes the journal, without waiting for ever for a disk that hangs.
fn stop_journal(supervisor: &mut Supervisor, writer: journal::Writer) {
    let stopped = supervisor.thread("journal-stop", move || writer.stop().context("the journal could not be closed"));
    match stopped {
        Ok(()) if supervisor.join("journal-stop", REST_ENDS) => {}
        Ok(()) => tracing::error!("the journal's disk does not answer; leaving without closing it"),
        Err(error) => tracing::error!(%error, "the journal is not closed"),
    }
}

/// What the journal's thread answers goes to the table, and to those who read the journal.
fn answers(inbox: Inbox, durable: watch::Sender<Seq>) -> impl Fn(Input) + Send + 'static {
    move |input| {
        if let Input::Durable { seq } = input {
            durable.send_replace(seq);
        }
        // While the daemon ends nobody needs it any more.
        let _ = inbox.blocking_send(input);
    }
}

fn relayed(found: &Found) -> Seq {
    match found {
        Found::Good { relayed, .. } | Found::Bad { relayed, .. } => *relayed,
    }
}

/// Verifies what the start did not: the journal before its tail. The thread ends when it has, so nobody watches it.
fn verify_in_background(state_dir: PathBuf, inbox: Inbox) -> anyhow::Result<()> {
    let work = move || {
        let wrong = match journal::verify_all(&state_dir) {
            Ok(report) => report.faults.first().map(ToString::to_string),
            // Who could not read knows nothing of what lies there; the next start verifies it.
            Err(error) if error.may_pass() => {
                tracing::warn!(%error, "the journal could not be verified");
                None
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(wrong) = wrong {
            let reason = format!("the journal is not what it was: {wrong}");
            tracing::error!(reason, "the journal's verification failed");
            // Nobody listens any more only when the daemon is ending.
            let _ = inbox.blocking_send(Input::JournalFailed { reason });
        }
    };
    std::thread::Builder::new()
        .name("verify".into())
        .spawn(work)
        .context("the verification's thread cannot be started")?;
    Ok(())
}

fn serial_line(bus: &config::Bus) -> fieldbus::Settings {
    let timing = fieldbus::Timing {
        baud: bus.baud,
        turnaround: Duration::from_millis(bus.turnaround_ms.into()),
        // The timeout is that of the whole transaction beyond its bytes, the turnaround included.
        slack: Duration::from_millis(bus.timeout_ms.saturating_sub(bus.turnaround_ms).into()),
    };
    fieldbus::Settings { path: bus.port.clone(), timing }
}

fn lines(hardware: &config::Hardware) -> OpenLines {
    match hardware {
        config::Hardware::Virtual { socket, .. } => {
            let socket = socket.clone();
            tracing::warn!(socket = %socket.display(), "backend `virtual`: wires are a bench's, and no game is real");
            Box::new(move || Ok(Box::new(VirtualLines::open(&socket)) as Box<dyn Lines>))
        }
        config::Hardware::Cdev { chip, pins } => {
            let label = chip.clone();
            on_chip(move || Cdev { label }, pins)
        }
        config::Hardware::Rppal { pins, speed } => {
            if let Some(board) = rppal::board() {
                tracing::info!(board, "outputs through this board's registers");
            }
            let speed = *speed;
            on_chip(move || Rppal::new(speed), pins)
        }
    }
}

/// Lines of a GPIO chip, with outputs by this driver.
fn on_chip<D: Driver + 'static>(driver: impl FnOnce() -> D + Send + 'static, pins: &config::Pins) -> OpenLines {
    let pins = Box::new(pins.clone());
    Box::new(move || Ok(Box::new(ChipLines::open(driver(), pins)) as Box<dyn Lines>))
}

/// The queues that the control loop's effects go to.
struct Queues {
    appender: Appender,
    bus: mpsc::Sender<BusRequest>,
    keys: mpsc::Sender<KeyTold>,
    answer: mpsc::Sender<(u64, Answer)>,
}

impl Outside for Queues {
    fn journal(&mut self, records: Vec<Record>, relayed: Seq, permit: Option<bool>) -> Result<(), Input> {
        self.appender.append(Job { records, relayed, permit })
    }
    fn bus(&mut self, request: BusRequest) -> Result<(), BusFailure> {
        self.bus.try_send(request).map_err(|_| BusFailure::PortGone)
    }
    fn reply(&mut self, request: u64, answer: Answer) {
        reply(&self.answer, request, answer);
    }
    fn keypad(&mut self, key: KeyTold) {
        // Without a broker the queue is full and stays so.
        let _ = self.keys.try_send(key);
    }
}

/// Answers a command of the console.
fn reply(to: &mpsc::Sender<(u64, Answer)>, request: u64, answer: Answer) {
    if to.try_send((request, answer)).is_err() {
        tracing::warn!(request, "an answer finds the console too busy and is dropped");
    }
}

/// Names a thread in the log of its panic.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        tracing::error!(thread = thread::current().name().unwrap_or("?"), panic = %info, "defect: a thread panicked");
    }));
}

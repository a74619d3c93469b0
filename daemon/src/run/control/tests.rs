use super::*;
use crate::hardware::Lines;
use crate::recording::recorder::{RecordingWriter, recorder};
use crate::run::inbox;
use std::sync::mpsc as std_mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::settings::Parameters;
use tumbler_core::table::Found;
use tumbler_core::wire::recording::{FORMAT, Header};

const LONG: Duration = Duration::from_secs(20);

/// What the loop did outside, in order.
#[derive(Debug, PartialEq)]
enum Did {
    Set(OutLine, bool),
    Journal(Vec<Record>),
}

struct FakeLines {
    inputs: UnboundedReceiver<Input>,
    waiting: Vec<Input>,
    did: std_mpsc::Sender<Did>,
}

impl Lines for FakeLines {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Poll::Ready(Some(input)) = self.inputs.poll_recv(cx) else { return Poll::Pending };
        self.waiting.push(input);
        Poll::Ready(())
    }
    fn drain(&mut self, out: &mut Vec<Arrival>) {
        out.extend(self.waiting.drain(..).map(|input| Arrival { at: clock::now(), input }));
    }
    fn set(&mut self, line: OutLine, active: bool) {
        let _ = self.did.send(Did::Set(line, active));
    }
    fn backend(&self) -> &'static str {
        "virtual"
    }
}

struct FakeOutside(std_mpsc::Sender<Did>);

impl Outside for FakeOutside {
    fn journal(&mut self, records: Vec<Record>, _: Seq, _: Option<bool>) -> Result<(), Input> {
        let _ = self.0.send(Did::Journal(records));
        Ok(())
    }
    fn bus(&mut self, _: BusRequest) -> Result<(), BusFailure> {
        Err(BusFailure::PortGone)
    }
    fn reply(&mut self, _: u64, _: Answer) {}
    fn keypad(&mut self, _: KeyTold) {}
}

/// A control loop on a thread, with a test all around it.
struct Running {
    inbox: inbox::Inbox,
    wires: tokio::sync::mpsc::UnboundedSender<Input>,
    did: std_mpsc::Receiver<Did>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
    progress: Arc<Progress>,
    up: Up,
    _recordings: RecordingWriter,
}

fn settings() -> Settings {
    Settings {
        site: "s".into(),
        table: "t".into(),
        backend: "virtual".into(),
        rules: "nz-1998".into(),
        layout: "nz-1998".into(),
        reader: false,
        temperature: false,
        house: tumbler_core::settings::House::default(),
        parameters: Parameters::default(),
    }
}

fn start() -> Start {
    let journal = Found::Good { standing: Box::default(), last: Seq(1), relayed: Seq(0), permit: false };
    Start { boot: "b".into(), build: crate::BUILD.into(), config: "c".into(), journal }
}

impl Running {
    fn start() -> Self {
        let (wires, inputs) = unbounded_channel();
        let (did_there, did) = std_mpsc::channel();
        let (inbox, arrivals) = inbox::inbox();
        let header = Header {
            format: FORMAT,
            build: String::new(),
            backend: String::new(),
            boot: String::new(),
            reason: String::new(),
        };
        let (recorder, recordings) = recorder(std::path::PathBuf::new(), header);
        let (up, is_up) = oneshot::channel();
        let (stop, stops) = oneshot::channel();
        let progress = Arc::new(Progress::default());
        let lines_did = did_there.clone();
        let parts = Parts {
            settings: settings(),
            start: start(),
            lines: Box::new(|| Ok(Box::new(FakeLines { inputs, waiting: Vec::new(), did: lines_did }))),
            inbox: arrivals,
            outside: Box::new(FakeOutside(did_there)),
            recorder,
            tap: Tap::default(),
            progress: Arc::clone(&progress),
            up,
            stop: stops,
        };
        let thread = thread::spawn(move || run(parts));
        let up = is_up.blocking_recv().unwrap();
        Self { inbox, wires, did, stop: Some(stop), thread: Some(thread), progress, up, _recordings: recordings }
    }

    /// What the loop did, up to and with the first thing that `wanted` names.
    fn until(&self, wanted: impl Fn(&Did) -> bool) -> Vec<Did> {
        let mut seen = Vec::new();
        loop {
            seen.push(self.did.recv_timeout(LONG).expect("nothing more is done"));
            if seen.last().is_some_and(&wanted) {
                return seen;
            }
        }
    }
}

fn records(did: &Did) -> &[Record] {
    if let Did::Journal(records) = did { records } else { &[] }
}

fn has(did: &Did, wanted: impl Fn(&Event) -> bool) -> bool {
    records(did).iter().any(|record| wanted(&record.event))
}

#[test]
fn a_start_switches_the_motor_off_and_the_sign_on_before_anything_else() {
    let running = Running::start();
    let seen = running.until(|did| has(did, |event| matches!(event, Event::Started { .. })));
    assert!(seen.contains(&Did::Set(OutLine::MotorEnable, false)), "{seen:?}");
    assert!(seen.contains(&Did::Set(OutLine::OutOfService, true)), "{seen:?}");
    assert!(!seen.contains(&Did::Set(OutLine::MotorEnable, true)), "{seen:?}");
    assert_eq!(running.up.snapshot.borrow().backend, "virtual");
}

#[test]
fn a_stop_is_safe_at_once_and_waits_for_its_record() {
    let mut running = Running::start();
    running.until(|did| has(did, |event| matches!(event, Event::Started { .. })));
    running.stop = None;
    let seen = running.until(|did| has(did, |event| matches!(event, Event::Stopped)));
    let off = seen.iter().position(|did| *did == Did::Set(OutLine::MotorEnable, false));
    assert!(off.is_some_and(|off| off < seen.len() - 1), "{seen:?}");
    let last = seen.iter().flat_map(records).map(|record| record.seq).max().unwrap();
    running.inbox.blocking_send(Input::Durable { seq: last }).unwrap();
    running.thread.take().unwrap().join().unwrap().unwrap();
}

#[test]
fn a_stop_does_not_wait_for_a_journal_that_failed() {
    let mut running = Running::start();
    running.inbox.blocking_send(Input::JournalFailed { reason: "full".into() }).unwrap();
    running.stop = None;
    running.thread.take().unwrap().join().unwrap().unwrap();
}

#[test]
fn the_loop_makes_progress_though_nothing_happens() {
    let running = Running::start();
    let before = running.progress.turns();
    let until = std::time::Instant::now() + LONG;
    while running.progress.turns() < before + 3 {
        assert!(std::time::Instant::now() < until, "no progress");
        thread::yield_now();
    }
}

#[test]
fn wires_reach_the_table_and_change_what_is_shown() {
    let running = Running::start();
    let seen = running.until(|did| has(did, |event| matches!(event, Event::Started { .. })));
    let last = seen.iter().flat_map(records).map(|record| record.seq).max().unwrap();
    running.inbox.blocking_send(Input::Durable { seq: last }).unwrap();
    for line in [InLine::DomeClosed, InLine::Seal, InLine::PowerGood] {
        running.wires.send(Input::Level { line, active: true }).unwrap();
    }
    running.wires.send(Input::LinesLost { reason: "cut".into() }).unwrap();
    running.until(|did| has(did, |event| matches!(event, Event::Latched { cause, .. } if cause.contains("cut"))));
}

#[test]
fn nothing_is_energised_once_the_daemon_stops() {
    let (did_there, did) = std_mpsc::channel();
    let (_wires, inputs) = unbounded_channel();
    let mut lines = FakeLines { inputs, waiting: Vec::new(), did: did_there };
    for line in OutLine::ALL {
        for active in [false, true] {
            drive(&mut lines, line, active, true);
        }
    }
    drop(lines);
    let set: Vec<Did> = did.iter().collect();
    assert_eq!(
        set,
        [Did::Set(OutLine::MotorEnable, false), Did::Set(OutLine::OutOfService, true), Did::Set(OutLine::Bell, false)]
    );
}

//! A console in this process, with a stub of the table behind it that answers by a rule of the test's own.

use crate::in_memory::InMemory;
use crate::table::table;
use std::path::PathBuf;
use std::process::Output;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};
use tumbler_core::input::Input;
use tumbler_core::record::Event;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::ask::About;
use tumbler_core::wire::console::{Answer, Caller, Command};
use tumblerd::config::Console;
use tumblerd::console::{self, Feeds};
use tumblerd::run::meters::Meters;
use tumblerd::run::wires::{Plan, Wiring};

/// What the stub was asked.
pub(crate) type Asked = Arc<Mutex<Vec<(Caller, Command)>>>;

/// The console under test.
pub(crate) struct Stub {
    pub(crate) socket: PathBuf,
    pub(crate) snapshot: watch::Sender<Arc<Snapshot>>,
    pub(crate) meters: watch::Sender<Arc<Meters>>,
    pub(crate) asked: Asked,
    records: InMemory,
    durable: watch::Sender<Seq>,
    /// Commands that the rule left without an answer, and the way for one.
    open: Arc<Mutex<Vec<u64>>>,
    answers: mpsc::Sender<(u64, Answer)>,
    stop: watch::Sender<bool>,
    done: Option<std::thread::JoinHandle<()>>,
    _dir: tempfile::TempDir,
}

impl Stub {
    /// Starts a console whose table answers by this rule; `None` is silence. The test's account is a supervisor.
    pub(crate) fn start(rule: fn(&Command) -> Option<Answer>) -> Self {
        let uid = nix::unistd::getuid().as_raw();
        Self::start_for(vec![uid], rule)
    }

    pub(crate) fn start_for(supervisor_uids: Vec<u32>, rule: fn(&Command) -> Option<Answer>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("console.sock");
        let settings = Console {
            socket: socket.clone(),
            supervisor_group: "no-such-group".into(),
            manager_group: "no-such-group".into(),
            technician_group: "no-such-group".into(),
            supervisor_uids,
            manager_uids: vec![],
            technician_uids: vec![],
        };
        let asked = Asked::default();
        let records = InMemory::default();
        let (snapshot, snapshots) = watch::channel(Arc::new(table()));
        let (meters, metered) = watch::channel(Arc::new(Meters::new(Mono(1))));
        let plan = Arc::new(Plan { reader: true, areas: vec!["small".into(), "big".into()], ..Plan::default() });
        let (durable, durables) = watch::channel(Seq(0));
        let (stop, stops) = watch::channel(false);
        let (_, relay) = watch::channel(None);
        let (_, network) = watch::channel(None);
        let (answer, answers) = mpsc::channel(console::ANSWERS);
        let heard = Arc::clone(&asked);
        let open = Arc::new(Mutex::new(Vec::new()));
        let (unanswered, later) = (Arc::clone(&open), answer.clone());
        let hand_in: console::HandIn = Arc::new(move |input| {
            let (heard, answer, unanswered) = (Arc::clone(&heard), answer.clone(), Arc::clone(&unanswered));
            Box::pin(async move {
                let Input::Console { request, caller, command } = input else { panic!("{input:?}") };
                let rule = rule(&command);
                match rule {
                    Some(rule) => answer.try_send((request, rule)).unwrap(),
                    None => unanswered.lock().unwrap().push(request),
                }
                heard.lock().unwrap().push((caller, command));
                true
            })
        });
        let feeds = Feeds {
            about: About { site: "pit".into(), table: "t1".into(), build: "0.1.0".into(), backend: "virtual".into() },
            snapshot: snapshots,
            wiring: Wiring { plan, meters: metered },
            durable: durables,
            relay,
            network,
            records: Box::new(records.clone()),
            commands: Arc::new(console::Commands::new(hand_in)),
            answers,
            stop: stops,
        };
        let (ready, is_ready) = std::sync::mpsc::channel();
        let done = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = console::bind(&settings.socket, &settings.technician_group).unwrap();
                ready.send(()).unwrap();
                console::run(listener, settings, feeds).await;
            });
        });
        is_ready.recv().unwrap();
        Self {
            socket,
            snapshot,
            meters,
            asked,
            records,
            durable,
            open,
            answers: later,
            stop,
            done: Some(done),
            _dir: dir,
        }
    }

    /// Adds a record to the journal.
    pub(crate) fn record(&self, round: Option<u64>, event: Event) {
        let seq = self.records.add(Mono(1), round, event);
        self.durable.send_replace(seq);
    }

    /// Answers the command that has waited longest.
    pub(crate) fn answer(&self, answer: Answer) {
        let request = self.open.lock().unwrap().remove(0);
        self.answers.try_send((request, answer)).unwrap();
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut table = (**self.snapshot.borrow()).clone();
        change(&mut table);
        self.snapshot.send_replace(Arc::new(table));
    }

    /// Runs `tumblerctl` on this console.
    pub(crate) fn ctl(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).stdin(std::process::Stdio::null()).output().unwrap();
        Ran::of(&output)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
        command.arg("--socket").arg(&self.socket).args(arguments);
        command
    }

    pub(crate) fn stop(&mut self) {
        self.stop.send_replace(true);
        if let Some(done) = self.done.take() {
            done.join().unwrap();
        }
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(done) = self.done.take() {
            let _ = done.join();
        }
    }
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

pub(crate) fn done(_: &Command) -> Option<Answer> {
    Some(Answer::Done("done".into()))
}

pub(crate) fn refused(_: &Command) -> Option<Answer> {
    Some(Answer::refused("no-key", "turn the supervisor's key first"))
}

//! A bench just large enough for these tests: all contacts at rest, every output reported as it is driven, a serial line
//! on which nobody answers, and systemd's socket.

use nix::pty::{OpenptyResult, openpty};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest wait for anything, so that a defect fails a test instead of hanging it.
pub(crate) const LONG: Duration = Duration::from_secs(30);

const INPUTS: [(&str, bool); 12] = [
    ("motor_fault", false),
    ("cam_a", false),
    ("cam_b", false),
    ("dome_closed", true),
    ("dome_open", false),
    ("tumble", false),
    ("place_bets", false),
    ("no_more_bets", false),
    ("no_spin", false),
    ("supervisor_key", false),
    ("seal", true),
    ("power_good", true),
];

/// The daemon's program. Cargo names it to the daemon's own tests; those of `tumblerctl` find it beside theirs.
fn program() -> PathBuf {
    let beside = || Some(Path::new(option_env!("CARGO_BIN_EXE_tumblerctl")?).with_file_name("tumblerd"));
    let program = option_env!("CARGO_BIN_EXE_tumblerd").map(PathBuf::from).or_else(beside).unwrap();
    assert!(program.exists(), "there is no {}: cargo build -p tumblerd", program.display());
    program
}

/// A table's place: directory, configuration, lines, serial port, systemd.
pub(crate) struct Place {
    pub(crate) dir: TempDir,
    lines: UnixListener,
    notify: UnixDatagram,
    /// The network's process, which lives on while the daemon is restarted.
    network: RefCell<Option<Daemon>>,
    _pty: OpenptyResult,
}

/// A daemon that runs; killed when dropped.
pub(crate) struct Daemon(Child);

/// A daemon's connection to the bench's lines.
pub(crate) struct Wire {
    stream: UnixStream,
    /// What the daemon drives, as `(line, active)`.
    pub(crate) driven: Receiver<(String, bool)>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let lines = UnixListener::bind(at("lines")).unwrap();
        let notify = UnixDatagram::bind(at("notify")).unwrap();
        notify.set_read_timeout(Some(LONG)).unwrap();
        let pty = openpty(None, None).unwrap();
        std::os::unix::fs::symlink(nix::unistd::ttyname(pty.slave.as_fd()).unwrap(), at("bus")).unwrap();
        for name in ["state", "run"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let uid = nix::unistd::Uid::current();
        let place = dir.path().display();
        let config = format!(
            "[table]\nsite = \"s\"\ntable = \"t\"\nrules = \"nz-1998\"\nlayout = \"nz-1998\"\n\
             [hardware]\nbackend = \"virtual\"\nsocket = \"{place}/lines\"\n\
             [bus]\nport = \"{place}/bus\"\n\
             [journal]\nstate_dir = \"{place}/state\"\nrun_dir = \"{place}/run\"\n\
             [console]\nsocket = \"{place}/console\"\nsupervisor_uids = [{uid}]\ntechnician_uids = [{uid}]\n\
             [network]\nuser = \"{uid}\"\nsocket = \"{place}/net\"\nrun_dir = \"{place}/net.run\"\n"
        );
        std::fs::write(at("table.toml"), config).unwrap();
        Self { dir, lines, notify, network: RefCell::default(), _pty: pty }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.arg("--config").arg(self.path("table.toml"));
        command
    }

    /// Runs the daemon with this argument until it ends by itself.
    pub(crate) fn once(&self, argument: &str) -> Output {
        self.command().args(Some(argument).filter(|a| !a.is_empty())).output().unwrap()
    }

    /// Takes the table over that lies in this state directory.
    pub(crate) fn take_over(&self, from: &Path) -> Output {
        let mut command = Command::new(program());
        command.arg("take-over").arg(from).arg("--config").arg(self.path("table.toml"));
        command.output().unwrap()
    }

    pub(crate) fn commission(&self) {
        let output = self.once("--commission");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Starts the daemon under a systemd that wants its watchdog fed every two seconds, and the network's process where it has
    /// something to do and does not run yet.
    pub(crate) fn start(&self) -> Daemon {
        let config = std::fs::read_to_string(self.path("table.toml")).unwrap();
        if config.contains("enabled = true") && self.network.borrow().is_none() {
            self.start_network(|command| command);
        }
        self.start_alone()
    }

    /// Starts the daemon and nothing that speaks to the network.
    pub(crate) fn start_alone(&self) -> Daemon {
        self.start_logging(Stdio::inherit())
    }

    /// The same with its log there.
    pub(crate) fn start_logging(&self, log: Stdio) -> Daemon {
        self.start_within(|mut command| {
            command.stderr(log);
            command
        })
    }

    /// The same by what `within` makes of its command.
    pub(crate) fn start_within(&self, within: impl FnOnce(Command) -> Command) -> Daemon {
        let child = within(self.command())
            .env("NOTIFY_SOCKET", self.path("notify"))
            .env("WATCHDOG_USEC", "2000000")
            .env_remove("WATCHDOG_PID")
            .spawn()
            .unwrap();
        Daemon(child)
    }

    /// Starts the network's process, in place of one that ran, by what `within` makes of its command.
    pub(crate) fn start_network(&self, within: impl FnOnce(Command) -> Command) {
        self.network.take();
        let mut command = Command::new(program());
        command.arg("net").arg("--config").arg(self.path("table.toml"));
        let mut command = within(command);
        let child = command.env_remove("NOTIFY_SOCKET").stderr(Stdio::inherit()).spawn().unwrap();
        self.network.replace(Some(Daemon(child)));
    }

    /// Kills the network's process, and waits for its end.
    pub(crate) fn end_network(&self) {
        self.network.take();
    }

    /// Sends the network's process a signal.
    pub(crate) fn signal_network(&self, signal: nix::sys::signal::Signal) {
        self.network.borrow().as_ref().unwrap().signal(signal);
    }

    /// Accepts the daemon's connection, tells it all levels, and reports every output as it is driven.
    pub(crate) fn wire(&self) -> Wire {
        let (stream, _) = self.lines.accept().unwrap();
        let mut bench = stream.try_clone().unwrap();
        for (line, active) in INPUTS {
            say(&mut bench, line, active, 0);
        }
        let (tell, driven) = channel();
        thread::spawn(move || {
            let mut numbers = std::collections::BTreeMap::new();
            for message in BufReader::new(bench.try_clone().unwrap()).lines() {
                let Ok(message) = message else { return };
                let message: Value = serde_json::from_str(&message).unwrap();
                let line = message["line"].as_str().unwrap().to_owned();
                let active = message["active"].as_bool().unwrap();
                let number = numbers.entry(line.clone()).or_insert(0_u64);
                say(&mut bench, &line, active, *number);
                *number += 1;
                if tell.send((line, active)).is_err() {
                    return;
                }
            }
        });
        Wire { stream, driven }
    }

    /// Waits until systemd is told something that begins like this, and returns it.
    pub(crate) fn told(&self, beginning: &str) -> String {
        let until = Instant::now() + LONG;
        let mut bytes = [0; 4096];
        while Instant::now() < until {
            let count = self.notify.recv(&mut bytes).unwrap_or_else(|e| panic!("systemd never hears {beginning}: {e}"));
            let message = String::from_utf8_lossy(&bytes[..count]);
            if let Some(line) = message.lines().find(|line| line.starts_with(beginning)) {
                return line.to_owned();
            }
        }
        panic!("systemd never hears {beginning}");
    }

    /// Fills systemd's socket, so that nothing more can be told.
    pub(crate) fn fill_the_notify_socket(&self) {
        let filler = UnixDatagram::unbound().unwrap();
        filler.set_nonblocking(true).unwrap();
        while filler.send_to(b"FULL=1", self.path("notify")).is_ok() {}
    }

    /// Asks the console one thing.
    pub(crate) fn ask(&self, ask: &Value) -> Value {
        let mut console = UnixStream::connect(self.path("console")).unwrap();
        console.set_read_timeout(Some(LONG)).unwrap();
        writeln!(console, "{}", json!({ "id": 1, "ask": ask })).unwrap();
        let mut answer = String::new();
        BufReader::new(console).read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// The journal's records of this kind.
    pub(crate) fn records(&self, kind: &str) -> Vec<Value> {
        let reader = tumblerd::journal::Reader::open(&self.path("state")).unwrap();
        let stored = reader.after(tumbler_core::units::Seq(0), 10_000).unwrap();
        let all = stored.iter().map(|stored| serde_json::to_value(&stored.record).unwrap());
        all.filter(|record| record["kind"] == kind).collect()
    }

    /// The files in a directory of the table, once there is one whose name ends so.
    pub(crate) fn file(&self, directory: &str, ending: &str) -> PathBuf {
        let until = Instant::now() + LONG;
        loop {
            let found = std::fs::read_dir(self.path(directory)).into_iter().flatten().flatten();
            if let Some(file) = found.map(|f| f.path()).find(|p| name(p).ends_with(ending)) {
                return file;
            }
            assert!(Instant::now() < until, "no {ending} in {directory}");
            thread::yield_now();
        }
    }
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

fn say(stream: &mut UnixStream, line: &str, active: bool, seq: u64) {
    let message = json!({ "line": line, "active": active, "at_ns": 1, "seq": seq });
    // In one write, so that two threads cannot mix theirs. A daemon that has hung up is what some tests are about.
    let _ = stream.write_all(format!("{message}\n").as_bytes());
}

impl Wire {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Waits until the daemon drives this output so; returns all that it drove until then.
    pub(crate) fn until(&self, line: &str, active: bool) -> Vec<(String, bool)> {
        let mut seen = Vec::new();
        loop {
            seen.push(self.driven.recv_timeout(LONG).unwrap_or_else(|_| panic!("{line} never {active}: {seen:?}")));
            if seen.last() == Some(&(line.to_owned(), active)) {
                return seen;
            }
        }
    }

    /// All that the daemon drove until it hung up.
    pub(crate) fn rest(self) -> Vec<(String, bool)> {
        self.driven.iter().collect()
    }
}

impl Daemon {
    /// What the kernel says of the process.
    pub(crate) fn of_kernel(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.0.id())).unwrap()
    }

    pub(crate) fn id(&self) -> nix::unistd::Pid {
        nix::unistd::Pid::from_raw(i32::try_from(self.0.id()).unwrap())
    }

    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        nix::sys::signal::kill(self.id(), signal).unwrap();
    }

    /// Waits until it has ended.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + LONG;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the daemon does not end");
            thread::yield_now();
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

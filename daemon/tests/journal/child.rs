//! A journal in a process of its own, so that it can be killed, starved of disk, and measured: this test binary again.
//!
//! The child appends as it is told, a line of standard input at a time (`append N`, `grant N`, `revoke N`, `round`, `wait`, `stop`), and
//! says on standard output what the journal answered (`durable N`, `failed REASON`) and how much it wrote (`written N`).

use super::common::{Session, Table, identity, noted, round};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tumbler_core::input::Input;
use tumblerd::journal::Journal;

const DIR: &str = "TUMBLERD_JOURNAL_CHILD";

const HELD: &str = "TUMBLERD_JOURNAL_HELD";

/// Does nothing unless it was started as another program that has the journal open: it keeps everybody else from writing it.
#[test]
fn holder() {
    let Some(journal) = std::env::var_os(HELD) else { return };
    let other = rusqlite::Connection::open(journal).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    say("locked");
    let _ = std::io::stdin().lines().count();
}

/// That program; it ends when this is dropped.
pub(crate) struct Holder(Child);

impl Holder {
    pub(crate) fn of(journal: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "journal::child::holder", "--nocapture", "--test-threads=1"]).env(HELD, journal);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(told.into_iter().any(|line| line.contains("locked")));
        Self(child)
    }
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Does nothing unless it was started as the child.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    let boot = super::common::BOOT;
    let opened = Journal::open(&dir.join("state"), &dir.join("run"), &identity("t1"), boot);
    let (journal, found) = match opened {
        Ok(opened) => opened,
        Err(error) => return say(&format!("refused {error}")),
    };
    let mut session = Session::start(journal, &found);
    say("opened");
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (word, number) = line.split_once(' ').unwrap_or((&line, "1"));
        let number: usize = number.parse().unwrap();
        let events =
            (0..number).flat_map(|_| noted("a record of the length that records have: some hundred bytes")).collect();
        match word {
            "append" => session.queue(events, None),
            "grant" => session.queue(events, Some(true)),
            "revoke" => session.queue(events, Some(false)),
            "round" => {
                session.round += 1;
                for events in round() {
                    session.append(events, None);
                }
                // What the writer does after it has answered belongs to the round: the answer to this comes after it.
                session.append(Vec::new(), None);
            }
            "wait" => match session.answer() {
                Input::Durable { seq } => say(&format!("durable {}", seq.0)),
                Input::JournalFailed { reason } => say(&format!("failed {reason}")),
                other => panic!("{other:?}"),
            },
            "written" => {
                let io = std::fs::read_to_string("/proc/self/io").unwrap();
                say(&format!("written {}", io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).unwrap()));
            }
            // As a kill would: nothing is brought to an end. For a child under a wrapper, which a kill would not reach.
            "die" => std::process::exit(9),
            "stop" => {
                session.stop();
                say("stopped");
                return;
            }
            other => panic!("{other}?"),
        }
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n>{line}").unwrap();
    out.flush().unwrap();
}

/// Why the child does not open the journal.
pub(crate) fn refusal(table: &Table, wrapper: &[&str]) -> String {
    let line = Apart::spawn(table, wrapper).line().unwrap_or_else(|| panic!("the child says nothing"));
    line.strip_prefix("refused ").unwrap_or_else(|| panic!("the child says {line}")).to_owned()
}

/// The child, seen from the test. Killed when it goes out of scope.
pub(crate) struct Apart {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Apart {
    /// Starts the child on this table, under a wrapper such as `strace` or `prlimit` if one is given.
    pub(crate) fn start(table: &Table, wrapper: &[&str]) -> Self {
        Self::try_start(table, wrapper).unwrap_or_else(|| panic!("the child did not open the journal"))
    }
    /// The same; nothing if it is killed before it has opened the journal.
    pub(crate) fn try_start(table: &Table, wrapper: &[&str]) -> Option<Self> {
        let mut apart = Self::spawn(table, wrapper);
        (apart.line()? == "opened").then_some(apart)
    }
    /// The child, and nothing read from it yet.
    fn spawn(table: &Table, wrapper: &[&str]) -> Self {
        let this = std::env::current_exe().unwrap();
        let this = this.to_str().unwrap();
        let mut words: Vec<&str> = wrapper.to_vec();
        words.extend([this, "--exact", "journal::child::child", "--nocapture", "--test-threads=1"]);
        let mut process = Command::new(words[0])
            .args(&words[1..])
            .env(DIR, table.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} is needed for this test: {error}", words[0]));
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, input, output }
    }
    pub(crate) fn tell(&mut self, line: &str) {
        // A child that was killed hears nothing.
        let _ = writeln!(self.input, "{line}");
    }
    /// The next thing that it says; nothing once it is gone.
    pub(crate) fn line(&mut self) -> Option<String> {
        loop {
            let line = self.output.next()?.ok()?;
            if let Some(said) = line.strip_prefix('>') {
                return Some(said.to_owned());
            }
        }
    }
    /// Tells and hears.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.tell(line);
        self.line().unwrap_or_else(|| panic!("the child is gone after `{line}`"))
    }
    pub(crate) fn written(&mut self) -> u64 {
        self.ask("written").strip_prefix("written ").unwrap().parse().unwrap()
    }
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
    pub(crate) fn die(mut self) {
        self.tell("die");
        self.process.wait().unwrap();
    }
    pub(crate) fn stop(mut self) {
        assert_eq!(self.ask("stop"), "stopped");
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

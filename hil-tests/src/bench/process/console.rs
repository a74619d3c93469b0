//! A person at the daemon's console: JSON lines over its Unix socket, as `daemon/docs/console.md` has them for strangers.

use super::fault::{RigFault, shortened};
use nix::errno::Errno;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command};

/// Group whose members are technicians on this bench: every Debian has it, and nobody is in it who matters.
pub(super) const TECHNICIANS: &str = "nogroup";

/// Who is at the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// The rig's own account, which the configuration lists as a supervisor.
    Supervisor,
    /// An account of the technicians' group.
    Technician,
    /// An account in no group of the table.
    Nobody,
}

/// One connection with one request under way.
#[derive(Debug)]
struct Call {
    request: u64,
    stream: UnixStream,
    received: Vec<u8>,
    /// The program that connects under another account.
    helper: Option<std::process::Child>,
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(helper) = &mut self.helper {
            let _ = helper.kill();
            let _ = helper.wait();
        }
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// The answer to a command.
    Answer(u64, Answer),
    /// The table as it is, with the words as they came.
    Status(u64, Box<Snapshot>, String),
    /// The daemon hung up without an answer.
    HungUp(u64),
}

/// All people at the console.
#[derive(Debug)]
pub struct Console {
    path: PathBuf,
    calls: Vec<Call>,
    next: u64,
}

impl Console {
    /// The console whose socket is at `path`.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), calls: Vec::new(), next: 0 }
    }

    /// Gives a command. The number is that of the answer to come.
    ///
    /// # Errors
    /// [`RigFault`] when the daemon does not listen.
    pub fn command(&mut self, person: Person, command: &Command) -> Result<u64, RigFault> {
        let ask = serde_json::to_value(command).map_err(|e| RigFault::Other(e.to_string()))?;
        self.ask(person, ask)
    }

    /// Asks for the table as it is.
    ///
    /// # Errors
    /// [`RigFault`] when the daemon does not listen.
    pub fn status(&mut self) -> Result<u64, RigFault> {
        self.ask(Person::Supervisor, json!("status"))
    }

    fn ask(&mut self, person: Person, ask: Value) -> Result<u64, RigFault> {
        self.next += 1;
        let request = self.next;
        let (mut stream, helper) = match person {
            Person::Supervisor => {
                let direct = UnixStream::connect(&self.path);
                (direct.map_err(RigFault::file("connect to the console", &self.path))?, None)
            }
            Person::Technician => self.connect_as(TECHNICIANS)?,
            Person::Nobody => self.connect_as("games")?,
        };
        stream.set_nonblocking(true).map_err(RigFault::file("make non-blocking", &self.path))?;
        let mut line = json!({ "id": request, "ask": ask }).to_string();
        line.push('\n');
        stream.write_all(line.as_bytes()).map_err(RigFault::file("write to the console", &self.path))?;
        self.calls.push(Call { request, stream, received: Vec::new(), helper });
        Ok(request)
    }

    /// Connects as the account `nobody` in this group only, as far as the socket lets it: what it refuses is an end without an answer.
    fn connect_as(&self, group: &str) -> Result<(UnixStream, Option<std::process::Child>), RigFault> {
        let (own, far) = UnixStream::pair().map_err(RigFault::system("make a pair of sockets"))?;
        let copy = far.try_clone().map_err(RigFault::system("copy a socket"))?;
        let helper = Program::new("setpriv")
            .args(["--reuid", "nobody", "--regid", group, "--clear-groups", "--", "socat", "-"])
            .arg(format!("UNIX-CONNECT:{}", self.path.display()))
            .stdin(std::os::fd::OwnedFd::from(far))
            .stdout(std::os::fd::OwnedFd::from(copy))
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| RigFault::Spawn {
                program: PathBuf::from("setpriv"),
                source,
                remedy: "install util-linux and socat: apt-get install util-linux socat",
            })?;
        Ok((own, Some(helper)))
    }

    /// The connections that wait for an answer, to poll on.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.calls.iter().map(|call| call.stream.as_fd())
    }

    /// Reads what came, without waiting.
    ///
    /// # Errors
    /// [`RigFault::Protocol`] for what is no answer.
    pub fn turn(&mut self) -> Result<Vec<Heard>, RigFault> {
        let mut heard = Vec::new();
        let mut failed = None;
        self.calls.retain_mut(|call| match call.turn() {
            Ok(None) => true,
            Ok(Some(answer)) => {
                heard.push(answer);
                false
            }
            Err(fault) => {
                failed = Some(fault);
                false
            }
        });
        failed.map_or(Ok(heard), Err)
    }

    /// Forgets all requests: the daemon is gone.
    pub fn forget(&mut self) -> Vec<u64> {
        self.calls.drain(..).map(|call| call.request).collect()
    }
}

impl Call {
    fn turn(&mut self) -> Result<Option<Heard>, RigFault> {
        let mut chunk = [0_u8; 4096];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(Some(Heard::HungUp(self.request))),
                Ok(n) => self.received.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(e) if e.raw_os_error() == Some(Errno::EAGAIN as i32) => return Ok(None),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(Some(Heard::HungUp(self.request))),
            }
            if let Some(end) = self.received.iter().position(|b| *b == b'\n') {
                return self.read(self.received.get(..end).unwrap_or_default()).map(Some);
            }
        }
    }

    fn read(&self, line: &[u8]) -> Result<Heard, RigFault> {
        let odd = |why: String| RigFault::Protocol { peer: "the console", said: shortened(line), why };
        let mut reply: Value = serde_json::from_slice(line).map_err(|e| odd(e.to_string()))?;
        if reply.get("id").and_then(Value::as_u64) != Some(self.request) {
            return Err(odd(format!("it answers another request than {}", self.request)));
        }
        if let Some(error) = reply.get("error").and_then(Value::as_str) {
            return Ok(Heard::Answer(self.request, Answer::Refused(error.to_owned())));
        }
        let Some(answer) = reply.get_mut("answer") else { return Err(odd("neither answer nor error".into())) };
        if let Some(snapshot) = answer.pointer_mut("/status/snapshot") {
            let words = snapshot.to_string();
            let snapshot = serde_json::from_value(snapshot.take()).map_err(|e| odd(e.to_string()))?;
            return Ok(Heard::Status(self.request, Box::new(snapshot), words));
        }
        let answer = serde_json::from_value(answer.take()).map_err(|e| odd(e.to_string()))?;
        Ok(Heard::Answer(self.request, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::os::unix::net::UnixListener;

    fn heard(reply: &str) -> (String, Result<Vec<Heard>, RigFault>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("console");
        let listener = UnixListener::bind(&path).unwrap();
        let mut console = Console::new(&path);
        let close = Command::Close { name: "Mei".into() };
        assert_eq!(console.command(Person::Supervisor, &close).unwrap(), 1);
        assert_eq!(console.turn().unwrap(), []);
        let (mut daemon, _) = listener.accept().unwrap();
        let mut asked = String::new();
        BufReader::new(daemon.try_clone().unwrap()).read_line(&mut asked).unwrap();
        daemon.write_all(reply.as_bytes()).unwrap();
        drop(daemon);
        (asked, console.turn())
    }

    #[test]
    fn a_command_is_one_line_and_its_answer_comes_back_by_number() {
        let (asked, answer) = heard("{\"id\":1,\"answer\":{\"done\":\"closed\"}}\n");
        assert_eq!(asked, "{\"ask\":{\"command\":\"close\",\"with\":{\"name\":\"Mei\"}},\"id\":1}\n");
        assert_eq!(answer.unwrap(), [Heard::Answer(1, Answer::Done("closed".into()))]);
    }

    #[test]
    fn errors_are_refusals_and_silence_is_a_hang_up() {
        let (_, answer) = heard("{\"id\":1,\"error\":\"the daemon is stopping\"}\n");
        assert_eq!(answer.unwrap(), [Heard::Answer(1, Answer::Refused("the daemon is stopping".into()))]);
        assert_eq!(heard("").1.unwrap(), [Heard::HungUp(1)]);
        assert!(
            heard("{\"id\":2,\"answer\":{\"done\":\"\"}}\n").1.unwrap_err().to_string().contains("another request")
        );
        assert!(heard("good evening\n").1.unwrap_err().to_string().contains("good evening"));
    }
}

//! People at the daemon's console: JSON lines over its Unix socket (`daemon/docs/console.md`).

use super::rig_fault::{RigFault, shortened};
use nix::errno::Errno;
use nix::unistd::{Group, User};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command};

/// Group of this bench's technicians. It exists on every Debian, usually without members.
pub(super) const TECHNICIANS: &str = "nogroup";
/// The account that the configuration lists as shift manager. The socket admits it through the technicians' group.
pub(super) const MANAGER: &str = "daemon";
/// A group that exists on every Debian, and that no table admits.
const STRANGERS: &str = "games";

/// Who is at the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// The rig's own account, which the configuration lists as supervisor.
    Supervisor,
    /// The shift manager's account.
    Manager,
    /// An account of the technicians' group.
    Technician,
    /// An account in no group of the table.
    Nobody,
}

/// One connection with one pending request.
#[derive(Debug)]
struct Call {
    request: u64,
    stream: UnixStream,
    received: Vec<u8>,
}

/// A reply, with the number of its request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The answer to a command.
    Answer(u64, Answer),
    /// The status, parsed and as raw JSON.
    Status(u64, Box<StatusReply>, String),
    /// The daemon hung up without an answer.
    HungUp(u64),
}

/// The daemon's reply to a status request.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusReply {
    /// The table.
    pub snapshot: Snapshot,
    /// Whether the daemon is connected to its broker; `None` if none is configured.
    pub connected: Option<bool>,
}

/// The pending requests of all people at the console.
#[derive(Debug)]
pub struct Console {
    path: PathBuf,
    calls: Vec<Call>,
    /// Requests whose caller the socket refused.
    barred: Vec<u64>,
    next: u64,
}

impl Console {
    /// The console whose socket is at `path`.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), calls: Vec::new(), barred: Vec::new(), next: 0 }
    }

    /// Gives a command. Returns the request's number.
    ///
    /// # Errors
    /// [`RigFault`] when the daemon does not listen.
    pub fn command(&mut self, person: Person, command: &Command) -> Result<u64, RigFault> {
        let ask = serde_json::to_value(command).map_err(|e| RigFault::Other(e.to_string()))?;
        self.ask(person, ask)
    }

    /// Requests the status. Returns the request's number.
    ///
    /// # Errors
    /// [`RigFault`] when the daemon does not listen.
    pub fn status(&mut self) -> Result<u64, RigFault> {
        self.ask(Person::Supervisor, json!("status"))
    }

    fn ask(&mut self, person: Person, ask: Value) -> Result<u64, RigFault> {
        self.next += 1;
        let request = self.next;
        let connected = match person {
            Person::Supervisor => UnixStream::connect(&self.path),
            Person::Technician => self.connect_as("nobody", TECHNICIANS)?,
            Person::Manager => self.connect_as(MANAGER, TECHNICIANS)?,
            Person::Nobody => self.connect_as("nobody", STRANGERS)?,
        };
        let mut stream = match connected {
            Ok(stream) => stream,
            // Refused by the kernel: the socket's mode admits owner and group only.
            Err(error) if person == Person::Nobody && error.kind() == std::io::ErrorKind::PermissionDenied => {
                self.barred.push(request);
                return Ok(request);
            }
            Err(error) => return Err(RigFault::file("connect to the console", &self.path)(error)),
        };
        stream.set_nonblocking(true).map_err(RigFault::file("make non-blocking", &self.path))?;
        let mut line = json!({ "id": request, "ask": ask }).to_string();
        line.push('\n');
        stream.write_all(line.as_bytes()).map_err(RigFault::file("write to the console", &self.path))?;
        self.calls.push(Call { request, stream, received: Vec::new() });
        Ok(request)
    }

    /// Connects as this account with this group only. Linux keeps credentials per thread, so a short-lived thread drops its own.
    fn connect_as(&self, account: &str, group: &str) -> Result<std::io::Result<UnixStream>, RigFault> {
        let unknown = |what: &str| RigFault::Other(format!("this system has no {what}"));
        let user = User::from_name(account).ok().flatten().ok_or_else(|| unknown(&format!("account `{account}`")))?;
        let group = Group::from_name(group).ok().flatten().ok_or_else(|| unknown(&format!("group `{group}`")))?;
        let (uid, gid) =
            (rustix::process::Uid::from_raw(user.uid.as_raw()), rustix::process::Gid::from_raw(group.gid.as_raw()));
        let path = self.path.clone();
        let become_other = move || {
            set_thread_groups(&[])?;
            set_thread_res_gid(gid, gid, gid)?;
            set_thread_res_uid(uid, uid, uid)
        };
        let thread = std::thread::Builder::new()
            .name("caller".into())
            .spawn(move || become_other().map(|()| UnixStream::connect(path)))
            .map_err(RigFault::system("start a caller's thread"))?;
        let connected = thread.join().map_err(|_| RigFault::Other("a caller's thread panicked".into()))?;
        connected.map_err(|e| RigFault::system("become another account")(std::io::Error::from(e)))
    }

    /// The connections with a pending request, to poll on.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.calls.iter().map(|call| call.stream.as_fd())
    }

    /// Reads replies that have arrived, without waiting.
    ///
    /// # Errors
    /// [`RigFault::Protocol`] for a malformed reply.
    pub fn poll(&mut self) -> Result<Vec<Reply>, RigFault> {
        let mut heard: Vec<Reply> = self.barred.drain(..).map(Reply::HungUp).collect();
        let mut failed = None;
        self.calls.retain_mut(|call| match call.poll() {
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

    /// Drops all pending requests, for when the daemon is gone.
    pub fn forget(&mut self) -> Vec<u64> {
        self.calls.drain(..).map(|call| call.request).chain(self.barred.drain(..)).collect()
    }
}

impl Call {
    fn poll(&mut self) -> Result<Option<Reply>, RigFault> {
        let mut chunk = [0_u8; 4096];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(Some(Reply::HungUp(self.request))),
                Ok(n) => self.received.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(e) if e.raw_os_error() == Some(Errno::EAGAIN as i32) => return Ok(None),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(Some(Reply::HungUp(self.request))),
            }
            if let Some(end) = self.received.iter().position(|b| *b == b'\n') {
                return self.read(self.received.get(..end).unwrap_or_default()).map(Some);
            }
        }
    }

    fn read(&self, line: &[u8]) -> Result<Reply, RigFault> {
        let odd = |why: String| RigFault::Protocol { peer: "the console", said: shortened(line), why };
        let mut reply: Value = serde_json::from_slice(line).map_err(|e| odd(e.to_string()))?;
        if reply.get("id").and_then(Value::as_u64) != Some(self.request) {
            return Err(odd(format!("it answers another request than {}", self.request)));
        }
        if let Some(error) = reply.get("error").and_then(Value::as_str) {
            return Ok(Reply::Answer(self.request, Answer::refused("error", error)));
        }
        let Some(answer) = reply.get_mut("answer") else { return Err(odd("neither answer nor error".into())) };
        let connected = answer.pointer("/status/relay/connected").and_then(Value::as_bool);
        if let Some(snapshot) = answer.pointer_mut("/status/snapshot") {
            let words = snapshot.to_string();
            let snapshot = serde_json::from_value(snapshot.take()).map_err(|e| odd(e.to_string()))?;
            return Ok(Reply::Status(self.request, Box::new(StatusReply { snapshot, connected }), words));
        }
        let answer = serde_json::from_value(answer.take()).map_err(|e| odd(e.to_string()))?;
        Ok(Reply::Answer(self.request, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::workdir::WorkDir;
    use std::io::{BufRead, BufReader};
    use std::os::unix::net::UnixListener;

    fn heard(reply: &str) -> (String, Result<Vec<Reply>, RigFault>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("console");
        let listener = UnixListener::bind(&path).unwrap();
        let mut console = Console::new(&path);
        let close = Command::Close { name: "Mei".into() };
        assert_eq!(console.command(Person::Supervisor, &close).unwrap(), 1);
        assert_eq!(console.poll().unwrap(), []);
        let (mut daemon, _) = listener.accept().unwrap();
        let mut asked = String::new();
        BufReader::new(daemon.try_clone().unwrap()).read_line(&mut asked).unwrap();
        daemon.write_all(reply.as_bytes()).unwrap();
        drop(daemon);
        (asked, console.poll())
    }

    #[test]
    fn a_command_is_one_line_and_its_answer_comes_back_by_number() {
        let (asked, answer) = heard("{\"id\":1,\"answer\":{\"done\":\"closed\"}}\n");
        assert_eq!(asked, "{\"ask\":{\"command\":\"close\",\"with\":{\"name\":\"Mei\"}},\"id\":1}\n");
        assert_eq!(answer.unwrap(), [Reply::Answer(1, Answer::Done("closed".into()))]);
    }

    /// The kernel tells the daemon who the caller is, and the socket's group keeps everybody else out.
    #[test]
    fn a_technician_calls_from_an_account_of_its_own_and_a_stranger_is_kept_out() {
        use std::os::unix::fs::PermissionsExt;
        if !nix::unistd::Uid::effective().is_root() {
            return;
        }
        // `WorkDir::new` fails where other accounts cannot traverse the directory.
        let dir = WorkDir::new().unwrap();
        let path = dir.console();
        let listener = UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o660)).unwrap();
        let technicians = Group::from_name(TECHNICIANS).unwrap().unwrap().gid;
        nix::unistd::chown(&path, None, Some(technicians)).unwrap();
        let mut console = Console::new(&path);
        let close = Command::Close { name: "Mei".into() };
        let barred = console.command(Person::Nobody, &close).unwrap();
        assert_eq!(console.poll().unwrap(), [Reply::HungUp(barred)]);
        console.command(Person::Technician, &close).unwrap();
        let (daemon, _) = listener.accept().unwrap();
        let peer = nix::sys::socket::getsockopt(&daemon, nix::sys::socket::sockopt::PeerCredentials).unwrap();
        assert_eq!(peer.gid(), technicians.as_raw());
        assert_ne!(peer.uid(), 0);
        assert!(nix::unistd::Uid::effective().is_root(), "only the caller's thread gave its credentials up");
    }

    #[test]
    fn errors_are_refusals_and_silence_is_a_hang_up() {
        let (_, answer) = heard("{\"id\":1,\"error\":\"the daemon is stopping\"}\n");
        assert_eq!(answer.unwrap(), [Reply::Answer(1, Answer::refused("error", "the daemon is stopping"))]);
        assert_eq!(heard("").1.unwrap(), [Reply::HungUp(1)]);
        assert!(
            heard("{\"id\":2,\"answer\":{\"done\":\"\"}}\n").1.unwrap_err().to_string().contains("another request")
        );
        assert!(heard("good evening\n").1.unwrap_err().to_string().contains("good evening"));
    }
}

//! A real broker: mosquitto on a free loopback port, killed with the bench. One listener has no TLS and admits clients without an
//! account or with the right one; a second one with TLS is optional.

use super::certificates::Certificates;
use super::child::{Child, find};
use super::clock::wait_for;
use super::rig_fault::RigFault;
use nix::sys::signal::Signal;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The account of the table at the broker.
pub const ACCOUNT: &str = "tumblerd";
/// Its password.
pub const PASSWORD: &str = "secret";
/// The output of `mosquitto_passwd` for this account and password.
const ADMITTED: &str = "tumblerd:$7$101$Yuw+r6VSloIJwep1$RD5voj3uQcYVGHHvp5OZUHwhK0KeHXAKxQoamvP9dUI4NSThwixO8k8QPxsDRqb8tcfWKXf9Y++xM/C6SYMLcQ==\n";
/// The same for another password, so that the table's is refused.
const REFUSED: &str = "tumblerd:$7$101$YGZ3n62Dj4K6Wsbz$Ozlfn312Ly76GWNva9wad6B099MjM90oZWbHk+KUhswlt7IO2faiBvPY2+2M3oYFdmxz3dbXRfmU75/LOmqB2w==\n";

/// A running mosquitto.
#[derive(Debug)]
pub struct Broker {
    child: Child,
    address: SocketAddr,
    tls: Option<(SocketAddr, Certificates)>,
    dir: PathBuf,
    program: PathBuf,
}

impl Broker {
    /// How long a broker may take until it accepts connections.
    pub const START: Duration = Duration::from_secs(10);
    /// Attempts with another port: another process may take a free port before mosquitto does.
    const ATTEMPTS: usize = 5;

    /// Starts mosquitto with its files in `dir`; `tls`: with a second listener, whose authority's certificate is at
    /// [`Broker::authority`]; `upstream`: every message is passed on to this broker.
    ///
    /// # Errors
    /// [`RigFault`] when it is not installed or does not come up.
    pub fn start(dir: &Path, tls: bool, upstream: Option<SocketAddr>) -> Result<Self, RigFault> {
        let program = find_mosquitto();
        let mut certificates = tls.then(|| Certificates::make(&tls_dir(dir))).transpose()?;
        write_accounts(dir, true)?;
        let mut last = None;
        for _ in 0..Self::ATTEMPTS {
            let address = free_port()?;
            let tls = certificates.take().map(|made| Ok::<_, RigFault>((free_port()?, made))).transpose()?;
            write_config(dir, address, tls.as_ref(), upstream)?;
            let child = launch(&program, dir)?;
            let mut broker = Self { child, address, tls, dir: dir.to_owned(), program: program.clone() };
            match broker.wait_ready() {
                Ok(()) => return Ok(broker),
                Err(RigFault::Interrupted) => return Err(RigFault::Interrupted),
                Err(fault) => last = Some(fault),
            }
            certificates = broker.tls.take().map(|(_, made)| made);
        }
        Err(last.unwrap_or_else(|| RigFault::Other("mosquitto did not start".into())))
    }

    /// Where it listens without TLS.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens for tables: with TLS, if it has that.
    #[must_use]
    pub fn tables(&self) -> SocketAddr {
        self.tls.as_ref().map_or(self.address, |(address, _)| *address)
    }

    /// The authority's certificate of a broker with TLS that keeps its files in `dir`.
    #[must_use]
    pub fn authority(dir: &Path) -> PathBuf {
        Certificates::authority(&tls_dir(dir))
    }

    /// Kills it. Sessions and retained messages are lost, as it keeps none on disk.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be waited for.
    pub fn stop(&mut self) -> Result<(), RigFault> {
        self.child.kill()
    }

    /// Restarts it on the same ports, without waiting until it is [ready](Self::is_ready).
    ///
    /// # Errors
    /// [`RigFault`] when it does not start.
    pub fn begin(&mut self) -> Result<(), RigFault> {
        self.child.kill()?;
        self.child = launch(&self.program, &self.dir)?;
        Ok(())
    }

    /// Admits or refuses the table's account from the next [`Broker::reload`] on.
    ///
    /// # Errors
    /// [`RigFault`] when the file cannot be written.
    pub fn admit(&self, admitted: bool) -> Result<(), RigFault> {
        write_accounts(&self.dir, admitted)
    }

    /// Presents an expired or a valid certificate from the next [`Broker::reload`] on.
    ///
    /// # Errors
    /// [`RigFault`] when it has no TLS, or the file cannot be written.
    pub fn expire(&self, expired: bool) -> Result<(), RigFault> {
        match &self.tls {
            Some((_, certificates)) => certificates.show(expired),
            None => Err(RigFault::Other("this broker has no TLS listener".into())),
        }
    }

    /// Makes it reload its files (SIGHUP). Its log confirms that a little later: [`Broker::RELOADED`].
    ///
    /// # Errors
    /// [`RigFault`] when it does not run.
    pub fn reload(&mut self) -> Result<(), RigFault> {
        self.child.signal(Signal::SIGHUP)
    }

    /// The log message after a reload.
    pub const RELOADED: &str = "Reloading config.";

    /// Its log from byte `from` on.
    #[must_use]
    pub fn log(&self, from: usize) -> String {
        let log = std::fs::read(log_file(&self.dir)).unwrap_or_default();
        String::from_utf8_lossy(log.get(from..).unwrap_or_default()).into_owned()
    }

    /// Length of its log, in bytes.
    #[must_use]
    pub fn logged(&self) -> usize {
        std::fs::metadata(log_file(&self.dir)).map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX))
    }

    /// Whether it accepts connections now.
    ///
    /// # Errors
    /// [`RigFault`] when it has ended.
    pub fn is_ready(&mut self) -> Result<bool, RigFault> {
        if let Some(status) = self.child.ended()? {
            let log = log_file(&self.dir);
            return Err(RigFault::Other(format!("mosquitto ended at once with {status}; see {}", log.display())));
        }
        let open = |at: &SocketAddr| TcpStream::connect_timeout(at, Duration::from_millis(200)).is_ok();
        Ok(open(&self.address) && self.tls.as_ref().is_none_or(|(address, _)| open(address)))
    }

    fn wait_ready(&mut self) -> Result<(), RigFault> {
        let log = log_file(&self.dir);
        let hint = || format!("see {}", log.display());
        wait_for("mosquitto to accept connections", Self::START, hint, || self.is_ready())
    }
}

fn tls_dir(dir: &Path) -> PathBuf {
    dir.join("tls")
}

fn log_file(dir: &Path) -> PathBuf {
    dir.join("mosquitto.log")
}

/// A loopback port that is free now.
///
/// # Errors
/// [`RigFault`] when there is none.
pub fn free_port() -> Result<SocketAddr, RigFault> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|l| l.local_addr())
        .map_err(RigFault::system("find a free port on 127.0.0.1"))
}

/// Finds mosquitto also in `/usr/sbin`, where Debian puts it and which is only on root's PATH.
fn find_mosquitto() -> PathBuf {
    find("mosquitto".as_ref(), &["/usr/sbin", "/usr/local/sbin"]).unwrap_or_else(|| PathBuf::from("mosquitto"))
}

fn accounts_file(dir: &Path) -> PathBuf {
    dir.join("mosquitto.accounts")
}

fn write_accounts(dir: &Path, admitted: bool) -> Result<(), RigFault> {
    let path = accounts_file(dir);
    std::fs::write(&path, if admitted { ADMITTED } else { REFUSED }).map_err(RigFault::file("write", &path))
}

fn write_config(
    dir: &Path,
    address: SocketAddr,
    tls: Option<&(SocketAddr, Certificates)>,
    upstream: Option<SocketAddr>,
) -> Result<(), RigFault> {
    // Started by root it would change its user, which clears the parent-death signal.
    let account = if nix::unistd::Uid::effective().is_root() { "user root\n" } else { "" };
    let listener = |at: &SocketAddr| format!("listener {} {}\n", at.port(), at.ip());
    let second = tls.map(|(at, made)| listener(at) + &made.lines()).unwrap_or_default();
    // A name of its own: the other broker knows by it which of those that pass things on is which.
    let bridge = upstream.map(|at| {
        format!(
            "connection table-{}\naddress {at}\ntopic # out 1\ncleansession true\nnotifications false\n",
            address.port()
        )
    });
    // Unlimited queues: if a test misses an event, the broker must not have dropped it.
    let text = format!(
        "{account}{}{second}allow_anonymous true\npassword_file {}\npersistence false\nmax_queued_messages 0\n\
         max_inflight_messages 0\nlog_type error\nlog_type warning\nlog_type notice\nlog_type information\nlog_dest stderr\n{}",
        listener(&address),
        accounts_file(dir).display(),
        bridge.unwrap_or_default()
    );
    let path = config_file(dir);
    std::fs::write(&path, text).map_err(RigFault::file("write", &path))
}

fn config_file(dir: &Path) -> PathBuf {
    dir.join("mosquitto.conf")
}

fn launch(program: &Path, dir: &Path) -> Result<Child, RigFault> {
    let mut command = Command::new(program);
    command.arg("-c").arg(config_file(dir));
    Child::spawn(command, "mosquitto", &log_file(dir), "install it: apt-get install mosquitto")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_starts_stops_and_restarts_on_the_same_port() {
        let dir = tempfile::tempdir().unwrap();
        let mut broker = Broker::start(dir.path(), false, None).unwrap();
        let address = broker.address();
        assert!(TcpStream::connect(address).is_ok());
        broker.stop().unwrap();
        assert!(TcpStream::connect(address).is_err());
        broker.begin().unwrap();
        broker.wait_ready().unwrap();
        assert!(TcpStream::connect(address).is_ok());
    }

    #[test]
    fn its_files_are_reloaded_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let mut broker = Broker::start(dir.path(), true, None).unwrap();
        assert_ne!(broker.address(), broker.tables());
        assert!(Broker::authority(dir.path()).is_file());
        // It takes connections before it takes signals; a subscription comes after both.
        let _observer = super::super::observer::Observer::start(broker.address(), "observer").unwrap();
        let from = broker.logged();
        broker.admit(false).unwrap();
        broker.expire(true).unwrap();
        broker.reload().unwrap();
        wait_for("a look at the files", Duration::from_secs(10), String::new, || {
            Ok(broker.log(from).contains(Broker::RELOADED))
        })
        .unwrap();
    }
}

//! A real broker: mosquitto on a free port of the loopback, killed with the bench.

use super::child::Child;
use super::clock::wait_for;
use super::fault::RigFault;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A running mosquitto.
#[derive(Debug)]
pub struct Broker {
    child: Child,
    address: SocketAddr,
    config: PathBuf,
    log: PathBuf,
    program: PathBuf,
}

impl Broker {
    /// How long a broker may take until it accepts connections.
    const START: Duration = Duration::from_secs(10);
    /// Attempts with another port: between finding a free port and mosquitto's taking it somebody else may.
    const ATTEMPTS: usize = 5;

    /// Starts mosquitto with its files in `dir`.
    ///
    /// # Errors
    /// [`RigFault`] when it is not installed or does not come up.
    pub fn start(dir: &Path) -> Result<Self, RigFault> {
        let program = find_mosquitto();
        let config = dir.join("mosquitto.conf");
        let log = dir.join("mosquitto.log");
        let mut last = None;
        for _ in 0..Self::ATTEMPTS {
            let address = free_port()?;
            write_config(&config, address)?;
            let child = launch(&program, &config, &log)?;
            let mut broker =
                Self { child, address, config: config.clone(), log: log.clone(), program: program.clone() };
            match broker.wait_ready() {
                Ok(()) => return Ok(broker),
                Err(RigFault::Interrupted) => return Err(RigFault::Interrupted),
                Err(fault) => last = Some(fault),
            }
        }
        Err(last.unwrap_or_else(|| RigFault::Other("mosquitto did not start".into())))
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills it; its sessions and retained messages are gone, as it keeps none on disk.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be waited for.
    pub fn stop(&mut self) -> Result<(), RigFault> {
        self.child.kill()
    }

    /// Starts it again on the same port.
    ///
    /// # Errors
    /// [`RigFault`] when it does not come up.
    pub fn restart(&mut self) -> Result<(), RigFault> {
        self.child.kill()?;
        self.child = launch(&self.program, &self.config, &self.log)?;
        self.wait_ready()
    }

    fn wait_ready(&mut self) -> Result<(), RigFault> {
        let (address, log) = (self.address, self.log.clone());
        let child = &mut self.child;
        wait_for(
            "mosquitto to accept connections",
            Self::START,
            || format!("see {}", log.display()),
            || {
                if let Some(status) = child.ended()? {
                    return Err(RigFault::Other(format!(
                        "mosquitto ended at once with {status}; see {}",
                        log.display()
                    )));
                }
                Ok(TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok())
            },
        )
    }
}

/// A port of the loopback that is free now.
///
/// # Errors
/// [`RigFault`] when there is none.
pub fn free_port() -> Result<SocketAddr, RigFault> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|l| l.local_addr())
        .map_err(RigFault::system("find a free port on 127.0.0.1"))
}

/// Debian puts mosquitto where only root's path leads.
fn find_mosquitto() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")])
        .map(|dir| dir.join("mosquitto"))
        .find(|candidate| candidate.is_file())
        .unwrap_or_else(|| PathBuf::from("mosquitto"))
}

fn write_config(path: &Path, address: SocketAddr) -> Result<(), RigFault> {
    // Started by root it would change its account, and with it lose the signal for the rig's death.
    let account = if nix::unistd::Uid::effective().is_root() { "user root\n" } else { "" };
    // Queues without a limit: a test that loses an event must not have lost it here.
    let text = format!(
        "{account}listener {} {}\nallow_anonymous true\npersistence false\nmax_queued_messages 0\nmax_inflight_messages 0\n\
         log_type error\nlog_type warning\nlog_dest stderr\n",
        address.port(),
        address.ip()
    );
    std::fs::write(path, text).map_err(RigFault::file("write", path))
}

fn launch(program: &Path, config: &Path, log: &Path) -> Result<Child, RigFault> {
    let mut command = Command::new(program);
    command.arg("-c").arg(config);
    Child::spawn(command, "mosquitto", log, "install it: apt-get install mosquitto")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_comes_up_goes_and_comes_back_on_its_port() {
        let dir = tempfile::tempdir().unwrap();
        let mut broker = Broker::start(dir.path()).unwrap();
        let address = broker.address();
        assert!(TcpStream::connect(address).is_ok());
        broker.stop().unwrap();
        assert!(TcpStream::connect(address).is_err());
        broker.restart().unwrap();
        assert!(TcpStream::connect(address).is_ok());
    }
}

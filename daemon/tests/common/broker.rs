//! A mosquitto process of the test's own.

use crate::wait::until;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running broker; killed when dropped.
pub(crate) struct Broker {
    child: Child,
    pub(crate) port: u16,
    conf: String,
    dir: tempfile::TempDir,
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Broker {
    /// A broker that lets everybody in and keeps nothing over a restart.
    pub(crate) async fn start() -> Self {
        Self::start_with(free_port(), "allow_anonymous true\n").await
    }

    /// A broker on this port with these further lines in its configuration.
    pub(crate) async fn start_with(port: u16, more: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Where the test runs as root, mosquitto would otherwise give its rights up and not read the test's files.
        let conf = format!("listener {port} 127.0.0.1\nuser root\npersistence false\nlog_type error\n{more}");
        let child = spawn(dir.path(), &conf);
        let mut broker = Self { child, port, conf, dir };
        broker.wait().await;
        broker
    }

    async fn wait(&mut self) {
        // A free port may have been taken in between, by another test's connection that will soon be gone.
        let mut attempts = 0;
        until("mosquitto listens", || {
            if let Some(status) = self.child.try_wait().unwrap() {
                attempts += 1;
                assert!(attempts < 200, "mosquitto ended with {status}; its configuration:\n{}", self.conf);
                self.child = spawn(self.dir.path(), &self.conf);
            }
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        })
        .await;
    }

    /// SIGKILL: whatever the broker had in memory is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Has it read its files again.
    #[allow(dead_code, reason = "not every test changes them")]
    pub(crate) fn reload(&self) {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGHUP).unwrap();
    }

    /// Starts it again on the same port.
    pub(crate) async fn again(&mut self) {
        self.child = spawn(self.dir.path(), &self.conf);
        self.wait().await;
    }
}

fn spawn(dir: &Path, conf: &str) -> Child {
    let file = dir.join("mosquitto.conf");
    std::fs::write(&file, conf).unwrap();
    let mut command =
        Command::new(if Path::new("/usr/sbin/mosquitto").exists() { "/usr/sbin/mosquitto" } else { "mosquitto" });
    command.arg("-c").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap_or_else(|e| panic!("mosquitto cannot be started ({e}); install it: apt install mosquitto"))
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

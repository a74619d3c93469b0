//! Watched threads: the first one to end unexpectedly ends the process.

use nix::sys::signal::{SigSet, Signal};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Events that wait at most: every thread ends once, and signals are told twice at most before anybody looks.
const WAITING: usize = 16;
/// Stack of a watched thread. Nothing in the daemon recurses deeply, and only touched pages count.
const STACK: usize = 512 * 1024;

/// Something that the main thread must hear of.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A thread ended.
    Ended {
        /// Its name.
        name: &'static str,
        /// What it says of it; `Err` also for a panic.
        how: Result<(), String>,
    },
    /// Somebody asks the daemon to stop.
    Stop {
        /// How: the signal's name.
        by: &'static str,
    },
}

/// Starts threads and hears of their end.
#[derive(Debug)]
pub struct Supervisor {
    sender: SyncSender<Event>,
    receiver: Receiver<Event>,
    /// Threads that have not ended yet.
    running: Vec<&'static str>,
}

/// Tells the supervisor that the daemon is asked to stop.
#[derive(Clone, Debug)]
pub struct StopSwitch(SyncSender<Event>);

impl StopSwitch {
    /// Asks for a stop. Never waits.
    pub fn stop(&self, by: &'static str) {
        // A full queue holds a reason to stop already.
        let _ = self.0.try_send(Event::Stop { by });
    }
}

impl Default for Supervisor {
    fn default() -> Self {
        let (sender, receiver) = sync_channel(WAITING);
        Self { sender, receiver, running: Vec::new() }
    }
}

impl Supervisor {
    /// Starts a thread and watches it.
    ///
    /// # Errors
    /// The kernel grants no more threads.
    pub fn thread(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
    ) -> std::io::Result<()> {
        Builder::new().name(name.into()).stack_size(STACK).spawn(self.watched(name, work))?;
        self.running.push(name);
        Ok(())
    }

    /// Watches work that runs on an existing thread: the caller must run the returned closure.
    pub fn elsewhere(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        self.running.push(name);
        self.watched(name, work)
    }

    /// The work, and the word of its end.
    fn watched(
        &self,
        name: &'static str,
        work: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let sender = self.sender.clone();
        move || {
            let how = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(format!("{error:#}")),
                Err(panic) => Err(format!("panicked: {}", said(panic.as_ref()))),
            };
            let _ = sender.send(Event::Ended { name, how });
        }
    }

    /// Has SIGTERM and SIGINT ask for a stop from now on, and no other signal end the daemon or stand it still in mid-spin, but those of
    /// its own crash and of systemd's watchdog (SIGABRT). Call it first: threads that exist already would still be ended by them.
    ///
    /// # Errors
    /// The kernel grants no more threads.
    pub fn heed_signals(&self) -> std::io::Result<()> {
        let crash = [Signal::SIGABRT, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL, Signal::SIGSEGV, Signal::SIGSYS];
        let harmless = [Signal::SIGTRAP, Signal::SIGCHLD, Signal::SIGCONT, Signal::SIGURG, Signal::SIGWINCH];
        let mut signals = SigSet::all();
        crash.into_iter().chain(harmless).for_each(|signal| signals.remove(signal));
        signals.thread_block()?;
        let switch = self.stop_switch();
        // Waits for signals as long as the process lives, so nobody watches for its end.
        Builder::new().name("signals".into()).stack_size(STACK).spawn(move || {
            loop {
                match signals.wait() {
                    Ok(signal @ (Signal::SIGTERM | Signal::SIGINT)) => switch.stop(signal.as_str()),
                    // An error stands for a real-time signal, which has no name.
                    other => tracing::info!(
                        signal = other.map_or("a real-time signal", Signal::as_str),
                        "a signal without effect; the configuration is read at a start"
                    ),
                }
            }
        })?;
        Ok(())
    }

    /// A switch with which others can ask for a stop.
    #[must_use]
    pub fn stop_switch(&self) -> StopSwitch {
        StopSwitch(self.sender.clone())
    }

    /// The next event, if one comes within `limit`.
    pub fn wait(&mut self, limit: Duration) -> Option<Event> {
        let event = match self.receiver.recv_timeout(limit) {
            Ok(event) => event,
            // The supervisor holds a sender itself, so there is no disconnection.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        if let Event::Ended { name, .. } = &event {
            self.running.retain(|running| running != name);
        }
        Some(event)
    }

    /// Waits until this thread has ended, `limit` at most. Says whether it has, and logs what it said.
    pub fn join(&mut self, name: &'static str, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while self.running.contains(&name) {
            let left = until.saturating_duration_since(Instant::now());
            match self.wait(left) {
                Some(Event::Ended { name, how: Err(error) }) => tracing::error!(thread = name, %error, "thread failed"),
                Some(_) => {}
                None if left.is_zero() => return false,
                None => {}
            }
        }
        true
    }
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_thread_that_ends_is_told_of_with_its_reason() {
        let mut supervisor = Supervisor::default();
        supervisor.thread("good", || Ok(())).unwrap();
        assert_eq!(supervisor.wait(LONG), Some(Event::Ended { name: "good", how: Ok(()) }));
        supervisor.thread("bad", || Err(anyhow::anyhow!("inner").context("outer"))).unwrap();
        assert_eq!(supervisor.wait(LONG), Some(Event::Ended { name: "bad", how: Err("outer: inner".into()) }));
        supervisor.thread("worse", || panic!("number {}", 7)).unwrap();
        assert_eq!(supervisor.wait(LONG), Some(Event::Ended { name: "worse", how: Err("panicked: number 7".into()) }));
    }

    #[test]
    fn work_done_elsewhere_is_told_of_too() {
        let mut supervisor = Supervisor::default();
        let work = supervisor.elsewhere("here", || panic!("number {}", 7));
        assert!(!supervisor.join("here", Duration::ZERO));
        work();
        assert_eq!(supervisor.wait(LONG), Some(Event::Ended { name: "here", how: Err("panicked: number 7".into()) }));
        assert!(supervisor.join("here", Duration::ZERO));
    }

    #[test]
    fn joining_waits_for_that_thread_and_not_for_ever() {
        let mut supervisor = Supervisor::default();
        let (go, gone) = mpsc::channel::<()>();
        supervisor
            .thread("waiting", move || {
                let _ = gone.recv();
                Ok(())
            })
            .unwrap();
        supervisor.thread("other", || Ok(())).unwrap();
        assert!(supervisor.join("other", LONG));
        assert!(!supervisor.join("waiting", Duration::ZERO));
        drop(go);
        assert!(supervisor.join("waiting", LONG));
        assert!(supervisor.join("never started", Duration::ZERO));
    }

    #[test]
    fn a_stop_asked_for_many_times_never_blocks() {
        let mut supervisor = Supervisor::default();
        let switch = supervisor.stop_switch();
        for _ in 0..1000 {
            switch.stop("SIGTERM");
        }
        assert_eq!(supervisor.wait(LONG), Some(Event::Stop { by: "SIGTERM" }));
    }
}

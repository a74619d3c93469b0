//! The machine's clocks: the monotonic one, with an alarm that is finer than the runtime's timer wheel of 1 ms, and wall time for people.

use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::{ClockId as Clock, clock_gettime};
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tumbler_core::units::Mono;

/// Now, in nanoseconds of `CLOCK_MONOTONIC`: the clock of the kernel's edge timestamps and of the virtual wire.
#[must_use]
pub fn now() -> Mono {
    // The call fails only for a clock that the kernel does not have; every kernel since 2.6 has this one.
    let time = clock_gettime(Clock::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default();
    Mono(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// The kernel's timer, as the runtime wants it.
#[derive(Debug)]
struct Timer(TimerFd);

impl AsRawFd for Timer {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

/// An alarm at an absolute moment, kept by the kernel with its high-resolution timers.
#[derive(Debug)]
pub struct Alarm {
    fd: AsyncFd<Timer>,
    set: Option<Mono>,
}

impl Alarm {
    /// An alarm that is not set. Needs a running I/O driver.
    ///
    /// # Errors
    /// The kernel or the runtime grants no more file descriptors.
    pub fn new() -> io::Result<Self> {
        let fd = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        #[expect(unsafe_code, reason = "the runtime takes descriptors of other crates in no other way")]
        // SAFETY: the timer owns its descriptor, and nothing closes or replaces it while `AsyncFd` holds it.
        let fd = unsafe { AsyncFd::register_with_interest(Timer(fd), Interest::READABLE) }?;
        Ok(Self { fd, set: None })
    }

    /// Sets the alarm, or silences it. One system call where it changes, none where it does not.
    ///
    /// # Errors
    /// The kernel refuses the time, which it does for none that this daemon can reckon.
    pub fn set(&mut self, at: Option<Mono>) -> io::Result<()> {
        if self.set == at {
            return Ok(());
        }
        match at {
            // Zero would silence the kernel's timer instead of firing it.
            Some(at) => self.fd.get_ref().0.set(
                Expiration::OneShot(Duration::from_nanos(at.0.max(1)).into()),
                TimerSetTimeFlags::TFD_TIMER_ABSTIME,
            )?,
            None => self.fd.get_ref().0.unset()?,
        }
        self.set = at;
        Ok(())
    }

    /// Ready once the time that was set has come; the alarm is then silent.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.fd.poll_read_ready(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(ready) => {
                    if let Ok(mut guard) = ready {
                        guard.clear_ready();
                    }
                }
            }
            // The clock shows whether a readiness is left over from an earlier setting.
            match self.set {
                Some(at) if at <= now() => {
                    self.set = None;
                    return Poll::Ready(());
                }
                _ => {}
            }
        }
    }

    /// Waits until `at`.
    ///
    /// # Errors
    /// As [`Alarm::set`].
    pub async fn wait_until(&mut self, at: Mono) -> io::Result<()> {
        if at <= now() {
            return Ok(());
        }
        self.set(Some(at))?;
        poll_fn(|cx| self.poll(cx)).await;
        Ok(())
    }
}

/// Wall time in milliseconds since 1970; zero on a clock before that.
#[must_use]
pub fn wall() -> i64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::units::Millis;

    fn on_runtime<F: Future>(work: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    }

    #[test]
    fn an_alarm_rings_at_its_time_and_again_when_set_again() {
        on_runtime(async {
            let mut alarm = Alarm::new().unwrap();
            for _ in 0..3 {
                let at = now().after(Millis(2));
                alarm.wait_until(at).await.unwrap();
                assert!(now() >= at);
            }
        });
    }

    #[test]
    fn a_time_that_has_passed_rings_at_once() {
        on_runtime(async {
            let mut alarm = Alarm::new().unwrap();
            alarm.set(Some(Mono(0))).unwrap();
            poll_fn(|cx| alarm.poll(cx)).await;
            alarm.wait_until(Mono(5)).await.unwrap();
        });
    }

    #[test]
    fn setting_a_later_time_puts_the_alarm_off() {
        on_runtime(async {
            let mut alarm = Alarm::new().unwrap();
            alarm.set(Some(now().after(Millis(1)))).unwrap();
            let later = now().after(Millis(20));
            alarm.set(Some(later)).unwrap();
            poll_fn(|cx| alarm.poll(cx)).await;
            assert!(now() >= later);
        });
    }
}

//! The brake on failed logins: each account, and all of them together, may fail so often, and then once in so long.

use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// A bucket that fills with each failure and runs dry with time.
#[derive(Clone, Copy, Debug)]
struct Rate {
    /// Failures that it holds.
    room: u32,
    /// Time in which one runs out of it.
    each: Duration,
}

/// An account: five slips of the pen, then one a minute.
const ACCOUNT: Rate = Rate { room: 5, each: Duration::from_secs(60) };
/// All together: guessing at many names is no faster.
const ALL: Rate = Rate { room: 20, each: Duration::from_secs(10) };

impl Rate {
    /// How long a bucket that is empty at `dry` has no room for one more.
    fn wait(self, dry: Instant, now: Instant) -> Option<Duration> {
        let most = self.each * (self.room - 1);
        dry.checked_duration_since(now + most).filter(|wait| !wait.is_zero())
    }

    fn charged(self, dry: Instant, now: Instant) -> Instant {
        dry.max(now) + self.each
    }
}

/// The failures that still count: for each bucket the moment at which it is empty.
#[derive(Debug)]
pub(super) struct Brake {
    all: Instant,
    /// Of accounts that failed lately. Bounded, since together they fail at most as often as [`ALL`] lets them.
    accounts: BTreeMap<String, Instant>,
}

impl Brake {
    pub(super) fn new(now: Instant) -> Self {
        Self { all: now, accounts: BTreeMap::new() }
    }

    /// Takes an attempt for failed until [`Brake::succeeded`] says otherwise, so that who hangs up has failed too.
    ///
    /// # Errors
    /// It may not even be tried before so long.
    pub(super) fn attempt(&mut self, name: &str, now: Instant) -> Result<(), Duration> {
        self.accounts.retain(|_, dry| *dry > now);
        let account = self.accounts.get(name).copied().unwrap_or(now);
        let waits = [ACCOUNT.wait(account, now), ALL.wait(self.all, now)];
        if let Some(wait) = waits.into_iter().flatten().max() {
            return Err(wait);
        }
        self.all = ALL.charged(self.all, now);
        self.accounts.insert(name.to_owned(), ACCOUNT.charged(account, now));
        Ok(())
    }

    /// The attempt was none that failed. Failures before it still count: one good account is no way to guess at it.
    pub(super) fn succeeded(&mut self, name: &str) {
        self.all -= ALL.each;
        if let Some(dry) = self.accounts.get_mut(name) {
            *dry -= ACCOUNT.each;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_account_may_fail_five_times_and_then_once_a_minute() {
        let now = Instant::now();
        let mut brake = Brake::new(now);
        for _ in 0..5 {
            assert_eq!(brake.attempt("jo", now), Ok(()));
        }
        assert_eq!(brake.attempt("jo", now), Err(60 * SECOND));
        assert_eq!(brake.attempt("mei", now), Ok(()), "each account has failures of its own");
        assert_eq!(brake.attempt("jo", now + 59 * SECOND), Err(SECOND));
        assert_eq!(brake.attempt("jo", now + 60 * SECOND), Ok(()));
        assert_eq!(brake.attempt("jo", now + 60 * SECOND), Err(60 * SECOND));
        assert_eq!(brake.attempt("jo", now + 3600 * SECOND), Ok(()));
        assert_eq!(brake.accounts.len(), 1, "what is over is forgotten");
    }

    #[test]
    fn many_names_are_no_way_round_it() {
        let now = Instant::now();
        let mut brake = Brake::new(now);
        let tried = (0..1000).filter(|n| brake.attempt(&format!("name{n}"), now).is_ok()).count();
        assert_eq!(tried, 20);
        assert_eq!(brake.accounts.len(), 20);
        assert_eq!(brake.attempt("jo", now), Err(10 * SECOND));
    }

    #[test]
    fn a_login_that_is_granted_costs_nothing() {
        let now = Instant::now();
        let mut brake = Brake::new(now);
        for _ in 0..100 {
            assert_eq!(brake.attempt("jo", now), Ok(()));
            brake.succeeded("jo");
        }
    }
}

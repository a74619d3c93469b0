//! The brake on failed logins.
//!
//! ```text
//! a browser that this account has logged in with  ──> a bucket of its own, and no other
//! anybody else ──> the account's bucket, the address's, and the one of all strangers
//! ```
//! So a password can be guessed at five times and then once a minute, from wherever; and who guesses holds up strangers like
//! themselves, and never a browser that is known. It does not know addresses for good: behind a proxy everybody has one.
//! What is charged is kept in the run directory ([`super::kept`]), since a restart must not give fresh guesses.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;
use tumbler_core::units::Mono;

/// A bucket that fills with each failure and runs dry with time.
#[derive(Clone, Copy, Debug)]
struct Rate {
    /// Failures that it holds.
    room: u64,
    /// Time in which one runs out of it, in nanoseconds.
    each: u64,
}

const SECOND: u64 = 1_000_000_000;
/// An account, or a browser that is known: five slips of the pen, then one a minute.
const ACCOUNT: Rate = Rate { room: 5, each: 60 * SECOND };
/// An address: guessing at many names is no faster than a few people's slips.
const ADDRESS: Rate = Rate { room: 10, each: 30 * SECOND };
/// All strangers together: what they cost in time and in entries here, however many addresses they have.
const ALL: Rate = Rate { room: 60, each: 2 * SECOND };
/// Browsers that are known; the one that logged in least lately gives way. Only a good login makes one.
const DEVICES: usize = 64;

impl Rate {
    /// The moment at which a bucket that is full now will be empty.
    fn full(self, now: Mono) -> Mono {
        Mono(now.0.saturating_add(self.each.saturating_mul(self.room)))
    }

    /// How long a bucket that is empty at `dry` has no room for one more.
    fn wait(self, dry: Mono, now: Mono) -> Option<Duration> {
        let most = now.0.saturating_add(self.each.saturating_mul(self.room.saturating_sub(1)));
        dry.0.checked_sub(most).filter(|wait| *wait > 0).map(Duration::from_nanos)
    }

    fn charged(self, dry: Mono, now: Mono) -> Mono {
        Mono(dry.0.max(now.0).saturating_add(self.each))
    }

    fn forgiven(self, dry: Mono) -> Mono {
        Mono(dry.0.saturating_sub(self.each))
    }
}

/// A browser that has logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Device {
    /// The digest of its account's name.
    account: String,
    /// When its own failures are over.
    dry: Mono,
    /// Its latest good login.
    used: Mono,
}

/// Who tries to log in. Names and tokens are here as digests: what somebody types as a name may be a password.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    account: String,
    address: IpAddr,
    device: Option<String>,
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

impl Attempt {
    /// At this account, from this address, with this browser's token.
    pub(super) fn new(account: &str, address: IpAddr, token: Option<&str>) -> Self {
        Self { account: digest(account), address: neighbourhood(address), device: token.map(digest) }
    }
}

/// The address, or what one owner has of them: with IPv6 that is a network of 64 bits.
pub(super) fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX))),
        four @ IpAddr::V4(_) => four,
    }
}

/// The failures that still count: for each bucket the moment at which it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Brake {
    all: Mono,
    /// Of accounts and addresses that failed lately. Bounded, since together they fail at most as often as [`ALL`] lets them.
    accounts: BTreeMap<String, Mono>,
    addresses: BTreeMap<IpAddr, Mono>,
    devices: BTreeMap<String, Device>,
    /// When it was not known what had failed before; every bucket was taken for full then.
    lost: Option<Mono>,
}

impl Brake {
    /// One that knows nothing of what was before, and assumes the worst.
    pub(super) fn wary(now: Mono) -> Self {
        Self { all: ALL.full(now), lost: Some(now), ..Self::default() }
    }

    /// Whether all of it can have come about until now.
    pub(super) fn is_possible(&self, now: Mono) -> bool {
        let accounts = self.accounts.values().chain(self.devices.values().map(|device| &device.dry));
        self.devices.len() <= DEVICES
            && self.all <= ALL.full(now)
            && accounts.into_iter().all(|dry| *dry <= ACCOUNT.full(now))
            && self.addresses.values().all(|dry| *dry <= ADDRESS.full(now))
            && self.devices.values().all(|device| device.used <= now)
            && self.lost.is_none_or(|lost| lost <= now)
    }

    /// Whether this browser has logged in at this account before.
    pub(super) fn knows(&self, attempt: &Attempt) -> bool {
        let device = attempt.device.as_ref().and_then(|device| self.devices.get(device));
        device.is_some_and(|device| device.account == attempt.account)
    }

    /// Takes an attempt for failed until [`Brake::succeeded`] says otherwise, so that who hangs up has failed too.
    ///
    /// # Errors
    /// It may not even be tried before so long.
    pub(super) fn attempt(&mut self, attempt: &Attempt, now: Mono) -> Result<(), Duration> {
        if let Some(device) = self.known(attempt) {
            if let Some(wait) = ACCOUNT.wait(device.dry, now) {
                return Err(wait);
            }
            device.dry = ACCOUNT.charged(device.dry, now);
            return Ok(());
        }
        self.accounts.retain(|_, dry| *dry > now);
        self.addresses.retain(|_, dry| *dry > now);
        let unheard = |rate: Rate| self.lost.map_or(now, |lost| rate.full(lost));
        let account = self.accounts.get(&attempt.account).copied().unwrap_or(unheard(ACCOUNT));
        let address = self.addresses.get(&attempt.address).copied().unwrap_or(unheard(ADDRESS));
        let waits = [ACCOUNT.wait(account, now), ADDRESS.wait(address, now), ALL.wait(self.all, now)];
        if let Some(wait) = waits.into_iter().flatten().max() {
            return Err(wait);
        }
        self.all = ALL.charged(self.all, now);
        self.accounts.insert(attempt.account.clone(), ACCOUNT.charged(account, now));
        self.addresses.insert(attempt.address, ADDRESS.charged(address, now));
        Ok(())
    }

    fn known(&mut self, attempt: &Attempt) -> Option<&mut Device> {
        let device = self.devices.get_mut(attempt.device.as_ref()?)?;
        (device.account == attempt.account).then_some(device)
    }

    /// The attempt was none that failed. Failures before it still count: one good account is no way to guess at another.
    pub(super) fn succeeded(&mut self, attempt: &Attempt, now: Mono) {
        if let Some(device) = self.known(attempt) {
            device.dry = ACCOUNT.forgiven(device.dry);
            device.used = now;
            return;
        }
        self.all = ALL.forgiven(self.all);
        if let Some(dry) = self.accounts.get_mut(&attempt.account) {
            *dry = ACCOUNT.forgiven(*dry);
        }
        if let Some(dry) = self.addresses.get_mut(&attempt.address) {
            *dry = ADDRESS.forgiven(*dry);
        }
    }

    /// Knows the browser that has this token from now on, by the account that it has logged in with.
    pub(super) fn learn(&mut self, attempt: &Attempt, token: &str, now: Mono) {
        while self.devices.len() >= DEVICES {
            let oldest = self.devices.iter().min_by_key(|(_, device)| device.used).map(|(token, _)| token.clone());
            let Some(oldest) = oldest else { break };
            self.devices.remove(&oldest);
        }
        let device = Device { account: attempt.account.clone(), dry: now, used: now };
        self.devices.insert(digest(token), device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Mono = Mono(1_000 * SECOND);

    fn at(seconds: u64) -> Mono {
        Mono(NOW.0 + seconds * SECOND)
    }
    fn stranger(account: &str, n: u8) -> Attempt {
        Attempt::new(account, IpAddr::from([10, 0, 0, n]), None)
    }
    fn waits(seconds: u64) -> Result<(), Duration> {
        Err(Duration::from_secs(seconds))
    }

    #[test]
    fn an_account_may_fail_five_times_from_wherever_and_then_once_a_minute() {
        let mut brake = Brake::default();
        for n in 0..5 {
            assert_eq!(brake.attempt(&stranger("jo", n), NOW), Ok(()));
        }
        assert_eq!(brake.attempt(&stranger("jo", 5), NOW), waits(60));
        assert_eq!(brake.attempt(&stranger("mei", 5), NOW), Ok(()), "each account has failures of its own");
        assert_eq!(brake.attempt(&stranger("jo", 6), at(59)), waits(1));
        assert_eq!(brake.attempt(&stranger("jo", 6), at(60)), Ok(()));
        assert_eq!(brake.attempt(&stranger("jo", 6), at(60)), waits(60));
        assert_eq!(brake.attempt(&stranger("jo", 6), at(3600)), Ok(()));
        assert_eq!((brake.accounts.len(), brake.addresses.len()), (1, 1), "what is over is forgotten");
    }

    #[test]
    fn many_names_and_many_addresses_are_no_way_round_it() {
        let mut brake = Brake::default();
        let from = |brake: &mut Brake, address: u8, names: u32| {
            (0..names).filter(|n| brake.attempt(&stranger(&format!("{address} {n}"), address), NOW).is_ok()).count()
        };
        assert_eq!(from(&mut brake, 1, 100), 10);
        assert_eq!(brake.attempt(&stranger("jo", 1), NOW), waits(30));
        assert_eq!((2..=250).map(|n| from(&mut brake, n, 10)).sum::<usize>(), 50, "all together");
        assert_eq!((brake.accounts.len(), brake.addresses.len()), (60, 6));
    }

    #[test]
    fn a_network_of_version_6_is_one_address() {
        let of = |text: &str| neighbourhood(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3::4"), of("2001:db8:1:2::"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_eq!(of("::ffff:10.0.0.1"), IpAddr::from([10, 0, 0, 1]));
    }

    #[test]
    fn a_login_that_is_granted_costs_nothing() {
        let mut brake = Brake::default();
        for _ in 0..100 {
            assert_eq!(brake.attempt(&stranger("jo", 1), NOW), Ok(()));
            brake.succeeded(&stranger("jo", 1), NOW);
        }
    }

    #[test]
    fn strangers_do_not_hold_up_a_browser_that_is_known_nor_does_its_token_open_another_account() {
        let mut brake = Brake::default();
        brake.learn(&stranger("jo", 1), "token", NOW);
        for n in 0..200 {
            let _ = brake.attempt(&stranger(["jo", "mei"][usize::from(n) % 2], n), NOW);
        }
        let known = Attempt::new("jo", IpAddr::from([10, 0, 0, 1]), Some("token"));
        for _ in 0..5 {
            assert_eq!(brake.attempt(&known, NOW), Ok(()));
        }
        assert_eq!(brake.attempt(&known, NOW), waits(60), "with a stolen token one guesses no faster");
        for (account, token) in [("mei", "token"), ("jo", "other")] {
            let foreign = Attempt::new(account, IpAddr::from([10, 0, 0, 1]), Some(token));
            assert!(!brake.knows(&foreign) && brake.attempt(&foreign, NOW).is_err(), "{account} {token}");
        }
    }

    #[test]
    fn browsers_have_a_bound_and_the_one_that_came_least_lately_gives_way() {
        let mut brake = Brake::default();
        for n in 0..100 {
            brake.learn(&stranger("jo", 1), &n.to_string(), at(n));
        }
        let knows = |n: u64| brake.knows(&Attempt::new("jo", IpAddr::from([10, 0, 0, 1]), Some(&n.to_string())));
        assert_eq!((0..100).filter(|n| knows(*n)).collect::<Vec<_>>(), (36..100).collect::<Vec<_>>());
    }

    #[test]
    fn who_has_lost_what_was_before_gives_nobody_a_fresh_guess() {
        let mut brake = Brake::wary(NOW);
        assert_eq!(brake.attempt(&stranger("jo", 1), NOW), waits(60));
        assert_eq!(brake.attempt(&stranger("jo", 1), at(60)), Ok(()));
        assert_eq!(brake.attempt(&stranger("jo", 2), at(60)), waits(60));
        assert!(brake.is_possible(at(60)));
        assert!(!brake.is_possible(at(0)), "what was charged later than now");
    }
}

//! Who is logged in: a token that only the browser has, and here only its hash.

use crate::random;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// A session that is not used for so long has ended: somebody walked away.
pub(super) const IDLE: Duration = Duration::from_secs(15 * 60);
/// A session has ended after so long in any case: a shift.
pub(super) const LONGEST: Duration = Duration::from_secs(8 * 3600);
/// Sessions at a time; the one that was used least lately gives way.
const MOST: usize = 16;

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// The account.
    pub(super) account: String,
    /// The account's hash as it was at the login: with another password, or without the account, the session has ended.
    pub(super) hash: String,
    began: Instant,
    used: Instant,
}

/// All of them, by the hashes of their tokens.
#[derive(Debug, Default)]
pub(super) struct Sessions(BTreeMap<[u8; 32], Session>);

fn key(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

impl Sessions {
    /// Begins one; gives its token, 256 random bits in hexadecimal.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub(super) fn begin(&mut self, account: &str, hash: &str, now: Instant) -> std::io::Result<String> {
        let token = hex::encode(random::bytes::<32>()?);
        self.forget(now);
        while self.0.len() >= MOST {
            let Some(oldest) = self.0.iter().min_by_key(|(_, s)| s.used).map(|(key, _)| *key) else { break };
            self.0.remove(&oldest);
        }
        let session = Session { account: account.into(), hash: hash.into(), began: now, used: now };
        self.0.insert(key(&token), session);
        Ok(token)
    }

    /// Whose token this is; using it keeps it alive.
    pub(super) fn used(&mut self, token: &str, now: Instant) -> Option<Session> {
        self.forget(now);
        let session = self.0.get_mut(&key(token))?;
        session.used = now;
        Some(session.clone())
    }

    /// Ends one.
    pub(super) fn end(&mut self, token: &str) {
        self.0.remove(&key(token));
    }

    fn forget(&mut self, now: Instant) {
        self.0.retain(|_, s| now < s.used + IDLE && now < s.began + LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_it_is_idle_too_long_too_old_or_ended() {
        let now = Instant::now();
        let mut sessions = Sessions::default();
        let token = sessions.begin("jo", "h", now).unwrap();
        assert_eq!(token.len(), 64);
        assert_eq!(sessions.used(&token, now).unwrap().account, "jo");
        assert_eq!(sessions.used(&token[1..], now), None);
        let mut later = now;
        while later + IDLE / 2 < now + LONGEST {
            later += IDLE / 2;
            assert!(sessions.used(&token, later).is_some());
        }
        assert_eq!(sessions.used(&token, now + LONGEST), None, "however busy it was");
        let idle = sessions.begin("jo", "h", now).unwrap();
        assert_eq!(sessions.used(&idle, now + IDLE), None);
        let ended = sessions.begin("jo", "h", now).unwrap();
        sessions.end(&ended);
        assert_eq!(sessions.used(&ended, now), None);
    }

    #[test]
    fn there_is_a_bound_and_the_least_used_gives_way() {
        let now = Instant::now();
        let at = |n| now + Duration::from_secs(n);
        let mut sessions = Sessions::default();
        let tokens: Vec<String> = (0..MOST as u64).map(|n| sessions.begin("jo", "h", at(n)).unwrap()).collect();
        assert!(sessions.used(&tokens[0], at(50)).is_some());
        let last = sessions.begin("mei", "h", at(51)).unwrap();
        assert_eq!(sessions.0.len(), MOST);
        assert!(sessions.used(&tokens[1], at(52)).is_none(), "it was used least lately");
        assert!(sessions.used(&tokens[0], at(52)).is_some() && sessions.used(&last, at(52)).is_some());
    }
}

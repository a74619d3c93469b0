//! The technicians' accounts: a file of its own, a line each, `NAME:HASH` with an Argon2id hash in PHC form.
//!
//! ```text
//! # comment
//! jo:$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH
//! ```
//! `tumblerctl panel-password NAME` makes a line. The file is read at every use, so that a change needs no restart.

use crate::file::{SecretError, read_secret};
use crate::network::account;
use crate::random;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params};
use std::collections::BTreeMap;
use std::io::Error;
use std::path::{Path, PathBuf};

/// Longest file: some hundred accounts.
const LONGEST: u64 = 64 * 1024;
/// Most memory (KiB), passes and lanes that a hash may ask for: the network's process has 96 MiB in all, and one core to spare.
const MOST: (u32, u32, u32) = (32 * 1024, 10, 4);
/// Shortest password, in characters, and the longest, in bytes.
const PASSWORD: (usize, usize) = (10, 256);

/// Why there are no accounts.
#[derive(Debug, thiserror::Error)]
pub enum AccountsError {
    /// The system refuses.
    #[error("{path} cannot be read: {error}; is panel.accounts_file right, and may the daemon's account read it?")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: Error,
    },
    /// Others can read it, or change it.
    #[error(transparent)]
    Open(SecretError),
    /// It is no file of accounts.
    #[error("{path}:{line}: {problem}; a line is NAME:HASH, as `tumblerctl panel-password NAME` makes it")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// The accounts: names with their hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts(BTreeMap<String, String>);

impl Accounts {
    /// Reads them.
    ///
    /// # Errors
    /// [`AccountsError`].
    pub fn read(path: &Path) -> Result<Self, AccountsError> {
        let text = read_secret(path, LONGEST).map_err(|error| match error {
            SecretError::Unread(error) => AccountsError::Io { path: path.into(), error },
            open @ SecretError::TooOpen { .. } => AccountsError::Open(open),
        })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, AccountsError> {
        let malformed = |line, problem| AccountsError::Malformed { path: path.into(), line, problem };
        let mut accounts = BTreeMap::new();
        for (n, line) in text.lines().enumerate().map(|(n, line)| (n + 1, line.trim())) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, hash) = line.split_once(':').ok_or_else(|| malformed(n, "there is no colon".into()))?;
            account::check(name).map_err(|problem| malformed(n, problem))?;
            check_hash(hash).map_err(|problem| malformed(n, problem))?;
            if accounts.insert(name.to_owned(), hash.to_owned()).is_some() {
                return Err(malformed(n, format!("{name} is there twice")));
            }
        }
        Ok(Self(accounts))
    }

    /// This account's hash.
    #[must_use]
    pub fn hash(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn check_hash(hash: &str) -> Result<(), String> {
    let parsed = PasswordHash::new(hash).map_err(|error| format!("this is no hash: {error}"))?;
    if Algorithm::try_from(parsed.algorithm.as_str()) != Ok(Algorithm::Argon2id) {
        return Err(format!("`{}` is not Argon2id", parsed.algorithm));
    }
    if parsed.salt.is_none() || parsed.hash.is_none() {
        return Err("salt or hash is missing".into());
    }
    let params = Params::try_from(&parsed).map_err(|error| format!("its parameters are wrong: {error}"))?;
    let (memory, passes, lanes) = MOST;
    if params.m_cost() > memory || params.t_cost() > passes || params.p_cost() > lanes {
        return Err(format!("it asks for more than m={memory},t={passes},p={lanes}"));
    }
    Ok(())
}

/// Whether this is the password. Where there is no such account it takes as long, so that the time tells nothing. Uses some
/// 19 MiB and 50 ms or more: not for a thread that others wait for.
#[must_use]
pub fn verify(hash: Option<&str>, password: &str) -> bool {
    let argon2 = Argon2::default();
    match hash.and_then(|hash| PasswordHash::new(hash).ok()) {
        Some(hash) => argon2.verify_password(password.as_bytes(), &hash).is_ok(),
        None => {
            let _ = argon2.hash_password_with_salt(password.as_bytes(), &[0; 16]);
            false
        }
    }
}

/// Makes an account's line.
///
/// # Errors
/// What is wrong with name or password, or that the system gives no random numbers.
pub fn line(name: &str, password: &str) -> Result<String, String> {
    account::check(name)?;
    let (shortest, longest) = PASSWORD;
    if password.chars().count() < shortest || password.len() > longest {
        return Err(format!("a password has {shortest} characters or more, and at most {longest} bytes"));
    }
    let salt: [u8; 16] = random::bytes().map_err(|error| format!("the system gives no random numbers: {error}"))?;
    let hash = Argon2::default()
        .hash_password_with_salt(password.as_bytes(), &salt)
        .map_err(|error| format!("the password cannot be hashed: {error}"))?;
    Ok(format!("{name}:{hash}"))
}

/// The text of a file of accounts with this line in place of the one that its account had.
#[must_use]
pub fn with_line(text: &str, line: &str) -> String {
    let name = |line: &str| line.trim().split(':').next().unwrap_or_default().to_owned();
    let kept = text.lines().filter(|old| old.trim_start().starts_with('#') || name(old) != name(line));
    kept.chain([line]).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn parse(text: &str) -> Result<Accounts, String> {
        Accounts::parse(Path::new("/a"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_that_was_made_is_read_and_only_its_password_fits() {
        let made = line("jo", "correct horse").unwrap();
        let accounts = parse(&format!("# people\n\n{made}\n")).unwrap();
        let hash = accounts.hash("jo");
        assert!(hash.unwrap().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{made}");
        assert!(verify(hash, "correct horse"));
        assert!(!verify(hash, "correct horses"));
        assert!(!verify(accounts.hash("mei"), "correct horse"));
        assert_ne!(line("jo", "correct horse").unwrap(), made, "each has a salt of its own");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let good = line("jo", "correct horse").unwrap();
        let cases = [
            ("jo".to_owned(), "/a:1: there is no colon"),
            (format!("\n{}", good.replace("jo:", "Jo!:")), "/a:2: `Jo!` is no name"),
            ("jo:secret".into(), "/a:1: this is no hash"),
            (good.replace("argon2id", "argon2i"), "is not Argon2id"),
            (good.replace("m=19456", "m=1048576"), "it asks for more than m=32768"),
            (good.rsplit_once('$').unwrap().0.to_owned(), "salt or hash is missing"),
            (format!("{good}\n{good}"), "/a:2: jo is there twice"),
        ];
        for (text, said) in cases {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(said) && error.contains("tumblerctl panel-password"), "{error}");
        }
    }

    #[test]
    fn a_file_that_others_can_read_or_change_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("accounts");
        std::fs::write(&path, line("jo", "correct horse").unwrap()).unwrap();
        for (mode, good) in
            [(0o600, true), (0o640, true), (0o440, true), (0o644, false), (0o660, false), (0o602, false)]
        {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = Accounts::read(&path);
            assert_eq!(read.is_ok(), good, "{mode:o} {read:?}");
            if let Err(error) = read {
                assert!(error.to_string().contains("chmod 0640"), "{error}");
            }
        }
        let missing = Accounts::read(&dir.path().join("none")).unwrap_err().to_string();
        assert!(missing.contains("panel.accounts_file"), "{missing}");
    }

    #[test]
    fn a_new_line_takes_the_old_ones_place() {
        assert_eq!(with_line("# jo\njo:old\nmei:kept\n", "jo:new"), "# jo\nmei:kept\njo:new\n");
        assert_eq!(with_line("", "jo:new"), "jo:new\n");
    }

    #[test]
    fn a_password_is_long_enough() {
        assert!(line("jo", "short").unwrap_err().contains("10 characters"));
        assert!(line("jo", &"x".repeat(257)).unwrap_err().contains("256 bytes"));
    }
}

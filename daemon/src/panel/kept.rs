//! The brake's file in the run directory, `logins`: a crash or a restart of the daemon gives nobody fresh guesses. A reboot, which
//! no stranger brings about, forgets it.

use super::brake::Brake;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use tumbler_core::units::Mono;

/// Longest file, in bytes: several times what the brake's bounds allow.
const LONGEST: u64 = 256 * 1024;
/// What the file's format is called.
const FORMAT: u32 = 1;

/// Where the brake is kept, and under which boot: its times count from there.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The file.
    pub file: PathBuf,
    /// The kernel's boot id.
    pub boot: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text<B> {
    format: u32,
    boot: String,
    brake: B,
}

impl Kept {
    /// The brake as it was kept under this boot. What cannot be read is told in the log, and nobody gains by it.
    pub(super) fn read(&self, now: Mono) -> Brake {
        let why = match self.text() {
            Ok(None) => return Brake::default(),
            Ok(Some(text)) => match serde_json::from_str::<Text<Brake>>(&text) {
                Ok(kept) if kept.boot != self.boot => return Brake::default(),
                Ok(kept) if kept.format == FORMAT && kept.brake.is_possible(now) => return kept.brake,
                Ok(_) => "it has another format, or times that cannot be".to_owned(),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        tracing::warn!(
            "{}: {why}; which logins failed before is not known, so everybody waits at the panel as if many had, for a minute or \
             more. It is written anew at the next login; look who changed it, and whether the disk is full",
            self.file.display()
        );
        Brake::wary(now)
    }

    fn text(&self) -> Result<Option<String>, Error> {
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&self.file);
        let file = match opened {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut text = String::new();
        file.take(LONGEST + 1).read_to_string(&mut text)?;
        if text.len() as u64 > LONGEST {
            return Err(Error::new(ErrorKind::InvalidData, format!("it is longer than {LONGEST} bytes")));
        }
        Ok(Some(text))
    }

    /// Keeps it: in whole, or as it was before.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn write(&self, brake: &Brake) -> Result<(), Error> {
        let text = serde_json::to_vec(&Text { format: FORMAT, boot: self.boot.clone(), brake })?;
        let new = self.file.with_extension("new");
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?.write_all(&text)?;
        std::fs::rename(&new, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::super::brake::Attempt;
    use super::*;

    const NOW: Mono = Mono(1_000_000_000_000);

    fn kept(dir: &tempfile::TempDir, boot: &str) -> Kept {
        Kept { file: dir.path().join("logins"), boot: boot.into() }
    }
    fn jo() -> Attempt {
        Attempt::new("jo", [10, 0, 0, 1].into(), None)
    }

    #[test]
    fn what_was_charged_is_there_after_a_restart_and_gone_after_a_reboot() {
        let dir = tempfile::tempdir().unwrap();
        let mut brake = kept(&dir, "one").read(NOW);
        assert_eq!(brake, Brake::default());
        brake.attempt(&jo(), NOW).unwrap();
        kept(&dir, "one").write(&brake).unwrap();
        assert_eq!(kept(&dir, "one").read(NOW), brake);
        assert_eq!(kept(&dir, "two").read(NOW), Brake::default());
        let text = std::fs::read_to_string(dir.path().join("logins")).unwrap();
        assert!(!text.contains("\"jo\""), "a name may be a password: {text}");
    }

    #[test]
    fn a_damaged_file_gives_no_fresh_guesses() {
        let dir = tempfile::tempdir().unwrap();
        let kept = kept(&dir, "one");
        let mut brake = Brake::default();
        brake.attempt(&jo(), NOW).unwrap();
        kept.write(&brake).unwrap();
        let good = std::fs::read_to_string(&kept.file).unwrap();
        let later = good.replace(&format!("{}", NOW.0 + 60_000_000_000), &u64::MAX.to_string());
        let long = format!("{good}{}", " ".repeat(300_000));
        for text in ["", &good[..good.len() / 2], "\0\0", &good.replace("format", "fromat"), &later, &long] {
            assert_ne!(*text, *good);
            std::fs::write(&kept.file, text).unwrap();
            assert!(kept.read(NOW).attempt(&jo(), NOW).is_err(), "{}", &text[..text.len().min(200)]);
            kept.write(&brake).unwrap();
            assert_eq!(kept.read(NOW), brake, "it is written anew");
        }
        std::fs::remove_file(&kept.file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &kept.file).unwrap();
        assert!(kept.read(NOW).attempt(&jo(), NOW).is_err());
    }
}

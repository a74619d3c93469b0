//! What lies in the run directory, on tmpfs, and is gone with the boot: the permit, and the journal's exact head.
//!
//! A game may start only with a permit that agrees with the slot (stream, boot, number of the grant). Taking it away needs no room on any
//! disk. The head is rewritten at every commit without wearing anything, so that within a boot a journal that is older than
//! it was, by a single record, is noticed.

use super::chain::{Head, unhex};
use super::error::JournalError;
use super::places::make;
use super::slot::Slot;
use crate::file;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Most bytes of a file here.
const LONGEST: u64 = 4096;

/// The run directory of one table under one boot.
#[derive(Debug)]
pub(super) struct RunDir {
    dir: PathBuf,
    boot: String,
    stream: String,
    head: Option<File>,
}

impl RunDir {
    /// The run directory, made if it is missing.
    pub(super) fn new(dir: &Path, boot: &str, stream: &str) -> Result<Self, JournalError> {
        make(dir).map_err(|error| JournalError::NoRunDir { dir: dir.to_owned(), error })?;
        Ok(Self { dir: dir.to_owned(), boot: boot.to_owned(), stream: stream.to_owned(), head: None })
    }

    fn permit_path(&self) -> PathBuf {
        self.dir.join("permit")
    }
    fn head_path(&self) -> PathBuf {
        self.dir.join("head")
    }
    fn permit_text(&self, grant: u64) -> String {
        format!("tumblerd permit 1\n{} {} {grant}\n", self.stream, self.boot)
    }

    /// Whether slot and permit agree that a game may start under this boot.
    ///
    /// # Errors
    /// There is a permit, and it cannot be read: one that was not read is not one that is missing.
    pub(super) fn permitted(&self, slot: &Slot) -> Result<bool, JournalError> {
        if slot.stream != self.stream || slot.granted.as_deref() != Some(self.boot.as_str()) {
            return Ok(false);
        }
        let path = self.permit_path();
        match file::read_text(&path, LONGEST) {
            Ok(text) => Ok(text == self.permit_text(slot.grant)),
            Err(error) if file::is_unread(&error) => Err(JournalError::io("read the permit", &path)(error)),
            Err(_) => Ok(false),
        }
    }

    /// Lays down the permit for this grant.
    pub(super) fn grant(&self, grant: u64) -> Result<(), JournalError> {
        let path = self.permit_path();
        let new = self.dir.join("permit.new");
        std::fs::write(&new, self.permit_text(grant)).map_err(JournalError::io("write the permit", &new))?;
        std::fs::rename(&new, &path).map_err(JournalError::io("write the permit", &path))
    }

    /// Takes the permit away; empties it where it cannot be removed.
    pub(super) fn revoke(&self) -> Result<(), JournalError> {
        let path = self.permit_path();
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => {
                let emptied = OpenOptions::new().write(true).truncate(true).open(&path);
                emptied.map(drop).map_err(|_| JournalError::io("remove the permit", &path)(error))
            }
        }
    }

    /// The head noted last under this boot for this stream.
    pub(super) fn head(&self) -> Option<Head> {
        let text = file::read_text(&self.head_path(), LONGEST).ok()?;
        let mut words = text.split_whitespace();
        let ours = words.next()? == self.stream && words.next()? == self.boot;
        let seq = words.next()?.parse().ok()?;
        let hash = unhex(words.next()?)?;
        (ours && words.next()? == "end").then_some(Head { seq, hash })
    }

    /// Notes the head. Failing to only makes a later rollback harder to see, so nobody is told.
    pub(super) fn note(&mut self, head: Head) {
        if self.head.is_none() {
            let made = OpenOptions::new().create(true).write(true).truncate(false).open(self.head_path());
            self.head = made.ok();
        }
        if let Some(file) = &self.head {
            // Padded: an older, longer line must not show through.
            let text = format!("{} {} {:020} {} end\n", self.stream, self.boot, head.seq, hex::encode(head.hash));
            if file.write_all_at(text.as_bytes(), 0).is_err() {
                self.head = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::slot::Progress;
    use super::*;

    fn slot(granted: Option<&str>, grant: u64) -> Slot {
        Slot {
            n: 1,
            stream: "s".into(),
            site: "a".into(),
            table: "b".into(),
            backend: "virtual".into(),
            seq: 0,
            head: "00".repeat(32),
            round: 0,
            next: Progress::None,
            closed: false,
            grant,
            granted: granted.map(Into::into),
        }
    }

    #[test]
    fn a_permit_needs_slot_boot_stream_and_number_to_agree() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::new(dir.path(), "boot", "s").unwrap();
        assert!(!run.permitted(&slot(Some("boot"), 1)).unwrap(), "no permit");
        run.grant(1).unwrap();
        assert!(run.permitted(&slot(Some("boot"), 1)).unwrap());
        assert!(!run.permitted(&slot(Some("boot"), 2)).unwrap(), "another grant");
        assert!(!run.permitted(&slot(Some("other"), 1)).unwrap(), "another boot in the slot");
        assert!(!run.permitted(&slot(None, 1)).unwrap(), "not granted");
        assert!(
            !RunDir::new(dir.path(), "other", "s").unwrap().permitted(&slot(Some("other"), 1)).unwrap(),
            "permit of another boot"
        );
        assert!(
            !RunDir::new(dir.path(), "boot", "x").unwrap().permitted(&slot(Some("boot"), 1)).unwrap(),
            "another stream"
        );
        run.revoke().unwrap();
        run.revoke().unwrap();
        assert!(!run.permitted(&slot(Some("boot"), 1)).unwrap(), "revoked");
    }

    #[test]
    fn the_head_counts_only_under_its_boot_and_stream() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = RunDir::new(dir.path(), "boot", "s").unwrap();
        assert_eq!(run.head(), None);
        let head = Head { seq: 12, hash: [7; 32] };
        run.note(Head { seq: 11, hash: [9; 32] });
        run.note(head);
        assert_eq!(run.head(), Some(head));
        assert_eq!(RunDir::new(dir.path(), "boot2", "s").unwrap().head(), None);
        assert_eq!(RunDir::new(dir.path(), "boot", "x").unwrap().head(), None);
        std::fs::write(dir.path().join("head"), "s boot 12 77").unwrap();
        assert_eq!(run.head(), None);
    }
}

//! The slot: a small preallocated file beside the journal that says whose the table is, whether a game may start, and
//! where the journal's head was. It is written in place, so that it can be written on a full disk.
//!
//! Two copies of 512 bytes lie in two blocks of the file system and are written in turn: a write that is cut short
//! leaves the other copy whole. A copy is one line `tumblerd slot 1 <sha256>`, then JSON, then spaces, then a line feed.
//!
//! A copy is one sector of the usual disks, and is written past the kernel's cache where the file system allows it: the cache would
//! write a whole page, or more, for it.

use super::Identity;
use super::chain::{Head, unhex};
use super::error::JournalError;
use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const COPY: usize = 512;
/// Distance of the two copies: blocks of the usual file systems are 4 KiB.
const APART: u64 = 4096;
const MAGIC: &str = "tumblerd slot 1 ";
/// Room for the names of site and table together: what a copy holds less all other fields at their longest.
pub(super) const NAMES: usize = 64;

/// How far a round has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Progress {
    /// It has not begun.
    #[default]
    None,
    /// It has begun, and an interruption voids it.
    Begun,
    /// Its outcome is established, and an interruption concludes it.
    Established,
}

/// What the slot says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Slot {
    /// Counts the writes; the copy with the higher one is the later.
    pub(super) n: u64,
    pub(super) stream: String,
    pub(super) site: String,
    pub(super) table: String,
    pub(super) backend: String,
    /// The journal's last record when this was written, and the hash there.
    pub(super) seq: u64,
    pub(super) head: String,
    /// The last round that had ended then.
    pub(super) round: u64,
    /// How far the round after it had come.
    #[serde(default)]
    pub(super) next: Progress,
    /// Whether the journal was closed in order with that head.
    pub(super) closed: bool,
    /// Counts the changes of permission; the permit carries the same number.
    pub(super) grant: u64,
    /// The boot under which a game may start, if any.
    pub(super) granted: Option<String>,
}

impl Slot {
    /// A slot that grants nothing.
    pub(super) fn fresh(stream: &str, id: &Identity, head: Head) -> Self {
        let mut slot = Self {
            n: 0,
            stream: stream.to_owned(),
            site: id.site.clone(),
            table: id.table.clone(),
            backend: id.backend.clone(),
            seq: 0,
            head: String::new(),
            round: 0,
            next: Progress::None,
            closed: true,
            grant: 0,
            granted: None,
        };
        slot.set_head(head);
        slot
    }

    /// The table that was commissioned.
    pub(super) fn identity(&self) -> Identity {
        Identity { site: self.site.clone(), table: self.table.clone(), backend: self.backend.clone() }
    }

    /// The head that the journal had when this was written.
    pub(super) fn head(&self) -> Head {
        Head { seq: self.seq, hash: unhex(&self.head).unwrap_or_default() }
    }
    /// Takes a round's record into account. Gives whether the slot has to be written for it.
    pub(super) fn take(&mut self, kind: &str, round: Option<u64>) -> bool {
        let Some(round) = round.filter(|round| *round > self.round) else { return false };
        (self.round, self.next) = match kind {
            "round-began" => (round - 1, Progress::Begun),
            "established" => (round - 1, Progress::Established),
            "settled" | "voided" => (round, Progress::None),
            _ => return false,
        };
        true
    }

    /// Takes over what the other says of the rounds.
    pub(super) fn take_rounds(&mut self, other: &Self) {
        (self.round, self.next) = (other.round, other.next);
    }

    /// The round that was in progress when this was written.
    pub(super) fn in_progress(&self) -> Option<u64> {
        (self.next != Progress::None).then_some(self.round.saturating_add(1))
    }

    /// Notes another head.
    pub(super) fn set_head(&mut self, head: Head) {
        self.seq = head.seq;
        self.head = hex::encode(head.hash);
    }

    fn encode(&self) -> Option<Sector> {
        let mut rest = serde_json::to_vec(self).ok()?;
        let line = MAGIC.len() + 64 + 1;
        if rest.len() + line + 1 > COPY {
            return None;
        }
        rest.resize(COPY - line - 1, b' ');
        rest.push(b'\n');
        let mut text = format!("{MAGIC}{}\n", hex::encode(Sha256::digest(&rest))).into_bytes();
        text.append(&mut rest);
        text.try_into().ok().map(Sector)
    }

    fn decode(copy: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(copy).ok()?.strip_prefix(MAGIC)?;
        let (sum, rest) = text.split_at_checked(64)?;
        let rest = rest.strip_prefix('\n')?;
        if unhex(sum)? != <[u8; 32]>::from(Sha256::digest(rest)) {
            return None;
        }
        let slot: Self = serde_json::from_str(rest).ok()?;
        unhex(&slot.head)?;
        Some(slot)
    }
}

/// A copy, where writes past the cache must have it in memory.
#[repr(align(512))]
struct Sector([u8; COPY]);

fn open_direct(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).custom_flags(OFlag::O_DIRECT.bits()).open(path)
}

fn open_cached(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// The slot's file, open for writing.
#[derive(Debug)]
pub(super) struct SlotFile {
    file: File,
    path: PathBuf,
    slot: Slot,
}

impl SlotFile {
    /// Reads a slot. `Ok(None)` if there is none; the error says what is wrong with the one that is there.
    pub(super) fn read(path: &Path) -> Result<Option<Slot>, JournalError> {
        let bytes = match crate::file::read(path, 2 * APART) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(JournalError::io("read the slot", path)(error)),
        };
        let apart = usize::try_from(APART).unwrap_or(usize::MAX);
        let copies = [bytes.get(..COPY), bytes.get(apart..apart.saturating_add(COPY))];
        let latest = copies.into_iter().flatten().filter_map(Slot::decode).max_by_key(|slot| slot.n);
        latest.map(Some).ok_or_else(|| JournalError::Damaged {
            path: path.to_owned(),
            what: "the slot beside the journal holds no whole copy".into(),
        })
    }

    /// Makes a slot that says `slot`, in full size and durably.
    pub(super) fn create(path: &Path, slot: Slot) -> Result<Self, JournalError> {
        let io = |what| JournalError::io(what, path);
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).open(path).map_err(io("create the slot"))?;
        // Real zeroes, not a hole: a write in place must need no room.
        file.write_all_at(&[0; 2 * 4096], 0).map_err(io("write the slot"))?;
        file.sync_all().map_err(io("write the slot"))?;
        let mut made = Self::open(path, slot.clone())?;
        made.write(|s| *s = slot)?;
        Ok(made)
    }

    /// Opens the slot that was read as `slot`.
    pub(super) fn open(path: &Path, slot: Slot) -> Result<Self, JournalError> {
        let file = open_direct(path).or_else(|_| open_cached(path)).map_err(JournalError::io("open the slot", path))?;
        Ok(Self { file, path: path.to_owned(), slot })
    }

    /// What it says.
    pub(super) const fn get(&self) -> &Slot {
        &self.slot
    }

    /// Makes the slot say something else, durably. What it says does not change if that fails.
    pub(super) fn write(&mut self, change: impl FnOnce(&mut Slot)) -> Result<(), JournalError> {
        let mut slot = self.slot.clone();
        change(&mut slot);
        slot.n = self.slot.n.saturating_add(1);
        let names = slot.site.len() + slot.table.len();
        let bytes = slot.encode().ok_or(JournalError::NamesTooLong(names, NAMES))?;
        let place = (slot.n % 2) * APART;
        if self.file.write_all_at(&bytes.0, place).is_err() {
            // A disk with larger sectors takes nothing so short past the cache.
            self.file = open_cached(&self.path).map_err(JournalError::io("open the slot", &self.path))?;
            self.file.write_all_at(&bytes.0, place).map_err(JournalError::io("write the slot", &self.path))?;
        }
        self.file.sync_data().map_err(JournalError::io("write the slot", &self.path))?;
        self.slot = slot;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that this thread has written so far, as the kernel counts them.
    fn written() -> u64 {
        let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
        io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).unwrap().parse().unwrap()
    }

    /// On a disk, and not on tmpfs, where nothing is written: beside this test's own program.
    #[test]
    fn a_write_costs_a_sector_and_not_a_page() {
        let target = std::env::current_exe().unwrap();
        let dir = tempfile::tempdir_in(target.parent().unwrap()).unwrap();
        let path = dir.path().join("slot");
        let mut file = SlotFile::create(&path, slot()).unwrap();
        let before = written();
        (0..16).for_each(|n| file.write(|slot| slot.seq = n).unwrap());
        let each = (written() - before) / 16;
        let flags = OFlag::from_bits_retain(nix::fcntl::fcntl(&file.file, nix::fcntl::F_GETFL).unwrap());
        // Disks with larger sectors are left to the cache.
        let most = if flags.contains(OFlag::O_DIRECT) { COPY as u64 } else { 2 * APART };
        assert!(each <= most, "{each} bytes");
        assert_eq!(SlotFile::read(&path).unwrap().unwrap().seq, 15);
    }

    #[test]
    fn a_file_system_that_knows_only_its_cache_keeps_a_slot_as_well() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slot");
        let mut file = SlotFile::create(&path, slot()).unwrap();
        file.file = open_cached(&path).unwrap();
        file.write(|slot| slot.seq = 7).unwrap();
        assert_eq!(SlotFile::read(&path).unwrap().unwrap().seq, 7);
    }

    fn slot() -> Slot {
        Slot {
            n: 0,
            stream: "0".repeat(32),
            site: "s".into(),
            table: "t".into(),
            backend: "virtual".into(),
            seq: 5,
            head: "ab".repeat(32),
            round: 1,
            next: Progress::None,
            closed: false,
            grant: 2,
            granted: None,
        }
    }

    #[test]
    fn the_longest_names_fit() {
        let mut longest = slot();
        longest.n = u64::MAX;
        longest.seq = u64::MAX;
        longest.grant = u64::MAX;
        longest.round = u64::MAX;
        longest.next = Progress::Established;
        longest.granted = Some("b".repeat(36));
        longest.site = "s".repeat(NAMES);
        longest.table = String::new();
        assert!(longest.encode().is_some());
        longest.site = "s".repeat(COPY);
        assert!(longest.encode().is_none());
    }

    #[test]
    fn it_follows_the_rounds() {
        let mut slot = slot();
        assert_eq!(slot.in_progress(), None);
        assert!(!slot.take("latched", None) && !slot.take("called", Some(2)) && !slot.take("settled", Some(1)));
        assert!(slot.take("round-began", Some(2)));
        assert_eq!((slot.in_progress(), slot.next), (Some(2), Progress::Begun));
        assert!(slot.take("established", Some(2)));
        assert_eq!((slot.in_progress(), slot.next), (Some(2), Progress::Established));
        assert!(slot.take("settled", Some(2)));
        assert_eq!((slot.in_progress(), slot.round), (None, 2));
    }

    #[test]
    fn a_torn_write_leaves_the_copy_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slot");
        let mut file = SlotFile::create(&path, slot()).unwrap();
        file.write(|s| s.seq = 6).unwrap();
        let before = file.get().clone();
        file.write(|s| s.seq = 7).unwrap();
        assert_eq!(SlotFile::read(&path).unwrap(), Some(file.get().clone()));
        for cut in 0..COPY {
            let mut bytes = std::fs::read(&path).unwrap();
            let place = usize::try_from((file.get().n % 2) * APART).unwrap();
            bytes[place + cut] ^= 4;
            let torn = dir.path().join("torn");
            std::fs::write(&torn, &bytes).unwrap();
            assert_eq!(SlotFile::read(&torn).unwrap(), Some(before.clone()), "bit flipped at {cut}");
        }
    }

    #[test]
    fn no_whole_copy_is_damage_and_no_file_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slot");
        assert_eq!(SlotFile::read(&path).unwrap(), None);
        std::fs::write(&path, [0; 8192]).unwrap();
        assert!(matches!(SlotFile::read(&path), Err(JournalError::Damaged { .. })));
        std::fs::write(&path, "short").unwrap();
        assert!(matches!(SlotFile::read(&path), Err(JournalError::Damaged { .. })));
    }
}

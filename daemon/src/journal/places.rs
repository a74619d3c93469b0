//! The files of a state directory, and the lock that keeps a second daemon out.

use super::error::JournalError;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::AccessFlags;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Held while the journal is open.
pub(super) type Lock = Flock<File>;

/// What comes after the file's name when it is set aside, before the number.
pub(super) const DAMAGED: &str = ".damaged-";

/// Most bytes of the mark of another board, and most characters of its name.
const LONGEST: u64 = 4096;
const NAME: usize = 64;
/// What comes after a file's name while it is written.
const NEW: &str = ".new";

/// What a board leaves behind that took a table over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of its stage.
    pub(super) number: String,
    /// Its name.
    pub(super) by: String,
}

/// The files of a state directory.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) dir: PathBuf,
    pub(super) journal: PathBuf,
    /// A journal that is being made.
    pub(super) new_journal: PathBuf,
    pub(super) slot: PathBuf,
}

impl Places {
    pub(super) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            journal: dir.join("journal.sqlite"),
            new_journal: dir.join("journal.sqlite.new"),
            slot: dir.join("slot"),
        }
    }

    /// Says that another board has taken this table over.
    pub(super) fn mark(&self) -> PathBuf {
        self.dir.join("taken-over")
    }

    /// The mark of a board that took the table over which lay here, where one did.
    pub(super) fn mark_found(&self) -> Result<Option<Mark>, JournalError> {
        let path = self.mark();
        let no_mark = |why: String| JournalError::NoMark { path: path.clone(), why };
        match crate::file::read_text(&path, LONGEST) {
            Ok(text) => match text.lines().next().and_then(|line| line.split_once(' ')) {
                Some((number, by)) => {
                    let by = tumbler_core::text::shown(by).chars().take(NAME).collect();
                    Ok(Some(Mark { number: number.to_owned(), by }))
                }
                None => Err(no_mark("it names no board".to_owned())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) if crate::file::is_unread(&error) => {
                Err(JournalError::io("read the mark of another board", &path)(error))
            }
            Err(error) => Err(no_mark(error.to_string())),
        }
    }

    /// Marks the table that lies here as taken over: whole, or not at all.
    pub(super) fn mark_for(&self, number: &str, by: &str) -> Result<(), JournalError> {
        let what = "write the mark of the other board, and nothing was changed";
        put(&self.mark(), &format!("{number} {by}\n")).map_err(JournalError::io(what, &self.mark()))?;
        self.sync()
    }

    /// Where a table lies that is being taken over from another board.
    pub(super) fn stage(&self) -> PathBuf {
        self.dir.join("taking-over")
    }

    /// Whether this belongs to the board here, and not to its table.
    pub(super) fn is_of_the_board(&self, path: &Path) -> bool {
        let own =
            [self.dir.join("lock"), self.mark(), with(&self.mark(), NEW), self.stage(), self.dir.join("took-over")];
        own.iter().any(|own| own == path)
    }

    /// The first thing that lies here and is a table's, or may be; none while one is being taken over.
    pub(super) fn anything_at_all(&self) -> Option<PathBuf> {
        if self.stage().exists() {
            return None;
        }
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).find(|path| *path == self.mark() || !self.is_of_the_board(path))
    }

    /// The first sign that a table was commissioned here.
    pub(super) fn anything(&self) -> Option<PathBuf> {
        let mut files = vec![self.slot.clone(), self.journal.clone(), self.new_journal.clone()];
        files.extend(self.set_aside());
        files.into_iter().find(|path| path.exists())
    }

    /// Says which file or directory this process may not read and write, and which directory others may write. A journal that is
    /// whole must not be taken for a damaged one because somebody copied it as another user, nor a permit be passed over.
    pub(super) fn may_be_written(&self, run_dir: &Path) -> Result<(), JournalError> {
        for dir in [&self.dir, run_dir] {
            let Ok(about) = std::fs::metadata(dir) else { continue };
            let all = AccessFlags::R_OK | AccessFlags::W_OK | AccessFlags::X_OK;
            if nix::unistd::eaccess(dir, all) == Err(nix::errno::Errno::EACCES) {
                return Err(not_ours(dir)?);
            }
            let (user, owner, mode) = (nix::unistd::Uid::effective().as_raw(), about.uid(), about.mode() & 0o7777);
            // Root can do so anywhere.
            if owner != user && owner != 0 {
                return Err(JournalError::OthersDirectory { path: dir.to_owned(), user, owner, mode });
            }
            if mode & 0o022 != 0 {
                return Err(JournalError::SharedDirectory { path: dir.to_owned(), mode });
            }
        }
        let beside = ["-wal", "-shm"].map(|suffix| with(&self.journal, suffix));
        let of_run = ["permit", "head"].map(|name| run_dir.join(name));
        let files = [&self.dir.join("lock"), &self.slot, &self.journal, &self.new_journal];
        for path in files.into_iter().chain(&beside).chain(&of_run) {
            match OpenOptions::new().read(true).write(true).open(path) {
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Err(not_ours(path)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// Why there is no journal's file, where there is none.
    pub(super) fn missing(&self) -> JournalError {
        self.anything().map_or_else(
            || JournalError::NotCommissioned(self.dir.clone()),
            |there| JournalError::Missing { journal: self.journal.clone(), there },
        )
    }

    /// Takes the directory for this process.
    pub(super) fn lock(&self) -> Result<Lock, JournalError> {
        let path = self.dir.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(JournalError::io("open", &path))?;
        Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| match errno {
            nix::errno::Errno::EWOULDBLOCK => JournalError::InUse(self.dir.clone()),
            other => JournalError::io("lock", &path)(other.into()),
        })
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), JournalError> {
        std::fs::rename(from, to).map_err(JournalError::io("rename", from))?;
        self.sync()
    }

    /// Makes renames durable.
    pub(super) fn sync(&self) -> Result<(), JournalError> {
        sync(&self.dir)
    }

    /// Renames a damaged file, and SQLite's files beside it, to a name that was never used. Gives the new name.
    pub(super) fn put_aside(&self, file: &Path) -> Result<Option<PathBuf>, JournalError> {
        if !file.exists() {
            // A write-ahead log alone must not be taken for the next journal's.
            for suffix in ["-wal", "-shm"] {
                let orphan = with(file, suffix);
                if orphan.exists() {
                    let aside = free_name(&orphan);
                    self.rename(&orphan, &aside)?;
                }
            }
            return Ok(None);
        }
        let aside = free_name(file);
        // The log first: were it left behind, the next journal would find it.
        for suffix in ["-wal", "-shm"] {
            let beside = with(file, suffix);
            if beside.exists() {
                self.rename(&beside, &with(&aside, suffix))?;
            }
        }
        self.rename(file, &aside)?;
        Ok(Some(aside))
    }

    /// Damaged files set aside earlier.
    pub(super) fn set_aside(&self) -> Vec<PathBuf> {
        set_aside(&self.dir, "")
    }

    /// The journals among them, without SQLite's files beside each.
    pub(super) fn journals_set_aside(&self) -> Vec<PathBuf> {
        let name = with(&self.journal, DAMAGED);
        let prefix = name.as_os_str().as_encoded_bytes();
        let mut found = self.set_aside();
        found.retain(|path| {
            let number = path.as_os_str().as_encoded_bytes().strip_prefix(prefix);
            number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
        });
        found
    }
}

/// Files of this directory that were set aside as damaged, by the daemon or by hand, and whose names begin so.
fn set_aside(dir: &Path, begin: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let is_one = |name: &str| name.starts_with(begin) && name.contains(DAMAGED.trim_end_matches('-'));
    let paths = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.file_name().is_some_and(|name| is_one(&name.to_string_lossy()))).collect();
    found.sort();
    found
}

/// Files that were set aside beside a journal that is no state directory's, without its own.
pub(super) fn set_aside_beside(journal: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(name)) = (journal.parent(), journal.file_name()) else { return Vec::new() };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let own = ["", "-wal", "-shm"].map(|suffix| with(Path::new(name), suffix));
    let mut found = set_aside(dir, &name.to_string_lossy());
    found.retain(|path| path.file_name().is_none_or(|name| !own.iter().any(|own| own.as_os_str() == name)));
    found
}

/// Makes a directory, parents too, that nobody else may write, whatever the umask is.
pub(super) fn make(dir: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(dir)
}

/// Makes a directory's new and renamed files durable.
pub(super) fn sync(dir: &Path) -> Result<(), JournalError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(JournalError::io("write the directory", dir))
}

/// Puts a text into a file, durable but for its name: whole, or the file is as it was.
pub(super) fn put(path: &Path, text: &str) -> std::io::Result<()> {
    let new = with(path, NEW);
    let written = File::create(&new).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    if let Err(error) = written {
        // It may not even be there.
        let _left = std::fs::remove_file(&new);
        return Err(error);
    }
    std::fs::rename(&new, path)
}

/// What is said of what this process may not read and write.
fn not_ours(path: &Path) -> Result<JournalError, JournalError> {
    let about = std::fs::metadata(path).map_err(JournalError::io("look at", path))?;
    let (owner, mode) = (about.uid(), about.mode() & 0o7777);
    let user = nix::unistd::Uid::effective().as_raw();
    Ok(JournalError::NotOurs { path: path.to_owned(), user, owner, mode })
}

/// Which other programs hold a lock on this journal, for a message. Asking the files themselves would give up locks of our own.
pub(super) fn holders(journal: &Path) -> String {
    let files = ["", "-wal", "-shm"].map(|suffix| std::fs::metadata(with(journal, suffix)).map(|about| about.ino()));
    let files: Vec<u64> = files.into_iter().flatten().collect();
    // The kernel tells them page by page, and may leave some out where others come and go meanwhile.
    let mut tries = (0..20).map(|_| locked_by(&files));
    match tries.find(|held| !held.is_empty()) {
        Some(held) => format!(
            "; process {} holds a lock on it: `ps -p` names it; end that program, and copy the journal by `tumblerctl journal backup`",
            held.into_iter().collect::<Vec<_>>().join(", ")
        ),
        None => "; which program holds a lock on it is not known: `fuser` names those that have the file open".into(),
    }
}

/// The processes, other than this one, that keep others from writing one of these files, by their inodes.
fn locked_by(files: &[u64]) -> BTreeSet<String> {
    let own = std::process::id().to_string();
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    // `1: POSIX  ADVISORY  WRITE 1234 08:01:5678 120 120`; what waits for one begins with `->` after the number.
    let held = locks.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (kind, _, how, process, file) = (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
        let inode: u64 = file.rsplit(':').next()?.parse().ok()?;
        let is_one = kind != "->" && how == "WRITE" && process != own && files.contains(&inode);
        is_one.then(|| process.to_owned())
    });
    held.collect()
}

/// Refuses to open a journal beside which something else lies where SQLite has its files: it would wait for ever at a pipe.
///
/// # Errors
/// What lies there and is no file.
pub(super) fn no_pipe_beside(journal: &Path) -> Result<(), JournalError> {
    for beside in ["-journal", "-wal", "-shm"].map(|suffix| with(journal, suffix)) {
        if beside.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no regular file; take it away");
            return Err(JournalError::io("open", &beside)(error));
        }
    }
    Ok(())
}

pub(super) fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn free_name(path: &Path) -> PathBuf {
    let mut number = 1u64;
    loop {
        let name = with(path, &format!("{DAMAGED}{number}"));
        if !name.exists() && !with(&name, "-wal").exists() {
            return name;
        }
        number += 1;
    }
}

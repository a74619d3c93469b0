//! Private mounts: a small file system for the journal, which can fill up, fail and lose what was not synced, and another boot id.
//! They exist in the mount namespace of the thread that plays the scenario, and end with it.

use super::rig_fault::RigFault;
use crate::BenchError;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Size of the file system, in bytes: ext4's own tables, the journal of some hundred rounds, and room to fill.
const SIZE: u64 = 16 * 1024 * 1024;
/// `EXT4_GOING_FLAGS_NOLOGFLUSH`: drops everything that is not written yet, as a power failure does.
const NO_FLUSH: u32 = 2;

thread_local! {
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// Puts this thread, and the programs that it starts from now on, into their own mount namespace.
///
/// # Errors
/// [`BenchError::Unsupported`] without the right to mount.
pub(super) fn own_namespace() -> Result<(), BenchError> {
    if OWN.get() {
        return Ok(());
    }
    if !nix::unistd::Uid::effective().is_root() {
        return Err(BenchError::Unsupported(
            "only root can mount a file system of the rig's own: run it as root".into(),
        ));
    }
    unshare(CloneFlags::CLONE_NEWNS)
        .and_then(|()| mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>))
        .map_err(|e| BenchError::Unsupported(format!("this machine allows no mount namespace ({e})")))?;
    OWN.set(true);
    Ok(())
}

/// A boot id other than the machine's, for programs that this thread starts while this value exists.
#[derive(Debug)]
pub(super) struct SimulatedBoot(());

impl SimulatedBoot {
    const BOOT_ID: &'static str = "/proc/sys/kernel/random/boot_id";

    /// Begins a boot; `file` is to hold its id.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] for who may not mount.
    pub(super) fn begin(file: &Path) -> Result<Self, BenchError> {
        own_namespace()?;
        let uuid = Path::new("/proc/sys/kernel/random/uuid");
        let id = std::fs::read_to_string(uuid).map_err(RigFault::file("read", uuid))?;
        std::fs::write(file, id).map_err(RigFault::file("write", file))?;
        mount(Some(file), Self::BOOT_ID, None::<&str>, MsFlags::MS_BIND, None::<&str>)
            .map_err(|e| BenchError::Unsupported(format!("a file cannot be mounted over {} ({e})", Self::BOOT_ID)))?;
        Ok(Self(()))
    }
}

impl Drop for SimulatedBoot {
    fn drop(&mut self) {
        // A mount that cannot be removed is visible only to this thread's programs, and ends with it.
        let _ = umount2(Self::BOOT_ID, MntFlags::MNT_DETACH);
    }
}

/// A small ext4 in a file, mounted.
#[derive(Debug)]
pub(super) struct SmallDisk {
    image: PathBuf,
    at: PathBuf,
}

impl SmallDisk {
    /// Makes and mounts one at `at`.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] where it cannot be had, with what to do.
    pub(super) fn mount(image: &Path, at: &Path) -> Result<Self, BenchError> {
        own_namespace()?;
        let file = File::create(image).map_err(RigFault::file("make", image))?;
        file.set_len(SIZE).map_err(RigFault::file("make", image))?;
        tool(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(image), "e2fsprogs")?;
        Self::found(image, at)
    }

    /// Mounts the one in this file or device at `at`.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] where it cannot be had, with what to do.
    pub(super) fn found(image: &Path, at: &Path) -> Result<Self, BenchError> {
        own_namespace()?;
        let disk = Self { image: image.to_owned(), at: at.to_owned() };
        disk.plug()?;
        // A new file system contains `lost+found`, which is no file of a table.
        let _ = std::fs::remove_dir(at.join("lost+found"));
        Ok(disk)
    }

    fn plug(&self) -> Result<(), BenchError> {
        let how = if self.image.is_file() { "loop,errors=remount-ro" } else { "errors=remount-ro" };
        tool(Command::new("mount").args(["-o", how]).arg(&self.image).arg(&self.at), "mount")
    }

    /// Fills it to the last byte.
    pub(super) fn fill(&self) -> Result<(), RigFault> {
        let path = self.at.join("ballast");
        let mut file = File::create(&path).map_err(RigFault::file("make", &path))?;
        for size in [1 << 16, 1 << 10, 1] {
            let zeros = vec![0; size];
            while file.write(&zeros).is_ok_and(|n| n > 0) {}
        }
        // On a full disk the sync may fail as well as succeed.
        let _ = file.sync_all();
        Ok(())
    }

    /// Frees the space again.
    pub(super) fn empty(&self) -> Result<(), RigFault> {
        let path = self.at.join("ballast");
        std::fs::remove_file(&path).map_err(RigFault::file("remove", &path))
    }

    /// Makes the kernel find an error in it, which turns it read-only.
    pub(super) fn make_read_only(&self) -> Result<(), RigFault> {
        let name = self.device()?;
        let trigger = PathBuf::from(format!("/sys/fs/ext4/{name}/trigger_fs_error"));
        // This write itself fails with the error that it triggers.
        let mut file = OpenOptions::new().write(true).open(&trigger).map_err(RigFault::file("open", &trigger))?;
        let _ = file.write(b"the rig");
        Ok(())
    }

    /// The error of writing a file there; `None` where writing works.
    pub(super) fn probe(&self) -> Option<nix::errno::Errno> {
        let path = self.at.join("probe");
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[7; 8192])?;
            file.sync_all()
        });
        let _ = std::fs::remove_file(&path);
        written.err().and_then(|e| e.raw_os_error()).map(nix::errno::Errno::from_raw)
    }

    /// Loses what was not synced, like a power failure; must be repaired before use.
    pub(super) fn lose_unsynced(&self) -> Result<(), RigFault> {
        let root = File::open(&self.at).map_err(RigFault::file("open", &self.at))?;
        shut_down(&root).map_err(RigFault::system("shut the file system down"))
    }

    /// Unmounts, checks and remounts it, as after a power cut or an error. No process may use it.
    pub(super) fn repair(&self) -> Result<(), BenchError> {
        umount2(&self.at, MntFlags::empty()).map_err(RigFault::system("unmount the journal's file system"))?;
        let check = Command::new("e2fsck").arg("-p").arg(&self.image).output();
        let check = check.map_err(RigFault::system("start e2fsck"))?;
        // Exit code 1: errors were found and corrected.
        if check.status.code().is_none_or(|code| code > 1) {
            let said = String::from_utf8_lossy(&check.stdout);
            return Err(RigFault::Other(format!("e2fsck ended with {}: {}", check.status, said.trim_end())).into());
        }
        self.plug()
    }

    fn device(&self) -> Result<String, RigFault> {
        let mounts = Path::new("/proc/thread-self/mounts");
        let text = std::fs::read_to_string(mounts).map_err(RigFault::file("read", mounts))?;
        let at = self.at.to_string_lossy();
        let device = text.lines().rev().find_map(|line| {
            let mut fields = line.split(' ');
            let device = fields.next()?;
            (fields.next()? == at).then(|| device.trim_start_matches("/dev/").to_owned())
        });
        device.ok_or_else(|| RigFault::Other(format!("nothing is mounted at {}", self.at.display())))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A process that still has a file open keeps the disk until it closes it. A failure here cannot be reported.
        let _ = umount2(&self.at, MntFlags::MNT_DETACH);
    }
}

/// `EXT4_IOC_SHUTDOWN` of the kernel's `fs/ext4/ext4.h`, as xfstests use it to play a power cut.
#[expect(unsafe_code, reason = "nix has no wrapper for this ioctl; one call that only reads a number")]
fn shut_down(root: &File) -> nix::Result<()> {
    const SHUTDOWN: u64 = nix::request_code_read!(b'X', 125, size_of::<u32>());
    let mut how = NO_FLUSH;
    // SAFETY: the request takes a pointer to a number of 32 bits, which lives through the call.
    let done = unsafe { nix::libc::ioctl(root.as_raw_fd(), SHUTDOWN as _, &raw mut how) };
    nix::errno::Errno::result(done).map(drop)
}

fn tool(command: &mut Command, package: &str) -> Result<(), BenchError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .map_err(|e| BenchError::Unsupported(format!("{name} cannot be started ({e}): apt-get install {package}")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(BenchError::Unsupported(format!("{name} ended with {}: {}", done.status, said.trim_end())))
}

//! A control group with the memory limit that the unit gives the network's process.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

/// Its files under version 2 or 1 of the kernel's interface.
struct Names {
    limit: &'static str,
    peak: &'static str,
    /// Where the kernel counts the processes that it killed.
    kills: &'static str,
}

const NEW: Names = Names { limit: "memory.max", peak: "memory.peak", kills: "memory.events" };
const OLD: Names =
    Names { limit: "memory.limit_in_bytes", peak: "memory.max_usage_in_bytes", kills: "memory.oom_control" };

/// The unit's limit for memory, in bytes.
pub(crate) fn limit_of_the_unit() -> u64 {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../systemd/tumblerd-net.service");
    let unit = std::fs::read_to_string(unit).unwrap();
    let mib = unit.lines().find_map(|line| line.strip_prefix("MemoryMax=")?.strip_suffix('M')).expect("MemoryMax=…M");
    mib.parse::<u64>().unwrap() << 20
}

/// A group of its own; removed when dropped.
pub(crate) struct Cgroup {
    dir: PathBuf,
    names: Names,
}

impl Cgroup {
    /// One with this limit in bytes; `None` for a user who may not make it.
    pub(crate) fn new(limit: u64) -> Option<Self> {
        let (root, names) = root();
        let dir = root.join(format!("tumblerd-test-{}", process::id()));
        match std::fs::create_dir(&dir) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return None,
            made => made.unwrap(),
        }
        let group = Self { dir, names };
        std::fs::write(group.dir.join(group.names.limit), limit.to_string()).unwrap();
        Some(group)
    }

    /// What runs `command` in it.
    pub(crate) fn holds(&self, command: Command) -> Command {
        let mut held = Command::new("sh");
        held.args(["-c", "echo $$ >\"$0\" && exec \"$@\""]).arg(self.dir.join("cgroup.procs"));
        held.arg(command.get_program()).args(command.get_args());
        held
    }

    /// The most memory that its processes ever had, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.read(self.names.peak).trim().parse().unwrap()
    }

    /// Processes that the kernel killed for want of memory.
    pub(crate) fn kills(&self) -> u64 {
        let kills = self.read(self.names.kills);
        kills.lines().find_map(|line| line.strip_prefix("oom_kill ")).unwrap().parse().unwrap()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.dir.join(file)).unwrap()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // The daemon has been waited for before; the kernel may take a moment to let go of it.
        for _ in 0..1000 {
            if std::fs::remove_dir(&self.dir).is_ok() {
                return;
            }
            std::thread::yield_now();
        }
    }
}

/// Where groups with a memory limit are made here.
fn root() -> (PathBuf, Names) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let of = |kind: &str| mounts.clone().filter(|mount| mount[2] == kind).collect::<Vec<_>>();
    for mount in of("cgroup2") {
        let root = PathBuf::from(mount[1]);
        let controllers = std::fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
        if controllers.split_whitespace().any(|controller| controller == "memory") {
            // Who may not has no group made either.
            let _ = std::fs::write(root.join("cgroup.subtree_control"), "+memory");
            return (root, NEW);
        }
    }
    let old = of("cgroup").into_iter().find(|mount| mount[3].split(',').any(|option| option == "memory"));
    (PathBuf::from(old.expect("the kernel limits memory by group")[1]), OLD)
}

//! The journal that tumblerd 0.1 wrote, for the tests that read and continue it.

use std::path::{Path, PathBuf};

/// Number of its last record.
pub(crate) const LAST: u64 = 54;
/// That record's link, as 0.1 itself said it.
pub(crate) const HEAD: &str = "aa8c88d8c8f40dc7c0f74db79f3441c306e5ab353ac7c808a5b261ab15098545";

/// One of the fixture's files.
pub(crate) fn file(name: &str) -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find_map(|dir| dir.join("fixtures/journal-0.1").join(name).canonicalize().ok()).unwrap()
}

/// Lays it into this state directory.
pub(crate) fn lay(state: &Path) {
    std::fs::create_dir_all(state).unwrap();
    for name in ["journal.sqlite", "slot"] {
        std::fs::copy(file(name), state.join(name)).unwrap();
    }
}

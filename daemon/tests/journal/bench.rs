//! What a round costs in flash. The whole process is allowed 96 KiB a round; the journal's share is measured here.

use super::child::Apart;
use super::common::Table;

const ROUNDS: u64 = 300;
/// The journal's share of the 96 KiB that the process may write a round.
const BYTES: u64 = 80 * 1024;

#[test]
#[allow(clippy::print_stderr, reason = "the measurement is to be read")]
fn a_round_of_nine_commits_stays_under_its_share() {
    // On a disk, not on tmpfs, where nothing is written: beside this test's own program.
    let target = std::env::current_exe().unwrap();
    let mut table = Table::new();
    let dir = tempfile::tempdir_in(target.parent().unwrap()).unwrap();
    tumblerd::journal::Journal::commission(&dir.path().join("state"), &dir.path().join("run"), &table.id, &table.boot)
        .unwrap();
    table.dir = dir;
    let mut child = Apart::start(&table, &[]);
    child.tell("round");
    let before = child.written();
    for _ in 0..ROUNDS {
        child.tell("round");
    }
    let round = (child.written() - before) / ROUNDS;
    child.stop();
    let size = std::fs::metadata(table.journal()).unwrap().len();
    eprintln!(
        "{round} bytes written a round of 9 commits and 10 records, {} a commit; the file has {} bytes a round",
        round / 9,
        size / ROUNDS
    );
    assert!(round > 4096, "nothing was measured: {round} bytes");
    assert!(round < BYTES, "{round} bytes written a round");
}

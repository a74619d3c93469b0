//! Which trials a command line means.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> std::io::Result<Output> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut program = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
    program.current_dir(root).args(["run", "--bench", "fixtures/benches/pure.toml"]).args(arguments).output()
}

/// A scenario that is given by its file is played under the rule sets that are asked for, and under no other.
#[test]
fn the_rule_sets_asked_for_hold_for_a_file_too() {
    let file = "fixtures/scenarios/interrupted-covered.toml";
    let all = run(&[file]).unwrap();
    assert!(String::from_utf8_lossy(&all.stdout).contains("3 PASS, 0 FAIL"), "{all:?}");
    let one = run(&[file, "--rules", "sg-v6"]).unwrap();
    assert!(String::from_utf8_lossy(&one.stdout).contains("1 PASS, 0 FAIL"), "{one:?}");
    // Under a rule set that the file does not name nothing is played, and the command says so.
    let none = run(&[file, "--rules", "sg-open"]).unwrap();
    assert!(!none.status.success(), "{none:?}");
    assert!(String::from_utf8_lossy(&none.stderr).contains("nz-1998, nz-div9, sg-v6"), "{none:?}");
}

//! Which trials a command line means.

use std::process::{Command, Output};

fn rig(arguments: &[&str]) -> std::io::Result<Output> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    Command::new(env!("CARGO_BIN_EXE_tumbler-hil")).current_dir(root).args(arguments).output()
}

fn run(arguments: &[&str]) -> std::io::Result<Output> {
    rig(&[&["run", "--bench", "fixtures/benches/pure.toml"], arguments].concat())
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

/// A name that is spelled wrongly means nothing else, nor is it left out beside names that are right.
#[test]
fn a_slip_in_what_the_matrix_plays_is_refused_with_the_nearest_name() {
    for (arguments, near) in [
        (vec!["--fault", "motor.stal"], "unknown fault `motor.stal`: did you mean `motor.stall`?"),
        (vec!["--fault", "motor.stall,motr.*"], "unknown fault `motr.`"),
        (vec!["--phase", "betting,tumblin"], "did you mean `tumbling`?"),
        (vec!["--rules", "sg-v66"], "did you mean `sg-v6`?"),
        (vec!["motor.stall", "motor.stahl"], "unknown cell `motor.stahl`: did you mean `motor.stall`?"),
    ] {
        let refused = rig(&[vec!["matrix", "--list"], arguments.clone()].concat()).unwrap();
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(2) && told.contains(near), "{arguments:?}: {told}");
    }
    let listed = |fault: &str| rig(&["matrix", "--list", "--each-once", "--fault", fault]).unwrap().stdout;
    let (one, all) = (listed("motor.stall"), listed("motor.*"));
    assert!(!one.is_empty() && one.len() < all.len());
    let kills = rig(&["kills", "--rules", "nz-div8"]).unwrap();
    assert!(String::from_utf8_lossy(&kills.stderr).contains("unknown rule set `nz-div8`: did you mean `nz-div9`?"));
}

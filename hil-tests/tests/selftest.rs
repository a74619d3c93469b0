//! A rig that cannot work says so at once, and ends as one whose own fault it is.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// The rig's people have accounts of their own; a directory for temporary files as `mktemp -d` makes it keeps them out.
#[test]
fn a_place_that_people_cannot_pass_to_is_the_rigs_fault() {
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let closed = tempfile::tempdir().unwrap();
    std::fs::set_permissions(closed.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    for command in ["selftest", "run"] {
        let mut rig = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
        rig.arg(command).env("TMPDIR", closed.path());
        if command == "run" {
            let bench = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/benches/virtual.toml");
            rig.args(["--bench", bench, "healthy"]);
        }
        let ran = rig.output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert_eq!(ran.status.code(), Some(2), "{said}");
        let remedy = format!("chmod o+x {}", closed.path().display());
        assert!(said.contains(&remedy) && said.contains("(mode 0700)"), "{said}");
    }
    assert_eq!(std::fs::read_dir(closed.path()).unwrap().count(), 0);
}

/// As ssh and services start it: without a terminal, and so that the first one that it opens would become its own.
#[test]
fn a_rig_that_leads_a_session_is_not_hung_up_by_its_own_bus() {
    let ran =
        Command::new("setsid").arg("--wait").arg(env!("CARGO_BIN_EXE_tumbler-hil")).arg("selftest").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("ok      field bus loops back") && said.contains("ok      broker reachable"), "{said}");
}

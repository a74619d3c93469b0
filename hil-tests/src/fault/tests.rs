//! The catalogue against the list of faults that it must contain, and tests of its reader.

use super::catalogue::parse;
use super::*;
use std::path::Path;
use tumbler_bench::EnvironmentFault;
use tumbler_twin::fault_table;

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/faults.toml")
}

#[test]
fn the_catalogue_can_be_read() {
    let catalogue = read(&path()).unwrap_or_else(|bad| panic!("{bad}"));
    assert!(!catalogue.fault.is_empty());
}

/// Faults that the catalogue must contain. Where there are several of a part (buttons, lamps), a fault may have several rows.
const IDS: &str = "motor.stall motor.dead motor.slow motor.intermittent motor.coast motor.reverse motor.driver_fault \
    motor.driver_fault_dead motor.enable_stuck deadman.stuck motor.runaway motor.hot sensor.temp_dead sensor.temp_absurd \
    cam.a_stuck_0 cam.a_stuck_1 cam.b_stuck_0 cam.b_stuck_1 cam.lost_edges cam.bounce cam.phantom cam.both_noise tumble.short \
    dome.opened_spinning dome.opened_early dome.never_opened dome.bounce dome.flicker dome.flicker_long dome.stuck_closed \
    dome.stuck_open dome.cable_cut dome.short button.stuck button.active_at_start button.chatter key.stuck_on key.active_at_start \
    dice.cocked_1 dice.cocked_2 dice.cocked_3 dice.moving dice.moved dice.missing dice.extra dice.foreign dice.damaged \
    dice.not_tumbled reader.silent reader.garbage reader.crc reader.stale reader.slow reader.wrong_pose reader.wrong_face \
    terminal.key_stuck terminal.chatter terminal.ghost terminal.flood terminal.wrong_phase terminal.short_entry \
    terminal.wrong_numbers display.wrong terminal.silent bus.unplugged bus.renamed lamp.open lamp.short lamp.stuck_off \
    lamp.stuck_on lamp.open_unused lamp.swapped lamps.board_silent lamps.psu_dead lamps.flicker lamps.partial bus.noise_1pct \
    bus.noise_30pct bus.late_reply bus.duplicate_reply bus.wrong_unit bus.babble bus.cut seal.broken seal.flicker power.dip \
    power.loss bell.dead sign.dead gpio.chip_gone gpio.line_busy gpio.write_fails proc.kill proc.hang proc.kill_at_each_write \
    proc.starved clock.forward clock.back clock.jitter restart.loop disk.full disk.readonly disk.slow_fsync disk.io_error \
    journal.truncated journal.bitflip journal.missing journal.foreign journal.rolled_back mqtt.down mqtt.half_open mqtt.slow \
    mqtt.flapping mqtt.auth_denied mqtt.tls_expired mqtt.session_lost mqtt.same_client_id mqtt.hostile open.skipped open.failed \
    reset.without_cause reset.old_key reset.wrong_role";

#[test]
fn every_id_of_the_list_is_in_the_catalogue() {
    let catalogue = read(&path()).unwrap();
    let there = |id: &str| catalogue.fault.iter().any(|f| f.id == id || f.id.starts_with(&format!("{id}_")));
    let missing: Vec<&str> = IDS.split_whitespace().filter(|id| !there(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn whatever_a_bench_can_break_is_broken_by_some_row() {
    let catalogue = read(&path()).unwrap();
    let steps: Vec<String> = catalogue.fault.iter().flat_map(Fault::inject).collect();
    let words: Vec<&str> = steps.iter().flat_map(|line| line.split([' ', ';'])).collect();
    let used = |id: &str| words.iter().any(|word| *word == id || word.split(':').next() == Some(id));
    let outside: Vec<String> =
        EnvironmentFault::ids().map(|id| id.split(':').next().unwrap_or_default().to_owned()).collect();
    let all = fault_table::TABLE.iter().map(|row| row.id.to_owned()).chain(outside);
    let unused: Vec<String> = all.filter(|id| !used(id)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

const CLAUSES: &str = "[clauses]\nsettled = {}\ntumbler = {}\n";

fn row(extra: &str, expect: &str) -> String {
    format!(
        "{CLAUSES}[[fault]]\nid = \"motor.stall\"\ntype = \"stuck\"\nabout = \"it jams\"\nshows = \"spin\"\nexpect = [{expect}]\n{extra}"
    )
}

const GOOD: &str = "inject = [\"fault motor.stall\"]\nclause = \"faults.md\"";
const SETTLED: &str = "{ rounds = [\"settled\"] }";

#[test]
fn a_row_as_it_must_be_is_read() {
    let catalogue = parse(Path::new("case.toml"), &row(GOOD, SETTLED)).unwrap();
    let fault = &catalogue.fault[0];
    assert_eq!(fault.dice, [1, 3, 6]);
    assert_eq!(catalogue.expected(fault, Place::Spun, "sg-open").unwrap().rounds, ["settled"]);
}

#[test]
fn a_wrong_catalogue_says_what_where_and_what_is_allowed() {
    let good = |rest: &str| format!("{GOOD}\n{rest}");
    for (text, words) in [
        (row(&good("speed = 3"), SETTLED), vec!["case.toml", "fault[0]", "unknown field `speed`", "deadlines"]),
        (row(&good("latch = [\"motor\"]"), SETTLED), vec!["motor.stall.latch", "tumbler"]),
        (row(&good("heal = [\"heel motor\"]"), SETTLED), vec!["motor.stall.heal", "heel motor", "heal ID"]),
        (row(&good("pattern = \"spin\""), SETTLED), vec!["motor.stall.pattern", "`spin`"]),
        (
            row(&good("deadlines = [{ what = \"motor off\", ms = 1, after = \"luck\" }]"), SETTLED),
            vec!["deadlines", "entry"],
        ),
        (row("inject = []\nclause = \" \"", SETTLED), vec!["clause", "silent: WHY"]),
        (row(GOOD, ""), vec!["motor.stall.expect", "says nothing of closed under nz-1998"]),
        (row(GOOD, "{ rounds = [\"lost\"] }"), vec!["rounds", "`lost`", "void REASON"]),
        (row(GOOD, "{ rounds = [\"void exposed\"] }"), vec!["rounds", "`exposed` is not in clauses"]),
        (row(GOOD, "{ phases = [\"shut\"], rounds = [] }"), vec!["phases", "`shut`", "bets-closed", "unopened"]),
        (row(GOOD, "{ rules = [\"nz-9\"], rounds = [] }"), vec!["rules", "`nz-9`", "open-cover"]),
        (format!("{}\n{}", row(GOOD, SETTLED), row(GOOD, SETTLED).replace(CLAUSES, "")), vec!["is there twice"]),
    ] {
        let error = parse(Path::new("case.toml"), &text).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{words:?} not all in: {error}");
    }
}

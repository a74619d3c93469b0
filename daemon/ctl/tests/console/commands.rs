//! Commands: what the table is told, by whom, and how it ends for the script.

use super::stub::{Stub, done, refused};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use tumbler_core::latch::Code;
use tumbler_core::prompt::{Prompt, PromptId};
use tumbler_core::round::Finding;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Answer, Command, Exit, Witness};

fn dice(pips: [u8; 3]) -> Dice {
    Dice::from_pips(pips).unwrap()
}

/// Every subcommand tells the table exactly what it says.
#[test]
fn every_subcommand_tells_the_table_what_it_says() {
    let stub = Stub::start(done);
    let name = || "Mei".to_owned();
    let told: Vec<(Vec<&str>, Command)> = vec![
        (
            vec!["reset", "dome", "--rectified"],
            Command::Reset { code: Code::Dome, exit: Exit::Rectified, name: name() },
        ),
        (
            vec!["reset", "lamps", "--procedure", "by hand"],
            Command::Reset { code: Code::Lamps, exit: Exit::Procedure("by hand".into()), name: name() },
        ),
        (vec!["amend", "--dice", "6,1,3"], Command::Amend { dice: dice([1, 3, 6]), uphold: false, name: name() }),
        (
            vec!["amend", "--dice", "1,3,6", "--uphold"],
            Command::Amend { dice: dice([1, 3, 6]), uphold: true, name: name() },
        ),
        (
            vec!["void", "--reason", "a chip"],
            Command::Void { reason: "a chip".into(), damaged_dice: false, not_flat: false, name: name() },
        ),
        (
            vec!["void", "--damaged-dice"],
            Command::Void { reason: "a die is damaged".into(), damaged_dice: true, not_flat: false, name: name() },
        ),
        (
            vec!["void-afterwards", "7", "--reason", "chipped"],
            Command::VoidAfterwards { round: RoundId(7), reason: "chipped".into(), name: name() },
        ),
        (
            vec!["settle", "--dice", "2,2,5", "--reason", "dead"],
            Command::Settle { dice: Some(dice([2, 2, 5])), reason: "dead".into(), name: name() },
        ),
        (vec!["settle", "--reason", "dead"], Command::Settle { dice: None, reason: "dead".into(), name: name() }),
        (vec!["confirm-dome", "--reason", "off"], Command::ConfirmDome { reason: "off".into(), name: name() }),
        (vec!["dice", "enrol", "--reason", "new"], Command::EnrolDice { reason: "new".into(), name: name() }),
        (vec!["witness", "seal", "no"], Command::Witness { item: Witness::Seal, right: false, name: name() }),
        (vec!["witness", "dice", "yes"], Command::Witness { item: Witness::Dice, right: true, name: name() }),
        (
            vec!["interrupted", "undisturbed"],
            Command::Finding { finding: Finding::Undisturbed, reason: String::new(), name: name() },
        ),
        (
            vec!["interrupted", "not-flat"],
            Command::Finding { finding: Finding::NotFlat, reason: String::new(), name: name() },
        ),
        (
            vec!["interrupted", "cannot-tell", "--reason", "left alone"],
            Command::Finding { finding: Finding::CannotTell, reason: "left alone".into(), name: name() },
        ),
        (vec!["supervise"], Command::Supervise { name: name() }),
        (
            vec!["correct", "7", "--reason", "paid twice"],
            Command::Correct { round: RoundId(7), reason: "paid twice".into(), name: name() },
        ),
        (
            vec!["correct", "7", "--dice", "6,1,3", "--why", "paid by 1 3 5"],
            Command::Correct { round: RoundId(7), reason: "the dice showed 1 3 6: paid by 1 3 5".into(), name: name() },
        ),
        (vec!["close"], Command::Close { name: name() }),
        (vec!["maintenance", "on"], Command::Maintenance { on: true, name: name() }),
        (vec!["maintenance", "off"], Command::Maintenance { on: false, name: name() }),
    ];
    for (mut arguments, command) in told {
        arguments.extend(["--name", "Mei"]);
        let ran = stub.ctl(&arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "done\n"), "{arguments:?}: {ran:?}");
        let (caller, heard) = stub.asked.lock().unwrap().pop().unwrap();
        assert_eq!(heard, command, "{arguments:?}");
        assert!(caller.supervisor && !caller.technician);
    }
    assert_eq!(stub.ctl(&["record"]).code, Some(0));
    assert_eq!(stub.asked.lock().unwrap().pop().unwrap().1, Command::Record);
}

#[test]
fn refused_says_why_and_exits_with_one() {
    let stub = Stub::start(refused);
    let ran = stub.ctl(&["close"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "refused: turn the supervisor's key first\n"));
    let ran = stub.ctl(&["close", "--json"]);
    assert_eq!(
        (ran.code, ran.json()),
        (Some(1), json!({"refused": {"code": "no-key", "why": "turn the supervisor's key first"}}))
    );
}

/// What the table would refuse for its text is not even sent, and refused in the table's words.
#[test]
fn a_name_or_reason_that_the_table_would_refuse_is_refused_here() {
    let stub = Stub::start(done);
    let long = "n".repeat(65);
    let longer = "r".repeat(501);
    for (arguments, said) in [
        (vec!["close", "--name", long.as_str()], "a name has 64 characters at most, and this one has 65"),
        (vec!["open", "--name", "Mei\u{202e}"], "this one has U+202E"),
        (vec!["test", "motor", "--name", "a\u{7}b"], "this one has U+0007"),
        (vec!["void", "--reason", longer.as_str()], "a reason has 500 characters at most, and this one has 501"),
        (vec!["reset", "lamps", "--procedure", "by\nhand"], "this one has U+000A"),
    ] {
        let ran = stub.ctl(&arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}: {ran:?}");
        assert!(ran.out.starts_with("refused: a ") && ran.out.contains(said), "{arguments:?}: {ran:?}");
    }
    assert!(stub.asked.lock().unwrap().is_empty());
}

#[test]
fn the_name_is_the_accounts_unless_given() {
    let stub = Stub::start(done);
    stub.ctl(&["close"]);
    let (caller, command) = stub.asked.lock().unwrap().pop().unwrap();
    assert_eq!(command, Command::Close { name: caller.account });
}

/// Root has no role by itself, nor has anybody else who is in no group and on no list.
#[test]
fn roles_come_from_the_kernel_and_the_configuration() {
    let stub = Stub::start_for(vec![], done);
    stub.ctl(&["close"]);
    let (caller, _) = stub.asked.lock().unwrap().pop().unwrap();
    assert!(!caller.supervisor && !caller.technician);
}

#[test]
fn wrong_usage_exits_with_two_and_asks_nothing() {
    let stub = Stub::start(done);
    for arguments in [
        vec!["reset", "dome"],
        vec!["reset", "door", "--rectified"],
        vec!["reset", "lamps", "--rectified", "--procedure", "x"],
        vec!["amend", "--dice", "1,2,9"],
        vec!["void"],
        vec!["void", "--damaged-dice", "--not-flat"],
        vec!["settle"],
        vec!["witness", "door", "yes"],
        vec!["open", "--witness", "areas=maybe"],
        vec!["rounds", "--last", "0"],
        vec!["events", "--limit", "100000"],
        vec!["interrupted", "perhaps"],
        vec!["correct", "7"],
        vec!["levitate"],
    ] {
        let ran = stub.ctl(&arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert_ne!(ran.err, "", "{arguments:?}");
    }
    let unknown = stub.ctl(&["reset", "weather", "--rectified"]);
    assert!(unknown.err.contains("`weather` is no malfunction; there are tumbler"), "{unknown:?}");
    let near = stub.ctl(&["reset", "dmoe", "--rectified"]);
    assert!(near.err.contains("`dmoe` is no malfunction: did you mean `dome`?\n"), "{near:?}");
    for (typed, meant) in [("interupted", "interrupted"), ("supervice", "supervise"), ("corect", "correct")] {
        let mistyped = stub.ctl(&[typed]);
        assert!(mistyped.err.contains(&format!("'{meant}'")), "{mistyped:?}");
    }
    assert!(stub.asked.lock().unwrap().is_empty());
}

/// Where no entry stands, `settle` needs `--dice`, and its help says so, and that it takes two steps.
#[test]
fn settle_says_when_it_needs_the_dice() {
    let stub = Stub::start(done);
    let help = stub.ctl(&["settle", "--help"]).out;
    for said in ["needed where no result was entered", "second `settle` without --dice"] {
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said), "{said}: {help}");
    }
}

/// A table whose opening waits for the witness, who is asked for these.
pub(crate) fn witnessed(table: &mut Snapshot, of: &[&str]) {
    table.test = Some("opening: waits for a witness".into());
    let of = of.iter().map(|item| (*item).to_owned()).collect();
    table.prompt = Some(Prompt { id: PromptId::Witness, of, text: "opening: waits for a witness".into() });
}

/// A table that opens once the sign was seen.
pub(crate) fn opening(command: &Command) -> Option<Answer> {
    Some(match command {
        Command::Open { .. } => Answer::Done("the tests passed; now say what only a person can see".into()),
        Command::Witness { item: Witness::Sign, right: true, .. } => Answer::Done("the table opens".into()),
        Command::Witness { .. } => Answer::Done("noted".into()),
        _ => Answer::refused("no-round", "not asked"),
    })
}

#[test]
fn open_answers_for_the_witness_and_ends_at_the_first_no() {
    let stub = Stub::start(opening);
    stub.change(|table| witnessed(table, &["areas", "seal", "bell", "sign"]));
    let ran = stub.ctl(&["open", "--name", "Mei", "--json", "--witness", "sign=yes,areas=yes,seal=yes,bell=yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.out.lines().count(), 5);
    assert_eq!(ran.out.lines().last(), Some(r#"{"done":"the table opens"}"#));
    let heard: Vec<Command> = stub.asked.lock().unwrap().drain(..).map(|(_, c)| c).collect();
    assert_eq!(heard[0], Command::Open { name: "Mei".into() });
    assert_eq!(heard[4], Command::Witness { item: Witness::Sign, right: true, name: "Mei".into() });

    let ran = stub.ctl(&["open", "--witness", "areas=yes,seal=no,bell=yes,sign=yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let heard: Vec<Command> = stub.asked.lock().unwrap().drain(..).map(|(_, c)| c).collect();
    assert_eq!(heard.len(), 3, "nothing after the no: {heard:?}");

    // What was answered beforehand and is not asked is passed over, and the other way round.
    stub.change(|table| witnessed(table, &["areas", "dice"]));
    let ran = stub.ctl(&["open", "--witness", "dice=yes,seal=no"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let heard: Vec<Command> = stub.asked.lock().unwrap().drain(..).map(|(_, c)| c).collect();
    assert!(matches!(&heard[1..], [Command::Witness { item: Witness::Dice, right: true, .. }]), "{heard:?}");
}

#[test]
fn open_without_terminal_and_answers_leaves_them_to_the_witness() {
    let stub = Stub::start(opening);
    let ran = stub.ctl(&["open", "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1), "{ran:?}");
}

#[test]
fn a_daemon_that_is_not_there_exits_with_two() {
    let mut stub = Stub::start(done);
    stub.stop();
    let ran = stub.ctl(&["status"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("cannot be reached") && ran.err.contains("--socket"), "{ran:?}");
}

/// Whatever the daemon does to a question, the complaint says what to look at.
#[test]
fn a_daemon_that_hangs_up_or_babbles_is_named_with_what_to_look_at() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("console.sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let told: [(&[u8], &str); 3] = [
        (b"", "hung up; is it restarting? `systemctl status tumblerd` tells"),
        (b"good morning\n", "are both of one version? `tumblerctl --version`"),
        (
            b"{\"id\":1,\"answer\":{\"done\":\"?\"}}\n",
            "answered `status` with something else; are both of one version?",
        ),
    ];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (bytes, _) in told {
                let (stream, _) = listener.accept().unwrap();
                // The question first, so that what is said is not lost in a broken pipe.
                let mut question = String::new();
                BufReader::new(&stream).read_line(&mut question).unwrap();
                (&stream).write_all(bytes).unwrap();
            }
        });
        for (_, said) in told {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
            let ran = command.arg("--socket").arg(&socket).arg("status").output().unwrap();
            let err = String::from_utf8(ran.stderr).unwrap();
            assert!(ran.status.code() == Some(2) && err.contains(said), "{said}: {err}");
        }
    });
}

//! Tests of the engine itself: what must fail fails, and errors in a file are reported.

use super::file::parse;
use super::*;
use std::path::Path;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::round::ending::VoidReason;

fn trials(text: &str) -> Result<Vec<Trial>, String> {
    parse(Path::new("case.toml"), text).map_err(|bad| bad.to_string())
}

fn verdict(text: &str) -> Verdict {
    let trial = trials(text).unwrap().remove(0);
    let mut bench = Pure::new(Setup::of(&trial.rules, &trial.layout, 3)).unwrap();
    run(&mut bench, &trial).verdict
}

fn case(steps: &str, ending: &str, rest: &str) -> String {
    format!("about = \"a case\"\nsteps = [{steps}]\n[endings]\nnz-div9 = [{ending}]\n{rest}")
}

const PLAYED: &str = r#""open table", "dice 1 3 6", "play to settled""#;
const SETTLED: &str = r#""settled 1 3 6: NZ9 6.3""#;

#[test]
fn a_round_as_it_must_be_passes() {
    assert_eq!(verdict(&case(PLAYED, SETTLED, "")), Verdict::Pass);
}

/// Canary: a wrong expectation of any kind in a scenario is found.
#[test]
fn what_is_not_as_expected_fails() {
    for (what, text) in [
        ("another ending", case(PLAYED, r#""void not-flat: NZ9 7.1(a)""#, "")),
        ("other dice", case(PLAYED, r#""settled 1 3 5: NZ9 6.3""#, "")),
        ("a round too many", case(PLAYED, r#""settled 1 3 6: NZ9 6.3", "settled: NZ9 6.3""#, "")),
        ("no round at all", case(PLAYED, "", "")),
        ("a latch", case(PLAYED, SETTLED, "[at_end]\nlatched = [\"lamps\"]")),
        ("a phase", case(PLAYED, SETTLED, "[at_end]\nphase = \"void\"")),
        ("a kind of record that must not be", case(PLAYED, SETTLED, "[at_end]\nnever = [\"settled\"]")),
        (
            "a check",
            case(r#""open table", "expect motor on because NZ9 6.1", "dice 1 3 6", "play to settled""#, SETTLED, ""),
        ),
        ("a wait", case(r#""open table", "wait phase settling within 100 ms", "play to settled""#, SETTLED, "")),
        ("a table that is not open", case(r#""dice 1 3 6", "play to settled""#, SETTLED, "")),
        (
            "a blocked table",
            case(r#""open table", "break seal", "wait latched seal", "play up to spin""#, "", "")
                .replace("nz-div9", "sg-v6"),
        ),
        (
            "a fault that does nothing",
            case(r#""open table", "fault dice.cocked_1", "wait held dice.cocked_1 within 50 ms""#, "", ""),
        ),
        (
            "an answer",
            case(r#""open table", "ask record", "answer refused", "dice 1 3 6", "play to settled""#, SETTLED, ""),
        ),
        (
            "dice that were settled",
            case(
                r#""open table", "dice 6 3 1", "play to settled", "expect no record settled dice=136 because NZ9 6.3""#,
                SETTLED,
                "",
            ),
        ),
        (
            "an area that won",
            case(
                r#""open table", "dice 1 3 6", "play to settled", "expect no record result areas=small because NZ9 6.3""#,
                SETTLED,
                "",
            ),
        ),
        (
            "a clause that is cited",
            case(
                r#""open table", "fault dice.cocked_1", "play to spun", "pass 1000 ms", "expect no record voided clauses=NZ9_7.1(a) because NZ9 7.1(a)""#,
                r#""void not-flat: NZ9 7.1(a)""#,
                "",
            ),
        ),
        (
            "lamps",
            case(
                r#""open table", "dice 1 3 6", "play to entered", "expect lit 1 3 5 because NZ9 3.3(b)", "play to settled""#,
                SETTLED,
                "",
            ),
        ),
        (
            "a clause",
            case(
                r#""open table", "fault dice.cocked_1", "play to spun", "pass 1000 ms""#,
                r#""void not-flat: NZ9 7.1(c)""#,
                "",
            ),
        ),
    ] {
        let Verdict::Fail(why) = verdict(&text) else { panic!("{what}: {:?}", verdict(&text)) };
        let why = why.join("\n");
        let told = match what {
            "another ending" | "other dice" => "with its clause for CLAUSE: nz-div9 = [\"settled 1 3 6: CLAUSE\"]",
            "a latch" => {
                "lamps must be latched at the end, but it is nothing\n  if that is right, write under [at_end]: latched = []"
            }
            "a phase" => "is ready\n  if that is right, write under [at_end]: phase = \"ready\"",
            "a kind of record that must not be" => "if that is right, take \"settled\" out of never under [at_end]",
            "a wait" => "not within 100 ms: `phase ready`",
            "a table that is not open" => "at `press tumble`: the table is not open (`open table` opens it)",
            "a blocked table" => "at `press place_bets`: not within 5000 ms: `phase blocked`",
            "a fault that does nothing" => "`dice.cocked_1` does nothing here that could be seen",
            "an answer" => "the answer was done (\"",
            "lamps" => "is not so: `lit 1 3 6` [",
            _ => "",
        };
        assert!(why.contains(told), "{what}: {why}");
        // Words of the language, and not of Rust.
        assert!(!["Some(", "None", " { ", "Done(", "Refused("].iter().any(|rust| why.contains(rust)), "{what}: {why}");
    }
}

/// What a bench cannot bring about, and what holds on some benches only, is no pass on any of them.
#[test]
fn what_differs_between_benches_is_not_passed_on_one_of_them() {
    let steps = |words: &str| case(&format!(r#""open table", "play to bets-closed", {words}"#), SETTLED, "");
    let refused = trials(&steps(r#""do void", "wait phase void""#)).unwrap_err();
    assert!(refused.contains("needs the supervisor's key") && refused.contains("turn key; do COMMAND"), "{refused}");
    assert!(trials(&steps(r#""turn key; do void", "wait phase void""#)).is_ok());
    assert!(trials(&steps(r#""do record", "play to settled""#)).is_ok(), "that needs no key");
    let text = steps(r#""fault mqtt.auth_denied", "play to settled""#);
    let trial = trials(&text).unwrap().remove(0);
    let bench = tumbler_bench::file::BenchFile::read(&tumbler_bench::file::find("pure").unwrap()).unwrap();
    let report = crate::runner::Runner::Pure.cell(&bench, &trial, 0, false, None);
    assert!(
        matches!(&report.verdict, Verdict::NotExecuted(why) if why.contains("bench virtual has one")),
        "{report:?}"
    );
    assert!(report.listed, "it fails no run");
}

/// design.md, Verdicts: a fault that never took effect proves nothing.
#[test]
fn a_fault_that_never_took_hold_makes_the_verdict_invalid() {
    let steps = r#""open table", "fault lamp.open:big", "dice 1 3 6", "play to settled", "heal lamp.open:big""#;
    assert!(matches!(verdict(&case(steps, SETTLED, "")), Verdict::Invalid(why) if why.contains("lamp.open:big")));
}

/// scenarios.md, Steps: what has no effect shows nothing. What can be known of it from the file alone is refused with the file.
#[test]
fn a_step_that_does_nothing_makes_the_verdict_invalid_with_its_line() {
    for (steps, line) in [
        (
            r#""open table", "fault lamp.open:big", "heal lamp.open:big", "heal lamp.open:big""#,
            "step 4 `heal lamp.open:big`",
        ),
        (r#""open table", "fault motor.stall", "recover table", "heal motor.stall""#, "step 4 `heal motor.stall`"),
        (r#""open table", "kill", "lose edge seal", "start""#, "step 3 `lose edge seal`"),
        (r#""open table", "play to betting", "at betting", "play to settled""#, "step 3 `at betting`"),
    ] {
        let found = verdict(&case(steps, "", ""));
        assert!(
            matches!(&found, Verdict::Invalid(why) if why.contains(line) && why.contains("no effect")),
            "{found:?}"
        );
    }
    let tried =
        r#""open table", "fault lamp.dead", "heal lamp.dead", "try heal lamp.dead", "dice 1 3 6", "play to settled""#;
    let tried = tried.replace("lamp.dead", "dice.cocked_1");
    assert_eq!(verdict(&case(&tried, SETTLED, "")), Verdict::Invalid("fault `dice.cocked_1` never took effect".into()));
}

#[test]
fn a_failure_says_which_step_and_where_the_table_was() {
    let Verdict::Fail(wrongs) = verdict(&case(r#""open table", "wait phase settling within 100 ms""#, "", "")) else {
        panic!("it must fail");
    };
    let text = wrongs.join("\n");
    assert!(text.contains("step 2 `wait phase settling within 100 ms`") && text.contains("phase ready"), "{text}");
}

#[test]
fn a_wrong_file_says_what_where_and_what_is_allowed() {
    let mut wrong = Vec::new();
    for (text, words) in [
        ("about = 1", vec!["case.toml:1:9: about: "]),
        ("about = \"x\"\nsteps = []\nendings = {}\nhaste = 3", vec!["case.toml:4:1: unknown key `haste`", "steps"]),
        (
            &case(r#""open tabel""#, "", ""),
            vec!["case.toml:2:16: unknown word in a step `tabel`: did you mean `table`?"],
        ),
        (&case("", r#""won: 3""#, ""), vec!["case.toml:4:13: unknown ending `won`", "settled D D D: CLAUSE"]),
        (&case("", r#""settled 1 2 7: NZ9 6.3""#, ""), vec!["case.toml:4:25: `7` is no face of a die"]),
        (&case("", r#""void not-flta: by not-flat""#, ""), vec!["case.toml:4:18: unknown", "did you mean `not-flat`?"]),
        (&case("", r#""void not-flat: by not-flta""#, ""), vec!["case.toml:4:31: unknown ground `not-flta`"]),
        (
            &case("", r#""settled: my clause""#, ""),
            vec!["case.toml:4:22: unknown clause, page or text `my`", "silent: WHY"],
        ),
        (&case("", r#""void not-flat: NZ9 7.1(x)""#, ""), vec!["case.toml:4:32: unknown clause of NZ9 `7.1(x)`"]),
        (&case(r#""expect dark because NZ9 6.7: why""#, "", ""), vec!["case.toml:2:35: unknown clause of NZ9 `6.7`"]),
        (
            &case(r#""pres tumble""#, "", "").replace("nz-div9", "nz-dvi9"),
            vec!["case.toml:4:1: ", "did you mean `nz-div9`?", ":2:11: unknown step `pres`"],
        ),
        (&case("", "", "[at_end]\nnever = [\"voidd\"]"), vec!["case.toml:6:11: ", "did you mean `voided`?"]),
        (
            &case("", "", "[at_end]\nphase = \"redy\""),
            vec!["case.toml:6:10: unknown phase `redy`: did you mean `ready`?"],
        ),
        (&case("", "", "[at_end]\nlatched = [\"seall\"]"), vec!["case.toml:6:13: ", "did you mean `seal`?"]),
        (&format!("layouts = \"frist\"\n{}", case("", "", "")), vec!["case.toml:1:12: ", "did you mean `first`?"]),
        (
            &case(r#""fault {fualt}""#, "", "[[variant]]\nfault = \"dice.cocked_4\""),
            vec!["case.toml:2:18: unknown key of a variant `fualt`: did you mean `fault`?", "case.toml:6:1: no step"],
        ),
        (
            &case(r#""fault {fault}""#, "", "[[variant]]\nfault = \"dice.cockd_1\""),
            vec!["case.toml:6:10: unknown fault `dice.cockd_1`: did you mean `dice.cocked_1`?"],
        ),
        (
            &case(r#""pres tumble", "wait phase redy""#, "", ""),
            vec![":2:11: unknown step `pres`", ":2:37: unknown phase"],
        ),
        (&case(r#""pres tumble; wait phase redy""#, "", ""), vec![":2:11: unknown step", ":2:35: unknown phase"]),
        (
            &case(r#""fault dome.flicker", "heal dome.flicker_long""#, "", ""),
            vec!["case.toml:2:38: `heal dome.flicker_long` heals nothing", "allowed is dome.flicker"],
        ),
        (&case(r#""open table; release tumble""#, "", ""), vec![":2:31: `release tumble` releases nothing"]),
        (&case(r#""mend seal""#, "", ""), vec![":2:11: `mend seal` mends nothing"]),
        (&case(r#""answer done""#, "", ""), vec![":2:11: `answer` checks nothing", "ask COMMAND"]),
        (&case(r#""do open", "answer done""#, "", ""), vec![":2:22: `answer` checks nothing"]),
        (&case(r#""at spun", "pass 1 s""#, "", ""), vec![":2:14: `at spun` changes nothing", "play to STAGE"]),
        (&case(r#""at spun", "at spun", "go on""#, "", ""), vec![":2:25: `at spun` changes nothing"]),
        (&case(r#""go on""#, "", "[at_end]\nnever = [\"\"]"), vec![":6:10: this says nothing"]),
        (&case(r#""go on", " ""#, "", ""), vec![":2:19: this says nothing"]),
        (&case(r#""go on", ";""#, "", ""), vec![":2:20: there is no step"]),
        (&case("", "", ""), vec!["case.toml:2:1: there is no step, so nothing would be tried"]),
        (&case(r#""go on""#, "", "[[variant]]"), vec!["case.toml:5:1: this variant has no value"]),
        (
            &case(r#""pass {n} s""#, "", "[[variant]]\nn = \"1\"\n[[variant]]\nn = \"1\""),
            vec!["case.toml:7:1: two variants are called `1`"],
        ),
        (
            &format!("layouts = [\"nz-1998\"]\n{}", case(r#""go on""#, "", "nz-1998 = []")),
            vec!["case.toml:5:1: nothing is played by `nz-div9`"],
        ),
        (
            &case(r#""go on""#, "", "nz-1998 = []\nnz = []"),
            vec!["case.toml:6:1: nothing is played by `nz`", "more specific"],
        ),
        (
            &case(r#""go on""#, r#""settled: SGV6 3.9""#, ""),
            vec![":4:22: `SGV6` is not the text of a rule set that is played by this key", "allowed is NZ9"],
        ),
        (
            &case(r#""go on""#, r#""void not-flat: NZ98 7.1(a) | NZ9 7.1(a)""#, ""),
            vec![":4:28: `NZ98` is not the text"],
        ),
        (
            &case(r#""expect dark because SGV6 3.9: why""#, "", ""),
            vec![":2:31: `SGV6` is not the text of a rule set that is played here"],
        ),
        (
            &format!("free = true\n{}", case(r#""go on""#, SETTLED, "[at_end]\nphase = \"ready\"\nlatched = []")),
            vec![":7:1: `phase` is not asserted in free play", ":8:1: `latched`", ":5:1: endings are not asserted"],
        ),
        ("about = \"x\"\nsteps = [\"mark\"]", vec!["case.toml:1:1: [endings] is missing"]),
        (
            &case(r#""at covered", "go on""#, "", "").replace("nz-div9", "sg-open"),
            vec![":2:14: no round is ever at `covered` under sg-open"],
        ),
        ("about = \"x\"\nsteps = [\"mark\"]\nendings = {}", vec!["case.toml:3:1: ", "nothing would run"]),
        ("about = ", vec!["case.toml:1:9: this is not TOML"]),
    ] {
        let error = trials(text).unwrap_err();
        if !words.iter().all(|word| error.contains(word)) {
            wrong.push(format!("{words:?} not all in: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// scenarios.md, The file: who asserts no ending need not say under which rule sets nothing is asserted.
#[test]
fn free_play_without_endings_plays_under_every_rule_set() {
    let played = trials("about = \"x\"\nfree = true\nsteps = [\"mark\"]").unwrap();
    let rules: Vec<&str> = played.iter().map(|trial| trial.rules.as_str()).collect();
    assert_eq!(rules, ["nz-1998", "nz-div9", "sg-v6", "sg-open", "sg-open-early"]);
    assert!(played.iter().all(|trial| trial.endings.is_empty()));
}

/// `NZ` is whichever of its texts is played.
#[test]
fn a_clause_of_both_texts_of_new_zealand_may_be_cited_under_one() {
    assert!(trials(&case(r#""expect dark because NZ 6.3""#, r#""settled: NZ 6.3""#, "")).is_ok());
}

#[test]
fn variants_and_groups_unfold_to_trials() {
    let text = "about = \"x\"\nlayouts = \"all\"\nsteps = [\"fault {f}\"]\n[[variant]]\nf = \"dice.cocked_1\"\n[[variant]]\nname = \"two\"\nf = \"dice.cocked_2\"\n[endings]\ncovered = [\"void not-flat: NZ9 7.1(a)\"]\nnz-1998 = [\"void not-flat: NZ98 7.1(b)\"]";
    let trials = trials(text).unwrap();
    let names: Vec<&str> = trials.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names.len(), 12, "two variants on the six layouts of the covered rule sets: {names:?}");
    assert_eq!(names.first(), Some(&"case[dice.cocked_1]::nz-1998"));
    assert_eq!(names.last(), Some(&"case[two]::sg-v6-3"));
    let clause = |name: &str| trials.iter().find(|t| t.name == name).map(|t| t.endings.clone());
    assert_eq!(
        clause("case[two]::nz-1998"),
        Some(vec![Ending::Void { reason: VoidReason::NotFlat, clause: "NZ98 7.1(b)".into() }]),
        "the rule set's own entry counts before its group's"
    );
}

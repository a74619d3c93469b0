//! A rig that serves cells to another program: docs/serve.md.

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The sign is lit while the table is closed, and this says that it is dark.
const WRONG: &str = r#"
about = "A sign that is lit is said to be dark"
steps = ["expect sign on because silent: right", "expect sign off because silent: wrong", "open table"]
[endings]
nz-div9 = []
sg-v6 = []
"#;

/// What the pure bench tells when it is asked this, and its exit code.
fn served(out: &Path, lines: &[String]) -> (Vec<Value>, Option<i32>) {
    let mut rig = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
    rig.args(["serve", "--bench", "pure", "--out"]).arg(out);
    let mut rig = rig.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = rig.stdin.take().unwrap();
    let text = lines.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let ended = rig.wait_with_output().unwrap();
    writer.join().unwrap();
    let told = String::from_utf8(ended.stdout).unwrap();
    (told.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), ended.status.code())
}

fn only<'a>(told: &'a [Value], event: &str) -> Vec<&'a Value> {
    told.iter().filter(|told| told["event"] == event).collect()
}

#[test]
fn cells_of_a_file_are_listed_and_played_with_their_steps_and_their_evidence() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("dark.toml");
    std::fs::write(&file, WRONG).unwrap();
    let out = place.path().join("out");
    let list = json!({"id": 1, "do": "list", "file": file});
    let play = json!({"id": 2, "do": "play", "file": file, "cell": "dark::nz-div9-1", "seed": 5});
    let (told, code) = served(&out, &[list.to_string(), play.to_string()]);
    assert_eq!(code, Some(0), "{told:?}");
    assert_eq!(told[0]["event"], "ready");
    assert_eq!((&told[0]["protocol"], &told[0]["bench"], &told[0]["out"]), (&json!(1), &json!("pure"), &json!(out)));
    let cells = only(&told, "cell");
    assert_eq!(cells[0]["cell"], "dark::nz-div9-1");
    assert_eq!(only(&told, "listed")[0], &json!({"id": 1, "event": "listed", "cells": cells.len()}));
    assert!(cells.len() > 1, "a cell for each layout: {told:?}");
    assert_eq!(only(&told, "began")[0]["seed"], 5);
    let steps: Vec<_> = only(&told, "step").iter().map(|step| step["step"].clone()).collect();
    assert_eq!(steps, [1, 2], "the third is not reached");
    let verdict = only(&told, "verdict")[0];
    assert_eq!((&verdict["id"], &verdict["verdict"], &verdict["seed"]), (&json!(2), &json!("FAIL"), &json!(5)));
    let reason = verdict["reasons"][0].as_str().unwrap();
    assert!(reason.starts_with("step 2 `expect sign off because silent: wrong`"), "{reason}");
    let files: Vec<_> = verdict["attachments"].as_array().unwrap().iter().collect();
    assert_eq!(files.iter().map(|file| file["name"].as_str().unwrap()).collect::<Vec<_>>(), ["wires", "cell"]);
    for file in files {
        assert!(std::fs::metadata(file["path"].as_str().unwrap()).unwrap().len() > 100, "{file}");
    }
    // The page that is made of it has the command that plays it again. Nothing is new beside itself.
    let page = place.path().join("page");
    let mut report = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
    let report = report.arg("report").arg(&out).arg("--against").arg(&out).arg("--out").arg(&page).output().unwrap();
    assert_eq!(report.status.code(), Some(1));
    let said = String::from_utf8(report.stdout).unwrap();
    assert!(said.contains("still failing") && !said.contains("new failures"), "{said}");
    let page = std::fs::read_to_string(page.join("report.html")).unwrap();
    assert!(page.contains(&format!("run {}", file.display())), "{page}");
}

#[test]
fn a_request_that_is_wrong_is_told_and_those_after_it_are_answered() {
    let place = tempfile::tempdir().unwrap();
    let cell = "motor.stall@tumbling::sg-v6-1";
    let lines = [
        "nonsense".to_owned(),
        json!({"id": 1, "do": "paly", "cell": cell}).to_string(),
        json!({"id": 2, "do": "play"}).to_string(),
        json!({"id": 3, "do": "play", "cell": "motor.stal@tumbling::sg-v6-1"}).to_string(),
        json!({"id": 4, "do": "play", "cell": "x"}).to_string(),
        json!({"id": 5, "do": "list", "file": "/no/such.toml"}).to_string(),
        format!("{{\"id\":6,\"do\":\"list\",\"cell\":\"{}\"}}", "x".repeat(200_000)),
        json!({"id": 7, "do": "play", "cell": cell}).to_string(),
    ];
    let (told, code) = served(&place.path().join("out"), &lines);
    let wrong: Vec<_> =
        only(&told, "error").iter().map(|e| (e["id"].clone(), e["problem"].as_str().unwrap())).collect();
    let says = |place: usize, id: Value, words: &str| {
        assert!(wrong[place].0 == id && wrong[place].1.contains(words), "{place}: {wrong:?}");
    };
    says(0, Value::Null, "no request: expected");
    says(1, json!(1), "unknown variant `paly`, expected `list` or `play`");
    says(2, json!(2), "`play` needs a `cell`");
    says(3, json!(3), "unknown cell `motor.stal@tumbling::sg-v6-1`: did you mean `motor.stall@tumbling::sg-v6-1`?");
    says(4, json!(4), "unknown cell `x`");
    says(5, json!(5), "/no/such.toml");
    says(6, Value::Null, "at most 65536 bytes");
    assert_eq!(wrong.len(), 7);
    let verdict = only(&told, "verdict")[0];
    assert_eq!((&verdict["id"], &verdict["verdict"], code), (&json!(7), &json!("PASS"), Some(0)), "{told:?}");
    assert!(!verdict["clauses"].as_array().unwrap().is_empty());
}

/// Two cells of one name could not be told apart in the results.
#[test]
fn a_second_file_of_the_same_name_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = |at: &str| {
        let dir = place.path().join(at);
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("dark.toml"), WRONG).unwrap();
        dir.join("dark.toml")
    };
    let play =
        |id: u32, file: &Path| json!({"id": id, "do": "play", "file": file, "cell": "dark::nz-div9-1"}).to_string();
    let (a, b) = (file("a"), file("b"));
    let (told, _) = served(&place.path().join("out"), &[play(1, &a), play(2, &b), play(3, &a)]);
    let verdicts: Vec<_> = only(&told, "verdict").iter().map(|verdict| verdict["id"].clone()).collect();
    assert_eq!(verdicts, [1, 3], "{told:?}");
    let problem = only(&told, "error")[0]["problem"].as_str().unwrap();
    assert!(problem.contains("was played from") && problem.contains("/a/dark.toml"), "{problem}");
    // A cell that is asked for again has evidence of each time.
    let pages = |at: usize| only(&told, "verdict")[at]["attachments"][1]["path"].as_str().unwrap().to_owned();
    assert!(pages(0).ends_with("dark__nz-div9-1.html") && pages(1).ends_with("dark__nz-div9-1-2.html"));
}

//! The core is pure. Without the standard library the compiler knows no clock, file, socket or thread; this holds what the compiler does
//! not: that the library stays out, that no dependency brings it back, and that no state lives outside the table.
#![allow(clippy::unwrap_used, reason = "a test ends with the first thing that is wrong")]

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
const MANIFEST: &str = include_str!("../Cargo.toml");

/// What the core may depend on, in programs and in its build.
const ALLOWED: [&str; 7] = ["once_cell", "schemars", "serde", "serde_json", "strum", "thiserror", "toml"];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// Every line of the sources that has one of these words, with its file.
fn lines_with(words: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    sources(Path::new(ROOT), &mut files);
    assert!(files.len() > 50, "{} files: is the core elsewhere?", files.len());
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(ROOT).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        found.extend(
            text.lines()
                .filter(|line| words.iter().any(|word| line.contains(word)))
                .map(|line| format!("{name}: {}", line.trim())),
        );
    }
    found
}

/// The files that have this in what is compiled into programs, sorted; a file as often as it has it.
fn lines_of_programs_with(what: &str) -> Vec<String> {
    let mut files = Vec::new();
    sources(Path::new(ROOT), &mut files);
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(ROOT).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let program = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
        let lines = program.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains(what));
        found.extend(lines.map(|_| name.clone()));
    }
    found.sort();
    found
}

#[test]
fn the_standard_library_stays_out() {
    assert_eq!(lines_with(&["no_std"]), ["lib.rs: #![no_std]"]);
    assert_eq!(lines_with(&["extern crate"]), ["lib.rs: extern crate alloc;"]);
}

#[test]
fn the_core_depends_on_nothing_that_could_bring_it_back() {
    let manifest: toml::Table = MANIFEST.parse().unwrap();
    let names: Vec<&String> = manifest["dependencies"].as_table().unwrap().keys().collect();
    assert_eq!(names, ALLOWED);
    for elsewhere in ["build-dependencies", "target"] {
        assert!(!manifest.contains_key(elsewhere), "[{elsewhere}] is not looked at");
    }
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs").exists());
}

/// Everything that energises is proved by the table's own journal: there is one `Sequence` and one `Context`, and few ask them. Within a
/// crate the compiler cannot hold this.
#[test]
fn what_energises_has_one_source() {
    for (what, whose) in [
        ("Sequence::new(", &["table/start.rs"][..]),
        ("Context::new(", &["table/start.rs"]),
        (".confirm(", &["table/proof.rs", "table/wires.rs"]),
        (".release(", &["table/mod.rs"]),
        ("Durable::of(", &["sequence/mod.rs"]),
        ("Coils::lit(", &["device/lamps.rs"]),
        (".energise(", &["device/devices.rs", "device/tumbler.rs"]),
        // The dead-man's edges let the motor run on.
        ("ctx.beat(", &["device/tumbler.rs"]),
    ] {
        let mut found = lines_of_programs_with(what);
        found.dedup();
        assert_eq!(found, whose, "{what}");
    }
}

/// The rule sets are loaded once, from data that is compiled in. Everything else is in `Table`, where a replay sees it.
#[test]
fn no_state_lives_outside_the_table() {
    let words = ["static ", "Cell", "atomic", "once_cell"];
    let mut found = lines_with(&words);
    found.retain(|line| !line.contains("//") && !line.contains("&'static "));
    let all = "rules/mod.rs: static ALL: OnceBox<Result<Vec<RuleSet>, BadRules>> = OnceBox::new();";
    assert_eq!(found, ["rules/mod.rs: use once_cell::race::OnceBox;", all]);
}

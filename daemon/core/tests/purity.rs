//! The core is pure. Without the standard library the compiler knows no clock, file, socket or thread; this holds what the compiler does
//! not: that the library stays out, that no dependency brings it back, and that no state lives outside the table.
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../src");
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

/// Every source with its name, sorted.
fn texts() -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(Path::new(ROOT), &mut files);
    assert!(files.len() > 50, "{} files: is the core elsewhere?", files.len());
    files.sort();
    let text = |file: PathBuf| {
        let name = file.strip_prefix(ROOT).unwrap().display().to_string();
        (name, fs::read_to_string(&file).unwrap())
    };
    files.into_iter().map(text).collect()
}

/// Every line of the sources that has one of these words, with its file.
fn lines_with(words: &[&str]) -> Vec<String> {
    let has = |line: &&str| words.iter().any(|word| line.contains(word));
    let told = |(name, text): &(String, String)| {
        let lines = text.lines().filter(has).map(|line| format!("{name}: {}", line.trim()));
        lines.collect::<Vec<_>>()
    };
    texts().iter().flat_map(told).collect()
}

/// The files that have this word in what is compiled into programs.
fn programs_with(word: &str) -> Vec<String> {
    // What stands between quotation marks is words for people.
    let bare = |line: &str| line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let has = |line: &str| bare(line).split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word);
    let uses = |text: &str| {
        let program = text.split("#[cfg(test)]").next().unwrap_or_default();
        program.lines().any(|line| !line.trim_start().starts_with("//") && has(line))
    };
    let files = texts().into_iter().filter(|(name, text)| !name.ends_with("tests.rs") && uses(text));
    files.map(|(name, _)| name).collect()
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
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("../build.rs").exists());
}

/// Everything that energises is proved by the table's own journal. Within a crate the compiler keeps nobody from setting up a journal of
/// his own, or from reading a proof from data: these words, whatever they are written beside, are in the files that need them and in no
/// other.
#[test]
fn what_energises_has_one_source() {
    for (word, whose) in [
        ("Sequence", &["sequence/mod.rs", "table/mod.rs", "table/start.rs"][..]),
        ("release", &["sequence/mod.rs", "table/mod.rs"]),
        ("confirm", &["sequence/mod.rs", "table/proof.rs", "table/wires.rs"]),
        ("energise", &["context/mod.rs", "device/devices.rs", "device/tumbler.rs"]),
        // The dead-man's edges let the motor run on.
        ("beat", &["context/mod.rs", "device/tumbler.rs"]),
        ("Coils", &["context/mod.rs", "context/transaction.rs", "device/lamps.rs"]),
        ("WriteCoils", &["context/transaction.rs", "effect.rs"]),
        ("BusRequest", &["context/mod.rs", "effect.rs"]),
        ("repeat", &["context/mod.rs", "table/proof.rs", "table/wires.rs"]),
        ("commit", &["context/mod.rs", "sequence/mod.rs"]),
        ("drain", &["context/mod.rs", "table/mod.rs", "table/start.rs"]),
        ("serde_json", &["wire/ask.rs", "wire/recording.rs", "wire/unique.rs"]),
        ("deserialize", &["round/ending.rs", "round/spin.rs", "wire/ask.rs", "wire/lines.rs", "wire/unique.rs"]),
    ] {
        assert_eq!(programs_with(word), whose, "{word}");
    }
    // Nor are they had without their names.
    let from_all =
        |what: &str| lines_with(&[what]).into_iter().filter(|line| line.ends_with("::*;")).collect::<Vec<_>>();
    for module in ["sequence", "context"] {
        assert_eq!(from_all(module), [""; 0]);
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

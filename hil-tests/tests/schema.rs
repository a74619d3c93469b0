//! The JSON Schemas in docs/schema are those of the program, take every file of the rig, and refuse slips of the pen.
//! `TUMBLERD_REWRITE=1` writes them again.

use jsonschema::Validator;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tumbler_hil::schema::Of;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn validator(of: Of) -> &'static Validator {
    static ALL: LazyLock<Vec<Validator>> =
        LazyLock::new(|| Of::ALL.iter().map(|of| jsonschema::draft7::new(&of.schema()).unwrap()).collect());
    Of::ALL.iter().zip(ALL.iter()).find(|(each, _)| **each == of).unwrap().1
}

/// What is wrong with a file's text by its schema; none if nothing is.
fn wrong(of: Of, text: &str) -> Option<String> {
    let schema = validator(of);
    let value: Value = toml::from_str(text).unwrap();
    let wrong: Vec<String> =
        schema.iter_errors(&value).map(|e| format!("{}: {}", e.instance_path(), e.instance())).collect();
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

#[test]
fn the_schemas_are_those_of_the_program() {
    for of in Of::ALL {
        let path = root().join(format!("hil-tests/docs/schema/{}.json", of.name()));
        let text = format!("{}\n", of.text());
        if std::env::var_os("TUMBLERD_REWRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{} differs: TUMBLERD_REWRITE=1 writes it", path.display());
    }
}

#[test]
fn every_file_of_the_rig_is_taken() {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let mut files = vec![(Of::Catalogue, root().join("fixtures/faults.toml"))];
    for (of, directory) in [(Of::Scenario, "fixtures/scenarios"), (Of::Bench, "fixtures/benches")] {
        files.extend(std::fs::read_dir(root().join(directory)).unwrap().map(|entry| (of, entry.unwrap().path())));
    }
    assert!(files.len() > 100);
    let wrong: Vec<String> = files
        .iter()
        .filter_map(|(of, path)| Some(format!("{}: {}", path.display(), wrong(*of, &read(path))?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn slips_are_refused() {
    let scenario = "about = \"x\"\nsteps = [\"open table\"]\nat_end = { phase = \"ready\", never = [\"voided\"], latched = [\"seal\"] }\n\
        endings = { nz = [\"settled: NZ 6.3\", \"void not-flat: by not-flat\"] }\nlayouts = \"first\"";
    let fault = "[clauses]\n[[fault]]\nid = \"motor.stall\"\ntype = \"stuck\"\nabout = \"x\"\nshows = \"spin\"\nclause = \"NZ 7.4\"\n\
        inject = [\"fault motor.stall\"]\nlatch = [\"tumbler\"]\ndeadlines = [{ what = \"motor off\", ms = 1, after = \"fault\" }]\n\
        expect = [{ phases = [\"idle\"], rules = [\"nz\"], rounds = [\"void equipment\"] }]";
    let bench =
        "kind = \"pure\"\nabout = \"x\"\nscenarios = \"s\"\njobs = 2\n[[cannot]]\nscenarios = \"s\"\nreason = \"x\"";
    for (of, text, names) in [
        (
            Of::Scenario,
            scenario,
            "about steps open table at_end phase ready never voided latched seal endings nz settled void not-flat by first",
        ),
        (
            Of::Catalogue,
            fault,
            "fault type stuck shows spin inject motor.stall latch tumbler what motor after expect phases idle rules nz rounds void equipment",
        ),
        (Of::Bench, bench, "kind pure scenarios jobs cannot reason"),
    ] {
        assert_eq!(wrong(of, text), None);
        for name in names.split(' ') {
            // The last one: what stands before it may be words for people.
            let at = text.rfind(name).unwrap();
            let slip = format!(
                "{}{}{}",
                &text[..at],
                name.replacen(|c: char| c.is_ascii_lowercase(), "q", 1),
                &text[at + name.len()..]
            );
            assert!(wrong(of, &slip).is_some(), "`{name}` may be spelled wrongly in\n{slip}");
        }
    }
    for line in
        ["fault dome.flikcer", "pres tumble", "wait phase redy", "open table; pass 1", "try pres tumble", "at spnu"]
    {
        let text = scenario.replace("open table", line);
        assert!(wrong(Of::Scenario, &text).is_some(), "{line}");
    }
}

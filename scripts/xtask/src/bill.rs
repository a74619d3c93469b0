//! What a package says that its programs are made of: the list in each program (cargo-auditable) and its bill of materials (CycloneDX),
//! against Cargo.lock.

use crate::repository::Repository;
use crate::say;
use anyhow::{Context, Result, ensure};
use auditable_info::{Limits, audit_info_from_file};
use clap::Args;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The list of a program, its bill of materials, and Cargo.lock.
#[derive(Debug, Args)]
pub(crate) struct BillArgs {
    /// The program.
    program: PathBuf,
    /// Its bill of materials: CycloneDX, as JSON.
    bill: PathBuf,
}

/// A crate with its version.
type Crate = (String, String);

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    /// Of crates from crates.io only.
    checksum: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bill {
    bom_format: String,
    metadata: Metadata,
    components: Vec<Component>,
}

#[derive(Deserialize)]
struct Metadata {
    component: Component,
}

#[derive(Deserialize)]
struct Component {
    name: String,
    version: String,
    #[serde(default)]
    hashes: Vec<Hash>,
    #[serde(default)]
    licenses: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Hash {
    content: String,
}

/// What a program holds.
struct Held {
    root: Crate,
    /// What runs, with the program itself.
    runs: BTreeSet<Crate>,
    /// What it was built with besides: macros and build scripts.
    built: BTreeSet<Crate>,
}

/// Compares them.
///
/// # Errors
/// One cannot be read, or they do not say the same.
pub(crate) fn bill(repository: &Repository, args: &BillArgs) -> Result<()> {
    let held = held(&args.program)?;
    let text = fs::read_to_string(&args.bill).with_context(|| args.bill.display().to_string())?;
    let bill: Bill = serde_json::from_str(&text).with_context(|| format!("{}: no bill", args.bill.display()))?;
    let lock: Lock = toml::from_str(&fs::read_to_string(repository.root().join("Cargo.lock"))?)?;
    compare(&held, &bill, &lock)?;
    let Held { root: (name, version), runs, built } = held;
    let (runs, built, billed) = (runs.len() - 1, built.len(), bill.components.len());
    say::line(&format!(
        "{name} {version}: {runs} crates that run and {built} that built them, as in Cargo.lock; its bill has {billed}"
    ));
    Ok(())
}

fn held(program: &Path) -> Result<Held> {
    let list = audit_info_from_file(program, Limits::default())
        .with_context(|| format!("{} holds no list of what it is made of", program.display()))?;
    let named = |package: &auditable_serde::Package| (package.name.clone(), package.version.to_string());
    let root = list.packages.iter().find(|package| package.root).context("a list has a root")?;
    let (runs, built): (Vec<_>, Vec<_>) =
        list.packages.iter().partition(|package| package.kind == auditable_serde::DependencyKind::Runtime);
    let all = |packages: Vec<_>| packages.into_iter().map(named).collect();
    Ok(Held { root: named(root), runs: all(runs), built: all(built) })
}

fn compare(held: &Held, bill: &Bill, lock: &Lock) -> Result<()> {
    let said = |what: &Crate| format!("{} {}", what.0, what.1);
    let locked: BTreeMap<Crate, Option<&str>> = lock
        .package
        .iter()
        .map(|package| ((package.name.clone(), package.version.clone()), package.checksum.as_deref()))
        .collect();
    for one in held.runs.iter().chain(&held.built) {
        ensure!(locked.contains_key(one), "the program is made of {}, which Cargo.lock does not have", said(one));
    }
    ensure!(bill.bom_format == "CycloneDX", "the bill is no CycloneDX: {}", bill.bom_format);
    let about = &bill.metadata.component;
    let about = (about.name.clone(), about.version.clone());
    ensure!(about == held.root, "the program is {}, and its bill that of {}", said(&held.root), said(&about));
    let mut billed = BTreeSet::from([about]);
    for Component { name, version, hashes, licenses } in &bill.components {
        let one = (name.clone(), version.clone());
        let checksum = locked.get(&one).with_context(|| format!("the bill has {}, Cargo.lock not", said(&one)))?;
        let hash = hashes.first().map(|hash| hash.content.as_str());
        ensure!(hash == *checksum, "{}: its hash is {checksum:?} in Cargo.lock and {hash:?} in the bill", said(&one));
        ensure!(!licenses.is_empty(), "{}: the bill has no licence of it", said(&one));
        billed.insert(one);
    }
    if let Some(one) = held.runs.difference(&billed).next() {
        anyhow::bail!("the program holds {}, which its bill does not have", said(one));
    }
    // Macros are in the bill, too, since crates name them as what they are made of.
    if let Some(one) = billed.iter().find(|one| !held.runs.contains(*one) && !held.built.contains(*one)) {
        anyhow::bail!("the bill has {}, which the program does not hold", said(one));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Crate {
        (name.into(), "1.0.0".into())
    }

    fn compared(runs: &[&str], billed: &[(&str, &str)]) -> String {
        let runs = [named("us")].into_iter().chain(runs.iter().map(|name| named(name))).collect();
        let held = Held { root: named("us"), runs, built: BTreeSet::from([named("macros")]) };
        let component = |name: &str, hash: Option<&str>| {
            let hashes: Vec<_> = hash.iter().map(|hash| serde_json::json!({ "content": hash })).collect();
            serde_json::json!({ "name": name, "version": "1.0.0", "hashes": hashes, "licenses": [{ "expression": "MIT" }] })
        };
        let components: Vec<_> = billed.iter().map(|(name, hash)| component(name, Some(hash))).collect();
        let about = component("us", None);
        let bill = serde_json::json!({ "bomFormat": "CycloneDX", "metadata": { "component": about }, "components": components });
        let bill = serde_json::from_value(bill).unwrap();
        let one =
            |name: &str, checksum: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\n{checksum}\n");
        let sum = |text: &str| format!("checksum = \"{text}\"");
        let lock = [one("us", ""), one("a", &sum("aa")), one("b", &sum("bb")), one("macros", &sum("cc"))].concat();
        match compare(&held, &bill, &toml::from_str(&lock).unwrap()) {
            Ok(()) => String::new(),
            Err(why) => why.to_string(),
        }
    }

    #[test]
    fn a_bill_has_what_the_program_holds_and_nothing_else() {
        assert_eq!(compared(&["a", "b"], &[("a", "aa"), ("b", "bb")]), "");
        assert_eq!(compared(&["a"], &[("a", "aa"), ("macros", "cc")]), "");
        assert_eq!(compared(&["a", "b"], &[("a", "aa")]), "the program holds b 1.0.0, which its bill does not have");
        assert_eq!(
            compared(&["a"], &[("a", "aa"), ("b", "bb")]),
            "the bill has b 1.0.0, which the program does not hold"
        );
    }

    #[test]
    fn what_both_say_is_what_cargo_lock_says() {
        assert_eq!(compared(&["x"], &[("a", "aa")]), "the program is made of x 1.0.0, which Cargo.lock does not have");
        let why = compared(&["a"], &[("a", "another")]);
        assert!(why.contains("in Cargo.lock and Some(\"another\") in the bill"), "{why}");
        assert_eq!(compared(&["a"], &[("x", "aa")]), "the bill has x 1.0.0, Cargo.lock not");
    }

    #[test]
    fn a_program_without_a_list_is_none_that_ships() {
        let own = std::env::current_exe().unwrap();
        let why = held(&own).err().unwrap().to_string();
        assert!(why.ends_with("holds no list of what it is made of"), "{why}");
    }
}

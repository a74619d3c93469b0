//! The crates of a work tree, as cargo tells of them.

use crate::shell::output;
use anyhow::Result;
use serde::Deserialize;
use std::process::Command;

#[derive(Deserialize)]
struct Workspace {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) targets: Vec<Target>,
}

/// What cargo builds of a package.
#[derive(Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    kind: Vec<String>,
}

impl Target {
    pub(crate) fn is_test(&self) -> bool {
        self.kind.iter().any(|kind| kind == "test")
    }
}

/// The packages of the work tree in which this cargo runs.
///
/// # Errors
/// Cargo refuses a manifest, or Cargo.lock is not up to date.
pub(crate) fn packages(mut cargo: Command) -> Result<Vec<Package>> {
    cargo.args(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let Workspace { packages } = serde_json::from_str(&output(cargo)?)?;
    Ok(packages)
}

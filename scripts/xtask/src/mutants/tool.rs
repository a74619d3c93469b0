//! cargo-mutants.

use super::results::Names;
use crate::repository::Repository;
use crate::shell::output;
use anyhow::Result;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// A run of it.
pub(super) struct Run<'a> {
    pub(super) repository: &'a Repository,
    /// With cargo-mutants.
    pub(super) path: OsString,
    /// Where everything is kept.
    pub(super) out: PathBuf,
}

impl Run<'_> {
    /// The mutants that `cargo mutants`, called so, lists.
    pub(super) fn list<const N: usize>(&self, mut cargo: Command, arguments: [&str; N]) -> Result<Names> {
        cargo.args(["--list", "--package", "tumbler-core"]).args(arguments).env("PATH", &self.path);
        Ok(output(cargo)?.lines().map(String::from).collect())
    }
}

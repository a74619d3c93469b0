//! What the compiler says.

use crate::source::Mark;
use anyhow::Context;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// An error, and every place that it names.
pub(crate) struct Trouble {
    pub words: String,
    pub spans: Vec<(String, Range<usize>)>,
}

/// Compiles the crate; its errors.
pub(crate) fn check(tree: &Path, krate: &Path) -> anyhow::Result<Vec<Trouble>> {
    let out = Command::new("cargo")
        .args(["check", "--release", "--locked", "--quiet", "--message-format=json", "--manifest-path"])
        .arg(tree.join(krate).join("Cargo.toml"))
        .stderr(Stdio::inherit())
        .output()
        .context("run cargo check")?;
    let mut troubles = Vec::new();
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let Ok(said) = serde_json::from_str::<Value>(line) else { continue };
        let message = said.get("message").unwrap_or(&Value::Null);
        if message.get("level").and_then(Value::as_str) != Some("error") {
            continue;
        }
        let mut spans = Vec::new();
        collect(message, krate, &mut spans);
        let words = message.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !spans.is_empty() {
            troubles.push(Trouble { words, spans });
        } else if !words.starts_with("aborting due to") {
            anyhow::bail!("the compiler says: {words}");
        }
    }
    anyhow::ensure!(out.status.success() == troubles.is_empty(), "cargo check ended with {} and no error", out.status);
    Ok(troubles)
}

/// All places that a message and what belongs to it name, the main ones first.
fn collect(message: &Value, krate: &Path, spans: &mut Vec<(String, Range<usize>)>) {
    let list = |of: &str| message.get(of).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut named = list("spans");
    named.sort_by_key(|span| span.get("is_primary") != Some(&Value::Bool(true)));
    for span in named {
        let byte = |of: &str| span.get(of).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        if let (Some(file), Some(from), Some(to)) =
            (span.get("file_name").and_then(Value::as_str), byte("byte_start"), byte("byte_end"))
        {
            // Named from the workspace's root or from the crate's directory, by the compiler's way of being called.
            let file = Path::new(file);
            let file = if file.starts_with(krate) { file.to_path_buf() } else { krate.join(file) };
            spans.push((file.to_string_lossy().into_owned(), from..to));
        }
    }
    for child in list("children") {
        collect(&child, krate, spans);
    }
}

impl Trouble {
    /// The mutants that it is about: those of the first place that lies in one, of the smallest part around it.
    pub(crate) fn blames(&self, written: &BTreeMap<&str, Vec<Mark>>) -> BTreeSet<u32> {
        for (file, place) in &self.spans {
            let marks = written.get(file.as_str()).map(Vec::as_slice).unwrap_or_default();
            let around = marks.iter().filter(|mark| mark.range.start <= place.start && place.end <= mark.range.end);
            let Some(smallest) = around.clone().min_by_key(|mark| (mark.range.len(), !mark.own)) else { continue };
            let same = |mark: &&Mark| mark.range == smallest.range && mark.own == smallest.own;
            return around.filter(same).map(|mark| mark.number).collect();
        }
        BTreeSet::new()
    }
}

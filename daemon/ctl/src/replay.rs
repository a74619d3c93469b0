//! `tumblerctl replay`: run a recording through the table again.

use crate::ending::Ended;
use crate::say;
use serde_json::json;
use std::path::PathBuf;
use tumbler_core::wire::replay::Difference;
use tumblerd::recording::replay;

/// Replay a recording of raw inputs and compare what comes of them; exits with 1 at a difference
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl replay /var/lib/tumblerd/incidents/FILE")]
pub(crate) struct Arguments {
    /// The recording, as the daemon wrote it on a void, a malfunction, or `tumblerctl record`
    file: PathBuf,
}

pub(crate) fn run(of: &Arguments, is_json: bool) -> anyhow::Result<Ended> {
    let report = replay::replay(&of.file)?;
    if is_json {
        let difference = report.difference.as_ref().map(|difference| match difference {
            Difference::Effects { recorded, replayed } => json!({ "input": recorded, "replayed": replayed }),
            Difference::Table { index } => json!({ "keyframe": index }),
        });
        say::json(&json!({
            "recorded": report.header,
            "replayed_by": report.build,
            "inputs": report.inputs,
            "effects": report.effects,
            "keyframes": report.keyframes,
            "same": difference.is_none(),
            "difference": difference,
        }))?;
    } else {
        say::line(&report.to_string())?;
    }
    Ok(if report.difference.is_none() { Ended::Done } else { Ended::Refused })
}

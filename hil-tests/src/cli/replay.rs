//! `tumbler-hil replay`.

use super::say;
use crate::campaign::day;
use crate::replay::{self, Recording};
use crate::report::{self, reason, word};
use crate::runner::seeded;
use crate::scenario::file;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

/// The recording, and the file for its scenario.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The recording, as `tumblerctl record` writes it, and the daemon on every void or malfunction.
    file: PathBuf,
    /// Also turn it into a scenario for this rig, and write that to this file.
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
}

pub(super) fn replay(args: &ReplayArgs) -> anyhow::Result<u8> {
    let recording = Recording::read(&args.file)?;
    let header = &recording.header;
    let first = recording.first().context("the first keyframe is missing")?;
    let playback = replay::play(&recording).context("the first keyframe is missing")?;
    say::line(&format!("recorded by {} on backend {}, reason {}", header.build, header.backend, header.reason));
    let code = match &playback.difference {
        None => {
            let effects: usize = playback.inputs.iter().map(|one| one.effects.len()).sum();
            let (inputs, keyframes) = (playback.inputs.len(), playback.keyframes);
            say::line(&format!("the same: {inputs} inputs, {effects} effects, {keyframes} keyframes, bit for bit"));
            report::PASSED
        }
        Some(difference) => {
            say::line(&format!("different at {difference}"));
            say::line("another version may rightly behave differently; the scenario shows what this build does");
            report::FAILED
        }
    };
    if let Some(path) = &args.scenario {
        let scenario = replay::convert(first, &playback, &header.reason)?;
        std::fs::write(path, &scenario.text).with_context(|| format!("write {}", path.display()))?;
        scenario.left_out.iter().for_each(|what| say::line(&format!("not in the scenario: {what}")));
        say::line(&format!("written as a scenario to {}", path.display()));
        for trial in file::parse(path, &scenario.text)? {
            let played = day::play(&seeded(trial));
            if played.failed() {
                say::line(&format!(
                    "it does not end as recorded: {} {}",
                    word(&played.verdict),
                    reason(&played.verdict)
                ));
                say::line("correct what it does, or what it expects, before you go by it");
                return Ok(report::FAILED);
            }
        }
        say::line("it ends as recorded");
    }
    Ok(code)
}

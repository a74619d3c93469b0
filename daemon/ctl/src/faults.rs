//! `tumblerctl faults`: what is latched, and what is replaced by a procedure.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::say::{self, Tone};
use serde_json::json;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumblerd::pages::standing;

/// List latched malfunctions, and checks that a procedure replaces
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl faults --json\nExits with 0 whether there are any or not.")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    // Whether a round is in progress is part of how a latch is opened.
    link.ask(Ask::Query(Query::Status))?;
    let Told::Status(status) = link.next()? else {
        return Err(astray("`faults`"));
    };
    let Snapshot { malfunctions: latched, waived, round, question, .. } = status.snapshot;
    if context.json {
        say::json(&json!({ "latched": latched, "waived": waived }))?;
        return Ok(Ended::Done);
    }
    if latched.is_empty() && waived.is_empty() {
        say::line("no malfunction is latched")?;
    }
    if let Some(shared) = standing::shared(&latched) {
        say::line(&format!("{} {shared}", Tone::Wrong.of("field bus:")))?;
    }
    for malfunction in &latched {
        say::line(&format!("{} {}", Tone::Wrong.of(&format!("{}:", malfunction.code)), malfunction.cause))?;
        say::line(&format!("  {}", malfunction.code.remedy()))?;
        if let Some(test) = malfunction.code.hardware_test() {
            let reset = "a pass rectifies it: the reset runs this test";
            say::line(&format!("  measured by, in maintenance: tumblerctl test {test}; {reset}"))?;
        }
        let procedure = if malfunction.code.allows_procedure() { ", or with --procedure TEXT" } else { "" };
        let ended = round.map(|round| format!(", and round {} has ended", round.0)).unwrap_or_default();
        say::line(&format!(
            "  when put right{ended}, with the supervisor's key turned again: tumblerctl reset {} --rectified{procedure}",
            malfunction.code
        ))?;
    }
    if let Some(question) = &question {
        say::line(&format!("round {} waits: {}", question.round.0, standing::answered(question)))?;
    }
    for waiver in &waived {
        say::line(&format!("{}: replaced by a procedure of {}: {}", waiver.code, waiver.by, waiver.procedure))?;
    }
    Ok(Ended::Done)
}

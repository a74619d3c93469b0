//! `tumblerctl faults`: what is latched, and what is replaced by a procedure.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::say::{self, Tone};
use serde_json::json;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumblerd::pages::standing;

/// List latched malfunctions, and checks that a procedure replaces
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl faults --json\nExits with 0 whether there are any or not.")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Faults))?;
    let Told::Faults { latched, waived } = link.next()? else {
        return Err(astray("`faults`"));
    };
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
        say::line(&format!(
            "  when put right, with the supervisor's key turned again: tumblerctl reset {} --rectified{procedure}",
            malfunction.code
        ))?;
    }
    for waiver in &waived {
        say::line(&format!("{}: replaced by a procedure of {}: {}", waiver.code, waiver.by, waiver.procedure))?;
    }
    Ok(Ended::Done)
}

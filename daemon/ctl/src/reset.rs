//! `tumblerctl reset`: open a malfunction's latch.

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::guided::{Ends, Guided};
use crate::hardware_test::tell;
use crate::interrupt::{Interrupt, or_call_off};
use crate::one_of::{OneOf, unknown};
use crate::open::{Answers, WITNESS, follow};
use anyhow::bail;
use std::sync::Arc;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::latch::Code;
use tumbler_core::wire::ask::Told;
use tumbler_core::wire::console::{Command, Exit};

/// Open a malfunction's latch (NZ 7.4); needs the supervisor's key, turned after the malfunction
///
/// With --rectified the table tests the device: by its hardware test where it has one (`tumblerctl faults` names it), which
/// shows its measurements, and asks where a person is to do or to see something. A test that turns the tumbler waits for a press
/// of `tumble` at the table, within 10 s of asking for it. What is out of limits stays latched. Ctrl-C calls the test off at the
/// table too: nothing is reset, and the table is closed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl reset dome --rectified --name Mei\n  tumblerctl reset seal --rectified --name Mei --witness seal=yes\n  tumblerctl reset lamps --procedure \"areas are called and marked by hand\" --name Mei"
)]
#[command(group = clap::ArgGroup::new("exit").required(true))]
pub(crate) struct Arguments {
    /// The malfunction, as `tumblerctl faults` names it
    #[arg(value_parser = OneOf { names: names, read: code })]
    code: Code,
    /// It has been put right: a test of that very device proves it
    #[arg(long, group = "exit")]
    rectified: bool,
    /// This procedure replaces the check until the table closes; for lamps, terminal and reader only
    #[arg(long, value_name = "TEXT", group = "exit")]
    procedure: Option<String>,
    /// The answers, for scripts whose caller has looked: ITEM=yes|no for areas and seal
    #[arg(long, value_name = "ITEM=yes|no,...", value_parser = WITNESS, hide_possible_values = true, conflicts_with = "procedure")]
    witness: Option<Answers>,
    #[command(flatten)]
    named: Named,
}

/// Every malfunction, by its name.
fn names() -> Vec<&'static str> {
    Code::ALL.map(Code::name).to_vec()
}

/// The malfunction of this name.
fn code(name: &str) -> Result<Code, String> {
    name.parse().map_err(|_| unknown(name, "no malfunction", &names()))
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let (code, name) = (of.code, of.named.name());
    match (of.procedure.clone(), code.hardware_test()) {
        (Some(procedure), _) => context.command(Command::Reset { code, exit: Exit::Procedure(procedure), name }),
        // It may wait for a press at the table, which is to be asked for where somebody reads it.
        (None, None) => {
            let on = context.clone();
            or_call_off(context, &of.named.name(), move |_| {
                let _steps = follow(&on.socket, !on.json)?;
                on.command(Command::Reset { code, exit: Exit::Rectified, name })
            })
        }
        (None, Some(test)) => prove(context, of, test),
    }
}

/// Rectified, by a hardware test: guided as that.
fn prove(context: &Context, of: &Arguments, test: HardwareTest) -> anyhow::Result<Ended> {
    let interrupt = Arc::new(Interrupt::catch()?);
    let guided = Guided { context, test, witness: of.witness.as_ref(), name: of.named.name(), interrupt };
    let reset = Command::Reset { code: of.code, exit: Exit::Rectified, name: of.named.name() };
    let outcome = guided.run(reset, Ends::Answered)?;
    let Some(answer) = &outcome.answer else {
        bail!("the daemon did not answer: `tumblerctl faults` tells whether {} is still latched", of.code);
    };
    if let (Some(report), false) = (outcome.report(), context.json) {
        tell(report)?;
    }
    context.say_answer(answer)?;
    Ok(if matches!(answer, Told::Done(_)) { Ended::Done } else { Ended::Refused })
}

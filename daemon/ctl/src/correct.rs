//! `tumblerctl correct`: write down an error in a round that has ended.

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::odds;
use crate::wording;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::Command;

/// Write down an error in a round that has ended (SGV6 5.8); no round is changed by it
///
/// The first record stays as it is, and so does every later round: this stands beside it, signed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl correct 1207 --dice 1,3,6 --reason \"1 3 5 was keyed and paid\" --name Mei"
)]
pub(crate) struct Arguments {
    /// The round's number
    round: u64,
    /// What was wrong
    #[arg(long, visible_alias = "why", value_name = "TEXT")]
    reason: String,
    /// What the dice truly showed, in any order, where that was the error
    #[arg(long, value_name = "A,B,C", value_parser = odds::dice)]
    dice: Option<Dice>,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let reason = match of.dice {
        // Not before a reason was stated: the table asks for one.
        Some(dice) if !of.reason.trim().is_empty() => format!("the dice showed {}: {}", wording::dice(dice), of.reason),
        _ => of.reason.clone(),
    };
    context.command(Command::Correct { round: RoundId(of.round), reason, name: of.named.name() })
}

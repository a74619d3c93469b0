//! `tumblerctl odds`: which areas of a layout win on three dice, and what they pay.

use crate::ending::Ended;
use crate::layouts;
use crate::one_of::OneOf;
use crate::say;
use serde::Serialize;
use tumbler_core::rules::{Layout, Winning};
use tumbler_core::units::Dice;

/// Show which areas win on three dice, and what they pay
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl odds --layout sg-v6-3 --dice 1,1,3 --json")]
pub(crate) struct Arguments {
    /// Layout, one of those that `tumblerctl layouts` lists
    #[arg(long, value_name = "ID", value_parser = OneOf { names: layouts::ids, read: layouts::layout })]
    layout: &'static Layout,
    /// The three dice, in any order
    #[arg(long, value_name = "A,B,C", value_parser = dice)]
    dice: Dice,
}

#[derive(Serialize)]
struct Odds<'a> {
    layout: &'a str,
    dice: Dice,
    total: u8,
    areas: Vec<Winning>,
}

/// Three dice as people write them: `1,1,3`.
///
/// # Errors
/// What is allowed, unless these are three numbers from 1 to 6 with commas between them.
pub(crate) fn dice(text: &str) -> Result<Dice, String> {
    let pips: Option<Vec<u8>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    let pips: Option<[u8; 3]> = pips.and_then(|p| p.try_into().ok());
    pips.and_then(|p| Dice::from_pips(p).ok())
        .ok_or_else(|| "three numbers from 1 to 6 with commas between them are allowed, such as 1,1,3".to_owned())
}

pub(crate) fn run(of: &Arguments, json: bool) -> anyhow::Result<Ended> {
    let layout = of.layout;
    let odds = Odds { layout: &layout.id, dice: of.dice, total: of.dice.total(), areas: layout.winning(of.dice) };
    if json {
        say::json(&odds)?;
    } else {
        say::line(&tumbler_core::round::call::result(of.dice))?;
        let pays = |area: &Winning| format!("{} to 1", area.odds);
        let words = |area: &Winning| format!("{} pays {}", area.id, pays(area));
        say::table(["area", "pays"], &odds.areas, |area| [area.id.clone(), pays(area)], words)?;
    }
    Ok(Ended::Done)
}

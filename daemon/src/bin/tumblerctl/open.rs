//! `tumblerctl open`: the opening tests, guided.

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::link::Link;
use crate::say;
use crate::witness::{Found, Item};
use anyhow::bail;
use clap::ValueEnum;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumbler_core::wire::console::Command;

/// Run the opening tests and open the table (NZ 5)
///
/// The table tests power, lamps, tumbler and seal by itself; then it asks what only a person can see: whether the
/// right areas lit, the seal looks whole, the bell was heard and the sign was seen. Without a terminal and without
/// --witness it ends there, and `tumblerctl witness` answers. With --json every answer of the table is a line.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl open --name Mei\n  tumblerctl open --name Mei --witness areas=yes,seal=yes,bell=yes,sign=yes"
)]
pub(crate) struct Arguments {
    /// The answers, for scripts whose caller has looked: ITEM=yes|no for areas, seal, bell and sign
    #[arg(long, value_name = "ITEM=yes|no,...", value_parser = answers)]
    witness: Option<Answers>,
    #[command(flatten)]
    named: Named,
}

/// Answers given beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answers(pub(crate) Vec<(Item, Found)>);

/// Reads answers given beforehand.
pub(crate) fn answers(text: &str) -> Result<Answers, String> {
    let allowed =
        || format!("`{text}` is not understood; allowed is areas=yes,seal=yes,bell=yes,sign=yes with yes or no");
    let mut given = Vec::new();
    for part in text.split(',') {
        let (item, found) = part.split_once('=').ok_or_else(allowed)?;
        let item = Item::from_str(item.trim(), false).map_err(|_| allowed())?;
        let found = Found::from_str(found.trim(), false).map_err(|_| allowed())?;
        if given.iter().any(|(i, _)| *i == item) {
            return Err(format!("{} is answered twice", name(item)));
        }
        given.push((item, found));
    }
    Ok(Answers(given))
}

fn name(item: Item) -> String {
    item.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

const fn question(item: Item) -> &'static str {
    match item {
        Item::Areas => "Did the right areas light for each test result?",
        Item::Seal => "Does the dice compartment's seal look whole?",
        Item::Bell => "Was the bell heard?",
        Item::Sign => "Was the sign seen?",
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let by = of.named.name();
    let mut link = Link::open(&context.socket)?;
    if !context.json {
        let socket = context.socket.clone();
        // Ends with the process: it only shows what goes on.
        std::thread::spawn(move || show_progress(&socket));
    }
    if context.command_on(&mut link, Command::Open { name: by.clone() })? == Ended::Refused {
        return Ok(Ended::Refused);
    }
    let given = match &of.witness {
        Some(answers) => answers.0.clone(),
        None if !std::io::stdin().is_terminal() => return Ok(Ended::Done),
        None => Vec::new(),
    };
    for item in Item::ALL {
        let found = match given.iter().find(|(i, _)| *i == item) {
            Some((_, found)) => *found,
            None if of.witness.is_some() => continue,
            None => ask(item)?,
        };
        let right = found == Found::Yes;
        let command = Command::Witness { item: item.witness(), right, name: by.clone() };
        if context.command_on(&mut link, command)? == Ended::Refused || !right {
            return Ok(Ended::Refused);
        }
    }
    Ok(Ended::Done)
}

/// Asks on the terminal until the answer is yes or no.
pub(crate) fn ask(item: Item) -> anyhow::Result<Found> {
    loop {
        {
            let mut out = std::io::stdout().lock();
            let asks = format!("{} [y/n]", question(item));
            write!(out, "{} ", say::folded(&asks, 0))?;
            out.flush()?;
        }
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            bail!("the terminal hung up before {} was answered; `tumblerctl witness` answers too", name(item));
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Found::Yes),
            "n" | "no" => return Ok(Found::No),
            _ => {}
        }
    }
}

/// Shows each step of the tests as the table takes it; whatever goes wrong here is no matter for the opening.
fn show_progress(socket: &Path) {
    let Ok(mut link) = Link::open(socket) else { return };
    if link.ask(Ask::Query(Query::Watch)).is_err() {
        return;
    }
    let mut shown = None;
    while let Ok(told) = link.next() {
        let Told::Status(status) = told else { continue };
        if status.snapshot.test.is_some() && status.snapshot.test != shown {
            shown.clone_from(&status.snapshot.test);
            if let Some(test) = &shown {
                let _ = say::line(&format!("-- {test}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_given_item_by_item() {
        let given = answers("areas=yes,seal=no").unwrap();
        assert_eq!(given.0, [(Item::Areas, Found::Yes), (Item::Seal, Found::No)]);
        for wrong in ["", "areas", "areas=maybe", "door=yes", "areas=yes;seal=yes"] {
            assert!(answers(wrong).unwrap_err().contains("allowed is"), "{wrong}");
        }
        assert!(answers("seal=yes,seal=no").unwrap_err().contains("twice"));
    }
}

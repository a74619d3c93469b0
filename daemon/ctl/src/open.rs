//! `tumblerctl open`: the opening tests, guided.

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::interrupt::{Interrupt, or_call_off};
use crate::link::Link;
use crate::one_of::OneOf;
use crate::say;
use crate::witness::{Item, WitnessAnswer};
use anyhow::{Context as _, bail};
use clap::ValueEnum;
use std::io::{BufRead, IsTerminal};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use tumbler_core::prompt::PromptId;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumbler_core::wire::console::Command;

/// Run the opening tests and open the table (NZ 5)
///
/// The table tests power, lamps and seal by itself, and the tumbler once somebody presses `tumble` at the table, within 10 s of being
/// asked. Then every key of the terminal is to be pressed, 1 to 6 and Entry, and it asks what only a person can see: whether the
/// right areas lit, the seal looks whole, the bell was heard and the sign was seen, and where no dice reader sees them, whether
/// three dice lie under the seal. Without a terminal and without --witness it ends
/// before that, and `tumblerctl witness` answers. Ctrl-C calls the opening off at the table too. With --json every answer of the table is a line.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl open --name Mei\n  tumblerctl open --name Mei --witness areas=yes,seal=yes,bell=yes,sign=yes,dice=yes"
)]
pub(crate) struct Arguments {
    /// The answers, for scripts whose caller has looked: ITEM=yes|no for areas, seal, bell, sign and dice; what is not asked is passed over
    #[arg(long, value_name = "ITEM=yes|no,...", value_parser = WITNESS, hide_possible_values = true)]
    witness: Option<Answers>,
    #[command(flatten)]
    named: Named,
}

/// Answers given beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answers(pub(crate) Vec<(Item, WitnessAnswer)>);

/// How answers given beforehand are read and completed: a shell completes the first one, others follow a comma.
pub(crate) const WITNESS: OneOf<Answers> = OneOf {
    names: || {
        vec![
            "areas=yes",
            "areas=no",
            "seal=yes",
            "seal=no",
            "bell=yes",
            "bell=no",
            "sign=yes",
            "sign=no",
            "dice=yes",
            "dice=no",
        ]
    },
    read: answers,
};

/// Reads answers given beforehand.
pub(crate) fn answers(text: &str) -> Result<Answers, String> {
    let allowed = || {
        format!("`{text}` is not understood; allowed is areas=yes,seal=yes,bell=yes,sign=yes,dice=yes with yes or no")
    };
    let mut given = Vec::new();
    for part in text.split(',') {
        let (item, found) = part.split_once('=').ok_or_else(allowed)?;
        let item = Item::from_str(item.trim(), false).map_err(|_| allowed())?;
        let found = WitnessAnswer::from_str(found.trim(), false).map_err(|_| allowed())?;
        if given.iter().any(|(i, _)| *i == item) {
            return Err(format!("{} is answered twice", item.name()));
        }
        given.push((item, found));
    }
    Ok(Answers(given))
}

const fn question(item: Item) -> &'static str {
    match item {
        Item::Areas => "Did the right areas light for each test result?",
        Item::Seal => "Does the dice compartment's seal look whole?",
        Item::Bell => "Was the bell heard?",
        Item::Sign => "Was the sign seen?",
        Item::Dice => "Do three dice lie in the compartment under the seal?",
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let (by, given, on) = (of.named.name(), of.witness.clone(), context.clone());
    or_call_off(context, &of.named.name(), move |interrupt| guide(&on, by, given.as_ref(), interrupt))
}

/// Takes a person through the opening, who is asked for what was not answered beforehand.
fn guide(context: &Context, by: String, given: Option<&Answers>, interrupt: &Interrupt) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    let steps = follow(&context.socket, !context.json)?;
    if context.command_on(&mut link, Command::Open { name: by.clone() })? == Ended::Refused {
        return Ok(Ended::Refused);
    }
    if given.is_none() && !std::io::stdin().is_terminal() {
        return Ok(Ended::Done);
    }
    let Some(wanted) = asked_for(&steps)? else {
        say::complain("the opening ended before anything was asked; `tumblerctl events` tells why");
        return Ok(Ended::Refused);
    };
    for item in Item::ALL.into_iter().filter(|item| wanted.contains(&item.name())) {
        let found = match given {
            Some(given) => match given.0.iter().find(|(i, _)| *i == item) {
                Some((_, found)) => *found,
                None => continue,
            },
            None => match ask(item, interrupt)? {
                Some(found) => found,
                None => return Ok(Ended::Refused),
            },
        };
        let right = found == WitnessAnswer::Yes;
        let command = Command::Witness { item: item.witness(), right, name: by.clone() };
        if context.command_on(&mut link, command)? == Ended::Refused || !right {
            return Ok(Ended::Refused);
        }
    }
    Ok(Ended::Done)
}

/// What a person is to look at, once every key of the terminal was pressed; none where the opening ended before.
fn asked_for(steps: &Receiver<Snapshot>) -> anyhow::Result<Option<Vec<String>>> {
    let mut began = false;
    loop {
        let now = steps.recv().context("the daemon hung up before the opening was done; `tumblerctl status` tells")?;
        match now.prompt {
            Some(prompt) if prompt.id == PromptId::Witness => return Ok(Some(prompt.of)),
            _ if began && now.test.is_none() => return Ok(None),
            _ => began |= now.test.is_some(),
        }
    }
}

/// Asks on the terminal until the answer is yes or no; none where that was interrupted.
pub(crate) fn ask(item: Item, interrupt: &Interrupt) -> anyhow::Result<Option<WitnessAnswer>> {
    loop {
        let question = say::Question::ask(&format!("{} [y/n]", question(item)))?;
        if interrupt.comes_before(std::io::stdin().as_fd()) {
            drop(question);
            say::line("")?;
            return Ok(None);
        }
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line)?;
        drop(question);
        if read == 0 {
            bail!("the terminal hung up before {} was answered; `{}` answers too", item.name(), item.command());
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(WitnessAnswer::Yes)),
            "n" | "no" => return Ok(Some(WitnessAnswer::No)),
            _ => {}
        }
    }
}

/// Follows the tests as the table takes them, and shows each step. Ends with the process, or with the daemon.
pub(crate) fn follow(socket: &Path, shows: bool) -> anyhow::Result<Receiver<Snapshot>> {
    let (to, steps) = channel();
    let mut link = Link::open(socket)?;
    link.ask(Ask::Query(Query::Watch))?;
    std::thread::spawn(move || {
        let mut shown = None;
        while let Ok(told) = link.next() {
            let Told::Status(status) = told else { continue };
            let test = &status.snapshot.test;
            // Who is asked here for what a person sees needs no second line that says so.
            let asked = std::io::stdin().is_terminal()
                && status.snapshot.prompt.as_ref().is_some_and(|prompt| prompt.id == PromptId::Witness);
            if shows && test.is_some() && *test != shown && !asked {
                shown.clone_from(test);
                let _ = say::line(&format!("-- {}", test.as_deref().unwrap_or_default()));
            }
            if to.send(status.snapshot).is_err() {
                return;
            }
        }
    });
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_given_item_by_item() {
        let given = answers("areas=yes,seal=no").unwrap();
        assert_eq!(given.0, [(Item::Areas, WitnessAnswer::Yes), (Item::Seal, WitnessAnswer::No)]);
        for wrong in ["", "areas", "areas=maybe", "door=yes", "areas=yes;seal=yes"] {
            assert!(answers(wrong).unwrap_err().contains("allowed is"), "{wrong}");
        }
        let known: Vec<Answers> = (WITNESS.names)().into_iter().map(|one| answers(one).unwrap()).collect();
        assert!(Item::ALL.into_iter().all(|item| known.iter().filter(|one| one.0[0].0 == item).count() == 2));
        assert!(answers("seal=yes,seal=no").unwrap_err().contains("twice"));
    }
}

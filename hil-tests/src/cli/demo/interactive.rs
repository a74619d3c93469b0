//! The demo by hand: carries out scenario steps that are typed line by line, on a table that runs on between them.

use super::narrator::Narrator;
use crate::cli::say;
use crate::report;
use crate::scenario::parse::line_of_steps;
use crate::scenario::{Trial, play_steps};
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use tumbler_bench::process::clock;

/// How often the keyboard is polled, in milliseconds.
const LOOK: u64 = 50;

/// Carries out what is typed until Ctrl-C, also after the end of standard input. `trial` has the rule set.
pub(super) fn play(mut table: Narrator, trial: &Trial) -> anyhow::Result<u8> {
    say::line("Type steps, as in fixtures/scenarios/*.toml, several parted by `;`. Ctrl-C ends.");
    let typed = keyboard();
    let mut gone = false;
    while !clock::interrupted() {
        match typed.try_recv() {
            Ok(line) => take(&mut table, &line, trial),
            Err(TryRecvError::Disconnected) if !gone => gone = true,
            Err(_) => table.pass_for(LOOK).map_err(|trouble| anyhow::anyhow!("{trouble}"))?,
        }
    }
    let found = table.close();
    for violation in &found {
        say::line(&format!("a judge: {violation}"));
    }
    Ok(if found.is_empty() { report::PASSED } else { report::FAILED })
}

/// Lines as they are typed. The thread ends with standard input or with the process.
fn keyboard() -> Receiver<String> {
    let (to, typed) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if to.send(line).is_err() {
                return;
            }
        }
    });
    typed
}

fn take(table: &mut Narrator, line: &str, trial: &Trial) {
    let answer = match line_of_steps(line, &trial.layout) {
        Err(error) => error.to_string(),
        Ok(steps) => match play_steps(table, trial, steps.iter().flat_map(|(_, steps)| steps)) {
            Ok(()) => format!("done: {line}"),
            Err(stuck) => format!("not done: {line}: {stuck}"),
        },
    };
    say::line(&answer);
}

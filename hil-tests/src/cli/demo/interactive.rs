//! The demo by hand: carries out scenario steps that are typed line by line, on a table that runs on between them.

use super::narrator::Narrator;
use crate::cli::{say, steps};
use crate::report;
use crate::scenario::parse::line_of_steps;
use crate::scenario::step::Step;
use crate::scenario::{Hand, Trial};
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use tumbler_bench::process::clock;

/// How often the keyboard is polled, in milliseconds.
const LOOK: u64 = 50;

/// Carries out what is typed until Ctrl-C, also after the end of standard input. `trial` has the rule set.
pub(super) fn play(mut table: Narrator, trial: &Trial) -> anyhow::Result<u8> {
    say::line(
        "Type steps, as in fixtures/scenarios/*.toml, several parted by `;`. `help` says more, and `quit` or Ctrl-C ends.",
    );
    let typed = keyboard();
    let (mut gone, mut undo) = (false, Undo::default());
    let mut hand = Hand::new(&mut table, trial);
    while !clock::interrupted() {
        match typed.try_recv() {
            Ok(line) if matches!(line.trim(), "quit" | "exit") => break,
            Ok(line) => take(&mut hand, line.trim(), trial, &mut undo),
            Err(TryRecvError::Disconnected) if !gone => gone = true,
            Err(_) => hand.pass(LOOK).map_err(|trouble| anyhow::anyhow!("{trouble}"))?,
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

/// The steps that put right what earlier lines have broken and what people hold. Each line is played by itself, and knows nothing of
/// those before it.
#[derive(Debug, Default)]
struct Undo(Vec<Step>);

impl Undo {
    /// The steps to play for these: `heal all` and `recover table` put right what earlier lines did too.
    fn with(&mut self, steps: impl IntoIterator<Item = Step>) -> Vec<Step> {
        let mut all = Vec::new();
        for step in steps {
            match &step {
                Step::Fault(broken) => self.0.push(Step::Heal(broken.clone())),
                Step::Hold(line) => self.0.push(Step::LetGo(*line)),
                Step::BreakSeal => self.0.push(Step::MendSeal),
                Step::Heal(_) | Step::LetGo(_) | Step::MendSeal => self.0.retain(|undo| *undo != step),
                Step::HealAll | Step::Recover => all.extend(self.0.drain(..).rev()),
                _ => {}
            }
            all.push(step);
        }
        all
    }
}

/// What `help` says.
const HELP: &str = "\
    open table; play to spun      steps of a scenario, carried out one after another\n\
    go on                         people do what comes next, to the end of the round\n\
    fault motor.stall; heal all   break something, and mend it\n\
    expect phase ready because silent: I look\n\
    steps, steps WORD             all words with their meaning, or those that have WORD in them\n\
    quit                          end the demo";

/// Carries out a line.
fn take(hand: &mut Hand<'_>, line: &str, trial: &Trial, undo: &mut Undo) {
    let mut words = line.split_whitespace();
    let answer = match (words.next(), words.next(), words.next()) {
        (None, ..) => return,
        (Some("help"), None, _) => HELP.to_owned(),
        (Some("steps"), word, None) => steps::text(word).unwrap_or_else(|wrong| wrong.to_string()),
        _ => carry_out(hand, line, trial, undo),
    };
    say::line(&answer);
}

fn carry_out(hand: &mut Hand<'_>, line: &str, trial: &Trial, undo: &mut Undo) -> String {
    match line_of_steps(line, &trial.layout) {
        Err(error) => format!("{error}\n  `help` and `steps` say what can be typed"),
        Ok(steps) => match hand.play(&undo.with(steps.into_iter().flat_map(|(_, steps)| steps))) {
            Ok(None) => format!("done: {line}"),
            Ok(Some(idle)) => format!("{line}: {idle}"),
            Err(stuck) => format!("not done: {line}: {stuck}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heal_all_puts_right_what_earlier_lines_broke_the_latest_first() {
        let mut undo = Undo::default();
        let mut typed = |line: &str| {
            let steps = line_of_steps(line, "nz-div9-1").unwrap().into_iter().flat_map(|(_, steps)| steps);
            undo.with(steps)
        };
        let steps = |line: &str| line_of_steps(line, "nz-div9-1").unwrap().into_iter().flat_map(|(_, steps)| steps);
        typed("fault motor.stall; fault lamp.open:small");
        typed("hold tumble; break seal; heal motor.stall");
        let all: Vec<Step> = steps("mend seal; release tumble; heal lamp.open:small; heal all").collect();
        assert_eq!(typed("heal all"), all);
        assert_eq!(typed("recover table"), steps("recover table").collect::<Vec<_>>(), "once is enough");
    }
}

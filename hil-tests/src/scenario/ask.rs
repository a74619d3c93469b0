//! Commands on the console, and their answers.

use super::check::{PATIENCE, where_we_are};
use super::halt::Halt;
use super::session::Session;
use tumbler_bench::{BenchError, Role};
use tumbler_core::wire::console::{Answer, Command};

/// Longest wait for an answer, in milliseconds: twice what a person may take in a test.
const ANSWER: u64 = 300_000;

/// The supervisor turns the key and gives a command. Returns whether it was done.
pub(super) fn supervise(session: &mut Session<'_>, command: Command) -> Result<bool, Halt> {
    session.turn_key()?;
    ask_as(session, Role::Supervisor, command)?;
    Ok(matches!(await_answer(session)?, Answer::Done(_)))
}

/// As [`supervise`], by the shift manager, for what the rules leave open (SGV6 5.14).
pub(super) fn decide(session: &mut Session<'_>, command: Command) -> Result<bool, Halt> {
    session.turn_key()?;
    ask_as(session, Role::Manager, command)?;
    Ok(matches!(await_answer(session)?, Answer::Done(_)))
}

pub(super) fn ask(session: &mut Session<'_>, command: Command) -> Result<(), BenchError> {
    ask_as(session, session.console.role, command)
}

pub(super) fn ask_as(session: &mut Session<'_>, role: Role, command: Command) -> Result<(), BenchError> {
    session.console.ask(session.bench, role, command)
}

pub(super) fn answer(session: &mut Session<'_>, done: bool, word: &str) -> Result<(), Halt> {
    match (await_answer(session)?, done) {
        (Answer::Done(text), true) | (Answer::Refused { why: text, .. }, false) if text.contains(word) => Ok(()),
        (answer, _) => {
            let wanted = if done { "done" } else { "refused" };
            let wanted = if word.is_empty() { wanted.to_owned() } else { format!("{wanted}, with `{word}` in it") };
            Err(Halt::Wrong(format!(
                "the answer was {}, and {wanted} is expected; {}",
                told(&answer),
                where_we_are(session)
            )))
        }
    }
}

/// An answer for people, as `answer` names it.
pub(super) fn told(answer: &Answer) -> String {
    match answer {
        Answer::Done(text) => format!("done (\"{text}\")"),
        Answer::Refused { why: text, .. } => format!("refused (\"{text}\")"),
    }
}

/// Waits for the answer to the last command.
pub(super) fn await_answer(session: &mut Session<'_>) -> Result<Answer, Halt> {
    match session.console.answer(session.bench, if session.trying { PATIENCE } else { ANSWER })? {
        Some(answer) => Ok(answer),
        None => Err(Halt::Wrong(format!("no answer within five minutes; {}", where_we_are(session)))),
    }
}

//! Guides a person through a test of the table: shows its steps and measurements, and asks what only a person can see. Used for
//! hardware tests and for resets that include one.

mod live;

use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::link::{Link, astray};
use crate::open::Answers;
use crate::say;
use crate::witness::{Item, WitnessAnswer};
use live::Live;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tumbler_core::hardware_test::{HardwareTest, Report};
use tumbler_core::prompt::PromptId;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumbler_core::wire::console::Command;
use tumbler_core::wire::topics::EventMessage;
use tumblerd::pages::test_report::report;

/// A refusal is told at once, the report of the test behind it when that is durable: the longest wait for it. Where the
/// journal fails it never comes.
const REPORT: Duration = Duration::from_secs(2);

/// What ends a guided test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The record of what was measured: the answer may come before, when a person is waited for.
    Recorded,
    /// The answer to the command.
    Answered,
}

/// The result of a guided test.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The record of what was measured, if it came to that.
    pub(crate) record: Option<Box<EventMessage>>,
    /// The table's last answer.
    pub(crate) answer: Option<Told>,
    /// A person called it off.
    pub(crate) called_off: bool,
}

impl Outcome {
    /// What was measured, if it came to that.
    pub(crate) fn report(&self) -> Option<&Report> {
        self.record.as_deref().and_then(report)
    }
}

/// A test, and who runs it.
pub(crate) struct Guided<'a> {
    pub(crate) context: &'a Context,
    pub(crate) test: HardwareTest,
    /// Answers that were given beforehand.
    pub(crate) witness: Option<&'a Answers>,
    pub(crate) name: String,
    /// What calls the test off at the table.
    pub(crate) interrupt: Arc<Interrupt>,
}

/// What the daemon said, on either connection.
enum Heard {
    /// On the connection that watches.
    Seen(Told),
    /// The answer to the command.
    Answered(Told),
    /// A person calls the test off.
    Interrupted,
    /// The answer to that.
    CalledOff(Told),
    /// A connection broke.
    Broken(anyhow::Error),
}

impl Guided<'_> {
    /// Gives the command, and shows and asks what its test shows and asks until it has ended.
    ///
    /// # Errors
    /// The daemon cannot be reached or cannot answer, or the terminal is gone.
    pub(crate) fn run(&self, by: Command, ends: Ends) -> anyhow::Result<Outcome> {
        let (to, heard) = channel();
        let mut watch = Link::open(&self.context.socket)?;
        watch.ask(Ask::Query(Query::Watch))?;
        // What it tells first is from before the test.
        watch.next()?;
        let seen = to.clone();
        // Both end with the process, or when nobody listens any more.
        std::thread::spawn(move || follow(watch, &seen, Heard::Seen, true));
        command(&self.context.socket, by, to.clone(), Heard::Answered)?;
        let (interrupt, interrupted) = (Arc::clone(&self.interrupt), to.clone());
        std::thread::spawn(move || {
            interrupt.wait();
            // Where nobody listens any more, the test has ended.
            let _ = interrupted.send(Heard::Interrupted);
        });
        let mut live = Live::new(!self.context.json);
        let outcome = self.listen((&heard, &to), &mut live, ends)?;
        live.clear()?;
        Ok(outcome)
    }

    fn listen(
        &self,
        (heard, to): (&Receiver<Heard>, &Sender<Heard>),
        live: &mut Live,
        ends: Ends,
    ) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::default();
        let mut asked = false;
        loop {
            let next = match (&outcome, ends) {
                (Outcome { answer: Some(_), record: Some(_), .. }, Ends::Answered) => return Ok(outcome),
                (Outcome { record: Some(_), .. }, Ends::Recorded) => return Ok(outcome),
                (Outcome { answer: Some(Told::Refused { .. }), .. }, Ends::Recorded) => return Ok(outcome),
                // What never began has no report; a reset whose test went against it says that the latch stays.
                (Outcome { answer: Some(Told::Refused { code, .. }), .. }, Ends::Answered)
                    if code != "stays-latched" =>
                {
                    return Ok(outcome);
                }
                (Outcome { answer: Some(_), .. }, Ends::Answered) | (Outcome { called_off: true, .. }, _) => {
                    match heard.recv_timeout(REPORT) {
                        Err(RecvTimeoutError::Timeout) => return Ok(outcome),
                        next => next?,
                    }
                }
                _ => heard.recv()?,
            };
            match next {
                Heard::Seen(Told::Status(status)) => {
                    live.show(&status.snapshot)?;
                    let over = ends == Ends::Answered && outcome.answer.is_some();
                    // Another test may wait for its own witness where this one is refused.
                    let item = seen_in(self.test).filter(|item| match &status.snapshot.prompt {
                        Some(prompt) => prompt.id == PromptId::Witness && prompt.of == [item.name()],
                        None => false,
                    });
                    if let (Some(item), false) = (item, over || asked) {
                        asked = true;
                        live.clear()?;
                        self.witness(item)?;
                    }
                }
                Heard::Seen(Told::Record(record)) => {
                    if report(&record).is_some_and(|report| report.test == self.test) {
                        outcome.record = Some(record);
                    }
                }
                Heard::Answered(told @ (Told::Done(_) | Told::Refused { .. })) => outcome.answer = Some(told),
                Heard::Interrupted => {
                    outcome.called_off = true;
                    command(
                        &self.context.socket,
                        Command::Close { name: self.name.clone() },
                        to.clone(),
                        Heard::CalledOff,
                    )?;
                }
                Heard::CalledOff(Told::Refused { why, .. }) => {
                    say::complain(&format!("the test goes on at the table, which refuses to call it off: {why}"));
                    return Ok(outcome);
                }
                Heard::CalledOff(_) => {}
                Heard::Broken(error) => return Err(error),
                Heard::Seen(_) | Heard::Answered(_) => return Err(astray("a test")),
            }
        }
    }

    /// Says what only a person can see; where nobody can be asked, `tumblerctl witness` answers.
    fn witness(&self, item: Item) -> anyhow::Result<()> {
        let given = self.witness.and_then(|answers| answers.0.iter().find(|(i, _)| *i == item));
        let found = match given {
            Some((_, found)) => *found,
            None if std::io::stdin().is_terminal() => match crate::open::ask(item, &self.interrupt)? {
                Some(found) => found,
                None => return Ok(()),
            },
            None => {
                say::complain(&format!("the table waits for {}: answer with `{}`", self.test, item.command()));
                return Ok(());
            }
        };
        let mut link = Link::open(&self.context.socket)?;
        let command =
            Command::Witness { item: item.witness(), right: found == WitnessAnswer::Yes, name: self.name.clone() };
        link.ask(Ask::Command(command))?;
        // Too late, perhaps: what the table makes of it is in its report.
        if let Told::Refused { why, .. } = link.next()? {
            let next = format!("if the test has ended, run it again; else answer with `{}`", item.command());
            say::complain(&format!("the answer was refused: {why}; {next}"));
        }
        Ok(())
    }
}

/// What a person looks at in this test, if anything.
const fn seen_in(test: HardwareTest) -> Option<Item> {
    match test {
        HardwareTest::Bell => Some(Item::Bell),
        HardwareTest::Seal => Some(Item::Seal),
        HardwareTest::Lamps => Some(Item::Areas),
        _ => None,
    }
}

/// Gives a command on a connection of its own.
fn command(
    socket: &Path,
    command: Command,
    to: Sender<Heard>,
    as_heard: impl Fn(Told) -> Heard + Send + 'static,
) -> anyhow::Result<()> {
    let mut link = Link::open(socket)?;
    link.ask(Ask::Command(command))?;
    std::thread::spawn(move || follow(link, &to, as_heard, false));
    Ok(())
}

/// Hands on what a connection tells, once or until it breaks.
fn follow(mut link: Link, to: &Sender<Heard>, as_heard: impl Fn(Told) -> Heard, on: bool) {
    loop {
        let heard = link.next().map_or_else(Heard::Broken, &as_heard);
        let broken = matches!(heard, Heard::Broken(_));
        if to.send(heard).is_err() || broken || !on {
            return;
        }
    }
}

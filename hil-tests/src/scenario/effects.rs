//! Lines that cannot do anything where they stand: what they would end, mend or check was never begun. Such a line is a slip, and the
//! run would pass without what its author meant.

use super::order;
use super::step::{Stage, Step};
use std::collections::BTreeSet;
use tumbler_bench::Wrong;
use tumbler_core::line::InLine;
use tumbler_core::wire::console::Command;

/// What steps have begun so far, of those of one trial in their order.
#[derive(Debug, Default)]
pub(super) struct Begun {
    broken: BTreeSet<String>,
    held: BTreeSet<&'static str>,
    seal: bool,
    asked: bool,
    /// The last command needs the supervisor's key.
    keyed: bool,
    /// Nobody has turned the key since `open table`, whose own turn is in force on a bench that opens the table before the scenario's eyes,
    /// and not on one that copies an opened table.
    key_left: bool,
    /// Where the round is by the latest `at`, until the people play on.
    at: Option<Stage>,
}

impl Begun {
    /// Takes the next step in, under this rule set; `later` are those that follow.
    ///
    /// # Errors
    /// Why it cannot do anything. What is tried may.
    pub(super) fn take<'s>(
        &mut self,
        step: &Step,
        rules: &str,
        mut later: impl Iterator<Item = &'s Step>,
    ) -> Result<(), Wrong> {
        match step {
            Step::Fault(broken) => {
                self.broken.insert(broken.name.clone());
            }
            Step::Try(tried)
                if !matches!(**tried, Step::Heal(_) | Step::LetGo(_) | Step::MendSeal | Step::Answer(..)) =>
            {
                return self.take(tried, rules, later);
            }
            Step::Heal(healed) if !self.broken.contains(&healed.name) => {
                let name = &healed.name;
                let known = self.broken.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                let problem = format!("`heal {name}` heals nothing: no step before it breaks `{name}`");
                return Err(Wrong::new(name, problem, known));
            }
            Step::Hold(line) => {
                self.key_left &= *line != InLine::SupervisorKey;
                self.held.insert(line.name());
            }
            Step::LetGo(line) => self.let_go(*line)?,
            Step::BreakSeal => self.seal = true,
            Step::MendSeal if !self.seal => {
                return Err(Wrong::new(
                    "mend",
                    "`mend seal` mends nothing: no step before it breaks the seal",
                    "break seal",
                ));
            }
            Step::Ask(command) | Step::AskAlone(command) => {
                self.asked = true;
                self.keyed = needs_key(command);
            }
            Step::Answer(true, _) if self.asked && self.keyed && self.key_left => {
                self.asked = false;
                return Err(Wrong::new(
                    "do",
                    "this command needs the supervisor's key, and no step turns it: the turn at the opening is not in force on every bench",
                    "turn key; do COMMAND",
                ));
            }
            Step::Open => self.key_left = true,
            Step::Press(InLine::SupervisorKey, _) => self.key_left = false,
            Step::Kill | Step::Stop | Step::Start | Step::Power(_) | Step::Recover | Step::Prove(..) => {
                self.key_left = false
            }
            Step::ProveShut(_) | Step::ProveOpens(..) => self.key_left = false,
            Step::Answer(..) if !core::mem::take(&mut self.asked) => {
                let problem = "`answer` checks nothing: no command before it waits for its answer";
                return Err(Wrong::new("answer", problem, "ask COMMAND; answer done|refused"));
            }
            Step::At(stage) => self.at(*stage, rules, later.any(plays_on))?,
            step if plays_on(step) => {
                self.at = None;
                // People who go on may have called the supervisor.
                self.key_left &= *step != Step::GoOn;
            }
            _ => {}
        }
        Ok(())
    }

    fn let_go(&mut self, line: InLine) -> Result<(), Wrong> {
        if self.held.remove(line.name()) {
            return Ok(());
        }
        let problem = format!("`release {0}` releases nothing: no step before it holds `{0}`", line.name());
        Err(Wrong::new(line.name(), problem, format!("hold {}", line.name())))
    }

    fn at(&mut self, stage: Stage, rules: &str, read: bool) -> Result<(), Wrong> {
        let name = stage.name();
        let order = order::of(rules);
        if !order.iter().any(|(_, reached)| *reached == stage) {
            return Err(Wrong::new(name, format!("no round is ever at `{name}` under {rules}"), ""));
        }
        if self.at.replace(stage) == Some(stage) {
            return Err(Wrong::new(name, format!("`at {name}` changes nothing: the round is there already"), ""));
        }
        if read {
            return Ok(());
        }
        let problem = format!("`at {name}` changes nothing: no step after it plays on from there");
        Err(Wrong::new(name, problem, "play to STAGE, play up to spin or go on after it"))
    }
}

/// Whether the supervisor's key has to be turned for it (console.md).
const fn needs_key(command: &Command) -> bool {
    !matches!(command, Command::Record | Command::Close { .. } | Command::Witness { .. })
}

/// Whether the step goes by how far the round has been played.
fn plays_on(step: &Step) -> bool {
    match step {
        Step::PlayTo(_) | Step::UpToSpin | Step::GoOn => true,
        Step::Try(step) => plays_on(step),
        _ => false,
    }
}

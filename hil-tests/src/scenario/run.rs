//! Runs a trial on a bench and judges how it ended.

use super::attend::Attendant;
use super::check;
use super::ends::Compared;
use super::file::Trial;
use super::free::Blame;
use super::harm::Injected;
use super::note::Timeline;
use super::step::{Check, Step};
use serde_json::Value;
use tumbler_bench::{Bench, Role, Trouble};
use tumbler_core::line::InLine;
use tumbler_core::settings::Settings;
use tumbler_core::units::RoundId;
use tumbler_twin::{Act, MS};

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was as it must be.
    Pass,
    /// The table did something else than the rules say; each entry says what.
    Fail(Vec<String>),
    /// This bench cannot run it, for this reason.
    NotExecuted(String),
    /// The rig was at fault, so nothing is known about the table.
    Invalid(String),
}

/// A trial's verdict, with what is worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Table time that passed, in nanoseconds.
    pub table_ns: u64,
    /// Kinds of all records, in order, for whoever looks into a failure.
    pub records: Vec<String>,
    /// What was left out, and why: a pass proves nothing about it.
    pub notes: Vec<String>,
    /// What was broken and mended when, and how long the table took.
    pub timeline: Timeline,
    /// How the trial's expectations and the judges' truth table compared.
    pub compared: Compared,
}

/// Longest wait for what may not come, in milliseconds: a spin has 8 s, and the dice 500 ms.
pub(super) const PATIENCE: u64 = 9_000;

/// Why a trial ended before its last step.
pub(super) enum Halt {
    /// The table did not do what was waited for or expected.
    Wrong(String),
    /// The bench.
    Trouble(Trouble),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// A trial in progress.
pub(super) struct Runner<'a> {
    pub bench: &'a mut dyn Bench,
    pub trial: &'a Trial,
    /// Records as JSON, as far as they were looked at.
    pub seen: Vec<Value>,
    /// First record that the next search looks at.
    pub cursor: usize,
    /// First record since the last mark, and bells rung until then.
    pub mark: usize,
    pub bells: u32,
    /// When the last mark was made, and when something was last broken, in table time.
    pub marked_at: u64,
    pub broken_at: u64,
    /// Rounds that had ended at the last mark, or that people have gone on after.
    pub known_endings: usize,
    /// How many deeds of the order of play are done in this round.
    pub done: usize,
    /// First record of this round.
    pub round_from: usize,
    /// The table's settings at the beginning, once others were set.
    pub own: Option<Settings>,
    pub role: Role,
    pub asked: Option<u64>,
    /// Who does what a test in progress asks for.
    pub attendant: Option<Attendant>,
    pub faults: Vec<Injected>,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// Lines that are held, and whether the seal's loop is open.
    pub held: Vec<InLine>,
    pub seal_broken: bool,
    /// Whether the step in progress may come to nothing.
    pub trying: bool,
    pub blame: Blame,
    pub timeline: Timeline,
    /// The words of the step in hand.
    pub words: &'a str,
    /// What a check found wrong that has more to tell than yes or no.
    pub wrong: Vec<String>,
    /// What the dice showed when the outcome was established, where that was watched.
    pub established: Option<(RoundId, [u8; 3])>,
}

/// Runs a trial.
pub fn run(bench: &mut dyn Bench, trial: &Trial) -> Outcome {
    let mut runner = Runner::new(bench, trial);
    let verdict = match runner.whole() {
        Ok(wrongs) if wrongs.is_empty() => Verdict::Pass,
        Ok(wrongs) => Verdict::Fail(wrongs),
        // What went wrong without a word of the scenario is told besides.
        Err(Halt::Wrong(what)) => Verdict::Fail(core::iter::once(what).chain(runner.judged()).collect()),
        Err(Halt::Trouble(Trouble::NotHere(why))) => Verdict::NotExecuted(why),
        Err(Halt::Trouble(Trouble::Rig(why))) => Verdict::Invalid(why),
    };
    runner.catch_up();
    let compared = runner.compared();
    let verdict = with_differences(verdict, &compared);
    let verdict = match (verdict, runner.bench.late()) {
        // A rig that came late may have made the table fail.
        (Verdict::Fail(why), Some(late)) => {
            Verdict::Invalid(format!("{late}, and so says nothing: {}", why.join("; ")))
        }
        (verdict, _) => verdict,
    };
    let verdict = match (verdict, runner.bench.unlisted()) {
        (Verdict::Pass | Verdict::Fail(_), Some(unheld)) => Verdict::Invalid(unheld),
        // In free play what a failing disk held back is told too late to be judged; what the table does not hold is told above.
        (Verdict::Pass, None) if compared.unheld > 0 && !trial.free => {
            Verdict::Invalid(format!("the truth table says nothing of {} rounds that ended", compared.unheld))
        }
        (verdict, _) => verdict,
    };
    let records = runner.seen.iter().map(check::brief).collect();
    let (notes, timeline) = (runner.notes, runner.timeline);
    Outcome { verdict, table_ns: runner.bench.now(), records, notes, timeline, compared }
}

/// An expectation that the texts do not have is wrong, whatever the table at hand did.
fn with_differences(verdict: Verdict, compared: &Compared) -> Verdict {
    let differ = compared.differences.iter().map(|told| format!("expectation and truth table differ: {told}"));
    match verdict {
        Verdict::Pass if compared.differences.is_empty() => Verdict::Pass,
        Verdict::Pass => Verdict::Fail(differ.collect()),
        Verdict::Fail(why) => Verdict::Fail(why.into_iter().chain(differ).collect()),
        other => other,
    }
}

/// Plays a trial with nobody asked but the judges: no step need succeed, and nothing else is expected. What they found first.
pub fn judges_alone(bench: &mut dyn Bench, trial: &Trial) -> Option<String> {
    Runner::new(bench, trial).judges_alone()
}

impl<'a> Runner<'a> {
    pub(super) fn new(bench: &'a mut dyn Bench, trial: &'a Trial) -> Self {
        Self {
            bench,
            trial,
            seen: Vec::new(),
            cursor: 0,
            mark: 0,
            bells: 0,
            marked_at: 0,
            broken_at: 0,
            known_endings: 0,
            done: 0,
            round_from: 0,
            own: None,
            role: Role::default(),
            asked: None,
            attendant: None,
            faults: Vec::new(),
            held: Vec::new(),
            seal_broken: false,
            trying: false,
            blame: Blame::default(),
            established: None,
            notes: Vec::new(),
            timeline: Timeline::default(),
            words: "",
            wrong: Vec::new(),
        }
    }
}

impl Runner<'_> {
    /// Reads the records that came since the last look.
    pub(super) fn catch_up(&mut self) {
        let log = self.bench.log();
        for durable in log.records.iter().skip(self.seen.len()) {
            self.seen.push(serde_json::to_value(&durable.record).unwrap_or(Value::Null));
        }
    }

    pub(super) fn step(&mut self, step: &Step) -> Result<(), Halt> {
        self.note(step);
        match step {
            Step::Open => self.open()?,
            Step::PlayTo(stage) => self.play_to(*stage)?,
            Step::GoOn => self.go_on()?,
            Step::UpToSpin => self.up_to_spin()?,
            Step::At(stage) => self.at(*stage),
            Step::Press(line, millis) => {
                self.bench.act(Act::Press { line: *line, millis: *millis })?;
                self.pass(u64::from(*millis) + 80)?;
            }
            Step::Hold(line) => {
                self.held.push(*line);
                self.bench.act(Act::Hold(*line))?;
            }
            Step::LetGo(line) => {
                self.held.retain(|held| held != line);
                self.bench.act(Act::LetGo(*line))?;
            }
            Step::LiftDome => self.bench.act(Act::LiftDome)?,
            Step::LowerDome => self.bench.act(Act::LowerDome)?,
            Step::Keys(keys) => self.keys(keys)?,
            Step::EnterDice => {
                let [a, b, c] = self.dice_as_seen();
                self.keys(&[a, b, c, 7])?;
            }
            Step::TurnShaft(quarters) => self.bench.act(Act::TurnShaft(*quarters))?,
            Step::BreakSeal => {
                self.seal_broken = true;
                self.bench.act(Act::BreakSeal)?;
            }
            Step::MendSeal => {
                self.seal_broken = false;
                self.bench.act(Act::MendSeal)?;
            }
            Step::MoveDie(die, face, flat) => {
                self.bench.act(Act::MoveDie { die: *die, face: *face, flat: *flat })?;
            }
            Step::Dip => self.bench.act(Act::DipSupply)?,
            Step::LoseEdge(line) => self.bench.act(Act::LoseEdge(*line))?,
            Step::Settings(change) => self.set(change)?,
            Step::Fault(id) => {
                let what = self.broken(id)?;
                self.inject(id, what)?;
            }
            Step::Heal(id) => {
                let what = self.broken(id)?;
                self.heal(what)?;
            }
            Step::HealAll => self.heal_all()?,
            Step::Collect => self.collect_and_pay()?,
            Step::Recover => self.recover()?,
            Step::Try(step) => self.attempt(step)?,
            Step::Dice(faces) => self.bench.dictate(*faces)?,
            Step::Pass(millis) => self.pass(*millis)?,
            Step::Wait(check, millis) => self.timed(check, *millis)?,
            Step::Expect(check, clause) => {
                if !self.holds(check)? {
                    return Err(Halt::Wrong(format!("is not so [{clause}]; {}", self.where_we_are())));
                }
            }
            Step::Ask(command) => self.ask(command.as_ref().clone())?,
            Step::Answer(done, word) => self.answer(*done, word)?,
            Step::As(role) => self.role = *role,
            Step::Mark => {
                self.catch_up();
                self.cursor = self.seen.len();
                self.mark = self.cursor;
                self.marked_at = self.bench.now();
                self.broken_at = self.marked_at;
                self.known_endings = self.ended_rounds();
                self.bells = self.bench.log().bells;
            }
            Step::Kill => self.bench.kill()?,
            Step::Start => self.bench.start()?,
            Step::Stop => self.bench.stop()?,
            Step::Power(on) => self.bench.power(*on)?,
            Step::Broker(up) => self.bench.broker(*up)?,
            Step::Prove(code, thoroughly) => self.prove(*code, *thoroughly)?,
            Step::ProveShut(code) => self.prove_shut(*code)?,
            Step::ProveOpens(code, exit) => self.prove_opens(*code, exit)?,
        }
        Ok(())
    }

    /// A step that may come to nothing.
    fn attempt(&mut self, step: &Step) -> Result<(), Halt> {
        let runs = self.bench.snapshot()?.is_some();
        let supplied = self.bench.physical().supply;
        match step {
            Step::Start if runs || !supplied => return Ok(()),
            Step::Kill | Step::Stop if !runs => return Ok(()),
            Step::Power(on) if *on == supplied => return Ok(()),
            _ => {}
        }
        self.trying = true;
        let done = self.step(step);
        self.trying = false;
        match done {
            Err(Halt::Wrong(_)) => {
                // Whoever gave up waiting goes on out of turn.
                self.blame.somebody(self.bench.now());
                Ok(())
            }
            done => done,
        }
    }

    /// Lets this much table time pass.
    pub(super) fn pass(&mut self, millis: u64) -> Result<(), Halt> {
        let until = self.bench.now() + millis * MS;
        while self.bench.now() < until {
            self.bench.pass(until)?;
        }
        Ok(())
    }

    /// Waits until something is so, at most so long.
    pub(super) fn wait(&mut self, check: &Check, millis: u64) -> Result<(), Halt> {
        let millis = if self.trying { millis.min(PATIENCE) } else { millis };
        let until = self.bench.now() + millis * MS + self.bench.grace();
        while !self.holds(check)? {
            let now = self.bench.now();
            if matches!(check, Check::Record(_)) && self.bench.log().down {
                return Err(Halt::Wrong(format!("nobody is there to record it; {}", self.where_we_are())));
            }
            if now >= until {
                return Err(Halt::Wrong(format!("not within {millis} ms; {}", self.where_we_are())));
            }
            // Truths that change without an event are looked at every few milliseconds.
            let look = if matches!(check, Check::Tumbles(..)) { until.min(now + 2 * MS) } else { until };
            self.bench.pass(look)?;
        }
        Ok(())
    }

    /// Keys of the terminal, as fast as a practised dealer.
    pub(super) fn keys(&mut self, keys: &[u8]) -> Result<(), Halt> {
        for key in keys {
            self.bench.act(Act::Key(*key))?;
            self.pass(220)?;
        }
        Ok(())
    }
}

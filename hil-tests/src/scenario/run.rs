//! Runs a trial on a bench and judges how it ended.

use super::attend::Attendant;
use super::check;
use super::file::{Ending, Trial};
use super::free::Blame;
use super::harm::Injected;
use super::note::Timeline;
use super::step::{Check, Step};
use crate::bench::{Bench, Role, Trouble};
use crate::twin::{Act, MS};
use serde_json::Value;
use tumbler_core::input::InLine;
use tumbler_core::record::Event;
use tumbler_core::units::RoundId;

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
        Err(Halt::Wrong(what)) => Verdict::Fail(vec![what]),
        Err(Halt::Trouble(Trouble::NotHere(why))) => Verdict::NotExecuted(why),
        Err(Halt::Trouble(Trouble::Rig(why))) => Verdict::Invalid(why),
    };
    runner.catch_up();
    let verdict = match (verdict, runner.bench.late()) {
        // A rig that came late may have made the table fail.
        (Verdict::Fail(why), Some(late)) => {
            Verdict::Invalid(format!("{late}, and so says nothing: {}", why.join("; ")))
        }
        (verdict, _) => verdict,
    };
    let verdict = match (verdict, runner.bench.unheld()) {
        (Verdict::Pass | Verdict::Fail(_), Some(unheld)) => Verdict::Invalid(unheld),
        (verdict, _) => verdict,
    };
    let records = runner.seen.iter().map(check::brief).collect();
    Outcome { verdict, table_ns: runner.bench.now(), records, notes: runner.notes, timeline: runner.timeline }
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
    fn whole(&mut self) -> Result<Vec<String>, Halt> {
        for (number, (text, steps)) in self.trial.steps.iter().enumerate() {
            self.words = text;
            for step in steps {
                let done = self.step(step).and_then(|()| self.watch(step));
                done.map_err(|halt| match halt {
                    Halt::Wrong(what) => Halt::Wrong(format!("step {} `{text}`: {what}", number + 1)),
                    trouble @ Halt::Trouble(_) => trouble,
                })?;
            }
        }
        let mut wrongs: Vec<String> =
            self.bench.finish()?.into_iter().map(|violation| format!("judge: {violation}")).collect();
        self.catch_up();
        for Injected { id, what, .. } in self.faults.iter().filter(|f| f.claimed) {
            if self.trial.must_show && !what.has_shown(self.bench) {
                return Err(Trouble::Rig(format!("fault `{id}` never took hold")).into());
            }
        }
        if !self.trial.free {
            self.endings(&mut wrongs);
            self.latches(&mut wrongs)?;
        }
        for kind in &self.trial.never {
            if let Some(record) = self.seen.iter().find(|r| check::kind(r) == kind) {
                wrongs.push(format!("never `{kind}`, but {}", check::brief(record)));
            }
        }
        Ok(wrongs)
    }

    fn endings(&self, wrongs: &mut Vec<String>) {
        let mut got: Vec<Ending> = Vec::new();
        let mut running = 0_usize;
        for durable in &self.bench.log().records {
            match &durable.record.event {
                Event::RoundBegan { .. } => running += 1,
                Event::Settled { dice, .. } => {
                    got.push(Ending::Settled { dice: Some(dice.pips()), clause: String::new() });
                }
                Event::Voided(void) => {
                    got.push(Ending::Void { reason: void.reason.name().into(), clause: void.clauses.join(", ") })
                }
                _ => {}
            }
        }
        let ended = got.len();
        got.extend((ended..running).map(|_| Ending::Unfinished { clause: String::new() }));
        let same = |want: &Ending, got: &Ending| match (want, got) {
            (Ending::Settled { dice: None, .. }, Ending::Settled { .. })
            | (Ending::Unfinished { .. }, Ending::Unfinished { .. }) => true,
            (Ending::Settled { dice: a, .. }, Ending::Settled { dice: b, .. }) => a == b,
            (Ending::Void { reason: a, clause: wanted }, Ending::Void { reason: b, clause: cited }) => {
                a == b && super::grounds::admits(wanted, cited)
            }
            (want, got) => want == got,
        };
        if got.len() != self.trial.endings.len() || !self.trial.endings.iter().zip(&got).all(|(w, g)| same(w, g)) {
            wrongs.push(format!("rounds must end {:?}, but ended {got:?}", self.trial.endings));
        }
    }

    fn latches(&mut self, wrongs: &mut Vec<String>) -> Result<(), Halt> {
        let of_kind = |kind: &str| {
            let all = self.seen.iter().filter(|r| check::kind(r) == kind);
            all.map(|r| check::field(r, "code").unwrap_or_default()).collect::<Vec<_>>()
        };
        let (mut latched, mut wanted) = (of_kind("latched"), self.trial.latches.clone());
        if !self.trial.in_order {
            latched.sort_unstable();
            wanted.sort_unstable();
        }
        if latched != wanted {
            wrongs.push(format!("latches must be {:?}, but were {latched:?}", self.trial.latches));
        }
        let Some(snapshot) = self.bench.snapshot()? else { return Ok(()) };
        let now: Vec<&str> = snapshot.malfunctions.iter().map(|m| m.code.name()).collect();
        if now != self.trial.latched {
            wrongs.push(format!("at the end {:?} must be latched, but {now:?} are", self.trial.latched));
        }
        match &self.trial.phase {
            Some(phase) if snapshot.phase.name() != phase => {
                wrongs.push(format!("at the end the phase must be {phase}, but is {}", snapshot.phase.name()));
            }
            _ => {}
        }
        Ok(())
    }

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

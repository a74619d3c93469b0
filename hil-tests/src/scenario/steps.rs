//! Dispatches each step of a scenario to the code that plays it.

use super::ask::{answer, ask};
use super::check::{holds, instead, timed, where_we_are};
use super::file::Trial;
use super::halt::Halt;
use super::opening::open;
use super::play::{collect_and_pay, play_to, up_to_spin};
use super::proof::{prove, prove_opens, prove_shut};
use super::recover::{heal_all, recover};
use super::session::Session;
use super::staff::go_on;
use super::step::Step;
use tumbler_bench::Bench;
use tumbler_twin::Act;

/// Plays steps without a verdict; the caller looks at the results. `trial` gives the rules.
///
/// # Errors
/// [`Halt`] at the first step that could not be played.
pub fn play_steps<'a>(
    bench: &mut dyn Bench,
    trial: &Trial,
    steps: impl IntoIterator<Item = &'a Step>,
) -> Result<(), Halt> {
    let mut session = Session::new(bench, trial);
    steps.into_iter().try_for_each(|each| step(&mut session, each))
}

/// Steps that are typed line by line: each line knows how far the lines before it have played the round.
pub struct Hand<'a>(Session<'a>);

impl<'a> Hand<'a> {
    /// A hand at this table; `trial` gives the rules.
    pub fn new(bench: &'a mut dyn Bench, trial: &'a Trial) -> Self {
        Self(Session::new(bench, trial))
    }

    /// Lets this much time pass.
    ///
    /// # Errors
    /// [`Halt`] of the bench.
    pub fn pass(&mut self, millis: u64) -> Result<(), Halt> {
        Ok(self.0.pass(millis)?)
    }

    /// Plays steps. Whoever types `go on` means the next round where one has ended. Gives what to say where nothing was to be done.
    ///
    /// # Errors
    /// [`Halt`] at the first step that could not be played.
    pub fn play(&mut self, steps: &[Step]) -> Result<Option<String>, Halt> {
        let session = &mut self.0;
        session.round.known_endings = session.ended_rounds();
        let before = session.records().all().len();
        for each in steps {
            step(session, each)?;
        }
        let plays = |step: &Step| matches!(step, Step::PlayTo(_) | Step::GoOn | Step::UpToSpin | Step::At(_));
        if !steps.iter().all(plays) || session.records().all().len() > before {
            return Ok(None);
        }
        Ok(Some(match session.bench.snapshot()? {
            Some(shown) => format!("nothing was to be done: the phase is {}", shown.phase.name()),
            None => "nothing was to be done: the daemon does not run".to_owned(),
        }))
    }
}

/// Plays one step.
pub(super) fn step(session: &mut Session<'_>, step: &Step) -> Result<(), Halt> {
    session.timeline.note(session.bench.now(), step);
    match step {
        Step::Open => open(session)?,
        Step::PlayTo(stage) => play_to(session, *stage)?,
        Step::GoOn => go_on(session)?,
        Step::UpToSpin => up_to_spin(session)?,
        Step::At(stage) => session.round.played_to(&session.trial.rules, *stage),
        Step::Press(line, millis) => session.press(*line, *millis)?,
        Step::Hold(line) => session.held.hold(session.bench, *line)?,
        Step::LetGo(line) => session.held.let_go(session.bench, *line)?,
        Step::LiftDome => session.bench.act(Act::LiftDome)?,
        Step::LowerDome => session.bench.act(Act::LowerDome)?,
        Step::Keys(keys) => session.keys(keys)?,
        Step::EnterDice => session.enter_dice()?,
        Step::TurnShaft(quarters) => session.bench.act(Act::TurnShaft(*quarters))?,
        Step::BreakSeal => session.held.seal(session.bench, true)?,
        Step::MendSeal => session.held.seal(session.bench, false)?,
        Step::MoveDie(die, face, flat) => {
            session.bench.act(Act::MoveDie { die: *die, face: *face, flat: *flat })?;
        }
        Step::Dip => session.bench.act(Act::DipSupply)?,
        Step::LoseEdge(line) => session.bench.act(Act::LoseEdge(*line))?,
        Step::Settings(change) => session.own.change(session.bench, change)?,
        Step::Fault(broken) => session.faults.inject(session.bench, broken, !session.trying)?,
        Step::Heal(broken) => session.faults.heal(session.bench, broken.fault)?,
        Step::HealAll => heal_all(session)?,
        Step::Collect => collect_and_pay(session)?,
        Step::Recover => recover(session)?,
        Step::Try(step) => attempt(session, step)?,
        Step::Dice(faces) => session.bench.dictate(*faces)?,
        Step::Pass(millis) => session.pass(*millis)?,
        Step::Wait(check, millis) => timed(session, check, *millis)?,
        Step::Expect(check, clause) => {
            if !holds(session, check)? {
                let instead = instead(session, check)?;
                return Err(Halt::Wrong(format!("is not so{instead} [{clause}]; {}", where_we_are(session))));
            }
        }
        Step::Ask(command) => ask(session, command.as_ref().clone())?,
        Step::AskAlone(command) => {
            ask(session, command.as_ref().clone())?;
            session.console.leave();
        }
        Step::Answer(done, word) => answer(session, *done, word)?,
        Step::As(role) => session.console.role = *role,
        Step::Mark => session.mark(),
        Step::Kill => session.bench.kill()?,
        Step::Start => session.bench.start()?,
        Step::Stop => session.bench.stop()?,
        Step::Power(on) => session.bench.power(*on)?,
        Step::Broker(up) => session.bench.broker(*up)?,
        Step::Prove(code, thoroughly) => prove(session, *code, *thoroughly)?,
        Step::ProveShut(code) => prove_shut(session, *code)?,
        Step::ProveOpens(code, exit) => prove_opens(session, *code, exit)?,
    }
    Ok(())
}

/// Plays a step that may fail.
fn attempt(session: &mut Session<'_>, tried: &Step) -> Result<(), Halt> {
    let runs = session.bench.snapshot()?.is_some();
    let supplied = session.bench.physical().supply;
    match tried {
        Step::Start if runs || !supplied => return Ok(()),
        Step::Kill | Step::Stop if !runs => return Ok(()),
        Step::Power(on) if *on == supplied => return Ok(()),
        _ => {}
    }
    session.trying = true;
    let done = step(session, tried);
    session.trying = false;
    match done {
        Err(Halt::Wrong(_)) => {
            // After a wait that timed out, play goes on out of turn.
            session.lawful.out_of_turn(session.bench.now());
            Ok(())
        }
        done => done,
    }
}

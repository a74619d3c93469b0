//! Runs a trial on a bench and judges how it ended.

use super::course;
use super::endings::{self, EndingComparison};
use super::file::Trial;
use super::halt::Halt;
use super::records::brief;
use super::session::Session;
use super::timeline::{Timeline, Told};
use tumbler_bench::{Bench, BenchError};

/// Verdict on a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The table did what the rules say.
    Pass,
    /// The table did something else than the rules say; each entry says what.
    Fail(Vec<String>),
    /// This bench cannot run it, for this reason.
    NotExecuted(String),
    /// The rig was at fault, so nothing is known about the table.
    Invalid(String),
}

impl From<BenchError> for Verdict {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Unsupported(why) => Self::NotExecuted(why),
            BenchError::Rig(why) => Self::Invalid(why),
            BenchError::Table(why) => Self::Fail(vec![why]),
        }
    }
}

/// A trial's verdict, with what reports show beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Table time that passed, in nanoseconds.
    pub table_ns: u64,
    /// Kinds of all records, in order, to analyse a failure.
    pub records: Vec<String>,
    /// What was left out, and why: a pass proves nothing about it.
    pub notes: Vec<String>,
    /// Injections, repairs and reaction times.
    pub timeline: Timeline,
    /// How the trial's expectations and the judges' truth table compared.
    pub compared: EndingComparison,
}

/// Runs a trial.
pub fn run(bench: &mut dyn Bench, trial: &Trial) -> Outcome {
    run_told(bench, trial, None)
}

/// Runs a trial, and tells of its steps.
pub fn run_told<'a>(bench: &'a mut dyn Bench, trial: &'a Trial, told: Told<'a>) -> Outcome {
    let mut session = Session::new(bench, trial);
    session.told = told;
    let verdict = match course::play(&mut session) {
        Ok(wrongs) if wrongs.is_empty() => Verdict::Pass,
        Ok(wrongs) => Verdict::Fail(wrongs),
        // Report what the judges found besides the step that failed.
        Err(Halt::Wrong(what)) => Verdict::Fail(core::iter::once(what).chain(course::judged(&mut session)).collect()),
        Err(Halt::BenchError(error)) => error.into(),
    };
    session.records();
    let compared = endings::compared(session.bench, trial);
    let verdict = with_differences(verdict, &compared);
    let verdict = match (verdict, session.bench.lateness()) {
        // A late rig may have caused the failure.
        (Verdict::Fail(why), Some(late)) => {
            Verdict::Invalid(format!("{late}, and so says nothing: {}", why.join("; ")))
        }
        (verdict, _) => verdict,
    };
    let verdict = match (verdict, session.bench.unlisted()) {
        (Verdict::Pass | Verdict::Fail(_), Some(unheld)) => Verdict::Invalid(unheld),
        // In free play a failing disk may delay records for too long to be judged; records that the table lost are reported above.
        (Verdict::Pass, None) if compared.unheld > 0 && !trial.free => {
            Verdict::Invalid(format!("the truth table says nothing of {} rounds that ended", compared.unheld))
        }
        (verdict, _) => verdict,
    };
    let records = session.records.all().iter().map(brief).collect();
    let table_ns = session.bench.now();
    let (notes, timeline) = session.into_notes();
    Outcome { verdict, table_ns, records, notes, timeline, compared }
}

/// Fails a trial whose expectations differ from the truth table, whatever the table did.
fn with_differences(verdict: Verdict, compared: &EndingComparison) -> Verdict {
    let differ = compared.differences.iter().map(|told| format!("expectation and truth table differ: {told}"));
    match verdict {
        Verdict::Pass if compared.differences.is_empty() => Verdict::Pass,
        Verdict::Pass => Verdict::Fail(differ.collect()),
        Verdict::Fail(why) => Verdict::Fail(why.into_iter().chain(differ).collect()),
        other => other,
    }
}

/// Plays a trial that only the judges can fail. Returns their first violation.
pub fn judges_alone(bench: &mut dyn Bench, trial: &Trial) -> Option<String> {
    course::play_for_judges(&mut Session::new(bench, trial))
}

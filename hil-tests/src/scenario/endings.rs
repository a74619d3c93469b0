//! Compares how the rounds of a trial ended with what the trial expects; and what it expects with the judges' truth table. The two
//! were written independently, so that a misreading of the rule texts in one of them shows.

use super::file::{Ending, Trial};
use super::grounds;
use super::write::words;
use tumbler_bench::Bench;
use tumbler_bench::log::Log;
use tumbler_core::record::Event;
use tumbler_spec::{AllowedEnding, AllowedEndings};

/// The trial's expectations compared with the truth table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndingComparison {
    /// Rounds that both cover.
    pub rounds: u32,
    /// Those for which the truth table allows several endings, because the physics is ambiguous.
    pub several: u32,
    /// Rounds whose ending the trial leaves to chance, so that only the truth table judges them.
    pub chance: u32,
    /// Rounds for which the two have no ending in common.
    pub differences: Vec<String>,
    /// Rounds that the truth table does not cover.
    pub unheld: u32,
}

impl EndingComparison {
    fn of(wanted: &[Ending], admits: &[AllowedEndings], ended: usize) -> Self {
        let silent = admits.iter().filter(|admits| admits.answers.is_empty()).count() + ended.abs_diff(admits.len());
        let mut compared = Self { unheld: u32::try_from(silent).unwrap_or(u32::MAX), ..Self::default() };
        for (number, (wanted, admits)) in wanted.iter().zip(admits).enumerate() {
            if matches!(wanted, Ending::Unfinished { .. }) || admits.answers.is_empty() {
                continue;
            }
            compared.rounds += 1;
            compared.several += u32::from(admits.answers.len() > 1);
            if !admits.answers.iter().any(|answer| agree(wanted, answer, &admits.besides)) {
                let number = number + 1;
                let may: Vec<String> = admits.answers.iter().map(|answer| admitted(answer, wanted)).collect();
                let (wanted, may) = (told(std::slice::from_ref(wanted)), may.join(" or "));
                let told = format!(
                    "round {number}: {wanted} is expected\n  if the rule text is as the judges read it, write under [endings]: {may}"
                );
                compared.differences.push(told);
            }
        }
        compared
    }

    /// The same of a trial that leaves to chance how its rounds end.
    fn by_chance(admits: &[AllowedEndings], ended: usize) -> Self {
        Self { chance: u32::try_from(admits.len()).unwrap_or(u32::MAX), ..Self::of(&[], admits, ended) }
    }
}

/// Whether an expectation allows an answer of the truth table; the answer may cite further clauses.
fn agree(wanted: &Ending, answer: &AllowedEnding, besides: &[String]) -> bool {
    match (wanted, answer) {
        (Ending::Settled { .. }, AllowedEnding::GoesOn) => true,
        (Ending::Void { clause, .. }, AllowedEnding::Void(clauses)) => clause.split(" | ").any(|wanted| {
            let wanted: Vec<&str> = wanted.split(", ").filter(|clause| !clause.trim().is_empty()).collect();
            let without: Vec<&str> =
                wanted.iter().copied().filter(|clause| !besides.iter().any(|other| other == clause)).collect();
            wanted == *clauses || !without.is_empty() && without == *clauses
        }),
        _ => false,
    }
}

/// The endings of all rounds, with unfinished ones, and the number of rounds that ended.
fn ends(log: &Log) -> (Vec<Ending>, usize) {
    let mut got: Vec<Ending> = Vec::new();
    let mut running = 0_usize;
    for durable in &log.records {
        match &durable.record.event {
            Event::RoundBegan { .. } => running += 1,
            Event::Settled { dice, .. } => {
                got.push(Ending::Settled { dice: Some(dice.pips()), clause: String::new() });
            }
            Event::Voided(void) => {
                got.push(Ending::Void { reason: void.reason, clause: void.clauses.join(", ") });
            }
            _ => {}
        }
    }
    let ended = got.len();
    got.extend((ended..running).map(|_| Ending::Unfinished { clause: String::new() }));
    (got, ended)
}

/// Differences between the rounds' endings and those that the trial expects.
pub(super) fn wrong(log: &Log, trial: &Trial) -> Option<String> {
    let (got, _) = ends(log);
    let same = |(want, got): (&Ending, &Ending)| match (want, got) {
        (Ending::Settled { dice: None, .. }, Ending::Settled { .. })
        | (Ending::Unfinished { .. }, Ending::Unfinished { .. }) => true,
        (Ending::Settled { dice: a, .. }, Ending::Settled { dice: b, .. }) => a == b,
        (Ending::Void { reason: a, clause: wanted }, Ending::Void { reason: b, clause: cited }) => {
            a == b && grounds::admits(wanted, cited)
        }
        (want, got) => want == got,
    };
    let all = got.len() == trial.endings.len() && trial.endings.iter().zip(&got).all(same);
    (!all).then(|| {
        let write: Vec<String> = got.iter().map(|ending| format!("\"{}\"", advised(ending))).collect();
        format!(
            "rounds must end {}, but ended {}\n  if that is what the text asks for, write under [endings], with its clause for CLAUSE: {} = [{}]",
            told(&trial.endings),
            told(&got),
            trial.rules,
            write.join(", ")
        )
    })
}

/// An ending to be written in a file. Only a void may be without a clause, where the text is silent.
fn advised(ending: &Ending) -> String {
    match (words(ending).trim_end(), ending) {
        (void, Ending::Void { .. }) => void.to_owned(),
        (other, _) => format!("{other} CLAUSE"),
    }
}

/// What the truth table admits, as it would be written in place of what is expected. It knows no reasons of voids.
fn admitted(answer: &AllowedEnding, wanted: &Ending) -> String {
    let words = match (answer, wanted) {
        (AllowedEnding::GoesOn, _) => "settled: CLAUSE".to_owned(),
        (AllowedEnding::Void(clauses), Ending::Void { reason, .. }) => {
            advised(&Ending::Void { reason: *reason, clause: clauses.join(", ") })
        }
        (AllowedEnding::Void(clauses), _) => format!("void REASON: {}", clauses.join(", ")),
    };
    format!("\"{}\"", words.trim_end())
}

/// Endings as files have them, without the clause where there is none.
fn told(endings: &[Ending]) -> String {
    let told: Vec<String> =
        endings.iter().map(|ending| format!("`{}`", words(ending).trim_end_matches([':', ' ']))).collect();
    if told.is_empty() { "none".into() } else { told.join(", then ") }
}

/// Compares expectations with the truth table, independently of what the table did.
pub(super) fn compared(bench: &dyn Bench, trial: &Trial) -> EndingComparison {
    let ((_, ended), allowed) = (ends(bench.log()), bench.allowed_endings());
    if trial.free {
        return EndingComparison::by_chance(&allowed, ended);
    }
    EndingComparison::of(&trial.endings, &allowed, ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::round::ending::VoidReason;

    fn void(clause: &str) -> Ending {
        Ending::Void { reason: VoidReason::Equipment, clause: clause.into() }
    }

    fn admits(answers: &[AllowedEnding], besides: &[&str]) -> AllowedEndings {
        AllowedEndings { answers: answers.to_vec(), besides: besides.iter().map(|&clause| clause.to_owned()).collect() }
    }

    fn voids(clauses: &[&str]) -> AllowedEnding {
        AllowedEnding::Void(clauses.iter().map(|&clause| clause.to_owned()).collect())
    }

    #[test]
    fn endings_are_told_as_files_have_them() {
        let endings = [void("NZ9 7.1(b)"), void(""), Ending::Settled { dice: Some([1, 3, 6]), clause: String::new() }];
        assert_eq!(told(&endings), "`void equipment: NZ9 7.1(b)`, then `void equipment`, then `settled 1 3 6`");
        assert_eq!(told(&[]), "none");
    }

    #[test]
    fn what_one_expects_and_the_other_does_not_admit_is_a_difference() {
        let settled = || Ending::Settled { dice: Some([1, 3, 6]), clause: "NZ9 6.3".into() };
        for (wanted, answers, besides, differ) in [
            (settled(), vec![AllowedEnding::GoesOn], vec![], false),
            (settled(), vec![voids(&["NZ9 7.1(a)"])], vec![], true),
            (void("NZ9 7.1(b), NZ9 6.1"), vec![voids(&["NZ9 7.1(b)", "NZ9 6.1"])], vec![], false),
            (void("NZ9 7.1(b)"), vec![voids(&["NZ9 7.1(b)", "NZ9 6.1"])], vec![], true),
            (void("SGOC 5.14 | SGOC 5.6"), vec![AllowedEnding::GoesOn, voids(&["SGOC 5.6"])], vec![], false),
            (void(""), vec![voids(&[])], vec![], false),
            (void(""), vec![voids(&["SGV6 5.4.2"])], vec![], true),
            (void("SGV6 5.5.3, SGV6 5.4.2"), vec![voids(&["SGV6 5.4.2"])], vec!["SGV6 5.5.3"], false),
            (void("SGV6 5.5.3, SGV6 5.4.2"), vec![voids(&["SGV6 5.4.2"])], vec![], true),
        ] {
            let found = EndingComparison::of(std::slice::from_ref(&wanted), &[admits(&answers, &besides)], 1);
            assert_eq!(
                (found.rounds, found.unheld, found.differences.len()),
                (1, 0, usize::from(differ)),
                "{wanted:?}"
            );
        }
    }

    #[test]
    fn a_difference_says_what_to_write() {
        let settled = Ending::Settled { dice: Some([1, 3, 6]), clause: "NZ9 6.3".into() };
        for (wanted, answer, write) in [
            (void("NZ9 7.1(b)"), voids(&["NZ9 7.1(b)", "NZ9 6.1"]), "\"void equipment: NZ9 7.1(b), NZ9 6.1\""),
            (void("NZ9 7.1(b)"), voids(&[]), "\"void equipment:\""),
            (void("NZ9 7.1(b)"), AllowedEnding::GoesOn, "\"settled: CLAUSE\""),
            (settled, voids(&["NZ9 7.1(a)"]), "\"void REASON: NZ9 7.1(a)\""),
        ] {
            let found = EndingComparison::of(&[wanted], &[admits(&[answer], &[])], 1);
            assert!(found.differences[0].ends_with(&format!("write under [endings]: {write}")), "{found:?}");
        }
    }

    #[test]
    fn doubt_chance_and_what_nobody_holds_are_counted() {
        let settled = Ending::Settled { dice: None, clause: "NZ9 6.3".into() };
        let two = admits(&[AllowedEnding::GoesOn, voids(&["NZ9 7.1(b)"])], &[]);
        let found = EndingComparison::of(&[settled.clone(), settled.clone()], &[two.clone(), admits(&[], &[])], 3);
        assert_eq!((found.rounds, found.several, found.unheld, found.chance), (1, 1, 2, 0));
        assert_eq!(EndingComparison::by_chance(&[two], 1).chance, 1);
    }
}

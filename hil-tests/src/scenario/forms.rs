//! The forms of steps, checks and commands, and what to say of words that have none of them.
//!
//! In a form a word in capitals stands for what the scenario says there; `|` parts words of which one is written.

use tumbler_bench::Wrong;

/// All steps.
pub(super) const STEPS: &[&str] = &[
    "open table",
    "play to STAGE",
    "play up to spin",
    "go on",
    "at STAGE",
    "press LINE",
    "press LINE for N ms",
    "press every key",
    "hold LINE",
    "release LINE",
    "lift dome",
    "lower dome",
    "key DIGIT|entry",
    "enter dice",
    "collect and pay",
    "turn key",
    "turn shaft N quarters",
    "break seal",
    "mend seal",
    "lay die N face F flat|cocked",
    "dip supply",
    "lose edge LINE",
    "settings own",
    "settings layout ID",
    "settings parameter NAME N",
    "fault ID",
    "heal ID",
    "heal all",
    "recover table",
    "recover table and play",
    "dice any",
    "dice D D D",
    "pass N ms|s",
    "wait CHECK",
    "wait CHECK within N ms",
    "expect CHECK because CLAUSE",
    "ask COMMAND",
    "ask alone COMMAND",
    "answer done|refused",
    "do COMMAND",
    "as supervisor|manager|technician|nobody",
    "mark",
    "kill",
    "start",
    "stop",
    "power off|on",
    "broker down|up",
    "prove latched|shut CODE",
    "prove latched CODE thoroughly",
    "prove opens CODE rectified|procedure",
    "try STEP",
];

/// All checks.
pub(super) const CHECKS: &[&str] = &[
    "phase NAME",
    "record KIND",
    "record KIND FIELD=VALUE",
    "no record KIND",
    "no record KIND FIELD=VALUE",
    "no test",
    "latched CODE",
    "latched CODE at most N ms after CAUSE",
    "nothing latched",
    "motor on|off",
    "motor off at most N ms after CAUSE",
    "voided at most N ms after CAUSE",
    "shaft turns|rests",
    "dice rest",
    "tumbles FROM..TO",
    "lit D D D",
    "dark",
    "display DIGITS",
    "bells N",
    "sign on|off",
    "deadman",
    "relayed",
    "link up|lost",
    "status online|offline",
    "retained right",
    "held FAULT",
    "daemon up|down",
    "prompt ID",
];

/// What may follow a check.
pub(super) const AFTER_CHECKS: &[&str] = &["within", "because", "at"];

/// All commands.
pub(super) const COMMANDS: &[&str] = &[
    "open",
    "witness areas|seal|bell|sign|dice right|wrong",
    "close",
    "maintenance on|off",
    "hardware-test TEST",
    "reset CODE rectified|procedure",
    "amend D D D",
    "amend D D D uphold",
    "void",
    "void damaged|not-flat",
    "interrupted undisturbed|not-flat|cannot-tell",
    "supervise",
    "correct ROUND",
    "void-afterwards ROUND",
    "confirm-dome",
    "settle",
    "settle D D D",
    "enrol-dice",
    "record",
];

/// What is wrong with words that have none of these forms: the first word that leaves the form which they follow longest. `after`
/// may follow any of them.
pub(super) fn none_of(what: &str, words: &[&str], forms: &[&'static str], after: &[&'static str]) -> Wrong {
    let follows = |form: &str| form.split(' ').zip(words).take_while(|(part, word)| fits(part, word)).count();
    let most = forms.iter().map(|form| follows(form)).max().unwrap_or(0);
    let followed: Vec<&'static str> = forms.iter().copied().filter(|form| follows(form) == most).collect();
    let allowed = followed.join(", ");
    let Some(word) = words.get(most) else {
        let last = words.last().copied().unwrap_or_default();
        return Wrong::new(last, format!("`{}` is no whole {what}", words.join(" ")), allowed);
    };
    let here = followed.iter().filter_map(|form| form.split(' ').nth(most)).flat_map(|part| part.split('|'));
    let mut known: Vec<&str> = here.filter(|part| !stands_for_something(part)).chain(after.iter().copied()).collect();
    known.dedup();
    let told = if most == 0 { what.to_owned() } else { format!("word in a {what}") };
    let near = Wrong::unknown(&told, word, known);
    // Where nothing is near, the forms say more than their words do.
    if near.near.is_some() { near } else { Wrong { allowed, ..near } }
}

fn stands_for_something(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_uppercase())
}

fn fits(part: &str, word: &str) -> bool {
    part.split('|').any(|part| stands_for_something(part) || part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &str, forms: &[&'static str]) -> String {
        none_of("step", &words.split(' ').collect::<Vec<_>>(), forms, &["within"]).to_string()
    }

    #[test]
    fn the_word_that_leaves_the_nearest_form_is_told_with_what_stands_there() {
        assert_eq!(told("pres tumble", STEPS), "unknown step `pres`: did you mean `press`?");
        assert_eq!(told("press tumble fro 3 ms", STEPS), "unknown word in a step `fro`: did you mean `for`?");
        assert_eq!(told("phase ready withn 3 ms", CHECKS), "unknown word in a step `withn`: did you mean `within`?");
        assert_eq!(told("lift table", STEPS), "unknown word in a step `table`\n  allowed is lift dome");
        assert_eq!(told("lift", STEPS), "`lift` is no whole step\n  allowed is lift dome");
    }
}

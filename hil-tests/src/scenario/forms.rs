//! The forms of steps, checks and commands, and what to say of words that have none of them.
//!
//! The page of the scenarios and `tumbler-hil steps` have their tables from here. In a form a word in capitals stands for what the scenario says there; `|` parts words of which one is written.

use tumbler_bench::Wrong;

/// Forms that mean the same, with their meaning in a sentence for people; in Markdown, as it stands on the page.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The forms.
    pub words: &'static [&'static str],
    /// What they mean.
    pub about: &'static str,
}

/// Steps of people.
pub const PEOPLE: &[Form] = &[
    Form { words: &["open table"], about: "The opening tests, with everything right" },
    Form {
        words: &["play to STAGE"],
        about: "Play on in the order of play, and fail if the table does not follow; after the end of a round, in the next one",
    },
    Form { words: &["play up to spin"], about: "The same, to just before `tumble` is pressed" },
    Form {
        words: &["go on"],
        about: "People do what they would do: open a closed table, play the round to its end, call the supervisor. They stop where the table blocks or refuses. A round that has ended since the last `go on` or `mark` counts as theirs, and then they begin no other: use `mark; go on` for another one",
    },
    Form { words: &["at STAGE"], about: "Says where the round is, after it was played by hand" },
    Form {
        words: &["press LINE", "press LINE for N ms"],
        about: "A hand presses one of the four buttons or turns `supervisor_key`, for 120 ms unless given; nothing else is pressed",
    },
    Form { words: &["hold LINE", "release LINE"], about: "The same, held until it is released" },
    Form { words: &["press every key"], about: "Each key of the terminal once, 1 to 6 and Entry" },
    Form {
        words: &["key DIGIT|entry"],
        about: "Keys of the terminal, as many as follow: `key 1 3 6 entry`. Presses right after the reveal do not count ([table.md](../../daemon/docs/table.md#the-result-and-all-paid)): `pass 600 ms` first",
    },
    Form { words: &["enter dice"], about: "Keys what the dice show, and Entry" },
    Form {
        words: &["collect and pay"],
        about: "Lets the time pass that paying takes, after which \"all paid\" counts",
    },
    Form { words: &["turn key"], about: "Turns the supervisor's key for a second" },
    Form {
        words: &["lift dome", "lower dome"],
        about: "The dome is taken away, or put back; nothing under Open Cover, where there is none",
    },
    Form {
        words: &["break seal", "mend seal"],
        about: "The loop through the dice compartment's seal opens, or closes",
    },
    Form {
        words: &["turn shaft N quarters"],
        about: "A hand turns the shaft, backwards if negative: -10000 to 10000 quarters of a tumble, not 0",
    },
    Form { words: &["lay die N face F flat|cocked"], about: "A hand lays a die, 1 to 3, with this face up, 1 to 6" },
    Form {
        words: &["dice D D D", "dice any"],
        about: "What the dice show from the next throw on; the second leaves it to chance",
    },
    Form {
        words: &["as supervisor|manager|technician|nobody"],
        about: "Who uses the console from here on; the supervisor at first",
    },
    Form {
        words: &["do COMMAND"],
        about: "Gives a command and expects it to be done. For what is a supervisor's, the key is turned first: `turn key; do settle`. `do settle` pays before it settles; `do settle 1 3 6` enters the dice first",
    },
    Form {
        words: &["ask COMMAND"],
        about: "Gives a command; `answer` checks what came of it. Where its test asks for a press of `tumble` (`open`, `reset`, `hardware-test`), somebody at the table presses it",
    },
    Form { words: &["ask alone COMMAND"], about: "The same while nobody is there who presses anything" },
    Form {
        words: &["answer done|refused"],
        about: "The answer to the last `ask`; words that follow are in it: `answer refused No spin`",
    },
];

/// Steps that break something and mend it.
pub const BREAKS: &[Form] = &[
    Form {
        words: &["fault ID"],
        about: "Breaks one thing ([faults.md](../../daemon/docs/faults.md)); some take an argument: `fault lamp.open:small`, `fault button.stuck:tumble`",
    },
    Form { words: &["heal ID"], about: "Mends what `fault` broke, with the same argument" },
    Form { words: &["heal all"], about: "Mends everything, releases what is held, switches on what is off" },
    Form {
        words: &["recover table", "recover table and play"],
        about: "The same, and brings the table back to where a game may begin, by the lawful exits; the second also plays a round to its end",
    },
    Form {
        words: &["lose edge LINE"],
        about: "Of an edge and the one back, the daemon sees only the second: the line says the level that it already had. The daemon must run",
    },
    Form { words: &["dip supply"], about: "The supply dips for 10 ms" },
    Form { words: &["power off|on"], about: "The supply is cut, or comes back" },
    Form { words: &["broker down|up"], about: "The broker is taken down, or comes up" },
    Form { words: &["kill"], about: "SIGKILL to the daemon" },
    Form { words: &["stop"], about: "An ordered stop of the daemon" },
    Form { words: &["start"], about: "A start of the daemon" },
    Form { words: &["settings layout ID"], about: "Another layout with its rule set, from the next start on" },
    Form {
        words: &["settings parameter NAME N"],
        about: "Another value of a parameter from the next start on, within its range ([table.md](../../daemon/docs/table.md#parameters))",
    },
    Form { words: &["settings own"], about: "The table's own settings from the next start on" },
];

/// Steps that let time pass, and look.
pub const LOOKS: &[Form] = &[
    Form {
        words: &["pass N ms|s"],
        about: "Lets time pass. Every time on this page is from 1 ms to a day: 86,400,000 ms or 86,400 s",
    },
    Form { words: &["mark"], about: "Records, bells and reactions count from here" },
    Form {
        words: &["wait CHECK", "wait CHECK within N ms"],
        about: "Waits until it is true, for at most 15 s or N milliseconds (never `s`)",
    },
    Form { words: &["expect CHECK because CLAUSE"], about: "It must be true now, by this clause" },
    Form { words: &["try STEP"], about: "A step that may fail" },
    Form {
        words: &["prove latched CODE", "prove latched CODE thoroughly"],
        about: "Tries every way to start a game, and none may work; thoroughly also restarts, settings, files, clocks and power cuts",
    },
    Form { words: &["prove shut CODE"], about: "While the condition lasts, no exit opens the latch" },
    Form {
        words: &["prove opens CODE rectified|procedure"],
        about: "This exit opens it, for a supervisor with a newer turn of the key and a name, and for nobody else",
    },
];

/// All checks.
pub const CHECKS: &[Form] = &[
    Form { words: &["phase NAME"], about: "The daemon says that it is in this phase" },
    Form {
        words: &["record KIND", "record KIND FIELD=VALUE"],
        about: "There is such a record after the last one that was looked for. Of several `FIELD=VALUE` all must be so. `_` stands for a space in a value. Dice are written `dice=136`, in any order; `areas=big` and `clauses=NZ9_7.1(a)` mean that this one is among them. A field has one value. [mqtt-examples.md](../../daemon/docs/mqtt-examples.md) shows every kind with its fields",
    },
    Form { words: &["no record KIND", "no record KIND FIELD=VALUE"], about: "There is none since the last `mark`" },
    Form { words: &["no test"], about: "No opening and no hardware test is in progress" },
    Form { words: &["latched CODE"], about: "A malfunction with this code is latched" },
    Form { words: &["nothing latched"], about: "No malfunction is" },
    Form { words: &["motor on|off"], about: "The motor has power or not, in truth: the twin says so, not the daemon" },
    Form { words: &["shaft turns|rests"], about: "In truth" },
    Form { words: &["dice rest"], about: "In truth" },
    Form {
        words: &["tumbles FROM..TO"],
        about: "The shaft has turned this far since the spin began: `tumbles 2.8..3.0`, `tumbles 3..`; from 0, and the end not below the beginning",
    },
    Form { words: &["lit D D D", "dark"], about: "The lamps that shine are those of these dice; none shines" },
    Form {
        words: &["display DIGITS"],
        about: "A person reads these three characters on the terminal: `1` to `6`, `E`, `D` for a dash, `-` for a blank. `EEE` is an entry that was refused, `DDD` a void round, `---` none",
    },
    Form { words: &["bells N"], about: "The bell has sounded so often since the last `mark`" },
    Form { words: &["sign on|off"], about: "The sign \"no games\" is lit, or dark" },
    Form { words: &["deadman"], about: "Motor power was cut 100 ms after the last dead-man edge" },
    Form { words: &["relayed"], about: "The broker has acknowledged everything that is durable" },
    Form { words: &["link up|lost"], about: "The daemon says that it is connected to its broker, or not" },
    Form { words: &["status online|offline"], about: "The table's status at the broker" },
    Form { words: &["retained right"], about: "The table's retained messages at the broker agree with the table" },
    Form { words: &["held FAULT"], about: "The fault has taken effect" },
    Form { words: &["daemon up|down"], about: "The daemon runs, or not" },
    Form {
        words: &["prompt ID"],
        about: "The table asks people for this ([console.md](../../daemon/docs/console.md#what-people-are-asked))",
    },
    Form {
        words: &[
            "motor off at most N ms after CAUSE",
            "latched CODE at most N ms after CAUSE",
            "voided at most N ms after CAUSE",
        ],
        about: "The reaction came in time after its cause",
    },
];

/// All commands.
pub const COMMANDS: &[Form] = &[
    Form { words: &["open"], about: "Begin the opening tests" },
    Form {
        words: &["witness areas|seal|bell|sign|dice right|wrong"],
        about: "Say what a person saw, in an opening test",
    },
    Form { words: &["close"], about: "Close the table" },
    Form { words: &["maintenance on|off"], about: "Hand the table to a technician, or back" },
    Form { words: &["hardware-test TEST"], about: "Measure a device, in maintenance" },
    Form {
        words: &["reset CODE rectified|procedure"],
        about: "End a latch: its cause is gone and its test shows it, or a procedure stands in",
    },
    Form {
        words: &["amend D D D", "amend D D D uphold"],
        about: "Key other numbers than were entered; the second upholds them against the reader",
    },
    Form {
        words: &["void", "void damaged|not-flat"],
        about: "End the round without a result, for reasons of a person or for these",
    },
    Form { words: &["interrupted undisturbed|not-flat|cannot-tell"], about: "Answer how the dice lie" },
    Form { words: &["supervise"], about: "Let the supervisor see wrong numbers amended" },
    Form { words: &["correct ROUND"], about: "Correct the result of an earlier round, by its number" },
    Form { words: &["void-afterwards ROUND"], about: "Void an earlier round, by its number" },
    Form { words: &["confirm-dome"], about: "Say that the dome is off, where its contacts are wrong" },
    Form { words: &["settle", "settle D D D"], about: "Settle instead of the terminal; with dice, enter them first" },
    Form { words: &["enrol-dice"], about: "Make known to the table the dice that lie in it" },
    Form { words: &["record"], about: "Keep a recording of the last minutes" },
];

/// What may follow a check.
pub(super) const AFTER_CHECKS: &[&str] = &["within", "because", "at"];

/// All steps.
pub(super) fn steps() -> Vec<&'static str> {
    [PEOPLE, BREAKS, LOOKS].into_iter().flat_map(forms).collect()
}

/// All checks.
pub(super) fn checks() -> Vec<&'static str> {
    forms(CHECKS).collect()
}

/// All commands.
pub(super) fn commands() -> Vec<&'static str> {
    forms(COMMANDS).collect()
}

fn forms(all: &'static [Form]) -> impl Iterator<Item = &'static str> {
    all.iter().flat_map(|form| form.words).copied()
}

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
        let (steps, checks) = (&steps(), &checks());
        assert_eq!(told("pres tumble", steps), "unknown step `pres`: did you mean `press`?");
        assert_eq!(told("press tumble fro 3 ms", steps), "unknown word in a step `fro`: did you mean `for`?");
        assert_eq!(told("phase ready withn 3 ms", checks), "unknown word in a step `withn`: did you mean `within`?");
        assert_eq!(told("lift table", steps), "unknown word in a step `table`\n  allowed is lift dome");
        assert_eq!(told("lift", steps), "`lift` is no whole step\n  allowed is lift dome");
    }

    /// What a form has for what its word in capitals stands for.
    const EXAMPLES: &[(&str, &str)] = &[
        ("STAGE", "spun"),
        ("LINE", "tumble"),
        ("N", "3"),
        ("DIGIT", "2"),
        ("F", "4"),
        ("D", "5"),
        ("COMMAND", "close"),
        ("ROUND", "2"),
        ("CODE", "seal"),
        ("TEST", "cam"),
        ("CHECK", "dark"),
        ("CLAUSE", "silent: why"),
        ("STEP", "mark"),
        ("KIND", "voided"),
        ("FIELD=VALUE", "reason=not-flat"),
        ("FROM..TO", "1..2"),
        ("DIGITS", "-13"),
        ("FAULT", "motor.stall"),
        ("CAUSE", "spin"),
    ];

    /// Each form with each of its words, and with examples; `others` for those that mean something else there.
    fn spelled(form: &str) -> Vec<String> {
        let other = |part: &str| match (form.split(' ').next().unwrap_or_default(), part) {
            ("fault" | "heal", "ID") => Some("dome.flicker"),
            ("settings", "ID") => Some("sg-v6-1"),
            ("settings", "NAME") => Some("stall"),
            ("settings", "N") => Some("700"),
            ("prompt", "ID") => Some("keys"),
            ("phase", "NAME") => Some("ready"),
            ("lose", "LINE") => Some("seal"),
            _ => EXAMPLES.iter().find(|(stands, _)| *stands == part).map(|(_, example)| *example),
        };
        let mut all = vec![String::new()];
        for part in form.split(' ') {
            let words: Vec<&str> = part.split('|').map(|word| other(word).unwrap_or(word)).collect();
            all = all.iter().flat_map(|so_far| words.iter().map(move |word| format!("{so_far} {word}"))).collect();
        }
        all
    }

    /// What the page and `tumbler-hil steps` show can be written, word for word.
    #[test]
    fn every_form_is_read_in_each_of_its_words() {
        let of = |forms: Vec<&'static str>, first: &'static str| {
            forms.into_iter().flat_map(spelled).map(move |words| format!("{first}{words}")).collect::<Vec<_>>()
        };
        let all = [of(steps(), ""), of(checks(), "wait"), of(commands(), "ask")].concat();
        let read =
            |line: &String| super::super::parse::step(line, "sg-v6-1").err().map(|wrong| format!("{line}: {wrong}"));
        let unread: Vec<String> = all.iter().filter_map(read).collect();
        assert!(unread.is_empty() && all.len() > 90, "{}: {unread:#?}", all.len());
    }
}

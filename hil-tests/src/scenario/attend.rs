//! A person who attends to a test: reads what the table asks for, and does it.

use tumbler_bench::{Bench, BenchError, Role, witnessed};
use tumbler_core::line::InLine;
use tumbler_core::wire::console::{Command, Witness};
use tumbler_twin::{Act, MS};

/// Interval between two looks at the table, in milliseconds.
pub const LOOK: u64 = 250;
/// Time after which an act that is still asked for is repeated, in milliseconds. The snapshot may lag behind an act, on a slow
/// disk by two commits.
const AGAIN: u64 = 4_000;
/// A person's time to reach the dome, in milliseconds.
const REACH: u64 = 1_000;
/// The code of the terminal's entry key.
const ENTRY: u8 = 7;
const NAME: &str = "Mei";
/// The press of the dealer's button.
const PRESS: Act = Act::Press { line: InLine::Tumble, millis: 120 };
/// How long a button is pressed in its own test, and the key stays turned, in milliseconds.
const PRESSED: u32 = 150;

/// What the table asks a person to do or say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Do(Act),
    Say(Witness),
}

fn line(name: &str) -> Option<InLine> {
    InLine::ALL.into_iter().find(|line| line.name() == name)
}

impl Part {
    /// Parses the request in the snapshot's line of the test.
    fn asked(shown: &str) -> Option<Self> {
        let (_, asked) = shown.split_once(": ")?;
        match asked.split(' ').collect::<Vec<_>>().as_slice() {
            ["lift", "the", "dome"] => Some(Self::Do(Act::LiftDome)),
            ["put", "the", "dome", "back"] | [.., "the", "dome", "is", "not", "down"] => Some(Self::Do(Act::LowerDome)),
            ["press", "tumble", "at", ..] => Some(Self::Do(PRESS)),
            ["press", button, "within", ..] => line(button).map(|line| Self::Do(Act::Press { line, millis: PRESSED })),
            ["turn", "the", "supervisor's", "key", "within", ..] => {
                Some(Self::Do(Act::Press { line: InLine::SupervisorKey, millis: PRESSED }))
            }
            ["press", "the", "key", digit] => digit.parse().ok().map(|digit| Self::Do(Act::Key(digit))),
            ["press", "the", "entry", "key"] => Some(Self::Do(Act::Key(ENTRY))),
            ["waits", "for", "every", "key", ..] => keys_left(shown).first().map(|key| Self::Do(Act::Key(*key))),
            ["waits", "for", "a", "witness:", item, ..] => {
                let all = witnessed(false);
                let item = item.trim_end_matches(',');
                all.into_iter().find(|w| format!("{w:?}").eq_ignore_ascii_case(item)).map(Self::Say)
            }
            _ => None,
        }
    }
}

/// Keys of the terminal that an opening still asks for, by the snapshot's line of the test.
#[must_use]
pub fn keys_left(shown: &str) -> Vec<u8> {
    let left = shown.split_once("every key of the terminal to be pressed: ").map_or("", |(_, left)| left);
    left.split(", ").filter_map(|key| if key == "Entry" { Some(ENTRY) } else { key.parse().ok() }).collect()
}

/// Whether the test waits for a person, by the snapshot's line of the test.
#[must_use]
pub fn asks_somebody(shown: &str) -> bool {
    Part::asked(shown).is_some()
}

/// The person, with the next act and its time.
#[derive(Debug, Default)]
pub struct Attendant {
    next: Option<(Part, u64)>,
    /// Only the button is pressed: the rest is for somebody else.
    only_presses: bool,
}

impl Attendant {
    /// One who presses the button where a test's spin begins by that, and does nothing else.
    #[must_use]
    pub fn at_the_button() -> Self {
        Self { only_presses: true, ..Self::default() }
    }

    /// Looks at the table, and does what its test asks for.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    pub fn look(&mut self, bench: &mut dyn Bench) -> Result<(), BenchError> {
        let shown = bench.snapshot()?.and_then(|shown| shown.test);
        let asked = shown.as_deref().and_then(Part::asked);
        let Some(part) = asked.filter(|part| !self.only_presses || *part == Part::Do(PRESS)) else { return Ok(()) };
        let now = bench.now();
        let reach = if matches!(part, Part::Do(Act::LiftDome | Act::LowerDome)) { REACH } else { 0 };
        let due = match self.next {
            Some((next, due)) if next == part => due,
            _ => now + reach * MS,
        };
        self.next = Some((part, due));
        if now < due {
            return Ok(());
        }
        self.next = Some((part, now + AGAIN * MS));
        match part {
            Part::Do(act) => bench.act(act),
            Part::Say(item) => {
                bench.ask(Role::Supervisor, Command::Witness { item, right: true, name: NAME.into() }).map(drop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_table_shows_is_understood() {
        for (shown, part) in [
            ("reset dome: lift the dome", Part::Do(Act::LiftDome)),
            (
                "hardware buttons: press no_spin within 10 s",
                Part::Do(Act::Press { line: InLine::NoSpin, millis: PRESSED }),
            ),
            (
                "hardware buttons: turn the supervisor's key within 10 s",
                Part::Do(Act::Press { line: InLine::SupervisorKey, millis: PRESSED }),
            ),
            ("reset dome: put the dome back", Part::Do(Act::LowerDome)),
            ("reset reader: tumbler, waits: the dome is not down", Part::Do(Act::LowerDome)),
            ("hardware motor: press tumble at the table within 10 s", Part::Do(PRESS)),
            ("reset terminal: press the key 4", Part::Do(Act::Key(4))),
            ("reset terminal: press the entry key", Part::Do(Act::Key(7))),
            ("reset seal: waits for a witness: seal", Part::Say(Witness::Seal)),
            ("opening: waits for a witness: areas, seal, bell, sign", Part::Say(Witness::Areas)),
            ("opening: waits for every key of the terminal to be pressed: 3, Entry", Part::Do(Act::Key(3))),
        ] {
            assert_eq!(Part::asked(shown), Some(part), "{shown}");
        }
        for shown in ["reset lamps: each result in turn: look at the areas", "reset journal: ends", "motor"] {
            assert_eq!(Part::asked(shown), None, "{shown}");
            assert!(keys_left(shown).is_empty(), "{shown}");
        }
        assert_eq!(keys_left("opening: waits for every key of the terminal to be pressed: 3, Entry"), [3, 7]);
    }
}

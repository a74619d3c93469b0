//! The display of the terminal: what it is told.
//!
//! ```text
//!  blank ── numbers keyed ──> the last three ──┬── result ──> stays; a number or "error" give way to it after `result_back`
//!    ^                                         └── no result ──> "error" until the next number
//!    └── the round ends (void: "void" until the next round begins), the daemon starts, a test ends
//! ```

use super::keys::{ENTRY, Keys, Press};
use crate::areas::sorted;
use crate::ledger::Ledger;
use crate::observation::{BusKind, Observation, Part, Seen, Transaction, Truth};
use crate::record::Fact;
use crate::registers::{DISPLAY, TERMINAL};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};

const DIGITS: Rule =
    Rule::new("display.digits", "NZ 3.3(a)(iii), design.md, Result: the display shows the last three digits");
const ERROR: Rule =
    Rule::new("display.error", "registers.md, Display: an entry that is no result is answered with \"error\"");
const VOID: Rule =
    Rule::new("display.void", "registers.md, Display: three dashes from the moment that a round is void");
const BLANK: Rule =
    Rule::new("display.blank", "table.md, The result: blank until numbers are keyed, and from the round's end on");
const TESTED: Rule =
    Rule::new("display.tested", "hardware-tests.md, NZ 5: a test has the display show what it is told");

const NOTHING: u16 = 0x0FFF;
const ERROR_SHOWN: u16 = 0x0EEE;
const VOID_SHOWN: u16 = 0x0DDD;

const AGAIN: Rule = Rule::new(
    "display.again",
    "design.md rule 2: what hangs on a unit that was lost and is heard again is told the same",
);

/// Presses of a terminal that is, or was, broken may count or not.
const MENDED_NS: u64 = 10_000_000_000;

/// Follows what the display has to show.
#[derive(Clone, Debug, Default)]
pub(super) struct Display {
    keys: Keys,
    /// What was pressed in this round since the dice could be seen.
    presses: Vec<Press>,
    /// When the reveal was decided, once it is on record.
    revealed_ns: Option<u64>,
    /// What it was told last.
    told: Option<u16>,
}

impl Display {
    /// The last three numbers since Entry of these presses.
    fn digits<'a>(presses: impl Iterator<Item = &'a Press>) -> u16 {
        presses.fold(NOTHING, |shown, press| (shown << 4 | press.code) & NOTHING)
    }

    /// What numbers may be shown: those keyed since the last Entry and after the first reading that follows the reveal. While the
    /// reveal is not on record it is not known which those are.
    fn may_show(&self, value: u16) -> bool {
        let since = self.presses.iter().rposition(|press| press.code == ENTRY).map_or(0, |entry| entry + 1);
        let numbers = || self.presses.iter().skip(since);
        match self.revealed_ns {
            Some(revealed) => value == Self::digits(numbers().filter(|press| press.before_ns.0 >= revealed)),
            None => (0..=numbers().count()).any(|skip| value == Self::digits(numbers().skip(skip))),
        }
    }

    /// Whether an Entry of this round followed on these numbers.
    fn entered(&self, numbers: [u8; 3]) -> bool {
        self.presses.split(|press| press.code == ENTRY).any(|group| match group {
            [.., a, b, c] => sorted([a.code, b.code, c.code].map(|code| u8::try_from(code).unwrap_or(0))) == numbers,
            _ => false,
        })
    }

    fn write(&self, bus: &Transaction, scene: &Scene) -> Answer {
        let Some(value) = bus.word(DISPLAY) else { return Answer::Unexplained(BLANK, "a value".into()) };
        let open = scene.round.as_ref().is_some_and(|round| round.could_see);
        if scene.testing() && !open {
            return may(TESTED);
        }
        let entered = self.presses.last().is_some_and(|press| press.code == ENTRY);
        // The result stays as it was keyed, in any order.
        let result = scene.round.as_ref().and_then(|round| round.result);
        let places = [value >> 8, value >> 4 & 0xF, value & 0xF].map(|place| u8::try_from(place).unwrap_or(0));
        match value {
            NOTHING => must(BLANK),
            VOID_SHOWN => may(VOID),
            ERROR_SHOWN if open && (entered || self.told == Some(ERROR_SHOWN)) => must(ERROR),
            _ if open && self.may_show(value) => must(DIGITS),
            _ if open && result == Some(sorted(places)) => must(DIGITS),
            // A result that is not durable yet stays, whatever is keyed then.
            _ if open && self.entered(sorted(places)) => may(AGAIN),
            _ if self.told == Some(value) || open && scene.recently_broken(Part::Terminal, MENDED_NS) => may(AGAIN),
            _ => Answer::Unexplained(DIGITS, format!("what was keyed, {:?}, or the result {result:x?}", self.presses)),
        }
    }
}

impl Section for Display {
    fn rules(&self) -> Vec<Rule> {
        vec![DIGITS, ERROR, VOID, BLANK, TESTED, AGAIN]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Bus(bus) if bus.unit == TERMINAL && bus.kind == BusKind::WriteHolding && bus.address == DISPLAY => {
                self.write(bus, scene)
            }
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) {
        match &seen.what {
            Seen::Bus(bus) => {
                if bus.unit == TERMINAL && bus.kind == BusKind::WriteHolding {
                    self.told = bus.word(DISPLAY).or(self.told);
                }
                let presses = self.keys.read(bus, seen.at_ns);
                if scene.round.as_ref().is_some_and(|round| round.could_see) {
                    self.presses.extend(presses);
                }
            }
            Seen::Truth(Truth::Process { .. }) => {
                let revealed_ns = scene.round.as_ref().filter(|round| round.revealed).map(|_| seen.at_ns);
                *self = Self { revealed_ns, ..Self::default() };
            }
            Seen::Record(record) => {
                if let Fact::Revealed { .. } = record.fact {
                    self.revealed_ns = Some(record.at_ns);
                } else if scene.began || scene.ended {
                    self.presses.clear();
                    self.revealed_ns = None;
                }
            }
            _ => {}
        }
    }
}

//! The dealer's buttons and the supervisor's key, each moved by a person as asked, and judged by its line alone.
//!
//! ```text
//! for each in turn:  let go --off--> press --on--> let go again --off--> right
//!                       |              |                 |
//!                       '--late: stuck '--late: missing  '--late: stuck      and the next is asked for
//! ```

use super::{Contact, Quantity, Verdict};
use crate::line::InLine;
use crate::prelude::*;
use crate::prompt::PromptId;
use crate::settings::Parameters;
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// What is asked for, one after another.
const ASKED: [InLine; COUNT] =
    [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin, InLine::SupervisorKey];
const COUNT: usize = 5;
/// A person has so long to press what is asked for, and to turn the key back: whoever does it stands at the table and knows
/// what for, as for the press that begins a test's spin.
const WITHIN: Millis = Millis(10_000);

/// What the table waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Wanted {
    /// That it is off, so that it can come on.
    #[default]
    Rest,
    /// That it comes on.
    Press,
    /// That it goes off again.
    Release,
}

/// What became of a button that was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Fate {
    #[default]
    Unknown,
    Right,
    Missing,
    Stuck,
}

/// Presses by what was asked for and what came on instead of it, or with it.
type Pairs = [[u16; COUNT]; COUNT];

/// What was seen of the buttons and the key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buttons {
    /// How long a level has to last to count, in nanoseconds; none before the probe began.
    debounce: Option<u64>,
    contacts: [Contact; COUNT],
    fates: [Fate; COUNT],
    /// Place of what is asked for, what is waited for, and since when.
    place: usize,
    wanted: Wanted,
    since: Mono,
    alone: Pairs,
    together: Pairs,
}

/// Its place among what is asked for.
fn place(line: InLine) -> Option<usize> {
    ASKED.into_iter().position(|asked| asked == line)
}

impl Buttons {
    /// The levels at the beginning; said again, it changes nothing.
    pub fn begin(&mut self, level: impl Fn(InLine) -> bool, p: &Parameters, at: Mono) {
        if self.debounce.is_some() {
            return;
        }
        self.debounce = Some(u64::from(p.button_debounce) * 1_000_000);
        self.since = at;
        for (contact, line) in self.contacts.iter_mut().zip(ASKED) {
            *contact = Contact::at(level(line), at);
        }
    }

    /// A raw edge.
    pub fn edge(&mut self, line: InLine, active: bool, at: Mono) {
        self.settle(at);
        if let Some(contact) = place(line).filter(|_| self.debounce.is_some()).and_then(|n| self.contacts.get_mut(n)) {
            contact.edge(active, at);
        }
    }

    fn settle(&mut self, at: Mono) {
        let Some(debounce) = self.debounce else { return };
        let asked = self.contacts.get(self.place).copied().unwrap_or_default();
        for (place, contact) in self.contacts.iter_mut().enumerate() {
            if !contact.settle(debounce, at) || place == self.place {
                continue;
            }
            let pairs = if asked.level || asked.lasting { &mut self.together } else { &mut self.alone };
            if let Some(count) = pairs.get_mut(self.place).and_then(|row| row.get_mut(place)) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// Goes on as far as the lines and the time allow; until when it then waits at most, and nothing once all were asked for.
    pub fn look(&mut self, p: &Parameters, at: Mono) -> Option<Mono> {
        self.settle(at);
        loop {
            let contact = self.contacts.get(self.place)?;
            let until = self.since.after(self.wanted.within(self.place, p));
            let done = contact.lasting == (self.wanted == Wanted::Press);
            let fate = match self.wanted {
                Wanted::Release if done => Fate::Right,
                _ if done => Fate::Unknown,
                _ if at < until => return Some(until),
                Wanted::Press => Fate::Missing,
                Wanted::Rest | Wanted::Release => Fate::Stuck,
            };
            self.since = at;
            self.wanted = match (fate, self.wanted) {
                (Fate::Unknown, Wanted::Rest) => Wanted::Press,
                (Fate::Unknown, _) => Wanted::Release,
                _ => {
                    self.fates.iter_mut().skip(self.place).take(1).for_each(|of| *of = fate);
                    self.place += 1;
                    Wanted::Rest
                }
            };
        }
    }

    /// What a person is to do, for a program: with the button.
    #[must_use]
    pub fn prompt_id(&self) -> (PromptId, Vec<String>) {
        let of = |id| (id, ASKED.get(self.place).map(|line| line.name().to_owned()).into_iter().collect());
        match self.wanted {
            Wanted::Press if self.asks_for_key() => (PromptId::TurnKey, Vec::new()),
            _ if self.asks_for_key() => (PromptId::TurnKeyBack, Vec::new()),
            Wanted::Press => of(PromptId::Button),
            _ => of(PromptId::LetGo),
        }
    }

    /// What a person is to do.
    #[must_use]
    pub fn prompt(&self, p: &Parameters) -> String {
        let line = ASKED.get(self.place).copied().unwrap_or(InLine::SupervisorKey);
        let seconds = self.wanted.within(self.place, p).0 / 1000;
        let what = match self.wanted {
            Wanted::Press if self.asks_for_key() => "turn the supervisor's key".to_owned(),
            _ if self.asks_for_key() => "turn the supervisor's key back".to_owned(),
            Wanted::Press => format!("press {}", line.name()),
            _ => format!("let go of {}", line.name()),
        };
        format!("{what} within {seconds} s")
    }

    fn asks_for_key(&self) -> bool {
        self.place + 1 >= COUNT
    }

    pub(super) fn found(&self, now: Mono) -> Vec<(Quantity, i64)> {
        if self.debounce.is_none() {
            return Vec::new();
        }
        let ended = || self.contacts.into_iter().map(|contact| contact.ended(now));
        let sum = |pairs: &Pairs| pairs.iter().flatten().copied().map(i64::from).sum();
        let pressed = self.fates.iter().filter(|fate| **fate == Fate::Right).count();
        vec![
            (Quantity::ButtonsPressed, i64::try_from(pressed).unwrap_or(i64::MAX)),
            (Quantity::ButtonsWrong, sum(&self.alone)),
            (Quantity::ButtonsTogether, sum(&self.together)),
            // The key may stay turned for longer than a button is pressed.
            (Quantity::ButtonHold, micros(ended().take(COUNT - 1).map(|contact| contact.hold).max())),
            (Quantity::ButtonBounce, micros(ended().map(|contact| contact.bounce).max())),
            (Quantity::ButtonBounces, ended().map(|contact| contact.bounces).max().unwrap_or_default()),
            (Quantity::ButtonFlickers, ended().map(|contact| contact.flickers).sum()),
        ]
    }

    /// What is out of order, each by its name and with what to do, and what a person pressed by mistake; empty if nothing was.
    #[must_use]
    pub fn wrong(&self, p: &Parameters, now: Mono) -> String {
        let asked = ASKED.into_iter().zip(self.fates).zip(self.contacts).enumerate();
        let wrong = asked.flat_map(|(asked, ((line, fate), contact))| {
            let mut wrong = self.others(asked, line.name(), fate);
            wrong.extend(self.fate(asked, line.name(), fate, contact.ended(now), p));
            wrong.extend(worn(line.name(), contact.ended(now), p));
            wrong
        });
        wrong.collect::<Vec<_>>().join("; ")
    }

    /// What came on with what is asked for here, or instead of it.
    fn others(&self, asked: usize, name: &str, fate: Fate) -> Vec<String> {
        let missing = fate == Fate::Missing;
        let mut wrong = Vec::new();
        for (on, (other, its)) in ASKED.into_iter().zip(self.fates).enumerate() {
            let other = other.name();
            if came(&self.together, asked, on) {
                wrong.push(format!("{other} came on together with {name}: look for a bridge between their wires"));
            }
            if !came(&self.alone, asked, on) {
                continue;
            }
            match missing && its == Fate::Missing && came(&self.alone, on, asked) {
                true if on < asked => {}
                true => wrong.push(format!("{name} and {other} are crossed: swap their wires")),
                false => wrong.push(format!(
                    "{other} came on when {name} was asked for: press as asked, and check which wire goes where"
                )),
            }
        }
        wrong
    }

    /// Whether what is asked for here stayed away, or stayed on. Where another came instead of it, that says enough.
    fn fate(&self, asked: usize, name: &str, fate: Fate, contact: Contact, p: &Parameters) -> Option<String> {
        let seconds = |wanted: Wanted| wanted.within(asked, p).0 / 1000;
        let instead = (0..COUNT).any(|on| came(&self.alone, asked, on));
        match fate {
            Fate::Missing if !instead => Some(format!(
                "{name} was not seen within {} s: press it as asked; if it stays away, check its contact and cable",
                seconds(Wanted::Press)
            )),
            Fate::Stuck => Some(format!(
                "{name} did not come off within {} s: free it or replace it, and check its cable for a short",
                seconds(Wanted::Release)
            )),
            _ if asked + 1 < COUNT && fails(p, Quantity::ButtonHold, micros(Some(contact.hold))) => Some(format!(
                "{name} stayed on for {} s: free it or replace it, and check its cable for a short",
                contact.hold / 1_000_000_000
            )),
            _ => None,
        }
    }
}

/// Whether this contact bounces or flickers.
fn worn(name: &str, contact: Contact, p: &Parameters) -> Vec<String> {
    let mut wrong = Vec::new();
    if fails(p, Quantity::ButtonBounce, micros(Some(contact.bounce)))
        || fails(p, Quantity::ButtonBounces, contact.bounces)
    {
        wrong.push(format!("{name} bounces: clean or replace its contact"));
    }
    if fails(p, Quantity::ButtonFlickers, contact.flickers) {
        let times = contact.flickers;
        wrong.push(format!("{name} flickered {times} times: check its contact and cable, then replace it"));
    }
    wrong
}

fn fails(p: &Parameters, quantity: Quantity, value: i64) -> bool {
    quantity.limits(p).judge(value) == Verdict::Fail
}

/// Whether this one came on while that was asked for.
fn came(pairs: &Pairs, asked: usize, on: usize) -> bool {
    pairs.get(asked).and_then(|row| row.get(on)).is_some_and(|count| *count > 0)
}

impl Wanted {
    /// How long it is waited for.
    const fn within(self, place: usize, p: &Parameters) -> Millis {
        match self {
            Self::Rest | Self::Release if place + 1 < COUNT => Millis(p.button_stuck),
            _ => WITHIN,
        }
    }
}

fn micros(nanos: Option<u64>) -> i64 {
    i64::try_from(nanos.unwrap_or_default() / 1000).unwrap_or(i64::MAX)
}

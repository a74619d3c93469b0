//! What the dealer keys after the reveal, and what the display was written to show (NZ 3.3(a), 6.4).

use crate::areas::sorted;
use crate::observation::{Key, Transaction};
use crate::registers;
use crate::scene::{Round, Scene};

const MS: u64 = 1_000_000;
/// A key that is pressed this shortly after the reveal may belong to the time before it.
const REVEAL_NS: u64 = 500 * MS;
/// Keys that follow each other faster are pressed in haste: a terminal may miss one.
const HASTE_NS: u64 = 150 * MS;

/// The entry terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct Terminal {
    /// Keys pressed since the reveal.
    keyed: Vec<(Key, u64)>,
    revealed_ns: u64,
    /// What the display was last told to show.
    shown: Option<u16>,
}

/// Three digits as the display's register holds them.
fn displayed(digits: impl Iterator<Item = u8>) -> u16 {
    digits.fold(0x0FFF, |shown, digit| (shown << 4 | u16::from(digit)) & 0x0FFF)
}

impl Terminal {
    /// A new round begins.
    pub(super) fn clear(&mut self) {
        self.keyed.clear();
    }

    /// The dice may be seen from now on: what was keyed before does not count.
    pub(super) fn revealed(&mut self, now_ns: u64) {
        self.revealed_ns = now_ns;
        self.keyed.clear();
    }

    pub(super) fn key(&mut self, key: Key, now_ns: u64) {
        self.keyed.push((key, now_ns));
    }

    pub(super) fn display(&mut self, bus: &Transaction) {
        self.shown = bus.word(registers::DISPLAY).or(self.shown);
    }

    /// What is wrong with the display, once three numbers and Entry have been keyed.
    pub(super) fn display_error(&self) -> Option<String> {
        let right = displayed(self.keyed.iter().filter_map(|(key, _)| match key {
            Key::Digit(digit) => Some(*digit),
            Key::Entry => None,
        }));
        (self.shown != Some(right))
            .then(|| format!("the display was written {:x?}, and keyed was {right:x}", self.shown))
    }

    /// Whether nothing but Entry was keyed since then. A dealer who keys anything else has not finished paying.
    pub(super) fn only_entry_since(&self, since_ns: u64) -> bool {
        self.keyed.iter().all(|(key, at)| *at <= since_ns || *key == Key::Entry)
    }

    /// Whether exactly the three numbers that the dice show, and then Entry, were keyed after the reveal, and none in haste.
    pub(super) fn keyed_the_dice(&self, round: &Round, scene: &Scene) -> bool {
        let seen = if scene.config.given.reader { round.established } else { round.revealed };
        let [(Key::Digit(a), first), (Key::Digit(b), second), (Key::Digit(c), third), (Key::Entry, last)] =
            self.keyed.as_slice()
        else {
            return false;
        };
        let pairs = [(*first, *second), (*second, *third), (*third, *last)];
        seen && *first > self.revealed_ns.saturating_add(REVEAL_NS)
            && pairs.iter().all(|(one, next)| next.saturating_sub(*one) >= HASTE_NS)
            && scene.dice.is_some_and(|(faces, flat)| flat == [true; 3] && sorted(faces) == sorted([*a, *b, *c]))
    }
}

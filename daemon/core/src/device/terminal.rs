//! The entry terminal: six number keys, an entry key, and a display of the last three numbers (NZ 3.3(a)).
//!
//! Keys come from the terminal's own numbered queue, so that none is lost between polls and none is taken twice.

use crate::settings::Parameters;
use crate::timer::{Timer, Timers};
use crate::units::{DieFace, Millis, Mono};
use crate::wire::registers::terminal as map;
use serde::{Deserialize, Serialize};

/// Codes of keys, with 0, which is none.
const KEYS: usize = map::ENTRY as usize + 1;

/// What two polls that were hit on the bus add to the time between two readings of a key, in milliseconds: each costs the
/// master's wait of 50 ms and the rest of 20 ms before the next. Deliberate presses of one key lie further apart.
const MISSED_MILLIS: u32 = 140;

/// A key of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Which one may not be known yet.
    Hidden,
    /// A number.
    Digit(DieFace),
    /// The entry key.
    Entry,
}

/// The presses of one poll, oldest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presses {
    keys: [Option<Key>; map::WINDOW],
    count: usize,
}

impl Presses {
    fn push(&mut self, key: Key) {
        if let Some(place) = self.keys.get_mut(self.count) {
            *place = Some(key);
            self.count += 1;
        }
    }
    /// The presses, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Key> + '_ {
        self.keys.iter().flatten().copied()
    }
}

/// The terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terminal {
    /// Number of the next event wanted; `None` until the terminal first replied.
    next: Option<u16>,
    /// Number last acknowledged to the terminal.
    acknowledged: Option<u16>,
    /// Keys that have been held together since the timer for stuck keys began.
    held: u16,
    /// They were read while keys are hidden, so that which ones is not known.
    masked: bool,
    /// When each key was last taken, by its code.
    last: [Option<Mono>; KEYS],
    /// When the last good poll was.
    polled: Option<Mono>,
    /// Presses that were bounce, since the start.
    bounced: u32,
    digits: Vec<DieFace>,
    wanted: u16,
    written: Option<u16>,
    read: Option<u16>,
}

impl Default for Terminal {
    fn default() -> Self {
        Self {
            next: None,
            acknowledged: None,
            held: 0,
            masked: false,
            last: [None; KEYS],
            polled: None,
            bounced: 0,
            digits: Vec::new(),
            wanted: map::BLANK,
            written: None,
            read: None,
        }
    }
}

/// Masks what a polled block says of keys, where it may not be kept: that some key was pressed or is held remains.
pub fn mask(words: &mut [u16]) {
    for (place, word) in words.iter_mut().enumerate() {
        match place {
            0 if *word != 0 => *word = 1,
            3..=10 if *word != 0 => *word = 1,
            _ => {}
        }
    }
}

impl Terminal {
    /// Takes a polled block. With `hidden`, keys are taken as pressed and nothing of them is kept.
    ///
    /// Returns `None` for a block that cannot be one: nothing is decided on it.
    pub fn poll(
        &mut self,
        words: &[u16],
        hidden: bool,
        at: Mono,
        p: &Parameters,
        timers: &mut Timers,
    ) -> Option<Presses> {
        let (&[held, first, count], rest) = words.split_first_chunk::<3>()?;
        let (events, display) = rest.split_first_chunk::<{ map::WINDOW }>()?;
        let &[display] = display else { return None };
        if usize::from(count) > map::WINDOW {
            return None;
        }
        let codes = events.get(..usize::from(count))?;
        if codes.iter().any(|c| *c == 0 || *c > map::ENTRY) {
            return None;
        }
        self.hold(if hidden { u16::from(held != 0) } else { held }, hidden, at, p, timers);
        self.show(display, at, p, timers);

        let end = first.wrapping_add(count);
        let mut presses = Presses::default();
        let next = match self.next {
            // What was pressed before the daemon listened belongs to nobody.
            None => end,
            // The terminal counts from the start again: it restarted.
            Some(next) if before(end, next) => first,
            Some(next) => next,
        };
        let mut seq = first;
        for code in codes {
            if !before(seq, next) {
                self.press(if hidden { 1 } else { *code }, hidden, at, p, &mut presses);
            }
            seq = seq.wrapping_add(1);
        }
        self.next = Some(end);
        self.polled = Some(at);
        Some(presses)
    }

    fn press(&mut self, code: u16, hidden: bool, at: Mono, p: &Parameters, presses: &mut Presses) {
        // By key, and not by the last one: two that make contact by turns are each pressed once.
        let Some(last) = self.last.get_mut(usize::from(code)) else { return };
        // Where polls were hit in between, the press may be as old as the last good one. A digit that is missing on the
        // display is seen; one too many may be taken for a result.
        let repeat = Millis(p.key_repeat);
        let bounce = last.is_some_and(|when| {
            let may_be_bounce = self.polled.is_some_and(|polled| !polled.reached(when, repeat));
            let missed = if may_be_bounce { MISSED_MILLIS } else { 0 };
            !at.reached(when, Millis(p.key_repeat.saturating_add(missed)))
        });
        if bounce {
            self.bounced = self.bounced.wrapping_add(1);
            return;
        }
        *last = Some(at);
        presses.push(match u8::try_from(code).ok().and_then(|c| DieFace::new(c).ok()) {
            _ if hidden => Key::Hidden,
            Some(face) => Key::Digit(face),
            None => Key::Entry,
        });
    }

    fn hold(&mut self, held: u16, masked: bool, at: Mono, p: &Parameters, timers: &mut Timers) {
        // Across the reveal nobody can say whether it is the same key: one that is stuck is held on both sides of it.
        let comparable = core::mem::replace(&mut self.masked, masked) == masked;
        let still = if comparable || self.held == 0 { self.held & held } else { held };
        if still != 0 {
            self.held = still;
        } else {
            self.held = held;
            if held == 0 {
                timers.clear(Timer::TerminalHeld);
            } else {
                timers.after(Timer::TerminalHeld, at, Millis(p.terminal_stuck));
            }
        }
    }

    fn show(&mut self, display: u16, at: Mono, p: &Parameters, timers: &mut Timers) {
        self.read = Some(display);
        if display == self.wanted {
            timers.clear(Timer::DisplayVerify);
        } else if !timers.is_set(Timer::DisplayVerify) {
            timers.after(Timer::DisplayVerify, at, Millis(p.display_verify));
        }
    }

    /// Presses that were bounce, since the start.
    #[must_use]
    pub const fn bounced(&self) -> u32 {
        self.bounced
    }

    /// Whether a key is held.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.held != 0
    }

    /// The digits keyed since the last entry, at most the last three.
    #[must_use]
    pub fn digits(&self) -> &[DieFace] {
        &self.digits
    }

    /// Takes a digit: the display shows the last three (NZ 3.3(a)(iii)).
    pub fn key(&mut self, digit: DieFace, at: Mono, p: &Parameters, timers: &mut Timers) {
        if self.digits.len() == 3 {
            self.digits.remove(0);
        }
        self.digits.push(digit);
        let shown = self.digits.iter().fold(map::BLANK, |shown, d| (shown << 4 | u16::from(d.pips())) & 0x0FFF);
        self.want(shown, at, p, timers);
    }

    /// Forgets the digits keyed and blanks the display.
    pub fn clear(&mut self, at: Mono, p: &Parameters, timers: &mut Timers) {
        self.digits.clear();
        self.want(map::BLANK, at, p, timers);
    }

    /// Forgets the digits keyed and shows that the entry was an error.
    pub fn refuse(&mut self, at: Mono, p: &Parameters, timers: &mut Timers) {
        self.digits.clear();
        self.want(map::ERROR, at, p, timers);
    }

    /// Forgets the digits keyed; the display goes on showing them.
    pub fn take(&mut self) -> Vec<DieFace> {
        core::mem::take(&mut self.digits)
    }

    /// Shows this.
    pub fn want(&mut self, shown: u16, at: Mono, p: &Parameters, timers: &mut Timers) {
        if self.wanted != shown {
            self.wanted = shown;
            timers.after(Timer::DisplayVerify, at, Millis(p.display_verify));
        }
    }

    /// What is to be written to the display, if it is not written yet.
    #[must_use]
    pub fn display_due(&self) -> Option<u16> {
        (self.written != Some(self.wanted)).then_some(self.wanted)
    }

    /// The display was written.
    pub fn written(&mut self, value: u16) {
        self.written = Some(value);
    }

    /// Whether the display shows what it was told, by its readback.
    #[must_use]
    pub fn shows(&self) -> bool {
        self.read == Some(self.wanted)
    }

    /// The number to acknowledge, if it is not acknowledged yet.
    #[must_use]
    pub fn acknowledge_due(&self) -> Option<u16> {
        self.next.filter(|next| self.acknowledged != Some(*next))
    }

    /// The number was acknowledged.
    pub fn acknowledged(&mut self, next: u16) {
        self.acknowledged = Some(next);
    }

    /// The terminal is lost: nothing it showed or held is known any more, and what it queued meanwhile is nobody's.
    pub fn lose(&mut self, timers: &mut Timers) {
        timers.clear(Timer::TerminalHeld);
        timers.clear(Timer::DisplayVerify);
        *self = Self { wanted: self.wanted, digits: core::mem::take(&mut self.digits), ..Self::default() };
    }

    /// What the display shows, as it reads back, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let Some(read) = self.read else { return String::new() };
        [8u32, 4, 0]
            .into_iter()
            .map(|shift| match (read >> shift) & 0xF {
                digit @ 0..=9 => char::from_digit(u32::from(digit), 10).unwrap_or('?'),
                14 => 'E',
                15 => ' ',
                _ => '?',
            })
            .collect()
    }
}

/// Whether event number `a` comes before `b`, on a counter that wraps.
const fn before(a: u16, b: u16) -> bool {
    a.wrapping_sub(b) > u16::MAX / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(held: u16, first: u16, codes: &[u16], display: u16) -> Vec<u16> {
        let mut words = vec![held, first, u16::try_from(codes.len()).unwrap()];
        words.extend(codes);
        words.resize(11, 0);
        words.push(display);
        words
    }

    fn poll(t: &mut Terminal, words: &[u16], hidden: bool, ms: u64) -> Vec<Key> {
        t.poll(words, hidden, Mono::from_millis(ms), &Parameters::default(), &mut Timers::default())
            .unwrap()
            .iter()
            .collect()
    }

    fn digit(pips: u8) -> Key {
        Key::Digit(DieFace::new(pips).unwrap())
    }

    #[test]
    fn a_repeated_reply_gives_no_key_twice() {
        let mut t = Terminal::default();
        assert_eq!(poll(&mut t, &block(0, 65_534, &[3], map::BLANK), false, 0), [], "pressed before anybody listened");
        let words = block(0, 65_535, &[1, 7], map::BLANK);
        assert_eq!(poll(&mut t, &words, false, 100), [digit(1), Key::Entry]);
        assert_eq!(poll(&mut t, &words, false, 300), []);
        assert_eq!(poll(&mut t, &block(0, 0, &[7, 2], map::BLANK), false, 600), [digit(2)], "numbers wrap");
    }

    #[test]
    fn a_terminal_that_restarted_is_heard_again() {
        let mut t = Terminal::default();
        poll(&mut t, &block(0, 500, &[], map::BLANK), false, 0);
        assert_eq!(poll(&mut t, &block(0, 0, &[4], map::BLANK), false, 200), [digit(4)]);
    }

    /// FAULTS terminal.chatter: five presses a press, and no digit is entered twice.
    #[test]
    fn chatter_is_one_press_also_when_a_poll_in_its_midst_was_hit() {
        let mut t = Terminal::default();
        poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
        assert_eq!(poll(&mut t, &block(1, 0, &[5, 5], map::BLANK), false, 500), [digit(5)]);
        // The master waited 50 ms for the reply that was hit, and asked again 20 ms later.
        assert_eq!(poll(&mut t, &block(1, 2, &[5, 5, 5], map::BLANK), false, 572), []);
        assert_eq!(poll(&mut t, &block(0, 5, &[], map::BLANK), false, 592), []);
        // The same, with a good poll before the one that was hit.
        assert_eq!(poll(&mut t, &block(1, 5, &[6], map::BLANK), false, 612), [digit(6)]);
        assert_eq!(poll(&mut t, &block(1, 6, &[6], map::BLANK), false, 632), []);
        assert_eq!(poll(&mut t, &block(1, 7, &[6], map::BLANK), false, 704), []);
        assert_eq!(poll(&mut t, &block(1, 8, &[5], map::BLANK), false, 760), [digit(5)], "pressed again on purpose");
    }

    #[test]
    fn chatter_is_one_press() {
        let mut t = Terminal::default();
        poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
        assert_eq!(poll(&mut t, &block(1, 0, &[5, 5, 5, 5, 5], map::BLANK), false, 500), [digit(5)]);
        assert_eq!(poll(&mut t, &block(0, 5, &[5], map::BLANK), false, 700), [digit(5)], "pressed again on purpose");
    }

    /// FAULTS terminal.key_stuck: 5 s held, whether the keys may be known meanwhile or not.
    #[test]
    fn a_key_held_across_the_reveal_is_timed_from_its_press() {
        let (mut t, mut timers, p) = (Terminal::default(), Timers::default(), Parameters::default());
        let polls = [(0, true, 0), (0b100, true, 1000), (0b100, false, 4000), (0b100, true, 5000)];
        for (held, hidden, ms) in polls {
            let mut words = block(held, 0, &[], map::BLANK);
            if hidden {
                mask(&mut words);
            }
            t.poll(&words, hidden, Mono::from_millis(ms), &p, &mut timers).unwrap();
        }
        assert_eq!(timers.next(), Some(Mono::from_millis(1000 + u64::from(p.terminal_stuck))));
        t.poll(&block(0, 0, &[], map::BLANK), false, Mono::from_millis(5500), &p, &mut timers).unwrap();
        assert!(!timers.is_set(Timer::TerminalHeld), "let go");
    }

    /// FAULTS terminal.ghost: two keys at once, and no digit is entered twice.
    #[test]
    fn two_keys_that_make_contact_by_turns_are_each_one_press() {
        let mut t = Terminal::default();
        poll(&mut t, &block(0, 0, &[], map::BLANK), false, 0);
        assert_eq!(poll(&mut t, &block(6, 0, &[2, 3, 2, 3], map::BLANK), false, 500), [digit(2), digit(3)]);
        assert_eq!(poll(&mut t, &block(6, 4, &[2, 3], map::BLANK), false, 520), []);
        assert_eq!(poll(&mut t, &block(0, 6, &[2], map::BLANK), false, 700), [digit(2)], "pressed again on purpose");
    }

    #[test]
    fn the_masked_block_does_the_same_while_hidden() {
        let (mut real, mut masked) = (Terminal::default(), Terminal::default());
        for (i, (held, codes)) in [(0, vec![]), (4, vec![3]), (8, vec![4, 7]), (0, vec![])].into_iter().enumerate() {
            let first = [0, 0, 1, 3][i];
            let words = block(held, first, &codes, map::BLANK);
            let mut hidden = words.clone();
            mask(&mut hidden);
            let ms = 250 * i as u64;
            assert_eq!(poll(&mut real, &words, true, ms), poll(&mut masked, &hidden, true, ms));
            assert_eq!(real, masked);
        }
    }

    #[test]
    fn nothing_is_decided_on_a_block_that_cannot_be_one() {
        let mut t = Terminal::default();
        let mut timers = Timers::default();
        let p = Parameters::default();
        for words in [vec![], vec![0; 11], vec![0; 13], block(0, 0, &[8], 0), {
            let mut w = block(0, 0, &[], 0);
            w[2] = 9;
            w
        }] {
            assert!(t.poll(&words, false, Mono(0), &p, &mut timers).is_none(), "{words:?}");
        }
        assert_eq!(t, Terminal::default());
    }

    /// NZ9 3.3(a)(iii): the display shows the last three numbers.
    #[test]
    fn the_display_shows_the_last_three() {
        let mut t = Terminal::default();
        let (p, mut timers) = (Parameters::default(), Timers::default());
        for (pips, shown) in [(1, 0xFF1), (2, 0xF12), (3, 0x123), (6, 0x236)] {
            t.key(DieFace::new(pips).unwrap(), Mono(0), &p, &mut timers);
            assert_eq!(t.display_due(), Some(shown));
        }
    }
}

//! The entry terminal: six number keys, an entry key, and a display of the last three numbers (NZ 3.3(a)).
//!
//! Keys come from the terminal's own numbered queue, so that none is lost between polls and none is taken twice.

use crate::context::{Context, Transaction};
use crate::input::BusReply;
use crate::line::Key;
use crate::prelude::*;
use crate::timer::Timer;
use crate::units::{DieFace, Millis, Mono};
use crate::wire::registers::terminal as map;
use serde::{Deserialize, Serialize};

/// Number of key codes, with 0 for no key.
const KEYS: usize = map::ENTRY as usize + 1;

/// A request to the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Read its block of keys, events and display. `hidden`: the keys in it must stay unknown, even if the reveal comes before the
    /// reply.
    Poll {
        /// Whether keys must stay unknown.
        hidden: bool,
    },
    /// Acknowledge the key events before this number.
    Acknowledge(u16),
    /// Display this.
    Display(u16),
}

impl Request {
    /// The transaction on the bus.
    #[must_use]
    pub fn op(self) -> Transaction {
        match self {
            Self::Poll { .. } => Transaction::read_input(map::POLL, map::POLL_COUNT),
            Self::Acknowledge(next) => Transaction::write_holding(map::ACKNOWLEDGE, next),
            Self::Display(shown) => Transaction::write_holding(map::DISPLAY, shown),
        }
    }
}

/// A decoded answer of the terminal.
#[derive(Clone, Copy, Debug)]
pub enum Report {
    /// These keys were pressed.
    Polled(Presses),
    /// The display was written. Only its readback proves what it shows.
    Displayed,
    /// The events were acknowledged.
    Acknowledged,
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
    /// No reply came yet, or all were full of presses from before the first: more of them may be behind.
    catching_up: bool,
    /// Number last acknowledged to the terminal.
    acknowledged: Option<u16>,
    /// Keys that have been held together since the timer for stuck keys began.
    held: u16,
    /// Whether they were read while keys are hidden, so that it is not known which ones they are.
    masked: bool,
    /// When each key was last taken, by its code.
    last: [Option<Mono>; KEYS],
    /// When the last good poll was.
    polled: Option<Mono>,
    /// Number of next polls whose key events may still be from before the reveal.
    hidden_polls: u8,
    /// The presses of the last good poll began after this time.
    pressed_after: Mono,
    /// The last key of a reply that was full: presses of it that come first in the next one may have been left behind, and are bounce.
    left: Option<u16>,
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
            catching_up: true,
            acknowledged: None,
            held: 0,
            masked: false,
            last: [None; KEYS],
            polled: None,
            hidden_polls: 0,
            pressed_after: Mono(0),
            left: None,
            bounced: 0,
            digits: Vec::new(),
            wanted: map::BLANK,
            written: None,
            read: None,
        }
    }
}

/// Masks the keys in a polled block while they must stay unknown. It still shows that some key was pressed or is held.
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
    /// Takes an answer; `hidden`: keys must stay unknown. `None` for an invalid one, on which nothing is decided.
    pub fn answer(&mut self, request: Request, reply: &BusReply, hidden: bool, ctx: &mut Context) -> Option<Report> {
        match (request, reply) {
            (Request::Poll { .. }, BusReply::Words(words)) => {
                let read = self.read;
                let presses = self.poll(words, hidden, ctx)?;
                if self.read != read {
                    ctx.note_change();
                }
                Some(Report::Polled(presses))
            }
            (Request::Display(shown), BusReply::Written) => {
                self.written = Some(shown);
                Some(Report::Displayed)
            }
            (Request::Acknowledge(next), BusReply::Written) => {
                self.acknowledged = Some(next);
                Some(Report::Acknowledged)
            }
            _ => None,
        }
    }

    /// Takes a polled block. With `hidden`, it only counts presses and keeps no key codes.
    ///
    /// Returns `None` for an invalid block, on which nothing is decided.
    pub fn poll(&mut self, words: &[u16], hidden: bool, ctx: &mut Context) -> Option<Presses> {
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
        self.hold(if hidden { u16::from(held != 0) } else { held }, hidden, ctx);
        self.show(display, ctx);

        let end = first.wrapping_add(count);
        let mut presses = Presses::default();
        // Presses from before the daemon's first poll are ignored: nobody meant them for it.
        let early = self.catching_up;
        self.catching_up = early && codes.len() == map::WINDOW;
        let next = match self.next {
            _ if early => end,
            Some(next) if !before(end, next) => next,
            // The terminal's numbers start again, so it has restarted.
            _ => first,
        };
        let mut seq = first;
        let mut left = self.left.take();
        for code in codes {
            if !before(seq, next) {
                left = left.filter(|left| left == code);
                match left {
                    Some(_) => self.bounced = self.bounced.wrapping_add(1),
                    None => self.press(if hidden { 1 } else { *code }, hidden, ctx, &mut presses),
                }
            }
            seq = seq.wrapping_add(1);
        }
        self.next = Some(end);
        self.pressed_after = self.polled.replace(ctx.at()).unwrap_or(ctx.at());
        self.hidden_polls = self.hidden_polls.saturating_sub(1);
        self.left = codes.last().copied().filter(|_| !hidden && codes.len() == map::WINDOW);
        Some(presses)
    }

    fn press(&mut self, code: u16, hidden: bool, ctx: &Context, presses: &mut Presses) {
        // The key is unknown, so bounce cannot be recognised: every press is reported.
        if hidden {
            presses.push(Key::Hidden);
            return;
        }
        // Per key and not for the last one, so that two keys that make contact alternately are each pressed once.
        let Some(last) = self.last.get_mut(usize::from(code)) else { return };
        // It was pressed after the last good poll. Unless that poll was late enough, it may be bounce of the previous press, however
        // many polls failed in between. A dealer sees a missing press on the display and repeats it, but an extra one may be taken
        // for a result or for "all paid".
        let polled = self.polled.unwrap_or(ctx.at());
        if last.is_some_and(|when| !polled.reached(when, Millis(ctx.p().key_repeat))) {
            self.bounced = self.bounced.wrapping_add(1);
            return;
        }
        *last = Some(ctx.at());
        presses.push(match u8::try_from(code).ok().and_then(|c| DieFace::new(c).ok()) {
            Some(face) => Key::Digit(face),
            None => Key::Entry,
        });
    }

    fn hold(&mut self, held: u16, masked: bool, ctx: &mut Context) {
        // Across the reveal it is not known whether it is the same key; a stuck key is held before and after it.
        let comparable = core::mem::replace(&mut self.masked, masked) == masked;
        let still = if comparable || self.held == 0 { self.held & held } else { held };
        if still != 0 {
            self.held = still;
        } else {
            self.held = held;
            if held == 0 {
                ctx.clear(Timer::TerminalHeld);
            } else {
                ctx.after(Timer::TerminalHeld, Millis(ctx.p().terminal_stuck));
            }
        }
    }

    fn show(&mut self, display: u16, ctx: &mut Context) {
        self.read = Some(display);
        if display == self.wanted {
            ctx.clear(Timer::DisplayVerify);
        } else if !ctx.is_set(Timer::DisplayVerify) {
            ctx.after(Timer::DisplayVerify, Millis(ctx.p().display_verify));
        }
    }

    /// The presses of the last good poll began after this time, which is that of the previous good poll.
    #[must_use]
    pub const fn pressed_after(&self) -> Mono {
        self.pressed_after
    }

    /// Sets how many good polls from now on may bring keys from before the reveal.
    pub const fn hide_polls(&mut self, polls: u8) {
        self.hidden_polls = polls;
    }

    /// Whether the keys of the next good poll may be from before the reveal.
    #[must_use]
    pub const fn hides_keys(&self) -> bool {
        self.hidden_polls > 0
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
    pub fn key(&mut self, digit: DieFace, ctx: &mut Context) {
        if self.digits.len() == 3 {
            self.digits.remove(0);
        }
        self.digits.push(digit);
        let shown = self.digits.iter().fold(map::BLANK, |shown, d| (shown << 4 | u16::from(d.pips())) & 0x0FFF);
        self.want(shown, ctx);
    }

    /// Forgets the digits keyed and blanks the display.
    pub fn clear(&mut self, ctx: &mut Context) {
        self.digits.clear();
        self.want(map::BLANK, ctx);
    }

    /// Forgets the digits keyed and shows that the entry was an error.
    pub fn refuse(&mut self, ctx: &mut Context) {
        self.digits.clear();
        self.want(map::ERROR, ctx);
    }

    /// Forgets the digits keyed; the display goes on showing them.
    pub fn take(&mut self) -> Vec<DieFace> {
        core::mem::take(&mut self.digits)
    }

    /// Shows this.
    pub fn want(&mut self, shown: u16, ctx: &mut Context) {
        if self.wanted != shown {
            self.wanted = shown;
            ctx.after(Timer::DisplayVerify, Millis(ctx.p().display_verify));
        }
    }

    /// The value to be written to the display, if it is not written yet.
    #[must_use]
    pub fn display_due(&self) -> Option<Request> {
        (self.written != Some(self.wanted)).then_some(Request::Display(self.wanted))
    }

    /// Whether the display's readback shows what was written.
    #[must_use]
    pub fn shows(&self) -> bool {
        self.read == Some(self.wanted)
    }

    /// The number to be acknowledged, if it is not acknowledged yet.
    #[must_use]
    pub fn acknowledge_due(&self) -> Option<Request> {
        self.next.filter(|next| self.acknowledged != Some(*next)).map(Request::Acknowledge)
    }

    /// The terminal is lost: its display and held keys are unknown, and what it queues meanwhile is ignored.
    pub fn lose(&mut self, ctx: &mut Context) {
        ctx.clear(Timer::TerminalHeld);
        ctx.clear(Timer::DisplayVerify);
        let (wanted, hidden_polls) = (self.wanted, self.hidden_polls);
        *self = Self { wanted, hidden_polls, digits: core::mem::take(&mut self.digits), ..Self::default() };
    }

    /// The display's readback, as text.
    #[must_use]
    pub fn shown(&self) -> String {
        let Some(read) = self.read else { return String::new() };
        [8u32, 4, 0]
            .into_iter()
            .map(|shift| match (read >> shift) & 0xF {
                digit @ 0..=9 => char::from_digit(u32::from(digit), 10).unwrap_or('?'),
                13 => '-',
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
mod tests;

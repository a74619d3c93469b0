//! Key presses on their way to the broker: a few, newest kept, none while there is no connection.

use std::collections::VecDeque;
use tumbler_core::effect::KeyTold;

/// Most key presses that wait: two entries' worth. What is older says nothing to who watches live.
const WAITING: usize = 8;
/// Most key presses handed to the connection and not written yet.
const HANDED: usize = 8;

/// The key presses that wait, and how many were dropped.
#[derive(Debug, Default)]
pub(super) struct Keys {
    waiting: VecDeque<KeyTold>,
    handed: usize,
    dropped: u64,
}

impl Keys {
    pub(super) fn press(&mut self, key: KeyTold) {
        if self.waiting.len() >= WAITING {
            self.waiting.pop_front();
            self.dropped += 1;
        }
        self.waiting.push_back(key);
    }
    /// There is no connection: nobody will be told of what waits.
    pub(super) fn drop_all(&mut self) {
        self.dropped += u64::try_from(self.waiting.len() + self.handed).unwrap_or(0);
        self.waiting.clear();
        self.handed = 0;
    }
    /// The next one to hand over, if the connection has room.
    pub(super) fn next(&mut self) -> Option<KeyTold> {
        if self.handed >= HANDED {
            return None;
        }
        let key = self.waiting.pop_front()?;
        self.handed += 1;
        Some(key)
    }
    /// A QoS 0 message was written.
    pub(super) fn written(&mut self) {
        self.handed = self.handed.saturating_sub(1);
    }
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_the_rest_counted() {
        let mut keys = Keys::default();
        for digit in 0..20 {
            keys.press(KeyTold::Digit(digit));
        }
        assert_eq!(keys.dropped(), 12);
        let told: Vec<KeyTold> = std::iter::from_fn(|| keys.next()).collect();
        assert_eq!(told.first(), Some(&KeyTold::Digit(12)));
        assert_eq!(told.len(), HANDED);
        keys.press(KeyTold::Entry);
        assert_eq!(keys.next(), None, "the connection is slow");
        keys.written();
        assert_eq!(keys.next(), Some(KeyTold::Entry));
        keys.drop_all();
        assert_eq!(keys.dropped(), 12 + 8);
    }
}

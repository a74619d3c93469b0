//! What was handed to the connection and is not acknowledged yet.
//!
//! rumqttc numbers QoS 1 messages round and round up to its in-flight limit, and stumbles when a number comes up again
//! that is still in use. The ledger therefore bounds the span from the oldest message that is not acknowledged to the newest,
//! acknowledged or not: within it no number occurs twice.

use std::collections::VecDeque;

/// Most QoS 1 messages in flight: a few broker round trips' worth at the rate of a busy table, and some 32 KB at most of
/// records that a lost connection has to send again.
pub const WINDOW: u16 = 32;

/// A broker acknowledged what was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the broker acknowledged message {0}, which was never sent")]
pub struct NeverSent(pub u16);

#[derive(Clone, Debug)]
struct Entry<T> {
    /// The packet's number, once rumqttc has given it one.
    packet: Option<u16>,
    acknowledged: bool,
    what: T,
}

/// Messages in flight, oldest first.
#[derive(Clone, Debug)]
pub struct Ledger<T> {
    entries: VecDeque<Entry<T>>,
    limit: usize,
}

impl<T: Copy> Ledger<T> {
    /// A ledger for a broker that takes so many unacknowledged messages (its receive maximum), and never more than [`WINDOW`].
    #[must_use]
    pub fn new(receive_maximum: u16) -> Self {
        let limit = usize::from(receive_maximum.min(WINDOW));
        Self { entries: VecDeque::with_capacity(limit), limit }
    }
    /// Whether one more may be handed over.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.entries.len() < self.limit
    }
    /// Whether nothing waits for an acknowledgement.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// From now on so many may be in flight, and never more than [`WINDOW`].
    pub fn widen(&mut self, receive_maximum: u16) {
        self.limit = usize::from(receive_maximum.min(WINDOW));
    }
    /// Whether any message that waits is such a one.
    pub fn any(&self, is_such: impl Fn(&T) -> bool) -> bool {
        self.entries.iter().any(|entry| is_such(&entry.what))
    }
    /// The message in flight, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<T> {
        let mut flying = self.entries.iter().filter(|entry| !entry.acknowledged);
        flying.next().filter(|_| flying.next().is_none()).map(|entry| entry.what)
    }
    /// A message was handed over.
    pub fn handed(&mut self, what: T) {
        self.entries.push_back(Entry { packet: None, acknowledged: false, what });
    }
    /// rumqttc gave the oldest message without a number this one.
    pub fn numbered(&mut self, packet: u16) {
        if let Some(entry) = self.entries.iter_mut().find(|e| e.packet.is_none()) {
            entry.packet = Some(packet);
        }
    }
    /// The broker acknowledged this packet: says what it was. Ask [`Ledger::next_acknowledged`] next.
    ///
    /// # Errors
    /// [`NeverSent`].
    pub fn acknowledged(&mut self, packet: u16) -> Result<T, NeverSent> {
        let found = self.entries.iter_mut().find(|e| e.packet == Some(packet) && !e.acknowledged);
        let entry = found.ok_or(NeverSent(packet))?;
        entry.acknowledged = true;
        Ok(entry.what)
    }
    /// The next message, in the order of handing over, that is acknowledged and so are all before it.
    pub fn next_acknowledged(&mut self) -> Option<T> {
        self.entries.front().filter(|e| e.acknowledged)?;
        self.entries.pop_front().map(|e| e.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(ledger: &mut Ledger<u32>) -> Vec<u32> {
        std::iter::from_fn(|| ledger.next_acknowledged()).collect()
    }

    #[test]
    fn out_of_order_acknowledgements_settle_in_order() {
        let mut ledger = Ledger::new(u16::MAX);
        for n in 1..=3 {
            ledger.handed(u32::from(n) * 10);
            ledger.numbered(n);
        }
        assert_eq!(ledger.acknowledged(2), Ok(20));
        assert_eq!(drain(&mut ledger), Vec::<u32>::new());
        assert_eq!(ledger.acknowledged(1), Ok(10));
        assert_eq!(drain(&mut ledger), [10, 20]);
        assert_eq!(ledger.acknowledged(2), Err(NeverSent(2)));
        assert_eq!(ledger.acknowledged(3), Ok(30));
        assert_eq!(drain(&mut ledger), [30]);
        assert!(ledger.is_empty());
    }

    /// A number is not given again while an older message may still hold it.
    #[test]
    fn the_span_is_bounded_and_not_the_count() {
        let mut ledger = Ledger::new(2);
        ledger.handed(1);
        ledger.handed(2);
        assert!(!ledger.has_room());
        ledger.numbered(1);
        ledger.numbered(2);
        ledger.acknowledged(2).unwrap();
        assert!(!ledger.has_room(), "the oldest still holds its number");
        ledger.acknowledged(1).unwrap();
        drain(&mut ledger);
        assert!(ledger.has_room());
    }

    #[test]
    fn a_broker_that_acknowledges_too_much_is_found_out() {
        let mut ledger: Ledger<u32> = Ledger::new(8);
        assert_eq!(ledger.acknowledged(1), Err(NeverSent(1)));
        ledger.handed(1);
        assert_eq!(ledger.acknowledged(1), Err(NeverSent(1)), "handed over, and not on the wire yet");
    }
}

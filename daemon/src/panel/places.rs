//! Who holds how many of the panel's places.
//!
//! An address may hold some and not all, and the last ones are kept for this machine itself: a technician who comes in by `ssh -L`
//! reaches the panel, whatever the network does to it.

use super::brake::neighbourhood;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most connections at a time: a browser keeps up to six, a pit has a few screens.
pub const CONNECTIONS: usize = 48;
/// Of these, kept for this machine.
pub const KEPT: usize = 8;
/// Most connections of one address: four browsers.
pub const OF_ADDRESS: usize = 24;
/// Most of these that follow the table: each open page has one.
pub const STREAMS: usize = 16;

/// Most connections of this machine, through which whoever comes by `ssh -L` or a proxy comes: several people's browsers. The rest
/// is left to others.
const OF_HERE: usize = CONNECTIONS - KEPT;
/// Most of these that follow the table.
const STREAMS_OF_HERE: usize = 32;

/// When a page may try again for which there is no place.
pub(super) const AGAIN: Duration = Duration::from_secs(5);

/// All places.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<BTreeMap<IpAddr, Held>>);

/// What an address holds.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    connections: usize,
    streams: usize,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Full {
    #[error(
        "as many connections from {0} are open already as an address may have; close pages of the panel that nobody \
         looks at, and try again"
    )]
    Address(IpAddr),
    #[error("as many pages follow the table from {0} already as an address may have; close one, and try again")]
    Streams(IpAddr),
    #[error(
        "the panel has as many connections as it may, and the last {KEPT} places are for the table's own machine; try again later, or \
         reach the panel by `ssh -L 8080:127.0.0.1:PORT TABLE`"
    )]
    All,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Connection,
    Stream,
}

/// A place that is held; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    holder: IpAddr,
    kind: Kind,
}

/// Whether this is the table's own machine: 127.0.0.1 and `::1`, and no other address of 127.0.0.0/8.
fn is_here(address: IpAddr) -> bool {
    matches!(address.to_canonical(), IpAddr::V4(Ipv4Addr::LOCALHOST) | IpAddr::V6(Ipv6Addr::LOCALHOST))
}

/// How many connections, and how many streams, an address may have.
fn bounds(address: IpAddr) -> (usize, usize) {
    if is_here(address) { (OF_HERE, STREAMS_OF_HERE) } else { (OF_ADDRESS, STREAMS) }
}

/// Under what name an address holds places: this machine has one, whatever protocol it speaks.
fn holder(address: IpAddr) -> IpAddr {
    if is_here(address) { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { neighbourhood(address) }
}

impl Places {
    fn held(&self) -> MutexGuard<'_, BTreeMap<IpAddr, Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection.
    ///
    /// # Errors
    /// [`Full`]: there is none for this address.
    pub(super) fn connect(self: &Arc<Self>, address: IpAddr) -> Result<Place, Full> {
        let holder = holder(address);
        let mut held = self.held();
        let all: usize = held.values().map(|held| held.connections).sum();
        let mine = held.get(&IpAddr::V4(Ipv4Addr::LOCALHOST)).map_or(0, |held| held.connections);
        let others = all.saturating_sub(mine);
        if all >= CONNECTIONS || (!is_here(address) && others >= CONNECTIONS - KEPT) {
            return Err(Full::All);
        }
        let own = held.entry(holder).or_default();
        if own.connections >= bounds(address).0 {
            return Err(Full::Address(holder));
        }
        own.connections += 1;
        Ok(Place { places: Arc::clone(self), holder, kind: Kind::Connection })
    }

    /// Lets a connection follow the table.
    ///
    /// # Errors
    /// [`Full`]: so many of this address do already.
    pub(super) fn follow(self: &Arc<Self>, address: IpAddr) -> Result<Place, Full> {
        let holder = holder(address);
        let mut held = self.held();
        let own = held.entry(holder).or_default();
        if own.streams >= bounds(address).1 {
            return Err(Full::Streams(holder));
        }
        own.streams += 1;
        Ok(Place { places: Arc::clone(self), holder, kind: Kind::Stream })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = self.places.held();
        let Some(own) = held.get_mut(&self.holder) else { return };
        let count = match self.kind {
            Kind::Connection => &mut own.connections,
            Kind::Stream => &mut own.streams,
        };
        *count = count.saturating_sub(1);
        if own.connections == 0 && own.streams == 0 {
            held.remove(&self.holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(last: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
    }

    fn connect(places: &Arc<Places>, address: IpAddr, most: usize) -> Vec<Place> {
        (0..most).map_while(|_| places.connect(address).ok()).collect()
    }

    #[test]
    fn an_address_has_a_bound_and_this_machine_keeps_room() {
        let places = Arc::new(Places::default());
        let one = connect(&places, v4(1), 100);
        assert_eq!(one.len(), OF_ADDRESS);
        assert_eq!(places.connect(v4(1)).unwrap_err(), Full::Address(v4(1)));
        let two = connect(&places, v4(2), 100);
        assert_eq!(two.len(), CONNECTIONS - KEPT - OF_ADDRESS);
        let near = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
        assert_eq!([v4(3), near].map(|from| places.connect(from).unwrap_err()), [Full::All; 2]);
        let mut here = connect(&places, IpAddr::V4(Ipv4Addr::LOCALHOST), 4);
        here.extend(connect(&places, IpAddr::V6(Ipv6Addr::LOCALHOST), 4));
        assert_eq!(here.len(), KEPT);
        assert_eq!(places.connect("::ffff:127.0.0.1".parse().unwrap()).unwrap_err(), Full::All);
        drop(one);
        assert!(places.connect(v4(3)).is_ok());
        drop((two, here));
        assert!(places.held().is_empty(), "nobody who has left is remembered");
    }

    /// With all of its own, this machine leaves some to others.
    #[test]
    fn this_machine_has_a_bound_too() {
        let places = Arc::new(Places::default());
        let here = connect(&places, IpAddr::V6(Ipv6Addr::LOCALHOST), 100);
        assert_eq!(here.len(), OF_HERE);
        assert_eq!(connect(&places, v4(1), 100).len(), CONNECTIONS - OF_HERE);
    }

    #[test]
    fn a_network_of_64_bits_is_one_address() {
        let places = Arc::new(Places::default());
        let follow = |address: &str| places.follow(address.parse().unwrap());
        let streams: Vec<_> = (0..STREAMS).map(|n| follow(&format!("2001:db8::{n:x}")).unwrap()).collect();
        assert_eq!(follow("2001:db8::ffff").unwrap_err(), Full::Streams("2001:db8::".parse().unwrap()));
        assert!(follow("2001:db8:0:1::1").is_ok());
        drop(streams);
        assert!(follow("2001:db8::ffff").is_ok());
    }
}

//! Accepts clients, within the bounds of [`super::places`], and gives each a task of its own.

use super::commands::Commands;
use super::connection;
use super::credentials;
use super::places::{Arrival, Places};
use super::shared::Shared;
use crate::config::Console;
use crate::history::records::Records;
use crate::relay::Outbox;
use crate::run::stop::stopped;
use crate::run::wires::Wiring;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{About, Network, Relay, Reply, Said};
use tumbler_core::wire::console::{Answer, Caller};

/// Longest time to look up who a client is; after it the client has no role.
const LOOK_UP: Duration = Duration::from_secs(5);
/// Clients at a time whose user is being looked up: bounds the threads that wait for a directory that does not answer.
const LOOK_UPS: usize = 64;
/// Pause after the system refused to accept a client, for want of descriptors or memory.
const REFUSED: Duration = Duration::from_millis(200);

/// What the console is fed with.
pub struct Feeds {
    /// Which table this is.
    pub about: About,
    /// The table as it is.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// Every wire and every register.
    pub wiring: Wiring,
    /// The journal's last durable record.
    pub durable: watch::Receiver<Seq>,
    /// How the relay fares; `None` where no broker is configured.
    pub relay: watch::Receiver<Option<Relay>>,
    /// Whether the network's process is there; `None` where none is needed.
    pub network: watch::Receiver<Option<Network>>,
    /// The journal.
    pub records: Box<dyn Outbox>,
    /// The way to the table, shared with whoever else gives commands.
    pub commands: Arc<Commands>,
    /// The table's answers, from [`tumbler_core::effect::Effect::Reply`]; a channel with room for [`super::ANSWERS`].
    pub answers: mpsc::Receiver<(u64, Answer)>,
    /// Set to `true` when the daemon stops.
    pub stop: watch::Receiver<bool>,
}

/// Serves clients until the daemon stops or the control loop is gone.
pub async fn run(listener: UnixListener, console: Console, feeds: Feeds) {
    let Feeds { about, snapshot, wiring, durable, relay, network, records, commands, answers, stop } = feeds;
    let records = Records::new(records);
    let shared = Arc::new(Shared { about, snapshot, wiring, durable, relay, network, records, commands });
    let console = Arc::new(console);
    let (places, look_ups) = (Arc::new(Places::default()), Arc::new(Semaphore::new(LOOK_UPS)));
    let mut clients = JoinSet::new();
    let deliver = shared.commands.deliver(answers);
    let stopped = stopped(stop);
    tokio::pin!(deliver, stopped);
    loop {
        tokio::select! {
            () = &mut stopped => break,
            () = &mut deliver => break,
            Some(_) = clients.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // Who hung up meanwhile is nobody.
                    let Ok(uid) = stream.peer_cred().map(|peer| peer.uid()) else { continue };
                    match places.arrive(uid) {
                        Ok(arrival) => {
                            let (shared, console) = (Arc::clone(&shared), Arc::clone(&console));
                            drop(clients.spawn(client(stream, arrival, Arc::clone(&look_ups), shared, console)));
                        }
                        Err(full) => turn_away(&stream, full.to_string()),
                    }
                }
                Err(error) => {
                    tracing::warn!("the console cannot accept a client: {error}");
                    sleep(REFUSED).await;
                }
            }
        }
    }
    // Dropping the clients ends them; a path that cannot be removed is found stale by the next daemon.
    let _ = std::fs::remove_file(&console.socket);
}

async fn client(
    mut stream: UnixStream,
    arrival: Arrival,
    look_ups: Arc<Semaphore>,
    shared: Arc<Shared>,
    console: Arc<Console>,
) {
    let Ok(peer) = stream.peer_cred() else { return };
    let Ok(place) = look_ups.try_acquire_owned() else {
        let why = format!("{LOOK_UPS} callers are being looked up in the system's lists of users; try again");
        return turn_away(&stream, why);
    };
    let look_up = spawn_blocking(move || {
        let caller = credentials::look_up(peer.uid(), peer.gid(), &console);
        // Not before: one that is not waited for any more still holds its thread.
        drop(place);
        caller
    });
    let caller = match timeout(LOOK_UP, look_up).await {
        Ok(Ok(caller)) => caller,
        _ => Caller { account: format!("uid {}", peer.uid()), technician: false, supervisor: false, manager: false },
    };
    let place = match arrival.place(&caller) {
        Ok(place) => place,
        Err(full) => return turn_away(&stream, full.to_string()),
    };
    let (from, to) = stream.split();
    connection::serve(&shared, &caller, from, to).await;
    drop(place);
}

/// Tells a client that there is no place, without ever waiting for it.
fn turn_away(stream: &UnixStream, why: String) {
    if let Ok(mut line) = serde_json::to_vec(&Reply { id: None, said: Said::Error(why) }) {
        line.push(b'\n');
        let _ = stream.try_write(&line);
    }
}

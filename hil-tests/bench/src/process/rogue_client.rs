//! Rogue clients at the broker: one that connects with the table's client id, and one that publishes to the table's topics.

use super::rig_fault::RigFault;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, Packet, PublishProperties};
use rumqttc::v5::{Client, Connection, Event, MqttOptions, RecvTimeoutError};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// User property of everything that a rogue client publishes. A broker forwards it unchanged (MQTT 5.0, 3.3.2.3.7), so that the
/// judges do not take it for a message of the table.
pub const MARK: &str = "stranger";

/// How long the impostor waits before it reconnects, and the hostile client between two salvos.
const PAUSE: Duration = Duration::from_millis(300);
/// How long a client waits for a packet before it checks whether to stop.
const LISTEN: Duration = Duration::from_millis(50);
/// Capacity of the client's queue, in messages: more than a salvo.
const QUEUE: usize = 200;
/// Bytes of an oversized message: five times what `daemon/docs/mqtt.md` requires of a broker, and less than an observer accepts.
const OVERSIZED: usize = 320 * 1024;

/// What a rogue client does.
#[derive(Clone, Debug)]
pub enum RogueBehaviour {
    /// Connects with the table's client id, again and again.
    Impostor,
    /// Publishes to every topic of the table below this root, and to topics that look like commands.
    Hostile {
        /// `taisai/<site>/<table>`.
        root: String,
    },
}

/// A rogue client in a thread of its own; stops when dropped.
#[derive(Debug)]
pub struct RogueClient {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl RogueClient {
    /// Starts a client with this client id.
    ///
    /// # Errors
    /// [`RigFault`] when the thread cannot be started.
    pub fn start(broker: SocketAddr, client_id: &str, behaviour: RogueBehaviour) -> Result<Self, RigFault> {
        let mut options = MqttOptions::new(client_id, broker.ip().to_string(), broker.port());
        options.set_max_packet_size(Some(1 << 20));
        let (stop, done) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (ends, counts) = (Arc::clone(&stop), Arc::clone(&done));
        let thread = std::thread::Builder::new()
            .name("rogue-client".into())
            .spawn(move || Worker { stop: ends, done: counts }.run(&options, &behaviour))
            .map_err(RigFault::system("start the rogue client's thread"))?;
        Ok(Self { stop, done, thread: Some(thread) })
    }

    /// Successes so far: accepted connections of an impostor, acknowledged messages of a hostile client.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::SeqCst)
    }

    /// Tells it to stop, without waiting.
    pub fn dismiss(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

impl Drop for RogueClient {
    fn drop(&mut self) {
        self.dismiss();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Worker {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl Worker {
    fn run(self, options: &MqttOptions, behaviour: &RogueBehaviour) {
        let mut salvo = 0_usize;
        while !self.stop.load(Ordering::SeqCst) {
            let (client, connection) = Client::new(options.clone(), QUEUE);
            match behaviour {
                RogueBehaviour::Impostor => self.hold_session(connection),
                RogueBehaviour::Hostile { root } => self.flood(&client, connection, root, &mut salvo),
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Stays connected until another client takes over the id.
    fn hold_session(&self, mut connection: Connection) {
        while !self.stop.load(Ordering::SeqCst) {
            match connection.recv_timeout(LISTEN) {
                Ok(Ok(Event::Incoming(Packet::ConnAck(ack)))) if ack.code == ConnectReturnCode::Success => {
                    self.done.fetch_add(1, Ordering::SeqCst);
                }
                Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Publishes a salvo whenever the broker has acknowledged the previous one.
    fn flood(&self, client: &Client, mut connection: Connection, root: &str, salvo: &mut usize) {
        let mut waiting = 0_usize;
        while !self.stop.load(Ordering::SeqCst) {
            match connection.recv_timeout(LISTEN) {
                Ok(Ok(Event::Incoming(Packet::PubAck(_) | Packet::PubComp(_)))) => {
                    self.done.fetch_add(1, Ordering::SeqCst);
                    waiting = waiting.saturating_sub(1);
                }
                Ok(Ok(Event::Incoming(Packet::ConnAck(_)))) => waiting = fire(client, root, salvo),
                Ok(Ok(_)) => {}
                Err(RecvTimeoutError::Timeout) if waiting == 0 => {
                    std::thread::sleep(PAUSE);
                    waiting = fire(client, root, salvo);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// Publishes one salvo; returns how many acknowledgements to expect. The first is oversized; odd ones are retained
/// garbage, even ones delete what is retained.
fn fire(client: &Client, root: &str, salvo: &mut usize) -> usize {
    let own =
        ["status", "state", "lamps", "event", "keypad", "fault/tumbler", "fault/seal", "fault/journal", "fault/none"];
    let commands =
        ["cmd", "command", "command/open", "set", "event/set", "state/set", "reset", "fault/tumbler/reset", ""];
    *salvo += 1;
    let mut taken = 0;
    for (place, name) in own.into_iter().chain(commands).enumerate() {
        let payload = match (*salvo, place % 4) {
            (1, _) => vec![b'{'; OVERSIZED],
            (n, _) if n % 2 == 0 => Vec::new(),
            (_, 0) => br#"{"v":1,"status":"offline","seq":999999,"kind":"settled","data":{"dice":[6,6,6]}}"#.to_vec(),
            (_, 1) => br#"{"command":"open","with":{"name":"Mallory"}}"#.to_vec(),
            (_, 2) => vec![0, 0xff, 0xfe, 0x80],
            _ => br#"{"v":1,"code":"tumbler","cause":"none"}"#.to_vec(),
        };
        let qos = match (*salvo + place) % 3 {
            0 => QoS::AtMostOnce,
            1 => QoS::AtLeastOnce,
            _ => QoS::ExactlyOnce,
        };
        let marked = PublishProperties {
            user_properties: vec![(MARK.to_owned(), "hostile".to_owned())],
            ..PublishProperties::default()
        };
        let sent = client.try_publish_with_properties(format!("{root}/{name}"), qos, true, payload, marked).is_ok();
        taken += usize::from(sent && qos != QoS::AtMostOnce);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::super::broker::Broker;
    use super::super::clock::wait_for;
    use super::super::observer::Observer;
    use super::*;

    #[test]
    fn what_a_hostile_client_publishes_is_marked() {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start(dir.path(), false, None).unwrap();
        let observer = Observer::start(broker.address(), "observer").unwrap();
        let behaviour = RogueBehaviour::Hostile { root: "taisai/a/b".into() };
        let rogue = RogueClient::start(broker.address(), "stranger", behaviour).unwrap();
        wait_for("two salvos", Duration::from_secs(20), String::new, || {
            let seen = observer.messages();
            let large = seen.iter().any(|m| m.topic == "taisai/a/b/state" && m.payload.len() == OVERSIZED);
            let deleted = seen.iter().any(|m| m.topic == "taisai/a/b/status" && m.payload.is_empty());
            Ok(large && deleted && rogue.done() > 12)
        })
        .unwrap();
        assert!(observer.messages().iter().all(|m| m.foreign && m.retained));
    }

    #[test]
    fn an_impostor_pushes_the_owner_of_the_id_out() {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start(dir.path(), false, None).unwrap();
        let owner = Observer::start(broker.address(), "same").unwrap();
        let impostor = RogueClient::start(broker.address(), "same", RogueBehaviour::Impostor).unwrap();
        wait_for("both to push each other out", Duration::from_secs(20), String::new, || {
            Ok(impostor.done() > 1 && owner.subscriptions() > 1)
        })
        .unwrap();
    }
}

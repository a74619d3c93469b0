//! Strangers at the broker: a client that uses the table's id, and one that publishes to the table's topics.

use super::rig_fault::RigFault;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, Packet, PublishProperties};
use rumqttc::v5::{Client, Connection, Event, MqttOptions, RecvTimeoutError};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The user property that marks what a stranger published: a broker hands it on unchanged (MQTT 5.0, 3.3.2.3.7), so that
/// whoever judges the table does not take it for the table's words.
pub const MARK: &str = "stranger";

/// How long the impostor waits before it comes back after it was pushed out, and the hostile one between two salvos.
const PAUSE: Duration = Duration::from_millis(300);
/// How long a stranger listens to the broker before it looks whether it is to end.
const LISTEN: Duration = Duration::from_millis(50);
/// Most messages that wait for the connection: a salvo and more.
const QUEUE: usize = 200;
/// Bytes of an oversized message: five times what `daemon/docs/mqtt.md` asks of a broker, and less than an observer takes.
const OVERSIZED: usize = 320 * 1024;

/// What a stranger does.
#[derive(Clone, Debug)]
pub enum Manner {
    /// It connects with the table's client id, again and again.
    Impostor,
    /// It publishes to every topic of the table below this root, and to topics that look like commands.
    Hostile {
        /// `taisai/<site>/<table>`.
        root: String,
    },
}

/// A stranger; ends with its owner.
#[derive(Debug)]
pub struct Stranger {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Stranger {
    /// Lets a stranger with this client id loose on the broker.
    ///
    /// # Errors
    /// [`RigFault`] when no thread can be had.
    pub fn start(broker: SocketAddr, client_id: &str, manner: Manner) -> Result<Self, RigFault> {
        let mut options = MqttOptions::new(client_id, broker.ip().to_string(), broker.port());
        options.set_max_packet_size(Some(1 << 20));
        let (stop, done) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (ends, counts) = (Arc::clone(&stop), Arc::clone(&done));
        let thread = std::thread::Builder::new()
            .name("stranger".into())
            .spawn(move || Deeds { stop: ends, done: counts }.run(&options, &manner))
            .map_err(RigFault::system("start the stranger's thread"))?;
        Ok(Self { stop, done, thread: Some(thread) })
    }

    /// How often the broker took what it does: connections of an impostor, messages of a hostile one.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::SeqCst)
    }

    /// Tells it to end, and does not wait for that.
    pub fn dismiss(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.dismiss();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Deeds {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

impl Deeds {
    fn run(self, options: &MqttOptions, manner: &Manner) {
        let mut salvo = 0_usize;
        while !self.stop.load(Ordering::SeqCst) {
            let (client, connection) = Client::new(options.clone(), QUEUE);
            match manner {
                Manner::Impostor => self.sit(connection),
                Manner::Hostile { root } => self.shout(&client, connection, root, &mut salvo),
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Stays connected until somebody else takes the id.
    fn sit(&self, mut connection: Connection) {
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

    /// Publishes a salvo whenever the broker has taken the one before it.
    fn shout(&self, client: &Client, mut connection: Connection, root: &str, salvo: &mut usize) {
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

/// One salvo of messages; how many of them the broker is to acknowledge. The first is oversized; odd ones are retained
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
    fn what_a_hostile_stranger_says_is_known_for_a_strangers() {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start(dir.path(), false).unwrap();
        let observer = Observer::start(broker.address(), "observer").unwrap();
        let manner = Manner::Hostile { root: "taisai/a/b".into() };
        let stranger = Stranger::start(broker.address(), "stranger", manner).unwrap();
        wait_for("two salvos", Duration::from_secs(20), String::new, || {
            let seen = observer.messages();
            let large = seen.iter().any(|m| m.topic == "taisai/a/b/state" && m.payload.len() == OVERSIZED);
            let deleted = seen.iter().any(|m| m.topic == "taisai/a/b/status" && m.payload.is_empty());
            Ok(large && deleted && stranger.done() > 12)
        })
        .unwrap();
        assert!(observer.messages().iter().all(|m| m.foreign && m.retained));
    }

    #[test]
    fn an_impostor_pushes_the_owner_of_the_id_out() {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start(dir.path(), false).unwrap();
        let owner = Observer::start(broker.address(), "same").unwrap();
        let impostor = Stranger::start(broker.address(), "same", Manner::Impostor).unwrap();
        wait_for("both to push each other out", Duration::from_secs(20), String::new, || {
            Ok(impostor.done() > 1 && owner.subscriptions() > 1)
        })
        .unwrap();
    }
}

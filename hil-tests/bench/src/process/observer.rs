//! A subscriber at the broker: collects all messages of the table, in order of arrival.

use super::clock;
use super::rig_fault::RigFault;
use super::rogue_client::MARK;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet};
use rumqttc::v5::{Client, Connection, Event, MqttOptions, RecvTimeoutError};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tumbler_core::units::Mono;

/// A message as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// When it arrived, on the machine's monotonic clock.
    pub at: Mono,
    /// Its topic.
    pub topic: String,
    /// Its payload.
    pub payload: Vec<u8>,
    /// Whether it was published with the retain flag.
    pub retained: bool,
    /// Whether a [rogue client](super::rogue_client) of the rig published it instead of the table.
    pub foreign: bool,
}

/// A subscriber to everything under `taisai/`, with a client id of its own.
pub struct Observer {
    seen: Arc<Mutex<Vec<Message>>>,
    subscriptions: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    client: Client,
    thread: Option<JoinHandle<()>>,
}

impl Observer {
    /// How long a subscription over the loopback may take.
    const SUBSCRIBED: Duration = Duration::from_secs(10);
    /// Pause before the observer reconnects to a broker that is down.
    const PAUSE: Duration = Duration::from_millis(50);

    /// Subscribes; returns once the broker has confirmed, so that nothing is missed from then on.
    ///
    /// # Errors
    /// [`RigFault`] when the broker does not confirm in time.
    pub fn start(broker: SocketAddr, client_id: &str) -> Result<Self, RigFault> {
        let mut options = MqttOptions::new(client_id, broker.ip().to_string(), broker.port());
        options.set_keep_alive(Duration::from_secs(10));
        // A retained snapshot of a table may be larger than rumqttc's usual 10 KiB.
        options.set_max_packet_size(Some(1 << 20));
        options.set_receive_maximum(Some(1000));
        let (client, connection) = Client::new(options, 100);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let subscriptions = Arc::<AtomicU64>::default();
        let (ready, confirmed) = mpsc::channel();
        let listener = Listener {
            client: client.clone(),
            seen: Arc::clone(&seen),
            subscriptions: Arc::clone(&subscriptions),
            stop: Arc::clone(&stop),
            ready,
        };
        let thread = std::thread::Builder::new()
            .name("observer".into())
            .spawn(move || listener.run(connection))
            .map_err(RigFault::system("start the observer's thread"))?;
        let observer = Self { seen, subscriptions, stop, client, thread: Some(thread) };
        confirmed.recv_timeout(Self::SUBSCRIBED).map_err(|_| RigFault::Late {
            what: "the broker to confirm the observer's subscription".into(),
            after: Self::SUBSCRIBED,
            hint: format!("is {broker} a broker?"),
        })?;
        Ok(observer)
    }

    /// All messages so far.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often a broker has confirmed the subscription: once more after each of its restarts.
    #[must_use]
    pub fn subscriptions(&self) -> u64 {
        self.subscriptions.load(Ordering::SeqCst)
    }

    /// Publishes a message of no table. Once it is in [`Observer::messages`], so are all messages before it.
    pub fn mark(&self, topic: &str) {
        // If the queue is full or the broker down, the mark never arrives, and the wait for it reports that.
        let _ = self.client.try_publish(topic, QoS::AtLeastOnce, false, "mark");
    }

    /// The messages from number `from` on.
    #[must_use]
    pub fn since(&self, from: usize) -> Vec<Message> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(from..).unwrap_or_default().to_vec()
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = self.client.try_disconnect();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Listener {
    client: Client,
    seen: Arc<Mutex<Vec<Message>>>,
    subscriptions: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    ready: mpsc::Sender<()>,
}

impl Listener {
    fn run(self, mut connection: Connection) {
        while !self.stop.load(Ordering::SeqCst) {
            match connection.recv_timeout(Duration::from_millis(200)) {
                Ok(Ok(Event::Incoming(packet))) => self.take(packet),
                Ok(Ok(Event::Outgoing(_))) | Err(RecvTimeoutError::Timeout) => {}
                // The broker is down: rumqttc itself would retry without a pause.
                Ok(Err(_)) if self.stop.load(Ordering::SeqCst) => return,
                Ok(Err(_)) => std::thread::sleep(Observer::PAUSE),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn take(&self, packet: Packet) {
        match packet {
            Packet::ConnAck(_) => {
                // Preserve the retain flag: judges tell retained topics from others by it.
                let filter = Filter { preserve_retain: true, ..Filter::new("taisai/#", QoS::AtLeastOnce) };
                let _ = self.client.try_subscribe_many([filter]);
            }
            Packet::SubAck(_) => {
                self.subscriptions.fetch_add(1, Ordering::SeqCst);
                let _ = self.ready.send(());
            }
            Packet::Publish(publish) => {
                let message = Message {
                    at: clock::now(),
                    topic: String::from_utf8_lossy(&publish.topic).into_owned(),
                    payload: publish.payload.to_vec(),
                    retained: publish.retain,
                    foreign: publish.properties.is_some_and(|p| p.user_properties.iter().any(|(key, _)| key == MARK)),
                };
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(message);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::broker::Broker;
    use super::*;

    #[test]
    fn messages_come_in_order_and_retained_ones_are_marked() {
        let dir = tempfile::tempdir().unwrap();
        let broker = Broker::start(dir.path(), false, None).unwrap();
        let first = Observer::start(broker.address(), "first").unwrap();
        for n in 0..50 {
            first.client.publish("taisai/a/b/event", QoS::AtLeastOnce, n == 49, format!("{n}")).unwrap();
        }
        super::super::clock::wait_for("50 messages", Duration::from_secs(10), String::new, || {
            Ok(first.messages().len() == 50)
        })
        .unwrap();
        let got: Vec<String> = first.messages().iter().map(|m| String::from_utf8_lossy(&m.payload).into()).collect();
        assert_eq!(got, (0..50).map(|n| n.to_string()).collect::<Vec<_>>());
        let late = Observer::start(broker.address(), "late").unwrap();
        super::super::clock::wait_for("the retained message", Duration::from_secs(10), String::new, || {
            Ok(late.messages().iter().any(|m| m.retained && m.payload == b"49"))
        })
        .unwrap();
    }
}

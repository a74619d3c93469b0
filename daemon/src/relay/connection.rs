//! One connection to the broker: rumqttc's event loop on a task of its own.
//!
//! A poll that is dropped half-way can lose a packet that rumqttc believes sent, so the task is never disturbed until the
//! whole connection is given up; and whatever goes wrong inside rumqttc on a broker's garbage ends this task only.

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{AsyncClient, ConnectionError, Event, MqttOptions};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Requests that wait for the event loop: more than the ledger and the keys ever hand over.
const REQUESTS: usize = 64;
/// Events that wait for the relay; beyond them the event loop waits, and so does the broker.
const EVENTS: usize = 64;

/// A connection, from its attempt on. Dropping it closes the socket, which makes the broker publish the will.
#[derive(Debug)]
pub(super) struct Connection {
    client: AsyncClient,
    events: mpsc::Receiver<Result<Event, ConnectionLost>>,
    task: JoinHandle<()>,
}

/// The connection is gone.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectionLost {
    #[error("{error}")]
    Error {
        /// As rumqttc has it.
        error: ConnectionError,
        /// The server that a broker which ended the connection said to take instead (MQTT 5, 4.13). Of one that refuses it, rumqttc does
        /// not tell.
        elsewhere: Option<String>,
    },
    #[error("the MQTT library ended unexpectedly")]
    Ended,
}

impl Connection {
    /// Begins to connect.
    pub(super) fn open(options: MqttOptions) -> Self {
        let (client, mut eventloop) = AsyncClient::new(options, REQUESTS);
        let (sender, events) = mpsc::channel(EVENTS);
        let task = tokio::spawn(async move {
            loop {
                let polled = eventloop.poll().await;
                // rumqttc has the packet that ended the connection among those that are still to be told.
                let polled = polled.map_err(|error| ConnectionLost::Error {
                    error,
                    elsewhere: eventloop.state.events.iter().find_map(elsewhere),
                });
                let is_over = polled.is_err();
                // After an error rumqttc would connect again at once: this connection is over instead.
                if sender.send(polled).await.is_err() || is_over {
                    return;
                }
            }
        });
        Self { client, events, task }
    }

    /// What happens next on this connection. May be dropped and called again.
    ///
    /// # Errors
    /// [`ConnectionLost`].
    pub(super) async fn next(&mut self) -> Result<Event, ConnectionLost> {
        self.events.recv().await.unwrap_or(Err(ConnectionLost::Ended))
    }

    /// Hands a message to the event loop, and says whether it was taken; never waits. Its queue is never full, by the
    /// accounts of ledger and keys; it is gone once the connection is.
    pub(super) fn publish(&self, topic: &str, qos: QoS, retain: bool, payload: Vec<u8>) -> bool {
        self.client.try_publish(topic, qos, retain, payload).is_ok()
    }

    /// Says good-bye, so that the broker drops the will; [`Connection::next`] then ends with an error.
    pub(super) fn disconnect(&self) {
        // Where it cannot be said, the broker publishes the will, which says the same.
        let _ = self.client.try_disconnect();
    }
}

fn elsewhere(event: &Event) -> Option<String> {
    let Event::Incoming(Packet::Disconnect(end)) = event else { return None };
    end.properties.as_ref()?.server_reference.clone()
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

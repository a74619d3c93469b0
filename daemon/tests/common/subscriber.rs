//! A consumer at the broker.

use crate::contract;
use crate::wait::until;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;
use tumbler_core::wire::topics::EventMessage;

/// A message as a consumer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) topic: String,
    pub(crate) retained: bool,
    pub(crate) payload: String,
}

/// A consumer that keeps all it sees. When it goes, all of it must have been what is published of the messages.
pub(crate) struct Subscriber {
    pub(crate) client: AsyncClient,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Subscriber {
    /// Subscribes to everything at the broker on this port; returns once the broker has confirmed it.
    pub(crate) async fn start(port: u16) -> Self {
        Self::with(MqttOptions::new(format!("consumer-{}", crate::broker::free_port()), "127.0.0.1", port)).await
    }

    pub(crate) async fn with(mut options: MqttOptions) -> Self {
        options.set_keep_alive(std::time::Duration::from_secs(30));
        let (client, mut events) = AsyncClient::new(options, 16);
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let subscribed = Arc::new(Mutex::new(false));
        let (keep, confirm) = (Arc::clone(&seen), Arc::clone(&subscribed));
        let task = tokio::spawn(async move {
            while let Ok(event) = events.poll().await {
                match event {
                    Event::Incoming(Packet::Publish(p)) => keep.lock().unwrap().push(Seen {
                        topic: String::from_utf8(p.topic.to_vec()).unwrap(),
                        retained: p.retain,
                        payload: String::from_utf8(p.payload.to_vec()).unwrap(),
                    }),
                    Event::Incoming(Packet::SubAck(_)) => *confirm.lock().unwrap() = true,
                    _ => {}
                }
            }
        });
        // The broker's own retain flag, so that what is news and what was kept can be told apart.
        client.subscribe_many([Filter::new("taisai/#", QoS::AtLeastOnce)]).await.unwrap();
        until("subscribed", || *subscribed.lock().unwrap()).await;
        Self { client, seen, task }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The last thing seen on this topic.
    pub(crate) fn last(&self, topic: &str) -> Option<Seen> {
        self.seen.lock().unwrap().iter().rev().find(|s| s.topic == topic).cloned()
    }

    /// The messages on `event`, in the order in which they came.
    pub(crate) fn events(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|s| s.topic == "taisai/pit/t1/event").map(|s| s.payload.clone()).collect()
    }

    /// The numbers of the records seen, in the order in which they came.
    pub(crate) fn seqs(&self) -> Vec<u64> {
        let seen = self.seen.lock().unwrap();
        let events = seen.iter().filter(|s| s.topic == "taisai/pit/t1/event");
        events.map(|s| serde_json::from_str::<EventMessage>(&s.payload).unwrap().record.seq.0).collect()
    }

    /// Waits until the last thing on this topic is this.
    pub(crate) async fn sees(&self, topic: &str, is: impl Fn(&str) -> bool) {
        until(topic, || self.last(topic).is_some_and(|s| is(&s.payload))).await;
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.task.abort();
        if !std::thread::panicking() {
            let wrong: Vec<String> = self.seen().iter().filter_map(|s| contract::wrong(&s.topic, &s.payload)).collect();
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
    }
}

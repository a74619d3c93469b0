//! The line to the broker: subscribes, and comes back when it is lost.

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tumblerd::relay::{FIRST_PAUSE, STEADY, Settings, Trouble};
use tumblerd::run::backoff::Backoff;

/// Messages that wait to be looked at; beyond them the broker waits.
const WAITING: usize = 1024;
/// Longest pause before the broker is tried again, before jitter: somebody is watching.
const LONGEST: Duration = Duration::from_secs(5);

/// What came over the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The broker has confirmed the subscription; what it keeps comes next.
    Connected,
    /// A message.
    Message {
        /// Its topic.
        topic: String,
        /// What it holds.
        payload: Vec<u8>,
        /// Whether the broker had kept it, so that it is no news.
        kept: bool,
    },
    /// The broker cannot be reached, or was lost; in words for people. It is tried again.
    Lost(String),
}

/// Subscribes to `filter` at this broker, again and again, for as long as somebody listens. To be called within a tokio
/// runtime. Files for TLS and the password are read at every connection.
#[must_use]
pub(crate) fn follow(settings: Settings, filter: String) -> mpsc::Receiver<News> {
    let (news, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let mut backoff = Backoff::new(FIRST_PAUSE, LONGEST, STEADY).with_jitter();
        loop {
            let began = Instant::now();
            // On a task of its own: whatever goes wrong inside rumqttc on a broker's garbage ends this connection only.
            let connection = tokio::spawn(connection(settings.clone(), filter.clone(), news.clone()));
            let trouble = connection.await.unwrap_or_else(|_| Trouble::passing("the MQTT library ended unexpectedly"));
            if news.send(News::Lost(trouble.what)).await.is_err() {
                return;
            }
            let pause = if trouble.lasting { backoff.longest() } else { backoff.pause(began.elapsed()) };
            tokio::time::sleep(pause).await;
        }
    });
    receiver
}

/// One connection, to its end.
async fn connection(settings: Settings, filter: String, news: mpsc::Sender<News>) -> Trouble {
    let options = match settings.consumer() {
        Ok(options) => options,
        Err(error) => return Trouble::lasting(format!("{error:#}")),
    };
    let (client, mut events) = AsyncClient::new(options, 4);
    loop {
        let packet = match events.poll().await {
            Ok(Event::Incoming(packet)) => packet,
            Ok(Event::Outgoing(_)) => continue,
            Err(error) => return Trouble::of(&error, &settings),
        };
        let item = match packet {
            Packet::ConnAck(_) => {
                if let Err(error) = client.try_subscribe(&filter, QoS::AtLeastOnce) {
                    return Trouble::passing(error.to_string());
                }
                continue;
            }
            Packet::SubAck(ack) => match ack.return_codes.first() {
                Some(SubscribeReasonCode::Success(_)) => News::Connected,
                code => {
                    let what = format!("{} refuses the subscription to {filter} ({code:?})", settings.broker());
                    return Trouble::lasting(what);
                }
            },
            Packet::Publish(message) => News::Message {
                topic: String::from_utf8_lossy(&message.topic).into_owned(),
                payload: message.payload.to_vec(),
                kept: message.retain,
            },
            _ => continue,
        };
        if news.send(item).await.is_err() {
            return Trouble::passing("nobody listens any more");
        }
    }
}

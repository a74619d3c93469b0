//! The line to the broker: subscribes, and comes back when it is lost.

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event, EventLoop};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};
use tumblerd::relay::{FIRST_PAUSE, STEADY, Settings, Trouble};
use tumblerd::run::backoff::Backoff;

/// Messages that wait to be looked at; beyond them the broker waits.
const WAITING: usize = 1024;
/// Longest pause before the broker is tried again, before jitter: somebody is watching.
const LONGEST: Duration = Duration::from_secs(5);

/// The topics that are followed. Each is subscribed to once what the broker keeps of the one before has come: all at once they would
/// be more than it queues for a subscriber, and it would drop the rest.
const TOPICS: [&str; 4] = ["event", "status", "fault/+", "state"];
/// What the broker keeps of a topic has come when nothing that it had kept came for so long.
const QUIET: Duration = Duration::from_millis(500);

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
    /// All that it keeps of this kind has come, so many messages; `is_last`: of the last kind.
    Told {
        /// How many.
        kept: usize,
        /// Nothing is left to come.
        is_last: bool,
    },
    /// The broker cannot be reached, or was lost. It is tried again.
    Lost(Trouble),
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
            let pause = if trouble.lasting { backoff.longest() } else { backoff.pause(began.elapsed()) };
            if news.send(News::Lost(trouble)).await.is_err() {
                return;
            }
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
    let (client, events) = AsyncClient::new(options, 4);
    let (count, counted) = watch::channel(0);
    tokio::select! {
        trouble = reading(events, &settings, &filter, &news, &count) => trouble,
        trouble = asking(&client, &filter, &news, counted) => trouble,
    }
}

/// Reads what comes, to the end of the connection; `count` is told of each answer, and how many messages came that were kept.
async fn reading(
    mut events: EventLoop,
    settings: &Settings,
    filter: &str,
    news: &mpsc::Sender<News>,
    count: &watch::Sender<usize>,
) -> Trouble {
    let (mut is_answered, mut is_connected) = (false, false);
    loop {
        let packet = match events.poll().await {
            Ok(Event::Incoming(packet)) => packet,
            Ok(Event::Outgoing(_)) => continue,
            Err(error) if is_answered => return Trouble::of(&error, settings),
            Err(error) => return Trouble::before_answer(&error, settings, None),
        };
        let item = match packet {
            Packet::ConnAck(_) => {
                is_answered = true;
                count.send_modify(|_| {});
                continue;
            }
            Packet::SubAck(ack) => match ack.return_codes.first() {
                Some(SubscribeReasonCode::Success(_)) => {
                    count.send_modify(|_| {});
                    if std::mem::replace(&mut is_connected, true) {
                        continue;
                    }
                    News::Connected
                }
                code => {
                    let what = format!("{} refuses a subscription below {filter} ({code:?})", settings.broker());
                    return Trouble::lasting(what);
                }
            },
            Packet::Publish(message) => {
                if message.retain {
                    count.send_modify(|kept| *kept += 1);
                }
                News::Message {
                    topic: String::from_utf8_lossy(&message.topic).into_owned(),
                    payload: message.payload.to_vec(),
                    kept: message.retain,
                }
            }
            _ => continue,
        };
        if news.send(item).await.is_err() {
            return Trouble::passing("nobody listens any more");
        }
    }
}

/// Subscribes to one topic after the other; comes back with trouble only.
async fn asking(
    client: &AsyncClient,
    filter: &str,
    news: &mpsc::Sender<News>,
    mut counted: watch::Receiver<usize>,
) -> Trouble {
    for topic in TOPICS {
        // What was asked for last is answered: the connection, or the subscription before.
        if counted.changed().await.is_err() {
            break;
        }
        let before = *counted.borrow_and_update();
        if let Err(error) = client.try_subscribe(format!("{filter}/{topic}"), QoS::AtLeastOnce) {
            return Trouble::passing(error.to_string());
        }
        // The answer, then whatever was kept.
        let _ = counted.changed().await;
        while let Ok(Ok(())) = timeout(QUIET, counted.changed()).await {}
        let kept = counted.borrow_and_update().saturating_sub(before);
        let is_last = Some(&topic) == TOPICS.last();
        if news.send(News::Told { kept, is_last }).await.is_err() {
            break;
        }
        counted.mark_changed();
    }
    std::future::pending().await
}

//! The relay's life: connect, tell, lose the connection, pause, connect again.

use super::connection::{Connection, ConnectionLost};
use super::expiry::Certificates;
use super::identity::Identity;
use super::keys::Keys;
use super::options::Settings;
use super::outbox::Outbox;
use super::reader::{Read, ReadFailed, Reader};
use super::refusals::{Refused, RefusedRecord};
use super::retained::{self, Retained};
use super::session::{Sent, Session};
use super::timing::Timing;
use super::trouble::{self, Trouble};
use crate::run::backoff::Backoff;
use crate::run::clock::wall;
use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{ConnectionError, Event};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tumbler_core::effect::KeyTold;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::Relay as Health;
use tumbler_core::wire::topics::Topics;

/// Longest time for TCP, TLS and CONNECT together; rumqttc's own limit of 5 s covers all but its defects.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest wait for the broker to hang up after the good-bye.
const GOOD_BYE: Duration = Duration::from_millis(300);
/// So many connections in a row that the broker took and then ended without a word are no accident, if they are no restart.
const HUNG_UP: u32 = 3;
/// So often does it hang up on one topic, and take others, before that one is left out.
const HUNG_UP_OVER: u32 = 2;
/// A restart is over within so many of the longest pauses.
const RESTART: u32 = 2;
/// A connection that stood no longer than this was pushed out by a client that came back, not ended once in a while:
/// twice the longest pause of either, and more.
const SHORT: Duration = Duration::from_secs(120);
/// A topic that costs the connection is tried again this many times more rarely than one that is only refused.
const RARELY: u32 = 20;
/// Pause before the journal is read again after it could not be.
const REREAD: Duration = Duration::from_secs(1);

/// What the relay is fed with, and where it says how it fares.
#[derive(Debug)]
pub struct Feeds {
    /// The table as it is.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// The journal's last durable record.
    pub durable: watch::Receiver<Seq>,
    /// Keys that may be told, from [`tumbler_core::effect::Effect::Keypad`]. The sender drops what finds no room.
    pub keys: mpsc::Receiver<KeyTold>,
    /// Starts at the cursor that the journal holds; the relay sets it to the last record that the broker acknowledged
    /// with all before it. What comes in here goes to the table as [`tumbler_core::input::Input::Relayed`].
    pub acknowledged: watch::Sender<Seq>,
    /// How the relay fares.
    pub health: watch::Sender<Option<Health>>,
    /// Set to `true` when the daemon stops.
    pub stop: watch::Receiver<bool>,
}

struct Runner<O> {
    settings: Settings,
    identity: Identity,
    timing: Timing,
    topics: Topics,
    feeds: Feeds,
    retained: Retained,
    keys: Keys,
    reader: Reader<O>,
    /// Not before this moment is the journal read again, after it could not be read.
    reread: Option<Instant>,
    /// When a daemon that stops leaves, whether everything is told or not.
    leave: Option<Instant>,
    health: Health,
    certificates: Certificates,
    /// What was last said of certificates that are about to expire.
    expiring: Option<String>,
    /// The connections in a row that the broker took and then ended without a word.
    hung_up: Option<HangUps>,
    /// The message that alone waited for its answer when it last did, and on how many of them in a row.
    hung_up_over: (Option<Sent>, u32),
    /// Since when the broker has answered on this connection.
    connected_since: Option<Instant>,
    /// The record that the broker refused last.
    refused: RefusedRecord,
    /// The broker ended the last connection over a message, and did not say which.
    is_careful: bool,
    /// It ended the last one over a topic that was not refused before. There are few of them, so the next ones are soon known as well.
    is_known: bool,
}

#[derive(Clone, Copy)]
struct HangUps {
    times: u32,
    since: Instant,
    /// The same in wall time, for people.
    shown: i64,
}

enum End {
    Stopped,
    Lost(Trouble),
}

/// Tells the broker what the table does, until the daemon stops.
///
/// # Errors
/// [`ReadFailed`]: reading the journal panicked. Nothing else ends it; trouble with the broker is logged and shown in
/// [`Feeds::health`].
pub async fn run<O: Outbox>(
    settings: Settings,
    identity: Identity,
    timing: Timing,
    outbox: O,
    feeds: Feeds,
) -> Result<(), ReadFailed> {
    let topics = Topics::new(&identity.site, &identity.table);
    let mut backoff = Backoff::new(timing.first, timing.longest, timing.steady).with_jitter();
    let mut runner = Runner {
        retained: Retained::new(&topics, &identity),
        keys: Keys::default(),
        reader: Reader::new(outbox),
        reread: None,
        leave: None,
        certificates: Certificates::default(),
        expiring: None,
        hung_up: None,
        hung_up_over: (None, 0),
        connected_since: None,
        refused: RefusedRecord::new(timing),
        is_careful: false,
        is_known: false,
        health: Health { broker: settings.broker(), ..Health::default() },
        settings,
        identity,
        timing,
        topics,
        feeds,
    };
    loop {
        let trouble = match runner.connection().await? {
            End::Stopped => return Ok(()),
            End::Lost(trouble) => trouble,
        };
        let stood = runner.connected_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        if std::mem::take(&mut runner.is_known) {
            backoff.reset();
        }
        let pause = if trouble.lasting { backoff.longest() } else { backoff.pause(stood) };
        tracing::warn!(broker = runner.health.broker, ?pause, "not connected: {}", trouble.what);
        runner.keys.drop_all();
        runner.health.connected = false;
        runner.health.trouble = Some(trouble.what);
        if runner.pause(pause).await {
            return Ok(());
        }
    }
}

impl<O: Outbox> Runner<O> {
    /// Lets time pass without a connection; whether the daemon stops.
    async fn pause(&mut self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        while self.leave.is_none() {
            self.tell_health();
            tokio::select! {
                () = sleep_until(until) => return false,
                changed = self.feeds.durable.changed() => self.stop_if(changed.is_err()),
                changed = self.feeds.stop.changed() => {
                    let stop = changed.is_err() || *self.feeds.stop.borrow();
                    self.stop_if(stop);
                }
                Some(key) = self.feeds.keys.recv() => {
                    self.keys.press(key);
                    self.keys.drop_all();
                }
            }
        }
        true
    }

    fn stop_if(&mut self, stop: bool) {
        if stop && self.leave.is_none() {
            self.leave = Some(Instant::now() + self.timing.parting);
            self.retained.set_status(retained::status(&self.identity, false));
        }
    }

    /// One connection, from the attempt to its end.
    async fn connection(&mut self) -> Result<End, ReadFailed> {
        let (settings, certificates) = (self.settings.clone(), self.certificates.clone());
        let (topic, will) = (self.topics.status(), retained::status(&self.identity, false));
        let options = match tokio::task::spawn_blocking(move || settings.options(&topic, will, &certificates)).await {
            Ok(Ok(options)) => options,
            Ok(Err(error)) => return Ok(End::Lost(Trouble::passing(format!("{error:#}")))),
            Err(_) => return Ok(End::Lost(Trouble::passing("the files of the connection cannot be read"))),
        };
        let mut silence = options.keep_alive() * 2;
        let mut connection = Connection::open(options);
        let mut session: Option<Session> = None;
        let mut watchdog = Instant::now() + CONNECT;
        let (mut snapshot_ended, mut durable_ended) = (false, false);
        self.retained.begin();
        let stop = *self.feeds.stop.borrow_and_update();
        self.stop_if(stop);
        loop {
            if let Some(session) = &mut session {
                if self.leave.is_some() && session.is_idle() && self.retained.is_told() && self.is_all_acknowledged() {
                    break;
                }
                let snapshot = Arc::clone(&self.feeds.snapshot.borrow_and_update());
                self.retained.set_table(&snapshot, wall());
                session.pump(&connection, &mut self.retained, &mut self.keys);
                if let (Some(after), None) = (session.wants(*self.feeds.durable.borrow()), self.reread) {
                    self.reader.start(after);
                }
            }
            self.tell_health();
            let (reread, leave) = (self.reread, self.leave);
            let retry = session.as_ref().and_then(|session| session.retry_at(&self.retained));
            let overdue = session.as_ref().and_then(|session| session.overdue_at(silence));
            tokio::select! {
                event = connection.next() => {
                    let event = match event {
                        Ok(event) => event,
                        Err(error) => return Ok(End::Lost(self.trouble(&error, session.as_ref()))),
                    };
                    if let Event::Incoming(packet) = &event {
                        if let Packet::ConnAck(ack) = packet {
                            let asked = ack.properties.as_ref().and_then(|p| p.server_keep_alive);
                            silence = asked.map_or(silence, |s| Duration::from_secs(u64::from(s)) * 2);
                        }
                        watchdog = Instant::now() + silence;
                    }
                    if let Err(trouble) = self.take(event, &mut session) {
                        return Ok(End::Lost(trouble));
                    }
                }
                () = sleep_until(watchdog) => {
                    let what = format!("{} gave no sign for {silence:?}", self.settings.broker());
                    return Ok(End::Lost(Trouble::passing(what)));
                }
                () = at(overdue) => {
                    let what = "answers to pings and acknowledges no message for";
                    return Ok(End::Lost(Trouble::passing(format!("{} {what} {silence:?}", self.settings.broker()))));
                }
                () = at(leave) => break,
                () = at(reread) => self.reread = None,
                // The next turn of the loop tries again.
                () = at(retry) => {}
                read = self.reader.ended() => self.read(read?, session.as_mut()),
                // Who feeds ends before the relay does; an end that was seen once would otherwise be seen for ever.
                changed = self.feeds.snapshot.changed(), if !snapshot_ended => {
                    snapshot_ended = changed.is_err();
                    self.stop_if(snapshot_ended);
                }
                changed = self.feeds.durable.changed(), if !durable_ended => {
                    durable_ended = changed.is_err();
                    self.stop_if(durable_ended);
                }
                changed = self.feeds.stop.changed(), if self.leave.is_none() => {
                    let stop = changed.is_err() || *self.feeds.stop.borrow();
                    self.stop_if(stop);
                }
                Some(key) = self.feeds.keys.recv() => self.keys.press(key),
            }
        }
        if session.is_some() {
            connection.disconnect();
            // The broker hangs up once it has read the good-bye; where it does not, the will says the same.
            let _ = timeout(GOOD_BYE, async { while connection.next().await.is_ok() {} }).await;
        }
        Ok(End::Stopped)
    }

    /// Takes what happened on the connection.
    fn take(&mut self, event: Event, session: &mut Option<Session>) -> Result<(), Trouble> {
        match (event, session) {
            (Event::Incoming(Packet::ConnAck(ack)), session) => {
                let acknowledged = *self.feeds.acknowledged.borrow();
                let careful = std::mem::take(&mut self.is_careful);
                let begun = Session::begin(&ack, acknowledged, &self.settings, &self.topics, self.timing, careful);
                *session = Some(begun?);
                self.health.connected = true;
                self.connected_since = Some(Instant::now());
                tracing::info!(broker = self.health.broker, after = acknowledged.0, "connected");
            }
            (Event::Incoming(Packet::PubAck(ack)), Some(session)) => {
                if let Some(seq) = session.acknowledged(&ack, &mut self.retained, &mut self.refused)? {
                    self.feeds.acknowledged.send_replace(seq);
                    self.health.trouble = None;
                }
            }
            (Event::Incoming(Packet::PubRec(_)), _) => {
                return Err(Trouble::passing(format!("{} answers as if to QoS 2", self.health.broker)));
            }
            (Event::Incoming(Packet::Publish(_)), _) => {
                let what = format!("{} sent a message, and the table asks for none", self.health.broker);
                return Err(Trouble::lasting(what));
            }
            (Event::Outgoing(Outgoing::Publish(0)), _) => self.keys.written(),
            (Event::Outgoing(Outgoing::Publish(packet)), Some(session)) => session.numbered(packet),
            _ => {}
        }
        Ok(())
    }

    /// Takes what was read from the journal.
    fn read(&mut self, read: Read, session: Option<&mut Session>) {
        match (read.records, session) {
            (Ok(records), _) if records.is_empty() => self.reread = Some(Instant::now() + REREAD),
            (Ok(records), Some(session)) => {
                if let Err(trouble) = session.take(read.after, &records, &self.refused) {
                    tracing::warn!("records wait: {trouble}");
                    self.health.trouble = Some(trouble);
                }
            }
            (Ok(_), None) => {}
            (Err(error), _) => {
                tracing::error!("the journal cannot be read for the relay: {error}");
                self.health.trouble = Some(format!("the journal cannot be read: {error}"));
                self.reread = Some(Instant::now() + REREAD);
            }
        }
    }

    fn is_all_acknowledged(&self) -> bool {
        *self.feeds.acknowledged.borrow() >= *self.feeds.durable.borrow()
    }

    /// What the loss of a connection means. A broker that takes connections and then hangs up, time after time, most
    /// likely has another client with the same id: rumqttc does not understand the DISCONNECT that says so where it comes
    /// without properties, as mosquitto sends it.
    fn trouble(&mut self, lost: &ConnectionLost, session: Option<&Session>) -> Trouble {
        match lost {
            ConnectionLost::Error { error, elsewhere } => {
                self.trouble_of(error, session).and_elsewhere(elsewhere.as_deref())
            }
            ConnectionLost::Ended => Trouble::passing(lost.to_string()),
        }
    }

    fn trouble_of(&mut self, error: &ConnectionError, session: Option<&Session>) -> Trouble {
        if let (Some(session), Some(refused)) = (session, Refused::by_ending(error)) {
            return self.ended_over(&refused, session);
        }
        if self.connected_since.is_none() {
            // A broker that was away meanwhile was restarted, and no other client pushed this one out.
            self.hung_up = None;
            let client = self.settings.tls.as_ref().and_then(|tls| tls.client.as_ref());
            let expired = client.and_then(|(file, _)| self.certificates.expired(&file.display().to_string(), wall()));
            return Trouble::before_answer(error, &self.settings, expired);
        }
        let is_short = self.connected_since.is_some_and(|since| since.elapsed() < SHORT);
        let is_hung_up = is_short && trouble::is_hung_up(error);
        let begun = HangUps { times: 0, since: Instant::now(), shown: wall() };
        let hung_up = self.hung_up.filter(|_| is_hung_up).unwrap_or(begun);
        let hung_up = HangUps { times: hung_up.times.saturating_add(u32::from(is_hung_up)), ..hung_up };
        self.hung_up = is_hung_up.then_some(hung_up);
        let is_no_accident = hung_up.times >= HUNG_UP && hung_up.since.elapsed() >= self.timing.longest * RESTART;
        let session = session.filter(|session| is_hung_up && !session.is_answered());
        let over = session.and_then(Session::only);
        let before = std::mem::replace(&mut self.hung_up_over, (over, 0));
        if let (Some(session), Some(sent)) = (session, over) {
            self.hung_up_over.1 = if before.0 == over { before.1.saturating_add(1) } else { 1 };
            let is_refused = match sent {
                // Records cannot be left out, so nothing is lost while a broker may only be restarting.
                Sent::Event(_) => is_no_accident,
                Sent::Retained(slot) if self.retained.is_refused(slot) => true,
                // It takes the others, and hangs up on this one; or it has taken none yet.
                Sent::Retained(_) => self.hung_up_over.1 >= if session.has_taken() { HUNG_UP_OVER } else { HUNG_UP },
            };
            if is_refused {
                self.hung_up_over = (None, 0);
                self.hung_up = None;
                return self.ended_over(&Refused::by_hanging_up(), session);
            }
        }
        // Of several that wait, nobody says which one it is.
        self.is_careful |= session.is_some();
        if is_no_accident {
            trouble::most_likely_same_id(hung_up.times, &self.settings)
        } else if hung_up.times > 1 {
            trouble::hung_up(hung_up.times, hung_up.shown, &self.settings)
        } else {
            Trouble::of(error, &self.settings)
        }
    }

    /// The broker ended the connection over a message, or as good as that. Where one was in flight, it was that one; otherwise the
    /// next connection sends one at a time.
    fn ended_over(&mut self, refused: &Refused, session: &Session) -> Trouble {
        let (broker, Refused { why, topic, for_good }) = (self.settings.broker(), refused);
        self.is_careful = true;
        match session.only() {
            Some(Sent::Event(_)) if *topic => {
                self.retained.events_refused(&self.topics.event(), why);
                Trouble::lasting(format!("{broker} refuses {}: {why}; records wait", self.topics.event()))
            }
            Some(Sent::Event(seq)) => {
                self.refused.refused(seq, *for_good);
                Trouble::passing(format!("{broker} refuses record {}: {why}", seq.0))
            }
            Some(Sent::Retained(slot)) => {
                self.is_known = !self.retained.is_refused(slot);
                self.retained.refused(slot, why, Instant::now() + self.timing.longest * RARELY);
                Trouble::passing(format!("{broker} refuses a topic: {why}"))
            }
            None => Trouble::passing(format!("{broker} refuses a message: {why}")),
        }
    }

    fn tell_health(&mut self) {
        self.health.refused = self.retained.all_refused();
        self.health.acknowledged = *self.feeds.acknowledged.borrow();
        self.health.waiting = self.feeds.durable.borrow().0.saturating_sub(self.health.acknowledged.0);
        self.health.keys_dropped = self.keys.dropped();
        let expiring = self.certificates.trouble(wall());
        if expiring != self.expiring {
            if let Some(expiring) = &expiring {
                tracing::warn!(broker = self.health.broker, "{expiring}");
            }
            self.expiring.clone_from(&expiring);
        }
        let mut health = self.health.clone();
        health.trouble = health.trouble.or(expiring);
        self.feeds.health.send_if_modified(|told| {
            let is_news = told.as_ref() != Some(&health);
            if is_news {
                *told = Some(health);
            }
            is_news
        });
    }
}

/// That moment; never, where there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

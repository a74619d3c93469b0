//! The table as it happens, as server-sent events: `status` whenever it changes, `record` for each record from now on.

use super::Shared;
use super::access::Client;
use super::places::{AGAIN, Place};
use super::problem::Problem;
use super::questions::Told;
use crate::pages::standing;
use crate::pages::test_report::bar::{self, Shown};
use crate::pages::web;
use crate::run::clock;
use axum::Extension;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream::unfold;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::ask::Relay;

/// Shortest time between two states: a screen shows no more, and a busy table costs no more.
const PACE: Duration = Duration::from_millis(40);
/// A client that hears nothing for so long is told that the table is still there.
const ALIVE: Duration = Duration::from_secs(5);
/// Records read at once.
const PAGE: usize = 64;

/// The table as a page needs it.
#[derive(Serialize)]
struct Status<'a> {
    snapshot: &'a Snapshot,
    relay: Option<&'a Relay>,
    /// What is looked at before any single malfunction.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<String>,
    /// How the question that a round waits for is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<String>,
    /// Levels of the lines that were heard of, for the drawing.
    lines: BTreeMap<&'static str, bool>,
    /// What the hardware test in progress has measured so far, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bars: Vec<Shown>,
    /// Now, on the clock of the records.
    mono: Mono,
    /// Now, in milliseconds since 1970, on the table's clock: a browser's own may be wrong.
    wall: i64,
}

/// One client.
struct Follower {
    shared: Shared,
    told: Seq,
    waiting: VecDeque<Event>,
    began: bool,
    _place: Place,
}

pub(super) async fn events(
    State(shared): State<Shared>,
    Extension(client): Extension<Client>,
) -> Result<impl IntoResponse, Problem> {
    let place = shared.places.follow(client.0).map_err(|full| Problem::busy(full.to_string(), Some(AGAIN)))?;
    let mut follower = Follower { told: Seq(0), shared, waiting: VecDeque::new(), began: false, _place: place };
    follower.told = *follower.shared.durable.borrow_and_update();
    let stream = unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    Ok(Sse::new(stream).keep_alive(web::alive(ALIVE)))
}

impl Follower {
    /// The next event; `None` once the daemon stops. States are told in their newest form only, and records are read at the
    /// client's pace, so a slow client costs no memory.
    async fn next(&mut self) -> Option<Event> {
        if !self.began {
            self.began = true;
            return Some(self.status());
        }
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let Shared { snapshot, durable, relay, stop, .. } = &mut self.shared;
            tokio::select! {
                _ = stop.changed() => return None,
                changed = durable.changed() => {
                    changed.ok()?;
                    self.read().await;
                }
                changed = snapshot.changed() => {
                    changed.ok()?;
                    sleep(PACE).await;
                    return Some(self.status());
                }
                // Without a broker nobody holds the other end.
                Ok(()) = relay.changed() => return Some(self.status()),
            }
        }
    }

    fn status(&mut self) -> Event {
        let snapshot = self.shared.snapshot.borrow_and_update();
        let relay = self.shared.relay.borrow_and_update();
        let bars = bar::shown(&snapshot.measurements);
        let wires = Arc::clone(&self.shared.wires.borrow());
        let lines = wires.lines.iter().filter_map(|wire| Some((wire.line.name(), wire.active?))).collect();
        let status = Status {
            snapshot: &snapshot,
            relay: relay.as_ref(),
            shared: standing::shared(&snapshot.malfunctions),
            answered: snapshot.question.as_ref().map(standing::answered),
            lines,
            bars,
            mono: clock::now(),
            wall: clock::wall(),
        };
        // A state is always JSON; should it not be, the page keeps the last one and says how old it is.
        Event::default().event("status").json_data(&status).unwrap_or_default()
    }

    async fn read(&mut self) {
        let tip = *self.shared.durable.borrow_and_update();
        while self.told < tip {
            let after = self.told;
            let page = self.shared.records.read(move |records| records.after(after, PAGE)).await;
            let page = page.unwrap_or_else(|error| {
                tracing::warn!("the panel cannot read the journal: {error}");
                Vec::new()
            });
            let Some(newest) = page.last() else { break };
            self.told = newest.record.seq;
            for record in &page {
                self.waiting.extend(Event::default().event("record").json_data(Told::of(record)).ok());
            }
        }
    }
}

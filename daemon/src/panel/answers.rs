//! The addresses of the panel, and what each answers.

use super::problem::Problem;
use super::questions::{self, Search, Told};
use super::{About, Shared, access, pages, stream, workshop};
use crate::history::wording::void_to_players;
use crate::pages::bands;
use crate::pages::standing::{self, Grade};
use crate::pages::web;
use crate::run::trace::PACE;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::time::sleep;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::latch::Code;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;
use tumbler_core::units::RoundId;
use tumbler_core::wire::ask::{MAX_ROUNDS, Status};

/// Nothing from elsewhere, nothing inline, and no page may frame these.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// Rounds that are told where nobody says how many.
const ROUNDS: u32 = 20;

/// All addresses.
pub(super) fn router(shared: Shared) -> Router {
    Router::new()
        .merge(pages::routes())
        .route("/events", get(stream::events))
        .route("/api/table", get(table))
        .route("/api/layout", get(layout))
        .route("/api/rounds", get(rounds))
        .route("/api/round", get(round))
        .route("/api/journal", get(journal))
        .route("/api/wires", get(wires))
        .route("/api/health", get(health))
        .route("/healthz", get(healthz))
        .route("/api/session", get(access::who))
        .route("/api/result", get(workshop::result))
        .route("/report", get(workshop::report))
        .route("/report.css", get(workshop::looks))
        .merge(acts())
        .fallback(nothing)
        .layer(middleware::from_fn_with_state(shared.clone(), guarded))
        .with_state(shared)
}

/// What changes something.
fn acts() -> Router<Shared> {
    Router::new()
        .route("/api/login", post(access::log_in))
        .route("/api/logout", post(access::log_out))
        .route("/api/maintenance", post(workshop::maintenance))
        .route("/api/test", post(workshop::test))
        .route("/api/witness", post(workshop::witness))
        .route_layer(middleware::from_fn(access::from_own_page))
}

async fn guarded(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = match web::host(&request) {
        Some(host) if web::is_here(host, &shared.names) => next.run(request).await,
        Some(_) => {
            let why = "the panel is not known by this name; ask for it by its address, or set panel.host to the name";
            Problem::new(StatusCode::MISDIRECTED_REQUEST, why).into_response()
        }
        None => Problem::wrong(
            "the request has two `Host` lines, another one than its address, or one that is no text".into(),
        )
        .into_response(),
    };
    web::guard(response.headers_mut(), HeaderValue::from_static(POLICY));
    response
}

async fn nothing() -> Problem {
    Problem::unknown("there is nothing here; the panel is at /, the results display at /display".into())
}

/// What a person does about a malfunction.
#[derive(Serialize)]
struct Remedy {
    remedy: &'static str,
    /// Whether a stated procedure may replace the check (NZ 7.4).
    procedure: bool,
}

#[derive(Serialize)]
struct Table {
    #[serde(flatten)]
    about: About,
    remedies: BTreeMap<&'static str, Remedy>,
    /// Hardware tests, in the order in which all of them are run.
    tests: Vec<&'static str>,
    /// Why a round is void, as players are told.
    voids: BTreeMap<&'static str, &'static str>,
    /// Rule sets by which the bets of a void round are returned (SGV6 and SGOC 5.12).
    returns: Vec<&'static str>,
}

async fn table(State(shared): State<Shared>) -> impl IntoResponse {
    let remedies: BTreeMap<&str, Remedy> = Code::ALL
        .into_iter()
        .map(|code| (code.name(), Remedy { remedy: code.remedy(), procedure: code.allows_procedure() }))
        .collect();
    let tests = HardwareTest::ALL.into_iter().map(HardwareTest::name).collect();
    let voids = VoidReason::ALL.into_iter().map(|reason| (reason.name(), void_to_players(reason))).collect();
    let returns = rules::all().iter().filter(|rules| !rules.clause("void-returned").to_string().is_empty());
    let returns = returns.map(|rules| rules.id.as_str()).collect();
    Json(Table { about: shared.about, remedies, tests, voids, returns })
}

#[derive(Deserialize)]
struct WhichLayout {
    id: String,
}

/// An area as it is drawn.
#[derive(Serialize)]
struct Area<'a> {
    id: &'a str,
    odds: &'a [u32],
    clause: &'a str,
}

async fn layout(Query(which): Query<WhichLayout>) -> Result<Response, Problem> {
    let Some(layout) = rules::layout(&which.id) else {
        let known: Vec<&str> = rules::layouts().map(|layout| layout.id.as_str()).collect();
        return Err(Problem::unknown(format!("there is no layout `{}`; known are {}", which.id, known.join(", "))));
    };
    let areas: Vec<Area<'_>> =
        layout.areas.iter().map(|area| Area { id: &area.id, odds: &area.odds, clause: &area.clause }).collect();
    let rows: Vec<Vec<&str>> =
        bands::rows(layout).iter().map(|row| row.iter().map(|area| area.id.as_str()).collect()).collect();
    let title = rules::rule_set(&layout.rules).map(|rules| rules.title.as_str());
    Ok(Json(
        serde_json::json!({ "id": layout.id, "rules": title, "source": layout.source, "areas": areas, "rows": rows }),
    )
    .into_response())
}

#[derive(Deserialize)]
struct HowMany {
    last: Option<u32>,
}

async fn rounds(State(shared): State<Shared>, Query(how_many): Query<HowMany>) -> Result<Response, Problem> {
    let last = how_many.last.unwrap_or(ROUNDS).min(MAX_ROUNDS);
    let tip = *shared.durable.borrow();
    let rounds = shared.records.read(move |records| crate::history::rounds::latest(records, tip, last)).await;
    Ok(Json(rounds.map_err(Problem::broken)?).into_response())
}

#[derive(Deserialize)]
struct WhichRound {
    id: RoundId,
}

async fn round(State(shared): State<Shared>, Query(which): Query<WhichRound>) -> Result<Response, Problem> {
    let tip = *shared.durable.borrow();
    let id = which.id;
    let records =
        shared.records.read(move |records| questions::of_round(records, tip, id)).await.map_err(Problem::broken)?;
    let (Some(first), Some(last)) = (records.first(), records.last()) else {
        return Err(Problem::unknown(format!("round {} is not among the latest records of the journal", id.0)));
    };
    // Half a second before and after, for what led to the round's beginning and end.
    let (from, to) = (first.record.at.0.saturating_sub(500_000_000), last.record.at.0.saturating_add(500_000_000));
    // Of a round that has just ended the last news are still on their way.
    let behind = Duration::from_nanos(to.saturating_sub(crate::run::clock::now().0)).min(PACE);
    if !behind.is_zero() {
        sleep(behind + PACE).await;
    }
    let waves = shared.picture.lock().unwrap_or_else(PoisonError::into_inner).waves(from, to);
    let records: Vec<Told<'_>> = records.iter().map(Told::of).collect();
    Ok(Json(serde_json::json!({ "records": records, "waves": waves })).into_response())
}

async fn journal(State(shared): State<Shared>, Query(asked): Query<Search>) -> Result<Response, Problem> {
    let tip = *shared.durable.borrow();
    let found = shared.records.read(move |records| questions::search(records, tip, &asked)).await;
    Ok(Json(found.map_err(Problem::broken)?).into_response())
}

async fn wires(State(shared): State<Shared>) -> Response {
    let wires = std::sync::Arc::clone(&shared.wires.borrow());
    Json(&*wires).into_response()
}

async fn health(State(shared): State<Shared>) -> Response {
    let health = shared.picture.lock().unwrap_or_else(PoisonError::into_inner).health();
    let disk = *shared.disk.borrow();
    let relay = shared.relay.borrow().clone();
    Json(serde_json::json!({ "health": health, "disk": disk, "relay": relay, "now": crate::run::clock::now() }))
        .into_response()
}

/// How the table stands, for a monitor that asks by HTTP: 503 where a malfunction is latched.
async fn healthz(State(shared): State<Shared>) -> Response {
    let snapshot = (**shared.snapshot.borrow()).clone();
    let relay = shared.relay.borrow().clone();
    // Were the network's process down, nobody would be asked.
    let (grade, said) = standing::line(&Status { snapshot, relay, network: None, about: shared.about });
    let code = if grade == Grade::Critical { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (code, Json(serde_json::json!({ "status": grade, "said": said }))).into_response()
}

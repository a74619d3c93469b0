//! Maintenance and its hardware tests from the browser: the console's own commands, given by whoever is logged in. The table
//! decides whether the key is turned and the table in maintenance; here nothing is decided.

use super::Shared;
use super::access::{self, Technician};
use super::problem::Problem;
use crate::network::messages::TechnicianCommand;
use crate::pages::test_report::{self, Looks, bar};
use axum::Json;
use axum::extract::{Query, Request, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tumbler_core::hardware_test::{HardwareTest, Report};
use tumbler_core::units::Seq;
use tumbler_core::wire::console::{Answer, Witness};
use tumbler_core::wire::topics::EventMessage;

/// Where the report's looks are.
const LOOKS: &str = "/report.css";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhichTest {
    test: HardwareTest,
}

/// Begins a test. Answers when it is refused, waits for a person's eyes, or has ended; who hangs up before leaves it running.
pub(super) async fn test(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    told(&shared, request, |WhichTest { test }| TechnicianCommand::HardwareTest { test }).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    on: bool,
}

/// Takes the table into maintenance, or ends it.
pub(super) async fn maintenance(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    told(&shared, request, |Wanted { on }| TechnicianCommand::Maintenance { on }).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Witnessed {
    item: Witness,
    right: bool,
}

/// Says what only a person can see.
pub(super) async fn witness(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    told(&shared, request, |Witnessed { item, right }| TechnicianCommand::Witness { item, right }).await
}

/// Gives the table a command in the name of whoever is logged in; its answer.
async fn told<Sent: DeserializeOwned>(
    shared: &Shared,
    request: Request,
    command: impl FnOnce(Sent) -> TechnicianCommand,
) -> Result<Response, Problem> {
    let Technician { access, account, sent } = access::technician(shared, request).await?;
    match access.command(&account, command(sent)).await? {
        Answer::Done(done) => Ok(Json(serde_json::json!({ "done": done })).into_response()),
        Answer::Refused { why, .. } => Err(Problem::refused(why)),
    }
}

#[derive(Deserialize)]
pub(super) struct WhichRecord {
    record: Seq,
}

async fn found(shared: &Shared, seq: Seq) -> Result<(EventMessage, Report), Problem> {
    let before = Seq(seq.0.saturating_sub(1));
    let page = shared.records.read(move |records| records.after(before, 1)).await.map_err(Problem::broken)?;
    match page.into_iter().next().filter(|message| message.record.seq == seq) {
        Some(message) => match test_report::report(&message).cloned() {
            Some(report) => Ok((message, report)),
            None => Err(Problem::unknown(format!("record {} is no hardware test's", seq.0))),
        },
        None => Err(Problem::unknown(format!("there is no record {}", seq.0))),
    }
}

/// A report as it is shown beside its test.
pub(super) async fn result(
    State(shared): State<Shared>,
    Query(which): Query<WhichRecord>,
) -> Result<Response, Problem> {
    let (_, report) = found(&shared, which.record).await?;
    let Report { test, by, verdict, found, seen, measurements, .. } = &report;
    let bars = bar::shown(measurements);
    Ok(Json(
        serde_json::json!({ "test": test, "by": by, "verdict": verdict, "found": found, "seen": seen, "bars": bars }),
    )
    .into_response())
}

/// A report as a page with its plots, as `tumblerctl test --report` writes it.
pub(super) async fn report(
    State(shared): State<Shared>,
    Query(which): Query<WhichRecord>,
) -> Result<Response, Problem> {
    let (message, _) = found(&shared, which.record).await?;
    Ok(Html(test_report::page(&shared.about, &[message], Looks::At(LOOKS)).into_string()).into_response())
}

pub(super) async fn looks() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], test_report::STYLE).into_response()
}

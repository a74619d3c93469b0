//! The floor as a page for browsers: one file, nothing from elsewhere, kept up to date by server-sent events.

use super::View;
use crate::floor::feed::News;
use crate::floor::model::Picture;
use crate::say;
use anyhow::Context;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use futures_util::stream::unfold;
use serde::Serialize;
use std::convert::Infallible;
use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, mpsc, watch};
use tumblerd::pages::web;

const PAGE: &str = include_str!("page.html");
/// The colours of the table's panel.
const COMMON: &str = include_str!("../../../src/panel/assets/common.css");
/// Shortest time between two pictures.
const PACE: Duration = Duration::from_secs(1);
/// A page that hears nothing for so long is told that this program is still there.
const ALIVE: Duration = Duration::from_secs(4);
/// Most pages that are kept up to date at a time.
const PAGES: usize = 32;

/// What all requests share.
#[derive(Clone)]
struct Shared {
    page: Arc<str>,
    policy: HeaderValue,
    /// Whether only this machine can ask: then no name of elsewhere may be asked for.
    is_local: bool,
    pictures: watch::Receiver<Arc<str>>,
    room: Arc<Semaphore>,
}

/// The floor, and of which broker.
#[derive(Serialize)]
struct PageState<'a> {
    broker: &'a str,
    #[serde(flatten)]
    picture: &'a Picture,
}

fn page_state(view: &View, broker: &str) -> anyhow::Result<Arc<str>> {
    Ok(serde_json::to_string(&PageState { broker, picture: &view.picture() })?.into())
}

/// Serves the page at this address until the program is told to end.
pub(super) async fn serve(
    view: &mut View,
    news: &mut mpsc::Receiver<News>,
    broker: &str,
    address: SocketAddr,
) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("the page cannot be had at {address}; another address: --listen"))?;
    let address = listener.local_addr()?;
    let (newest, pictures) = watch::channel(page_state(view, broker)?);
    let server = axum::serve(listener, router(address, pictures)?).into_future();
    tokio::pin!(server);
    say::line(&format!("the floor is at http://{address}/; Ctrl-C ends"))?;
    let mut pace = tokio::time::interval(PACE);
    loop {
        tokio::select! {
            ended = &mut server => return ended.context("the page cannot be served any more"),
            Some(item) = news.recv() => view.take(item),
            _ = pace.tick() => {
                let now = page_state(view, broker)?;
                newest.send_if_modified(|old| {
                    let is_new = *old != now;
                    *old = now;
                    is_new
                });
            }
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}

fn router(address: SocketAddr, pictures: watch::Receiver<Arc<str>>) -> anyhow::Result<Router> {
    // One word that no stranger knows: the browser runs what carries it, and nothing else.
    let nonce = crate::broker::random()?;
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let shared = Shared {
        page: PAGE.replace("{common}", COMMON).replace("{nonce}", &nonce).into(),
        policy: HeaderValue::from_str(&policy)?,
        is_local: address.ip().is_loopback(),
        pictures,
        room: Arc::new(Semaphore::new(PAGES)),
    };
    let guard = middleware::from_fn_with_state(shared.clone(), guarded);
    Ok(Router::new().route("/", get(page)).route("/pictures", get(follow)).layer(guard).with_state(shared))
}

async fn guarded(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let host = web::host(&request).unwrap_or_default();
    // A page of elsewhere, whose name was made to lead here, must not read the floor.
    let mut response = if shared.is_local && !web::is_here(host, &[]) {
        (StatusCode::MISDIRECTED_REQUEST, "the floor is for this machine only: ask for it as localhost").into_response()
    } else {
        next.run(request).await
    };
    web::guard(response.headers_mut(), shared.policy);
    response
}

async fn page(State(shared): State<Shared>) -> Html<String> {
    Html(shared.page.to_string())
}

/// The newest picture, and each one after it. A page that is slow gets the newest only.
async fn follow(State(shared): State<Shared>) -> Response {
    let Ok(seat) = shared.room.try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    };
    let mut pictures = shared.pictures;
    pictures.mark_changed();
    let stream = unfold((pictures, seat), |(mut pictures, seat)| async move {
        pictures.changed().await.ok()?;
        let event = Event::default().data(&**pictures.borrow_and_update());
        Some((Ok::<_, Infallible>(event), (pictures, seat)))
    });
    Sse::new(stream).keep_alive(web::alive(ALIVE)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_one_small_file_with_nothing_from_elsewhere() {
        let page = PAGE.replace("{common}", COMMON);
        assert!(page.len() <= 100 * 1024, "{} bytes", page.len());
        for elsewhere in ["http:", "https:", "src=", "@import", "url(", "innerHTML"] {
            assert!(!page.contains(elsewhere), "{elsewhere}");
        }
    }
}

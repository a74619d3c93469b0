//! The pages themselves: compiled in, nothing from elsewhere.

use super::Shared;
use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// A page or a part of one: address, kind, contents.
pub(super) struct Asset(pub(super) &'static str, &'static str, pub(super) &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All of them.
pub(super) const ASSETS: [Asset; 15] = [
    Asset("/", HTML, include_str!("assets/panel.html")),
    Asset("/display", HTML, include_str!("assets/display.html")),
    Asset("/common.css", CSS, include_str!("assets/common.css")),
    Asset("/panel.css", CSS, include_str!("assets/panel.css")),
    Asset("/display.css", CSS, include_str!("assets/display.css")),
    Asset("/live.js", SCRIPT, include_str!("assets/live.js")),
    Asset("/dice.js", SCRIPT, include_str!("assets/dice.js")),
    Asset("/panel.js", SCRIPT, include_str!("assets/panel.js")),
    Asset("/drawing.js", SCRIPT, include_str!("assets/drawing.js")),
    Asset("/layout.js", SCRIPT, include_str!("assets/layout.js")),
    Asset("/round.js", SCRIPT, include_str!("assets/round.js")),
    Asset("/journal.js", SCRIPT, include_str!("assets/journal.js")),
    Asset("/wires.js", SCRIPT, include_str!("assets/wires.js")),
    Asset("/workshop.js", SCRIPT, include_str!("assets/workshop.js")),
    Asset("/display.js", SCRIPT, include_str!("assets/display.js")),
];

pub(super) fn routes() -> Router<Shared> {
    ASSETS.iter().fold(Router::new(), |router, Asset(path, kind, text)| {
        router.route(path, get(move || async move { asset(kind, text) }))
    })
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    // Asked for again at every load, so that a new daemon brings new pages.
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

//! What every page has in common that this project serves, whether the daemon's panel or the floor.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::sse::{Event, KeepAlive};
use std::time::Duration;

/// Guards an answer: only what `policy` lets in, kinds as they are told, no word to elsewhere. What says nothing of how long
/// it holds is true at this moment only.
pub fn guard(headers: &mut HeaderMap, policy: HeaderValue) {
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// The event `alive`, whenever a page has heard nothing for so long.
pub fn alive(after: Duration) -> KeepAlive {
    KeepAlive::new().interval(after).event(Event::default().event("alive").data(""))
}

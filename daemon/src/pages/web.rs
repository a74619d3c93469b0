//! What every page has in common that this project serves, whether the daemon's panel or the floor.

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::sse::{Event, KeepAlive};
use std::net::IpAddr;
use std::time::Duration;

/// Guards an answer: only what `policy` lets in, kinds as they are told, no word to elsewhere. What says nothing of how long
/// it holds is true at this moment only, and a proxy (nginx) is to pass on at once what is told as it happens.
pub fn guard(headers: &mut HeaderMap, policy: HeaderValue) {
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// The one `Host` of a request; none where a second one, or the address in its first line, says something else: a proxy may have gone
/// by that.
#[must_use]
pub fn host(request: &Request) -> Option<&str> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next().map_or(Some(""), |host| host.to_str().ok())?;
    let named = request.uri().authority().map_or(host, Authority::as_str);
    (hosts.next().is_none() && named == host).then_some(host)
}

/// Whether a request's `Host` is an address, this machine as it calls itself, or one of these names. A page of elsewhere,
/// whose name was made to lead here, comes with that name, and must not read what is here.
#[must_use]
pub fn is_here(host: &str, names: &[String]) -> bool {
    let name =
        host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |(n, _)| n);
    name == "localhost"
        || name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
        || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The event `alive`, whenever a page has heard nothing for so long. It has data, as a browser passes over an event without any.
pub fn alive(after: Duration) -> KeepAlive {
    KeepAlive::new().interval(after).event(Event::default().event("alive").data("{}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elsewhere_are_told_apart() {
        let names = ["table1".to_owned(), "Table1.local".to_owned()];
        for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:80", "[::1]", "table1:8080", "table1.local"] {
            assert!(is_here(host, &names), "{host}");
        }
        for host in ["", "evil.example", "evil.example:8080", "localhost.evil.example:80", "127.0.0.1.evil.example"] {
            assert!(!is_here(host, &names), "{host}");
        }
        assert!(!is_here("table1", &[]));
    }
}

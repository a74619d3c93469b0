//! What cannot be answered or done, and why.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// What cannot be answered or done, and why.
pub(super) struct Problem {
    code: StatusCode,
    why: String,
    /// When to try again.
    after: Option<Duration>,
}

impl Problem {
    pub(super) fn new(code: StatusCode, why: impl Into<String>) -> Self {
        Self { code, why: why.into(), after: None }
    }
    pub(super) fn unknown(why: String) -> Self {
        Self::new(StatusCode::NOT_FOUND, why)
    }
    pub(super) fn broken(why: String) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, why)
    }
    pub(super) fn wrong(why: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }
    /// The table refuses.
    pub(super) fn refused(why: String) -> Self {
        Self::new(StatusCode::CONFLICT, why)
    }
    pub(super) fn stranger(why: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, why)
    }
    pub(super) fn foreign() -> Self {
        Self::new(StatusCode::FORBIDDEN, "this was not sent by the panel's own page; open the panel and do it there")
    }
    pub(super) fn no_login() -> Self {
        let why = "this panel only looks: it has no login; panel.accounts_file of the configuration opens one";
        Self::new(StatusCode::FORBIDDEN, why)
    }
    pub(super) fn busy(why: String, after: Option<Duration>) -> Self {
        Self { after, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, why) }
    }
    /// Too many logins failed.
    pub(super) fn braked(wait: Duration) -> Self {
        let why = format!("too many logins failed; try again in {} s", whole_seconds(wait));
        Self { after: Some(wait), ..Self::new(StatusCode::TOO_MANY_REQUESTS, why) }
    }
}

/// In seconds, and none too few.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.code, Json(serde_json::json!({ "error": self.why }))).into_response();
        if let Some(wait) = self.after {
            response.headers_mut().insert(header::RETRY_AFTER, whole_seconds(wait).into());
        }
        response
    }
}

//! The technicians' login: who may do more than look.
//!
//! ```text
//!            POST /api/login: name, password
//! stranger ──────────────────────────────────> technician ──> POST /api/test, /api/witness
//!    ^                                             │
//!    └── /api/logout, idle, too old, account gone ─┘
//! ```
//! A password is looked at by one thread of its own at a time, and failures are braked ([`super::brake`]). What changes
//! something must come from the panel's own page: [`from_own_page`].

use super::accounts::{self, Accounts};
use super::brake::Brake;
use super::problem::Problem;
use super::sessions::{LONGEST, Session, Sessions};
use super::{Give, Login, Shared};
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

/// The cookie that holds a session's token.
const COOKIE: &str = "tumblerd";
/// A header that no form and no foreign page can send without being asked about it, which nobody here grants.
const OWN: &str = "x-tumblerd";
/// Longest body, in bytes, and longest time until it has come.
const BODY: (usize, Duration) = (4096, Duration::from_secs(10));
/// Logins that wait for their turn at most.
const WAITING: usize = 4;
/// Commands under way at a time: one test, its witness, and what the table refuses.
const COMMANDS: usize = 4;

/// Sessions, accounts and the brake, where a login is configured.
pub(super) struct Access {
    file: PathBuf,
    give: Give,
    sessions: Mutex<Sessions>,
    brake: Mutex<Brake>,
    /// One password at a time: each takes 19 MiB and a core.
    verifying: Arc<Semaphore>,
    waiting: Semaphore,
    commands: Semaphore,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Access {
    /// Nothing keeps the panel from being looked at; accounts that cannot be read are told in the log, and at each login.
    pub(super) fn new(login: Login) -> Self {
        match Accounts::read(&login.accounts) {
            Err(error) => tracing::warn!("nobody can log in at the panel: {error}"),
            Ok(accounts) if accounts.is_empty() => {
                tracing::warn!("nobody can log in at the panel: {} has no account", login.accounts.display());
            }
            Ok(_) => {}
        }
        Self {
            file: login.accounts,
            give: login.give,
            sessions: Mutex::default(),
            brake: Mutex::new(Brake::new(Instant::now())),
            verifying: Arc::new(Semaphore::new(1)),
            waiting: Semaphore::new(WAITING),
            commands: Semaphore::new(COMMANDS),
        }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn brake(&self) -> std::sync::MutexGuard<'_, Brake> {
        self.brake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn accounts(&self) -> Result<Accounts, Problem> {
        let file = self.file.clone();
        let read = spawn_blocking(move || Accounts::read(&file)).await;
        let why = match read {
            Ok(Ok(accounts)) => return Ok(accounts),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "reading the accounts failed unexpectedly".into(),
        };
        tracing::warn!("nobody can log in at the panel: {why}");
        Err(Problem::busy("the accounts cannot be read; the daemon's log says why and what to do".into(), None))
    }

    /// The session of a request, as long as its account is what it was.
    async fn session(&self, headers: &HeaderMap) -> Result<Option<Session>, Problem> {
        let Some(token) = token(headers) else { return Ok(None) };
        let Some(session) = self.sessions().used(token, Instant::now()) else { return Ok(None) };
        if self.accounts().await?.hash(&session.account) == Some(&session.hash) {
            return Ok(Some(session));
        }
        self.sessions().end(token);
        Ok(None)
    }

    async fn log_in(self: Arc<Self>, name: String, password: String) -> Result<String, Problem> {
        let many = || Problem::busy("too many people log in at once; try again".into(), Some(Duration::from_secs(1)));
        let turn = {
            let _place = self.waiting.try_acquire().map_err(|_| many())?;
            Arc::clone(&self.verifying).acquire_owned().await.map_err(|_| many())?
        };
        let accounts = self.accounts().await?;
        let hash = accounts.hash(&name).map(str::to_owned);
        self.brake().attempt(&name, Instant::now()).map_err(|wait| {
            tracing::warn!(account = known(&hash, &name), "too many failed logins at the panel");
            Problem::braked(wait)
        })?;
        // Goes on, and keeps its turn, when the client hangs up meanwhile.
        let looked = spawn_blocking(move || {
            let right = accounts::verify(hash.as_deref(), &password);
            drop(turn);
            (right, hash)
        });
        match looked.await {
            Ok((true, Some(hash))) => {
                self.brake().succeeded(&name);
                tracing::info!(account = name, "logged in at the panel");
                let begun = self.sessions().begin(&name, &hash, Instant::now());
                begun.map_err(|error| Problem::broken(format!("the system gives no random numbers: {error}")))
            }
            Ok((_, hash)) => {
                tracing::warn!(account = known(&hash, &name), "a failed login at the panel");
                Err(Problem::stranger("name or password is wrong"))
            }
            Err(_) => Err(Problem::broken("looking at the password failed unexpectedly".into())),
        }
    }
}

/// An account's name for the log: what else somebody typed, perhaps a password, is nobody's business.
fn known<'a>(hash: &Option<String>, name: &'a str) -> &'a str {
    if hash.is_some() { name } else { "(unknown)" }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE).then_some(value)
    })
}

/// The cookie with this token, or without one, which takes it away.
fn cookie(token: Option<&str>, headers: &HeaderMap) -> HeaderValue {
    let age = token.map_or(0, |_| LONGEST.as_secs());
    // Behind a proxy that speaks TLS the page says so itself.
    let secure = headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    let text = format!(
        "{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{}",
        token.unwrap_or_default(),
        if secure { "; Secure" } else { "" }
    );
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

/// Lets through what changes something only if the panel's own page sent it: a browser says where a request comes from,
/// and lets no other page set a header of its own.
pub(super) async fn from_own_page(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let origin = text("origin").is_none_or(|origin| origin.split_once("://").map(|(_, host)| host) == text("host"));
    let own = text(OWN) == Some("panel") && text("sec-fetch-site").is_none_or(|site| site == "same-origin") && origin;
    if own { next.run(request).await } else { Problem::foreign().into_response() }
}

/// What a page sends, within its bounds.
async fn sent<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let (most, longest) = BODY;
    let bytes = timeout(longest, to_bytes(body, most)).await.ok().and_then(Result::ok);
    let bytes =
        bytes.ok_or_else(|| Problem::wrong(format!("more than {most} bytes, or not sent within {longest:?}")))?;
    serde_json::from_slice(&bytes).map_err(|error| Problem::wrong(format!("this is not understood: {error}")))
}

fn access(shared: &Shared) -> Result<Arc<Access>, Problem> {
    shared.access.clone().ok_or_else(Problem::no_login)
}

/// Somebody who is logged in, with what they sent.
pub(super) struct Technician<T> {
    pub(super) access: Arc<Access>,
    /// As records name them.
    pub(super) name: String,
    pub(super) sent: T,
}

impl Access {
    /// Gives a command for a technician; the table decides.
    pub(super) async fn command(
        &self,
        name: &str,
        command: tumbler_core::wire::console::Command,
    ) -> Result<tumbler_core::wire::console::Answer, Problem> {
        let _place = self.commands.try_acquire().map_err(|_| {
            Problem::busy(
                "too many commands are under way; wait for the test to end".into(),
                Some(Duration::from_secs(5)),
            )
        })?;
        // Who is logged in here is a technician and nothing else: decisions are for the console, where the system says who asks.
        let caller = tumbler_core::wire::console::Caller {
            account: name.to_owned(),
            technician: true,
            supervisor: false,
            manager: false,
        };
        (self.give)(caller, command).await.map_err(|why| Problem::busy(why, None))
    }
}

/// The technician who sends this.
///
/// # Errors
/// Nobody is logged in, or what was sent is not understood.
pub(super) async fn technician<T: DeserializeOwned>(
    shared: &Shared,
    request: Request,
) -> Result<Technician<T>, Problem> {
    let access = access(shared)?;
    let session = access.session(request.headers()).await?;
    let session = session.ok_or_else(|| Problem::stranger("log in first: nobody is, or the session has ended"))?;
    let name = format!("{} (panel)", session.account);
    Ok(Technician { access, name, sent: sent(request.into_body()).await? })
}

/// Whether there is a login, and who is logged in.
pub(super) async fn who(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    let session = match &shared.access {
        Some(access) => access.session(&headers).await?,
        None => None,
    };
    let account = session.map(|session| session.account);
    Ok(Json(serde_json::json!({ "login": shared.access.is_some(), "account": account })).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    name: String,
    password: String,
}

pub(super) async fn log_in(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let access = access(&shared)?;
    let headers = request.headers().clone();
    let Credentials { name, password } = sent(request.into_body()).await?;
    // A session from before is over, whoever logs in now.
    if let Some(token) = token(&headers) {
        access.sessions().end(token);
    }
    let token = access.log_in(name.clone(), password).await?;
    let set = [(header::SET_COOKIE, cookie(Some(&token), &headers))];
    Ok((set, Json(serde_json::json!({ "account": name }))).into_response())
}

pub(super) async fn log_out(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    let access = access(&shared)?;
    if let Some(token) = token(&headers) {
        access.sessions().end(token);
    }
    let set = [(header::SET_COOKIE, cookie(None, &headers))];
    Ok((StatusCode::OK, set, Json(serde_json::json!({ "account": null }))).into_response())
}

//! The technicians' login: who may do more than look.
//!
//! ```text
//!            POST /api/login: name, password
//! stranger ──────────────────────────────────> technician ──> POST /api/test, /api/witness
//!    ^                                             │
//!    └── /api/logout, idle, too old, account gone ─┘
//! ```
//! A password is looked at by one thread of its own at a time, and failures are braked ([`super::brake`]). A browser that has logged
//! in keeps a second cookie, by which it is known when it logs in again: strangers do not hold it up. What changes something must come
//! from the panel's own page: [`from_own_page`].

use super::accounts::{self, Accounts};
use super::brake::{Attempt, Brake};
use super::kept::Kept;
use super::problem::Problem;
use super::repeats::{self, Repeats};
use super::sessions::{LONGEST, Session, Sessions};
use super::{About, Give, Login, Shared};
use crate::network::messages::TechnicianCommand;
use crate::random;
use crate::run::clock;
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

/// How long a browser keeps the cookie by which it is known.
const DEVICE: Duration = Duration::from_secs(90 * 24 * 3600);
/// A header that no form and no foreign page can send without being asked about it, which nobody here grants.
const OWN: &str = "x-tumblerd";
/// Longest body, in bytes, and longest time until it has come.
const BODY: (usize, Duration) = (4096, Duration::from_secs(10));
/// Logins that wait for their turn at most: of strangers, and of browsers that are known.
const WAITING: (usize, usize) = (4, 2);
/// Commands under way at a time: one test, its witness, and what the table refuses.
const COMMANDS: usize = 4;

/// Sessions, accounts and the brake, where a login is configured.
pub(super) struct Access {
    /// The cookie that holds a session's token. It has a name of the table's own: all ports of a host share their cookies, and so do tables
    /// that somebody reaches through `ssh -L`.
    cookie: String,
    /// The cookie by which a browser is known that has logged in before.
    device: String,
    file: PathBuf,
    give: Give,
    sessions: Mutex<Sessions>,
    brake: Mutex<Brake>,
    kept: Kept,
    /// One password at a time: each takes 19 MiB and a core.
    verifying: Arc<Semaphore>,
    waiting: (Semaphore, Semaphore),
    commands: Semaphore,
    failed: Repeats,
    braked: Repeats,
    /// No accounts could be read, or the brake not be kept.
    broken: Repeats,
}

/// Whose request it is, for whoever answers it: an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client(pub(super) IpAddr);

/// Somebody who has logged in: the tokens of the session and of the browser.
struct Begun {
    session: String,
    device: String,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Access {
    /// Nothing keeps the panel from being looked at; accounts that cannot be read are told in the log, and at each login.
    pub(super) fn new(login: Login, of: &About) -> Self {
        match Accounts::read(&login.accounts) {
            Err(error) => tracing::warn!("nobody can log in at the panel: {error}"),
            Ok(accounts) if accounts.is_empty() => {
                tracing::warn!("nobody can log in at the panel: {} has no account", login.accounts.display());
            }
            Ok(_) => {}
        }
        // Names of tables may have characters that no cookie's name has.
        let table = hex::encode(Sha256::digest(format!("{}\n{}", of.site, of.table)));
        let table = table.get(..16).unwrap_or_default();
        Self {
            cookie: format!("tumblerd-{table}"),
            device: format!("tumblerd-device-{table}"),
            file: login.accounts,
            give: login.give,
            sessions: Mutex::default(),
            brake: Mutex::new(login.kept.read(clock::now())),
            kept: login.kept,
            verifying: Arc::new(Semaphore::new(1)),
            waiting: (Semaphore::new(WAITING.0), Semaphore::new(WAITING.1)),
            commands: Semaphore::new(COMMANDS),
            failed: Repeats::new("failed logins at the panel"),
            braked: Repeats::new("logins at the panel that were refused unlooked at, after too many had failed"),
            broken: Repeats::new("logins at the panel for which the accounts or the brake's file failed"),
        }
    }

    /// Tells the log every minute what happened too often to be told each time.
    pub(super) async fn tell(&self) {
        repeats::tell(&[&self.failed, &self.braked, &self.broken]).await;
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
        read.map_err(|_| Problem::broken("reading the accounts failed unexpectedly".into()))?
            .map_err(|e| self.unread(&e))
    }

    fn unread(&self, why: &accounts::AccountsError) -> Problem {
        if self.broken.again() {
            tracing::warn!("nobody can log in at the panel: {why}");
        }
        Problem::busy("the accounts cannot be read; the daemon's log says why and what to do".into(), None)
    }

    fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        held(headers, &self.cookie)
    }

    /// The session of a request, as long as its account is what it was.
    async fn session(&self, headers: &HeaderMap) -> Result<Option<Session>, Problem> {
        let Some(token) = self.token(headers) else { return Ok(None) };
        let Some(session) = self.sessions().used(token, Instant::now()) else { return Ok(None) };
        if self.accounts().await?.hash(&session.account) == Some(&session.hash) {
            return Ok(Some(session));
        }
        self.sessions().end(token);
        Ok(None)
    }

    async fn log_in(
        self: Arc<Self>,
        attempt: Attempt,
        name: String,
        password: String,
        device: Option<String>,
    ) -> Result<Begun, Problem> {
        let many = || Problem::busy("too many people log in at once; try again".into(), Some(Duration::from_secs(1)));
        let turn = {
            let known = self.brake().knows(&attempt);
            let waiting = if known { &self.waiting.1 } else { &self.waiting.0 };
            let _place = waiting.try_acquire().map_err(|_| many())?;
            self.brake().attempt(&attempt, clock::now()).map_err(|wait| {
                if self.braked.again() {
                    tracing::warn!("too many failed logins at the panel: for now they are refused unlooked at");
                }
                Problem::braked(wait)
            })?;
            Arc::clone(&self.verifying).acquire_owned().await.map_err(|_| many())?
        };
        // Goes on, and keeps its turn, when the client hangs up meanwhile.
        let looked = spawn_blocking(move || self.look(&attempt, &name, &password, device, turn));
        looked.await.unwrap_or_else(|_| Err(Problem::broken("looking at the password failed unexpectedly".into())))
    }

    /// Looks at a password, on a thread that may wait.
    fn look(
        &self,
        attempt: &Attempt,
        name: &str,
        password: &str,
        device: Option<String>,
        _turn: OwnedSemaphorePermit,
    ) -> Result<Begun, Problem> {
        // Before anything is looked at: should the daemon end now, the attempt has failed.
        self.keep();
        let accounts = Accounts::read(&self.file).map_err(|error| self.unread(&error))?;
        let hash = accounts.hash(name);
        let (true, Some(hash)) = (accounts::verify(hash, password), hash) else {
            if self.failed.again() {
                // What else somebody typed, perhaps a password, is nobody's business.
                tracing::warn!(account = hash.map_or("(unknown)", |_| name), "a failed login at the panel");
            }
            return Err(Problem::stranger("name or password is wrong"));
        };
        let broken = |error| Problem::broken(format!("the system gives no random numbers: {error}"));
        let device = {
            let (mut brake, now) = (self.brake(), clock::now());
            brake.succeeded(attempt, now);
            match device.filter(|_| brake.knows(attempt)) {
                Some(device) => device,
                None => {
                    let device = hex::encode(random::bytes::<32>().map_err(broken)?);
                    brake.learn(attempt, &device, now);
                    device
                }
            }
        };
        self.keep();
        tracing::info!(account = name, "logged in at the panel");
        let session = self.sessions().begin(name, hash, Instant::now()).map_err(broken)?;
        Ok(Begun { session, device })
    }

    fn keep(&self) {
        let brake = self.brake().clone();
        let Err(error) = self.kept.write(&brake) else { return };
        if self.broken.again() {
            tracing::warn!(
                "{}: {error}; a restart of the daemon would forget which logins failed at the panel. May the daemon write there, and is \
                 there room?",
                self.kept.file.display()
            );
        }
    }
}

/// What this cookie holds.
fn held<'a>(headers: &'a HeaderMap, cookie: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == cookie).then_some(value)
    })
}

/// A cookie for these addresses and so long; with none it is taken away.
fn cookie(name: &str, value: &str, path: &str, age: Duration, headers: &HeaderMap) -> HeaderValue {
    // Behind a proxy that speaks TLS the page says so itself.
    let secure = headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    let text = format!(
        "{name}={value}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={}{}",
        age.as_secs(),
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
    /// The account; records name it with the panel.
    pub(super) account: String,
    pub(super) sent: T,
}

impl Access {
    /// Gives a command for a technician; the table decides.
    pub(super) async fn command(
        &self,
        account: &str,
        command: TechnicianCommand,
    ) -> Result<tumbler_core::wire::console::Answer, Problem> {
        let _place = self.commands.try_acquire().map_err(|_| {
            Problem::busy(
                "too many commands are under way; wait for the test to end".into(),
                Some(Duration::from_secs(5)),
            )
        })?;
        (self.give)(account.to_owned(), command).await.map_err(|why| Problem::busy(why, None))
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
    Ok(Technician { access, account: session.account, sent: sent(request.into_body()).await? })
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
    // Nobody is without one; who were would share one with all others of the kind.
    let address = request.extensions().get().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client: &Client| client.0);
    let Credentials { name, password } = sent(request.into_body()).await?;
    // A session from before is over, whoever logs in now.
    if let Some(token) = access.token(&headers) {
        access.sessions().end(token);
    }
    let device = held(&headers, &access.device);
    let attempt = Attempt::new(&name, address, device);
    let begun = Arc::clone(&access).log_in(attempt, name.clone(), password, device.map(str::to_owned)).await?;
    let set = AppendHeaders([
        (header::SET_COOKIE, cookie(&access.cookie, &begun.session, "/", LONGEST, &headers)),
        (header::SET_COOKIE, cookie(&access.device, &begun.device, "/api/login", DEVICE, &headers)),
    ]);
    Ok((set, Json(serde_json::json!({ "account": name }))).into_response())
}

pub(super) async fn log_out(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    let access = access(&shared)?;
    if let Some(token) = access.token(&headers) {
        access.sessions().end(token);
    }
    let set = [(header::SET_COOKIE, cookie(&access.cookie, "", "/", Duration::ZERO, &headers))];
    Ok((StatusCode::OK, set, Json(serde_json::json!({ "account": null }))).into_response())
}

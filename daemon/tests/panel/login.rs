//! The technicians' login over real sockets: who gets in, who does not, and how a session ends.

use super::bench::{Answer, Bench};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tumbler_core::wire::console;
use tumblerd::network::messages::TechnicianCommand as Command;
use tumblerd::panel::{Login, accounts};

/// The password of account `jo`.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// What the table was asked.
pub(crate) type Asked = Arc<Mutex<Vec<(String, Command)>>>;

/// A file of accounts with one for `jo`.
pub(crate) fn accounts_in(dir: &Path) -> PathBuf {
    let path = dir.join("accounts");
    write(&path, &accounts::line("jo", PASSWORD).unwrap());
    path
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// A login whose table answers by this rule, and what it was asked.
pub(crate) fn table(dir: &Path, rule: fn(&Command) -> console::Answer) -> (Login, Asked) {
    let asked = Asked::default();
    let heard = Arc::clone(&asked);
    let give: tumblerd::panel::Give = Arc::new(move |caller, command| {
        let answer = rule(&command);
        heard.lock().unwrap().push((caller, command));
        Box::pin(async move { Ok(answer) })
    });
    let kept = tumblerd::panel::Kept { file: dir.join("logins"), boot: "boot".into() };
    (Login { accounts: accounts_in(dir), kept, give }, asked)
}

pub(crate) async fn start(rule: fn(&Command) -> console::Answer) -> (Bench, Asked) {
    let mut asked = None;
    let bench = Bench::start_with(|dir| {
        let (login, heard) = table(dir, rule);
        asked = Some(heard);
        Some(login)
    })
    .await;
    (bench, asked.unwrap())
}

fn done(_: &Command) -> console::Answer {
    console::Answer::Done("done".into())
}

/// The panel's own page sends this.
pub(crate) async fn post(bench: &Bench, path: &str, cookie: &str, body: &Value) -> Answer {
    let own = "X-Tumblerd: panel\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\n";
    post_as(bench, path, own, cookie, body).await
}

async fn post_as(bench: &Bench, path: &str, lines: &str, cookie: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n{lines}Cookie: other=1; {cookie}\r\nContent-Length: {}\r\n",
        body.len()
    );
    bench.send(&head, &body).await
}

pub(crate) async fn log_in(bench: &Bench, name: &str, password: &str) -> Answer {
    post(bench, "/api/login", "", &json!({ "name": name, "password": password })).await
}

/// The cookie of an answer, as a browser sends it back.
pub(crate) fn cookie(answer: &Answer) -> String {
    let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    line.split(';').next().unwrap().to_owned()
}

async fn who(bench: &Bench, cookie: &str) -> Value {
    let head = format!("GET /api/session HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n");
    bench.send(&head, "").await.json()
}

#[tokio::test]
async fn a_technician_logs_in_and_out() {
    let (bench, _) = start(done).await;
    assert_eq!(who(&bench, "").await, json!({ "login": true, "account": null }));
    let wrong = log_in(&bench, "jo", "correct horse batteries").await;
    assert_eq!(wrong.code, 401);
    assert!(!wrong.head.contains("set-cookie"), "{wrong:?}");
    let unknown = log_in(&bench, "mei", PASSWORD).await;
    assert_eq!((unknown.code, &unknown.body), (401, &wrong.body), "nobody learns which of the two was wrong");
    let right = log_in(&bench, "jo", PASSWORD).await;
    assert_eq!(right.code, 200, "{right:?}");
    for part in ["httponly", "samesite=strict", "path=/", "max-age=28800"] {
        assert!(right.head.contains(part), "{part}: {right:?}");
    }
    assert!(!right.head.contains("secure"), "over http a browser would drop it");
    let cookie = cookie(&right);
    assert_eq!(who(&bench, &cookie).await["account"], "jo");
    assert_eq!(post(&bench, "/api/test", &cookie, &json!({ "test": "motor" })).await.code, 200);
    let out = post(&bench, "/api/logout", &cookie, &json!({})).await;
    assert!(out.code == 200 && out.head.contains("max-age=0"), "{out:?}");
    assert_eq!(who(&bench, &cookie).await["account"], Value::Null);
    assert_eq!(post(&bench, "/api/test", &cookie, &json!({ "test": "motor" })).await.code, 401);
    bench.stop().await;
}

/// Behind a proxy that speaks TLS the cookie stays off plain HTTP.
#[tokio::test]
async fn over_tls_the_cookie_is_secure() {
    let (bench, _) = start(done).await;
    let own = "X-Tumblerd: panel\r\nOrigin: https://localhost\r\n";
    let right = post_as(&bench, "/api/login", own, "", &json!({ "name": "jo", "password": PASSWORD })).await;
    assert!(right.code == 200 && right.head.contains("; secure"), "{right:?}");
    bench.stop().await;
}

#[tokio::test]
async fn failed_logins_are_braked_and_the_answer_says_for_how_long() {
    let (bench, _) = start(done).await;
    for _ in 0..5 {
        assert_eq!(log_in(&bench, "jo", "wrong").await.code, 401);
    }
    let braked = log_in(&bench, "jo", PASSWORD).await;
    assert_eq!(braked.code, 429, "not even the right one: {braked:?}");
    let after = braked.head.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap();
    assert!((1..=60).contains(&after.parse::<u64>().unwrap()), "{after}");
    assert!(braked.json()["error"].as_str().unwrap().contains("try again in"), "{braked:?}");
    bench.stop().await;
}

/// A page of elsewhere that has the browser send something gets nothing done, whatever cookie comes with it.
#[tokio::test]
async fn what_another_page_sends_is_refused() {
    let (bench, asked) = start(done).await;
    let cookie = cookie(&log_in(&bench, "jo", PASSWORD).await);
    let lines = [
        "",
        "Sec-Fetch-Site: same-origin\r\n",
        "X-Tumblerd: panel\r\nSec-Fetch-Site: cross-site\r\n",
        "X-Tumblerd: panel\r\nSec-Fetch-Site: same-site\r\n",
        "X-Tumblerd: panel\r\nOrigin: http://evil.example\r\n",
        "X-Tumblerd: panel\r\nOrigin: null\r\n",
        "X-Tumblerd: panel\r\nOrigin: http://localhost:81\r\n",
    ];
    for sent in lines {
        for (path, body) in [
            ("/api/test", json!({ "test": "motor" })),
            ("/api/witness", json!({ "item": "bell", "right": true })),
            ("/api/maintenance", json!({ "on": true })),
            ("/api/login", json!({ "name": "jo", "password": PASSWORD })),
            ("/api/logout", json!({})),
        ] {
            let answer = post_as(&bench, path, sent, &cookie, &body).await;
            assert_eq!(answer.code, 403, "{sent:?} {path}: {answer:?}");
        }
    }
    assert!(asked.lock().unwrap().is_empty());
    assert_eq!(who(&bench, &cookie).await["account"], "jo", "nobody was logged out");
    bench.stop().await;
}

/// With another password, or without the account, its sessions are over at once; and a file that became unsafe lets nobody in.
#[tokio::test]
async fn the_file_of_accounts_is_heeded_as_it_is_now() {
    let mut path = PathBuf::new();
    let bench = Bench::start_with(|dir| {
        let (login, _) = table(dir, done);
        path.clone_from(&login.accounts);
        Some(login)
    })
    .await;
    let first = cookie(&log_in(&bench, "jo", PASSWORD).await);
    write(&path, &accounts::line("jo", "another password").unwrap());
    assert_eq!(who(&bench, &first).await["account"], Value::Null);
    let second = cookie(&log_in(&bench, "jo", "another password").await);
    assert_eq!(who(&bench, &second).await["account"], "jo");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let closed = log_in(&bench, "jo", "another password").await;
    assert_eq!(closed.code, 503, "{closed:?}");
    assert!(closed.json()["error"].as_str().unwrap().contains("log says why"), "{closed:?}");
    assert_eq!(bench.get("/api/table").await.code, 200, "whoever looks is not concerned");
    write(&path, "");
    assert_eq!(who(&bench, &second).await["account"], Value::Null);
    bench.stop().await;
}

/// What is sent has its bounds in size and in time.
#[tokio::test]
async fn what_is_sent_has_its_bounds() {
    let (bench, _) = start(done).await;
    let long = post(&bench, "/api/login", "", &json!({ "name": "jo", "password": "x".repeat(5000) })).await;
    assert_eq!(long.code, 400, "{long:?}");
    let strange = post(&bench, "/api/login", "", &json!({ "name": "jo", "password": "x", "admin": true })).await;
    assert!(strange.code == 400 && strange.body.contains("admin"), "{strange:?}");
    bench.stop().await;
}

#[tokio::test(start_paused = true)]
async fn half_a_request_times_out() {
    let (bench, _) = start(done).await;
    let begun = tokio::time::Instant::now();
    let head = "POST /api/login HTTP/1.1\r\nHost: localhost\r\nX-Tumblerd: panel\r\nContent-Length: 100\r\n";
    assert_eq!(bench.send(head, "{").await.code, 400);
    assert!(begun.elapsed() < Duration::from_secs(15));
    bench.stop().await;
}

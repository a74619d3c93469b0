//! The pages: whole, small, from nowhere else, and only to look at.

use super::bench::{Bench, LONG};
use std::process::Command;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::snapshot::Phase;

const PAGES: [(&str, &[&str]); 2] = [
    (
        "/",
        &[
            "/common.css",
            "/panel.css",
            "/panel.js",
            "/live.js",
            "/dice.js",
            "/drawing.js",
            "/layout.js",
            "/round.js",
            "/journal.js",
            "/wires.js",
            "/workshop.js",
        ],
    ),
    ("/display", &["/common.css", "/display.css", "/display.js", "/live.js", "/dice.js"]),
];

/// At most 100 KiB a page with all its parts; no part from anywhere else.
#[tokio::test]
async fn pages_are_small_and_bring_everything_with_them() {
    let bench = Bench::start().await;
    for (page, parts) in PAGES {
        let mut bytes = 0;
        for path in [page].iter().chain(parts) {
            let answer = bench.get(path).await;
            assert_eq!(answer.code, 200, "{path}");
            assert!(answer.head.contains("content-security-policy: default-src 'none'"), "{path}: {}", answer.head);
            assert!(answer.head.contains("x-content-type-options: nosniff"), "{path}");
            assert!(answer.head.contains("x-accel-buffering: no"), "{path} may be held back by a proxy");
            bytes += answer.body.len();
            let elsewhere = answer.body.replace("http://www.w3.org/2000/svg", "");
            assert!(
                !elsewhere.contains("http://") && !elsewhere.contains("https://"),
                "{path} takes something from elsewhere"
            );
            // What a page or a module names must be among its parts, and be found below a proxy's prefix too.
            for quoted in answer.body.split('"').filter(|text| text.ends_with(".js") || text.ends_with(".css")) {
                let part = format!("/{}", quoted.trim_start_matches("./"));
                assert!(!quoted.starts_with('/') && parts.contains(&part.as_str()), "{page}: {path} names {quoted}");
            }
        }
        assert!(bytes <= 100 * 1024, "{page}: {bytes} bytes");
    }
    bench.stop().await;
}

/// NZ9 7.1, SGV6 5.5: players read why a round is void in the words of the rules, and no program's code.
#[tokio::test]
async fn players_are_told_in_a_sentence_why_a_round_is_void() {
    let bench = Bench::start().await;
    let table = bench.get("/api/table").await.json();
    for reason in VoidReason::ALL {
        let said = table["voids"][reason.name()].as_str().unwrap_or_default();
        assert!(said.ends_with('.') && said.starts_with(|c: char| c.is_uppercase()), "{reason:?}: {said}");
    }
    assert_eq!(table["voids"]["fewer-than-three"], "The dice did not tumble at least three times.");
    assert_eq!(table["voids"]["exposed"], "The dice were exposed before \"No more bets\".");
    bench.stop().await;
}

/// A panel without a login looks only: all addresses but four take nothing but GET and HEAD, and those four refuse.
#[tokio::test]
async fn nothing_can_be_told_to_a_panel_without_a_login() {
    let bench = Bench::start().await;
    let addresses = [
        "/",
        "/display",
        "/events",
        "/api/table",
        "/api/layout",
        "/api/rounds",
        "/api/round",
        "/api/journal",
        "/api/wires",
        "/api/health",
        "/healthz",
        "/api/session",
        "/api/result",
        "/report",
        "/report.css",
    ];
    for path in addresses {
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            assert_eq!(bench.ask(method, path).await.code, 405, "{method} {path}");
        }
    }
    for path in ["/api/login", "/api/logout", "/api/maintenance", "/api/test", "/api/witness"] {
        let own = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Tumblerd: panel\r\nContent-Length: 2\r\n");
        let answer = bench.send(&own, "{}").await;
        assert_eq!(answer.code, 403, "{path}: {answer:?}");
        assert!(answer.json()["error"].as_str().unwrap().contains("panel.accounts_file"), "{answer:?}");
    }
    assert_eq!(bench.get("/api/session").await.json(), serde_json::json!({ "login": false, "account": null }));
    let answer = bench.get("/settings").await;
    assert_eq!(answer.code, 404);
    assert!(answer.json()["error"].as_str().unwrap().contains("/display"), "{answer:?}");
    bench.stop().await;
}

/// What a proxy may understand otherwise than the panel is refused: a line that ends with a bare LF, and a second `Host`. A body may hold
/// either, and requests may follow each other on a connection.
#[tokio::test]
async fn what_can_be_read_in_two_ways_is_refused() {
    let bench = Bench::start().await;
    let body = "{\"a\":\n\n1}";
    let of_body = |end: &str| format!("POST /api/login HTTP/1.1\r\nHost: localhost\r\n{end}\r\n\r\n");
    let (one, last) = (
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    for (said, codes) in [
        ("GET / HTTP/1.1\nHost: localhost\n\n".to_owned(), vec![400]),
        ("GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n".to_owned(), vec![400]),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\n".to_owned(), vec![400]),
        (format!("{one}GET / HTTP/1.1\r\nHost: localhost\n\r\n"), vec![200, 400]),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n".to_owned(), vec![400]),
        ("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(), vec![400]),
        (format!("{one}\r\n{one}{last}"), vec![200, 200, 200]),
        (format!("{}{body}{last}", of_body(&format!("Content-Length: {}", body.len()))), vec![403, 200]),
        (format!("{}b\r\n{body}\r\n0\r\n\r\n{last}", of_body("Transfer-Encoding: chunked")), vec![403]),
    ] {
        let mut stream = bench.connect(1).await;
        // Byte by byte, as a network may bring it, and in one piece.
        for pieces in [said.len(), 1] {
            // Who still sends when it is hung up on may lose the answer.
            if pieces > 1 && codes.contains(&400) && !said.ends_with("\r\n\n") {
                continue;
            }
            if pieces > 1 {
                for byte in said.as_bytes() {
                    let _ = stream.write_all(&[*byte]).await;
                }
            } else {
                stream = bench.connect(1).await;
                let _ = stream.write_all(said.as_bytes()).await;
            }
            let mut all = Vec::new();
            // Who is hung up on with something unread is told of a reset.
            let _ = timeout(LONG, stream.read_to_end(&mut all)).await.unwrap();
            let all = String::from_utf8_lossy(&all);
            let told: Vec<u16> = all.split("HTTP/1.1 ").skip(1).map(|answer| answer[..3].parse().unwrap()).collect();
            assert_eq!(told, codes, "{said:?}: {all}");
        }
    }
    bench.stop().await;
}

/// A page of elsewhere, whose name was made to lead here, learns nothing.
#[tokio::test]
async fn only_names_of_this_machine_are_answered() {
    let bench = Bench::start().await;
    for (host, code) in [
        ("127.0.0.1:8080", 200),
        ("[::1]", 200),
        ("panel.pit.example", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example:80", 421),
    ] {
        for path in ["/", "/api/session"] {
            let answer = bench.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n"), "").await;
            assert_eq!(answer.code, code, "{host}{path}");
            assert_eq!(answer.body.contains("panel.host"), code == 421, "{answer:?}");
        }
    }
    bench.stop().await;
}

/// The pages know every phase and every kind of record by its name.
#[test]
fn the_pages_know_every_phase_and_every_kind_of_record() {
    let display = include_str!("../../src/panel/assets/display.js");
    for phase in Phase::ALL.map(Phase::name) {
        let known = display.contains(&format!("\"{phase}\": ")) || display.contains(&format!(" {phase}: "));
        assert!(known, "the players' display has no word for the phase {phase}");
    }
    let browser = include_str!("../../src/panel/assets/journal.js");
    for record in include_str!("../../../fixtures/wire/records.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(record).unwrap();
        let kind = &record["kind"];
        assert!(browser.contains(&kind.to_string()), "the journal's browser does not offer {kind}");
    }
}

/// SG 5.6: a round that was found affected after its end is no result any more, on neither page.
#[test]
fn a_round_that_was_voided_afterwards_is_no_result_on_the_pages() {
    let script = concat!(
        include_str!("../../src/panel/assets/dice.js"),
        r#"
        const dice = [1, 3, 6];
        console.log(JSON.stringify([
          ended({ id: 1, dice }), ended({ id: 2, dice: null, void: "not-flat" }), ended({ id: 3, dice, affected: "chipped" }),
        ]));
        "#
    );
    let node = Command::new("node").args(["--input-type=module", "--eval", script]).output();
    let Ok(ran) = node else {
        // What only the browsers' own tests see then: `scripts/test panel` needs node in any case.
        return;
    };
    assert!(ran.status.success(), "{ran:?}");
    let told: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let expected = serde_json::json!([
        { "id": 1, "dice": [1, 3, 6], "why": "" },
        { "id": 2, "dice": null, "why": "not flat" },
        { "id": 3, "dice": null, "why": "voided afterwards" },
    ]);
    assert_eq!(told, expected);
    for page in [include_str!("../../src/panel/assets/display.js"), include_str!("../../src/panel/assets/panel.js")] {
        assert!(page.contains("import { die, ended, kind }"), "a page counts rounds in its own way");
    }
}

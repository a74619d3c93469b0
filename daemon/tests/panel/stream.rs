//! Following the table: every record, the newest state, and nobody who holds up anybody else.

use super::bench::{Bench, Follower, LONG};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tumbler_core::record::Event;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Tumbles;
use tumblerd::panel::{CONNECTIONS, KEPT, OF_ADDRESS, STREAMS};

#[tokio::test]
async fn a_follower_hears_the_state_and_every_record_from_now_on() {
    let bench = Bench::start().await;
    bench.record(1, None, Event::KeyTurned);
    let mut follower = bench.follow().await;
    assert_eq!(follower.next("status").await["snapshot"]["phase"], "ready");
    for _ in 0..200 {
        bench.record(2, None, Event::Stopped);
    }
    for seq in 2..=201 {
        assert_eq!(follower.next("record").await["seq"], seq);
    }
    bench.change(|table| table.phase = Phase::Blocked);
    assert_eq!(follower.next("status").await["snapshot"]["phase"], "blocked");
    bench.stop().await;
}

/// A page takes twelve seconds without a word for a table that is gone, and a browser passes over an event without data.
#[tokio::test(start_paused = true)]
async fn a_table_at_rest_is_told_to_be_alive() {
    let bench = Bench::start().await;
    let mut follower = bench.follow().await;
    follower.next("status").await;
    for _ in 0..3 {
        follower.next("alive").await;
    }
    bench.stop().await;
}

/// A client that reads nothing costs others nothing, and finds the newest state when it reads again.
#[tokio::test]
async fn a_slow_reader_holds_nobody_up() {
    let bench = Bench::start().await;
    let mut slow = bench.follow().await;
    slow.next("status").await;
    let mut quick = bench.follow().await;
    quick.next("status").await;
    for n in 1..=50 {
        bench.change(|table| table.tumbles = Tumbles(n));
        while quick.next("status").await["snapshot"]["tumbles"] != n {}
    }
    while slow.next("status").await["snapshot"]["tumbles"] != 50 {}
    bench.stop().await;
}

/// These many pages of 127.0.0.`host` follow the table.
async fn follow(bench: &Bench, host: u8, pages: usize) -> Vec<Follower> {
    let mut held = Vec::new();
    for _ in 0..pages {
        let mut follower = bench.follow_from(host).await;
        follower.next("status").await;
        held.push(follower);
    }
    held
}

/// Connections of 127.0.0.`host` that say nothing.
async fn idle(bench: &Bench, host: u8, connections: usize) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..connections {
        held.push(bench.connect(host).await);
    }
    held
}

#[tokio::test]
async fn an_address_that_holds_what_it_may_is_told_so_and_holds_nobody_up() {
    let bench = Bench::start().await;
    let streams = follow(&bench, 2, STREAMS).await;
    let answer = bench.get_from(2, "/events").await;
    assert!(answer.code == 503 && answer.body.contains("follow the table from 127.0.0.2"), "{answer:?}");
    let silent = idle(&bench, 2, OF_ADDRESS - STREAMS).await;
    let answer = bench.get_from(2, "/api/table").await;
    assert!(answer.code == 503 && answer.body.contains("many connections from 127.0.0.2"), "{answer:?}");
    assert!(answer.head.contains("retry-after: 5") && answer.head.contains("refresh: 5"), "{answer:?}");
    assert_eq!(bench.get_from(3, "/api/table").await.code, 200);
    let mut other = bench.follow_from(3).await;
    other.next("status").await;
    drop((streams, silent));
    while bench.get_from(2, "/api/table").await.code != 200 {}
    bench.stop().await;
}

#[tokio::test]
async fn the_last_places_are_for_this_machine() {
    let bench = Bench::start().await;
    let mut held = Vec::new();
    for host in [2, 3, 4] {
        held.extend(follow(&bench, host, STREAMS.min(CONNECTIONS - KEPT - held.len())).await);
    }
    let answer = bench.get_from(5, "/api/table").await;
    assert!(
        answer.code == 503 && answer.body.contains("the last 8 places are for the table's own machine"),
        "{answer:?}"
    );
    assert_eq!(bench.get("/api/table").await.code, 200);
    let here = follow(&bench, 1, KEPT).await;
    assert_eq!(bench.get("/api/table").await.code, 503, "all of them");
    drop((held.pop(), here));
    while bench.get_from(5, "/api/table").await.code != 200 {}
    bench.stop().await;
}

/// A client that takes nothing of what it asked for loses its place. What it left in the kernel it may still read.
#[tokio::test(start_paused = true)]
async fn who_takes_nothing_is_dropped() {
    let bench = Bench::start().await;
    let mut slow = bench.follow().await;
    slow.next("status").await;
    for n in 1..=2_000 {
        bench.change(|table| table.tumbles = Tumbles(n));
        sleep(Duration::from_millis(50)).await;
    }
    let told = slow.rest().await;
    assert!(told.len() > 16 * 1024, "{} bytes", told.len());
    bench.stop().await;
}

/// The kernel finds out by itself that a client's machine has gone without a word.
#[tokio::test]
async fn who_is_gone_without_a_word_is_looked_for() {
    let bench = Bench::start().await;
    let held = bench.connect(2).await;
    let (panel, client) = (bench.address.port(), held.local_addr().unwrap().port());
    let is_looked_for = || {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let mut rows = table.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
        let ends =
            |row: &Vec<&str>| row[1].ends_with(&format!(":{panel:04X}")) && row[2].ends_with(&format!(":{client:04X}"));
        // Timer 2 is that of the keepalives.
        rows.find(ends).is_some_and(|row| row[5].starts_with("02:"))
    };
    let looking = async {
        while !is_looked_for() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, looking).await.expect("the kernel does not ask whether the client is there");
    bench.stop().await;
}

/// A client that connects and says nothing is dropped, so that it cannot keep a place.
#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_dropped() {
    let bench = Bench::start().await;
    let mut silent = TcpStream::connect(bench.address).await.unwrap();
    let mut nothing = Vec::new();
    timeout(LONG, silent.read_to_end(&mut nothing)).await.unwrap().unwrap();
    bench.stop().await;
}

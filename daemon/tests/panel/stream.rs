//! Following the table: every record, the newest state, and nobody who holds up anybody else.

use crate::bench::{Bench, LONG};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tumbler_core::record::Event;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Tumbles;
use tumblerd::panel::CONNECTIONS;

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

/// There is a bound on clients; who comes beyond it waits, and is served once there is room.
#[tokio::test]
async fn clients_beyond_the_bound_wait_for_room() {
    let bench = Bench::start().await;
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut follower = bench.follow().await;
        follower.next("status").await;
        held.push(follower);
    }
    let mut waiting = Box::pin(bench.get("/api/table"));
    // By the time that one of those inside has heard of a change, one more would have had its answer.
    bench.change(|table| table.tumbles = Tumbles(1));
    tokio::select! {
        answer = &mut waiting => panic!("let in beyond the bound: {answer:?}"),
        _ = held[0].next("status") => {}
    }
    drop(held.pop());
    // The place is free once the panel has found out, which the next words to that client tell it.
    bench.change(|table| table.phase = Phase::Betting);
    assert_eq!(waiting.await.code, 200);
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

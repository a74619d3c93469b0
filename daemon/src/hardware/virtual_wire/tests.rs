use super::*;
use std::future::poll_fn;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream as Bench};
use tumbler_core::line::InLine;

/// A bench that a test plays itself, on a socket in a directory of its own.
struct Place {
    dir: tempfile::TempDir,
    listener: Option<UnixListener>,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let listener = Some(UnixListener::bind(dir.path().join("lines")).unwrap());
        Self { dir, listener }
    }
    fn path(&self) -> PathBuf {
        self.dir.path().join("lines")
    }
    fn accept(&self) -> Bench {
        self.listener.as_ref().unwrap().accept().unwrap().0
    }
}

fn on_runtime<F: Future>(work: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async { tokio::time::timeout(Duration::from_secs(20), work).await.expect("nothing came") })
}

/// Drains until `wanted` says that it is enough.
async fn until(lines: &mut VirtualLines, mut wanted: impl FnMut(&[Input]) -> bool) -> Vec<Input> {
    let mut seen = Vec::new();
    while !wanted(&seen) {
        poll_fn(|cx| lines.poll_ready(cx)).await;
        let mut out = Vec::new();
        lines.drain(&mut out);
        seen.extend(out.into_iter().map(|a| a.input));
    }
    seen
}

fn lost(seen: &[Input]) -> bool {
    seen.iter().any(|i| matches!(i, Input::LinesLost { .. }))
}

fn back(seen: &[Input]) -> bool {
    seen.contains(&Input::LinesBack)
}

fn said(bench: &Bench, lines: usize) -> Vec<String> {
    BufReader::new(bench.try_clone().unwrap()).lines().take(lines).map(Result::unwrap).collect()
}

#[test]
fn at_connection_motor_and_bell_go_off_the_sign_on_and_the_dead_man_line_has_no_edge() {
    on_runtime(async {
        let place = Place::new();
        let mut lines = VirtualLines::open(&place.path());
        let bench = place.accept();
        lines.set(OutLine::Bell, true);
        assert_eq!(
            said(&bench, 4),
            [
                r#"{"line":"motor_enable","active":false}"#,
                r#"{"line":"out_of_service","active":true}"#,
                r#"{"line":"bell","active":false}"#,
                r#"{"line":"bell","active":true}"#,
            ]
        );
    });
}

#[test]
fn levels_and_edges_come_in_order() {
    on_runtime(async {
        let place = Place::new();
        let mut lines = VirtualLines::open(&place.path());
        let mut bench = place.accept();
        bench.write_all(b"{\"line\":\"seal\",\"active\":true,\"at_ns\":1,\"seq\":0}\n{\"line\":\"seal\",").unwrap();
        let seen = until(&mut lines, |seen| !seen.is_empty()).await;
        assert_eq!(seen, [Input::Level { line: InLine::Seal, active: true }]);
        bench.write_all(b"\"active\":false,\"at_ns\":2,\"seq\":1}\n").unwrap();
        let seen = until(&mut lines, |seen| !seen.is_empty()).await;
        assert_eq!(seen, [Input::Edge { line: InLine::Seal, active: false }]);
    });
}

#[test]
fn a_bench_that_is_not_there_is_tried_until_it_comes() {
    on_runtime(async {
        let mut place = Place::new();
        drop(place.listener.take());
        std::fs::remove_file(place.path()).unwrap();
        let mut lines = VirtualLines::open(&place.path());
        assert!(lost(&until(&mut lines, lost).await));
        place.listener = Some(UnixListener::bind(place.path()).unwrap());
        until(&mut lines, back).await;
    });
}

#[test]
fn whatever_is_no_message_loses_the_lines_and_the_motor_is_not_switched_on_again() {
    let long = vec![b'x'; 100_000];
    for garbage in [&b"hello\n"[..], b"\x00\xff\xfe\n", b"\n", b"{\"line\":\"seal\"}\n", &long] {
        on_runtime(async {
            let place = Place::new();
            let mut lines = VirtualLines::open(&place.path());
            let mut bench = place.accept();
            lines.set(OutLine::MotorEnable, true);
            lines.set(OutLine::OutOfService, false);
            // The daemon hangs up in the middle of the long one.
            let _ = bench.write_all(garbage);
            let reason = until(&mut lines, lost).await;
            assert!(!back(&reason));
            until(&mut lines, back).await;
            let again = place.accept();
            assert_eq!(
                said(&again, 3),
                [
                    r#"{"line":"motor_enable","active":false}"#,
                    r#"{"line":"out_of_service","active":false}"#,
                    r#"{"line":"bell","active":false}"#,
                ]
            );
        });
    }
}

#[test]
fn a_bench_that_hangs_up_loses_the_lines() {
    on_runtime(async {
        let place = Place::new();
        let mut lines = VirtualLines::open(&place.path());
        let mut bench = place.accept();
        bench.write_all(b"{\"line\":").unwrap();
        drop(bench);
        let seen = until(&mut lines, lost).await;
        let Some(Input::LinesLost { reason }) = seen.last() else { panic!("{seen:?}") };
        assert!(reason.contains("hung up"), "{reason}");
    });
}

#[test]
fn a_bench_that_does_not_read_loses_the_lines_and_never_blocks_the_daemon() {
    on_runtime(async {
        let place = Place::new();
        let mut lines = VirtualLines::open(&place.path());
        let bench = place.accept();
        let mut level = false;
        while lines.connected() {
            level = !level;
            lines.set(OutLine::MotorAlive, level);
        }
        assert!(lost(&until(&mut lines, lost).await));
        drop(bench);
    });
}

#[test]
fn a_flood_loses_the_lines_and_is_read_in_bounded_pieces() {
    on_runtime(async {
        let place = Place::new();
        let mut lines = VirtualLines::open(&place.path());
        let mut bench = place.accept();
        let flood = std::thread::spawn(move || {
            for seq in 0_u64.. {
                let edge = format!("{{\"line\":\"cam_a\",\"active\":{},\"at_ns\":1,\"seq\":{seq}}}\n", seq % 2 == 0);
                if bench.write_all(edge.as_bytes()).is_err() {
                    return;
                }
            }
        });
        let mut most = 0;
        let mut is_lost = false;
        while !is_lost {
            poll_fn(|cx| lines.poll_ready(cx)).await;
            let mut out = Vec::new();
            lines.drain(&mut out);
            most = most.max(out.len());
            is_lost = out.iter().any(|a| matches!(a.input, Input::LinesLost { .. }));
        }
        assert!(most <= decode::CHUNK / 40, "{most} in one piece");
        flood.join().unwrap();
    });
}

//! Ctrl-C and other signals: the first one ends everything cleanly, the second one at once.

use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tumbler_bench::process::clock;

/// Exit code of an interrupted program, by the shells' convention.
pub(super) const INTERRUPTED: u8 = 130;

/// Signals within this time are one: `timeout` tells first its child and then the child's whole group.
const ONE: Duration = Duration::from_millis(500);

/// Waits for signals in its own thread. Without it a signal ends the program at once, and the kernel kills its children.
pub(super) fn watch() {
    let _ = std::thread::Builder::new().name("signals".into()).spawn(|| {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        runtime.block_on(async {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
            let mut first_came: Option<Instant> = None;
            loop {
                let any = signals.iter_mut().map(|s| Box::pin(s.recv()));
                first(any.collect()).await;
                if first_came.get_or_insert_with(Instant::now).elapsed() > ONE {
                    std::process::exit(i32::from(INTERRUPTED));
                }
                clock::interrupt();
            }
        });
    });
}

/// Waits for the first of these to come.
async fn first<F: Future + Unpin>(mut futures: Vec<F>) {
    std::future::poll_fn(|context| {
        let ready = futures.iter_mut().any(|f| std::pin::Pin::new(f).poll(context).is_ready());
        if ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

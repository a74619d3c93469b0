//! A table as the tests of console, relay and panel show it: open, ready, nothing wrong.

use tumbler_core::snapshot::{Phase, Snapshot};

pub(crate) fn table() -> Snapshot {
    Snapshot {
        phase: Phase::Ready,
        rules: "sg-v6".into(),
        layout: "sg-v6-3".into(),
        backend: "virtual".into(),
        open: true,
        dome: "closed".into(),
        poses: ["flat".into(), "flat".into(), "flat".into()],
        display: "   ".into(),
        ..Snapshot::default()
    }
}

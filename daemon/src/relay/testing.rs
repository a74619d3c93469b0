//! What the relay's and the console's unit tests have in common.

use super::runner::Identity;
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::units::Seq;

pub(crate) fn identity() -> Identity {
    Identity {
        site: "pit".into(),
        table: "t1".into(),
        boot: "boot".into(),
        build: "0.1.0".into(),
        backend: "virtual".into(),
    }
}

pub(crate) fn snapshot(seq: Seq) -> Snapshot {
    Snapshot {
        seq,
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

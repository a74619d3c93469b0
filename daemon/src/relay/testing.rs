//! What the relay's and the console's unit tests have in common.

#[path = "../../tests/common/table.rs"]
mod table;

use super::identity::Identity;
use tumbler_core::snapshot::Snapshot;
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
    Snapshot { seq, ..table::table() }
}

//! Recordings of raw inputs, as somebody may hand them to `tumblerctl replay`: whole files, and lines behind a keyframe of a table that is
//! ready.

#![no_main]

#[path = "../../../daemon/core/tests/world/mod.rs"]
mod world;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tempfile::TempDir;
use tumbler_core::wire::recording::{FORMAT, Header, Line};
use tumbler_fuzz::{scratch, write};
use tumblerd::recording::replay::replay;
use world::play::opened;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(scratch);

/// Header and keyframe of a table that is ready.
static BEGUN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let header = Header {
        format: FORMAT,
        build: tumblerd::BUILD.into(),
        backend: "virtual".into(),
        boot: "b".into(),
        reason: "record".into(),
    };
    let table = Box::new(opened("sg-v6", "sg-v6-3").table);
    let lines: [Line; 2] = [Line::Header(header), Line::Keyframe { index: 0, table }];
    lines.iter().flat_map(|line| serde_json::to_vec(line).into_iter().chain([vec![b'\n']])).flatten().collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, text)) = bytes.split_first() else { return };
    let text = if *kind == b'+' { [&BEGUN, text].concat() } else { text.to_vec() };
    let file = DIRECTORY.path().join("1-record.jsonl");
    write(&file, &text);
    if let Ok(report) = replay(&file) {
        assert!(!report.to_string().is_empty());
    }
});

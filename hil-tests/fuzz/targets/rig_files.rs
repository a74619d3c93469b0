//! The files that the rig reads: scenarios, the catalogue of faults, benches, a table's recordings. What is refused is refused in words.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use tumbler_bench::file::BenchFile;
use tumbler_fuzz::{scratch, write};
use tumbler_hil::fault::read;
use tumbler_hil::replay::{Recording, convert, play};
use tumbler_hil::scenario::{file, parse};

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(scratch);

/// Whatever can be read is played, and made into a scenario where that is possible.
fn recording(path: &Path, text: &str) -> Option<String> {
    let recording = match Recording::parse(path, text.as_bytes()) {
        Err(bad) => return Some(bad.to_string()),
        Ok(recording) => recording,
    };
    let (first, playback) = (recording.first()?, play(&recording)?);
    convert(first, &playback, "record").err().map(|why| why.to_string())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let path = Path::new("a.toml");
    let refused = match kind {
        b'c' => read::parse(path, text).err().map(|bad| bad.to_string()),
        b'b' => {
            let path = DIRECTORY.path().join("bench.toml");
            write(&path, text.as_bytes());
            BenchFile::read(&path).err().map(|bad| bad.to_string())
        }
        b'r' => recording(path, text),
        b'l' => parse::line_of_steps(text, "sg-v6-3").err().map(|wrong| wrong.to_string()),
        _ => file::parse(path, text).err().map(|bad| bad.to_string()),
    };
    assert!(refused.is_none_or(|why| !why.is_empty()));
});

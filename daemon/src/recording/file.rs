//! The file of a recording: compressed with zstd, or as it was written before that. `zstdcat FILE` shows it.

use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use tumbler_core::wire::recording::COMPRESSED;

/// What comes after the number and the reason in a file's name.
pub(super) const SUFFIX: &str = ".jsonl.zst";
/// That of a file which is not compressed.
pub(super) const PLAIN: &str = ".jsonl";
/// Of the levels the one from which on a higher one takes much longer and saves little: a real incident of 832 kB makes 103 kB.
const LEVEL: i32 = 9;

/// Compresses what `write` writes.
///
/// # Errors
/// Those of `write`.
pub(super) fn compressed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let mut out = zstd::Encoder::new(Vec::new(), LEVEL)?;
    out.include_checksum(true)?;
    let mut buffer = io::BufWriter::with_capacity(64 * 1024, out);
    write(&mut buffer)?;
    buffer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
}

/// Opens a recording, compressed or not, to read its lines.
///
/// # Errors
/// It cannot be read, or is a device or a pipe, which may never end.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = crate::file::open(path)?;
    let mut magic = [0; 4];
    let is_compressed = file.read_exact(&mut magic).is_ok() && magic == COMPRESSED;
    file.rewind()?;
    Ok(if is_compressed { Box::new(BufReader::new(zstd::Decoder::new(file)?)) } else { Box::new(BufReader::new(file)) })
}

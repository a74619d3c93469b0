//! Files that people name: read without waiting and without end, whatever lies there.

use nix::fcntl::OFlag;
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A file that people write has at most so many bytes.
const LONGEST_TEXT: u64 = 4 << 20;

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// It cannot be read; it is a device, a pipe or a directory, which may never end; or it is longer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::InvalidData, format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// Reads a text that somebody wrote: a scenario, a catalogue, a bench.
///
/// # Errors
/// Those of [`read`]; it is longer than 4 MiB, or no UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = read(path, LONGEST_TEXT)?;
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
        let link = dir.path().join("scenario.toml");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [Path::new("/dev/zero"), &link, &pipe, dir.path()] {
            assert_eq!(read_text(path).unwrap_err().to_string(), "it is no regular file", "{}", path.display());
        }
        std::fs::write(dir.path().join("file"), "0123456789").unwrap();
        assert_eq!(read(&dir.path().join("file"), 10).unwrap(), b"0123456789");
        assert_eq!(read(&dir.path().join("file"), 9).unwrap_err().to_string(), "it is longer than 9 bytes");
    }
}

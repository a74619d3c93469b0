//! Files that others may have laid down: read without waiting and without end, whatever lies there.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file for reading.
///
/// # Errors
/// It cannot be opened, or is a device, a pipe or a directory: those may never end, or make the reader wait for a writer.
pub fn open(path: &Path) -> Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"))
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// Those of [`open`]; it is longer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::InvalidData, format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// The same of a text.
///
/// # Errors
/// Those of [`read`]; it is no UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
        for path in [Path::new("/dev/zero"), &pipe, dir.path()] {
            let said = read(path, 10).unwrap_err().to_string();
            assert_eq!(said, "it is no regular file", "{}", path.display());
        }
        let file = dir.path().join("file");
        std::fs::write(&file, "0123456789").unwrap();
        assert_eq!(read_text(&file, 10).unwrap(), "0123456789");
        assert_eq!(read(&file, 9).unwrap_err().to_string(), "it is longer than 9 bytes");
    }
}

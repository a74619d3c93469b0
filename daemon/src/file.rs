//! Files that others may have laid down: read without waiting and without end, whatever lies there.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

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

/// Whether this error of a read says nothing of what lies there: the disk or the system stood in the way. What is missing, is no file, or
/// is no text of the length that was asked for, was looked at.
#[must_use]
pub fn is_unread(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::InvalidData)
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// Those of [`open`]; it is longer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    bytes(open(path)?, most)
}

fn bytes(file: File, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
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
    text(read(path, most)?)
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

/// Why there is no secret in a file.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It cannot be read.
    #[error(transparent)]
    Unread(#[from] Error),
    /// More people can read it, or change it, than it is for.
    #[error(
        "{path} has mode {mode:04o}: only its owner may write it, and only owner and group read it; chmod 0640 {path}"
    )]
    TooOpen {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
}

/// Reads a text that others must not know: systemd's credentials have mode 0440, a file for the service's group 0640.
///
/// # Errors
/// Those of [`read_text`]; others than owner and group may read it, or others than its owner write it.
pub fn read_secret(path: &Path, most: u64) -> std::result::Result<String, SecretError> {
    let file = open(path)?;
    let mode = file.metadata()?.permissions().mode() & 0o7777;
    if mode & 0o137 != 0 {
        return Err(SecretError::TooOpen { path: path.to_owned(), mode });
    }
    Ok(text(bytes(file, most)?)?)
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

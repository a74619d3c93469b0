//! The socket's file: who may open it, and what to do with one that a daemon before this one left.

use nix::unistd::{Group, chown};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;

/// Owner and group may connect; what they may do there is decided by their roles.
const MODE: u32 = 0o660;

/// Why the console cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another daemon answers there.
    #[error("a daemon listens on {0} already; stop it, or set another `console.socket`")]
    InUse(PathBuf),
    /// Something else lies there.
    #[error("{0} exists and is no socket; remove it, or set another `console.socket`")]
    NoSocket(PathBuf),
    /// The system refuses.
    #[error("{path} cannot be listened on: {error}; does its directory exist, and may this account write there?")]
    Io {
        /// The socket.
        path: PathBuf,
        /// What the system says.
        error: Error,
    },
}

/// Listens on this path, open to owner and `group`. A socket that nobody answers on any more is replaced.
///
/// Call it in a runtime.
///
/// # Errors
/// [`BindError`].
pub fn bind(path: &Path, group: &str) -> Result<UnixListener, BindError> {
    let io = |error| BindError::Io { path: path.into(), error };
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(io(error)),
        Ok(found) if !found.file_type().is_socket() => return Err(BindError::NoSocket(path.into())),
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
            Err(error) => return Err(io(error)),
            Ok(_) => return Err(BindError::InUse(path.into())),
        },
    }
    // Made under another name and moved once its permissions are right, so that nobody finds it too open.
    let mut making = path.as_os_str().to_owned();
    making.push(".new");
    let making = PathBuf::from(making);
    match std::fs::remove_file(&making) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(io(error)),
        _ => {}
    }
    let listener = UnixListener::bind(&making).map_err(io)?;
    std::fs::set_permissions(&making, std::fs::Permissions::from_mode(MODE)).map_err(io)?;
    let gid = Group::from_name(group).ok().flatten().map(|g| g.gid);
    if gid.is_none_or(|gid| chown(&making, None, Some(gid)).is_err()) {
        tracing::warn!("{}: cannot be given to group `{group}`; it stays with the daemon's own", path.display());
    }
    std::fs::rename(&making, path).map_err(io)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_that_nobody_answers_on_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("console.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        let listener = bind(&path, "no-such-group").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
        assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
        drop(listener);
    }

    #[tokio::test]
    async fn a_living_daemon_and_a_file_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("console.sock");
        let listener = bind(&path, "no-such-group").unwrap();
        assert!(matches!(bind(&path, "no-such-group"), Err(BindError::InUse(_))));
        drop(listener);
        let file = dir.path().join("file");
        std::fs::write(&file, "keep").unwrap();
        assert!(matches!(bind(&file, "no-such-group"), Err(BindError::NoSocket(_))));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "keep");
        let nowhere = dir.path().join("none/console.sock");
        let error = bind(&nowhere, "no-such-group").unwrap_err();
        assert!(error.to_string().contains("does its directory exist"), "{error}");
    }
}

//! `tumblerctl panel-password`: an account for the panel's login.

use crate::ending::Ended;
use crate::say;
use anyhow::{Context, anyhow, bail};
use std::io::{BufRead, ErrorKind, IsTerminal, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tumblerd::panel::accounts::{self, Accounts};

/// Set a technician's password for the panel's login
///
/// The password is read from the terminal without being shown, or from the first line of standard input; it is never an
/// argument, which others could see. Its Argon2id hash goes as a line NAME:HASH into the file that the configuration names
/// (panel.accounts_file), in place of the account's line from before; without --file the line is printed. The daemon heeds the
/// change at once: sessions with the password from before have ended.
///
/// To take an account away, delete its line.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  sudo tumblerctl panel-password jo --file /etc/tumblerd/panel-accounts\n  pass show table1/jo | tumblerctl panel-password jo"
)]
pub(crate) struct Arguments {
    /// The account: 1 to 32 of a-z, 0-9, `.`, `_`, `-`
    name: String,
    /// The file of accounts; made with mode 0600 where there is none, and otherwise kept with its owner and mode
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn run(of: &Arguments) -> anyhow::Result<Ended> {
    let line = accounts::line(&of.name, &password(&of.name)?).map_err(|why| anyhow!(why))?;
    match &of.file {
        None => say::line(&line)?,
        Some(path) => {
            put(path, &line)?;
            say::line(&format!("{}: the password is set in {}", of.name, path.display()))?;
        }
    }
    Ok(Ended::Done)
}

fn password(name: &str) -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        let mut line = String::new();
        std::io::stdin()
            .lock()
            // More than any password has, so that a longer one is refused and not cut.
            .take(1024)
            .read_line(&mut line)
            .context("no password could be read: give it on a line of standard input")?;
        return Ok(line.trim_end_matches(['\n', '\r']).to_owned());
    }
    let ask = |prompt: String| {
        rpassword::prompt_password(prompt).context("the terminal takes no password: give it on standard input")
    };
    let first = ask(format!("Password for {name} at the panel: "))?;
    if ask("The same again: ".into())? != first {
        bail!("the two passwords differ; nothing was changed: try again");
    }
    Ok(first)
}

/// Writes the line into the file, whole or not at all.
fn put(path: &Path, line: &str) -> anyhow::Result<()> {
    let before = match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            return Err(error)
                .with_context(|| format!("{} cannot be read; may this account read there?", path.display()));
        }
        Ok(found) => {
            // What the daemon would refuse is not made worse, and not repaired in passing either.
            Accounts::read(path)?;
            Some(found)
        }
    };
    let text = if before.is_some() { std::fs::read_to_string(path)? } else { String::new() };
    let mut making = path.as_os_str().to_owned();
    making.push(".new");
    let making = PathBuf::from(making);
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&making)?;
        file.write_all(accounts::with_line(&text, line).as_bytes())?;
        if let Some(before) = &before {
            std::os::unix::fs::fchown(&file, Some(before.uid()), Some(before.gid()))?;
            file.set_permissions(std::fs::Permissions::from_mode(before.mode() & 0o777))?;
        }
        file.sync_all()?;
        std::fs::rename(&making, path)
    };
    write().map_err(|error| {
        if error.kind() != ErrorKind::AlreadyExists {
            // What is half made is of no use to anybody.
            let _ = std::fs::remove_file(&making);
        }
        anyhow!(error).context(format!(
            "{} cannot be written by way of {}; does its directory exist, may this account write there, and is nobody else at it?",
            path.display(),
            making.display()
        ))
    })
}

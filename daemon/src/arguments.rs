//! The daemon's command line, here and not in its program so that `tumblerctl man` can describe it.

use clap::{Parser, Subcommand};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where the package has the pages.
pub const PAGES: &str = "/usr/share/doc/tumblerd/html/index.html";

/// What was typed, or the code to end with where help or a complaint was told instead: 2 where it could not be written.
///
/// # Errors
/// There is nothing to do, or nothing that was understood.
pub fn typed<T: Parser>() -> Result<T, ExitCode> {
    T::try_parse().map_err(|told| {
        // Whoever closed the pipe has read what they wanted.
        let is_lost = told.print().is_err_and(|error| error.kind() != ErrorKind::BrokenPipe);
        ExitCode::from(if is_lost { 2 } else { u8::try_from(told.exit_code()).unwrap_or(2) })
    })
}

/// A help's last words, and where the pages are, if they are there.
#[must_use]
pub fn with_pages(help: &str) -> String {
    let pages = format!("\n\nThe pages at file://{PAGES} explain the table.");
    format!("{help}{}", if Path::new(PAGES).exists() { pages.as_str() } else { "" })
}

/// The equipment controller of a Tai-Sai (Sic Bo) table.
///
/// Started by systemd (tumblerd.service, and tumblerd-net.service for `tumblerd net`). Drives the dice tumbler, watches dome and dice,
/// relays keypad and lamps, decides for every spin whether it is a result or void, and refuses further games once equipment has
/// failed. People talk to it with tumblerctl.
///
/// Exit codes: 0 stopped, 1 could not start or did not end well, 2 wrong usage or configuration.
#[derive(Debug, Parser)]
#[command(name = "tumblerd", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(after_help = with_pages(
    "Example:\n  tumblerd --config /etc/tumblerd/tumblerd.toml --check-config\n  sudo -u tumblerd tumblerd --commission"
))]
pub struct Arguments {
    /// The configuration; fragments in FILE.d/*.toml are merged into it
    #[arg(long, global = true, value_name = "FILE", default_value = "/etc/tumblerd/tumblerd.toml")]
    pub config: PathBuf,
    /// Check the configuration, print it as it takes effect, and exit
    #[arg(long, conflicts_with = "commission")]
    pub check_config: bool,
    /// Print a drop-in for tumblerd.service that allows only the devices which the configuration names, and exit
    #[arg(long, conflicts_with_all = ["check_config", "commission"])]
    pub device_allow: bool,
    /// Set up the journal of a new table, once, and exit
    #[arg(long)]
    pub commission: bool,
    /// What to run instead of the table
    #[command(subcommand)]
    pub instead: Option<Instead>,
}

/// What to run instead of the table.
#[derive(Clone, Debug, Subcommand)]
pub enum Instead {
    /// The process that speaks to the network: the panel, and the way to the broker
    ///
    /// Started by systemd (tumblerd-net.service), under an account of its own. It drives no device and reads no journal; what it shows
    /// and sends comes from the table's process, over the socket network.socket, and comes again when that is restarted.
    #[command(after_help = "Example:\n  tumblerd net --config /etc/tumblerd/tumblerd.toml")]
    Net,
    /// Print a drop-in for tumblerd-net.service that allows only the addresses which the configuration names, and exit
    #[command(
        after_help = "Example:\n  tumblerd net-policy | sudo tee /etc/systemd/system/tumblerd-net.service.d/network.conf"
    )]
    NetPolicy,
    /// Take the table over from another board, whose card or Raspberry Pi is replaced, and exit
    ///
    /// Copies journal, slot and recordings out of the other board's state directory, verifies them, and says what the table was left
    /// with: what is latched, and a round that was in progress. That directory is marked, so that the table is not on two boards.
    /// Where it may not be done it says why, and changes nothing.
    #[command(after_help = "Example:\n  sudo -u tumblerd tumblerd take-over /mnt/old/var/lib/tumblerd")]
    TakeOver {
        /// The other board's state directory; no daemon may run on it
        #[arg(value_name = "DIRECTORY")]
        from: PathBuf,
    },
}

//! The daemon's command line, here and not in its program so that `tumblerctl man` can describe it.

use clap::Parser;
use std::path::PathBuf;

/// The equipment controller of a Tai-Sai (Sic Bo) table.
///
/// Started by systemd (tumblerd.service). Drives the dice tumbler, watches dome and dice, relays keypad and lamps, decides for
/// every spin whether it is a result or void, and refuses further games once equipment has failed. People talk to it with
/// tumblerctl.
///
/// Exit codes: 0 stopped, 1 could not start or did not end well, 2 wrong usage or configuration.
#[derive(Debug, Parser)]
#[command(name = "tumblerd", version, max_term_width = 100)]
#[command(
    after_help = "Example:\n  tumblerd --config /etc/tumblerd/tumblerd.toml --check-config\n  sudo -u tumblerd tumblerd --commission\n\n\
        The pages at file:///usr/share/doc/tumblerd/html/index.html explain the table."
)]
pub struct Arguments {
    /// The configuration; fragments in FILE.d/*.toml are merged into it
    #[arg(long, value_name = "FILE", default_value = "/etc/tumblerd/tumblerd.toml")]
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
}

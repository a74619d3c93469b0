//! What every command to the daemon has in common.

use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::say::{self, Tone};
use std::path::PathBuf;
use tumbler_core::wire::ask::{Ask, Told};
use tumbler_core::wire::console::Command;

/// How to speak to whom.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The daemon's socket.
    pub(crate) socket: PathBuf,
    /// Answer in JSON.
    pub(crate) json: bool,
}

/// Who answers for a command.
#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// Who answers for this; the account's name unless given
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Named {
    /// The name.
    pub(crate) fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let uid = nix::unistd::getuid();
            let user = nix::unistd::User::from_uid(uid).ok().flatten();
            user.map_or_else(|| format!("uid {uid}"), |u| u.name)
        })
    }
}

impl Context {
    /// Gives a command and prints the answer.
    ///
    /// # Errors
    /// The daemon cannot be reached or cannot answer.
    pub(crate) fn command(&self, command: Command) -> anyhow::Result<Ended> {
        let mut link = Link::open(&self.socket)?;
        self.command_on(&mut link, command)
    }

    /// The same on this connection.
    ///
    /// # Errors
    /// The daemon is gone or cannot answer.
    pub(crate) fn command_on(&self, link: &mut Link, command: Command) -> anyhow::Result<Ended> {
        link.ask(Ask::Command(command))?;
        let told = link.next()?;
        let ended = match &told {
            Told::Done(_) => Ended::Done,
            Told::Refused { .. } => Ended::Refused,
            _ => return Err(astray("a command")),
        };
        self.say_answer(&told)?;
        Ok(ended)
    }

    /// Says what the table answered to a command.
    ///
    /// # Errors
    /// If standard output is gone.
    pub(crate) fn say_answer(&self, told: &Told) -> anyhow::Result<()> {
        match told {
            _ if self.json => say::json(told)?,
            Told::Done(what) => say::line(what)?,
            Told::Refused { why, .. } => say::line(&format!("{} {why}", Tone::Near.of("refused:")))?,
            _ => {}
        }
        Ok(())
    }
}

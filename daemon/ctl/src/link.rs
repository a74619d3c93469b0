//! The line to the daemon: one connection to its console socket.

use anyhow::{Context, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tumbler_core::wire::ask::{Ask, MAX_ANSWER, Reply, Request, Said, Told};
use tumbler_core::wire::console::Answer;

/// Longest time for a question's answer: the daemon reads a few pages of its journal for it.
const QUESTION: Duration = Duration::from_secs(15);

/// What is to be looked at where the daemon answers what was not asked.
const ONE_VERSION: &str = "; are both of one version? `tumblerctl --version` and `tumblerd --version` tell";

fn hung_up(path: &impl std::fmt::Display) -> String {
    format!("the daemon at {path} hung up; is it restarting? `systemctl status tumblerd` tells; then try again")
}

/// The error of an answer to something else than `asked`.
pub(crate) fn astray(asked: &str) -> anyhow::Error {
    anyhow::anyhow!("the daemon answered {asked} with something else{ONE_VERSION}")
}

/// A connection to the daemon.
#[derive(Debug)]
pub(crate) struct Link {
    stream: BufReader<UnixStream>,
    path: PathBuf,
    id: u64,
    /// Why the last command was not sent: the table would refuse it for what a person wrote in it.
    refused: Option<Told>,
}

impl Link {
    /// Connects to the daemon at this socket.
    ///
    /// # Errors
    /// It cannot be reached; says what to do.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let stream = UnixStream::connect(path).with_context(|| {
            format!(
                "the daemon cannot be reached at {}; is tumblerd running, is this account in one of its groups, \
                 and is this the socket of its configuration (--socket)?",
                path.display()
            )
        })?;
        Ok(Self { stream: BufReader::new(stream), path: path.into(), id: 0, refused: None })
    }

    /// Asks; answers come from [`Link::next`]. A question is to be answered soon, a command may wait for people, and a
    /// watch for the table. A command whose name or reason the table would refuse is refused here, in the same words.
    ///
    /// # Errors
    /// The daemon is gone.
    pub(crate) fn ask(&mut self, ask: Ask) -> anyhow::Result<()> {
        use tumbler_core::wire::ask::Query;
        if let Ask::Command(command) = &ask {
            if let Err(why) = command.check_texts() {
                self.refused = Some(Answer::from(&why).into());
                return Ok(());
            }
        }
        let waits = matches!(ask, Ask::Command(_) | Ask::Query(Query::Watch));
        self.stream.get_ref().set_read_timeout((!waits).then_some(QUESTION))?;
        self.id += 1;
        let mut line = serde_json::to_vec(&Request { id: self.id, ask })?;
        line.push(b'\n');
        let path = self.path.display();
        // Without its cause: a broken pipe counts as no error, because one of standard output is none.
        let sent = self.stream.get_mut().write_all(&line).map_err(|_| anyhow::anyhow!(hung_up(&path)));
        let Err(gone) = sent else { return Ok(()) };
        // A daemon that has no place for a caller says so before it hangs up.
        match self.said() {
            Ok(Said::Error(why)) => bail!("{why}"),
            _ => Err(gone),
        }
    }

    /// The next thing that the daemon tells.
    ///
    /// # Errors
    /// The daemon is gone, says that it cannot answer, or says what this program does not understand.
    pub(crate) fn next(&mut self) -> anyhow::Result<Told> {
        if let Some(refused) = self.refused.take() {
            return Ok(refused);
        }
        match self.said()? {
            Said::Answer(told) => Ok(told),
            Said::Error(error) => bail!("{error}"),
        }
    }

    fn said(&mut self) -> anyhow::Result<Said> {
        let path = self.path.display();
        let mut line = Vec::new();
        let read = self.stream.by_ref().take(MAX_ANSWER as u64).read_until(b'\n', &mut line);
        match read {
            Ok(0) => bail!(hung_up(&path)),
            Ok(_) => {}
            Err(error) => bail!(
                "the daemon at {path} does not answer: {error}; try again, and look at `systemctl status tumblerd`"
            ),
        }
        let reply: Reply = serde_json::from_slice(&line).with_context(|| {
            format!("the daemon at {path} says what this tumblerctl does not understand{ONE_VERSION}")
        })?;
        // A complaint about a line that is no request has no number.
        let is_asked = reply.id == Some(self.id) || reply.id.is_none() && matches!(reply.said, Said::Error(_));
        if !is_asked {
            bail!("the daemon at {path} answers what was not asked; nothing is known of what was{ONE_VERSION}");
        }
        Ok(reply.said)
    }
}

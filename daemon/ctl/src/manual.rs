//! `tumblerctl man` and `tumblerctl completions`: from the same definitions that `--help` comes from.

use crate::ending::Ended;
use anyhow::Context;
use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;

/// Write the manual pages of tumblerctl and tumblerd
///
/// One page for each command, such as tumblerctl-odds.1; `man tumblerctl-odds` shows it where they are installed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl man /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// The directory to write to; it is made where there is none
    directory: PathBuf,
}

/// Print a shell's completions
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl completions bash > ~/.local/share/bash-completion/completions/tumblerctl\n  tumblerctl completions zsh --program tumblerd"
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    /// Of which program
    #[arg(long, value_enum, default_value_t = Program::Tumblerctl)]
    program: Program,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Program {
    Tumblerctl,
    Tumblerd,
}

impl Program {
    fn command(self) -> Command {
        match self {
            Self::Tumblerctl => crate::Arguments::command(),
            Self::Tumblerd => tumblerd::arguments::Arguments::command(),
        }
    }
}

pub(crate) fn man(of: &Man) -> anyhow::Result<Ended> {
    let wrong = || format!("the pages cannot be written to {}; may this account write there?", of.directory.display());
    std::fs::create_dir_all(&of.directory).with_context(wrong)?;
    for program in [Program::Tumblerctl, Program::Tumblerd] {
        clap_mangen::generate_to(program.command(), &of.directory).with_context(wrong)?;
    }
    Ok(Ended::Done)
}

pub(crate) fn completions(of: &Completions) -> anyhow::Result<Ended> {
    let mut command = of.program.command();
    let name = command.get_name().to_owned();
    // It panics where its output is gone.
    let mut script = Vec::new();
    clap_complete::generate(of.shell, &mut command, name, &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Ended::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command, with the words that lead to it.
    fn commands(command: &Command, words: &str) -> Vec<(String, Command)> {
        let mut found = vec![(words.to_owned(), command.clone())];
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            found.extend(commands(inner, &format!("{words} {}", inner.get_name())));
        }
        found
    }

    /// The lines of a command's examples.
    fn examples(command: &Command) -> Vec<String> {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = text.strip_prefix("Example:\n").unwrap_or_default().lines();
        lines.take_while(|line| line.starts_with("  ")).map(str::to_owned).collect()
    }

    #[test]
    fn every_help_has_an_example_of_its_own_command() {
        for program in [Program::Tumblerctl, Program::Tumblerd] {
            let name = program.command().get_name().to_owned();
            for (words, command) in commands(&program.command(), &name) {
                let examples = examples(&command);
                assert!(examples.iter().any(|line| line.contains(&words)), "{words}: {examples:?}");
            }
        }
    }

    /// What an example says can be typed as it stands.
    #[test]
    fn every_example_is_understood() {
        for program in [Program::Tumblerctl, Program::Tumblerd] {
            let name = program.command().get_name().to_owned();
            for (words, command) in commands(&program.command(), &name) {
                for line in examples(&command) {
                    let line = line.replace("sudo -u tumblerd", "");
                    let typed = line.split_once(&name).map(|(_, rest)| rest).unwrap_or_default();
                    let typed = typed.split(['>', '|', '#']).next().unwrap_or_default();
                    let parsed = program.command().try_get_matches_from(split(&format!("{name}{typed}")));
                    assert!(parsed.is_ok(), "{words}: `{line}`: {}", parsed.unwrap_err());
                }
            }
        }
    }

    /// The words of a line, those in quotes together.
    fn split(line: &str) -> Vec<String> {
        let parts = line.split('"').enumerate();
        let words = parts.flat_map(|(n, part)| match n % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn every_command_has_a_page_and_every_shell_its_completions() {
        let dir = tempfile::tempdir().unwrap();
        man(&Man { directory: dir.path().join("man1") }).unwrap();
        for program in [Program::Tumblerctl, Program::Tumblerd] {
            let name = program.command().get_name().to_owned();
            for (words, _) in commands(&program.command(), &name) {
                let page = dir.path().join(format!("man1/{}.1", words.replace(' ', "-")));
                let text = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
                assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{words}: {text}");
            }
            for shell in Shell::value_variants() {
                let mut out = Vec::new();
                clap_complete::generate(*shell, &mut program.command(), &name, &mut out);
                assert!(String::from_utf8(out).unwrap().contains(&name), "{shell}");
            }
        }
    }
}

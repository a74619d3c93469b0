//! `tumblerctl man` and `tumblerctl completions`: from the same definitions that `--help` comes from.

use crate::ending::Ended;
use anyhow::Context;
use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::Write;
use std::path::{Path, PathBuf};
use tumblerd::arguments::PAGES;

/// Write the manual pages of tumblerctl and tumblerd
///
/// One page for each command, those of tumblerctl in man1 and those of tumblerd in man8; `man tumblerctl-odds` shows one where they are
/// installed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl man /usr/local/share/man")]
pub(crate) struct Man {
    /// The directory to write man1 and man8 to; they are made where there are none
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

    /// The section of its manual pages: what everybody may type, and what systemd runs.
    const fn section(self) -> &'static str {
        match self {
            Self::Tumblerctl => "1",
            Self::Tumblerd => "8",
        }
    }

    /// Files that it reads or writes where nothing else is configured.
    const fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Tumblerctl => &[
                ("/run/tumblerd/console.sock", "The console of the daemon, unless --socket names another."),
                ("/var/lib/tumblerd", "The state directory, with the journal."),
                ("/var/lib/tumblerd/incidents", "The recordings of raw inputs, which tumblerctl replay reads."),
                ("/etc/tumblerd/panel-accounts", "The accounts of the panel, where the configuration names this file."),
                (PAGES, "The pages that explain the table."),
            ],
            Self::Tumblerd => &[
                ("/etc/tumblerd/tumblerd.toml", "The configuration, unless --config names another."),
                ("/etc/tumblerd/tumblerd.toml.d/*.toml", "Fragments that are merged into it."),
                ("/var/lib/tumblerd", "The state directory: journal, slot, and recordings in incidents."),
                ("/run/tumblerd", "What lasts until a reboot, and the sockets of console and network."),
                (PAGES, "The pages that explain the table."),
            ],
        }
    }

    /// Variables of the environment that it heeds.
    const fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Tumblerctl => &[
                ("TUMBLERCTL_SOCKET", "The console of the daemon; --socket goes before it."),
                ("NO_COLOR", "Where this is set to anything, nothing is coloured."),
            ],
            Self::Tumblerd => &[
                ("NOTIFY_SOCKET", "Where the service manager is told of start, state and stop; see sd_notify(3)."),
                ("WATCHDOG_USEC, WATCHDOG_PID", "How often the service manager is to be told that it lives."),
            ],
        }
    }

    /// Pages that belong to its own.
    const fn see_also(self) -> &'static [&'static str] {
        match self {
            Self::Tumblerctl => &["tumblerctl.1", "tumblerd.8"],
            Self::Tumblerd => &["tumblerd.8", "tumblerctl.1", "systemctl.1", "journalctl.1"],
        }
    }
}

pub(crate) fn man(of: &Man) -> anyhow::Result<Ended> {
    let wrong = || format!("the pages cannot be written to {}; may this account write there?", of.directory.display());
    std::fs::create_dir_all(&of.directory).with_context(wrong)?;
    for program in [Program::Tumblerctl, Program::Tumblerd] {
        let directory = of.directory.join(format!("man{}", program.section()));
        std::fs::create_dir_all(&directory).with_context(wrong)?;
        let mut command = program.command().disable_help_subcommand(true);
        command.build();
        pages(program, &command, &directory).with_context(wrong)?;
    }
    Ok(Ended::Done)
}

/// Writes the page of this command, and those of its own.
fn pages(program: Program, command: &Command, directory: &Path) -> std::io::Result<()> {
    for inner in command.get_subcommands() {
        pages(program, inner, directory)?;
    }
    let man = clap_mangen::Man::new(command.clone()).section(program.section());
    let mut page = Vec::new();
    man.render(&mut page)?;
    let mut more = Roff::new();
    for (heading, lines) in [("FILES", program.files()), ("ENVIRONMENT", program.environment())] {
        more.control("SH", [heading]);
        for (name, what) in lines {
            more.control("TP", []).text([bold(*name)]).text([roman(*what)]);
        }
    }
    let others = program.see_also().iter().filter(|page| **page != man.get_filename());
    let others: Vec<String> = others.map(|page| page.replace('.', "(") + ")").collect();
    more.control("SH", ["SEE ALSO"]).text([roman(others.join(", "))]);
    more.to_writer(&mut page)?;
    std::fs::write(directory.join(man.get_filename()), page)
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

    /// Where the package is not installed there are no pages.
    #[test]
    fn no_help_names_a_page_that_is_not_there() {
        for program in [Program::Tumblerctl, Program::Tumblerd] {
            let help = program.command().render_long_help().to_string();
            for page in help.split_whitespace().filter_map(|word| word.strip_prefix("file://")) {
                assert!(Path::new(page).exists(), "{page}");
            }
            assert!(tumblerd::arguments::with_pages("x").contains(PAGES) == Path::new(PAGES).exists());
        }
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
        man(&Man { directory: dir.path().into() }).unwrap();
        for program in [Program::Tumblerctl, Program::Tumblerd] {
            let name = program.command().get_name().to_owned();
            for (words, _) in commands(&program.command(), &name) {
                // man-pages(7): section 1 has what users run, 8 what the system does; its order of the headings.
                let section = if name == "tumblerd" { 8 } else { 1 };
                let page = dir.path().join(format!("man{section}/{}.{section}", words.replace(' ', "-")));
                let text = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
                let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
                assert_eq!(headings.first_chunk(), Some(&["NAME", "SYNOPSIS", "DESCRIPTION"]), "{words}");
                assert_eq!(headings.last_chunk(), Some(&["FILES", "ENVIRONMENT", "\"SEE ALSO\""]), "{words}");
                let last = text.lines().last().unwrap();
                assert!(last.contains(if section == 8 { "tumblerctl(1)" } else { "tumblerd(8)" }), "{words}: {last}");
                assert!(!last.contains(&format!("{words}({section})")), "{words} is this page");
            }
            for shell in Shell::value_variants() {
                let mut out = Vec::new();
                clap_complete::generate(*shell, &mut program.command(), &name, &mut out);
                assert!(String::from_utf8(out).unwrap().contains(&name), "{shell}");
            }
        }
    }
}

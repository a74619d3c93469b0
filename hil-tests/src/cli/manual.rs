//! Manual pages and completions, from the same definitions that `--help` comes from.

use super::{Cli, say};
use crate::report;
use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

pub(super) fn man(directory: &Path) -> anyhow::Result<u8> {
    let wrong = || format!("the pages cannot be written to {}", directory.display());
    std::fs::create_dir_all(directory).with_context(wrong)?;
    clap_mangen::generate_to(Cli::command(), directory).with_context(wrong)?;
    Ok(report::PASSED)
}

pub(super) fn completions(shell: Shell) -> anyhow::Result<u8> {
    // It panics where its output is gone.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tumbler-hil", &mut script);
    say::whole(&String::from_utf8_lossy(&script));
    Ok(report::PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_has_an_example_that_is_understood() {
        let mut whole = Cli::command();
        whole.build();
        let inner = whole.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set());
        for mut command in inner.cloned().chain([whole.clone()]) {
            let words = command.get_bin_name().unwrap_or("tumbler-hil").to_owned();
            let help = command.render_long_help().to_string();
            let examples = help.split_once("Example:\n").map(|(_, examples)| examples).unwrap_or_default();
            assert!(examples.contains(&words), "{words}: {help}");
            for line in examples.lines() {
                let typed = line.split('>').next().unwrap_or_default();
                let parsed = Cli::command().try_get_matches_from(typed.split_whitespace());
                assert!(parsed.is_ok(), "{words}: `{line}`: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let dir = tempfile::tempdir().unwrap();
        man(dir.path()).unwrap();
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let page = dir.path().join(format!("tumbler-hil-{}.1", command.get_name()));
            let text = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
            assert!(text.contains(".SH SYNOPSIS"), "{text}");
        }
    }
}

//! `tumblerd`: the equipment controller of a Tai-Sai table.

use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;
use tracing_subscriber::filter::LevelFilter;
use tumbler_core::text;
use tumblerd::arguments::{Arguments, Instead, typed};
use tumblerd::config::{self, Log, LogFormat};
use tumblerd::config::{devices, policy};
use tumblerd::run::realtime;
use tumblerd::wiring;

/// Exit code where the daemon could not start or did not end well.
const FAILED: u8 = 1;
/// Exit code where the configuration is wrong (clap uses it for arguments too).
const MISCONFIGURED: u8 = 2;

#[expect(clippy::print_stderr, reason = "what is said before there is a log")]
fn main() -> ExitCode {
    realtime::bound_allocator();
    let args: Arguments = match typed() {
        Ok(args) => args,
        Err(code) => return code,
    };
    let config = match config::check(&args.config) {
        Ok(config) => config,
        Err(errors) => {
            eprintln!("{errors}");
            return ExitCode::from(MISCONFIGURED);
        }
    };
    if args.check_config {
        for note in config.notes() {
            eprintln!("note: {note}");
        }
        return said(Ok(config));
    }
    if args.device_allow {
        return match devices::drop_in(&config) {
            Ok(text) => said(Ok(text.trim_end())),
            Err(error) => {
                let port = config.bus.port.display();
                eprintln!("tumblerd: bus.port: {port} tells no kind of device: {error}; plug it in, and try again");
                ExitCode::from(FAILED)
            }
        };
    }
    match args.instead {
        Some(Instead::NetPolicy) => {
            return match policy::drop_in(&config) {
                Ok(text) => said(Ok(text.trim_end())),
                Err(error) => {
                    eprintln!("tumblerd: {error}");
                    ExitCode::from(FAILED)
                }
            };
        }
        Some(Instead::Net) => {
            log_to_stderr(&config.log);
            return ended(wiring::run_network(config));
        }
        Some(Instead::TakeOver { from }) => {
            log_to_stderr(&config.log);
            return said(wiring::take_over(&config, &from));
        }
        None => {}
    }
    log_to_stderr(&config.log);
    if args.commission {
        let commissioned = wiring::commission(&config);
        return said(commissioned.map(|stream| format!("commissioned; the journal's stream is {stream}")));
    }
    if let Err(error) = realtime::lock_program() {
        // The control loop warns of it, with what to do.
        tracing::debug!(%error, "the program is read from disk as it is needed");
    }
    ended(wiring::run(config))
}

/// Says what was asked for or done once, or why not.
#[expect(clippy::print_stderr, reason = "there is no log that is for it")]
fn said(done: anyhow::Result<impl std::fmt::Display>) -> ExitCode {
    let told = |done| writeln!(std::io::stdout(), "{done}").context("it cannot be told on standard output");
    match done.and_then(told) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tumblerd: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn ended(how: anyhow::Result<()>) -> ExitCode {
    match how {
        Ok(()) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::from(FAILED)
        }
    }
}

/// Standard error. Of what is not seen, the end of a line alone gets there: strangers' words are in the log too.
struct Shown;

impl Write for Shown {
    /// Takes a whole line: the log is written line by line.
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let shown = text::shown(text.strip_suffix('\n').unwrap_or(&text)) + "\n";
        std::io::stderr().lock().write_all(shown.as_bytes()).map(|()| line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}

fn log_to_stderr(log: &Log) {
    let level = log.level.parse().unwrap_or(LevelFilter::INFO);
    let builder = tracing_subscriber::fmt().with_max_level(level).with_writer(|| Shown);
    match log.format {
        LogFormat::Text => builder.with_target(false).init(),
        LogFormat::Json => builder.json().init(),
    }
    wiring::log_panics();
}

//! `tumbler-hil demo`: a whole table on this machine that plays rounds, some of which go wrong, with a live commentary.

mod descriptions;
mod interactive;
mod narrator;
mod others;
mod stories;

use super::{say, signals};
use crate::report;
use crate::templates::Templates;
use anyhow::{Context, bail};
use clap::Args;
use narrator::Narrator;
use others::Others;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener};
use std::path::{Path, PathBuf};
use stories::Stories;
use tumbler_bench::Bench;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{Setup, clock, daemon};
use tumbler_core::rules;

#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// The rule set.
    #[arg(long, value_name = "ID", default_value = "sg-v6")]
    rules: String,
    /// One of the rule set's layouts [default: its first one].
    #[arg(long, value_name = "ID")]
    layout: Option<String>,
    /// The same seed plays the same rounds.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many stories to play [default: until Ctrl-C].
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Play so many tables, which tell one broker; only the first is told of in full, and has a panel.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "by_hand", value_parser = clap::value_parser!(u32).range(1..=16))]
    tables: u32,
    /// Address of the panel [default: 127.0.0.1:8080, or another port if that one is taken].
    #[arg(long, value_name = "ADDRESS:PORT")]
    panel: Option<SocketAddr>,
    /// Let technicians log in to the panel: the file of their accounts, as `tumblerctl panel-password` makes it.
    #[arg(long, value_name = "FILE")]
    accounts: Option<PathBuf>,
    /// Instead of stories, carry out what is typed: each line holds steps of a scenario, such as `turn key; as technician; do maintenance
    /// on`.
    #[arg(long, conflicts_with = "rounds")]
    by_hand: bool,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    tumblerd: Option<PathBuf>,
}

pub(super) fn demo(args: &DemoArgs) -> anyhow::Result<u8> {
    let Some(rule_set) = rules::rule_set(&args.rules) else {
        let ids: Vec<&str> = rules::all().iter().map(|set| set.id.as_str()).collect();
        bail!("`{}` is no rule set; they are {}", args.rules, ids.join(", "));
    };
    let layout = match &args.layout {
        None => rule_set.layouts.first().map(|l| l.id.clone()).unwrap_or_default(),
        Some(id) if rule_set.layouts.iter().any(|l| l.id == *id) => id.clone(),
        Some(id) => {
            let ids: Vec<&str> = rule_set.layouts.iter().map(|l| l.id.as_str()).collect();
            bail!("`{id}` is no layout of {}; they are {}", args.rules, ids.join(", "));
        }
    };
    let outcome = play(args, &layout);
    if clock::interrupted() {
        say::line("\nended by Ctrl-C; daemon, broker and twin are gone");
        return Ok(if matches!(outcome, Ok(report::FAILED)) { report::FAILED } else { report::PASSED });
    }
    outcome
}

/// The panel's address. Its table listens there only in some seconds: until then another demo finds the port free, but not the claim.
struct Address {
    at: SocketAddr,
    /// A name of Linux that goes with the process.
    _claim: UnixListener,
}

/// The panel's default address on this machine, or a free one if that is taken.
fn free_address() -> anyhow::Result<Address> {
    let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    free(usual).or_else(|_| free(any)).context("no port of this machine is free for the panel")
}

/// An address that the panel can have: whoever listens there already would be shown in its place.
fn free(panel: SocketAddr) -> anyhow::Result<Address> {
    match TcpListener::bind(panel) {
        // The port is the system's choice where none is given.
        Ok(listener) => {
            let at = listener.local_addr()?;
            let name = UnixAddr::from_abstract_name(format!("tumbler-hil demo {}", at.port()))?;
            let claim = UnixListener::bind_addr(&name).with_context(|| {
                format!("{at} is taken: another demo begins there; --panel takes another address for the panel")
            })?;
            Ok(Address { at, _claim: claim })
        }
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            bail!("{panel} is taken: another program listens there; --panel takes another address for the panel")
        }
        Err(error) => {
            Err(error).with_context(|| format!("{panel} cannot be the panel's address; --panel takes another"))
        }
    }
}

/// The file of accounts, once it is certain that somebody can log in by it.
fn readable(accounts: &Path) -> anyhow::Result<PathBuf> {
    let path = std::path::absolute(accounts)?;
    let shown = path.display();
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("the accounts {shown} cannot be read, so nobody could log in to the panel"))?;
    if std::fs::metadata(&path)?.mode() & 0o007 != 0 {
        bail!("the panel takes no accounts from {shown}, which other users can read: chmod 0640 {shown}");
    }
    if !text.lines().any(|line| line.contains(':')) {
        bail!("there is no account in {shown}; `tumblerctl panel-password NAME --file {shown}` makes one");
    }
    Ok(path)
}

/// Longest wait for the panel, in nanoseconds.
const PANEL_NANOS: u64 = 10_000_000_000;
/// Pause before it is tried again, in nanoseconds.
const AGAIN_NANOS: u64 = 20_000_000;

/// Waits until browsers find the panel: its process is another one, which listens once it has reached the table's.
fn await_panel(table: &mut dyn Bench, panel: SocketAddr) -> anyhow::Result<()> {
    let end = table.now() + PANEL_NANOS;
    while TcpStream::connect(panel).is_err() && !clock::interrupted() {
        if table.now() >= end {
            bail!("nobody listens at {panel}, where the panel should be; --panel takes another address");
        }
        table.pass(table.now() + AGAIN_NANOS).map_err(|trouble| anyhow::anyhow!("{trouble}"))?;
    }
    Ok(())
}

fn play(args: &DemoArgs, layout: &str) -> anyhow::Result<u8> {
    let accounts = args.accounts.as_deref().map(readable).transpose()?;
    let address = args.panel.map_or_else(free_address, free)?;
    let panel = address.at;
    super::selftest::quick().context("the rig's self-test failed")?;
    let templates = Templates::new(daemon::find(args.tumblerd.as_deref()));
    let others = Others::begin(args, layout, &templates)?;
    let upstream = others.as_ref().map(Others::broker);
    let setup = Setup {
        program: templates.program().clone(),
        table: TableSetup { panel: Some(panel), accounts, upstream, ..TableSetup::of(&args.rules, layout, true) },
        seed: args.seed,
        judge: true,
        trace: false,
        brisk: false,
        wall: None,
    };
    say::line(&format!("rule set {}, layout {layout}, seed {}", args.rules, args.seed));
    say::hanging(
        "A new table: its daemon is started, commissioned, and opened by the tests that the rules ask for.",
        0,
    );
    say::hanging("That takes some ten seconds: every lamp is lit, the tumbler runs, the dead-man relay is tried.", 0);
    let mut table = match templates.opened(&setup) {
        Err(RigFault::Interrupted) => return Ok(signals::INTERRUPTED),
        table => table?,
    };
    await_panel(&mut table, panel)?;
    say::hanging(
        &format!(
            "Open. tumblerd is process {}; its events go to mqtt://{}, as its panel says, and from there to the broker at mqtt://{}, \
             under taisai/rig/virtual/.",
            table.pid().unwrap_or(0),
            table.proxy_address(),
            table.broker_address()
        ),
        0,
    );
    say::hanging(&format!("The technician's panel: http://{panel}/   The players' results: http://{panel}/display"), 0);
    // Each on a line of its own, to be copied whole.
    say::line("To ask the table yourself, in another terminal:");
    say::line(&format!("    export TUMBLERCTL_SOCKET={}", table.console_socket().display()));
    say::line(&format!("    {} status", setup.program.with_file_name("tumblerctl").display()));
    if let Some(others) = &others {
        say::line(&format!("To see all {} tables:", args.tables));
        let ctl = setup.program.with_file_name("tumblerctl");
        say::line(&format!("    {} floor --broker mqtt://{}", ctl.display(), others.broker()));
    }
    let mut stories = Stories::new(&args.rules, layout, args.seed)?;
    if args.by_hand {
        return interactive::play(Narrator::new(table, layout), &stories.next_story());
    }
    let played = stories.play(Narrator::new(table, layout), args.rounds, None);
    let played = match others {
        Some(others) => others.end(played)?,
        None => played?,
    };
    for violation in &played.violations {
        say::hanging(&format!("a judge: {violation}"), 2);
    }
    say::hanging(&format!("\n{played}"), 2);
    Ok(if played.wrong == 0 && played.violations.is_empty() { report::PASSED } else { report::FAILED })
}

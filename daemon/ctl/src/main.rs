//! The command line of the table: what technicians and supervisors type.
//!
//! Exit codes: 0 done, 1 refused or found wrong, 2 wrong usage or the daemon cannot be reached, 3 measured near a limit.

mod amend;
mod broker;
mod close;
mod confirm_dome;
mod context;
mod correct;
mod dice;
mod ending;
mod events;
mod faults;
mod floor;
mod guided;
mod hardware_test;
mod heads;
mod interrupt;
mod interrupted;
mod journal;
mod layouts;
mod link;
mod maintenance;
mod manual;
mod mqtt_acl;
mod new_file;
mod odds;
mod one_of;
mod open;
mod panel_password;
mod record;
mod replay;
mod reset;
mod rounds;
mod say;
mod screen;
mod settle;
mod status;
mod supervise;
mod void;
mod void_afterwards;
mod watch;
mod wires;
mod witness;
mod wording;

use crate::context::Context;
use crate::ending::Ended;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tumblerd::arguments::{typed, with_pages};

/// Talks to the daemon of a Tai-Sai table, and knows layouts, journals and recordings without one.
///
/// Who may do what comes from the account's groups (tumbler-tech, tumbler-supervisor, tumbler-manager); whatever moves or
/// clears something also needs the supervisor's key, turned less than five minutes before.
///
/// Exit codes: 0 done, 1 refused or found wrong, 2 wrong usage or the daemon cannot be reached, 3 measured near a limit.
#[derive(Debug, Parser)]
#[command(name = "tumblerctl", version, max_term_width = 100)]
#[command(after_help = with_pages("Example:\n  tumblerctl status\n  tumblerctl open --name Mei"))]
struct Arguments {
    /// The daemon's console socket
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        env = "TUMBLERCTL_SOCKET",
        default_value = "/run/tumblerd/console.sock"
    )]
    socket: PathBuf,
    /// Answer in JSON, for scripts
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Status(status::Arguments),
    Watch(watch::Arguments),
    Rounds(rounds::Arguments),
    Events(events::Arguments),
    Faults(faults::Arguments),
    Wires(wires::Arguments),
    Floor(floor::Arguments),
    Reset(reset::Arguments),
    Amend(amend::Arguments),
    Supervise(supervise::Arguments),
    Interrupted(interrupted::Arguments),
    Void(void::Arguments),
    VoidAfterwards(void_afterwards::Arguments),
    Correct(correct::Arguments),
    Settle(settle::Arguments),
    ConfirmDome(confirm_dome::Arguments),
    Dice(dice::Arguments),
    Open(open::Arguments),
    Witness(witness::Arguments),
    Close(close::Arguments),
    Maintenance(maintenance::Arguments),
    Test(hardware_test::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Journal(journal::Arguments),
    Layouts(layouts::Arguments),
    Odds(odds::Arguments),
    PanelPassword(panel_password::Arguments),
    MqttAcl(mqtt_acl::Arguments),
    Man(manual::Man),
    Completions(manual::Completions),
}

fn main() -> ExitCode {
    match typed() {
        Ok(Arguments { socket, json, what }) => ending::code(run(&Context { socket, json }, &what)),
        Err(code) => code,
    }
}

fn run(context: &Context, what: &What) -> anyhow::Result<Ended> {
    match what {
        What::Status(of) => status::run(context, of),
        What::Watch(of) => watch::run(context, of),
        What::Rounds(of) => rounds::run(context, of),
        What::Events(of) => events::run(context, of),
        What::Faults(_) => faults::run(context),
        What::Wires(of) => wires::run(context, of),
        What::Floor(of) => floor::run(of, context.json),
        What::Reset(of) => reset::run(context, of),
        What::Amend(of) => amend::run(context, of),
        What::Supervise(of) => supervise::run(context, of),
        What::Interrupted(of) => interrupted::run(context, of),
        What::Void(of) => void::run(context, of),
        What::VoidAfterwards(of) => void_afterwards::run(context, of),
        What::Correct(of) => correct::run(context, of),
        What::Settle(of) => settle::run(context, of),
        What::ConfirmDome(of) => confirm_dome::run(context, of),
        What::Dice(of) => dice::run(context, of),
        What::Open(of) => open::run(context, of),
        What::Witness(of) => witness::run(context, of),
        What::Close(of) => close::run(context, of),
        What::Maintenance(of) => maintenance::run(context, of),
        What::Test(of) => hardware_test::run(context, of),
        What::Record(_) => record::run(context),
        What::Replay(of) => replay::run(of, context.json),
        What::Journal(of) => journal::run(of, context.json),
        What::Layouts(of) => layouts::run(of, context.json),
        What::Odds(of) => odds::run(of, context.json),
        What::PanelPassword(of) => panel_password::run(of),
        What::MqttAcl(of) => mqtt_acl::run(of),
        What::Man(of) => manual::man(of),
        What::Completions(of) => manual::completions(of),
    }
}

//! The composition root of the network's process: panel and relay, fed by the process that drives the table.
//!
//! It calls that process and calls again, for as long as it lives. With every call panel and relay begin anew, and end with it: what
//! they show and send is never older than the connection.

use super::runtime::runtime;
use crate::config::{Config, Mqtt};
use crate::history::records::Records;
use crate::network::link::{self, Feeds, Link, Reports, Table};
use crate::network::messages::Hello;
use crate::panel;
use crate::relay;
use crate::run::control::Progress;
use crate::run::stop::stopped;
use crate::run::supervise::{Event, Supervisor};
use anyhow::Context as _;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Time between two calls to a table's process that does not answer.
const AGAIN: Duration = Duration::from_millis(250);
/// Longest time for panel and relay to end once the table's process is gone, and once this one is to stop.
const PARTS_END: Duration = Duration::from_secs(4);
/// How often the thread for the network turns, and how often that is looked at.
const TURN: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_secs(1);
/// Looks in a row at which the thread had not turned, after which it hangs. Looks are counted, and not time: a process that was stopped had
/// no more of them than its threads had turns.
const HANGS: u32 = 20;

/// Serves panel and broker until somebody asks the process to stop.
///
/// # Errors
/// What cannot be started, or the first part to end by itself.
pub fn run(config: Config) -> anyhow::Result<()> {
    let mut supervisor = Supervisor::default();
    supervisor.heed_signals().context("SIGTERM and SIGINT cannot be waited for")?;
    make_directory(&config.network.run_dir);
    let (stop, stops) = watch::channel(false);
    let progress = Arc::new(Progress::default());
    let turns = Arc::clone(&progress);
    supervisor.thread("network", move || on_thread(&config, stops, &turns))?;
    let (mut seen, mut still) = (0, 0);
    loop {
        match supervisor.wait(LOOK) {
            Some(Event::Stop { by }) => {
                tracing::info!(by, "stopping");
                break;
            }
            Some(Event::Ended { how: Err(why), .. }) => anyhow::bail!("{why}"),
            Some(Event::Ended { how: Ok(()), name }) => {
                anyhow::bail!("thread `{name}` ended although nobody asked it to");
            }
            None => {}
        }
        let turns = progress.turns();
        still = if turns == seen { still + 1 } else { 0 };
        seen = turns;
        anyhow::ensure!(still < HANGS, "the thread for the network hangs");
    }
    stop.send_replace(true);
    supervisor.join("network", PARTS_END);
    Ok(())
}

/// The unit makes it; without systemd it may be missing.
fn make_directory(dir: &Path) {
    if let Err(error) = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir) {
        tracing::warn!("{} cannot be made: {error}; a restart forgets which logins failed at the panel", dir.display());
    }
}

fn on_thread(config: &Config, stop: watch::Receiver<bool>, progress: &Progress) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        let lives = async {
            loop {
                progress.turned();
                sleep(TURN).await;
            }
        };
        tokio::select! { outcome = serve(config, stop) => outcome, () = lives => Ok(()) }
    });
    // A thread that resolves a name may hang for long.
    runtime.shutdown_background();
    outcome
}

async fn serve(config: &Config, stop: watch::Receiver<bool>) -> anyhow::Result<()> {
    if config.mqtt.is_none() && config.panel.is_none() {
        tracing::info!("neither a panel nor a broker is configured: there is nothing to do");
        stopped(stop).await;
        return Ok(());
    }
    let mut told = String::new();
    while !*stop.borrow() {
        let why = match call(config).await {
            Ok((link, feeds)) => {
                tracing::info!("connected to the table's process");
                let why = session(config, link, feeds, &stop).await?;
                format!("connected to the table's process no more: {why}")
            }
            Err(why) => why,
        };
        if why != told {
            tracing::warn!("{why}");
            told = why;
        }
        tokio::select! { () = sleep(AGAIN) => {}, () = stopped(stop.clone()) => {} }
    }
    Ok(())
}

/// Calls the table's process, and looks whether it is the table that this configuration is about.
async fn call(config: &Config) -> Result<(Link, Feeds), String> {
    let (link, feeds) = link::open(&config.network.socket).await?;
    let Hello { site, table, backend, .. } = &feeds.hello;
    let settings = &config.settings;
    if (site, table, backend) != (&settings.site, &settings.table, &settings.backend) {
        return Err(format!(
            "the table's process is that of {site}/{table} on {backend}, and the configuration now names {}/{} on {}: restart both",
            settings.site, settings.table, settings.backend
        ));
    }
    Ok((link, feeds))
}

/// Panel and relay for as long as the connection stands; why it ended.
async fn session(config: &Config, link: Link, feeds: Feeds, stop: &watch::Receiver<bool>) -> anyhow::Result<String> {
    let ends = link.stop();
    let (mut parts, reports, fed) = begin(config, feeds);
    let mut driven = pin!(link.drive(reports));
    let mut why = None;
    loop {
        tokio::select! {
            ended = &mut driven, if why.is_none() => why = Some(ended),
            ended = parts.join_next() => match ended {
                None => break,
                Some(ended) => {
                    let (name, how) = ended.context("a task panicked")?;
                    how.with_context(|| format!("task `{name}` failed"))?;
                    // What they are fed with says that it is over; nothing else ends them.
                    anyhow::ensure!(*fed.borrow(), "task `{name}` ended although nobody asked it to");
                }
            },
            () = stopped(stop.clone()), if !*fed.borrow() => drop(ends.send_replace(true)),
            () = sleep(PARTS_END), if *fed.borrow() => break,
        }
    }
    // Dropping the connection hangs up.
    Ok(why.unwrap_or_else(|| "it stops".into()))
}

/// What runs in a session, by name.
type Parts = JoinSet<(&'static str, anyhow::Result<()>)>;

/// Begins panel and relay.
fn begin(config: &Config, feeds: Feeds) -> (Parts, Reports, watch::Receiver<bool>) {
    let Feeds { hello, snapshot, durable, keys, traces, wires, disk, table, stop } = feeds;
    let Hello { build, boot, site, table: name, backend, relayed, .. } = hello;
    let (acknowledged, acknowledgements) = watch::channel(relayed);
    let (health, relay) = watch::channel(None);
    let mut parts = JoinSet::new();
    if let Some(settings) = config.panel.clone() {
        let kept = panel::Kept { file: config.network.run_dir.join("logins"), boot: boot.clone() };
        let feeds = panel::Feeds {
            about: panel::About {
                site: site.clone(),
                table: name.clone(),
                build: build.clone(),
                backend: backend.clone(),
            },
            snapshot: snapshot.clone(),
            durable: durable.clone(),
            relay: relay.clone(),
            records: Records::new(Box::new(table.clone())),
            traces,
            wires,
            disk,
            login: settings.accounts_file.map(|accounts| panel::Login { accounts, kept, give: give(table.clone()) }),
            host: settings.host,
            stop: stop.clone(),
        };
        parts.spawn(async move {
            panel::run(settings.listen, feeds).await;
            ("panel", Ok(()))
        });
    }
    if let Some(mqtt) = &config.mqtt {
        let identity = relay::Identity { site, table: name, boot, build, backend };
        let feeds = relay::Feeds { snapshot, durable, keys, acknowledged, health, stop: stop.clone() };
        let settings = broker(mqtt);
        parts.spawn(async move {
            let ended = relay::run(settings, identity, relay::Timing::default(), table, feeds).await;
            ("relay", ended.context("the relay failed"))
        });
    }
    (parts, Reports { acknowledged: acknowledgements, relay }, stop)
}

fn give(table: Table) -> panel::Give {
    Arc::new(move |account, command| {
        let table = table.clone();
        Box::pin(async move { table.give(account, command).await })
    })
}

/// The broker as the relay is told of it.
pub(super) fn broker(mqtt: &Mqtt) -> relay::Settings {
    let ca = mqtt.ca_file.clone().filter(|_| mqtt.tls);
    relay::Settings {
        host: mqtt.host.clone(),
        port: mqtt.port,
        tls: ca.map(|ca| relay::Tls { ca, client: mqtt.client.clone() }),
        client_id: mqtt.client_id.clone(),
        username: mqtt.username.clone(),
        password_file: mqtt.password_file.clone(),
        keep_alive: Duration::from_secs(u64::from(mqtt.keep_alive_s)),
        names: relay::Names::TABLE,
    }
}

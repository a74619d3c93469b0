//! The thread for everything that may wait: systemd's status, the console, and the network's process.

use super::network;
use super::runtime::runtime;
use crate::config::{self, Config, HEADER_CHIPS, Hardware, Mqtt, Pin};
use crate::console::{self, Commands, HandIn};
use crate::history::events::Events;
use crate::history::records::Records;
use crate::journal::Reader;
use crate::network::gate;
use crate::run::inbox::Inbox;
use crate::run::meters::Meters;
use crate::run::notify;
use crate::run::trace::Traces;
use crate::run::wires::{Place, Plan, Wiring};
use anyhow::Context as _;
use nix::unistd::{Group, Uid, User};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tumbler_core::effect::KeyTold;
use tumbler_core::input::Input;
use tumbler_core::rules;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{About, Network};
use tumbler_core::wire::console::{Answer, Caller};

/// Longest time from the control loop's end to the word that the daemon stops.
const TOLD: Duration = Duration::from_secs(1);

/// What the I/O thread is made of.
#[derive(Debug)]
pub(super) struct Parts {
    /// The configuration.
    pub(super) config: Config,
    /// The kernel's boot id.
    pub(super) boot: String,
    /// The journal, once for the network's process and once for the console.
    pub(super) readers: (Reader, Reader),
    /// What the control loop sees; `None` where no panel is wanted.
    pub(super) watched: Option<Traces>,
    /// The last event that the broker had acknowledged.
    pub(super) relayed: Seq,
    /// The table as it is.
    pub(super) snapshot: watch::Receiver<Arc<Snapshot>>,
    /// What wires and bus did.
    pub(super) meters: watch::Receiver<Arc<Meters>>,
    /// The last durable record.
    pub(super) durable: watch::Receiver<Seq>,
    /// Keys to be told.
    pub(super) keys: mpsc::Receiver<KeyTold>,
    /// Answers to console commands.
    pub(super) answers: mpsc::Receiver<(u64, Answer)>,
    /// The way to the table.
    pub(super) inbox: Inbox,
    /// Told once the console listens.
    pub(super) up: oneshot::Sender<()>,
    /// Becomes `true` when the daemon stops.
    pub(super) stop: watch::Receiver<bool>,
}

/// Runs on the calling thread until the daemon stops.
///
/// # Errors
/// The console's socket cannot be opened, or the first task to end by itself.
pub(super) fn run(parts: Parts) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(serve(parts));
    // A thread that resolves a name may hang for long.
    runtime.shutdown_background();
    outcome
}

async fn serve(parts: Parts) -> anyhow::Result<()> {
    let Parts { config, boot, readers, watched, relayed, snapshot, meters, durable, keys, answers, inbox, up, stop } =
        parts;
    let backend = config.settings.backend.clone();
    let listener = console::bind(&config.console.socket, &config.console.technician_group)?;
    let (health, relay_health) = watch::channel(None);
    let (gate, network) = open_gate(&config)?;
    let commands = Arc::new(Commands::new(hand_in(inbox.clone())));
    let mut tasks: JoinSet<(&'static str, anyhow::Result<()>)> = JoinSet::new();

    let wiring = Wiring { plan: Arc::new(plan(&config)), meters };
    let feeds = console::Feeds {
        about: About {
            site: config.settings.site.clone(),
            table: config.settings.table.clone(),
            build: crate::BUILD.into(),
            backend: backend.clone(),
        },
        snapshot: snapshot.clone(),
        wiring: wiring.clone(),
        durable: durable.clone(),
        relay: relay_health,
        network,
        records: Box::new(Events::new(readers.1, &backend)),
        commands: Arc::clone(&commands),
        answers,
        stop: stop.clone(),
    };
    let socket = config.console.clone();
    tasks.spawn(async move {
        console::run(listener, socket, feeds).await;
        ("console", Ok(()))
    });

    if let Some((listener, network)) = gate {
        let (acknowledged, acknowledgements) = watch::channel(relayed);
        let caller = config.network.user.clone();
        let feeds = gate::Feeds {
            about: (crate::BUILD.into(), boot),
            table: (config.settings.site.clone(), config.settings.table.clone(), backend.clone()),
            broker: config.mqtt.as_ref().map(broker),
            is_caller: Arc::new(move |uid| caller_id(&caller) == Some(uid)),
            snapshot: snapshot.clone(),
            durable,
            keys,
            traces: watched,
            wiring,
            records: Records::new(Box::new(Events::new(readers.0, &backend))),
            // Whoever breaks in where nobody may log in has no commands either.
            give: config.panel.as_ref().and_then(|panel| panel.accounts_file.as_ref()).map(|_| give(commands)),
            acknowledged,
            relay: health,
            network,
            state_dir: config.journal.state_dir.clone(),
            stop: stop.clone(),
        };
        tasks.spawn(async move {
            gate::run(listener, feeds).await;
            ("network", Ok(()))
        });
        tasks.spawn(hand_in_acknowledgements(acknowledgements, inbox));
    }
    let statuses = tokio::spawn(notify::statuses(snapshot));
    let _ = up.send(());

    let outcome = watch_tasks(&mut tasks, stop).await;
    statuses.abort();
    outcome
}

/// What there is at the table, and where.
fn plan(config: &Config) -> Plan {
    let settings = &config.settings;
    let areas = rules::layout(&settings.layout).map(|layout| layout.areas.iter().map(|area| area.id.clone()).collect());
    let areas = areas.unwrap_or_default();
    let (pins, on_header) = match &config.hardware {
        Hardware::Virtual { .. } => return Plan { reader: settings.reader, areas, ..Plan::default() },
        Hardware::Cdev { chip, pins } => (pins, HEADER_CHIPS.contains(&chip.as_str())),
        Hardware::Rppal { pins, .. } => (pins, true),
    };
    let place = |pin: &Pin| {
        let header = pin.place.header_pin().filter(|_| on_header);
        Some(Place { pin: pin.clone().into(), header, active_low: pin.active_low })
    };
    Plan {
        inputs: pins.inputs.each_ref().map(place),
        outputs: pins.outputs.each_ref().map(place),
        reader: settings.reader,
        areas,
    }
}

/// Waits for the tasks; each may end only once the daemon stops.
async fn watch_tasks(
    tasks: &mut JoinSet<(&'static str, anyhow::Result<()>)>,
    mut stop: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    while let Some(ended) = tasks.join_next().await {
        let (name, how) = ended.context("a task panicked")?;
        how.with_context(|| format!("task `{name}` failed"))?;
        // A control loop that stops takes its answers with it a moment before everybody is told. A main thread that is
        // gone asks for the stop too.
        if tokio::time::timeout(TOLD, stop.wait_for(|stop| *stop)).await.is_err() {
            anyhow::bail!("task `{name}` ended although nobody asked it to");
        }
    }
    Ok(())
}

/// Tells the table how far the broker has acknowledged.
async fn hand_in_acknowledgements(mut seqs: watch::Receiver<Seq>, inbox: Inbox) -> (&'static str, anyhow::Result<()>) {
    while seqs.changed().await.is_ok() {
        let seq = *seqs.borrow_and_update();
        if inbox.send(Input::Relayed { seq }).await.is_err() {
            break;
        }
    }
    ("acknowledgements", Ok(()))
}

/// Listens for the network's process, where one is needed; and says whether it is there.
fn open_gate(config: &Config) -> anyhow::Result<(Option<Gate>, watch::Receiver<Option<Network>>)> {
    let (told, network) = watch::channel(None);
    if config.mqtt.is_none() && config.panel.is_none() {
        return Ok((None, network));
    }
    let config::Network { user, socket, .. } = &config.network;
    // Where it is given by its number, the group is that account's too.
    let named = user.parse().ok().and_then(|uid| User::from_uid(Uid::from_raw(uid)).ok()?);
    let group = named.and_then(|user| Group::from_gid(user.gid).ok()?).map_or_else(|| user.clone(), |group| group.name);
    let listener = console::bind(socket, &group).context("network.socket")?;
    if caller_id(user) == Some(Uid::effective().as_raw()) {
        tracing::warn!(
            user,
            "the network's process runs under the daemon's own account: whoever breaks into it reaches the wires and the journal. \
             Give it an account of its own"
        );
    }
    Ok((Some((listener, told)), network))
}

/// Where the network's process calls, and where it is told whether it is there.
type Gate = (UnixListener, watch::Sender<Option<Network>>);

/// The user id under which the network's process runs.
fn caller_id(user: &str) -> Option<u32> {
    let by_name = || Some(User::from_name(user).ok()??.uid.as_raw());
    user.parse().ok().or_else(by_name)
}

/// The console's own way for commands, for whoever is logged in at the panel: a technician and nothing else. Decisions are for the
/// console, where the system says who asks.
fn give(commands: Arc<Commands>) -> gate::Give {
    Arc::new(move |account, command| {
        let commands = Arc::clone(&commands);
        let caller = Caller { account, technician: true, supervisor: false, manager: false };
        Box::pin(async move { commands.command(caller, command).await.map_err(|error| error.to_string()) })
    })
}

fn hand_in(inbox: Inbox) -> HandIn {
    Arc::new(move |input| {
        let inbox = inbox.clone();
        Box::pin(async move { inbox.send(input).await.is_ok() })
    })
}

fn broker(mqtt: &Mqtt) -> String {
    network::broker(mqtt).broker()
}

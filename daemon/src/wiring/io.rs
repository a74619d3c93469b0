//! The thread for everything that may wait: systemd's status, relay and console.

use crate::config::{Config, Mqtt};
use crate::console::{self, Commands, HandIn};
use crate::history::events::Events;
use crate::history::records::Records;
use crate::journal::Reader;
use crate::network::messages::Disk;
use crate::panel;
use crate::relay;
use crate::run::inbox::Inbox;
use crate::run::notify;
use crate::run::stop::stopped;
use crate::run::trace::Traces;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;
use tumbler_core::effect::KeyTold;
use tumbler_core::input::Input;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::console::{Answer, Caller};

/// Threads for reading the journal, files and names at most. Each waits for one thing; the relay reads one batch at a
/// time, the console one answer a client.
const BLOCKING: usize = 8;
/// A thread that has nothing to read ends after this time.
const IDLE: Duration = Duration::from_secs(2);
/// Stack of such a thread; SQLite's parser is its deepest user.
const STACK: usize = 512 * 1024;

/// How often the journal's disk is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Longest time from the control loop's end to the word that the daemon stops.
const TOLD: Duration = Duration::from_secs(1);

/// What the I/O thread is made of.
#[derive(Debug)]
pub(super) struct Parts {
    /// The configuration.
    pub(super) config: Config,
    /// The kernel's boot id.
    pub(super) boot: String,
    /// The journal, once for the relay and once for the console.
    pub(super) readers: (Reader, Reader),
    /// The journal for the panel, and what the control loop sees; `None` where no panel is wanted.
    pub(super) watched: Option<(Reader, Traces)>,
    /// The last event that the broker had acknowledged.
    pub(super) relayed: Seq,
    /// The table as it is.
    pub(super) snapshot: watch::Receiver<Arc<Snapshot>>,
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING)
        .thread_keep_alive(IDLE)
        .thread_stack_size(STACK)
        .build()?;
    let outcome = runtime.block_on(serve(parts));
    // A thread that resolves a name may hang for long.
    runtime.shutdown_background();
    outcome
}

async fn serve(parts: Parts) -> anyhow::Result<()> {
    let Parts { config, boot, readers, watched, relayed, snapshot, durable, keys, answers, inbox, up, stop } = parts;
    let backend = config.settings.backend.clone();
    let listener = console::bind(&config.console.socket, &config.console.technician_group)?;
    let (health, relay_health) = watch::channel(None);
    let commands = Arc::new(Commands::new(hand_in(inbox.clone())));
    let mut tasks: JoinSet<(&'static str, anyhow::Result<()>)> = JoinSet::new();

    let feeds = console::Feeds {
        snapshot: snapshot.clone(),
        durable: durable.clone(),
        relay: relay_health.clone(),
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

    if let (Some(settings), Some((reader, traces))) = (config.panel, watched) {
        let feeds = panel::Feeds {
            about: panel::About {
                site: config.settings.site.clone(),
                table: config.settings.table.clone(),
                build: crate::BUILD.into(),
                backend: backend.clone(),
            },
            snapshot: snapshot.clone(),
            durable: durable.clone(),
            relay: relay_health.clone(),
            records: Records::new(Box::new(Events::new(reader, &backend))),
            traces,
            disk: look_at_the_disk(config.journal.state_dir.clone(), &mut tasks, stop.clone()),
            login: settings.accounts_file.map(|accounts| {
                let kept = panel::Kept { file: config.journal.run_dir.join("logins"), boot: boot.clone() };
                panel::Login { accounts, kept, give: give(commands) }
            }),
            host: settings.host,
            stop: stop.clone(),
        };
        tasks.spawn(async move {
            panel::run(settings.listen, feeds).await;
            ("panel", Ok(()))
        });
    }

    let (acknowledged, acknowledgements) = watch::channel(relayed);
    if let Some(mqtt) = &config.mqtt {
        let identity = relay::Identity {
            site: config.settings.site.clone(),
            table: config.settings.table.clone(),
            boot,
            build: crate::BUILD.into(),
            backend: backend.clone(),
        };
        let outbox = Events::new(readers.0, &backend);
        let feeds =
            relay::Feeds { snapshot: snapshot.clone(), durable, keys, acknowledged, health, stop: stop.clone() };
        let settings = broker(mqtt);
        tasks.spawn(async move {
            let ended = relay::run(settings, identity, relay::Timing::default(), outbox, feeds).await;
            ("relay", ended.context("the relay failed"))
        });
        tasks.spawn(hand_in_acknowledgements(acknowledgements, inbox));
    }
    let statuses = tokio::spawn(notify::statuses(snapshot));
    let _ = up.send(());

    let outcome = watch_tasks(&mut tasks, stop).await;
    statuses.abort();
    outcome
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

/// The console's own way for commands, for the panel: it knows of no console. Who is logged in there is a technician and nothing else,
/// in a name that shows where the command comes from: decisions are for the console, where the system says who asks.
fn give(commands: Arc<Commands>) -> panel::Give {
    Arc::new(move |account, command| {
        let commands = Arc::clone(&commands);
        let account = format!("{account} (panel)");
        let command = command.under(account.clone());
        let caller = Caller { account, technician: true, supervisor: false, manager: false };
        Box::pin(async move { commands.command(caller, command).await.map_err(|error| error.to_string()) })
    })
}

/// Looks at the journal's disk again and again, off the runtime's thread: a disk that hangs holds nobody up.
fn look_at_the_disk(
    dir: PathBuf,
    tasks: &mut JoinSet<(&'static str, anyhow::Result<()>)>,
    stop: watch::Receiver<bool>,
) -> watch::Receiver<Option<Disk>> {
    let (told, disk) = watch::channel(None);
    tasks.spawn(async move {
        let looking = async {
            loop {
                let dir = dir.clone();
                told.send_replace(spawn_blocking(move || room(&dir)).await.ok().flatten());
                sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = looking => {}
            () = stopped(stop) => {}
        }
        ("disk", Ok(()))
    });
    disk
}

fn room(dir: &Path) -> Option<Disk> {
    let disk = nix::sys::statvfs::statvfs(dir).ok()?;
    #[allow(clippy::useless_conversion, reason = "these are u32 on 32-bit machines")]
    let (size, all, free) =
        (u64::from(disk.fragment_size()), u64::from(disk.blocks()), u64::from(disk.blocks_available()));
    Some(Disk { bytes: all.saturating_mul(size), free: free.saturating_mul(size) })
}

fn hand_in(inbox: Inbox) -> HandIn {
    Arc::new(move |input| {
        let inbox = inbox.clone();
        Box::pin(async move { inbox.send(input).await.is_ok() })
    })
}

/// The broker as the relay is told of it.
fn broker(mqtt: &Mqtt) -> relay::Settings {
    let ca = mqtt.ca_file.clone().filter(|_| mqtt.tls);
    relay::Settings {
        host: mqtt.host.clone(),
        port: mqtt.port,
        tls: ca.map(|ca| relay::Tls { ca, client: None }),
        client_id: mqtt.client_id.clone(),
        username: mqtt.username.clone(),
        password_file: mqtt.password_file.clone(),
        keep_alive: Duration::from_secs(u64::from(mqtt.keep_alive_s)),
    }
}

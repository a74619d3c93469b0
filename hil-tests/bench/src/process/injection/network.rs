//! Injects faults of the broker and of the network path to it, one at a time.

use super::super::broker::Broker;
use super::super::proxy::Path;
use super::super::rig_fault::{RigFault, shortened};
use super::super::rogue_client::{RogueBehaviour, RogueClient};
use super::super::table::Virtual;
use super::state::Network;
use super::unsupported::bench_lacks;
use crate::process::observer::{Message, Observer};
use crate::{Bench, BenchError, EnvironmentFault};
use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpStream;
use std::time::Duration;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::topics::{FaultMessage, LampsMessage, StateMessage, Status};
use tumbler_spec::Part;

/// How many messages of a hostile client the broker must have forwarded before the fault counts as effective: more than one salvo.
const FORWARDED: u64 = 20;
/// How long the broker may take to reload its files, or to send a subscriber its retained messages, in nanoseconds.
const ANSWER_NANOS: u64 = Broker::START.as_nanos() as u64;
/// A topic of no table. Its message comes after all retained ones, so it marks their end.
const END_MARK: &str = "taisai/visit";

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    if let Some(broken) = table.injections.network.broken {
        return Err(BenchError::Rig(format!("{fault} while {broken}: the network breaks in one way at a time")));
    }
    let dismissed = std::mem::take(&mut table.injections.network.dismissed);
    table.injections.network = Network {
        broken: Some(fault),
        counts: table.proxy.counts(),
        logged: table.broker.logged(),
        foreign_messages: table.world.foreign_messages,
        dismissed,
        ..Network::default()
    };
    if fault != EnvironmentFault::BrokerHostile {
        table.report_broken(Part::Network, true);
    }
    match fault {
        EnvironmentFault::BrokerDown => table.proxy.set(Path::Down),
        EnvironmentFault::BrokerHalfOpen => table.proxy.set(Path::HalfOpen),
        EnvironmentFault::BrokerSlow => table.proxy.set(Path::Slow),
        EnvironmentFault::BrokerFlapping => table.proxy.set(Path::Flapping),
        EnvironmentFault::BrokerDenies => {
            table.broker.admit(false)?;
            reconnect(table)?;
        }
        EnvironmentFault::BrokerTlsExpired => {
            table.broker.expire(true)?;
            reconnect(table)?;
        }
        EnvironmentFault::BrokerForgets => forget(table)?,
        EnvironmentFault::BrokerTakenOver => start_rogue(table, &table.setup.client_id(), RogueBehaviour::Impostor)?,
        EnvironmentFault::BrokerHostile => {
            let root = table.world.root().to_owned();
            start_rogue(table, "tumbler-hil-stranger", RogueBehaviour::Hostile { root })?;
        }
        _ => return Err(bench_lacks(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    if table.injections.network.broken != Some(fault) {
        return Err(BenchError::Rig(format!("{fault} is to be mended, and is not broken")));
    }
    if !shows(table, fault) {
        return Err(BenchError::Rig(format!("{fault} was mended before it took effect: {}", evidence(table))));
    }
    match fault {
        EnvironmentFault::BrokerDenies => {
            table.broker.admit(true)?;
            reload(table)?;
        }
        EnvironmentFault::BrokerTlsExpired => {
            table.broker.expire(false)?;
            reload(table)?;
        }
        EnvironmentFault::BrokerForgets => {}
        EnvironmentFault::BrokerTakenOver | EnvironmentFault::BrokerHostile => {
            let network = &mut table.injections.network;
            if let Some(rogue) = network.rogue.take() {
                rogue.dismiss();
                network.dismissed.push(rogue);
            }
        }
        _ => table.proxy.set(Path::Up),
    }
    table.injections.shown.insert(fault);
    table.injections.network.broken = None;
    if fault != EnvironmentFault::BrokerHostile {
        table.report_broken(Part::Network, false);
    }
    Ok(())
}

/// Whether the fault has taken effect: measured now while it is in force, remembered afterwards.
pub(super) fn shows(table: &mut Virtual, fault: EnvironmentFault) -> bool {
    let network = &table.injections.network;
    if network.broken != Some(fault) {
        return table.injections.shown.contains(&fault);
    }
    let (was, now) = (network.counts, table.proxy.counts());
    let logged = |words: &str| table.broker.log(network.logged).contains(words);
    match fault {
        EnvironmentFault::BrokerDown => {
            let refused = TcpStream::connect_timeout(&table.proxy.address(), Duration::from_millis(200)).is_err();
            refused && now.broken > was.broken
        }
        EnvironmentFault::BrokerHalfOpen => now.withheld > was.withheld,
        EnvironmentFault::BrokerSlow => now.delayed > was.delayed,
        EnvironmentFault::BrokerFlapping => now.broken > was.broken && now.returns > was.returns,
        // The tap saw a CONNACK with a reason code that refuses.
        EnvironmentFault::BrokerDenies => now.packets.refusals > was.packets.refusals,
        EnvironmentFault::BrokerTlsExpired => now.taken > was.taken && logged("alert certificate expired"),
        EnvironmentFault::BrokerForgets => network.forgot && now.broken > was.broken,
        EnvironmentFault::BrokerTakenOver => {
            now.ended > was.ended && logged("already connected, closing old connection")
        }
        // Checked at both sides of the broker: it acknowledged the messages, and forwarded them to the table's subscribers.
        EnvironmentFault::BrokerHostile => {
            let taken = network.rogue.as_ref().is_some_and(|rogue| rogue.done() >= FORWARDED / 2);
            taken && table.world.foreign_messages >= network.foreign_messages + FORWARDED
        }
        _ => false,
    }
}

/// What the rig has observed of the fault in force, to explain why it has not taken effect.
fn evidence(table: &Virtual) -> String {
    let network = &table.injections.network;
    let log = table.broker.log(network.logged);
    format!("{:?} became {:?}; the broker's log: {log}", network.counts, table.proxy.counts())
}

fn start_rogue(table: &mut Virtual, client_id: &str, behaviour: RogueBehaviour) -> Result<(), RigFault> {
    table.injections.network.rogue = Some(RogueClient::start(table.broker.address(), client_id, behaviour)?);
    Ok(())
}

/// Makes the broker reload its files, and waits until it has.
fn reload(table: &mut Virtual) -> Result<(), RigFault> {
    let from = table.broker.logged();
    table.broker.reload()?;
    await_broker(table, "to reload its files", |table| Ok(table.broker.log(from).contains(Broker::RELOADED)))
}

/// Reloads the broker's files while the path is down, which forces the daemon to reconnect. The broker must have noticed the lost
/// connection first, because it publishes no last will for an account that it no longer knows.
fn reconnect(table: &mut Virtual) -> Result<(), RigFault> {
    table.proxy.set(Path::Down);
    let was = table.injections.network.counts.broken;
    await_broker(table, "to lose the daemon", |table| Ok(table.proxy.counts().broken > was))?;
    await_broker(table, "to notice that the daemon is gone", |table| {
        let log = table.broker.log(table.injections.network.logged);
        let own = table.setup.client_id();
        let gone = [format!("Client {own} closed its connection"), format!("Client {own} disconnected")];
        Ok(gone.iter().any(|words| log.contains(words)))
    })?;
    reload(table)?;
    table.proxy.set(Path::Up);
    Ok(())
}

/// Restarts the broker, which keeps nothing on disk. The path stays down until the observer has subscribed again, as it would miss
/// events otherwise.
fn forget(table: &mut Virtual) -> Result<(), RigFault> {
    table.proxy.set(Path::Down);
    let subscriptions = table.observer.subscriptions();
    table.broker.begin()?;
    await_broker(table, "to restart", |table| table.broker.is_ready())?;
    await_broker(table, "to take the observer's subscription", |table| {
        Ok(table.observer.subscriptions() > subscriptions)
    })?;
    table.injections.network.forgot = retained(table)?.is_empty();
    table.proxy.set(Path::Up);
    Ok(())
}

/// Turns the world until the broker has done something.
fn await_broker(
    table: &mut Virtual,
    what: &str,
    done: impl FnMut(&mut Virtual) -> Result<bool, RigFault>,
) -> Result<(), RigFault> {
    let until = table.world.now() + ANSWER_NANOS;
    if table.tick_until(until, done)? {
        return Ok(());
    }
    Err(RigFault::Late {
        what: format!("the broker {what}"),
        after: Broker::START,
        hint: format!("its log ends: {}", table.broker.log(table.injections.network.logged)),
    })
}

/// The broker's retained messages below the table's root, as a new subscriber gets them.
fn retained(table: &mut Virtual) -> Result<BTreeMap<String, Vec<u8>>, RigFault> {
    let subscriber = Observer::start(table.broker.address(), "tumbler-hil-subscriber")?;
    subscriber.mark(END_MARK);
    let done = |m: &Message| m.topic == END_MARK;
    await_broker(table, "to send its retained messages", |_| Ok(subscriber.messages().iter().any(done)))?;
    let below = format!("{}/", table.world.root());
    let mut retained = BTreeMap::new();
    for message in subscriber.messages() {
        match message.topic.strip_prefix(&below) {
            Some(name) if message.retained && message.payload.is_empty() => drop(retained.remove(name)),
            Some(name) if message.retained => drop(retained.insert(name.to_owned(), message.payload)),
            _ => {}
        }
    }
    Ok(retained)
}

impl Virtual {
    /// Compares the broker's retained messages with the snapshot on the console; one line for each difference.
    pub(in super::super) fn retained_differences(&mut self) -> Result<Vec<String>, BenchError> {
        let retained = retained(self)?;
        let Some(table) = self.snapshot()? else { return Ok(vec!["the daemon does not run".into()]) };
        let mut wrong = Vec::new();
        let mut look = |name: &str, right: bool| {
            if !right {
                let retained = retained.get(name).map(|payload| shortened(payload));
                wrong.push(format!("`{name}` holds {retained:?}"));
            }
        };
        let status: Option<Status> = read(&retained, "status");
        look("status", status.is_some_and(|status| status.status == "online"));
        let state: Option<StateMessage> = read(&retained, "state");
        look("state", state.is_some_and(|state| state.snapshot == table));
        let lamps: Option<LampsMessage> = read(&retained, "lamps");
        look("lamps", lamps.is_some_and(|lamps| lamps_agree(&lamps, &table)));
        // Other topics below the root may be a hostile client's.
        let told: BTreeSet<&str> = retained.keys().filter_map(|name| name.strip_prefix("fault/")).collect();
        for name in told {
            let fault: Option<FaultMessage> = read(&retained, &format!("fault/{name}"));
            let same = |fault: FaultMessage| {
                table
                    .malfunctions
                    .iter()
                    .any(|m| m.code == fault.code && m.cause == fault.cause && m.code.name() == name)
            };
            let known = name.parse::<tumbler_core::latch::Code>().is_ok();
            look(&format!("fault/{name}"), !known || fault.is_some_and(same));
        }
        for malfunction in &table.malfunctions {
            let name = format!("fault/{}", malfunction.code.name());
            look(&name, retained.contains_key(&name));
        }
        Ok(wrong)
    }

    /// Violations of the relay's rules among all packets that passed the proxy.
    pub(in super::super) fn relay_violations(&self) -> Vec<String> {
        let packets = self.proxy.counts().packets;
        let mut wrong = Vec::new();
        if packets.subscribes > 0 {
            let count = packets.subscribes;
            wrong.push(format!("the daemon sent {count} SUBSCRIBEs [design.md, Relay: it subscribes to nothing]"));
        }
        if packets.messages > 0 {
            let count = packets.messages;
            wrong.push(format!("the broker sent the daemon {count} messages [design.md, Relay: outbound only]"));
        }
        wrong
    }
}

fn read<T: serde::de::DeserializeOwned>(retained: &BTreeMap<String, Vec<u8>>, name: &str) -> Option<T> {
    serde_json::from_slice(retained.get(name)?).ok()
}

fn lamps_agree(lamps: &LampsMessage, table: &Snapshot) -> bool {
    lamps.commanded == table.lit && lamps.sensed == table.sensed && lamps.verified == table.verified
}

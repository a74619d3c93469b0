//! The way to the broker, and the broker: one thing broken at a time.

use super::super::broker::Broker;
use super::super::config::CLIENT_ID;
use super::super::proxy::Path;
use super::super::rig_fault::{RigFault, shortened};
use super::super::rogue_client::{RogueBehaviour, RogueClient};
use super::super::table::Virtual;
use super::refusal::no_means;
use super::state::Network;
use crate::process::observer::Observer;
use crate::{Bench, EnvironmentFault, Trouble};
use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpStream;
use std::time::Duration;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::topics::{FaultMessage, LampsMessage, StateMessage, Status};
use tumbler_judges::Part;

/// Messages of a hostile client that the broker must have forwarded: more than one salvo.
const SHOUTS: u64 = 20;
/// How long the broker may take to look at its files, or to tell a visitor what it keeps, in nanoseconds.
const ANSWER_NANOS: u64 = Broker::START.as_nanos() as u64;
/// A topic that is no table's: its message tells a visitor that everything kept has come before it.
const VISIT: &str = "taisai/visit";

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    if let Some(broken) = table.means.network.broken {
        return Err(Trouble::Rig(format!("{fault:?} while {broken:?}: the network breaks in one way at a time")));
    }
    let sent_away = std::mem::take(&mut table.means.network.sent_away);
    table.means.network = Network {
        broken: Some(fault),
        counts: table.proxy.counts(),
        logged: table.broker.logged(),
        strangers: table.world.strangers,
        sent_away,
        ..Network::default()
    };
    if fault != EnvironmentFault::BrokerHostile {
        table.tell_broken(Part::Network, true);
    }
    match fault {
        EnvironmentFault::BrokerDown => table.proxy.set(Path::Down),
        EnvironmentFault::BrokerHalfOpen => table.proxy.set(Path::HalfOpen),
        EnvironmentFault::BrokerSlow => table.proxy.set(Path::Slow),
        EnvironmentFault::BrokerFlapping => table.proxy.set(Path::Flapping),
        EnvironmentFault::BrokerDenies => {
            table.broker.admit(false)?;
            come_anew(table)?;
        }
        EnvironmentFault::BrokerTlsExpired => {
            table.broker.expire(true)?;
            come_anew(table)?;
        }
        EnvironmentFault::BrokerForgets => forget(table)?,
        EnvironmentFault::BrokerTakenOver => let_loose(table, CLIENT_ID, RogueBehaviour::Impostor)?,
        EnvironmentFault::BrokerHostile => {
            let root = table.world.root().to_owned();
            let_loose(table, "tumbler-hil-stranger", RogueBehaviour::Hostile { root })?;
        }
        _ => return Err(no_means(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    if table.means.network.broken != Some(fault) {
        return Err(Trouble::Rig(format!("{fault:?} is to be mended, and is not broken")));
    }
    if !shows(table, fault) {
        return Err(Trouble::Rig(format!("{fault:?} was mended before it took hold: {}", seen(table))));
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
            let network = &mut table.means.network;
            if let Some(rogue) = network.rogue.take() {
                rogue.dismiss();
                network.sent_away.push(rogue);
            }
        }
        _ => table.proxy.set(Path::Up),
    }
    table.means.shown.insert(fault);
    table.means.network.broken = None;
    if fault != EnvironmentFault::BrokerHostile {
        table.tell_broken(Part::Network, false);
    }
    Ok(())
}

/// Whether it shows now, where it is broken now; else whether it has shown.
pub(super) fn shows(table: &mut Virtual, fault: EnvironmentFault) -> bool {
    let network = &table.means.network;
    if network.broken != Some(fault) {
        return table.means.shown.contains(&fault);
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
        // A CONNACK with a reason code that refuses, as it went by.
        EnvironmentFault::BrokerDenies => now.packets.refusals > was.packets.refusals,
        EnvironmentFault::BrokerTlsExpired => now.taken > was.taken && logged("alert certificate expired"),
        EnvironmentFault::BrokerForgets => network.forgot && now.broken > was.broken,
        EnvironmentFault::BrokerTakenOver => {
            now.ended > was.ended && logged("already connected, closing old connection")
        }
        // Both ends of the broker: it took the messages, and handed them on to who reads the table's topics.
        EnvironmentFault::BrokerHostile => {
            let taken = network.rogue.as_ref().is_some_and(|rogue| rogue.done() >= SHOUTS / 2);
            taken && table.world.strangers >= network.strangers + SHOUTS
        }
        _ => false,
    }
}

/// What the rig saw of the present disturbance, for whoever wonders why it did not take hold.
fn seen(table: &Virtual) -> String {
    let network = &table.means.network;
    let log = table.broker.log(network.logged);
    format!("{:?} became {:?}; the broker's log: {log}", network.counts, table.proxy.counts())
}

fn let_loose(table: &mut Virtual, client_id: &str, behaviour: RogueBehaviour) -> Result<(), RigFault> {
    table.means.network.rogue = Some(RogueClient::start(table.broker.address(), client_id, behaviour)?);
    Ok(())
}

/// Makes the broker look at its files, and waits until it has.
fn reload(table: &mut Virtual) -> Result<(), RigFault> {
    let from = table.broker.logged();
    table.broker.reload()?;
    await_broker(table, "to look at its files", |table| Ok(table.broker.log(from).contains(Broker::RELOADED)))
}

/// The broker looks at its files while the path is down, so that the daemon has to connect again. Before that it must have noticed
/// that the daemon is gone: an account that it no longer knows gets no last will.
fn come_anew(table: &mut Virtual) -> Result<(), RigFault> {
    table.proxy.set(Path::Down);
    let was = table.means.network.counts.broken;
    await_broker(table, "to lose the daemon", |table| Ok(table.proxy.counts().broken > was))?;
    await_broker(table, "to notice that the daemon is gone", |table| {
        let log = table.broker.log(table.means.network.logged);
        let gone = [format!("Client {CLIENT_ID} closed its connection"), format!("Client {CLIENT_ID} disconnected")];
        Ok(gone.iter().any(|words| log.contains(words)))
    })?;
    reload(table)?;
    table.proxy.set(Path::Up);
    Ok(())
}

/// The broker is killed and comes back with nothing; the daemon gets through when the observer is there again, which
/// would otherwise miss events.
fn forget(table: &mut Virtual) -> Result<(), RigFault> {
    table.proxy.set(Path::Down);
    let subscriptions = table.observer.subscriptions();
    table.broker.begin()?;
    await_broker(table, "to come back", |table| table.broker.is_ready())?;
    await_broker(table, "to take the observer's subscription", |table| {
        Ok(table.observer.subscriptions() > subscriptions)
    })?;
    table.means.network.forgot = kept(table)?.is_empty();
    table.proxy.set(Path::Up);
    Ok(())
}

/// Lets the table go on until the broker has done something.
fn await_broker(
    table: &mut Virtual,
    what: &str,
    done: impl FnMut(&mut Virtual) -> Result<bool, RigFault>,
) -> Result<(), RigFault> {
    let until = table.world.now() + ANSWER_NANOS;
    if table.turn_until(until, done)? {
        return Ok(());
    }
    Err(RigFault::Late {
        what: format!("the broker {what}"),
        after: Broker::START,
        hint: format!("its log ends: {}", table.broker.log(table.means.network.logged)),
    })
}

/// What the broker keeps below the table's root, as a visitor is told it who comes now.
fn kept(table: &mut Virtual) -> Result<BTreeMap<String, Vec<u8>>, RigFault> {
    let visitor = Observer::start(table.broker.address(), "tumbler-hil-visitor")?;
    visitor.mark(VISIT);
    await_broker(table, "to tell what it keeps", |_| Ok(visitor.messages().iter().any(|m| m.topic == VISIT)))?;
    let below = format!("{}/", table.world.root());
    let mut kept = BTreeMap::new();
    for message in visitor.messages() {
        match message.topic.strip_prefix(&below) {
            Some(name) if message.retained && message.payload.is_empty() => drop(kept.remove(name)),
            Some(name) if message.retained => drop(kept.insert(name.to_owned(), message.payload)),
            _ => {}
        }
    }
    Ok(kept)
}

impl Virtual {
    /// Compares what the broker keeps with the table as it says on its console.
    pub(in super::super) fn kept_wrongly(&mut self) -> Result<Vec<String>, Trouble> {
        let kept = kept(self)?;
        let Some(table) = self.snapshot()? else { return Ok(vec!["the daemon does not run".into()]) };
        let mut wrong = Vec::new();
        let mut look = |name: &str, right: bool| {
            if !right {
                let kept = kept.get(name).map(|payload| shortened(payload));
                wrong.push(format!("`{name}` holds {kept:?}"));
            }
        };
        let status: Option<Status> = read(&kept, "status");
        look("status", status.is_some_and(|status| status.status == "online"));
        let state: Option<StateMessage> = read(&kept, "state");
        look("state", state.is_some_and(|state| state.snapshot == table));
        let lamps: Option<LampsMessage> = read(&kept, "lamps");
        look("lamps", lamps.is_some_and(|lamps| lights(&lamps, &table)));
        // Other topics below the root may be a hostile client's.
        let told: BTreeSet<&str> = kept.keys().filter_map(|name| name.strip_prefix("fault/")).collect();
        for name in told {
            let fault: Option<FaultMessage> = read(&kept, &format!("fault/{name}"));
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
            look(&name, kept.contains_key(&name));
        }
        Ok(wrong)
    }

    /// What the table must never do with its broker, in all that passed the proxy.
    pub(in super::super) fn wrong_with_broker(&self) -> Vec<String> {
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

fn read<T: serde::de::DeserializeOwned>(kept: &BTreeMap<String, Vec<u8>>, name: &str) -> Option<T> {
    serde_json::from_slice(kept.get(name)?).ok()
}

fn lights(lamps: &LampsMessage, table: &Snapshot) -> bool {
    lamps.commanded == table.lit && lamps.sensed == table.sensed && lamps.verified == table.verified
}

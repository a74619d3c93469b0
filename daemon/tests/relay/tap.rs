//! A tap on the line between relay and broker: it notes every message in either direction, and can stop forwarding
//! without closing anything, as a network does that loses a route.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// One connection as the tap saw it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tapped {
    /// Numbers of the records that were sent, in order.
    pub(crate) sent: Vec<u64>,
    /// Numbers of the records that the broker acknowledged towards the relay, in order.
    pub(crate) acknowledged: Vec<u64>,
    /// Packet numbers of records in flight.
    flying: BTreeMap<u16, u64>,
}

/// The tap.
pub(crate) struct Tap {
    pub(crate) port: u16,
    connections: Arc<Mutex<Vec<Tapped>>>,
    is_cut: watch::Sender<bool>,
    _task: JoinSet<()>,
}

impl Tap {
    /// A tap in front of the broker on this port.
    pub(crate) async fn start(broker: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections: Arc<Mutex<Vec<Tapped>>> = Arc::default();
        let (is_cut, cut) = watch::channel(false);
        let noted = Arc::clone(&connections);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut lines = JoinSet::new();
            loop {
                let (relay, _) = listener.accept().await.unwrap();
                let Ok(broker) = TcpStream::connect(("127.0.0.1", broker)).await else { continue };
                let number = {
                    let mut noted = noted.lock().unwrap();
                    noted.push(Tapped::default());
                    noted.len() - 1
                };
                let ((from_relay, to_relay), (from_broker, to_broker)) = (relay.into_split(), broker.into_split());
                lines.spawn(pass(from_relay, to_broker, Arc::clone(&noted), number, cut.clone()));
                lines.spawn(pass(from_broker, to_relay, Arc::clone(&noted), number, cut.clone()));
            }
        });
        Self { port, connections, is_cut, _task: task }
    }

    /// Stops or goes on forwarding; sockets stay as they are.
    pub(crate) fn cut(&self, is_cut: bool) {
        self.is_cut.send_replace(is_cut);
    }

    pub(crate) fn connections(&self) -> Vec<Tapped> {
        self.connections.lock().unwrap().clone()
    }
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    noted: Arc<Mutex<Vec<Tapped>>>,
    number: usize,
    mut cut: watch::Receiver<bool>,
) {
    let mut pending = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = from.read(&mut chunk).await.unwrap_or(0);
        // What a cut line swallowed stays swallowed, a hang-up too: the connection that it belonged to never comes back.
        if *cut.borrow() {
            let _ = cut.wait_for(|is_cut| !is_cut).await;
            return;
        }
        if count == 0 {
            return;
        }
        pending.extend_from_slice(&chunk[..count]);
        while let Some(packet) = packet(&mut pending) {
            note(&mut noted.lock().unwrap()[number], &packet);
            if to.write_all(&packet).await.is_err() {
                return;
            }
        }
    }
}

/// The next whole MQTT packet (MQTT 5.0, 2.1: fixed header, remaining length).
pub(crate) fn packet(pending: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut length = 0;
    let mut shift = 0;
    for (place, byte) in pending.iter().enumerate().skip(1) {
        length |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            let end = place + 1 + length;
            return (pending.len() >= end).then(|| pending.drain(..end).collect());
        }
    }
    None
}

fn note(tapped: &mut Tapped, packet: &[u8]) {
    let header = 1 + packet[1..].iter().position(|b| b & 0x80 == 0).unwrap() + 1;
    let body = &packet[header..];
    let u16_at = |at: usize| u16::from_be_bytes([body[at], body[at + 1]]);
    match packet[0] >> 4 {
        // PUBLISH with QoS 1 on `event`: topic, packet number, no properties, payload.
        3 if packet[0] & 0b110 == 0b010 => {
            let topic = usize::from(u16_at(0));
            if body[2..2 + topic].ends_with(b"/event") {
                let message: serde_json::Value = serde_json::from_slice(&body[2 + topic + 3..]).unwrap();
                let seq = message["seq"].as_u64().unwrap();
                tapped.sent.push(seq);
                tapped.flying.insert(u16_at(2 + topic), seq);
            }
        }
        // PUBACK.
        4 => tapped.acknowledged.extend(tapped.flying.remove(&u16_at(0))),
        _ => {}
    }
}

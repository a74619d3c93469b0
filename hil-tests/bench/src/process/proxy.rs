//! The network between daemon and broker: a small TCP proxy that can be down, half open, slow or flapping. It counts what it did to
//! the daemon's connections, and which packets passed.

use super::rig_fault::RigFault;
use super::tap::{Direction, PacketCounts, Tap};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// State of the path to the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Bytes pass.
    Up,
    /// Connections are refused, and those that were open are closed.
    Down,
    /// Connections stay open and are accepted, but nothing passes any more: this is how a dead peer or a lost route looks.
    HalfOpen,
    /// Every byte takes [`DELAY`] each way, and no more than [`RATE`] bytes a second pass.
    Slow,
    /// Alternately down and up, for [`TURN`] each, beginning with down.
    Flapping,
}

/// How long a byte takes on a slow path, one way.
pub const DELAY: Duration = Duration::from_millis(500);
/// Bytes a second in each direction of a slow path.
pub const RATE: u32 = 2048;
/// How long a flapping path is down, and then up.
pub const TURN: Duration = Duration::from_secs(1);
/// Most bytes in transit on a slow path; more wait in the buffers of sender and system.
const IN_TRANSIT: usize = 2048;

/// What the proxy did, counted since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProxyCounts {
    /// Connections that it accepted.
    pub taken: u64,
    /// Connections that it broke because the path went down.
    pub broken: u64,
    /// Connections that the broker ended.
    pub ended: u64,
    /// How often it held bytes back because the path was half open.
    pub withheld: u64,
    /// Bytes that it delayed because the path was slow.
    pub delayed: u64,
    /// How often a flapping path came up again.
    pub returns: u64,
    /// The packets that passed; none are seen under TLS.
    pub packets: PacketCounts,
}

/// The proxy; ends with its owner.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    path: watch::Sender<Option<Path>>,
    counts: Arc<Mutex<ProxyCounts>>,
    thread: Option<JoinHandle<()>>,
}

/// What the proxy needs to forward one connection.
#[derive(Clone)]
struct Connection {
    broker: SocketAddr,
    /// The current state, never [`Path::Flapping`].
    path: watch::Receiver<Option<Path>>,
    counts: Arc<Mutex<ProxyCounts>>,
    /// No TLS, so that packets can be counted.
    plain: bool,
}

impl Proxy {
    /// Starts a proxy to `broker` on a free port, with its path up. `plain`: what passes is MQTT without TLS.
    ///
    /// # Errors
    /// [`RigFault`] when no port or thread can be had.
    pub fn start(broker: SocketAddr, plain: bool) -> Result<Self, RigFault> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|l| l.set_nonblocking(true).map(|()| l))
            .map_err(RigFault::system("listen on 127.0.0.1 for the proxy"))?;
        let address = listener.local_addr().map_err(RigFault::system("name the proxy's port"))?;
        let (path, watched) = watch::channel(Some(Path::Up));
        let (effective, now) = watch::channel(Some(Path::Up));
        let counts = Arc::<Mutex<ProxyCounts>>::default();
        let connection = Connection { broker, path: now, counts: Arc::clone(&counts), plain };
        let thread = std::thread::Builder::new()
            .name("proxy".into())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                if let Ok(runtime) = runtime {
                    runtime.block_on(run(listener, address, watched, effective, connection));
                }
            })
            .map_err(RigFault::system("start the proxy's thread"))?;
        Ok(Self { address, path, counts, thread: Some(thread) })
    }

    /// Where the daemon is to connect.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the path's state.
    pub fn set(&self, path: Path) {
        let _ = self.path.send(Some(path));
    }

    /// The counts so far.
    #[must_use]
    pub fn counts(&self) -> ProxyCounts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.path.send(None);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn run(
    first: std::net::TcpListener,
    address: SocketAddr,
    mut commanded: watch::Receiver<Option<Path>>,
    effective: watch::Sender<Option<Path>>,
    connection: Connection,
) {
    let mut listener = TcpListener::from_std(first).ok();
    let mut flap: Option<(Instant, Path)> = None;
    loop {
        let state = match *commanded.borrow_and_update() {
            Some(Path::Flapping) => Some(flap.get_or_insert((Instant::now() + TURN, Path::Down)).1),
            other => {
                flap = None;
                other
            }
        };
        effective.send_if_modified(|was| std::mem::replace(was, state) != state);
        match state {
            None => return,
            Some(Path::Down) => listener = None,
            Some(_) if listener.is_none() => listener = TcpListener::bind(address).await.ok(),
            Some(_) => {}
        }
        tokio::select! {
            changed = commanded.changed() => if changed.is_err() { return },
            client = accept(listener.as_ref()) => if let Some(client) = client {
                connection.count(|counts| counts.taken += 1);
                tokio::spawn(connection.clone().run(client));
            },
            () = at(flap.map(|(until, _)| until)) => {
                let up = state == Some(Path::Down);
                connection.count(|counts| counts.returns += u64::from(up));
                flap = Some((Instant::now() + TURN, if up { Path::Up } else { Path::Down }));
            }
            // The port may still be taken when the path comes up: try again.
            () = tokio::time::sleep(Duration::from_millis(50)), if listener.is_none() && state != Some(Path::Down) => {}
        }
    }
}

async fn accept(listener: Option<&TcpListener>) -> Option<TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.ok().map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// Waits until this moment; for ever if there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Why one direction of a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// An end closed it.
    Closed,
    /// The path went down.
    Path,
}

impl Connection {
    fn count(&self, change: impl FnOnce(&mut ProxyCounts)) {
        change(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Carries one connection until either end closes it, or the path goes down.
    async fn run(mut self, client: TcpStream) {
        // While the path is half open the client gets a connection on which nothing arrives.
        if *self.path.borrow() == Some(Path::HalfOpen)
            && self.path.wait_for(|p| *p != Some(Path::HalfOpen)).await.is_ok_and(|p| *p == Some(Path::Down))
        {
            return;
        }
        let Ok(server) = TcpStream::connect(self.broker).await else { return };
        let (_, _) = (client.set_nodelay(true), server.set_nodelay(true));
        let (client_read, client_write) = client.into_split();
        let (server_read, server_write) = server.into_split();
        tokio::select! {
            end = self.clone().copy(client_read, server_write, Direction::ToBroker) => {
                self.count(|counts| counts.broken += u64::from(end == End::Path));
            }
            end = self.clone().copy(server_read, client_write, Direction::ToDaemon) => self.count(|counts| match end {
                End::Path => counts.broken += 1,
                End::Closed => counts.ended += 1,
            }),
        }
    }

    async fn copy(mut self, from: OwnedReadHalf, mut to: OwnedWriteHalf, direction: Direction) -> End {
        let mut tap = Tap::new(direction);
        let mut buffer = vec![0_u8; 16 * 1024];
        let mut line: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
        // When the slow path has delivered everything in transit.
        let mut free = Instant::now();
        let (mut noted, mut over) = (false, false);
        loop {
            let state = *self.path.borrow_and_update();
            if matches!(state, None | Some(Path::Down)) {
                return End::Path;
            }
            if over && line.is_empty() {
                return End::Closed;
            }
            noted &= state == Some(Path::HalfOpen);
            let (slow, held) = (state == Some(Path::Slow), state == Some(Path::HalfOpen));
            let room = if slow {
                IN_TRANSIT.saturating_sub(line.iter().map(|(_, bytes)| bytes.len()).sum())
            } else {
                buffer.len()
            };
            let due = line.front().filter(|_| !held).map(|(due, _)| *due);
            tokio::select! {
                changed = self.path.changed() => if changed.is_err() { return End::Path },
                ready = from.readable(), if room > 0 && !noted && !over => {
                    if held {
                        noted = true;
                        self.count(|counts| counts.withheld += 1);
                        continue;
                    }
                    let n = match ready.and_then(|()| from.try_read(buffer.get_mut(..room).unwrap_or_default())) {
                        Ok(n @ 1..) => n,
                        Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => continue,
                        // Bytes in transit still arrive.
                        Ok(_) | Err(_) => {
                            over = true;
                            continue;
                        }
                    };
                    let bytes = buffer.get(..n).unwrap_or_default();
                    if self.plain {
                        self.count(|counts| tap.pass(bytes, &mut counts.packets));
                    }
                    let now = Instant::now();
                    if slow {
                        free = free.max(now) + Duration::from_secs(1) * u32::try_from(n).unwrap_or(u32::MAX) / RATE;
                        self.count(|counts| counts.delayed += n as u64);
                    }
                    let due = if slow { free + DELAY } else { now };
                    line.push_back((due.max(line.back().map_or(now, |(last, _)| *last)), bytes.to_vec()));
                }
                () = at(due) => {
                    if let Some((_, bytes)) = line.pop_front() {
                        if to.write_all(&bytes).await.is_err() {
                            return End::Closed;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn echo() -> SocketAddr {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut byte = [0];
                    while stream.read_exact(&mut byte).is_ok() && stream.write_all(&byte).is_ok() {}
                });
            }
        });
        address
    }

    fn ask(stream: &mut std::net::TcpStream) -> std::io::Result<u8> {
        let mut byte = [0];
        stream.write_all(&[7])?;
        stream.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    #[test]
    fn bytes_pass_when_up_stop_when_half_open_and_connections_break_when_down() {
        let proxy = Proxy::start(echo(), false).unwrap();
        let mut stream = std::net::TcpStream::connect(proxy.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        assert_eq!(ask(&mut stream).unwrap(), 7);

        proxy.set(Path::HalfOpen);
        super::super::clock::wait_for("bytes that are held back", Duration::from_secs(5), String::new, || {
            // What was written before the path was told of its state passed, and comes back.
            stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            Ok(ask(&mut stream).is_err() && proxy.counts().withheld == 1)
        })
        .unwrap();
        let mut other = std::net::TcpStream::connect(proxy.address()).unwrap();
        other.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let silent = ask(&mut other).unwrap_err();
        assert!(matches!(silent.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut), "{silent}");

        proxy.set(Path::Down);
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut rest = Vec::new();
        assert!(matches!(stream.read_to_end(&mut rest), Ok(0) | Err(_)), "the old connection ends");
        super::super::clock::wait_for("refusal", Duration::from_secs(5), String::new, || {
            Ok(std::net::TcpStream::connect(proxy.address()).is_err())
        })
        .unwrap();

        super::super::clock::wait_for("the broken connection's count", Duration::from_secs(5), String::new, || {
            Ok(proxy.counts().broken == 1)
        })
        .unwrap();

        proxy.set(Path::Up);
        super::super::clock::wait_for("the way back", Duration::from_secs(5), String::new, || {
            Ok(std::net::TcpStream::connect(proxy.address()).is_ok_and(|mut s| ask(&mut s).is_ok_and(|b| b == 7)))
        })
        .unwrap();
    }

    #[test]
    fn a_slow_path_delays_every_byte_and_loses_none() {
        let proxy = Proxy::start(echo(), false).unwrap();
        let mut stream = std::net::TcpStream::connect(proxy.address()).unwrap();
        assert_eq!(ask(&mut stream).unwrap(), 7);
        proxy.set(Path::Slow);
        // The path may be told of its state a moment later than the stream of its byte: then the first is not slow.
        let begun = std::time::Instant::now();
        for _ in 0..3 {
            assert_eq!(ask(&mut stream).unwrap(), 7);
        }
        assert!(begun.elapsed() >= 4 * DELAY, "three ways there and back, of which two at least are slow");
        assert!(proxy.counts().delayed >= 4);
    }

    #[test]
    fn a_flapping_path_breaks_what_is_open_and_comes_back() {
        let proxy = Proxy::start(echo(), false).unwrap();
        let mut stream = std::net::TcpStream::connect(proxy.address()).unwrap();
        assert_eq!(ask(&mut stream).unwrap(), 7);
        proxy.set(Path::Flapping);
        super::super::clock::wait_for("two returns", Duration::from_secs(20), String::new, || {
            Ok(proxy.counts().returns >= 2)
        })
        .unwrap();
        assert!(proxy.counts().broken >= 1);
        proxy.set(Path::Up);
        super::super::clock::wait_for("the way back", Duration::from_secs(5), String::new, || {
            Ok(std::net::TcpStream::connect(proxy.address()).is_ok_and(|mut s| ask(&mut s).is_ok_and(|b| b == 7)))
        })
        .unwrap();
    }
}

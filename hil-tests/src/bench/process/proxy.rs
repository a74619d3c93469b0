//! The network between daemon and broker: a small TCP proxy that can be down, or half open.

use super::fault::RigFault;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// State of the path to the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Bytes pass.
    Up,
    /// Connections are refused, and those that were open are closed.
    Down,
    /// Connections stay open and are accepted, and nothing passes any more: what a dead peer or a lost route looks like.
    HalfOpen,
}

/// The proxy; ends with its owner.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    path: watch::Sender<Option<Path>>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts a proxy to `broker` on a free port, with its path up.
    ///
    /// # Errors
    /// [`RigFault`] when no port or thread can be had.
    pub fn start(broker: SocketAddr) -> Result<Self, RigFault> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|l| l.set_nonblocking(true).map(|()| l))
            .map_err(RigFault::system("listen on 127.0.0.1 for the proxy"))?;
        let address = listener.local_addr().map_err(RigFault::system("name the proxy's port"))?;
        let (path, watched) = watch::channel(Some(Path::Up));
        let thread = std::thread::Builder::new()
            .name("proxy".into())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                if let Ok(runtime) = runtime {
                    runtime.block_on(run(listener, address, broker, watched));
                }
            })
            .map_err(RigFault::system("start the proxy's thread"))?;
        Ok(Self { address, path, thread: Some(thread) })
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
    broker: SocketAddr,
    mut path: watch::Receiver<Option<Path>>,
) {
    let mut listener = TcpListener::from_std(first).ok();
    loop {
        let state = *path.borrow_and_update();
        match state {
            None => return,
            Some(Path::Down) => listener = None,
            Some(Path::Up | Path::HalfOpen) => {
                if listener.is_none() {
                    listener = TcpListener::bind(address).await.ok();
                }
            }
        }
        tokio::select! {
            changed = path.changed() => if changed.is_err() { return },
            client = accept(listener.as_ref()) => if let Some(client) = client {
                tokio::spawn(carry(client, broker, path.clone()));
            },
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

/// Carries one connection until either end closes it, or the path goes down.
async fn carry(client: TcpStream, broker: SocketAddr, path: watch::Receiver<Option<Path>>) {
    // While the path is half open the client gets a connection on which nothing ever comes.
    let mut waiting = path.clone();
    if *waiting.borrow() == Some(Path::HalfOpen)
        && waiting.wait_for(|p| *p != Some(Path::HalfOpen)).await.is_ok_and(|p| *p != Some(Path::Up))
    {
        return;
    }
    let Ok(server) = TcpStream::connect(broker).await else { return };
    let (_, _) = (client.set_nodelay(true), server.set_nodelay(true));
    let (client_read, client_write) = client.into_split();
    let (server_read, server_write) = server.into_split();
    tokio::select! {
        () = copy(client_read, server_write, path.clone()) => {}
        () = copy(server_read, client_write, path) => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut path: watch::Receiver<Option<Path>>) {
    let mut buffer = vec![0_u8; 16 * 1024];
    loop {
        let state = *path.borrow_and_update();
        tokio::select! {
            changed = path.changed() => if changed.is_err() { return },
            read = from.read(&mut buffer), if state == Some(Path::Up) => match read {
                Ok(0) | Err(_) => return,
                Ok(n) => if to.write_all(buffer.get(..n).unwrap_or_default()).await.is_err() { return },
            }
        }
        if matches!(*path.borrow(), None | Some(Path::Down)) {
            return;
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
        let proxy = Proxy::start(echo()).unwrap();
        let mut stream = std::net::TcpStream::connect(proxy.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        assert_eq!(ask(&mut stream).unwrap(), 7);

        proxy.set(Path::HalfOpen);
        let mut other = std::net::TcpStream::connect(proxy.address()).unwrap();
        other.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let silent = ask(&mut other).unwrap_err();
        assert!(matches!(silent.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut), "{silent}");

        proxy.set(Path::Down);
        let mut rest = Vec::new();
        assert!(matches!(stream.read_to_end(&mut rest), Ok(0) | Err(_)), "the old connection ends");
        super::super::clock::wait_for("refusal", Duration::from_secs(5), String::new, || {
            Ok(std::net::TcpStream::connect(proxy.address()).is_err())
        })
        .unwrap();

        proxy.set(Path::Up);
        super::super::clock::wait_for("the way back", Duration::from_secs(5), String::new, || {
            Ok(std::net::TcpStream::connect(proxy.address()).is_ok_and(|mut s| ask(&mut s).is_ok_and(|b| b == 7)))
        })
        .unwrap();
    }
}

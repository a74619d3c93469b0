//! Accepts clients, up to a bound, and serves each on a task of its own.

use super::access::{Access, Client};
use super::{Feeds, Picture, Shared, answers, picture};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Most clients at a time: a browser keeps up to six connections, a pit has a few screens.
pub const CONNECTIONS: usize = 48;
/// Longest time in which a request's head must have come.
const HEAD: Duration = Duration::from_secs(10);
/// Pause after the system refused to accept a client, for want of descriptors or memory.
const REFUSED: Duration = Duration::from_millis(200);
/// Pause before an address that is taken is tried again.
const TAKEN: Duration = Duration::from_secs(5);

/// Serves clients at this address until the daemon stops. An address that cannot be had is tried again: games go on without.
pub async fn run(address: SocketAddr, feeds: Feeds) {
    let stop = feeds.stop.clone();
    tokio::select! {
        () = stopped(stop) => {}
        () = async {
            if feeds.login.is_some() && !address.ip().is_loopback() {
                tracing::warn!(
                    "passwords for the panel go over the network in clear at {address}: listen on 127.0.0.1 and reach it by \
                     `ssh -L`, or put a TLS proxy in front of it"
                );
            }
            on(bind(address).await, feeds).await;
        } => {}
    }
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    // Without its guard, which would tie this task to its thread. A main thread that is gone asks for the stop too.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Serves clients of this listener until the daemon stops.
pub async fn on(listener: TcpListener, feeds: Feeds) {
    let Feeds { about, snapshot, durable, relay, records, traces, state_dir, login, host, stop } = feeds;
    let picture = Arc::new(Mutex::new(Picture::default()));
    let collecting = picture::collect(Arc::clone(&picture), traces, snapshot.clone());
    let (access, names) = (login.map(|login| Arc::new(Access::new(login))), names(host));
    let stops = stop.clone();
    let counting = {
        let access = access.clone();
        async move {
            if let Some(access) = access {
                access.tell().await;
            }
        }
    };
    let shared = Shared { about, snapshot, durable, relay, records, picture, state_dir, access, names, stop: stops };
    tokio::select! {
        () = stopped(stop) => {}
        () = async { tokio::join!(collecting, counting, serve(listener, shared)); } => {}
    }
}

/// The names under which the panel may be asked for: what a network's own name service may call this machine, and the one of
/// the configuration.
fn names(host: Option<String>) -> Arc<[String]> {
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let own = own.trim();
    let own = if own.is_empty() { Vec::new() } else { vec![own.to_owned(), format!("{own}.local")] };
    own.into_iter().chain(host).collect()
}

async fn serve(listener: TcpListener, shared: Shared) {
    let service = TowerToHyperService::new(answers::router(shared));
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = clients.join_next() => {}
            accepted = listener.accept(), if clients.len() < CONNECTIONS => match accepted {
                Ok((stream, from)) => {
                    let service = service.clone();
                    clients.spawn(async move { client(stream, from.ip(), service).await });
                }
                Err(error) => {
                    tracing::warn!("the panel cannot accept a client: {error}");
                    sleep(REFUSED).await;
                }
            }
        }
    }
}

async fn client(stream: TcpStream, from: IpAddr, service: TowerToHyperService<axum::Router>) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Client(from));
        service.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(16 * 1024);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!("a client of the panel: {error}");
    }
}

async fn bind(address: SocketAddr) -> TcpListener {
    let mut told = false;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => {
                tracing::info!("the panel listens at http://{}/", listener.local_addr().unwrap_or(address));
                return listener;
            }
            Err(error) => {
                if !told {
                    tracing::warn!(
                        "the panel cannot listen at {address}: {error}; games go on without it, and it is tried again every {} s. \
                         Free the address, or set panel.listen to another one",
                        TAKEN.as_secs()
                    );
                    told = true;
                }
                sleep(TAKEN).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games go on without the panel while its address is taken, and it comes as soon as it is free.
    #[tokio::test(start_paused = true)]
    async fn an_address_that_is_taken_is_tried_again() {
        let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = other.local_addr().unwrap();
        let mut waiting = Box::pin(bind(address));
        assert!(tokio::time::timeout(TAKEN * 3, &mut waiting).await.is_err());
        drop(other);
        let listener = tokio::time::timeout(TAKEN * 3, waiting).await.unwrap();
        assert_eq!(listener.local_addr().unwrap(), address);
    }
}

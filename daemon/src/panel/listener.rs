//! Accepts clients, within the bounds of [`super::places`], and serves each on a task of its own. Whoever is not there any more, or
//! does not take what it asked for, loses its place.

use super::access::{Access, Client};
use super::head::{Framing, Heads};
use super::places::{AGAIN, Full, Place, Places};
use super::problem::Problem;
use super::repeats::{self, Repeats};
use super::{Feeds, Picture, Shared, answers, picture};
use crate::run::stop::stopped;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::{SockRef, TcpKeepalive};
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// Longest time in which a request's head must have come, the first one and each one after an answer.
const HEAD: Duration = Duration::from_secs(10);
/// Longest time for which a client takes nothing of what waits for it.
const TAKES: Duration = Duration::from_secs(10);
/// Bytes that may wait for a client in the kernel, which counts them twice. They come out of the memory that the service may have.
const BUFFER: usize = 128 * 1024;
/// Time without a word from a client's machine after which it is asked whether it is there, between two questions, and their number.
const ALIVE: (Duration, Duration, u32) = (Duration::from_secs(15), Duration::from_secs(5), 3);
/// Longest time for which a client's machine acknowledges nothing of what it was sent.
const SILENT: Duration = Duration::from_secs(20);
/// Clients at a time who are told that there is no place, and how long they are listened to for it. More are told nothing.
const TURNED: (usize, Duration) = (16, Duration::from_secs(2));
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

/// Serves clients of this listener until the daemon stops.
pub async fn on(listener: TcpListener, feeds: Feeds) {
    let Feeds { about, snapshot, durable, relay, records, traces, wires, disk, login, host, stop } = feeds;
    let picture = Arc::new(Mutex::new(Picture::default()));
    let collecting = picture::collect(Arc::clone(&picture), traces, snapshot.clone());
    let (access, names) = (login.map(|login| Arc::new(Access::new(login, &about))), names(host));
    let stops = stop.clone();
    let counting = {
        let access = access.clone();
        async move {
            if let Some(access) = access {
                access.tell().await;
            }
        }
    };
    let places = Arc::new(Places::default());
    let shared =
        Shared { about, snapshot, durable, relay, records, picture, wires, disk, access, names, places, stop: stops };
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
    let places = Arc::clone(&shared.places);
    let service = TowerToHyperService::new(answers::router(shared));
    let full = Repeats::new("connections to the panel for which there was no place");
    let (mut clients, mut turned) = (JoinSet::new(), JoinSet::new());
    let told = [&full];
    let counting = repeats::tell(&told);
    tokio::pin!(counting);
    loop {
        tokio::select! {
            () = &mut counting => {}
            Some(_) = clients.join_next() => {}
            Some(_) = turned.join_next() => {}
            // Whoever it is: only an address that is known says whether there is a place.
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => match places.connect(from.ip()) {
                    Ok(place) => drop(clients.spawn(client(stream, place, from.ip(), service.clone()))),
                    Err(why) => {
                        if full.again() {
                            tracing::warn!("the panel turned away {}: {why}", from.ip());
                        }
                        if turned.len() < TURNED.0 {
                            turned.spawn(timeout(TURNED.1, turn_away(stream, why)));
                        }
                    }
                },
                Err(error) => {
                    tracing::warn!("the panel cannot accept a client: {error}");
                    sleep(REFUSED).await;
                }
            }
        }
    }
}

/// Lets the kernel find out that a client is gone, and bounds what waits for it there.
fn watch(stream: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(stream);
    let (after, between, times) = ALIVE;
    socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(after).with_interval(between).with_retries(times))?;
    socket.set_tcp_user_timeout(Some(SILENT))?;
    socket.set_send_buffer_size(BUFFER)
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(16 * 1024);
    http
}

async fn client(stream: TcpStream, place: Place, from: IpAddr, service: TowerToHyperService<axum::Router>) {
    if let Err(error) = watch(&stream) {
        tracing::debug!("a client of the panel: {error}");
        return;
    }
    let framing = Framing::new();
    let heads = framing.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        let is_last = framing.request(&request);
        request.extensions_mut().insert(Client(from));
        let answer = service.call(request);
        async move {
            let mut answer = answer.await?;
            if is_last {
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(TAKES));
    let stream = TokioIo::new(Heads::new(Box::pin(stream), heads));
    if let Err(error) = http().serve_connection(stream, service).await {
        tracing::debug!("a client of the panel: {error}");
    }
    drop(place);
}

/// Answers that there is no place. A browser asks again for the page by itself.
async fn turn_away(stream: TcpStream, why: Full) {
    let service = service_fn(|_: Request<Incoming>| async move {
        let mut response: Response = Problem::busy(why.to_string(), Some(AGAIN)).into_response();
        response.headers_mut().insert(header::REFRESH, HeaderValue::from(AGAIN.as_secs()));
        Ok::<_, Infallible>(response)
    });
    let mut http = http();
    // That it hangs up meanwhile is what it is asked to do.
    let _ = http.keep_alive(false).serve_connection(TokioIo::new(stream), service).await;
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

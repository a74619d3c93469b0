//! Simulated browsers at the panel: pages that follow the table's events and poll its health, and readers that are too slow.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tumbler_bench::process::rig_fault::RigFault;

/// How often a page polls the health, as the panel's own page does.
const HEALTH: Duration = Duration::from_secs(5);
/// How long a browser waits for data before it checks whether to stop.
const POLL: Duration = Duration::from_millis(200);
/// Bytes and interval of a slow reader: less than a table sends.
const SLOW_READ: (usize, Duration) = (64, Duration::from_secs(1));

/// Simulated browsers, until they are dropped.
pub(super) struct Browsers {
    stop: Arc<AtomicBool>,
    read: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Browsers {
    /// Connects this many pages and slow readers.
    pub(super) fn connect(address: SocketAddr, pages: u32, slow: u32) -> Result<Self, RigFault> {
        let (stop, read) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut browsers = Self { stop, read, threads: Vec::new() };
        for n in 0..pages + slow {
            let stream = ask(address, "/events").map_err(RigFault::system("connect to the panel"))?;
            let (stop, read) = (Arc::clone(&browsers.stop), Arc::clone(&browsers.read));
            let visit =
                move || if n < pages { page(address, stream, &stop, &read) } else { read_slowly(stream, &stop) };
            browsers.threads.push(std::thread::spawn(visit));
        }
        Ok(browsers)
    }

    /// Bytes that the pages have read so far, to check that the panel serves them.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl Drop for Browsers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A browser that panicked has reported it, and has ended.
            let _ = thread.join();
        }
    }
}

fn ask(address: SocketAddr, path: &str) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(POLL))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    Ok(stream)
}

fn page(address: SocketAddr, mut events: TcpStream, stop: &AtomicBool, read: &AtomicU64) {
    let mut buffer = [0; 16 * 1024];
    let mut asked = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        if !take(&mut events, &mut buffer, read) {
            return;
        }
        if asked.elapsed() >= HEALTH {
            asked = Instant::now();
            let Ok(mut health) = ask(address, "/api/health") else { return };
            while !stop.load(Ordering::Relaxed) && take(&mut health, &mut buffer, read) {}
        }
    }
}

/// Reads what is there. Returns whether more may follow.
fn take(from: &mut TcpStream, buffer: &mut [u8], read: &AtomicU64) -> bool {
    match from.read(buffer) {
        Ok(0) => false,
        Ok(count) => {
            read.fetch_add(count as u64, Ordering::Relaxed);
            true
        }
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted),
    }
}

fn read_slowly(mut events: TcpStream, stop: &AtomicBool) {
    let (bytes, pause) = SLOW_READ;
    let mut buffer = vec![0; bytes];
    let mut next = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(POLL);
        if Instant::now() >= next {
            next += pause;
            if matches!(events.read(&mut buffer), Ok(0)) {
                return;
            }
        }
    }
}

//! Browsers at the panel, as far as the daemon can tell: pages that follow the table and ask how it fares, and one that hardly
//! reads.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tumbler_bench::process::rig_fault::RigFault;

/// How often a page asks for the health, as the panel's own page does.
const HEALTH: Duration = Duration::from_secs(5);
/// How long a visitor waits for something before it looks whether it is to leave.
const LOOK: Duration = Duration::from_millis(200);
/// What the slow one reads, and how often: less than a table tells.
const SIP: (usize, Duration) = (64, Duration::from_secs(1));

/// Visitors, until they are dropped.
pub(super) struct Visitors {
    leave: Arc<AtomicBool>,
    read: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Visitors {
    /// So many pages and so many slow readers, all of them connected.
    pub(super) fn come(address: SocketAddr, pages: u32, slow: u32) -> Result<Self, RigFault> {
        let (leave, read) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut visitors = Self { leave, read, threads: Vec::new() };
        for n in 0..pages + slow {
            let stream = ask(address, "/events").map_err(RigFault::system("connect to the panel"))?;
            let (leave, read) = (Arc::clone(&visitors.leave), Arc::clone(&visitors.read));
            let visit = move || if n < pages { page(address, stream, &leave, &read) } else { sip(stream, &leave) };
            visitors.threads.push(std::thread::spawn(visit));
        }
        Ok(visitors)
    }

    /// Bytes that the pages have read so far: that they are served is not to be taken on trust.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl Drop for Visitors {
    fn drop(&mut self) {
        self.leave.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that panicked has said so, and has left.
            let _ = thread.join();
        }
    }
}

fn ask(address: SocketAddr, path: &str) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(LOOK))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    Ok(stream)
}

fn page(address: SocketAddr, mut events: TcpStream, leave: &AtomicBool, read: &AtomicU64) {
    let mut buffer = [0; 16 * 1024];
    let mut asked = Instant::now();
    while !leave.load(Ordering::Relaxed) {
        if !take(&mut events, &mut buffer, read) {
            return;
        }
        if asked.elapsed() >= HEALTH {
            asked = Instant::now();
            let Ok(mut health) = ask(address, "/api/health") else { return };
            while !leave.load(Ordering::Relaxed) && take(&mut health, &mut buffer, read) {}
        }
    }
}

/// Reads what there is; whether more may come.
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

fn sip(mut events: TcpStream, leave: &AtomicBool) {
    let (bytes, pause) = SIP;
    let mut buffer = vec![0; bytes];
    let mut next = Instant::now();
    while !leave.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
        if Instant::now() >= next {
            next += pause;
            if matches!(events.read(&mut buffer), Ok(0)) {
                return;
            }
        }
    }
}

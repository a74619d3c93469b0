//! A browser just large enough for the panel, at an address of its own in 127.0.0.0/8.

use super::bench::{LONG, Place};
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::time::Instant;
use std::{fs, thread};

/// The password of the account `jo`.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A panel's address, and a browser's cookies.
pub(crate) struct Browser {
    panel: u16,
    from: Ipv4Addr,
    pub(crate) cookies: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Gives the table a panel with a login for `jo`; returns its port.
pub(crate) fn with_panel(place: &Place) -> u16 {
    use std::os::unix::fs::PermissionsExt;
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let accounts = place.path("accounts");
    fs::write(&accounts, tumblerd::panel::accounts::line("jo", PASSWORD).unwrap()).unwrap();
    fs::set_permissions(&accounts, fs::Permissions::from_mode(0o600)).unwrap();
    let mut config = fs::read_to_string(place.path("table.toml")).unwrap();
    let accounts = accounts.display();
    config += &format!("[panel]\nenabled = true\nlisten = \"0.0.0.0:{port}\"\naccounts_file = \"{accounts}\"\n");
    fs::write(place.path("table.toml"), config).unwrap();
    port
}

impl Browser {
    /// One at 127.0.`net`.`host`.
    pub(crate) fn new(panel: u16, net: u8, host: u8) -> Self {
        Self { panel, from: Ipv4Addr::new(127, 0, net, host), cookies: Vec::new() }
    }

    /// Waits until the panel listens. It looks from another address than the panel's: the system gives each attempt a port, and one of
    /// the panel's address that got the panel's port would connect to itself, and the panel could not listen.
    pub(crate) fn waits(self) -> Self {
        let until = Instant::now() + LONG;
        while Self::new(self.panel, 255, 1).connect().is_none() {
            assert!(Instant::now() < until, "the panel does not listen");
            thread::yield_now();
        }
        self
    }

    /// A connection to the panel; `None` while it does not listen.
    pub(crate) fn connect(&self) -> Option<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddrV4::new(self.from, 0).into()).unwrap();
        socket.connect(&SocketAddrV4::new(Ipv4Addr::LOCALHOST, self.panel).into()).ok()?;
        socket.set_read_timeout(Some(LONG)).unwrap();
        Some(TcpStream::from(socket))
    }

    /// One request on a connection of its own; `None` when the panel hangs up without an answer.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Option<Answer> {
        let mut stream = self.connect()?;
        let cookies = self.cookies.join("; ");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Tumblerd: panel\r\nCookie: {cookies}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut all = Vec::new();
        stream.read_to_end(&mut all).ok()?;
        let all = String::from_utf8(all).unwrap();
        let (head, body) = all.split_once("\r\n\r\n")?;
        let code = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { code, head: head.to_lowercase(), body: body.to_owned() })
    }

    /// Logs in, and keeps the cookies.
    pub(crate) fn log_in(&mut self, name: &str, password: &str) -> Option<Answer> {
        let body: Value = json!({ "name": name, "password": password });
        let answer = self.ask("POST", "/api/login", &body.to_string())?;
        for set in answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()) {
            self.cookies.retain(|cookie| cookie.split('=').next() != set.split('=').next());
            self.cookies.push(set.to_owned());
        }
        Some(answer)
    }
}

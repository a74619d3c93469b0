//! The floor: two hundred tables at one broker, each with a connection and a will of its own.

use crate::authority::authority;
use crate::broker::{Broker, free_port};
use crate::wait::until;
use nix::pty::{Winsize, openpty};
use nix::sys::signal::Signal;
use nix::sys::termios::tcgetattr;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::LastWill;
use rumqttc::v5::{AsyncClient, MqttOptions};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The examples of the page about topics, which are messages byte for byte.
const PAGE: &str = include_str!("../../../docs/mqtt.md");
const TABLES: usize = 200;

fn example(topic: &str) -> String {
    let block = PAGE.split("```json ").find_map(|block| block.strip_prefix(topic)?.strip_prefix('\n')).unwrap();
    block.split("\n```").next().unwrap().to_owned()
}

/// A table as the broker knows it. Dropped, its connection is cut, and the broker publishes the will.
struct Table {
    name: String,
    client: AsyncClient,
    task: JoinHandle<()>,
}

impl Table {
    async fn start(port: u16, name: String) -> Self {
        let options = MqttOptions::new(format!("tumblerd-pit-{name}"), "127.0.0.1", port);
        Self::with(options, name).await
    }

    async fn with(mut options: MqttOptions, name: String) -> Self {
        let topic = format!("taisai/pit/{name}/status");
        options.set_keep_alive(Duration::from_secs(60));
        let offline = example("status").replace("online", "offline");
        options.set_last_will(LastWill::new(topic, offline, QoS::AtLeastOnce, true, None));
        let (client, mut events) = AsyncClient::new(options, 16);
        let task = tokio::spawn(async move { while events.poll().await.is_ok() {} });
        let table = Self { name, client, task };
        for topic in ["status", "lamps"] {
            table.tell(topic, true, &example(topic)).await;
        }
        table.latch(1207, "").await;
        table
    }

    async fn tell(&self, topic: &str, retain: bool, payload: &str) {
        let topic = format!("taisai/pit/{}/{topic}", self.name);
        self.client.publish(topic, QoS::AtLeastOnce, retain, payload.to_owned()).await.unwrap();
    }

    /// What is latched now, as of this record.
    async fn latch(&self, seq: u64, cause: &str) {
        let mut state: Value = serde_json::from_str(&example("state")).unwrap();
        state["seq"] = seq.into();
        state["malfunctions"][0]["cause"] = cause.into();
        if cause.is_empty() {
            state["malfunctions"] = json!([]);
        }
        self.tell("state", true, &state.to_string()).await;
    }

    async fn event(&self, seq: u64) {
        let mut event: Value = serde_json::from_str(&example("event")).unwrap();
        let head = |seq: u64| format!("{seq:064x}").chars().rev().collect::<String>();
        (event["head"], event["chain"]["previous"]) = (head(seq).into(), head(seq - 1).into());
        event["seq"] = seq.into();
        self.tell("event", false, &event.to_string()).await;
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn tables(port: u16) -> Vec<Table> {
    let mut all = Vec::new();
    for n in 1..=TABLES {
        all.push(Table::start(port, format!("t{n}")).await);
    }
    all
}

/// A floor that is watched: the newest picture that `tumblerctl floor --json` has printed.
pub(crate) struct Watched {
    newest: Arc<Mutex<Value>>,
    _running: Running,
}

impl Watched {
    pub(crate) fn start(port: u16) -> Self {
        let mut child = ctl(port, &["--json", "--silent-after", "3600"]).stdout(Stdio::piped()).spawn().unwrap();
        let newest = Arc::new(Mutex::new(Value::Null));
        let (pictures, keep) = (BufReader::new(child.stdout.take().unwrap()), Arc::clone(&newest));
        std::thread::spawn(move || {
            for picture in pictures.lines() {
                *keep.lock().unwrap() = serde_json::from_str(&picture.unwrap()).unwrap();
            }
        });
        Self { newest, _running: Running(child) }
    }

    pub(crate) fn picture(&self) -> Value {
        self.newest.lock().unwrap().clone()
    }

    async fn counts(&self, fault: usize, silent: usize, gap: usize) {
        let expected = json!({"rewritten": 0, "fault": fault, "silent": silent, "gap": gap, "fine": TABLES - fault - silent - gap});
        until(&expected.to_string(), || self.picture()["counts"] == expected).await;
    }

    /// The tables that come first.
    fn first(&self, count: usize) -> Vec<String> {
        let picture = self.picture();
        let rows = picture["tables"].as_array().unwrap().iter().take(count);
        rows.map(|row| row["table"].as_str().unwrap().to_owned()).collect()
    }
}

fn ctl(port: u16, more: &[&str]) -> Command {
    ctl_at(&format!("mqtt://127.0.0.1:{port}"), more)
}

fn ctl_at(broker: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
    command.args(["floor", "--broker", broker]).args(more).env("NO_COLOR", "1");
    command
}

/// A program that runs; killed when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    async fn ends(&mut self) -> ExitStatus {
        let mut ended = None;
        until("tumblerctl ends", || {
            ended = self.0.try_wait().unwrap();
            ended.is_some()
        })
        .await;
        ended.unwrap()
    }
}

/// What it prints, also where it knows no table yet, from a thread that may wait while the tables of this one go on.
async fn printed(mut command: Command) -> String {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What `--once` sees. A broker that pauses for a second among busy neighbours has told all, to its mind: then once more.
async fn kept(port: u16) -> Value {
    let begun = Instant::now();
    loop {
        let once: Value = serde_json::from_str(&printed(ctl(port, &["--once", "--json"])).await).unwrap();
        if once["tables"].as_array().unwrap().len() == TABLES || begun.elapsed() > Duration::from_secs(60) {
            return once;
        }
    }
}

#[tokio::test]
async fn two_hundred_tables_are_on_one_screen_with_what_is_wrong_first() {
    let mut broker = Broker::start().await;
    let mut all = tables(broker.port).await;
    let watched = Watched::start(broker.port);
    watched.counts(0, 0, 0).await;
    assert_eq!(watched.first(3), ["t1", "t2", "t3"]);

    // Records 1207 to 1209 of one table, and without 1208 of another.
    for seq in [1207, 1208, 1209] {
        all[29].event(seq).await;
        if seq != 1208 {
            all[119].event(seq).await;
        }
    }
    // Connections that are cut: the broker publishes the wills.
    drop(all.remove(149));
    drop(all.remove(9));
    for n in [180, 40] {
        all[n].latch(1208, "91 C, limit 80 C").await;
    }
    watched.counts(2, 2, 1).await;
    assert_eq!(watched.first(6), ["t42", "t183", "t10", "t150", "t120", "t1"]);
    let picture = watched.picture();
    assert_eq!((&picture["tables"][4]["gaps"], &picture["tables"][4]["missed"]), (&json!(1), &json!(1)));

    // A floor that starts now sees the same, apart from records that were missed earlier.
    let once = kept(broker.port).await;
    assert_eq!(once["counts"], json!({"rewritten": 0, "fault": 2, "silent": 2, "gap": 0, "fine": 196}));
    let names: Vec<&str> = once["tables"].as_array().unwrap().iter().map(|t| t["table"].as_str().unwrap()).collect();
    assert_eq!((names.len(), &names[..5]), (TABLES, &["t42", "t183", "t10", "t150", "t1"][..]));
    let text = printed(ctl(broker.port, &["--once", "--site", "pit"])).await;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 2, "a summary, a head, and a table a line: {text}");
    assert!(lines[2].contains("pit/t42") && lines[2].contains("temperature: 91 C, limit 80 C"), "{}", lines[2]);
    // A site that no table has, and so a broker that forgot its tables, are not well.
    let once = ctl(broker.port, &["--once", "--site", "other"]).output().unwrap();
    let said = String::from_utf8(once.stderr).unwrap();
    assert!(once.status.code() == Some(1) && said.contains("keeps nothing below taisai/other/; is --site"), "{said}");
    let checked = ctl(broker.port, &["--check", "--site", "other"]).output().unwrap();
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.code() == Some(3) && said.starts_with("UNKNOWN: no table is known"), "{said}");
    let checked = ctl(broker.port, &["--check"]).output().unwrap();
    assert_eq!(
        (checked.status.code(), checked.stdout.starts_with(b"CRITICAL: 2 with faults")),
        (Some(2), true),
        "{checked:?}"
    );

    // The fault is put right, and a table comes back.
    all[40].latch(1209, "").await;
    all.push(Table::start(broker.port, "t10".into()).await);
    watched.counts(1, 1, 1).await;

    // A broker that is away is said to be away, and nobody is silent by it.
    broker.kill();
    until("the broker is missed", || watched.picture()["connected"] == false).await;
    assert_eq!(watched.picture()["counts"]["silent"], 1);
    broker.again().await;
    until("the broker is found", || watched.picture()["connected"] == true).await;
    // It had kept nothing over its restart, and no table has come back yet.
    until("every table is missed", || watched.picture()["counts"]["silent"] == TABLES).await;
}

/// A broker as in `fixtures/mqtt/mosquitto.conf`, with the access list and the passwords that `mqtt-acl` writes: TLS, nothing that a consumer
/// may publish, and no table that speaks for another one.
#[tokio::test]
async fn a_guarded_broker_lets_each_do_its_part() {
    let dir = tempfile::tempdir().unwrap();
    let ca = authority(dir.path());
    let at = dir.path().display();
    let (list, acl, secrets) = (dir.path().join("tables"), dir.path().join("acl"), dir.path().join("secrets"));
    let written = |tables: &str| {
        std::fs::write(&list, tables).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
        command.args(["mqtt-acl", "--site", "pit", "--reader", "display", "--tables"]).arg(&list);
        command.arg("--output").arg(&acl).arg("--passwords").arg(&secrets).output().unwrap()
    };
    for (tables, says) in [
        ("# none yet\n", "lists no table"),
        ("t1\na/b/c\n", "tables:2: `a/b/c` is no table"),
        ("t1\nt+\n", "tables:2: `t+` is no table"),
        ("t1\npit/t1\n", "two tables or readers would have the user `pit-t1`"),
    ] {
        let output = written(tables);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(says), "{tables}: {said}");
        assert!(!acl.exists() && !secrets.exists(), "{tables}: nothing is made");
    }
    let output = written("# the pit\nt1\n\npit/t2\n");
    assert!(output.status.success(), "{output:?}");
    let again = written("t1\n");
    assert!(again.status.code() == Some(2) && String::from_utf8(again.stderr).unwrap().contains("not overwritten"));
    let secret = std::fs::read_to_string(secrets.join("pit-t1")).unwrap();
    let hashed = Command::new("mosquitto_passwd").arg("-U").arg(secrets.join("passwd")).output().unwrap();
    assert!(hashed.status.success(), "{hashed:?}");
    assert!(!std::fs::read_to_string(secrets.join("passwd")).unwrap().contains(secret.trim()), "it is hashed");

    let (plain, demanding) = (free_port(), free_port());
    let files = format!("cafile {at}/ca.crt\ncertfile {at}/server.crt\nkeyfile {at}/server.key\n");
    let more = format!(
        "{files}listener {demanding} 127.0.0.1\n{files}require_certificate true\nlistener {plain} 127.0.0.1\n\
         allow_anonymous false\npassword_file {at}/secrets/passwd\nacl_file {at}/acl\n"
    );
    let broker = Broker::start_with(free_port(), &more).await;
    let url = format!("mqtts://127.0.0.1:{}", broker.port);
    let (ca, password) = (ca.display().to_string(), secrets.join("display"));
    let file = password.display().to_string();
    let asked = ["--once", "--site", "pit", "--ca-file", &ca, "--username", "display", "--password-file", &file];
    let right = std::fs::read_to_string(&password).unwrap();
    let mode = |mode| std::fs::set_permissions(&password, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    let open = ctl_at(&url, &asked).output().unwrap();
    let said = String::from_utf8(open.stderr).unwrap();
    assert!(open.status.code() == Some(2) && said.contains("only owner and group read it"), "{said}");
    mode(0o600);
    let missing = ctl_at(&url, &["--check", "--ca-file", "/nonexistent/ca.pem"]).output().unwrap();
    let said = String::from_utf8(missing.stdout).unwrap();
    assert!(missing.status.code() == Some(2) && said.starts_with("CRITICAL: /nonexistent/ca.pem holds no"), "{said}");
    let (untrusted, plainly) = (url.clone(), url.replace("mqtts", "mqtt"));
    for (url, said) in [
        (untrusted, "comes from no authority that is trusted here"),
        (plainly, "or its port is for TLS: take mqtts://"),
        (format!("mqtts://127.0.0.1:{plain}"), "most likely its port is not for TLS"),
        (format!("mqtts://127.0.0.1:{demanding}"), "tumblerctl has none"),
    ] {
        let trusting = ["--once", "--ca-file", &ca];
        let arguments = if said.starts_with("tumblerctl") { &trusting[..] } else { &trusting[..1] };
        let refused = ctl_at(&url, arguments).output().unwrap();
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && told.contains(said), "{said}: {told}");
        assert!(!told.contains("does it run") && !told.contains("mqtt."), "what a table's people set: {told}");
    }
    std::fs::write(&password, "wrong\n").unwrap();
    let refused = ctl_at(&url, &asked).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && said.contains("check `--username` and `--password-file`"), "{said}");
    std::fs::write(&password, right).unwrap();
    let mut options = MqttOptions::new("tumblerd-pit-t1", "127.0.0.1", plain);
    options.set_credentials("pit-t1", secret.trim());
    let table = Table::with(options, "t1".into()).await;
    // In t2's name it may say nothing.
    table.client.publish("taisai/pit/t2/status", QoS::AtLeastOnce, true, example("status")).await.unwrap();
    table.latch(1209, "as the last word").await;
    let begun = Instant::now();
    loop {
        let floor = printed(ctl_at(&url, &asked)).await;
        if floor.contains("as the last word") {
            break assert!(floor.contains("pit/t1") && !floor.contains("pit/t2"), "{floor}");
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the table is not seen: {floor}");
    }
}

#[tokio::test]
async fn what_stands_between_is_said() {
    let broker = Broker::start().await;
    let port = broker.port;
    let refused = |arguments: Vec<&'static str>| async move {
        let mut command = ctl(port, &arguments);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(vec![]).await.contains("no terminal: add --once, --json or --listen"));
    assert!(refused(vec!["--once", "--ca-file", "ca.pem"]).await.contains("--ca-file goes with mqtts://"));
    assert!(refused(vec!["--once", "--site", "a/b"]).await.contains("without `/`"));
    let dir = tempfile::tempdir().unwrap();
    let open: &'static str = Box::leak(dir.path().join("password").display().to_string().into_boxed_str());
    std::fs::write(open, "secret\n").unwrap();
    std::fs::set_permissions(open, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let said = refused(vec!["--once", "--username", "ana", "--password-file", open]).await;
    assert!(said.contains("chmod 0640") && !said.contains("reached"), "{said}");
    drop(broker);
    let gone = refused(vec!["--once"]).await;
    assert!(gone.contains("not connected to the broker") && gone.contains("is --broker its address"), "{gone}");
}

/// One request; the answer up to and with `until`.
fn answered(port: u16, path: &str, host: &str, until: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut bytes).unwrap() {
            0 => break,
            count => all.extend_from_slice(&bytes[..count]),
        }
        if String::from_utf8_lossy(&all).contains(until) {
            break;
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// In a browser: the page, and what follows.
#[tokio::test]
async fn the_page_is_served_and_follows_the_tables() {
    let broker = Broker::start().await;
    let table = Table::start(broker.port, "t1".into()).await;
    let mut child = Running(ctl(broker.port, &["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn().unwrap());
    let mut said = BufReader::new(child.0.stdout.take().unwrap());
    let read = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        line
    });
    let line = read.await.unwrap();
    let port: u16 = line.split([':', '/']).find_map(|part| part.parse().ok()).unwrap_or_else(|| panic!("{line}"));
    let ask = |path: &'static str, host: &'static str, until: &'static str| async move {
        tokio::task::spawn_blocking(move || answered(port, path, host, until)).await.unwrap()
    };
    let page = ask("/", "localhost", "</html>").await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(!page.contains("{nonce}") && !page.contains("{common}"));
    assert!(ask("/pictures", "evil.example", "only").await.starts_with("HTTP/1.1 421"));
    assert!(ask("/other", "localhost", "404").await.starts_with("HTTP/1.1 404"));
    let pictures = tokio::spawn(ask("/pictures", "localhost:80", "91 C, limit 80 C"));
    table.latch(1208, "91 C, limit 80 C").await;
    let pictures = pictures.await.unwrap();
    assert!(pictures.contains("text/event-stream") && pictures.contains("\"table\":\"t1\""), "{pictures}");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.0.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    assert!(child.ends().await.success());
}

/// On a terminal: the picture comes and follows, q ends it, and the terminal is as it was.
#[tokio::test]
async fn a_terminal_is_given_back_as_it_was() {
    let broker = Broker::start().await;
    let table = Table::start(broker.port, "t1".into()).await;
    // Fewer columns than usual: the second table is below the first, however much is wrong with that.
    let narrow = Winsize { ws_col: 60, ws_row: 24, ws_xpixel: 0, ws_ypixel: 0 };
    let pty = openpty(&narrow, None).unwrap();
    let was = tcgetattr(&pty.slave).unwrap();
    let mut command = ctl(broker.port, &[]);
    let stdio = || Stdio::from(pty.slave.try_clone().unwrap());
    let mut child = Running(command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap());
    let seen = Arc::new(Mutex::new(String::new()));
    let (mut screen, keep) = (File::from(pty.master.try_clone().unwrap()), Arc::clone(&seen));
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = screen.read(&mut bytes) {
            keep.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    let shows = |what: &'static str| {
        let seen = Arc::clone(&seen);
        async move { until(what, || seen.lock().unwrap().contains(what)).await }
    };
    shows("1 table at").await;
    shows("pit/t1").await;
    table.latch(1208, "91 C, limit 80 C").await;
    shows("temperature: 91 C, limit 80 C").await;
    table.latch(1209, "91 C, limit 80 C, and the last look was an hour ago").await;
    shows("91 C, limit 80 C,").await;
    let _second = Table::start(broker.port, "t2".into()).await;
    shows("pit/t2").await;
    assert_ne!(tcgetattr(&pty.slave).unwrap().local_flags, was.local_flags, "keys come at once");
    File::from(pty.master).write_all(b"q").unwrap();
    assert!(child.ends().await.success());
    shows("\u{1b}[?1049l").await;
    assert_eq!(tcgetattr(&pty.slave).unwrap().local_flags, was.local_flags);
}

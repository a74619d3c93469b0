//! The configuration's messages, word for word: whoever reads them has only them.

mod hazards;
mod secrets;
mod wires;

use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tumblerd::config::{self, Config, Hardware, LogFormat};

const WHOLE: &str = "\
[table]
site = \"s\"
table = \"t\"
rules = \"nz-div9\"
layout = \"nz-div9-2\"
[hardware]
backend = \"virtual\"
socket = \"/tmp/wire\"
[bus]
port = \"/tmp/bus\"
";

struct Files(TempDir);

impl Files {
    fn new(main: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("t.toml"), main).unwrap();
        Self(dir)
    }
    fn fragment(self, name: &str, text: &str) -> Self {
        let dir = self.0.path().join("t.toml.d");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(name), text).unwrap();
        self
    }
    fn path(&self) -> PathBuf {
        self.0.path().join("t.toml")
    }
    fn config(&self) -> Config {
        config::check(&self.path()).unwrap_or_else(|errors| panic!("{errors}"))
    }
    /// What comes of it: a configuration, or what is said, with the temporary directory left out.
    fn check(&self) -> Result<Config, String> {
        let place = format!("{}/", self.0.path().display());
        config::check(&self.path()).map_err(|bad| bad.to_string().replace(&place, ""))
    }
    fn errors(&self) -> String {
        self.check().map(|config| panic!("nothing is wrong:\n{config}")).unwrap_err()
    }
}

/// The message about one thing more in a configuration that is right otherwise.
fn with(more: &str) -> String {
    Files::new(&format!("{WHOLE}{more}")).errors()
}

/// The message about one line changed.
fn changed(from: &str, to: &str) -> String {
    assert!(WHOLE.contains(from));
    Files::new(&WHOLE.replace(from, to)).errors()
}

#[test]
fn a_short_configuration_gets_the_defaults() {
    let config = Files::new(WHOLE).config();
    assert_eq!(config.settings.backend, "virtual");
    assert!(!config.settings.reader && !config.settings.temperature);
    assert_eq!(config.hardware, Hardware::Virtual { socket: "/tmp/wire".into(), temperature: false });
    assert_eq!((config.bus.baud, config.bus.turnaround_ms, config.bus.timeout_ms), (115_200, 10, 50));
    assert_eq!(config.journal.state_dir, Path::new("/var/lib/tumblerd"));
    assert_eq!(config.journal.run_dir, Path::new("/run/tumblerd"));
    assert_eq!(config.mqtt, None);
    assert_eq!(config.console.supervisor_group, "tumbler-supervisor");
    assert_eq!(config.console.manager_group, "tumbler-manager");
    assert_eq!(config.log.format, LogFormat::Text);
    assert_eq!(config.settings.parameters, tumbler_core::settings::Parameters::default());
}

#[test]
fn the_samples_are_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for sample in ["systemd/tumblerd.toml", "fixtures/config/virtual.toml"] {
        let config = config::check(&root.join(sample)).unwrap_or_else(|errors| panic!("{sample}: {errors}"));
        // What is printed is a configuration again, and the same one.
        let printed = Files::new(&config.to_string()).config();
        assert_eq!(printed, config);
        assert_eq!(printed.hash(), config.hash());
    }
    let bench = config::check(&root.join("fixtures/config/virtual.toml")).unwrap();
    let mqtt = bench.mqtt.unwrap();
    assert_eq!((mqtt.host.as_str(), mqtt.port, mqtt.tls), ("localhost", 1883, false));
    assert_eq!(mqtt.client_id, "tumblerd-bench-1");
    assert!(bench.settings.reader && bench.settings.temperature);
    assert_eq!(bench.console.supervisor_uids, [0]);
    assert_eq!(bench.settings.parameters.lamp_dwell, 10);
}

#[test]
fn fragments_come_over_the_file_in_the_order_of_their_names() {
    let files = Files::new(WHOLE)
        .fragment("20-b.toml", "[bus]\nbaud = 9600\n[table]\ntable = \"7\"\n")
        .fragment("10-a.toml", "[bus]\nbaud = 19200\nport = \"/dev/serial/by-id/x\"\n")
        .fragment("30-c.toml.off", "[bus]\nbaud = 1\n");
    let config = files.config();
    assert_eq!(config.bus.baud, 9600);
    assert_eq!(config.bus.port, Path::new("/dev/serial/by-id/x"));
    assert_eq!(config.settings.table, "7");
    let files = files.fragment("40-d.toml", "\n[bus]\nbaud = 1\n");
    assert_eq!(
        files.errors(),
        "t.toml.d/40-d.toml:3: bus.baud: 1 is none of these; allowed is one of 9600, 19200, 38400, 57600, 115200\n\
         1 problem in the configuration"
    );
}

#[test]
fn the_hash_is_of_the_values_and_not_of_their_order_or_comments() {
    let one = Files::new(&format!("{WHOLE}[log]\nlevel = \"warn\"\n")).config();
    let other = Files::new(&format!("# a note\n[log]\nlevel = 'warn'\nformat = \"text\"\n{WHOLE}")).config();
    assert_eq!(one.hash(), other.hash());
    assert_eq!(one.hash().len(), 64);
    let changed = Files::new(&format!("{WHOLE}[log]\nlevel = \"info\"\n")).config();
    assert_ne!(one.hash(), changed.hash());
    let parameter = Files::new(&format!("{WHOLE}[parameters]\nbell = 151\n")).config();
    assert_ne!(changed.hash(), parameter.hash());
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_known_one() {
    assert_eq!(
        with("buad = 9600"),
        "t.toml:11: bus.buad: there is no such key (its value is 9600): did you mean `baud`?\n1 problem in the configuration"
    );
    assert_eq!(
        with("weather = \"fine\""),
        "t.toml:11: bus.weather: there is no such key (its value is \"fine\"); \
         the keys of [bus] are port, baud, turnaround_ms, timeout_ms\n1 problem in the configuration"
    );
    assert_eq!(
        with("layout = \"x\""),
        "t.toml:11: bus.layout: there is no such key (its value is \"x\"); it belongs below [table]\n1 problem in the configuration"
    );
    assert!(with("[parameters]\ntarget_tumble = 4").contains("did you mean `target_tumbles`?"));
}

#[test]
fn unknown_sections_and_keys_outside_sections_are_refused() {
    let known = "[table], [hardware], [lines], [bus], [journal], [mqtt], [console], [panel], [network], [log], [house], [parameters]";
    assert_eq!(
        with("[mqqt]\nurl = \"x\""),
        "t.toml:11: mqqt: there is no section [mqqt]: did you mean [mqtt]?\n1 problem in the configuration"
    );
    let outside = |line: &str| Files::new(&format!("{line}\n{WHOLE}")).errors();
    assert_eq!(
        outside("baud = 9600"),
        "t.toml:1: baud: this key stands outside any section; write it below [bus]\n1 problem in the configuration"
    );
    assert_eq!(
        outside("weather = 1"),
        format!(
            "t.toml:1: weather: this key stands outside any section; the sections are {known}\n\
             1 problem in the configuration"
        )
    );
    assert_eq!(
        outside("log = \"text\""),
        "t.toml:1: log: \"text\" is not a section; write [log] and its keys below it\n1 problem in the configuration"
    );
}

#[test]
fn values_of_the_wrong_kind_are_refused_with_what_is_allowed() {
    for (line, expected) in [
        ("baud = \"fast\"", "bus.baud: \"fast\" is a text; allowed is one of 9600, 19200, 38400, 57600, 115200"),
        ("turnaround_ms = 0", "bus.turnaround_ms: 0 is out of range; allowed is a whole number from 1 to 200 ms"),
        ("timeout_ms = 12.5", "bus.timeout_ms: 12.5 is a broken number; allowed is a whole number from 5 to 500 ms"),
        (
            "timeout_ms = 99999999999999999999",
            "bus.timeout_ms: \"99999999999999999999\" is a text; allowed is a whole number from 5 to 500 ms",
        ),
        (
            "[journal]\nstate_dir = \"here\"",
            "journal.state_dir: \"here\" is not an absolute path; allowed is an absolute path without \"..\"",
        ),
        (
            "[console]\nsupervisor_group = \" \"",
            "console.supervisor_group: the text is empty; allowed is a text of 1 to 256 characters, all of which are seen",
        ),
        (
            "[console]\nsupervisor_uids = [-1]",
            "console.supervisor_uids: -1 is no user id; allowed is a list of user ids, such as [1000, 1001]",
        ),
        (
            "[console]\nsupervisor_uids = 0",
            "console.supervisor_uids: 0 is a whole number; allowed is a list of user ids, such as [1000, 1001]",
        ),
        ("[mqtt]\nenabled = \"yes\"", "mqtt.enabled: \"yes\" is a text; allowed is true or false"),
        ("[mqtt]\nkeep_alive_s = 4", "mqtt.keep_alive_s: 4 is out of range; allowed is a whole number from 5 to 600 s"),
        ("[log]\nlevel = \"wran\"", "log.level: \"wran\" is not known here: did you mean \"warn\"?"),
        (
            "[log]\nlevel = 2024-01-01",
            "log.level: 2024-01-01 is a date; allowed is one of \"error\", \"warn\", \"info\", \"debug\", \"trace\"",
        ),
        (
            "[parameters]\ntarget_tumbles = 2",
            "parameters.target_tumbles: 2 is out of range; allowed is a whole number from 3 to 20 tumbles",
        ),
        (
            "[parameters]\nbell = -1",
            "parameters.bell: -1 is out of range; allowed is a whole number from 20 to 1000 ms",
        ),
        (
            "[parameters.bell]\nms = 1",
            "parameters.bell: { ms = 1 } is a section; allowed is a whole number from 20 to 1000 ms",
        ),
    ] {
        let said = with(line);
        let (place, said) = said.split_once(": ").unwrap();
        assert!(place == "t.toml:11" || place == "t.toml:12", "{place}");
        assert_eq!(said, format!("{expected}\n1 problem in the configuration"), "{line}");
    }
}

/// installing.md: what a table has differently goes into a fragment, and the shipped file stays as it is.
#[test]
fn a_fragment_over_the_shipped_file_takes_another_backend() {
    let shipped = include_str!("../../../systemd/tumblerd.toml");
    let bench = Files::new(shipped).config();
    assert!(matches!(&bench.hardware, Hardware::Virtual { socket, .. } if socket.starts_with("/run/tumblerd-bench")));
    assert!(bench.to_string().contains("/run/tumblerd-bench/wire.sock"), "the effective value is told");
    let pi =
        Files::new(shipped).fragment("10-table.toml", "[hardware]\nbackend = \"cdev\"\nchip = \"pinctrl-bcm2711\"\n");
    assert!(matches!(pi.config().hardware, Hardware::Cdev { .. }));
}

#[test]
fn missing_keys_are_named() {
    assert_eq!(
        changed("rules = \"nz-div9\"\n", ""),
        "t.toml: table.rules: the key is missing; allowed is a text of 1 to 256 characters, all of which are seen\n\
         1 problem in the configuration"
    );
    assert_eq!(changed("port = ", "prot = ").lines().count(), 2, "a misspelt key is not reported as missing too");
    assert_eq!(Files::new("").errors().lines().count(), 7);
}

#[test]
fn rules_layouts_and_names_are_checked_against_the_core() {
    let rules = changed("\"nz-div9\"", "\"nz\"");
    assert!(
        rules.starts_with("t.toml:4: table.rules: `nz` is no rule set; allowed is nz-1998, nz-div9, sg-v6"),
        "{rules}"
    );
    assert_eq!(
        changed("nz-div9-2", "sg-v6-1"),
        "t.toml:5: table.layout: `sg-v6-1` is no layout of rule set `nz-div9`; allowed is nz-div9-1, nz-div9-2\n\
         1 problem in the configuration"
    );
    assert_eq!(
        changed("site = \"s\"", "site = \"a/b\""),
        "t.toml:2: table.site: `a/b` cannot be a level of a topic; allowed is one or more characters without / + #\n\
         1 problem in the configuration"
    );
}

/// Site and table stand on displays, in the journal and in every topic.
#[test]
fn a_site_or_table_that_is_too_long_or_cannot_be_seen_is_refused() {
    let long = format!("site = \"{}\"", "s".repeat(65));
    assert_eq!(
        changed("site = \"s\"", &long),
        "t.toml:2: table.site: a name has 64 characters at most, and this one has 65: say it shorter; allowed is a \
         text of 1 to 64 characters, all of which are seen\n1 problem in the configuration"
    );
    for (written, found) in [("a\\u0007b", "U+0007"), ("a\\u202Eb", "U+202E"), ("\\u200B", "U+200B")] {
        let said = changed("table = \"t\"", &format!("table = \"{written}\""));
        assert!(said.starts_with("t.toml:3: table.table: a name has no ") && said.contains(found), "{said}");
    }
    let kept = Files::new(&WHOLE.replace("site = \"s\"", &format!("site = \"{}\"", "é".repeat(64))));
    assert_eq!(kept.config().settings.site.chars().count(), 64);
}

#[test]
fn a_backend_that_is_none_is_refused_with_those_that_there_are() {
    assert_eq!(
        changed("\"virtual\"", "\"virtaul\""),
        "t.toml:7: hardware.backend: \"virtaul\" is not known here: did you mean \"virtual\"?\n\
         1 problem in the configuration"
    );
}

/// The panel is off, and on this machine only, until somebody decides otherwise.
#[test]
fn the_panel_listens_where_it_is_told() {
    let panel = |lines: &str| Files::new(&format!("{WHOLE}[panel]\n{lines}")).config().panel;
    assert_eq!(panel("listen = \"0.0.0.0:80\""), None);
    let plain = panel("enabled = true").unwrap();
    assert!(plain.listen.ip().is_loopback(), "{plain:?}");
    assert_eq!((plain.host, plain.accounts_file), (None, None), "nobody can log in");
    let file = tempfile::NamedTempFile::new().unwrap();
    let accounts = file.path().display();
    let open = panel(&format!("enabled = true\nhost = \"t1.pit\"\naccounts_file = \"{accounts}\"")).unwrap();
    assert_eq!(open.host.as_deref(), Some("t1.pit"));
    assert_eq!(open.accounts_file.as_deref(), Some(file.path()));
    assert_eq!(
        with("[panel]\naccounts_file = \"panel-accounts\""),
        "t.toml:12: panel.accounts_file: \"panel-accounts\" is not an absolute path; allowed is an absolute path without \"..\"\n\
         1 problem in the configuration"
    );
    assert_eq!(
        with("[panel]\nlisten = \"localhost\""),
        "t.toml:12: panel.listen: \"localhost\" is no address and port; \
         allowed is ADDRESS:PORT, such as 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080\n1 problem in the configuration"
    );
}

#[test]
fn the_brokers_keys_must_agree() {
    for (lines, expected) in [
        (
            "enabled = true",
            "t.toml: mqtt.url: the key is missing; mqtt.enabled needs it; allowed is mqtt://HOST[:PORT] or mqtts://HOST[:PORT]",
        ),
        (
            "enabled = true\nurl = \"tcp://x\"",
            "t.toml:13: mqtt.url: \"tcp://x\" is not the address of a broker; allowed is mqtt://HOST[:PORT] or mqtts://HOST[:PORT]",
        ),
        (
            "enabled = true\nurl = \"mqtts://x\"\ncert_file = \"/x\"",
            "t.toml: mqtt.key_file: the key is missing; a client's certificate and its key go together; set both, or leave both out",
        ),
        (
            "password_file = \"/x\"",
            "t.toml: mqtt.username: the key is missing; a password goes with a name; set mqtt.username, or leave mqtt.password_file out",
        ),
    ] {
        assert_eq!(with(&format!("[mqtt]\n{lines}")), format!("{expected}\n1 problem in the configuration"));
    }
}

#[test]
fn the_permit_must_not_lie_where_it_outlives_the_boot() {
    assert_eq!(
        with("[journal]\nrun_dir = \"/var/lib/tumblerd\""),
        "t.toml:12: journal.run_dir: \"/var/lib/tumblerd\" is journal.state_dir too; the run directory must lie on tmpfs, \
         such as /run/tumblerd: a permit must not outlive the boot\n1 problem in the configuration"
    );
}

#[test]
fn what_is_no_toml_is_shown_with_its_line() {
    let said = with("baud = = 3");
    assert!(said.starts_with("t.toml:11: this is not TOML: "), "{said}");
    let said = with("port = \"/tmp/again\"");
    assert!(said.starts_with("t.toml:11: this is not TOML: duplicate key"), "{said}");
    // A slip of the key that makes the beginning of a date of a number, found by fuzzing: it is shown as it was written.
    for written in ["1--15200", "[9600, 1--15200]"] {
        let said = with(&format!("baud = {written}"));
        assert!(said.starts_with("t.toml:11: this is not TOML: ") && said.contains("1--15200\""), "{said}");
    }
    let said = Files::new("\u{0}\u{1}garbage").errors();
    assert!(said.contains("this is not TOML"), "{said}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = config::check(&dir.path().join("none.toml")).unwrap_err();
    assert_eq!(missing.0.len(), 1, "not every key besides: {missing}");
    assert!(missing.to_string().contains("none.toml: cannot be read: No such file"), "{missing}");
    let directory = config::check(dir.path()).unwrap_err().to_string();
    assert!(directory.contains("it is no regular file"), "{directory}");
    let files = Files::new(WHOLE);
    std::fs::write(files.path(), [0xff, 0xfe, 0x00]).unwrap();
    assert!(files.errors().contains("t.toml: cannot be read: it is no text in UTF-8"));
    std::fs::write(files.path(), vec![b'#'; 2 << 20]).unwrap();
    assert!(files.errors().contains("it is longer than 1048576 bytes"));
}

#[test]
fn all_problems_are_told_at_once() {
    let said = Files::new(&WHOLE.replace("site = \"s\"", "site = 5"))
        .fragment("a.toml", "[bus]\nbaud = 1\nbuad = 2\n[lgo]\n")
        .errors();
    let places: Vec<&str> = said.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        ["t.toml:2", "t.toml.d/a.toml:2", "t.toml.d/a.toml:3", "t.toml.d/a.toml:4", "4 problems in the configuration"]
    );
}

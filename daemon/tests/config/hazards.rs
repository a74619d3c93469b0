//! Configurations whose every value is allowed, and which are refused all the same.

use super::{Files, WHOLE, changed, with};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// Values that are each allowed, and take away what they are there for.
fn wired(lines: &str) -> Files {
    let real = "backend = \"cdev\"\nchip = \"pinctrl-rp1\"";
    let whole = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", real);
    Files::new(&format!("{whole}[lines]\n{lines}\n"))
}

const SAFE_IF_CUT: [&str; 8] =
    ["dome_closed", "seal", "power_good", "supervisor_key", "tumble", "place_bets", "no_more_bets", "no_spin"];

/// wiring.md, Reasons: a broken wire is the safe state. Without a resistor it floats, and a Pi's pins are pulled down from reset on.
#[test]
fn an_input_that_nothing_pulls_is_refused() {
    for line in SAFE_IF_CUT {
        for (words, what) in [
            ("active-low no-pull", "with no-pull a cut cable may read as "),
            ("no-pull", "with no-pull a cut cable may read as "),
            ("active-low", "without a word about its resistor a cut cable may read as "),
        ] {
            let said = wired(&format!("{line} = \"9 {words}\"")).errors();
            let right = if words.contains("low") { "pull-up" } else { "pull-down" };
            assert!(said.contains(&format!("t.toml:12: lines.{line}: {what}")), "{said}");
            assert!(said.contains(&format!("take {right}; a resistor outside that pulls the same way")), "{said}");
        }
        // Another board's resistors may come from its device tree.
        let other =
            format!("[hardware]\nbackend = \"cdev\"\nchip = \"30220000.gpio\"\n[lines]\n{line} = \"9 active-low\"\n");
        let bare = WHOLE.replace("[hardware]\nbackend = \"virtual\"\nsocket = \"/tmp/wire\"\n", "");
        Files::new(&format!("{bare}{other}")).config();
    }
    wired("cam_a = \"9 no-pull\"").config();
}

/// A header's `GPIO17` is its line 17, and the kernel gives a line only once.
#[test]
fn a_pin_that_is_taken_by_another_name_is_refused() {
    let said = wired("bell = \"GPIO17\"").errors();
    assert!(said.contains("t.toml:12: lines.bell: line GPIO17 is that of `motor_enable` already"), "{said}");
    wired("bell = \"GPIO7\"").config();
    wired("bell = \"GPIO_17\"").config();
    // The sensor's bus is at lines 2 and 3 of the header.
    let sensor = |bus: &str| {
        let cdev = "backend = \"cdev\"\nchip = \"pinctrl-bcm2711\"\ntemperature = \"lm75\"";
        let whole = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", &format!("{cdev}{bus}"));
        Files::new(&format!("{whole}[lines]\nbell = \"GPIO3\"\n"))
    };
    let said = sensor("").errors();
    assert!(said.contains("lines.bell: line 3 is the temperature sensor's bus, /dev/i2c-1"), "{said}");
    sensor("\ntemperature_bus = \"/dev/i2c-3\"").config();
}

/// rppal, `pwm`: channel 0 is at GPIO 18 or 12, channel 1 at 19 or 13; a Pi 5 has 0 to 3 at 12, 13, 18 and 19.
#[test]
fn a_pwm_whose_pin_is_a_line_is_refused() {
    let rppal = |channel: u8, lines: &str| {
        let real = format!("backend = \"rppal\"\nmotor_pwm = {channel}");
        let whole = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", &real);
        Files::new(&format!("{whole}[lines]\n{lines}\n"))
    };
    for (channel, lines, what) in [
        (0, "bell = \"18\"", "channel 0 comes out at line 12 or 18, taken by `dome_closed` and `bell`"),
        (1, "", "channel 1 comes out at line 13 or 19, taken by `dome_open` and `place_bets`"),
        (2, "bell = \"GPIO18\"", "channel 2 comes out at line 18, taken by `bell`"),
        (3, "", "channel 3 comes out at line 19, taken by `place_bets`"),
    ] {
        let said = rppal(channel, lines).errors();
        assert!(said.contains(&format!("t.toml:8: hardware.motor_pwm: {what}")), "{said}");
    }
    rppal(0, "").config();
    rppal(3, "place_bets = \"7 active-low pull-up\"").config();
    let said = rppal(0, "bell = \"23 pull-down\"").errors();
    assert!(
        said.contains("lines.bell: backend \"rppal\" cannot give an output a resistor; leave the word out"),
        "{said}"
    );
}

#[test]
fn what_takes_safety_away_is_refused() {
    for line in SAFE_IF_CUT {
        for (words, right) in [("active-low pull-down", "pull-up"), ("active-high pull-up", "pull-down")] {
            let said = wired(&format!("{line} = \"9 {words}\"")).errors();
            let (at, words) = (format!("lines.{line}: with "), words.replace(' ', " and "));
            assert!(said.contains(&at) && said.contains(&format!("{words} a cut cable reads as ")), "{said}");
            assert!(said.contains(&format!("a broken wire must be the safe state: take {right}")), "{said}");
        }
        wired(&format!("{line} = \"9 active-low pull-up\"")).config();
        wired(&format!("{line} = \"9 active-high pull-down\"")).config();
    }
    for (key, other) in
        [("technician_group", "supervisor"), ("manager_group", "supervisor"), ("technician_group", "manager")]
    {
        let said = with(&format!("[console]\n{key} = \"tumbler-{other}\""));
        assert!(said.contains(&format!("console.{key}: \"tumbler-{other}\" is console.{other}_group too")), "{said}");
    }
    let long = |bytes: usize| format!("/{}", "d".repeat(bytes));
    for (said, most) in [
        (with(&format!("[console]\nsocket = \"{}\"", long(103))), 103),
        (changed("socket = \"/tmp/wire\"", &format!("socket = \"{}\"", long(107))), 107),
    ] {
        let bytes = most + 1;
        assert!(
            said.contains(&format!("the path has {bytes} bytes; the path of this socket has at most {most}")),
            "{said}"
        );
    }
    for name in ["a\\u0007b", "a\\u202eb", "a\\nb"] {
        assert!(changed("table = \"t\"", &format!("table = \"{name}\"")).contains("table.table: "), "{name}");
    }
}

/// SECURITY.md: what a file says must not be told as something else. Texts and paths stand in logs, in `status` and on terminals.
#[test]
fn texts_that_no_reader_sees_as_they_are_are_refused() {
    let hidden = ["\\u001b[2J", "\\u0000", "\\n", "\\u202e", "\\u009b"];
    for written in hidden {
        for (key, value) in [
            ("bus.port", "/dev/tty"),
            ("hardware.chip", "pinctrl"),
            ("hardware.temperature_bus", "/dev/i2c"),
            ("journal.state_dir", "/var/lib/t"),
            ("mqtt.client_id", "t1"),
            ("mqtt.username", "t1"),
            ("mqtt.password_file", "/etc/p"),
            ("console.supervisor_group", "super"),
            ("panel.host", "t1.pit"),
            ("network.user", "net"),
            ("lines.bell", "GPIO7"),
        ] {
            let (section, name) = key.split_once('.').unwrap();
            let text = format!("[{section}]\n{name} = \"{value}{written}x\"\n");
            let said = Files::new(WHOLE).fragment("1.toml", &text).errors();
            assert!(said.contains(&format!("1.toml:2: {key}: ")), "{said}");
            assert!(said.lines().all(|line| !line.contains(char::is_control)), "{said:?}");
        }
    }
    // What is no key, no word and no value is shown so that no terminal obeys it.
    for wrong in
        ["[log]\nlevel = \"a\\u001bb\"", "[log]\n\"a\\u001bb\" = 1", "[\"a\\u001bb\"]", "[bus]\nport = \"\\u001bb\""]
    {
        let said = Files::new(WHOLE).fragment("1.toml", wrong).errors();
        assert!(said.lines().all(|line| !line.contains(char::is_control)), "{said:?}");
    }
}

/// MQTT 5, 3.1.3.1: a broker need take no more than 23 characters, and none more than 65,535 bytes.
#[test]
fn texts_have_a_greatest_length() {
    for (key, most, what) in [("client_id", 256, "text"), ("username", 256, "text"), ("ca_file", 4095, "path")] {
        let of = |length: usize| format!("[mqtt]\n{key} = \"/{}\"", "c".repeat(length - 1));
        Files::new(&format!("{WHOLE}{}", of(most))).config();
        let said = with(&of(70_000));
        let short = format!("mqtt.{key}: a {what} has {most} characters at most, and this one has 70000: ");
        assert!(said.contains(&short) && said.len() < 300, "{said}");
    }
    assert!(wired(&format!("bell = \"{}\"", "G".repeat(32))).errors().contains("a line's name has 31 bytes at most"));
}

#[test]
fn files_that_are_not_what_they_should_be_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let binary = dir.path().join("binary");
    std::fs::write(&binary, [0, 159, 146, 150]).unwrap();
    let missing = dir.path().join("missing");
    for file in [&binary, &missing] {
        let file = file.display();
        let said = with(&format!("[mqtt]\nenabled = true\nurl = \"mqtts://x\"\nca_file = \"{file}\""));
        assert!(said.contains("mqtt.ca_file: ") && said.contains(&file.to_string()), "{said}");
        let said = with(&format!("[panel]\nenabled = true\naccounts_file = \"{file}\""));
        assert!(said.contains("panel.accounts_file: ") && said.contains(&file.to_string()), "{said}");
        assert!(said.contains("tumblerctl panel-password"), "{said}");
    }
    // The network's service's credentials are there while it runs, and for nobody else.
    let credential = "/run/credentials/tumblerd-net.service/tumblerd.panel-accounts";
    Files::new(&format!("{WHOLE}[panel]\nenabled = true\naccounts_file = \"{credential}\"")).config();
}

#[test]
fn files_that_others_may_write_are_refused() {
    let files = Files::new(WHOLE).fragment("10.toml", "[log]\nlevel = \"warn\"");
    let mode =
        |name: &str, mode| std::fs::set_permissions(files.0.path().join(name), Permissions::from_mode(mode)).unwrap();
    for name in ["t.toml", "t.toml.d/10.toml"] {
        for open in [0o666, 0o664, 0o622] {
            mode(name, open);
            let said = files.errors();
            assert!(said.contains(&format!("{name}: its mode {open:o} lets others than its owner write it")), "{said}");
        }
        mode(name, 0o640);
    }
    // Anybody could add a fragment, or put another file in the place of this one.
    for (name, open) in [("t.toml.d", 0o777), ("t.toml.d", 0o1777), ("t.toml.d", 0o775), (".", 0o777)] {
        mode(name, open);
        let said = files.errors();
        assert!(said.contains(&format!("its mode {open:o} lets others than its owner write it")), "{said}");
        mode(name, 0o755);
    }
    // A directory as /tmp keeps a file from others.
    mode(".", 0o1777);
    files.config();
    mode(".", 0o755);
    if nix::unistd::geteuid().is_root() {
        for name in ["t.toml.d", "t.toml.d/10.toml"] {
            let path = files.0.path().join(name);
            std::os::unix::fs::chown(&path, Some(1000), None).unwrap();
            let said = files.errors();
            assert!(said.contains("it belongs to the user with the id 1000, who may write it"), "{said}");
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
    }
    files.config();
}

/// SECURITY.md: nothing that lies where a file should makes the daemon wait, or read without end.
#[test]
fn what_never_ends_is_no_file_of_the_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    for path in ["/dev/zero", pipe.to_str().unwrap()] {
        for keys in [
            format!("[mqtt]\nenabled = true\nurl = \"mqtts://x\"\nca_file = \"{path}\""),
            format!("[panel]\nenabled = true\naccounts_file = \"{path}\""),
        ] {
            let said = Files::new(&format!("{WHOLE}{keys}")).errors();
            assert!(said.contains("it is no regular file"), "{said}");
        }
    }
}

/// wiring.md, Reasons: nothing turns before the daemon says so, and the sign is lit until then.
#[test]
fn an_output_that_acts_while_nothing_drives_it_is_refused() {
    for (line, text, what) in [
        ("motor_enable", "17 active-low", "the motor's gate is open"),
        ("motor_enable", "17 pull-up", "the motor's gate is open"),
        ("out_of_service", "22", "the sign is dark"),
    ] {
        let said = wired(&format!("{line} = \"{text}\"")).errors();
        assert!(said.contains(&format!("lines.{line}: {what} while nothing drives the pin")), "{said}");
    }
}

#[test]
fn what_must_be_apart_may_not_lie_in_one_place() {
    for (keys, said) in [
        ("[network]\nrun_dir = \"/run/tumblerd\"", "network.run_dir: \"/run/tumblerd\" is journal.run_dir too"),
        ("[network]\nrun_dir = \"/var/lib/tumblerd/net\"", "\"/var/lib/tumblerd/net\" lies in journal.state_dir"),
        (
            "[network]\nrun_dir = \"/run/tumblerd/net\"",
            "network.run_dir: \"/run/tumblerd/net\" lies in journal.run_dir",
        ),
        ("[journal]\nstate_dir = \"/\"", "journal.state_dir: \"/\" is the root of all directories; name a directory"),
        (
            "[journal]\nstate_dir = \"/run/tumblerd/s\"",
            "journal.state_dir: \"/run/tumblerd/s\" lies in journal.run_dir",
        ),
        (
            "[journal]\nrun_dir = \"/run/tumblerd-net/r\"",
            "journal.run_dir: \"/run/tumblerd-net/r\" lies in network.run_dir",
        ),
        ("[network]\nsocket = \"/run/t/s\"\n[console]\nsocket = \"/run/t/s\"", "\"/run/t/s\" is console.socket too"),
    ] {
        let errors = Files::new(&format!("{WHOLE}{keys}")).errors();
        assert!(errors.contains(said), "{errors}");
    }
}

/// console.md, Who may do what: a role's members are those of its group.
#[test]
fn a_group_or_account_that_does_not_exist_is_refused() {
    for key in ["supervisor_group", "manager_group", "technician_group"] {
        let said = with(&format!("[console]\n{key} = \"no-such-group\""));
        let problem =
            format!("t.toml:12: console.{key}: there is no group \"no-such-group\" on this machine; make it ");
        assert!(said.starts_with(&problem) && said.contains("or leave the key out for tumbler-"), "{said}");
        Files::new(&format!("{WHOLE}[console]\n{key} = \"root\"")).config();
    }
    let said = with("[network]\nuser = \"no-such-user\"");
    assert!(
        said.starts_with("t.toml:12: network.user: there is no account \"no-such-user\" on this machine"),
        "{said}"
    );
    for user in ["root", "4000000"] {
        Files::new(&format!("{WHOLE}[network]\nuser = \"{user}\"")).config();
    }
}

#[test]
fn a_path_where_something_else_lies_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (dir, file) = (dir.path().display(), file.display());
    for (key, text) in [
        (
            "console.socket",
            format!("{dir}\" exists and is no socket; name a path of its own; what is there is left alone"),
        ),
        ("network.socket", format!("{file}\" exists and is no socket")),
        ("journal.state_dir", format!("{file}\" is no directory; name a directory, or a path where one can be made")),
        ("journal.run_dir", format!("{file}\" is no directory")),
        ("network.run_dir", format!("{file}\" is no directory")),
    ] {
        let ((section, name), path) = (key.split_once('.').unwrap(), text.split('"').next().unwrap());
        let said = with(&format!("[{section}]\n{name} = \"{path}\""));
        assert!(said.starts_with(&format!("t.toml:12: {key}: \"{text}")), "{said}");
    }
    for path in [dir.to_string(), file.to_string()] {
        let said = changed("port = \"/tmp/bus\"", &format!("port = \"{path}\""));
        assert!(said.starts_with(&format!("t.toml:10: bus.port: \"{path}\" is no device; name the device")), "{said}");
        let sensor = format!("temperature = \"lm75\"\ntemperature_bus = \"{path}\"\n[bus]");
        let said = changed("[bus]", &sensor);
        assert!(said.contains(&format!("hardware.temperature_bus: \"{path}\" is no device")), "{said}");
        let said = changed("socket = \"/tmp/wire\"", &format!("socket = \"{path}\""));
        assert!(said.contains(&format!("hardware.socket: \"{path}\" exists and is no socket")), "{said}");
    }
}

/// registers.md and table.md: times that are each in range, and leave a unit no time to answer.
#[test]
fn times_that_contradict_one_another_are_refused_at_the_key_that_was_set() {
    for (keys, said) in [
        (
            "turnaround_ms = 60",
            "t.toml:11: bus.turnaround_ms: turnaround_ms is 60, and timeout_ms is 50; timeout_ms is longer",
        ),
        ("turnaround_ms = 50", "t.toml:11: bus.turnaround_ms: "),
        ("timeout_ms = 8", "t.toml:11: bus.timeout_ms: turnaround_ms is 10, and timeout_ms is 8; "),
        (
            "timeout_ms = 200\n[parameters]\nunit_lost = 399\npoll_slow = 100",
            "t.toml:11: bus.timeout_ms: 2 × timeout_ms is 400, and parameters.unit_lost is 399; allowed is 2 × timeout_ms ≤ unit_lost",
        ),
        (
            "[parameters]\nseal_debounce = 3\nflicker = 4",
            "t.toml:13: parameters.flicker: flicker is 4, and seal_debounce is 3: a break after which ",
        ),
        ("[parameters]\nbell = 20", "t.toml:12: parameters.bell: readback is 100, and bell is 20: a bell whose pin "),
        ("[parameters]\nkey_stuck = 60000", "t.toml:12: parameters.key_stuck: key_privilege is 300000, and key_stuck "),
        (
            "[parameters]\nstall = 2000\ncoast_limit = 1999",
            "t.toml:12: parameters.stall: stall is 2000, and coast_limit is 1999: ",
        ),
    ] {
        let found = with(keys);
        assert!(found.starts_with(said), "{found}\n{said}");
    }
    Files::new(&format!("{WHOLE}turnaround_ms = 49\ntimeout_ms = 50\n[parameters]\nflicker = 10\n")).config();
}

/// A path that goes back may be another one's, under its own name.
#[test]
fn values_that_cannot_be_meant_are_refused() {
    for (lines, said) in [
        (
            "[network]\nsocket = \"/run/t/../t/console.sock\"",
            "network.socket: \"/run/t/../t/console.sock\" goes back by \"..\"; allowed is an absolute path without \"..\"",
        ),
        ("[console]\nmanager_uids = [1, 4294967295]", "console.manager_uids: 4294967295 is no user id; allowed is "),
        ("[panel]\nlisten = \"0.0.0.0:0\"", "panel.listen: port 0 is another one at each start; name the port"),
        ("[panel]\nhost = \"http://t1\"", "panel.host: \"http://t1\" is no name of a host; allowed is a name as in "),
        ("[panel]\nhost = \"t1:8080\"", "panel.host: \"t1:8080\" is no name of a host; "),
    ] {
        let found = with(lines);
        assert!(found.starts_with(&format!("t.toml:12: {said}")), "{found}\n{said}");
    }
    let broker = |url: &str| {
        let ca = "/etc/ssl/certs/ca-certificates.crt";
        with(&format!("[mqtt]\nenabled = true\nurl = \"{url}\"\nca_file = \"{ca}\""))
    };
    assert!(broker("mqtt://t").starts_with("t.toml:14: mqtt.ca_file: mqtt:// has no use for it; take mqtts://, "));
    let said = broker("mqtts://[fd00::1]");
    assert!(
        said.starts_with("t.toml:13: mqtt.url: TLS needs the broker's name, not its IPv6 address; take the "),
        "{said}"
    );
}

/// console.md, Who may do what: what counts for somebody whom nobody named is told, where games are real.
#[test]
fn roles_that_nobody_was_given_by_name_are_told() {
    let own = nix::unistd::geteuid().as_raw();
    let console = |lines: &str| {
        let real = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", "backend = \"rppal\"");
        let groups = "supervisor_group = \"bin\"\nmanager_group = \"daemon\"\ntechnician_group = \"nogroup\"\n";
        Files::new(&format!("{real}[console]\n{groups}{lines}")).config().notes()
    };
    assert_eq!(console("supervisor_uids = [4000000]"), [""; 0]);
    let root = console("supervisor_uids = [4000000, 0]");
    assert_eq!(
        root,
        ["console.supervisor_uids has 0: whoever becomes root is a supervisor, and records name no person's account"]
    );
    if own != 0 {
        let itself = console(&format!("manager_uids = [{own}]"));
        assert!(itself.iter().any(|note| note.starts_with(&format!("console.manager_uids has {own}, the account "))));
    }
    let real = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", "backend = \"rppal\"");
    // Neither is right on a bench.
    for table in [&real, WHOLE] {
        let open = table.replace("port = \"/tmp/bus\"", "port = \"/dev/null\"");
        assert_ne!(open, *table);
        let told = Files::new(&format!(
            "{open}[console]\nsupervisor_group = \"root\"\n[network]\nuser = \"root\"\n\
             [panel]\nenabled = true\nlisten = \"0.0.0.0:8080\"\naccounts_file = \"/run/credentials/x\"\n"
        ))
        .config()
        .notes();
        for part in [
            "supervisor_group is root",
            "network.user is root",
            "panel.listen is 0.0.0.0:8080",
            "\"/dev/null\", is no serial",
        ] {
            assert!(told.iter().any(|note| note.contains(part)), "{part}: {told:?}");
        }
    }
    // What the rig writes, also where root runs it.
    let bench = format!("{WHOLE}[console]\nsupervisor_uids = [0]\n[network]\nuser = \"0\"\n");
    assert_eq!(Files::new(&bench).config().notes(), [""; 0]);
    if matches!(nix::unistd::Group::from_name("tumbler-tech"), Ok(None)) {
        let real = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", "backend = \"rppal\"");
        let notes = Files::new(&real).config().notes();
        let technicians =
            "there is no group \"tumbler-tech\" on this machine: nobody is a technician (console.technician_group)";
        assert!(notes.iter().any(|note| note == technicians), "{notes:?}");
    }
}

/// installing.md, Install: a directory that cannot be meant is told with its key, why, and what to write.
#[test]
fn directories_that_cannot_be_meant_are_told() {
    let real = WHOLE.replace("backend = \"virtual\"\nsocket = \"/tmp/wire\"", "backend = \"rppal\"");
    let groups = "[console]\nsupervisor_group = \"bin\"\nmanager_group = \"daemon\"\ntechnician_group = \"nogroup\"\n";
    let told = |whole: &str, key: &str, path: &str| {
        let (section, name) = key.split_once('.').unwrap();
        let console = if section == "console" { groups.to_owned() } else { format!("{groups}[{section}]\n") };
        let mut notes = Files::new(&format!("{whole}{console}{name} = \"{path}\"\n")).config().notes();
        notes.retain(|note| note.starts_with(key));
        notes.join("\n")
    };
    for (key, path, why, always) in [
        ("journal.state_dir", "/proc/t", "lies in /proc: the kernel keeps no file there", true),
        ("journal.state_dir", "/sys", "lies in /sys: ", true),
        ("journal.state_dir", "/dev/t", "lies in /dev: that is for devices", true),
        ("journal.state_dir", "/dev/shm/t", "lies in /dev/shm: that is gone with the boot", false),
        ("journal.state_dir", "/etc/tumblerd", "lies in /etc: that is for what people configure", true),
        ("journal.state_dir", "/tmp/t", "lies in /tmp: ", false),
        ("journal.state_dir", "/run/t", "is in memory: a power cut takes journal and latch away", false),
        ("journal.run_dir", "/srv/t", "is on a disk: ", false),
        ("journal.run_dir", "/etc/t", "lies in /etc: ", true),
        ("network.run_dir", "/srv/t", "is on a disk: ", false),
        ("console.socket", "/tmp/s", "lies in /tmp: ", false),
        ("console.socket", "/s", "is the root of all directories; write \"/run/tumblerd/console.sock\"", true),
        ("network.socket", "/proc/s", "lies in /proc: ", true),
    ] {
        let note = told(&real, key, path);
        assert!(
            note.starts_with(&format!("{key}, \"{path}\", {why}")) && note.contains("; write \"/"),
            "{path}: {note}"
        );
        assert_eq!(told(WHOLE, key, path), if always { note } else { String::new() }, "on a bench: {path}");
    }
    for (key, path) in [("journal.state_dir", "/srv/t"), ("journal.run_dir", "/run/t"), ("console.socket", "/run/t/s")]
    {
        assert_eq!(told(&real, key, path), "");
    }
}

/// Emacs says who edits a file by a link beside it that leads nowhere, `.#NAME -> user@host.pid`: the daemon starts meanwhile.
#[test]
fn an_editors_lock_is_no_fragment() {
    let files = Files::new(WHOLE).fragment("a.toml", "[log]\nlevel = \"info\"\n");
    std::os::unix::fs::symlink("ana@pit.1234", files.0.path().join("t.toml.d/.#a.toml")).unwrap();
    files.config();
}

//! The pages of the wiring say what the configuration does without a word in `[lines]`: the table of wiring.md, and the header
//! in header.svg, which is drawn here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use tumbler_core::line::{InLine, OutLine};
use tumblerd::config::{self, Bias, Hardware, Pin, Place};

/// The 40 pins, row by row, odd ones at the left, as the Raspberry Pi documentation has them ("GPIO and the 40-pin header").
const HEADER: [[&str; 2]; 20] = [
    ["3V3", "5V"],
    ["GPIO2", "5V"],
    ["GPIO3", "GND"],
    ["GPIO4", "GPIO14"],
    ["GND", "GPIO15"],
    ["GPIO17", "GPIO18"],
    ["GPIO27", "GND"],
    ["GPIO22", "GPIO23"],
    ["3V3", "GPIO24"],
    ["GPIO10", "GND"],
    ["GPIO9", "GPIO25"],
    ["GPIO11", "GPIO8"],
    ["GND", "GPIO7"],
    ["GPIO0", "GPIO1"],
    ["GPIO5", "GND"],
    ["GPIO6", "GPIO12"],
    ["GPIO13", "GND"],
    ["GPIO19", "GPIO16"],
    ["GPIO26", "GPIO20"],
    ["GND", "GPIO21"],
];

/// What is outside: at the table's lines, and at the pins that are no lines.
const OUTSIDE: [(&str, &str); 19] = [
    ("motor_enable", "gate of the motor driver (figure 2)"),
    ("motor_alive", "dead-man monostable (figure 2)"),
    ("out_of_service", "sign, by an inverting driver"),
    ("bell", "bell's magnet, by a driver"),
    ("motor_fault", "driver's fault, open collector"),
    ("cam_a", "Hall sensor A, open collector"),
    ("cam_b", "Hall sensor B, open collector"),
    ("dome_closed", "opto-coupler (figure 1)"),
    ("dome_open", "opto-coupler (figure 1)"),
    ("tumble", "button"),
    ("place_bets", "button"),
    ("no_more_bets", "button"),
    ("no_spin", "button"),
    ("supervisor_key", "key switch"),
    ("seal", "opto-coupler (figure 1)"),
    ("power_good", "opto-coupler (figure 1)"),
    ("SDA", "motor temperature, 0x48"),
    ("SCL", "motor temperature"),
    ("motor_pwm", "driver's speed, only with rppal"),
];

/// The lines by their GPIO, as a configuration without a word about them has it.
fn lines() -> BTreeMap<u32, (&'static str, Pin)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.toml");
    let text = "[table]\nsite = \"s\"\ntable = \"t\"\nrules = \"nz-div9\"\nlayout = \"nz-div9-2\"\n[bus]\nport = \"/dev/x\"\n\
                [hardware]\nbackend = \"rppal\"\n";
    std::fs::write(&path, text).unwrap();
    let Hardware::Rppal { pins, .. } = config::check(&path).unwrap().hardware else { panic!("another backend") };
    let names = OutLine::ALL.map(OutLine::name).into_iter().chain(InLine::ALL.map(InLine::name));
    let pins = pins.outputs.into_iter().chain(pins.inputs);
    let place = |pin: Pin| match pin.place {
        Place::Offset(offset) => (offset, pin),
        Place::Name(name) => panic!("{name} is no offset"),
    };
    let lines: BTreeMap<_, _> = names.zip(pins.map(place)).map(|(name, (offset, pin))| (offset, (name, pin))).collect();
    assert_eq!(lines.len(), 16);
    lines
}

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).unwrap()
}

/// The number of the pin on which this GPIO lies.
fn number(gpio: u32) -> usize {
    let name = format!("GPIO{gpio}");
    HEADER.as_flattened().iter().position(|pin| *pin == name).unwrap() + 1
}

#[test]
fn a_line_is_told_with_its_pin_on_the_header() {
    for gpio in 0..28 {
        assert_eq!(Place::Offset(gpio).header_pin().map(usize::from), Some(number(gpio)), "GPIO{gpio}");
        assert_eq!(Place::Name(format!("GPIO{gpio}")).header_pin(), Place::Offset(gpio).header_pin());
    }
    assert_eq!((Place::Offset(28).header_pin(), Place::Name("SEAL".into()).header_pin()), (None, None));
}

/// One pin with its label, and with its line and what is outside, if it has one.
fn drawn(number: usize, pin: &str, lines: &BTreeMap<u32, (&'static str, Pin)>) -> String {
    let (row, left) = ((number - 1) / 2, number % 2 == 1);
    let y = 84 + 27 * row;
    let at = |x: usize| if left { 540 - x } else { 540 + x };
    let gpio: Option<u32> = pin.strip_prefix("GPIO").and_then(|n| n.parse().ok());
    let line = gpio.and_then(|gpio| lines.get(&gpio));
    let (name, kind) = match (pin, line) {
        ("3V3" | "5V", _) => (None, "supply"),
        ("GND", _) => (None, "ground"),
        ("GPIO2", None) => (Some("SDA"), "bus"),
        ("GPIO3", None) => (Some("SCL"), "bus"),
        ("GPIO18", None) => (Some("motor_pwm"), "out"),
        (_, Some((name, _))) if OutLine::ALL.iter().any(|out| out.name() == *name) => (Some(*name), "out"),
        (_, Some((name, _))) => (Some(*name), "in"),
        (_, None) => (None, "free"),
    };
    let anchor = if left { " text-anchor=\"end\"" } else { "" };
    let mut svg = format!(
        "<circle class=\"{kind}\" cx=\"{}\" cy=\"{y}\" r=\"10\"/><text class=\"n\" x=\"{}\" y=\"{}\">{number}</text>\
         <text class=\"g\" x=\"{}\" y=\"{}\"{anchor}>{pin}</text>",
        at(14),
        at(14),
        y + 4,
        at(32),
        y + 4,
    );
    if let Some(name) = name {
        let (_, outside) = OUTSIDE.iter().find(|(of, _)| *of == name).unwrap();
        // Lines whose low level is the active one have a bar, as in a circuit diagram.
        let bar = line.is_some_and(|(_, pin)| pin.active_low);
        let low = if bar { " text-decoration=\"overline\"" } else { "" };
        write!(
            svg,
            "<text class=\"l {kind}\" x=\"{}\" y=\"{}\"{anchor}{low}>{name}</text><path class=\"w\" d=\"M{} {y}H{}\"/>\
             <text class=\"o\" x=\"{}\" y=\"{}\"{anchor}>{outside}</text>",
            at(90),
            y + 4,
            at(222),
            at(250),
            at(258),
            y + 4,
        )
        .unwrap();
    }
    svg
}

/// The header in header.svg is the one that the daemon takes. What is drawn around it is drawn by hand.
#[test]
fn the_drawn_header_is_the_one_that_the_daemon_takes() {
    let lines = lines();
    let pins = HEADER.as_flattened().iter().zip(1..);
    let rows: Vec<String> = pins.map(|(pin, number)| drawn(number, pin, &lines)).collect();
    let header =
        format!("<!-- header: drawn by daemon/tests/wiring_doc.rs -->\n{}\n<!-- end of header -->", rows.join("\n"));
    let svg = page("header.svg");
    assert!(svg.contains(&header), "docs/header.svg needs this:\n{header}");
}

/// Every row of the table in wiring.md: lines, GPIOs and pins belong together, and none is left out.
#[test]
fn the_page_has_every_line_on_its_pin_with_its_level_and_resistor() {
    let (lines, wiring) = (lines(), page("wiring.md"));
    let mut told = Vec::new();
    for row in wiring.lines().filter(|row| row.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, names, gpios, pins, level, resistor, ..] = cells.as_slice() else { continue };
        let names: Vec<&str> = names.split(", ").map(|name| name.trim_matches('`')).collect();
        let numbers = |cell: &str| cell.split(", ").map(|n| n.parse::<u32>().unwrap()).collect::<Vec<_>>();
        for ((name, gpio), pin) in names.iter().zip(numbers(gpios)).zip(numbers(pins)) {
            let (is, how) = &lines[&gpio];
            assert_eq!((*is, number(gpio)), (*name, pin as usize), "{row}");
            assert_eq!(level.trim_matches('*') == "low", how.active_low, "{row}");
            assert_eq!(*resistor == "pull-up", how.bias == Bias::PullUp, "{row}");
            told.push(*is);
        }
    }
    told.sort_unstable();
    let mut all: Vec<&str> = lines.values().map(|(name, _)| *name).collect();
    all.sort_unstable();
    assert_eq!(told, all);
}

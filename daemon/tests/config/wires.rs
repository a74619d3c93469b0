//! The configuration of the wires: `[hardware]` and `[lines]`, and its messages, word for word.

use super::Files;
use tumblerd::config::Speed;
use tumblerd::config::{Bias, Config, Hardware, Pin, Pins, Place};
use tumblerd::hardware::thermometer::{Kind, Settings};

const WHOLE: &str = "\
[table]
site = \"s\"
table = \"t\"
rules = \"nz-div9\"
layout = \"nz-div9-2\"
[bus]
port = \"/tmp/bus\"
[hardware]
";

/// What comes of a table with this `[hardware]`.
fn wired(hardware: &str) -> Result<Hardware, String> {
    configured(hardware).map(|config| config.hardware)
}

fn configured(hardware: &str) -> Result<Config, String> {
    Files::new(&format!("{WHOLE}{hardware}")).check()
}

fn pins(lines: &str) -> Box<Pins> {
    match wired(&format!("backend = \"cdev\"\nchip = \"pinctrl-bcm2711\"\n{lines}")) {
        Ok(Hardware::Cdev { chip, pins }) if chip == "pinctrl-bcm2711" => pins,
        other => panic!("{other:?}"),
    }
}

/// Without a word about lines they are those of the 40-pin header: outputs whose pins have pull-downs, a sign that shines
/// while nobody drives it, inputs that an opto-coupler pulls low.
#[test]
fn a_table_on_a_raspberry_pi_needs_no_more_than_the_chip() {
    let Pins { outputs, inputs } = *pins("");
    let pin = |offset, active_low, bias| Pin { place: Place::Offset(offset), active_low, bias, debounce_ms: 0 };
    let [enable, alive, sign, bell] = outputs;
    assert_eq!([enable, alive, bell], [17, 27, 23].map(|offset| pin(offset, false, Bias::AsIs)));
    assert_eq!(sign, pin(22, true, Bias::AsIs));
    assert_eq!(inputs, [24, 5, 6, 12, 13, 16, 19, 20, 21, 25, 26, 4].map(|offset| pin(offset, true, Bias::PullUp)));
}

/// What the unit of such a table may open: its kinds of device, and the PWM's files where there is one.
#[test]
fn the_unit_may_open_what_the_table_has() {
    let drop_in = |hardware: &str| {
        let mut config = configured(hardware).unwrap();
        // A port that is there, and none of a serial driver's.
        config.bus.port = "/".into();
        tumblerd::config::devices::drop_in(&config).unwrap()
    };
    let chip = "[Service]\nDeviceAllow=\nDeviceAllow=char-gpiochip rw\n";
    assert_eq!(drop_in("backend = \"cdev\"\nchip = \"c\"\n"), chip);
    let pi = drop_in("backend = \"rppal\"\nmotor_pwm = 0\ntemperature = \"lm75\"\n");
    for allowed in ["char-gpiochip rw", "/dev/gpiomem rw", "/dev/gpiomem0 rw", "char-i2c rw"] {
        assert!(pi.contains(&format!("DeviceAllow={allowed}\n")), "{pi}");
    }
    assert!(pi.ends_with("ReadWritePaths=-/sys/devices/platform\n"), "{pi}");
}

/// Backend `rppal` finds its chip by itself, and has the same lines; a PWM's frequency and duty cycle have defaults.
#[test]
fn a_raspberry_pis_registers_need_no_more_than_the_backend() {
    let rppal = |more: &str| wired(&format!("backend = \"rppal\"\n{more}")).unwrap();
    assert_eq!(rppal(""), Hardware::Rppal { pins: pins(""), speed: None });
    let speed = |hz, percent| Some(Speed { channel: 0, hz, percent });
    assert_eq!(rppal("motor_pwm = 0\n"), Hardware::Rppal { pins: pins(""), speed: speed(20_000, 100) });
    let slower = rppal("motor_pwm = 0\nmotor_pwm_hz = 16000\nmotor_pwm_percent = 60\n[lines]\nbell = \"7\"\n");
    assert_eq!(slower, Hardware::Rppal { pins: pins("[lines]\nbell = \"7\"\n"), speed: speed(16_000, 60) });
}

#[test]
fn a_line_can_be_put_elsewhere_by_offset_or_by_name() {
    let lines = "[lines]\nbell = \"7 active-low\"\nseal = \"GPIO8 pull-down\"\n";
    let Pins { outputs: [.., bell], inputs } = *pins(lines);
    assert_eq!(bell, Pin { place: Place::Offset(7), active_low: true, bias: Bias::AsIs, debounce_ms: 0 });
    let seal = Pin { place: Place::Name("GPIO8".into()), active_low: false, bias: Bias::PullDown, debounce_ms: 0 };
    assert!(inputs.contains(&seal), "{inputs:?}");
}

/// A sensor at the header's own bus needs no more than its type, and is printed with its place.
#[test]
fn a_temperature_sensor_is_at_the_headers_bus_unless_configured() {
    let cdev = "backend = \"cdev\"\nchip = \"c\"\n";
    let sensor = |more: &str| configured(&format!("{cdev}{more}")).unwrap();
    let first = sensor("temperature = \"lm75\"\n");
    assert_eq!(first.thermometer, Some(Settings { kind: Kind::Lm75, bus: "/dev/i2c-1".into(), address: 0x48 }));
    assert!(first.settings.temperature);
    assert!(first.to_string().contains("temperature_address = 72\n"), "{first}");
    let other = sensor("temperature = \"pct2075\"\ntemperature_bus = \"/dev/i2c-3\"\ntemperature_address = 0x4f\n");
    assert_eq!(other.thermometer, Some(Settings { kind: Kind::Pct2075, bus: "/dev/i2c-3".into(), address: 0x4f }));
    let none = sensor("");
    assert_eq!((none.thermometer, none.settings.temperature), (None, false));
    // A bench may have a real one, too.
    let bench = configured("backend = \"virtual\"\nsocket = \"/tmp/wire\"\ntemperature = \"lm75\"\n").unwrap();
    assert!(bench.thermometer.is_some());
    assert_eq!(bench.hardware, Hardware::Virtual { socket: "/tmp/wire".into(), temperature: false });
}

#[test]
fn what_cannot_be_is_told_with_its_place_and_what_is_allowed() {
    let cdev = "backend = \"cdev\"\nchip = \"c\"\n";
    for (hardware, said) in [
        (
            "backend = \"cdev\"\n".to_owned(),
            "t.toml: hardware.chip: the key is missing; backend \"cdev\" needs the label of the GPIO chip as \
             `gpiodetect` shows it: pinctrl-bcm2711 on a Raspberry Pi 4, pinctrl-rp1 on a Pi 5, pinctrl-bcm2835 on those \
             before",
        ),
        (
            format!("{cdev}socket = \"/tmp/wire\"\n"),
            "t.toml:11: hardware.socket: backend \"cdev\" has no use for it; leave it out, or take backend \
             \"virtual\"",
        ),
        (
            format!("{cdev}[lines]\nseal = \"4 pull-up\"\n"),
            "t.toml: lines.power_good: line 4 is that of `seal` already; a line of its own for each",
        ),
        (
            format!("{cdev}[lines]\nseal = \"4 pulled\"\n"),
            "t.toml:12: lines.seal: \"pulled\" is no word for a line; allowed is LINE [active-low | active-high] [pull-up | \
             pull-down | no-pull] [debounce-1ms to debounce-20ms], LINE being the line's offset on the chip or its name, such as \"17 \
             active-low pull-up\"",
        ),
        (
            format!("{cdev}[lines]\nseal = \"26 active-low debounce-5ms\"\n"),
            "t.toml:12: lines.seal: this line cannot wait for a debounce; the kernel's debounce is for the cam, the buttons and \
             the key",
        ),
        (
            format!("{cdev}[lines]\nbell = \"23 debounce-5ms\"\n"),
            "t.toml:12: lines.bell: this line cannot wait for a debounce; ",
        ),
        (format!("{cdev}[lines]\nsael = \"4\"\n"), "t.toml:12: lines.sael: "),
        (
            format!("{cdev}temperature = \"wires\"\n"),
            "t.toml:11: hardware.temperature: backend \"cdev\" has no use for it; leave it out, or take backend \
             \"virtual\"",
        ),
        (
            format!("{cdev}temperature = \"tmp105\"\n"),
            "t.toml:11: hardware.temperature: \"tmp105\" is none of these; allowed is one of \"none\", \"wires\", \
             \"lm75\", \"pct2075\"",
        ),
        (
            format!("{cdev}temperature = \"lm75\"\ntemperature_address = 0x50\n"),
            "t.toml:12: hardware.temperature_address: 80 is out of range; allowed is a whole number from 72 to 79 (0x48 to \
             0x4f)",
        ),
        (
            format!("{cdev}temperature = \"lm75\"\ntemperature_bus = \"i2c-1\"\n"),
            "t.toml:12: hardware.temperature_bus: \"i2c-1\" is not an absolute path; allowed is an absolute path without \"..\"",
        ),
        (
            format!("{cdev}temperature_bus = \"/dev/i2c-1\"\n"),
            "t.toml:11: hardware.temperature_bus: temperature \"none\" has no use for it; leave it out, or take temperature \
             \"lm75\" or \"pct2075\"",
        ),
        (
            "backend = \"virtual\"\nsocket = \"/tmp/wire\"\n[lines]\nseal = \"4\"\n".to_owned(),
            "t.toml:12: lines.seal: backend \"virtual\" has no use for it; leave it out, or take backend \"cdev\" or \
             \"rppal\"",
        ),
        (
            "backend = \"rppal\"\nchip = \"c\"\n".to_owned(),
            "t.toml:10: hardware.chip: backend \"rppal\" has no use for it; leave it out, or take backend \"cdev\"",
        ),
        (
            format!("{cdev}motor_pwm = 0\n"),
            "t.toml:11: hardware.motor_pwm: backend \"cdev\" has no use for it; leave it out, or take backend \"rppal\"",
        ),
        (
            "backend = \"rppal\"\nmotor_pwm_percent = 60\n".to_owned(),
            "t.toml:10: hardware.motor_pwm_percent: there is no PWM to set; it needs motor_pwm, the PWM's channel",
        ),
        (
            "backend = \"rppal\"\nmotor_pwm = 4\n".to_owned(),
            "t.toml:10: hardware.motor_pwm: 4 is out of range; allowed is a whole number from 0 to 3",
        ),
    ] {
        let found = wired(&hardware).unwrap_err();
        assert!(found.starts_with(said), "{hardware}\n{found}\n{said}");
    }
}

//! The configuration of the wires: `[hardware]` and `[lines]`, and its messages, word for word.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use tumblerd::config::{self, Bias, Hardware, Pin, Pins, Place};

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
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.toml");
    std::fs::write(&path, format!("{WHOLE}{hardware}")).unwrap();
    let place = format!("{}/", dir.path().display());
    config::check(&path).map(|config| config.hardware.clone()).map_err(|bad| bad.to_string().replace(&place, ""))
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
    let pin = |offset, active_low, bias| Pin { place: Place::Offset(offset), active_low, bias };
    let [enable, alive, sign, bell] = outputs;
    assert_eq!([enable, alive, bell], [17, 27, 23].map(|offset| pin(offset, false, Bias::AsIs)));
    assert_eq!(sign, pin(22, true, Bias::AsIs));
    assert_eq!(inputs, [24, 5, 6, 12, 13, 16, 19, 20, 21, 25, 26, 4].map(|offset| pin(offset, true, Bias::PullUp)));
}

#[test]
fn a_line_can_be_put_elsewhere_by_offset_or_by_name() {
    let lines = "[lines]\nbell = \"7 active-low\"\nseal = \"GPIO8 pull-down\"\n";
    let Pins { outputs: [.., bell], inputs } = *pins(lines);
    assert_eq!(bell, Pin { place: Place::Offset(7), active_low: true, bias: Bias::AsIs });
    let seal = Pin { place: Place::Name("GPIO8".into()), active_low: false, bias: Bias::PullDown };
    assert!(inputs.contains(&seal), "{inputs:?}");
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
             pull-down | no-pull], LINE being the line's offset on the chip or its name, such as \"17 active-low pull-up\"",
        ),
        (format!("{cdev}[lines]\nsael = \"4\"\n"), "t.toml:12: lines.sael: "),
        (
            "backend = \"virtual\"\nsocket = \"/tmp/wire\"\n[lines]\nseal = \"4\"\n".to_owned(),
            "t.toml:12: lines.seal: backend \"virtual\" has no use for it; leave it out, or take backend \"cdev\"",
        ),
    ] {
        let found = wired(&hardware).unwrap_err();
        assert!(found.starts_with(said), "{hardware}\n{found}\n{said}");
    }
}

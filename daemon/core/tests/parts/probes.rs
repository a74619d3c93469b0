//! What a hardware test measures of bus, terminal, lamps, reader, seal and temperature, event by event.

use tumbler_core::device::bus::Unit;
use tumbler_core::hardware_test::{Dome, Loop, TRANSACTIONS, Thermometer, Traffic};
use tumbler_core::hardware_test::{HardwareTest, Keys, LampMap, Plots, Probe, Quantity, READINGS, Settling, Spin};
use tumbler_core::line::{InLine, Key};
use tumbler_core::settings::Parameters;
use tumbler_core::units::{DieFace, MilliCelsius, Mono};

fn ms(at: u64) -> Mono {
    Mono::from_millis(at)
}

fn found(probe: &Probe, now: u64) -> Vec<(Quantity, i64)> {
    probe.measurements(ms(now), &Parameters::default()).into_iter().map(|m| (m.quantity, m.value)).collect()
}

fn digit(pips: u8) -> Key {
    Key::Digit(DieFace::new(pips).unwrap())
}

/// faults.md bus.noise_*: bad answers in thousandths of all, and the times of the good ones.
#[test]
fn traffic_is_counted_and_timed() {
    let mut traffic = Traffic::default();
    traffic.answer(Unit::Reader, ms(1), false);
    assert_eq!(found(&Probe::Bus(traffic.clone()), 2), [], "it began before the test");
    traffic.ask(ms(10));
    traffic.answer(Unit::Reader, ms(30), false);
    assert_eq!(
        Probe::Bus(traffic.clone()).wrong(ms(30), &Parameters::default()),
        "the dice reader gave no valid reply 1 times"
    );
    assert_eq!(found(&Probe::Bus(traffic.clone()), 30), [(Quantity::BusErrors, 1000)]);
    for (asked, took) in [(100, 4), (200, 10), (300, 7)] {
        traffic.ask(ms(asked));
        traffic.answer(Unit::Reader, ms(asked + took), true);
        traffic.answer(Unit::Reader, ms(asked + 90), true);
    }
    assert_eq!(
        found(&Probe::Bus(traffic.clone()), 400),
        [(Quantity::BusErrors, 250), (Quantity::BusTurnaround, 7000), (Quantity::BusTurnaroundGreatest, 10_000)]
    );
    for n in 4..TRANSACTIONS {
        assert!(!traffic.is_done(), "{n}");
        traffic.ask(ms(500));
        traffic.answer(Unit::Reader, ms(501), n % 2 == 0);
    }
    assert!(traffic.is_done());
}

/// Keys are asked for one after another; whatever else is pressed was wrong.
#[test]
fn keys_are_asked_for_in_their_order() {
    let mut keys = Keys::default();
    keys.press(Key::Hidden);
    keys.press(Key::Entry);
    keys.press(digit(2));
    assert_eq!(keys.prompt(), "press the key 1");
    for pips in 1..=6 {
        assert_eq!(keys.prompt(), format!("press the key {pips}"));
        keys.press(digit(pips));
    }
    assert!(keys.prompt().contains("entry") && !keys.is_done());
    keys.press(digit(6));
    keys.press(Key::Entry);
    assert!(keys.is_done());
    // Held from 100 to 350, and from 500 on; the bounce filter had taken 7 away before.
    for (at, held, bounced) in
        [(0, false, 7), (100, true, 7), (200, true, 8), (350, false, 9), (500, true, 9), (740, true, 10)]
    {
        keys.poll(held, bounced, ms(at));
    }
    let all = [Quantity::KeysPressed, Quantity::KeysWrong, Quantity::KeyBounces, Quantity::KeyHold];
    let values = |keys: &Keys| found(&Probe::Terminal(keys.clone()), 800);
    assert_eq!(values(&keys), all.into_iter().zip([7, 3, 3, 250_000]).collect::<Vec<_>>());
    keys.poll(true, 10, ms(760));
    assert_eq!(values(&keys).last(), Some(&(Quantity::KeyHold, 260_000)));
}

/// faults.md lamp.open, lamp.stuck_on: areas that stayed dark and that were lit untold, over all pictures.
#[test]
fn areas_are_compared_picture_by_picture() {
    let mut map = LampMap::default();
    assert_eq!(found(&Probe::Lamps(map.clone()), 0), []);
    map.look(0b0111, 0b0101);
    map.next();
    map.look(0b1000, 0b1001);
    map.next();
    map.right(0, ms(1600), ms(1650));
    map.look(0, 0);
    map.next();
    let all = [Quantity::LampsDark, Quantity::LampsUntold, Quantity::LampsTime];
    let values = |found: [i64; 3]| all.into_iter().zip(found).collect::<Vec<_>>();
    assert_eq!(
        found(&Probe::Lamps(map.clone()), 1700),
        values([1, 1, 0])[..2],
        "what never lights has no time to light"
    );
    map.right(0b1001, ms(2000), ms(2095));
    map.right(0b1001, ms(2000), ms(2400));
    let values = values([1, 1, 95_000]);
    assert_eq!(found(&Probe::Lamps(map.clone()), 3000), values, "the first look at each picture has its time");
    map.name("sg-v6-1", |bits| vec![format!("{bits:04b}")]);
    let named = [Quantity::LampsDark, Quantity::LampsUntold, Quantity::LampsTime].map(|of| map.counted_by(of).concat());
    assert_eq!(named, ["0010", "0001", ""]);
    let plots = Probe::Lamps(map).plots();
    assert_eq!((plots.layout.as_str(), plots.is_empty()), ("sg-v6-1", false));
    assert_eq!((plots.dark.concat(), plots.untold.concat()), ("0010".into(), "0001".into()));
    assert!(Plots::default().is_empty() && Probe::Person.plots().is_empty());
}

/// From the shaft's standstill, after it turned, until the reader finds the dice at rest.
#[test]
fn settling_is_reckoned_from_the_standstill_of_a_shaft_that_turned() {
    let mut settling = Settling::default();
    settling.look(false, true, true, ms(0));
    assert_eq!(found(&Probe::Reader(settling), 50), [], "nothing turned yet");
    settling.look(true, false, false, ms(100));
    settling.look(false, false, true, ms(3000));
    assert_eq!(found(&Probe::Reader(settling), 3050), [], "it turns still");
    settling.look(false, true, true, ms(3100));
    assert!(!settling.is_done(), "what the reader said before it looked again belongs to no spin");
    settling.look(false, true, false, ms(3200));
    assert_eq!(found(&Probe::Reader(settling), 3250), [(Quantity::SettleTime, 150_000)], "so far");
    settling.look(false, true, true, ms(3600));
    settling.look(false, true, true, ms(3900));
    assert!(settling.is_done());
    assert_eq!(found(&Probe::Reader(settling), 9000), [(Quantity::SettleTime, 500_000)]);
}

#[test]
fn each_break_of_the_seal_counts_once() {
    let mut seal = Loop::default();
    for active in [false, true, false] {
        seal.edge(active);
    }
    assert_eq!(found(&Probe::Seal(seal), 0), [(Quantity::SealBreaks, 2)]);
}

#[test]
fn a_temperature_is_told_with_its_spread_and_the_longest_time_between_two_readings() {
    let mut thermometer = Thermometer::default();
    assert_eq!(found(&Probe::Temperature(thermometer.clone()), 0), []);
    for (count, (at, milli)) in [(0, 40_000), (900, 41_500), (2100, 39_000), (3000, 40_000)].into_iter().enumerate() {
        assert!(!thermometer.is_done() && count < READINGS);
        thermometer.read(MilliCelsius(milli), ms(at));
    }
    let all = [Quantity::Temperature, Quantity::TemperatureSpread, Quantity::TemperatureInterval];
    let values = all.into_iter().zip([41_500, 2_500, 1_200_000]).collect::<Vec<_>>();
    assert_eq!(found(&Probe::Temperature(thermometer.clone()), 0), values);
    thermometer.read(MilliCelsius(40_000), ms(4000));
    assert!(thermometer.is_done());
    thermometer.read(MilliCelsius(90_000), ms(9000));
    assert_eq!(
        found(&Probe::Temperature(thermometer), 0),
        values,
        "what comes after the last reading is not the test's"
    );
}

/// Each test has the probe that measures its device, and says what a person is to do where one is needed.
#[test]
fn each_test_has_its_own_probe_and_prompt() {
    for (test, is_it, prompt) in [
        (HardwareTest::Motor, matches!(Probe::new(HardwareTest::Motor), Probe::Motor(_)), "measures"),
        (HardwareTest::Cam, matches!(Probe::new(HardwareTest::Cam), Probe::Cam(_)), "measures"),
        (HardwareTest::Dome, matches!(Probe::new(HardwareTest::Dome), Probe::Dome(_)), "dome"),
        (HardwareTest::Buttons, matches!(Probe::new(HardwareTest::Buttons), Probe::Buttons(_)), "of tumble"),
        (HardwareTest::Bell, matches!(Probe::new(HardwareTest::Bell), Probe::Person), "measures"),
        (HardwareTest::Terminal, matches!(Probe::new(HardwareTest::Terminal), Probe::Terminal(_)), "press the key 1"),
        (HardwareTest::Lamps, matches!(Probe::new(HardwareTest::Lamps), Probe::Lamps(_)), "look at the areas"),
        (HardwareTest::Reader, matches!(Probe::new(HardwareTest::Reader), Probe::Reader(_)), "until the dice rest"),
        (HardwareTest::Seal, matches!(Probe::new(HardwareTest::Seal), Probe::Seal(_)), "measures"),
        (HardwareTest::Temperature, matches!(Probe::new(HardwareTest::Temperature), Probe::Temperature(_)), "measures"),
        (HardwareTest::Bus, matches!(Probe::new(HardwareTest::Bus), Probe::Bus(_)), "measures"),
    ] {
        let shown = Probe::new(test).prompt(&Parameters::default());
        assert!(is_it && shown.contains(prompt), "{test:?}: {shown}");
    }
    let mut spin = Spin::default();
    assert!(!spin.has_begun() && Probe::Motor(spin.clone()).plots().is_empty());
    assert_eq!(found(&Probe::Motor(spin.clone()), 9), []);
    assert_eq!(found(&Probe::Cam(spin.clone()), 9), []);
    spin.begin(ms(0), true, false);
    spin.edge(InLine::CamB, true, ms(100));
    assert!(spin.has_begun());
    let waves = Probe::Cam(spin.clone()).plots().waves;
    let told: Vec<_> = waves.iter().map(|w| (w.line.as_str(), w.active, w.edges.clone())).collect();
    assert_eq!(told, [("cam_a", true, vec![]), ("cam_b", false, vec![100_000])]);
    assert_eq!(Probe::Motor(spin).plots().waves, waves);
}

/// A spin that is slow, or that never reaches a second tumble, is told by what it has.
#[test]
fn a_spin_that_is_cut_short_is_told_as_far_as_it_came() {
    let spun = |edges: u64, off: Option<u64>| {
        let mut spin = Spin::default();
        spin.begin(ms(0), false, false);
        for n in 1..=edges {
            let line = if n % 2 == 1 { InLine::CamA } else { InLine::CamB };
            spin.edge(line, matches!(n % 4, 1 | 2), ms(n * 100));
        }
        if let Some(off) = off {
            spin.end(ms(off));
            spin.end(ms(off + 5000));
        }
        Probe::Motor(spin)
    };
    // No full tumble: its time is reckoned from motor on.
    assert_eq!(
        found(&spun(3, None), 900),
        [(Quantity::StartTime, 100_000), (Quantity::Tumbles, 0), (Quantity::PeriodGreatest, 900_000)]
    );
    assert_eq!(
        found(&spun(3, Some(800)), 900),
        [(Quantity::StartTime, 100_000), (Quantity::Tumbles, 0), (Quantity::PeriodGreatest, 800_000)]
    );
    // One tumble: there is no other to leave its start out for.
    assert_eq!(
        found(&spun(5, Some(700)), 900),
        [
            (Quantity::StartTime, 100_000),
            (Quantity::Tumbles, 1),
            (Quantity::PeriodMean, 400_000),
            (Quantity::PeriodLeast, 400_000),
            (Quantity::PeriodGreatest, 400_000),
            (Quantity::PeriodSpread, 0)
        ]
    );
    // Two tumbles, and one that the shaft did not end: from the ninth edge at 900 to motor off at 2000.
    assert_eq!(
        found(&spun(10, Some(2000)), 9000),
        [
            (Quantity::StartTime, 100_000),
            (Quantity::Tumbles, 2),
            (Quantity::PeriodMean, 400_000),
            (Quantity::PeriodLeast, 400_000),
            (Quantity::PeriodGreatest, 1_100_000),
            (Quantity::PeriodSpread, 1750)
        ]
    );
    // What comes after motor off is no tumble under power. A shaft that stops before its next step has no time to be told.
    let coasted = found(&spun(12, Some(850)), 9000);
    assert!(coasted.contains(&(Quantity::Tumbles, 1)) && coasted.contains(&(Quantity::CoastTime, 350_000)));
}

/// faults.md cam.*: what is kept of a spin is bounded, and its quarters are told by the one farthest from a right angle.
#[test]
fn the_quarter_farthest_from_a_right_angle_is_told() {
    // Steps of one tumble take so long, in milliseconds.
    let spun = |quarters: [u64; 4], laps: usize, back: bool| {
        let (mut spin, mut at) = (Spin::default(), 1000);
        spin.begin(ms(1000), false, false);
        for (n, step) in (1_u64..).zip(quarters.iter().cycle().take(laps * 4 + 1)) {
            at += step;
            spin.edge(if n % 2 == 1 { InLine::CamA } else { InLine::CamB }, matches!(n % 4, 1 | 2), ms(at));
        }
        if back {
            spin.edge(InLine::CamA, false, ms(at + 3));
        }
        found(&Probe::Cam(spin), 99_000)
    };
    let value =
        |found: &[(Quantity, i64)], of| found.iter().find(|(quantity, _)| *quantity == of).map(|(_, value)| *value);
    for (quarters, degrees) in [([100, 100, 100, 100], 90), ([80, 80, 80, 160], 144), ([120, 120, 120, 40], 36)] {
        assert_eq!(value(&spun(quarters, 3, false), Quantity::CamAngle), Some(degrees), "{quarters:?}");
        assert_eq!(value(&spun(quarters, 3, false), Quantity::CamJitter), Some(0), "{quarters:?}");
        assert_eq!(value(&spun(quarters, 2, false), Quantity::CamJitter), None, "one tumble differs from nothing");
    }
    assert_eq!(value(&spun([100; 4], 3, false), Quantity::CamBounces), Some(0));
    assert_eq!(value(&spun([100; 4], 3, true), Quantity::CamBounces), Some(1), "it went away and did not come back");
    // 400 steps are kept, and 256 edges of each wire.
    let mut spin = Spin::default();
    spin.begin(ms(0), false, false);
    for n in 1..=600_u64 {
        spin.edge(if n % 2 == 1 { InLine::CamA } else { InLine::CamB }, matches!(n % 4, 1 | 2), ms(n));
    }
    let waves = Probe::Cam(spin.clone()).plots().waves;
    assert_eq!(waves.iter().map(|wave| wave.edges.len()).collect::<Vec<_>>(), [256, 256]);
    assert_eq!(value(&found(&Probe::Motor(spin), 700), Quantity::Tumbles), Some(99), "(400 - 1) / 4");
}

/// faults.md dome.*: the longest time for which neither contact was made, for which both were, and of one contact's bounce.
#[test]
fn a_dome_is_measured_while_it_is_lifted_and_put_back() {
    let mut dome = Dome::default();
    dome.edge(InLine::DomeOpen, true, ms(0));
    dome.begin(true, false);
    dome.begin(false, true);
    assert_eq!((dome.prompt(), found(&Probe::Dome(dome.clone()), 0)), ("lift the dome", vec![]));
    // The closed contact bounces for 12 ms, then neither is made until 160; the open one bounces for 4 ms.
    for (line, active, at) in [
        (InLine::DomeClosed, false, 10),
        (InLine::DomeClosed, true, 14),
        (InLine::DomeClosed, false, 22),
        (InLine::DomeOpen, true, 160),
        (InLine::DomeOpen, false, 162),
        (InLine::DomeOpen, true, 164),
    ] {
        dome.edge(line, active, ms(at));
    }
    dome.at(false, true);
    assert!(!dome.is_done() && dome.prompt() == "lift the dome", "it was not away yet");
    dome.at(true, false);
    assert!(!dome.is_done() && dome.prompt() == "put the dome back");
    let all = [Quantity::DomeTravel, Quantity::DomeOverlap, Quantity::DomeBounce];
    let values = |numbers: [i64; 3]| all.into_iter().zip(numbers).collect::<Vec<_>>();
    assert_eq!(found(&Probe::Dome(dome.clone()), 0), values([138_000, 0, 12_000]));
    // Put back, the closed contact makes 30 ms before the open one breaks. Edges 200 ms apart are one movement, 201 are two.
    dome.edge(InLine::DomeClosed, true, ms(1000));
    dome.edge(InLine::DomeOpen, false, ms(1030));
    dome.at(false, false);
    dome.at(false, true);
    assert!(dome.is_done());
    assert_eq!(found(&Probe::Dome(dome.clone()), 0), values([138_000, 30_000, 12_000]));
    assert_eq!(Probe::Dome(dome.clone()).plots().waves.len(), 2, "both contacts");
    dome.edge(InLine::DomeOpen, true, ms(1231));
    assert_eq!(found(&Probe::Dome(dome.clone()), 0), values([138_000, 30_000, 12_000]));
    dome.edge(InLine::DomeOpen, false, ms(1431));
    assert_eq!(found(&Probe::Dome(dome), 0), values([138_000, 200_000, 200_000]));
}

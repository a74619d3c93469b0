//! What people are shown of the table: all of it as it is, step by step of a round.

use crate::world;

use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::round::{Doubt, Finding};
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, MilliCelsius, RoundId, Tumbles};
use tumbler_core::wire::registers::{reader, terminal};
use world::World;
use world::play::{opened, play_to_reveal, reveal, settle_round};

/// NZ 3.4(g), SG 5.11: displays show what is. design.md, The table's life: phases, tumbles, dome, motor, lamps, result.
#[test]
fn a_round_is_shown_as_it_goes() {
    let mut world = opened("nz-div9", "nz-div9-1");
    let shown = |world: &World| world.table.snapshot();
    let idle = shown(&world);
    assert_eq!((idle.phase, idle.open, idle.round, idle.tumbles), (Phase::Ready, true, None, Tumbles(0)));
    assert_eq!((idle.dome.as_str(), idle.motor, idle.result), ("closed", false, None));
    assert!(idle.lit.is_empty() && idle.sensed.is_empty() && !idle.verified && idle.lost_units.is_empty());
    assert!(idle.malfunctions.is_empty() && idle.waived.is_empty() && idle.test.is_none() && idle.recent.is_empty());

    world.press(InLine::Tumble);
    let mut counted = Vec::new();
    for _ in 0..60 {
        world.pass(50);
        let now = shown(&world);
        if now.phase == Phase::Tumbling && now.motor && counted.last() != Some(&now.tumbles) {
            counted.push(now.tumbles);
        }
    }
    assert_eq!(counted, [0, 1, 2, 3, 4].map(Tumbles), "counted while it turns");
    world.pass(1500);
    let spun = shown(&world);
    assert_eq!((spun.phase, spun.tumbles, spun.motor), (Phase::Betting, Tumbles(4), false));
    assert_eq!(spun.round, Some(RoundId(1)));

    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    assert_eq!(shown(&world).phase, Phase::BetsClosed);
    reveal(&mut world);
    assert_eq!((shown(&world).phase, shown(&world).dome.as_str()), (Phase::Revealed, "open"));
    world.entry([1, 3, 6]);
    world.pass(500);
    let settling = shown(&world);
    assert_eq!((settling.phase, settling.result), (Phase::Settling, Dice::from_pips([1, 3, 6]).ok()));
    assert!(settling.verified && settling.lit == settling.sensed && settling.lit.contains(&"total-10".to_owned()));
    assert_eq!(settling.display, "136");
    world.all_paid();
    let settled = shown(&world);
    assert_eq!((settled.phase, settled.round, settled.tumbles), (Phase::Ready, None, Tumbles(0)));
    assert_eq!((settled.recent.len(), settled.recent[0].dice), (1, Dice::from_pips([1, 3, 6]).ok()));
    assert!(settled.seq > settling.seq && settling.seq > spun.seq);
}

/// NZ 3.3(a)(iii): the display shows the numbers of the result, also after something else was keyed while wagers are settled.
#[test]
fn the_result_comes_back_to_the_display() {
    let mut world = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([3, 6, 1]);
    world.pass(500);
    for (keys, wrong) in [(&[terminal::ENTRY][..], "EEE"), (&[2], "  2")] {
        world.keys(keys);
        world.pass(200);
        assert_eq!(world.table.snapshot().display, wrong);
        world.pass(2500);
        assert_eq!(world.table.snapshot().display, "136");
    }
    world.all_paid();
    assert_eq!(world.table.snapshot().phase, Phase::Ready, "the stray number does not stand in the way");
    world.pass(3000);
    assert_eq!(world.table.snapshot().display, "   ");
}

/// design.md rule 2, "make durable, then publish": what people see is told again when it changed, and at no other time.
#[test]
fn a_change_is_told_and_quiet_is_not() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.pass(2000);
    let told = |world: &mut World, ms: u64| {
        let before = world.table.revision();
        world.pass(ms);
        world.table.revision().wrapping_sub(before)
    };
    // A reading of the temperature every half second is told; polls of units that say the same are not.
    assert!(told(&mut world, 10_000) <= 21, "a quiet table");
    world.poses[2] = reader::NOT_FLAT;
    let shown = |world: &World| world.table.snapshot();
    let mut seen = vec![shown(&world).poses];
    for _ in 0..400 {
        if told(&mut world, 1) > 0 {
            seen.push(shown(&world).poses);
        }
    }
    assert!(seen.iter().any(|poses| poses[2] == "not-flat"), "{seen:?}");
}

/// The same: a picture holds nothing that is not durable, however slow the disk is, and says up to which record it goes.
#[test]
fn a_picture_is_durable() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.disk = false;
    for line in [InLine::Tumble, InLine::PlaceBets, InLine::PlaceBets, InLine::PlaceBets] {
        world.press(line);
        world.pass(300);
    }
    // More and more is recorded, and each commit finds another one begun.
    let mut pictures = 0;
    let mut revision = world.table.revision();
    for _ in 0..200 {
        world.press(InLine::PlaceBets);
        world.pass(300);
        world.commit_first();
        if world.table.revision() != revision {
            revision = world.table.revision();
            let seq = world.table.snapshot().seq;
            // What was recorded until the commit before this one is what this one made durable.
            assert_eq!(seq, world.durable, "{seq:?} is shown");
            pictures += 1;
        }
    }
    assert!(pictures > 10, "{pictures} pictures");
}

/// What everybody at the table can see or measure, and what stops: told as it is, also where the journal cannot be written.
const PHYSICAL: [&str; 13] = [
    "backend",
    "dome",
    "motor",
    "poses",
    "display",
    "lit",
    "sensed",
    "malfunctions",
    "temperature",
    "key",
    "lost_units",
    "test",
    "measurements",
];
/// What is so by a record, and waits for it.
const RECORDED: [&str; 11] =
    ["seq", "rules", "layout", "round", "open", "tumbles", "result", "verified", "waived", "question", "recent"];
/// Of both: blocked is told at once, and so is what a test asks for.
const MIXED: [&str; 2] = ["phase", "prompt"];

/// design.md rule 2: a disk that fails at each step of a round, for good. What was never journalled is told by no field, to the end of
/// that round and of the next, and every field is of one kind.
#[test]
fn what_was_never_journalled_is_not_told() {
    for (rules, layout) in [("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1"), ("sg-open", "sg-open-1")] {
        let mut ready = opened(rules, layout);
        settle_round(&mut ready);
        let steps = steps(rules);
        for fails in 0..steps.len() {
            let mut world = ready.clone();
            steps[..fails].iter().for_each(|step| step(&mut world));
            world.pass(600);
            let on_record = fields(&world);
            world.disk = false;
            for (step, act) in steps.iter().enumerate().skip(fails).chain(steps.iter().enumerate()) {
                act(&mut world);
                // Once the disk has failed it takes nothing of what is recorded from then on.
                world.commits.clear();
                world.input(Input::JournalFailed { reason: "no space left".into() });
                world.pass(600);
                let now = fields(&world);
                for name in now.keys().chain(on_record.keys()) {
                    let known = [&PHYSICAL[..], &RECORDED, &MIXED].concat().contains(&name.as_str());
                    assert!(known, "{name} is neither a physical fact nor does it wait for its record");
                }
                for name in RECORDED {
                    let (now, was) = (now.get(name), on_record.get(name));
                    assert_eq!(now, was, "{rules}: {name} after step {step}, the disk failed at step {fails}");
                }
                let shown = world.table.snapshot();
                assert_eq!((shown.phase, shown.malfunctions[0].code), (Phase::Blocked, Code::Journal));
            }
        }
    }
}

fn fields(world: &World) -> serde_json::Map<String, serde_json::Value> {
    serde_json::to_value(world.table.snapshot()).unwrap().as_object().unwrap().clone()
}

/// The steps of a round by the order of play: the spin first or last.
fn steps(rules: &str) -> [fn(&mut World); 7] {
    let place = |world: &mut World| world.press(InLine::PlaceBets);
    let close = |world: &mut World| world.press(InLine::NoMoreBets);
    let [first, second, third]: [fn(&mut World); 3] =
        if rules == "nz-div9" { [World::spin, place, close] } else { [place, close, World::spin] };
    [first, second, third, reveal, |world| world.entry([1, 3, 6]), World::all_paid, World::cover]
}

/// SGV6 5.4.1, 5.14: the question is told by the name that records carry, and asks for a fact in the words of its answers, of those alone
/// that may be given; only who has the authority decides.
#[test]
fn each_doubt_has_the_name_of_its_records_and_asks() {
    for doubt in Doubt::ALL {
        assert_eq!(serde_json::to_value(doubt).unwrap(), doubt.name());
        let by_fact = matches!(doubt, Doubt::Interrupted | Doubt::Knocked);
        let asks = doubt.text().contains("person says how");
        let decides = doubt.text().contains("A named person decides");
        assert_eq!((asks, decides), (by_fact, !by_fact), "{doubt:?}");
        for answers in [&Finding::ALL[..], &[Finding::Undisturbed, Finding::CannotTell]] {
            let asked = doubt.asks(answers);
            for finding in Finding::ALL.into_iter().filter(|_| by_fact) {
                assert_eq!(asked.contains(&format!("{} (", finding.name())), answers.contains(&finding), "{asked}");
            }
        }
    }
}

/// A sensor that jumps is no motor that is too hot: the record says what was seen.
#[test]
fn a_spin_that_the_temperature_ends_says_what_was_seen() {
    for (readings, seen) in [
        (vec![45_000], "the sensor jumped from 30.0 C to 45.0 C; "),
        (vec![200_000], "the sensor reads 200.0 C, which it cannot measure; "),
        (vec![39_000, 48_000, 57_000, 66_000, 75_000, 83_000], "the motor has 83.0 C, above the limit of 80 C; "),
    ] {
        let mut world = opened("sg-v6", "sg-v6-1");
        world.press(InLine::PlaceBets);
        world.press(InLine::Tumble);
        world.pass(600);
        for reading in readings {
            world.input(Input::Temperature { reading: Some(MilliCelsius(reading)) });
        }
        world.pass(1500);
        let void = world.first_void().unwrap();
        assert!(void.detail.starts_with(seen), "{}", void.detail);
    }
}

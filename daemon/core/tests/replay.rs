//! The replay of a recording: the same inputs have the same effects, and the first difference is reported (design.md rule 1).

use crate::world;

use tumbler_core::effect::Effect;
use tumbler_core::input::{Input, Stamped};
use tumbler_core::line::InLine;
use tumbler_core::table::Table;
use tumbler_core::wire::recording::{Digest, Entry, Line};
use tumbler_core::wire::replay::{Difference, Replay};
use world::play::{opened, play_to_reveal};

/// A line of a recording as it is read back from its file.
fn line(line: &Line) -> Line {
    serde_json::from_str(&serde_json::to_string(line).unwrap()).unwrap()
}

fn keyframe(index: u64, table: &Table) -> Line {
    line(&Line::Keyframe { index, table: Box::new(table.clone()) })
}

fn entry(index: usize, (stamped, effects): &(Stamped, Vec<Effect>)) -> Entry {
    Entry::of(index as u64, stamped.clone(), effects)
}

/// A recorded round, and the effects of each of its inputs.
struct Recorded {
    lines: Vec<Line>,
    effects: Vec<Vec<Effect>>,
}

impl Recorded {
    /// A settled round, with a keyframe before it and one after it.
    fn round() -> Self {
        let mut world = opened("nz-div9", "nz-div9-1");
        let (before, from) = (world.table.clone(), world.history.len());
        play_to_reveal(&mut world);
        world.entry([1, 3, 6]);
        world.pass(500);
        world.all_paid();
        let mut lines = vec![keyframe(from as u64, &before)];
        for (index, played) in world.history.iter().enumerate().skip(from) {
            lines.push(line(&Line::Input(Box::new(entry(index, played)))));
        }
        lines.push(keyframe(world.history.len() as u64, &world.table));
        let effects = world.history[from..].iter().map(|(_, effects)| effects.clone()).collect();
        Self { lines, effects }
    }

    /// The first input for which this holds.
    fn input(&mut self, which: impl Fn(&Input) -> bool) -> &mut Entry {
        let mut inputs = self.lines.iter_mut().filter_map(|line| match line {
            Line::Input(entry) => Some(&mut **entry),
            _ => None,
        });
        inputs.find(|entry| which(&entry.stamped.input)).unwrap()
    }

    fn replay(&self) -> (Replay, Vec<Vec<Effect>>) {
        let (mut replay, mut effects) = (Replay::default(), Vec::new());
        for line in &self.lines {
            match line {
                Line::Keyframe { index, table } => replay.keyframe(*index, table),
                Line::Input(entry) => effects.push(replay.input(entry).unwrap()),
                Line::Header(_) => panic!("no header was recorded"),
            }
        }
        (replay, effects)
    }
}

fn presses_tumble(input: &Input) -> bool {
    matches!(input, Input::Edge { line: InLine::Tumble, active: true })
}

#[test]
fn a_recording_replays_with_the_same_effects() {
    let recorded = Recorded::round();
    let (replay, effects) = recorded.replay();
    assert_eq!((replay.difference, replay.keyframes), (None, 1));
    assert!(effects.len() > 100, "{} inputs", effects.len());
    assert_eq!(effects, recorded.effects);
}

/// A recording of inputs that the table never had: the first input whose effects are others is reported with both.
#[test]
fn another_input_is_found_by_its_effects() {
    let mut recorded = Recorded::round();
    let committed = recorded.input(|input| matches!(input, Input::Durable { .. }));
    committed.stamped.input = Input::Tick;
    let committed = committed.clone();
    assert!(committed.effects > 0);
    let (replay, _) = recorded.replay();
    let Some(Difference::Effects { recorded, replayed }) = replay.difference else {
        panic!("{:?}", replay.difference);
    };
    assert_eq!(*recorded, committed);
    assert_ne!(committed.digest, Digest::of(&replayed));
}

/// A press that is missing has effects only later: the table is another one from there on, and no keyframe agrees again.
#[test]
fn a_missing_input_is_found_at_the_first_effect_that_it_had() {
    let mut recorded = Recorded::round();
    let pressed = recorded.input(presses_tumble).index;
    recorded.lines.retain(|line| !matches!(line, Line::Input(entry) if entry.index == pressed));
    let (replay, _) = recorded.replay();
    let Some(Difference::Effects { recorded, .. }) = replay.difference else { panic!("{:?}", replay.difference) };
    assert!(recorded.index > pressed);
    assert_eq!(replay.keyframes, 0);
}

/// Both the number of the effects and their contents count, and only the first difference is reported.
#[test]
fn other_effects_of_the_same_input_are_found() {
    let whole = Recorded::round();
    let of_two = whole.effects.iter().position(|effects| effects.len() == 2 && effects[0] != effects[1]).unwrap();
    let effects = &whole.effects[of_two];
    let swapped = [effects[1].clone(), effects[0].clone()];
    for other in [&effects[..1], &swapped] {
        let mut recorded = Recorded { lines: whole.lines.clone(), effects: Vec::new() };
        let Line::Input(entry) = &mut recorded.lines[of_two + 1] else { panic!("the first line is the keyframe") };
        **entry = Entry::of(entry.index, entry.stamped.clone(), other);
        let expected = entry.clone();
        // A second difference, which must not hide the first.
        let Some(Line::Input(last)) = recorded.lines.iter_mut().rev().nth(1) else { panic!("the last is a keyframe") };
        last.effects += 1;

        let (replay, _) = recorded.replay();
        let difference = replay.difference.unwrap();
        assert_eq!(difference, Difference::Effects { recorded: expected.clone(), replayed: effects.clone() });
        let told = difference.to_string();
        assert!(told.starts_with(&format!("input {}: ", expected.index)), "{told}");
        assert!(told.contains(&format!("recorded: {} effects, digest {}", other.len(), expected.digest)), "{told}");
        assert!(told.contains(&format!("replayed: 2 effects, digest {}", Digest::of(effects))), "{told}");
        assert_eq!(replay.keyframes, 1, "the table itself is the same");
    }
}

#[test]
fn another_table_at_a_keyframe_is_found_by_its_number() {
    let mut recorded = Recorded::round();
    let last = recorded.lines.len() - 1;
    let (Line::Keyframe { table: before, .. }, Line::Keyframe { index, .. }) =
        (&recorded.lines[0], &recorded.lines[last])
    else {
        panic!("a recording begins and ends with a keyframe here")
    };
    let index = *index;
    recorded.lines[last] = keyframe(index, before);
    let (replay, effects) = recorded.replay();
    assert_eq!((replay.keyframes, effects), (0, recorded.effects));
    let difference = replay.difference.unwrap();
    assert_eq!(difference, Difference::Table { index });
    assert!(difference.to_string().starts_with(&format!("keyframe {index}: ")), "{difference}");
}

/// Nothing can be said of an input before the table is known.
#[test]
fn inputs_before_the_first_keyframe_are_not_played() {
    let mut recorded = Recorded::round();
    let pressed = recorded.input(presses_tumble).clone();
    let mut replay = Replay::default();
    assert_eq!(replay.input(&pressed), None);
    assert!(replay.difference.is_none() && replay.table.is_none());
}

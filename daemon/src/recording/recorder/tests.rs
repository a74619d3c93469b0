use super::*;
use crate::recording::replay::{self, Report, replay};
use tumbler_core::context::Context;
use tumbler_core::effect::Effect;
use tumbler_core::input::{Input, Stamped};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::settings::{Parameters, Settings};
use tumbler_core::table::{Found, Start};
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::recording::Digest;
use tumbler_core::wire::replay::Difference;

fn table() -> Table {
    let settings = Settings {
        site: "s".into(),
        table: "t".into(),
        backend: "virtual".into(),
        rules: "sg-v6".into(),
        layout: "sg-v6-3".into(),
        reader: true,
        temperature: true,
        house: tumbler_core::settings::House::default(),
        parameters: Parameters::default(),
    };
    let journal = Found::Good { standing: Box::default(), last: Seq(1), relayed: Seq(0), permit: false };
    let start = Start { boot: "b".into(), build: "1".into(), config: "c".into(), journal };
    Table::start(settings, start, Mono(0), &mut Vec::new()).unwrap()
}

fn header() -> Header {
    Header {
        format: FORMAT,
        build: crate::BUILD.into(),
        backend: "virtual".into(),
        boot: "b".into(),
        reason: String::new(),
    }
}

/// A table that has taken `count` inputs in, one a millisecond, and its ring.
fn lived(count: u64) -> (Table, Ring) {
    let mut table = table();
    let mut ring = Ring::new(&table);
    for index in 0..count {
        let now = Mono::from_millis(index + 1);
        let input = match index % 4 {
            0 => Input::Edge { line: InLine::CamA, active: index % 8 == 0 },
            1 => Input::Level { line: InLine::Seal, active: true },
            2 => Input::Readback { line: OutLine::OutOfService, active: true },
            _ => Input::Tick,
        };
        let input = table.redact(input);
        let mut effects = Vec::new();
        table.handle(now, now, &input, &mut effects);
        ring.push(Entry::of(ring.next_index(), Stamped { at: now, now, input }, &effects), &table);
    }
    (table, ring)
}

/// Writes one recording into a directory of its own.
fn written(count: u64) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (table, mut ring) = lived(count);
    let (_recorder, writer) = recorder(dir.path().join("incidents"), header());
    let path = writer.write(&ring.cut("void".into(), &table)).unwrap();
    (dir, path)
}

/// What `zstdcat` shows.
fn text_of(path: &Path) -> String {
    String::from_utf8(zstd::decode_all(fs::File::open(path).unwrap()).unwrap()).unwrap()
}

fn changed(path: &Path, change: impl Fn(String) -> String) -> Report {
    let text = text_of(path);
    // As a file that was taken apart with zstdcat.
    fs::write(path, change(text)).unwrap();
    replay(path).unwrap()
}

#[test]
fn what_was_recorded_replays_bit_for_bit() {
    let (_dir, path) = written(3000);
    let report = replay(&path).unwrap();
    assert_eq!((report.inputs, report.keyframes, report.difference.clone()), (3000, 2, None), "{report}");
    assert!(report.effects > 0);
    assert!(path.ends_with("000001-void.jsonl.zst"), "{}", path.display());
}

#[test]
fn a_changed_input_shows_as_the_first_difference() {
    let (_dir, path) = written(1500);
    let report = changed(&path, |text| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let line = lines.iter_mut().find(|line| line.contains(r#""index":9,"#)).unwrap();
        *line = line.replace("seal", "motor_fault");
        lines.join("\n")
    });
    let index = match &report.difference {
        Some(Difference::Effects { recorded, .. }) => recorded.index,
        Some(Difference::Table { index }) => *index,
        None => panic!("no difference found: {report}"),
    };
    assert!((9..=1024).contains(&index), "{report}");
}

#[test]
fn a_changed_effect_shows_where_it_came_of() {
    let (_dir, path) = written(100);
    let report = changed(&path, |text| {
        text.replacen(r#""index":50,"#, r#""index":50, "#, 1).replace(
            &text
                .lines()
                .find(|l| l.contains(r#""index":50,"#))
                .and_then(|l| l.rsplit_once("digest").map(|(_, d)| d.to_owned()))
                .unwrap(),
            "\":\"0000000000000001\"}}",
        )
    });
    assert!(
        matches!(&report.difference, Some(Difference::Effects { recorded, .. }) if recorded.index <= 50),
        "{report}"
    );
    assert!(report.to_string().contains("different at input"), "{report}");
}

#[test]
fn what_is_no_recording_is_refused_with_file_and_line() {
    let (_dir, path) = written(10);
    let text = text_of(&path);
    for (what, bad) in [
        ("empty", String::new()),
        ("no header", text.split_once('\n').unwrap().1.to_owned()),
        ("an input first", text.lines().filter(|l| !l.contains("keyframe")).collect::<Vec<_>>().join("\n")),
        ("cut", text[..text.len() - 30].to_owned()),
        ("another format", text.replacen(r#""format":1"#, r#""format":99"#, 1)),
        ("no JSON", "hello\n".to_owned()),
    ] {
        fs::write(&path, bad).unwrap();
        let error = replay(&path).expect_err(what).to_string();
        assert!(error.contains("000001-void.jsonl.zst:"), "{what}: {error}");
    }
    assert!(matches!(replay(Path::new("/nowhere")), Err(replay::ReplayError::Unreadable { .. })));
}

#[test]
fn the_ring_keeps_the_latest_inputs_only() {
    let (table, mut ring) = lived(INPUTS as u64 * 2);
    let recording = ring.cut("record".into(), &table);
    let kept: usize = recording.segments.iter().map(|s| s.entries.len()).sum();
    assert!((INPUTS - KEYFRAME..=INPUTS).contains(&kept), "{kept}");
    for index in 0..1000 {
        let stamped = Stamped { at: Mono(index), now: Mono(index), input: Input::Tick };
        ring.push(Entry::of(ring.next_index(), stamped, &[]), &table);
        ring.cut("void".into(), &table);
    }
    assert!(ring.sealed.len() <= SEGMENTS);
}

#[test]
fn who_asked_is_told_where_the_recording_is_or_why_there_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let (table, mut ring) = lived(1);
    let place = dir.path().join("incidents");
    let path = place.join("000001-record.jsonl.zst");
    let said =
        [format!("the recording is {}", path.display()), format!("no recording can be written to {}", file.display())];
    for (place, said) in [place, file].into_iter().zip(said) {
        let (recorder, writer) = recorder(place, header());
        recorder.write(ring.cut("record".into(), &table).asked_by(Some(7))).unwrap();
        recorder.write(ring.cut("void".into(), &table)).unwrap();
        drop(recorder);
        let told = std::cell::RefCell::new(Vec::new());
        writer.run(|request, answer| told.borrow_mut().push((request, answer)));
        match told.into_inner().as_slice() {
            [(7, Answer::Done(text))] => assert_eq!(*text, said),
            [(7, Answer::Refused { why: text, .. })] => assert!(text.starts_with(&said), "{text}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(path.exists());
}

#[test]
fn the_newest_recordings_are_kept_and_numbers_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("incidents");
    let (table, mut ring) = lived(1);
    for reason in ["../../etc/passwd", ""] {
        let (_recorder, writer) = recorder(place.clone(), header());
        for _ in 0..KEPT {
            writer.write(&ring.cut(reason.into(), &table)).unwrap();
        }
    }
    let mut kept = numbered(&place).unwrap();
    kept.sort_unstable();
    let first = kept.first().unwrap();
    assert_eq!((kept.len(), first.0, kept.last().unwrap().0), (KEPT, KEPT as u64 + 1, 2 * KEPT as u64));
    assert!(first.1.ends_with("000065-incident.jsonl.zst"), "{}", first.1.display());
}

/// Flash wears out: a recording is small, and all of them together have a bound that older, larger ones count against.
#[test]
fn recordings_are_bounded_in_size_and_in_total() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("incidents");
    let (_recorder, writer) = recorder(place.clone(), header());
    let (table, mut ring) = lived(INPUTS as u64);
    let path = writer.write(&ring.cut("void".into(), &table)).unwrap();
    let size = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
    assert!(size <= LARGEST, "{size}");
    assert_eq!(replay(&path).unwrap().difference, None);

    // Noise cannot be compressed: the oldest parts are left out, and the rest is whole.
    let mut seed = 1_u64;
    let mut noise = || {
        // Knuth's MMIX generator.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{seed:016x}")
    };
    let (table, mut ring) = lived(0);
    for index in 0..INPUTS as u64 {
        let reason = (0..8).map(|_| noise()).collect::<String>();
        let stamped = Stamped { at: Mono(index), now: Mono(index), input: Input::LinesLost { reason } };
        ring.push(Entry::of(ring.next_index(), stamped, &[]), &table);
    }
    let recording = ring.cut("void".into(), &table);
    let path = writer.write(&recording).unwrap();
    let size = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
    let text = text_of(&path);
    let last = format!(r#""index":{},"#, INPUTS - 1);
    assert!(size <= LARGEST && size > LARGEST / 2, "{size}");
    assert!(text.lines().next().unwrap().contains("header") && text.lines().last().unwrap().contains(&last));
    assert!(text.lines().count() < INPUTS, "{}", text.lines().count());

    for number in 3..10 {
        fs::write(place.join(format!("{number:06}-void.jsonl")), vec![b' '; 2_000_000]).unwrap();
    }
    writer.write(&recording).unwrap();
    let all: u64 = numbered(&place).unwrap().iter().map(|(_, path)| fs::metadata(path).unwrap().len()).sum();
    assert!(all <= ALL, "{all}");
    assert!(place.join("000009-void.jsonl").exists() && !place.join("000003-void.jsonl").exists());
}

#[test]
fn equal_effects_have_equal_digests_and_others_have_others() {
    let set = |active| {
        let (mut ctx, mut effects) = (Context::default(), Vec::new());
        ctx.sign(active);
        ctx.drain(&mut effects);
        effects
    };
    let digest = |effects: &[Effect]| Digest::of(effects);
    assert_eq!(digest(&set(true)), digest(&set(true)));
    assert_ne!(digest(&set(true)), digest(&set(false)));
    assert_ne!(digest(&[]), digest(&set(false)));
}

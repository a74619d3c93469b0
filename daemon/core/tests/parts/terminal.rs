//! The terminal by itself: its numbered queue, its display, and what the core's numbers look like to people.

use tumbler_core::context::Context;
use tumbler_core::device::terminal::{Request, Terminal, mask};
use tumbler_core::input::BusReply;
use tumbler_core::line::Key;
use tumbler_core::timer::Timer;
use tumbler_core::units::{DieFace, Mono};
use tumbler_core::wire::registers::terminal as map;

/// A polled block: held keys, number of the first event, events, display.
fn block(held: u16, first: u16, events: &[u16], display: u16) -> Vec<u16> {
    let mut words = vec![held, first, u16::try_from(events.len()).unwrap()];
    words.extend(events);
    words.resize(11, 0);
    words.push(display);
    words
}

#[derive(Default)]
struct Bench {
    terminal: Terminal,
    ctx: Context,
}

impl Bench {
    fn poll(&mut self, at: u64, words: &[u16]) -> Option<Vec<Key>> {
        self.ctx.advance(Mono::from_millis(at));
        let presses = self.terminal.poll(words, false, &mut self.ctx);
        presses.map(|presses| presses.iter().collect())
    }
}

/// NZ 3.3(a)(iii), faults.md display.wrong: what the display reads back as, in characters, and how long it may differ.
#[test]
fn nz_3_3_a_the_display_is_told_as_a_person_reads_it() {
    let mut bench = Bench::default();
    assert_eq!((bench.terminal.shown().as_str(), bench.terminal.shows()), ("", false));
    for (display, shown) in [
        (map::BLANK, "   "),
        (0xF13, " 13"),
        (0x136, "136"),
        (0x099, "099"),
        (0xFFE, "  E"),
        (0xFAB, " ??"),
        (map::VOID, "---"),
    ] {
        bench.poll(0, &block(0, 0, &[], display)).unwrap();
        assert_eq!((bench.terminal.shown().as_str(), bench.terminal.shows()), (shown, display == map::BLANK));
    }
    assert_eq!(bench.ctx.next_deadline(), Some(Mono::from_millis(500)));
    bench.poll(400, &block(0, 0, &[], 0x136)).unwrap();
    assert_eq!(bench.ctx.next_deadline(), Some(Mono::from_millis(500)), "from the first reading that differs");
    bench.poll(450, &block(0, 0, &[], map::BLANK)).unwrap();
    assert_eq!((bench.ctx.next_deadline(), bench.terminal.shows()), (None, true));
}

/// faults.md terminal.*: an event is taken once, by its number, which wraps; the number to acknowledge follows it.
#[test]
fn events_are_taken_once_by_their_numbers() {
    let mut bench = Bench::default();
    let digit = |pips| Key::Digit(DieFace::new(pips).unwrap());
    assert_eq!(bench.terminal.acknowledge_due(), None);
    assert_eq!(bench.poll(0, &block(0, 65_533, &[1, 2], map::BLANK)), Some(vec![]), "nobody listened then");
    assert_eq!(bench.terminal.acknowledge_due(), Some(Request::Acknowledge(65_535)));
    let ctx = &mut bench.ctx;
    bench.terminal.answer(Request::Acknowledge(65_535), &BusReply::Written, false, ctx).unwrap();
    assert_eq!(bench.terminal.acknowledge_due(), None);
    assert_eq!(bench.poll(1000, &block(0, 65_534, &[2, 3, 4], map::BLANK)), Some(vec![digit(3), digit(4)]));
    assert_eq!(bench.terminal.acknowledge_due(), Some(Request::Acknowledge(1)));
    assert_eq!(bench.poll(2000, &block(0, 65_535, &[3, 4, 7], map::BLANK)), Some(vec![Key::Entry]));
    // Events were lost in the terminal: what is left is taken.
    assert_eq!(bench.poll(3000, &block(0, 10, &[5], map::BLANK)), Some(vec![digit(5)]));
    assert_eq!(bench.poll(4000, &block(0, 11, &[8], map::BLANK)), None, "there is no such key");
    assert_eq!(bench.poll(4000, &block(0, 11, &[0], map::BLANK)), None);
}

/// faults.md terminal.key_stuck: 5 s from when the same key was first seen held; another key begins again.
#[test]
fn a_held_key_is_timed_from_its_own_beginning() {
    let mut bench = Bench::default();
    for (at, held, due) in [
        (0, 0b000, None),
        (100, 0b010, Some(5100)),
        (200, 0b110, Some(5100)),
        (300, 0b100, Some(5300)),
        (400, 0b100, Some(5300)),
        (500, 0b000, None),
    ] {
        bench.poll(at, &block(held, 0, &[], map::BLANK)).unwrap();
        assert_eq!(
            (bench.ctx.next_deadline(), bench.terminal.is_held()),
            (due.map(Mono::from_millis), held != 0),
            "{at}"
        );
    }
    bench.poll(600, &block(1, 0, &[], 0x111)).unwrap();
    bench.terminal.lose(&mut bench.ctx);
    assert_eq!((bench.ctx.next_deadline(), bench.terminal.is_held()), (None, false));
    assert!(
        !bench.ctx.is_set(Timer::DisplayVerify) && bench.terminal.display_due() == Some(Request::Display(map::BLANK))
    );
}

/// NZ 3.3(a)(iii): what was keyed is shown until it is taken back, also by a terminal that was away meanwhile.
#[test]
fn nz_3_3_a_digits_outlive_a_lost_terminal_and_end_when_they_are_cleared() {
    let mut bench = Bench::default();
    let faces = [3, 5].map(|pips| DieFace::new(pips).unwrap());
    for face in faces {
        bench.terminal.key(face, &mut bench.ctx);
    }
    let (told, ctx) = (Request::Display(0xF35), &mut bench.ctx);
    bench.terminal.answer(told, &BusReply::Written, false, ctx).unwrap();
    bench.terminal.lose(&mut bench.ctx);
    assert_eq!(
        (bench.terminal.digits(), bench.terminal.display_due()),
        (faces.as_slice(), Some(Request::Display(0xF35)))
    );
    bench.terminal.clear(&mut bench.ctx);
    assert_eq!((bench.terminal.digits().len(), bench.terminal.display_due()), (0, Some(Request::Display(map::BLANK))));
}

/// design.md, Keys of the terminal: before the reveal nobody learns which key it was, also not from a recording; that one was pressed or is held
/// may be known.
#[test]
fn which_key_it_was_is_hidden_before_the_reveal() {
    let mut bench = Bench::default();
    bench.poll(0, &block(0, 1, &[], map::BLANK)).unwrap();
    let words = block(0b101, 1, &[2, 7, 6], map::BLANK);
    let hidden = bench.terminal.poll(&words, true, &mut bench.ctx).unwrap();
    assert!(hidden.iter().all(|key| key == Key::Hidden) && hidden.iter().count() > 0);
    let mut masked = words;
    mask(&mut masked);
    assert_eq!(masked, block(1, 1, &[1, 1, 1], map::BLANK));
    let mut idle = block(0, 9, &[], 0x136);
    mask(&mut idle);
    assert_eq!(idle, block(0, 9, &[], 0x136), "nothing is made up");
    let mut full = block(1 << 6, 0, &[6; 8], 0x666);
    mask(&mut full);
    assert_eq!(full, block(1, 0, &[1; 8], 0x666), "all eight of the queue");
}

#[test]
fn numbers_read_as_a_log_shows_them() {
    assert_eq!(format!("{:?}", Mono(12_345_678)), "12.345678ms");
    let face = DieFace::new(5).unwrap();
    assert_eq!((format!("{face:?}"), face.to_string(), u8::from(face)), ("5".into(), "5".into(), 5));
    assert_eq!((DieFace::try_from(6).unwrap().pips(), DieFace::try_from(7).is_err()), (6, true));
}

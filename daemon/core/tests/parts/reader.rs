//! The dice reader by itself: what a block of registers says of dice that come to rest, that are moved, that are not the
//! table's own.

use tumbler_core::context::Context;
use tumbler_core::device::reader::{Pose, Reader, Report, Request, Verdict};
use tumbler_core::input::BusReply;
use tumbler_core::settings::Settings;
use tumbler_core::units::{Dice, Mono};
use tumbler_core::wire::registers::reader as map;

const ENROLLED: [u16; 3] = [103, 101, 102];

/// What a reader of the documented kind answers to a look at the dice.
fn looks(reader: &mut Reader, words: &[u16], ctx: &mut Context) -> Option<Report> {
    reader.answer(Request::Look, &BusReply::Words(words.to_vec()), ctx)
}

/// What it answers where it is asked for the faces.
fn faces(reader: &mut Reader, words: &[u16]) -> Option<Report> {
    reader.answer(Request::Faces, &BusReply::Words(words.to_vec()), &mut Context::default())
}

/// One reading of the poses after another.
struct Bench {
    reader: Reader,
    measured: u16,
}

impl Bench {
    fn new() -> Self {
        Self { reader: Reader::default(), measured: 0 }
    }

    /// A block: dice seen, poses, identities, motion counter; `true` if settled dice moved.
    fn block(&mut self, at: u64, seen: u16, [a, b, c]: [u16; 3], [x, y, z]: [u16; 3], motion: u16) -> bool {
        self.measured += 1;
        let words = [self.measured, seen, a, b, c, x, y, z, motion];
        let ctx = &mut Context::new(Settings::default(), Mono::from_millis(at));
        looks(&mut self.reader, &words, ctx).unwrap() == Report::Moved
    }

    /// The enrolled three, lying so.
    fn lie(&mut self, at: u64, poses: [u16; 3], motion: u16) -> bool {
        self.block(at, 3, poses, [101, 102, 103], motion)
    }
}

const FLAT: [u16; 3] = [map::FLAT; 3];

/// NZ 6.3, faults.md dice.cocked_*, "500 ms after settling": dice count once they have been at rest for `settle`, 300 ms.
#[test]
fn dice_are_settled_after_their_time_at_rest() {
    let mut bench = Bench::new();
    bench.reader.begin_spin();
    for (at, poses, motion, settled) in [
        (0, [map::FLAT, map::MOVING, map::FLAT], 1, false),
        (100, FLAT, 2, false),
        (399, FLAT, 2, false),
        (400, FLAT, 2, true),
        (500, FLAT, 2, true),
    ] {
        assert!(!bench.lie(at, poses, motion), "dice that move to rest were not moved: {at}");
        assert_eq!(bench.reader.is_at_rest(), settled, "{at}");
    }
    // The spin's end: rest is reckoned from there.
    bench.reader.end_spin();
    assert!(!bench.reader.is_at_rest());
    assert!(!bench.lie(600, FLAT, 2));
    assert!(!bench.lie(899, FLAT, 2) && !bench.reader.is_at_rest());
    assert!(!bench.lie(900, FLAT, 2) && bench.reader.is_at_rest());
}

/// faults.md dice.moved: seen by the counter of motion, by a pose that moves and by one that changed.
#[test]
fn settled_dice_that_move_are_told_once() {
    for (poses, motion) in [(FLAT, 8), ([map::MOVING, map::FLAT, map::FLAT], 7), ([map::FLAT, map::NOT_FLAT, 1], 7)] {
        let mut bench = Bench::new();
        assert!(!bench.lie(0, FLAT, 7));
        assert!(!bench.lie(300, FLAT, 7));
        assert!(bench.reader.is_at_rest());
        assert!(bench.lie(400, poses, motion), "{poses:?} {motion}");
        assert!(!bench.reader.is_at_rest() && !bench.lie(410, poses, motion));
    }
}

/// faults.md dice.not_tumbled.
#[test]
fn whether_the_dice_tumbled_is_known_only_to_a_reader_that_saw_them_before() {
    let mut bench = Bench::new();
    bench.reader.begin_spin();
    bench.lie(0, FLAT, 7);
    assert_eq!(bench.reader.tumbled(), None);
    bench.reader.begin_spin();
    bench.lie(100, FLAT, 7);
    assert_eq!(bench.reader.tumbled(), Some(false));
    bench.lie(200, FLAT, 8);
    assert_eq!(bench.reader.tumbled(), Some(true));
    bench.reader.lose();
    assert_eq!(bench.reader.tumbled(), None);
}

/// NZ 7.1(a), SGV6 5.5.2; faults.md dice.missing, dice.extra, dice.foreign.
#[test]
fn nz_7_1_a_what_dice_at_rest_amount_to() {
    let own = [101, 102, 103];
    let wrong = |what: &'static str| Verdict::Wrong(what);
    for (seen, poses, identities, verdict) in [
        (3, FLAT, own, Verdict::Flat),
        (3, FLAT, [102, 103, 101], Verdict::Flat),
        (3, FLAT, [101, 102, 104], wrong("dice that are not the enrolled ones")),
        (4, FLAT, own, wrong("more than three dice")),
        (2, FLAT, own, wrong("fewer than three dice")),
        (3, [map::FLAT, map::MISSING, map::FLAT], own, wrong("fewer than three dice")),
        (3, [map::FLAT, map::NOT_FLAT, map::FLAT], own, Verdict::NotFlat(1)),
        (3, [map::MOVING, map::NOT_FLAT, map::FLAT], own, Verdict::NotFlat(2)),
        (3, [map::NOT_FLAT; 3], own, Verdict::NotFlat(3)),
        (3, [0, map::FLAT, map::FLAT], own, Verdict::Unknown),
        (3, [0, map::FLAT, map::NOT_FLAT], own, Verdict::NotFlat(1)),
    ] {
        let mut bench = Bench::new();
        bench.block(0, seen, poses, identities, 0);
        if !matches!(verdict, Verdict::Wrong("dice that are not the enrolled ones")) {
            assert_eq!(bench.reader.verdict(), verdict, "nobody enrolled any");
        }
        bench.reader.enrol(ENROLLED);
        assert_eq!(bench.reader.verdict(), verdict, "{seen} {poses:?} {identities:?}");
    }
}

/// Dice can be enrolled only where three are seen and each says which it is.
#[test]
fn identities_are_those_of_three_dice_that_can_be_told_apart() {
    for (seen, identities, known) in [
        (3, [101, 102, 103], true),
        (2, [101, 102, 103], false),
        (4, [101, 102, 103], false),
        (3, [101, 0, 103], false),
        // Two dice of one identity: which is the third one nobody can say.
        (3, [101, 102, 101], false),
        (3, [103, 102, 102], false),
    ] {
        let mut bench = Bench::new();
        assert_eq!(bench.reader.identities(), None);
        bench.block(0, seen, FLAT, identities, 0);
        assert_eq!(bench.reader.identities(), known.then_some(identities), "{seen} {identities:?}");
        bench.reader.lose();
        assert_eq!(bench.reader.identities(), None);
    }
}

/// design.md, Secrecy of faces: faces are asked for when they may be seen, and until all three are known. What was first seen stands,
/// also when the reader is lost.
#[test]
fn faces_are_asked_for_until_all_three_are_known() {
    let mut reader = Reader::default();
    assert!(!reader.faces_due() && reader.faces().is_none());
    reader.want_faces();
    assert!(reader.faces_due());
    assert!(faces(&mut reader, &[1, 1, 7, 3]).is_none() && faces(&mut reader, &[1, 1, 3]).is_none(), "no such block");
    assert!(reader.faces_due() && reader.faces().is_none());
    assert_eq!(faces(&mut reader, &[1, 6, 0, 3]), Some(Report::Faces(None)));
    assert_eq!((reader.faces_due(), reader.faces()), (true, Some(None)));
    assert!(!reader.faces_next(), "first whether a hand has moved them");
    let dice = Dice::from_pips([1, 3, 6]).unwrap();
    assert_eq!(faces(&mut reader, &[2, 6, 1, 3]), Some(Report::Faces(Some(dice))));
    assert_eq!((reader.faces_due(), reader.faces()), (false, Some(Some(dice))));
    reader.want_faces();
    assert!(!reader.faces_due(), "they are known");
    reader.lose();
    assert_eq!(reader.faces(), Some(Some(dice)));
    reader.begin_spin();
    assert_eq!(reader.faces(), None);
    reader.recall_faces(dice);
    assert_eq!(reader.faces(), Some(Some(dice)));
    reader.want_faces();
    reader.forget_faces();
    assert!(!reader.faces_due() && reader.faces().is_none());
}

/// faults.md reader.stale: a counter that stands still, also across a loss.
#[test]
fn a_counter_that_stands_still_repeats() {
    let block = |measured: u16| [measured, 3, 1, 1, 1, 101, 102, 103, 0];
    let mut reader = Reader::default();
    for (measured, repeats) in [(5, false), (5, true), (6, false), (6, true)] {
        looks(&mut reader, &block(measured), &mut Context::default());
        assert_eq!(reader.repeats(), repeats, "{measured}");
    }
    reader.lose();
    looks(&mut reader, &block(6), &mut Context::default());
    assert!(reader.repeats());
    assert_eq!(looks(&mut reader, &[1, 2, 3], &mut Context::default()), None);
    assert_eq!(looks(&mut reader, &[7, 3, 9, 1, 1, 101, 102, 103, 0], &mut Context::default()), None, "no such pose");
    assert_eq!(reader.poses(), [Pose::Flat; 3]);
}

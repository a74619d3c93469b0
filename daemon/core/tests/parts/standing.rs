//! What a restart needs, from the records since the last keyframe: the same as the table itself would have said.

use tumbler_core::context::Context;
use tumbler_core::input::{Input, Stamped};
use tumbler_core::latch::{Code, Malfunction, Waiver};
use tumbler_core::record::{Event, Lit, Record, Standing};
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::round::{FlatBy, Interrupted, Past, SpinEnd, Spun};
use tumbler_core::units::{Dice, Mono, RoundId, Seq, Tumbles};
use tumbler_core::wire::console::Exit;
use tumbler_core::wire::recording::Entry;

/// A journal of these records, folded.
fn folded(events: &[(u64, Event)]) -> Standing {
    let mut standing = Standing::default();
    for (seq, (round, event)) in (1..).zip(events) {
        let round = (*round > 0).then_some(RoundId(*round));
        standing.fold(&Record::plain(Seq(seq), Mono(seq * 1000), round, event.clone()));
    }
    standing
}

fn dice(pips: [u8; 3]) -> Dice {
    Dice::from_pips(pips).unwrap()
}

fn began() -> Event {
    Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-1".into() }
}

fn spun(tumbles: u32) -> Event {
    Event::SpinEnded { tumbles: Tumbles(tumbles), valid: true, steps: 18, needed: 13, how: SpinEnd::Target }
}

fn result() -> Event {
    Event::Result { dice: dice([1, 3, 6]), total: 10, call: "1, 3, 6, total 10".into(), areas: Vec::new() }
}

fn settled() -> Event {
    Event::Settled { dice: dice([1, 3, 6]), total: 10, lamps: Lit::Proved, by: None }
}

fn void() -> Event {
    let clauses = vec!["SGV6 5.5.2".into()];
    Event::Voided(Void { reason: VoidReason::NotFlat, clauses, silent: None, detail: "a die is cocked".into() })
}

fn latched(code: Code) -> Event {
    Event::Latched { code, cause: format!("{code} is wrong"), in_spin: false }
}

/// SGV6 5.4: whether the outcome was established decides what becomes of a round that is interrupted.
#[test]
fn sgv6_5_4_a_round_in_progress_is_remembered_as_far_as_it_came() {
    let all = [(3, began()), (3, spun(4)), (3, Event::Established { flat: FlatBy::Reader }), (3, result())];
    let at = |count: usize| folded(all.get(..count).unwrap()).round.unwrap();
    let begun =
        Interrupted { id: RoundId(3), rules: "sg-v6".into(), layout: "sg-v6-1".into(), ..Interrupted::default() };
    assert_eq!(at(1), begun);
    let valid = Some(Spun { valid: true, steps: 18, how: SpinEnd::Target });
    assert_eq!(at(2), Interrupted { tumbles: Tumbles(4), spun: valid, ..begun.clone() });
    assert_eq!(at(3), Interrupted { tumbles: Tumbles(4), spun: valid, established: true, ..begun.clone() });
    assert_eq!(at(4).result, Some(dice([1, 3, 6])));
    let mut amended = all.to_vec();
    amended.push((3, Event::Amended { from: dice([1, 3, 6]), to: dice([1, 3, 5]), by: "Mei".into() }));
    assert_eq!(folded(&amended).round.unwrap().result, Some(dice([1, 3, 5])));
    let read = folded(&[(3, began()), (3, Event::FacesRead { dice: dice([2, 2, 5]) })]);
    assert_eq!(read.round.unwrap().read, Some(dice([2, 2, 5])));
}

/// A round ends exactly once; the number of the last one is never given again.
#[test]
fn a_round_that_ended_is_among_the_recent_ones_and_no_longer_in_progress() {
    let ended = folded(&[(3, began()), (3, result()), (3, settled())]);
    assert_eq!((ended.round.is_none(), ended.last_round), (true, RoundId(3)));
    assert_eq!(
        ended.recent,
        [Past { id: RoundId(3), rules: "sg-v6".into(), dice: Some(dice([1, 3, 6])), void: None, affected: None }]
    );
    let voided = folded(&[(4, began()), (4, spun(4)), (4, void())]);
    assert_eq!((voided.round.is_none(), voided.last_round), (true, RoundId(4)));
    assert_eq!(
        voided.recent,
        [Past { id: RoundId(4), rules: "sg-v6".into(), dice: None, void: Some(VoidReason::NotFlat), affected: None }]
    );
}

/// What belongs to another round, or to none, changes nothing of the one in progress.
#[test]
fn records_of_another_round_leave_this_one_alone() {
    let standing = folded(&[(3, began()), (2, settled()), (0, void()), (2, spun(5))]);
    assert!(standing.recent.is_empty());
    assert_eq!(standing.round.unwrap().tumbles, Tumbles(0));
}

/// The results display has the latest endings, and no more than it keeps.
#[test]
fn the_oldest_ending_makes_way() {
    let rounds: Vec<(u64, Event)> =
        (1..=Past::KEPT as u64 + 2).flat_map(|n| [(n, began()), (n, result()), (n, settled())]).collect();
    let recent: Vec<u64> = folded(&rounds).recent.iter().map(|past| past.id.0).collect();
    assert_eq!(recent, (3..=Past::KEPT as u64 + 2).collect::<Vec<_>>());
}

/// NZ 7.4: a latch is opened by its own exit only, once; the first cause stays. A procedure is remembered as one.
#[test]
fn nz_7_4_latches_and_waivers_are_remembered() {
    let both = [(0, latched(Code::Lamps)), (0, latched(Code::Seal)), (0, latched(Code::Lamps))];
    let of = |code: Code, since: u64| Malfunction {
        code,
        cause: format!("{code} is wrong"),
        since: Mono(since),
        in_spin: false,
    };
    assert_eq!(folded(&both).latched, [of(Code::Lamps, 1000), of(Code::Seal, 2000)]);
    let open = |exit| Event::unlatched(Code::Lamps, &exit, "Mei");
    let mut rectified = both.to_vec();
    rectified.push((0, open(Exit::Rectified)));
    let standing = folded(&rectified);
    assert_eq!((standing.latched, standing.waived), (vec![of(Code::Seal, 2000)], Vec::new()));
    let mut waived = both.to_vec();
    waived.push((0, open(Exit::Procedure("by eye".into()))));
    let standing = folded(&waived);
    assert_eq!(standing.waived, [Waiver { code: Code::Lamps, procedure: "by eye".into(), by: "Mei".into() }]);
    // A record from before the procedure had a field of its own says the same.
    let older = r#"{"kind":"unlatched","data":{"code":"lamps","how":"procedure: by eye","by":"Mei"}}"#;
    let older = folded(&[(0, latched(Code::Lamps)), (0, serde_json::from_str(older).unwrap())]);
    assert_eq!((older.latched, older.waived), (Vec::new(), standing.waived));
    waived.push((0, Event::Closed { by: "Mei".into() }));
    assert!(folded(&waived).waived.is_empty(), "until the table closes");
}

/// NZ 7.4: whether only a spin proves a malfunction gone is a field of its own, and no matter of words; older records are without it.
#[test]
fn a_malfunction_that_shows_only_in_a_spin_is_remembered_as_one() {
    let cause = "seal flickered more than 3 times while the tumbler ran";
    let found = |in_spin| Event::Latched { code: Code::Seal, cause: cause.into(), in_spin };
    for in_spin in [true, false] {
        let written = serde_json::to_value(found(in_spin)).unwrap();
        assert_eq!(written["data"].get("in_spin").is_some(), in_spin, "{written}");
        let read = folded(&[(0, serde_json::from_value(written).unwrap())]);
        assert_eq!(read.latched.iter().map(|m| m.in_spin).collect::<Vec<_>>(), [in_spin]);
    }
}

/// Which table, on which wires, under which rules and in which boot: from the commissioning and the last start.
#[test]
fn who_the_table_is_and_how_it_was_started_last() {
    let commissioned = Event::Commissioned { site: "pit".into(), table: "7".into(), backend: "cdev".into() };
    let started = Event::Started {
        boot: "b-1".into(),
        build: "0".into(),
        config: "c".into(),
        backend: "cdev".into(),
        rules: "sg-v6".into(),
        layout: "sg-v6-1".into(),
    };
    let standing = folded(&[(0, commissioned), (0, started)]);
    let [rules, layout] = [standing.rules, standing.layout].map(String::from);
    let told = [standing.site, standing.table, standing.backend, standing.boot, rules, layout];
    assert_eq!(told, ["pit", "7", "cdev", "b-1", "sg-v6", "sg-v6-1"]);
}

#[test]
fn a_keyframe_says_it_all_and_what_follows_goes_on_from_it() {
    let opened = (0, Event::Opened { by: "Mei".into() });
    assert!(folded(std::slice::from_ref(&opened)).open);
    assert!(!folded(&[opened.clone(), (0, Event::Closed { by: "Mei".into() })]).open);
    let enrolled = Event::DiceEnrolled { dice: [7, 8, 9], by: "Mei".into() };
    assert_eq!(folded(&[(0, enrolled)]).dice, Some([7, 8, 9]));
    let frame = Standing { open: true, last_round: RoundId(9), site: "pit".into(), ..Standing::default() };
    let standing = folded(&[(0, latched(Code::Gpio)), (0, Event::Keyframe(Box::new(frame.clone()))), opened]);
    assert_eq!(standing, frame);
}

/// A recording proves a replay only if every effect is the same, in number and in what it is.
#[test]
fn an_entry_of_a_recording_matches_its_own_effects_only() {
    let set = |active| {
        let (mut ctx, mut effects) = (Context::default(), Vec::new());
        ctx.sign(active);
        ctx.drain(&mut effects);
        effects.remove(0)
    };
    let stamp = || Stamped { at: Mono(1), now: Mono(1), input: Input::Tick };
    let entry = Entry::of(7, stamp(), &[set(true)]);
    assert!(entry.matches(&[set(true)]));
    assert!(!entry.matches(&[set(false)]), "as many, and another");
    assert!(!entry.matches(&[]) && !entry.matches(&[set(true), set(true)]));
    let forged = Entry { effects: 2, ..entry };
    assert!(!forged.matches(&[set(true)]), "a digest alone is not enough");
    let written = serde_json::to_value(Entry::of(8, stamp(), &[set(true), set(false)])).unwrap();
    let digest = written["digest"].as_str().unwrap();
    assert_eq!((written["effects"].as_u64(), digest.len()), (Some(2), 16), "{written}");
}

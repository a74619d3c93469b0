//! What the rule texts say, clause by clause, where a first reading of them had it otherwise.

use crate::world;

use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::prompt::PromptId;
use tumbler_core::record::{Event, Lit};
use tumbler_core::round::SpinEnd;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::Command;
use tumbler_core::wire::registers::terminal;
use world::play::{opened, play_to_reveal, reveal};
use world::text::{RULES, by_eye, cited, done, refused, refused_to_supervisor, settled, spin_only, void};
use world::{SUPERVISOR, World};

/// NZ 6.5, 4.4, SGV6 1.7, 3.9: collecting and paying come between the lit areas and "all paid", so a second tap of Entry, or one
/// that comes before people had time, is none; wrong numbers can still be amended (NZ 7.2).
#[test]
fn all_paid_is_an_act_of_its_own() {
    for (rules, layout) in RULES {
        let mut world = by_eye(rules, layout);
        play_to_reveal(&mut world);
        reveal(&mut world);
        world.keys(&[1, 3, 5, terminal::ENTRY, terminal::ENTRY]);
        world.pass(2000);
        world.keys(&[terminal::ENTRY]);
        assert_eq!(world.table.phase(), Phase::Settling, "{rules}");
        assert_eq!(world.table.snapshot().display, "EEE", "said on the terminal, too");
        assert!(world.has(|e| matches!(e, Event::EntryError { why, .. } if why.contains("collect and pay first"))));
        let dice = Dice::from_pips([1, 3, 6]).unwrap();
        done(&mut world, Command::Amend { dice, uphold: false, name: SUPERVISOR.into() });
        // The amended areas are lit again, and the time begins again.
        world.pass(1000);
        world.keys(&[terminal::ENTRY]);
        assert_eq!(world.table.phase(), Phase::Settling, "{rules}");
        world.all_paid();
        assert!(
            world.has(|e| matches!(e, Event::Settled { dice: d, lamps: Lit::Proved, .. } if *d == dice)),
            "{rules}"
        );
    }
}

/// A key that is held since before the time, and a press whose beginning no poll shows to be later, are not "all paid".
#[test]
fn all_paid_begins_after_its_time() {
    let mut world = by_eye("sg-v6", "sg-v6-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    assert!(world.until(2000, |w| w.has(|e| *e == Event::LampsVerified)));
    // The entry itself takes 300 ms.
    world.pass(2600);
    // The terminal does not answer while the time runs out: the press may have begun before.
    world.silent.push(1);
    world.pass(50);
    world.keys.push(terminal::ENTRY);
    world.pass(150);
    world.silent.clear();
    world.pass(300);
    assert!(!settled(&world));
    world.keys(&[terminal::ENTRY]);
    assert!(settled(&world));
}

/// NZ 7.3, SGV6 5.10: where the areas cannot be proved lit, wagers are settled by the dice, as long after the result, and the
/// record says so beside the malfunction.
#[test]
fn without_lamps_the_round_is_settled_by_the_dice_and_says_so() {
    let mut world = by_eye("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.dead_lamps = u128::MAX;
    world.entry([1, 3, 6]);
    world.pass(1500);
    world.keys(&[terminal::ENTRY]);
    assert!(!settled(&world), "too soon after the result");
    world.all_paid();
    assert!(world.has(|e| matches!(e, Event::Settled { lamps: Lit::ByTheDice, .. })));
    assert_eq!(world.latched(), [Code::Lamps]);
}

/// Nor do steps that cannot be believed prove any tumble.
#[test]
fn a_spin_whose_edges_were_lost_has_not_proved_three_tumbles() {
    for ((rules, layout), few) in RULES.into_iter().zip(["7.1(b)", "7.1(b)", "5.5.1", "5.5.1", "5.1.2"]) {
        let mut world = opened(rules, layout);
        spin_only(&mut world);
        world.pass(900);
        world.input(tumbler_core::input::Input::LineGap { line: InLine::CamA });
        world.pass(4000);
        let (_, cited) = cited(&world).unwrap();
        assert!(cited.contains(few) && (cited.contains("6.1") || !rules.starts_with("nz")), "{rules}: {cited}");
    }
}

/// "Facts decide, not causes": fewer than three tumbles are void by their clause whatever ended the spin; an equipment failure
/// is an interruption besides (SGV6 and SGOC 5.4.2).
#[test]
fn whatever_ends_a_spin_too_soon_is_fewer_than_three_tumbles() {
    type Ends = (fn(&mut World), SpinEnd, bool);
    let ends: [Ends; 6] = [
        (|w| w.shaft_works = false, SpinEnd::Stall, true),
        (|w| w.line(InLine::Seal, false), SpinEnd::Seal, true),
        (|w| w.line(InLine::PowerGood, false), SpinEnd::Supply, true),
        (|w| w.line(InLine::MotorFault, true), SpinEnd::Driver, true),
        (|w| w.press(InLine::NoSpin), SpinEnd::NoSpin, false),
        (
            |w| {
                let closed = w.lines[InLine::DomeClosed.index()];
                w.line(InLine::DomeClosed, !closed);
            },
            SpinEnd::Dome,
            false,
        ),
    ];
    for (rules, layout) in RULES {
        for (end, how, equipment) in ends {
            let mut world = opened(rules, layout);
            spin_only(&mut world);
            world.pass(900);
            end(&mut world);
            world.pass(4000);
            let (_, cited) = cited(&world).unwrap_or_else(|| panic!("{rules}, {how:?}: {:?}", world.records));
            let few = match rules {
                "nz-1998" => "NZ98 7.1(b), NZ98 6.1",
                "nz-div9" => "NZ9 7.1(b), NZ9 6.1",
                "sg-v6" if equipment => "SGV6 5.5.1, SGV6 5.4.2",
                "sg-v6" => "SGV6 5.5.1",
                "sg-open" if equipment => "SGOC 5.5.1, SGOC 5.4.2",
                "sg-open" => "SGOC 5.5.1",
                _ => "SGOC-early 5.1.2",
            };
            // A dome that is opened before "No more bets" exposes the dice, too.
            let exposed = how == SpinEnd::Dome && !rules.starts_with("sg-open");
            assert!(
                cited == few || exposed && cited.contains(few.split(", ").next().unwrap()),
                "{rules}, {how:?}: {cited}"
            );
            let told = world.has(|e| matches!(e, Event::SpinEnded { how: h, steps, needed: 13, valid: false, .. } if *h == how && *steps < 13));
            assert!(told, "{rules}, {how:?}: {:?}", world.records);
        }
    }
}

/// SGV6 and SGOC 5.14 speaks of what no other provision resolves: a spin that a person cuts short is 5.5.1 and no more.
#[test]
fn a_decision_is_cited_only_where_nothing_else_is_provided() {
    for (rules, layout, few) in [("sg-v6", "sg-v6-1", "SGV6 5.5.1"), ("sg-open", "sg-open-1", "SGOC 5.5.1")] {
        let mut world = opened(rules, layout);
        world.turn_key();
        spin_only(&mut world);
        world.pass(900);
        done(&mut world, void(false));
        assert_eq!(cited(&world), Some((VoidReason::Supervisor, few.to_owned())), "{rules}");
    }
}

/// SGV6 3.7, 5.5.1: three tumbles make a valid spin, whatever ended it; NZ 7.1(b) asks besides that the tumbler operates correctly.
#[test]
fn three_tumbles_are_valid_under_singapore_whatever_ended_the_spin() {
    for (rules, layout) in RULES {
        let mut world = opened(rules, layout);
        spin_only(&mut world);
        assert!(world.until(10_000, |w| w.table.snapshot().tumbles.0 >= 3));
        world.shaft_works = false;
        world.pass(3000);
        assert_eq!(world.latched(), [Code::Tumbler], "{rules}");
        let voided = cited(&world);
        if rules.starts_with("nz") {
            assert!(voided.unwrap().1.ends_with("7.1(b)"), "{rules}");
        } else {
            assert_eq!(voided, None, "{rules}");
            assert!(world.has(|e| matches!(e, Event::SpinEnded { valid: true, how: SpinEnd::Stall, .. })), "{rules}");
        }
    }
}

/// NZ has no void for damaged dice (7.1), and an established result stands (4.9). SG 5.6 and SGOC-early 5.1.1 void the round. The
/// dice are out of service in each case.
#[test]
fn damaged_dice_by_each_text() {
    for (rules, layout) in RULES {
        for entered in [false, true] {
            let mut world = opened(rules, layout);
            play_to_reveal(&mut world);
            if entered {
                reveal(&mut world);
                world.entry([1, 3, 6]);
                world.pass(600);
            }
            if rules.starts_with("sg-open") && !entered {
                continue;
            }
            done(&mut world, void(true));
            assert!(world.latched().contains(&Code::Dice), "{rules}");
            if !rules.starts_with("nz") {
                assert!(cited(&world).unwrap().1.contains("5."), "{rules}");
                continue;
            }
            if !entered {
                reveal(&mut world);
                world.entry([1, 3, 6]);
                world.pass(600);
            }
            world.all_paid();
            assert!(settled(&world), "{rules}: {:?}", cited(&world));
        }
    }
}

/// SG 5.6, "all affected rounds": each by the rules of its own round, the one in progress among them; the first finding stays.
#[test]
fn void_afterwards_goes_by_the_rules_of_its_own_round() {
    let mut world = opened("sg-v6", "sg-v6-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.all_paid();
    world.cover();
    (world.settings.rules, world.settings.layout) = ("sg-open-early".into(), "sg-open-early-1".into());
    world.restart(false);
    world.pass(500);
    world.open();
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.pass(600);
    let afterwards =
        |reason: &str| Command::VoidAfterwards { round: RoundId(1), reason: reason.into(), name: SUPERVISOR.into() };
    done(&mut world, afterwards("chipped"));
    let cites = |world: &World| {
        world
            .events()
            .filter_map(|e| match e {
                Event::VoidedAfterwards { clauses, .. } => Some(clauses.join(", ")),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(cites(&world), ["SGV6 5.6"]);
    assert_eq!(
        cited(&world),
        Some((VoidReason::DamagedDice, "SGOC-early 5.1.1".into())),
        "the round in progress is affected"
    );
    let record = world.records.iter().rfind(|r| matches!(r.event, Event::VoidedAfterwards { .. })).unwrap();
    assert!(record.clauses.iter().all(|clause| clause.starts_with("SGV6")), "{:?}", record.clauses);
    done(&mut world, afterwards("and cracked"));
    assert_eq!(cites(&world).len(), 2, "both findings are on record");
    let shown =
        |world: &World| world.table.snapshot().recent.iter().find(|p| p.id == RoundId(1)).unwrap().affected.clone();
    assert_eq!(shown(&world).as_deref(), Some("chipped"), "the first finding stays");
    world.restart(false);
    assert_eq!(shown(&world).as_deref(), Some("chipped"), "also after a restart");
}

/// SG 5.8: what is noticed after the next round began changes no later round, and is written down.
#[test]
fn sg_5_8_a_late_error_is_written_down_and_changes_nothing() {
    let mut world = opened("sg-v6", "sg-v6-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.all_paid();
    world.cover();
    world.press(InLine::PlaceBets);
    let correct =
        |round| Command::Correct { round: RoundId(round), reason: "4 was read as 6".into(), name: SUPERVISOR.into() };
    done(&mut world, correct(1));
    refused(&mut world, correct(2), "in progress");
    refused(&mut world, correct(3), "there was no round 3");
    assert_eq!((world.table.phase(), world.latched()), (Phase::Betting, vec![]));
    let record = world.records.iter().find(|r| matches!(r.event, Event::Corrected { .. })).unwrap();
    assert_eq!(record.clauses, ["SGV6 5.8"]);
}

/// A refusal cites what it goes by, and nothing else: only a round whose outcome is established has a result that stands (4.9).
#[test]
fn a_refused_void_cites_what_it_goes_by() {
    for (rules, layout) in RULES {
        let mut world = opened(rules, layout);
        let clauses = |world: &World| {
            let refused = |event: &Event| matches!(event, Event::Refused { what, .. } if what == "void");
            world.records.iter().rfind(|record| refused(&record.event)).unwrap().clauses.clone()
        };
        refused(&mut world, void(false), "no round is in progress");
        assert!(clauses(&world).is_empty(), "{rules}: {:?}", clauses(&world));
        play_to_reveal(&mut world);
        reveal(&mut world);
        world.entry([1, 3, 6]);
        refused(&mut world, void(false), "the outcome is established");
        let stands: &[&str] = match rules {
            "nz-1998" => &["NZ98 4.9"],
            "nz-div9" => &["NZ9 4.9"],
            _ => &[],
        };
        assert_eq!(clauses(&world), stands, "{rules}");
    }
}

/// Singapore's texts know no "No spin" and leave what they do not say to the shift manager: a dealer voids nothing there but by
/// a fact. The button stops a running motor all the same.
#[test]
fn a_dealer_alone_voids_nothing_under_singapore() {
    for (rules, layout) in RULES {
        let nz = rules.starts_with("nz");
        let mut world = opened(rules, layout);
        spin_only(&mut world);
        assert!(world.until(10_000, |w| w.table.snapshot().tumbles.0 >= 3));
        world.press(InLine::NoSpin);
        assert!(!world.outs[OutLine::MotorEnable.index()], "{rules}");
        world.pass(3000);
        if nz {
            assert!(cited(&world).unwrap().1.ends_with("7.1(b)"), "never a bare 7.1: {:?}", cited(&world));
        } else {
            assert_eq!(cited(&world), None, "{rules}");
            assert!(world.has(|e| matches!(e, Event::SpinEnded { valid: true, how: SpinEnd::NoSpin, .. })), "{rules}");
        }
    }
    let mut world = opened("sg-v6", "sg-v6-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::NoSpin);
    assert_eq!(world.table.phase(), Phase::Betting);
    refused_to_supervisor(&mut world, void(false), "tumbler-manager");
    done(&mut world, void(false));
    assert_eq!(cited(&world), Some((VoidReason::Supervisor, "SGV6 5.14".into())));
    let who = |of: fn(&Event) -> bool| {
        let record = world.records.iter().rfind(|record| of(&record.event)).unwrap();
        record.who.as_ref().map(ToString::to_string).unwrap()
    };
    assert_eq!(who(|event| matches!(event, Event::Refused { .. })), "sue, supervisor");
    assert_eq!(who(|event| matches!(event, Event::Decided { .. })), format!("{SUPERVISOR}, manager"));
}

/// A spin that was granted and has not started is dropped by "No spin", and needs a new press of `tumble`.
#[test]
fn no_spin_drops_a_spin_that_has_not_started() {
    for (rules, layout) in RULES {
        let mut world = opened(rules, layout);
        if !rules.starts_with("nz") {
            world.press(InLine::PlaceBets);
            if rules != "sg-v6" {
                world.press(InLine::NoMoreBets);
            }
        }
        world.disk = false;
        world.press(InLine::Tumble);
        world.press(InLine::NoSpin);
        world.disk = true;
        world.commit();
        world.pass(500);
        assert!(!world.outs[OutLine::MotorEnable.index()], "{rules}");
        assert_eq!(cited(&world), None, "{rules}");
        world.press(InLine::Tumble);
        world.pass(300);
        assert!(world.outs[OutLine::MotorEnable.index()], "{rules}: {:?}", world.records.last());
    }
}

/// NZ 7.2: wrong numbers are amended "under the supervision of the game supervisor", also where the machine noticed them; SG has
/// no such clause, and the dealer keys others.
#[test]
fn nz_7_2_the_dealer_amends_under_the_supervisor_only() {
    for (rules, layout) in [("nz-1998", "nz-1998"), ("sg-v6", "sg-v6-1")] {
        let mut world = opened(rules, layout);
        play_to_reveal(&mut world);
        reveal(&mut world);
        world.entry([1, 3, 5]);
        world.pass(300);
        assert!(world.has(|e| matches!(e, Event::EntryDiffers { .. })));
        world.entry([1, 3, 6]);
        world.pass(300);
        let taken = |world: &World| world.has(|e| matches!(e, Event::Result { .. }));
        if rules == "nz-1998" {
            assert!(!taken(&world));
            assert!(world.has(|e| matches!(e, Event::EntryError { why, .. } if why.contains("NZ98 7.2"))));
            assert_eq!(world.table.snapshot().prompt.unwrap().id, PromptId::Supervise);
            done(&mut world, Command::Supervise { name: SUPERVISOR.into() });
            world.entry([1, 3, 6]);
            world.pass(300);
        } else {
            refused(&mut world, Command::Supervise { name: SUPERVISOR.into() }, "no numbers wait");
        }
        assert!(taken(&world), "{rules}");
    }
}

/// NZ 6.1: the tumble, then "Place your bets", then "No more bets". Calls are facts: what is out of order is noted.
#[test]
fn nz_6_1_what_is_out_of_order_is_noted() {
    let remarks = |world: &World| {
        world
            .events()
            .filter_map(|e| match e {
                Event::Called { remark: Some(remark), .. } => Some(remark.clone()),
                Event::Noted { what, .. } => Some(what.clone()),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let mut world = opened("nz-div9", "nz-div9-1");
    world.spin();
    world.press(InLine::NoMoreBets);
    assert_eq!(remarks(&world), ["without \"Place your bets\" (NZ9 6.1)"]);
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::Tumble);
    let both =
        ["before the tumbler was activated (NZ9 6.1)", "the tumbler is activated after \"Place your bets\" (NZ9 6.1)"];
    assert_eq!(remarks(&world), both);
    let mut world = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    assert!(remarks(&world).is_empty());
}

/// Every record of a round cites what it is about, each key of the rule set somewhere.
#[test]
fn records_cite_their_clauses() {
    let mut world = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.all_paid();
    let of = |kind: fn(&Event) -> bool| world.records.iter().rev().find(|r| kind(&r.event)).unwrap().clauses.join(", ");
    assert_eq!(of(|e| matches!(e, Event::Opened { .. })), "NZ9 5(a), NZ9 5(b), NZ9 5(c), NZ9 5(d)");
    assert_eq!(of(|e| matches!(e, Event::Tested { test, .. } if test == "keys")), "NZ9 5(b), NZ9 3.3(a)");
    assert_eq!(of(|e| matches!(e, Event::SpinBegan)), "NZ9 6.1");
    assert_eq!(of(|e| matches!(e, Event::Revealed { .. })), "NZ9 6.3");
    assert_eq!(of(|e| matches!(e, Event::Result { .. })), "NZ9 6.4, NZ9 6.3, NZ9 4.2, NZ9 1.0, NZ9 3.3(a)(iii)");
    assert_eq!(of(|e| matches!(e, Event::LampsVerified)), "NZ9 3.3(b)");
    assert_eq!(of(|e| matches!(e, Event::Settled { .. })), "NZ9 4.9, NZ9 6.5, NZ9 4.4, NZ9 3.4(g), NZ9 7.5");
}

/// NZ 5(b), 5(d): every key of the terminal is pressed, and without a reader somebody is asked for three dice under the seal.
#[test]
fn nz_5_the_opening_asks_for_keys_and_dice() {
    let world = by_eye("nz-1998", "nz-1998");
    let tested = |name: &str| world.has(|e| matches!(e, Event::Tested { test, passed: true, .. } if test == name));
    assert!(tested("keys") && tested("dice"));
    assert!(!world.has(|e| matches!(e, Event::Tested { found, .. } if found.contains("as enrolled"))));
    let mut world = opened("nz-1998", "nz-1998");
    assert!(world.has(|e| matches!(e, Event::Tested { found, .. } if found == "three dice; none are enrolled")));
    // A table does not open while a key is missing.
    done(&mut world, Command::Close { name: SUPERVISOR.into() });
    world.turn_key();
    let open = world.ask(Command::Open { name: SUPERVISOR.into() });
    assert!(world.until(60_000, |w| w.reply(open).is_some()));
    world.keys(&[1, 2, 3, 4, 6, terminal::ENTRY]);
    world.pass(130_000);
    assert_eq!(world.table.phase(), Phase::Closed);
    assert!(world.has(|e| matches!(e, Event::Tested { test, passed: false, .. } if test == "keys")));
}

/// SGV6 5.12: the bets of a void round are returned, so the table shows it at once, until the next round.
#[test]
fn a_void_is_seen_at_the_terminal() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::Tumble);
    world.pass(500);
    world.press(InLine::NoSpin);
    world.pass(2500);
    assert_eq!((world.table.phase(), world.table.snapshot().display.as_str()), (Phase::Void, "---"));
    world.press(InLine::Tumble);
    world.pass(500);
    assert_eq!(world.table.snapshot().display, "   ");
}

//! Each verdict by the clause that it is about.

use super::*;
use crate::device::reader::Verdict;
use crate::device::tumbler::{Defect, Stop};
use crate::refusal::Refusal;
use crate::round::call::Call;
use crate::round::ending::VoidReason;
use crate::round::{Doubt, Finding, FlatBy, Reveal, Round, SpinEnd, Spun};
use crate::rules::{layout, rule_set};
use crate::units::{Dice, DieFace, Mono, RoundId, Tumbles};

const RULES: [(&str, &str, bool); 2] = [("nz-div9", "nz-div9-1", true), ("sg-v6", "sg-v6-1", false)];

fn stood(stop: Stop, tumbles: u32) -> Stood {
    Stood { stop, tumbles: Tumbles(tumbles), made: false, slow: false, unreliable: false }
}

/// NZ 7.1(b) voids three tumbles of a tumbler that does not operate correctly, seen or announced; SGV6 5.5.1 only counts.
#[test]
fn a_spin_is_judged_by_its_text() {
    for (id, _, nz) in RULES {
        let judge = |stood| {
            let SpinVerdict { valid, void, .. } = spin(stood, rule_set(id));
            (valid, void)
        };
        assert_eq!(judge(stood(Stop::Target, 4)), (true, None), "{id}");
        assert_eq!(judge(stood(Stop::NoSpin, 2)), (false, Some(SpinVoid::TooFew)), "{id}");
        assert_eq!(judge(stood(Stop::NoSpin, 3)), (true, nz.then_some(SpinVoid::Declared)), "{id}");
        let stalled = Stop::Defect(Defect::Stall);
        assert_eq!(judge(stood(stalled, 3)), (!nz, nz.then_some(SpinVoid::Misoperated)), "{id}");
        let reversed = stood(Stop::Defect(Defect::Reverse), 9);
        assert_eq!(judge(reversed), (false, Some(SpinVoid::Misoperated)), "{id}");
        let made = Stood { made: true, ..reversed };
        assert_eq!(judge(made), (!nz, nz.then_some(SpinVoid::Misoperated)), "{id}: three are on record");
        let flickers = Stood { unreliable: true, ..stood(stalled, 1) };
        assert_eq!(judge(flickers), (false, Some(SpinVoid::Unreliable)), "{id}");
        for stop in [Stop::Slow, Stop::Heat] {
            let slow = spin(Stood { slow: true, ..stood(stop, 2) }, rule_set(id));
            assert_eq!((slow.how, slow.slow, slow.void), (SpinEnd::Slow, true, Some(SpinVoid::Misoperated)), "{id}");
        }
        let hot = spin(stood(Stop::Heat, 2), rule_set(id));
        assert_eq!((hot.how, hot.slow, hot.void), (SpinEnd::Heat, false, Some(SpinVoid::Heat)), "{id}");
    }
}

/// NZ 7.1(b) and SGOC 5.5.3: a defect voids where the text asks for a tumbler that operates, or for none before "No more bets".
#[test]
fn a_defect_is_judged_by_its_text() {
    use DefectVerdict::{ActivatedEarly, JudgedAtStandstill, Misoperated};
    let runs = |id, on| {
        let mut round = Round::begin(RoundId(1), rule_set(id).unwrap(), layout(on).unwrap());
        round.ask_for_spin();
        round.start_spin();
        round
    };
    for (id, on, nz) in RULES {
        let judge = |defect, tumbles| runs(id, on).judge_defect(defect, Tumbles(tumbles), rule_set(id));
        let counted = if nz { Misoperated } else { JudgedAtStandstill };
        assert_eq!([2, 3].map(|tumbles| judge(Defect::Stall, tumbles)), [Misoperated, counted], "{id}");
        assert_eq!(judge(Defect::Reverse, 3), Misoperated, "{id}: nobody knows how often it tumbled");
        assert_eq!(judge(Defect::Uncommanded, 0), Misoperated, "{id}: the dome covers the dice");
        let made = |how, tumbles| runs(id, on).is_made(how, Tumbles(tumbles), rule_set(id));
        assert_eq!([2, 3].map(|tumbles| made(SpinEnd::Journal, tumbles)), [false, true], "{id}");
        let mut slow = runs(id, on);
        slow.find_slow();
        assert_eq!(slow.is_made(SpinEnd::Journal, Tumbles(3), rule_set(id)), !nz, "{id}");
    }
    let mut open = Round::begin(RoundId(1), rule_set("sg-open").unwrap(), layout("sg-open-1").unwrap());
    let turns = |round: &Round| round.judge_defect(Defect::Uncommanded, Tumbles(0), rule_set("sg-open"));
    assert_eq!(turns(&open), ActivatedEarly);
    open.close_bets();
    assert_eq!(turns(&open), Misoperated);
}

/// NZ 7.1(a) asks how a die lies; SGV6 5.5.2 whether it came to rest.
#[test]
fn dice_are_judged_by_their_text() {
    for (id, _, nz) in RULES {
        let judge = |asked, tumbled, seen| dice(asked, Some(tumbled), seen, rule_set(id));
        let knocked = if nz { DiceVerdict::NotFlat(1) } else { DiceVerdict::Open };
        assert_eq!(judge(true, true, Verdict::NotFlat(1)), knocked, "{id}");
        assert_eq!(judge(false, true, Verdict::NotFlat(1)), DiceVerdict::NotFlat(1), "{id}");
        assert_eq!(judge(false, false, Verdict::Flat), DiceVerdict::NotTumbled, "{id}");
        assert_eq!(judge(false, true, Verdict::Wrong("x")), DiceVerdict::Wrong("x"), "{id}");
        assert_eq!(judge(false, true, Verdict::Flat), DiceVerdict::Flat, "{id}");
    }
}

/// NZ 7.1(a), SGV6 5.5.2: dice that do not come to rest are void, where the reader decides and nobody is asked.
#[test]
fn dice_that_are_not_known_in_time_are_judged_by_the_reader() {
    let mut round = spun(true);
    let judge = |round: &Round, reader, at_rest| round.judge_unrest(reader, at_rest, Verdict::Unknown);
    assert_eq!(judge(&spun(false), true, false), UnrestVerdict::Nothing);
    assert_eq!(judge(&round, false, false), UnrestVerdict::Nothing);
    assert_eq!(
        [false, true].map(|rest| judge(&round, true, rest)),
        [UnrestVerdict::NeverAtRest, UnrestVerdict::Unseen]
    );
    assert_eq!(round.judge_unrest(true, true, Verdict::Flat), UnrestVerdict::Nothing);
    round.ask(Doubt::Interrupted);
    assert_eq!(judge(&round, true, false), UnrestVerdict::Nothing);
}

/// SGV6 5.4.1: the dice as first seen stand; where nobody has read them, people say what became of them.
#[test]
fn a_knock_is_judged_by_what_was_read_before() {
    let mut round = spun(true);
    assert_eq!(spun(false).judge_moved(true, false), MovedVerdict::Nothing);
    assert_eq!(round.judge_moved(false, false), MovedVerdict::Nothing);
    assert_eq!(round.judge_moved(true, false), MovedVerdict::Asked);
    see(&mut round);
    round.establish(FlatBy::Reader);
    assert_eq!([true, false].map(|due| round.judge_moved(true, due)), [MovedVerdict::Asked, MovedVerdict::Noted]);
    // A shaft that turns by itself throws them again.
    assert_eq!([true, false].map(|due| round.judge_moved(false, due)), [MovedVerdict::Asked, MovedVerdict::Nothing]);
    round.take_result(Dice::from_pips([1, 2, 3]).unwrap(), Mono(0));
    assert_eq!(round.judge_moved(true, true), MovedVerdict::Nothing);
}

/// NZ 7.1(c), SGV6 5.5.3: nobody confirms that dice are seen which may not be seen yet, or which the contacts tell of.
#[test]
fn a_dome_is_confirmed_open_in_its_turn() {
    let mut round = spun(true);
    assert_eq!(round.may_be_confirmed(true, false), Err(Refusal::NotToBeSeenYet));
    round.close_bets();
    assert_eq!(round.may_be_confirmed(false, false), Err(Refusal::NotToBeSeenYet));
    assert_eq!(round.may_be_confirmed(true, true), Err(Refusal::ContactsSaySo));
    assert_eq!(round.may_be_confirmed(true, false), Ok(()));
    round.reveal(Reveal::Dome);
    assert_eq!(round.may_be_confirmed(true, false), Err(Refusal::ContactsSaySo));
    assert_eq!(spun_under("sg-open", "sg-open-1", true).may_be_confirmed(true, false), Err(Refusal::NoDomeToConfirm));
}

/// NZ 7.1: the call is New Zealand's; a spin that runs is stopped everywhere.
#[test]
fn no_spin_is_judged_by_what_the_round_has_come_to() {
    for (id, on, nz) in RULES {
        let rules = rule_set(id);
        let mut round = Round::begin(RoundId(1), rules.unwrap(), layout(on).unwrap());
        let told = |round: &Round, reader| round.no_spin(reader, rules);
        assert_eq!(told(&round, true), if nz { NoSpin::NeverActivated } else { NoSpin::OutOfTurn }, "{id}");
        round.ask_for_spin();
        assert_eq!(told(&round, true), NoSpin::Drops, "{id}");
        round.start_spin();
        assert_eq!(told(&round, true), NoSpin::Stops, "{id}");
        round.end_spin(Tumbles(3), Spun { valid: true, steps: 12, how: SpinEnd::Target });
        assert_eq!(told(&round, true), if nz { NoSpin::Declared } else { NoSpin::OutOfTurn }, "{id}");
        round.open_bets();
        round.close_bets();
        round.reveal(Reveal::Dome);
        assert_eq!([true, false].map(|reader| told(&round, reader)), [NoSpin::OutOfTurn, NoSpin::NotFlat], "{id}");
        round.establish(FlatBy::Dealer);
        assert_eq!(told(&round, false), NoSpin::TooLate, "{id}");
    }
}

/// A round under Singapore's rules whose spin is over: valid or not.
fn spun(valid: bool) -> Round {
    spun_under("sg-v6", "sg-v6-1", valid)
}

fn spun_under(id: &str, on: &str, valid: bool) -> Round {
    let mut round = Round::begin(RoundId(1), rule_set(id).unwrap(), layout(on).unwrap());
    round.ask_for_spin();
    round.start_spin();
    round.end_spin(Tumbles(3), Spun { valid, steps: 12, how: SpinEnd::Target });
    round
}

/// Its dice may be seen.
fn see(round: &mut Round) {
    round.close_bets();
    round.reveal(Reveal::Dome);
}

/// NZ 6.1, 6.2 and 7.1(d): the tumble, then the calls; without a tumble the game is void. SGV6 3.2: the calls come first.
#[test]
fn calls_are_judged_by_the_order_of_play() {
    for (id, on, nz) in RULES {
        let mut round = Round::begin(RoundId(1), rule_set(id).unwrap(), layout(on).unwrap());
        let early = round.out_of_order(Call::PlaceBets);
        assert_eq!(early, nz.then_some("before the tumbler was activated"), "{id}");
        assert_eq!(round.out_of_order(Call::NoMoreBets), Some("without \"Place your bets\""), "{id}");
        round.open_bets();
        assert_eq!(round.out_of_order(Call::NoMoreBets), None, "{id}");
        assert!(!round.was_never_activated(), "{id}");
        round.close_bets();
        assert_eq!(round.was_never_activated(), nz, "{id}");
        assert_eq!(spun_under(id, on, true).out_of_order(Call::PlaceBets), None, "{id}");
    }
}

/// NZ 7.1(c), SGV6 5.5.3: dice are exposed once they were spun, and until "No more bets". Under Open Cover everybody sees them.
#[test]
fn a_dome_exposes_dice_before_no_more_bets() {
    for (id, on, _) in RULES {
        let mut round = Round::begin(RoundId(1), rule_set(id).unwrap(), layout(on).unwrap());
        assert!(!round.is_exposed_by_dome(), "{id}");
        round.ask_for_spin();
        round.start_spin();
        assert!(round.is_exposed_by_dome(), "{id}");
        let mut round = spun_under(id, on, true);
        assert!(round.is_exposed_by_dome(), "{id}");
        round.close_bets();
        assert!(!round.is_exposed_by_dome(), "{id}");
    }
}

/// SGV6 5.4.1 and 5.4.2: equipment voids what it cut off, and a lost controller what no bet has won or lost yet; people are asked of
/// dice that have fallen, and an outcome that is established stands. SGV6 5.5.3: exposed dice are void whatever they show. New Zealand's
/// text has no void for a controller that was away before the spin.
#[test]
fn a_fault_is_judged_by_how_far_the_dice_are() {
    use FaultVerdict::{Asked, GoesOn, Noted, Void};
    for (id, on, nz) in RULES {
        let judge = |round: &Round, reason, made| round.judge_fault(reason, made, rule_set(id));
        let new = Round::begin(RoundId(1), rule_set(id).unwrap(), layout(on).unwrap());
        assert_eq!(judge(&new, VoidReason::Interruption, false), if nz { GoesOn } else { Void }, "{id}");
        assert_eq!(judge(&new, VoidReason::Equipment, false), Void, "{id}");
        let (mut round, cut) = (spun_under(id, on, true), spun_under(id, on, false));
        assert_eq!([false, true].map(|made| judge(&cut, VoidReason::Equipment, made)), [Void, Asked], "{id}");
        let lost = |round: &Round| judge(round, VoidReason::Interruption, false);
        assert_eq!(lost(&round), if nz { Asked } else { Void }, "{id}: bets are open");
        round.close_bets();
        assert_eq!(lost(&round), Asked, "{id}: no more bets");
        assert_eq!(judge(&round, VoidReason::Equipment, false), Asked, "{id}");
        assert_eq!(judge(&round, VoidReason::Exposed, true), Void, "{id}");
        round.reveal(Reveal::Dome);
        round.establish(FlatBy::Dealer);
        assert_eq!(judge(&round, VoidReason::Exposed, false), Noted, "{id}");
    }
}

/// NZ 7.1(b), SGV6 5.4.2: a tumbler that turns under the dome moves dice that have fallen; dice that people see are theirs to tell.
#[test]
fn a_tumbler_spoils_only_what_nobody_sees_yet() {
    let rules = rule_set("sg-v6");
    let mut round = spun(true);
    assert_eq!(round.judge_tumbler(true, rules), FaultVerdict::Void);
    see(&mut round);
    assert_eq!(round.judge_tumbler(false, rules), FaultVerdict::Asked);
    round.establish(FlatBy::Dealer);
    assert_eq!(round.judge_tumbler(false, rules), FaultVerdict::Noted);
    let mut asked = spun(true);
    asked.ask(Doubt::Interrupted);
    assert_eq!(asked.judge_tumbler(false, rules), FaultVerdict::Asked);
}

/// NZ 7.1(a) asks how a die lies, knocked or not; SGV6 5.5.2 whether it came to rest flat, and 5.14 leaves a knock to a person.
#[test]
fn a_finding_is_judged_by_its_text() {
    for (id, on, nz) in RULES {
        let asked = |why| {
            let mut round = spun_under(id, on, true);
            see(&mut round);
            round.ask(why);
            round
        };
        let judge = |round: &Round, finding| round.judge_finding(finding, true, false, rule_set(id));
        let interrupted = asked(Doubt::Interrupted);
        let goes_on = FindingVerdict::GoesOn { establishes: true };
        let decision = FindingVerdict::Decision { left_to_manager: !nz };
        assert_eq!(judge(&interrupted, Finding::Undisturbed), Ok(goes_on), "{id}");
        assert_eq!(judge(&interrupted, Finding::NotFlat), Ok(FindingVerdict::NotFlat), "{id}");
        assert_eq!(judge(&interrupted, Finding::CannotTell), Ok(decision), "{id}");
        let knocked = if nz { FindingVerdict::NotFlat } else { decision };
        assert_eq!(judge(&asked(Doubt::Knocked), Finding::NotFlat), Ok(knocked), "{id}");
        assert_eq!(judge(&asked(Doubt::Knocked), Finding::Undisturbed), Err(Refusal::MovedUnseen), "{id}");
        assert_eq!(judge(&asked(Doubt::Dice), Finding::NotFlat), Err(Refusal::DiceNotEnrolled), "{id}");
    }
}

/// NZ 7.1(a) is about dice that were seen: not under the dome, and a reader in service tells of the others by itself.
#[test]
fn only_what_people_can_see_is_found() {
    let find = |round: &Round, reader, covers| round.judge_finding(Finding::NotFlat, reader, covers, rule_set("sg-v6"));
    let mut open = spun(true);
    see(&mut open);
    assert_eq!(find(&open, true, false), Err(Refusal::NobodyAsked));
    assert_eq!(find(&open, false, false), Ok(FindingVerdict::NotFlat));
    assert_eq!(open.may_find(Finding::Undisturbed, false), Err(Refusal::DealerKeys));
    let mut covered = spun(true);
    covered.ask(Doubt::Interrupted);
    assert_eq!(find(&covered, true, true), Err(Refusal::CoveredWhileBetting));
    covered.close_bets();
    assert_eq!(find(&covered, true, true), Err(Refusal::DomeOn));
    assert_eq!(find(&covered, true, false), Ok(FindingVerdict::NotFlat));
    assert_eq!(covered.may_find(Finding::Undisturbed, true), Ok(()));
}

/// SGV6 5.4.1, NZ 4.9: nobody chooses a void in sight of the dice, or after the outcome. Until the result a supervisor may see
/// that a die is not flat, whatever the reader says (NZ 7.1(a)). What the text leaves open is the manager's (SGV6 5.14).
#[test]
fn a_void_is_judged_by_what_people_can_see() {
    for (id, on, nz) in RULES {
        let ask = |round: &Round, not_flat| round.may_be_voided(not_flat, true, false, rule_set(id));
        let mut round = spun_under(id, on, true);
        // NZ 7.1 names the grounds; Singapore's 5.14 leaves it to the shift manager.
        let clause = rule_set(id).unwrap().clause("no-spin");
        let chosen =
            if nz { Err(Refusal::NoGround { clause }) } else { Ok(VoidVerdict::Decision { left_to_manager: true }) };
        assert_eq!(ask(&round, false), chosen, "{id}");
        let mut unspun = Round::begin(RoundId(1), rule_set(id).unwrap(), layout(on).unwrap());
        assert_eq!(ask(&unspun, false), chosen, "{id}");
        let decided = Ok(VoidVerdict::Decision { left_to_manager: !nz });
        assert_eq!(unspun.may_be_voided(false, true, true, rule_set(id)), decided, "{id}: the motor is held");
        unspun.ask_for_spin();
        unspun.start_spin();
        assert_eq!(unspun.may_be_voided(false, true, true, rule_set(id)), chosen, "{id}: the shaft turns");
        assert_eq!(ask(&round, true), Err(Refusal::NotRevealedToJudge), "{id}");
        see(&mut round);
        assert_eq!(ask(&round, false), Err(Refusal::DiceLieOpen { reader: true }), "{id}");
        assert_eq!(ask(&round, true), Ok(VoidVerdict::NotFlat { disputed: false }), "{id}");
        let mut asked = round.clone();
        asked.ask(Doubt::Knocked);
        assert_eq!(ask(&asked, false), Err(Refusal::AnswerInstead(Doubt::Knocked)), "{id}");
        let told = Err(Refusal::OutcomeStands { damage_voids: !nz });
        let mut by_dealer = round.clone();
        by_dealer.establish(FlatBy::Dealer);
        assert_eq!([false, true].map(|not_flat| ask(&by_dealer, not_flat)), [told.clone(), told.clone()], "{id}");
        round.establish(FlatBy::Reader);
        assert_eq!(ask(&round, false), told, "{id}");
        assert_eq!(ask(&round, true), Ok(VoidVerdict::NotFlat { disputed: true }), "{id}");
        round.take_result(Dice::from_pips([1, 2, 3]).unwrap(), Mono(0));
        assert_eq!(ask(&round, true), told, "{id}");
    }
}

/// SGV6 5.6: damaged dice void all affected rounds. NZ 4.9: a result that was established stands.
#[test]
fn damaged_dice_are_judged_by_their_text() {
    for (id, on, nz) in RULES {
        let mut round = spun_under(id, on, true);
        assert!(!round.outlives_damage(rule_set(id)), "{id}");
        see(&mut round);
        assert_eq!(round.outlives_damage(rule_set(id)), nz, "{id}");
        round.establish(FlatBy::Dealer);
        assert_eq!(round.outlives_damage(rule_set(id)), nz, "{id}");
    }
}

/// NZ 4.4: three numbers and Entry are the result, and Entry alone says "all paid". NZ 7.2: wrong numbers wait for the supervisor.
#[test]
fn entry_says_what_its_turn_is() {
    let rules = rule_set("nz-div9");
    let [one, two, three] = Dice::from_pips([1, 2, 3]).unwrap().faces();
    let press = |round: &Round, digits: &[DieFace]| round.hear_entry(digits, rules);
    let mut round = spun_under("nz-div9", "nz-div9-1", true);
    assert_eq!(press(&round, &[one, two, three]), Ok(Pressed::Nothing));
    see(&mut round);
    let numbers = Dice::from_pips([1, 2, 3]).unwrap();
    assert_eq!(press(&round, &[three, one, two]), Ok(Pressed::Numbers(numbers)));
    assert_eq!(press(&round, &[one, two]), Err(Refusal::NotThreeNumbers(2)));
    let mut asked = round.clone();
    asked.ask(Doubt::Knocked);
    assert_eq!(press(&asked, &[one, two, three]), Err(Refusal::AskedBeforeEntry(Doubt::Knocked)));
    round.enter(numbers);
    assert_eq!(press(&round, &[one, two, three]), Ok(Pressed::Nothing));
    round.differ(true);
    let clause = rules.unwrap().clause("amend");
    assert_eq!(press(&round, &[one, two, three]), Err(Refusal::AmendedUnderSupervisor { clause }));
    round.supervise();
    round.establish(FlatBy::Dealer);
    round.take_result(numbers, Mono(0));
    assert_eq!(press(&round, &[one]), Err(Refusal::EnteredAlready));
    assert_eq!(press(&round, &[]), Ok(Pressed::AllPaid));
}

/// NZ 7.2: the dice are authoritative, and a reader in service says first what they show.
#[test]
fn numbers_are_judged_by_what_the_reader_saw() {
    let round = |established: bool| {
        let mut round = Round::begin(RoundId(1), rule_set("nz-div9").unwrap(), layout("nz-div9-1").unwrap());
        round.ask_for_spin();
        round.start_spin();
        round.end_spin(Tumbles(3), Spun { valid: true, steps: 12, how: SpinEnd::Target });
        round.open_bets();
        round.close_bets();
        round.reveal(Reveal::Dome);
        if established {
            round.establish(FlatBy::Reader);
        }
        round
    };
    let [keyed, other] = [[1, 2, 3], [4, 4, 4]].map(|pips| Dice::from_pips(pips).unwrap());
    let reading = |in_service, faces| Reading { in_service, lost: false, faces };
    let entry = |established, reading| round(established).judge_entry(keyed, reading);
    assert_eq!(entry(false, reading(true, None)), EntryVerdict::Open);
    assert_eq!(entry(false, reading(false, None)), EntryVerdict::Result);
    assert_eq!(entry(true, reading(true, Some(None))), EntryVerdict::Result);
    assert_eq!(entry(true, reading(false, Some(Some(other)))), EntryVerdict::Differs(other));
    let amend = |uphold, reading| round(true).judge_amendment(keyed, uphold, reading);
    assert_eq!(amend(false, reading(true, Some(Some(other)))), Err(Refusal::ReaderDiffers));
    assert_eq!(amend(true, reading(true, Some(Some(other)))), Ok(Amendment::Upholds { differs: true }));
    assert_eq!(amend(true, reading(true, None)), Err(Refusal::FacesNotRead));
    assert_eq!(round(false).may_be_told(keyed, reading(true, None)), Err(Refusal::NotFoundFlat));
}

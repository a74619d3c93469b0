//! What stands in the way of each command, in the order in which it is said (console.md, "A request").

use super::Given;
use super::state::State;
use crate::areas::sorted;
use crate::config::{Decides, Rules};
use crate::observation::Line;
use crate::scene::{Round, Scene};
use serde_json::Value;

const MS: u64 = 1_000_000;
/// Losers are collected and winners paid first (parameter `all_paid`).
const PAID_NS: u64 = 3_000 * MS;
/// A decision at the very edge of a time may fall on either side.
const EDGE_NS: u64 = 30 * MS;
/// The devices that a procedure can replace (table.md, Malfunctions).
const REPLACED: [&str; 3] = ["reader", "terminal", "lamps"];
/// What does not hold the motor while it is latched (table.md, What `tumble` is refused for).
const HOLDS_NO_MOTOR: [&str; 5] = ["buttons", "key", "reader", "terminal", "lamps"];

/// What may become of a command: it may be refused by these codes, or be done.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    pub(super) codes: Vec<&'static str>,
    pub(super) granted: bool,
}

/// The end of a look at what stands in the way: a bar that is surely there.
pub(super) type Barred = Result<(), ()>;

impl Verdict {
    /// It is refused by this code if that is so; `None` where no probe tells.
    pub(super) fn bar(&mut self, code: &'static str, so: impl Into<Option<bool>>) -> Barred {
        let so = so.into();
        if so != Some(false) {
            self.codes.push(code);
        }
        if so == Some(true) { Err(()) } else { Ok(()) }
    }
}

/// A command, the state in which it was given, and the world.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) given: &'a Given,
    pub(super) state: &'a State,
    pub(super) scene: &'a Scene,
}

impl<'a> Case<'a> {
    fn flag(self, field: &str) -> bool {
        self.given.with.get(field) == Some(&Value::Bool(true))
    }
    fn text(self, field: &str) -> &'a str {
        self.given.with.get(field).and_then(Value::as_str).unwrap_or_default()
    }
    fn dice(self) -> Option<[u8; 3]> {
        serde_json::from_value(self.given.with.get("dice")?.clone()).ok().map(sorted)
    }
    fn round(self) -> Option<&'a Round> {
        self.state.round.as_ref()
    }
    fn between_rounds(self, verdict: &mut Verdict) -> Barred {
        verdict.bar("round-in-progress", self.round().is_some())
    }
    fn no_test(self, verdict: &mut Verdict) -> Barred {
        verdict.bar("testing", self.state.test.is_some())
    }
    fn asked(self) -> bool {
        self.round().is_some_and(|round| round.asked.is_some())
    }
    /// Whether a dice reader judges the dice: it is fitted and in service.
    fn reader(self) -> bool {
        self.scene.config.given.reader && self.state.serves("reader")
    }
    /// The reader has not told what the faces are, or how the dice lie, where it is the one to do so.
    fn unread(self, round: &Round, verdict: &mut Verdict) -> Barred {
        verdict.bar("not-found-flat", self.reader() && !round.established)?;
        verdict.bar("faces-not-read", self.reader() && self.state.read.is_none())
    }
}

fn rules(round: &Round) -> Rules {
    round.rules.unwrap_or(Rules::Nz1998)
}

fn new_zealand(round: &Round) -> bool {
    rules(round).is_new_zealand()
}

/// Whether the rules leave it to the shift manager or above to decide what no clause decides (SGV6 and SGOC 5.14).
fn left_to_manager(case: Case<'_>, round: &Round) -> bool {
    rules(round).decides() == Decides::Manager && !case.flag("manager")
}

pub(super) fn none(_: Case<'_>, _: &mut Verdict) -> Barred {
    Ok(())
}

pub(super) fn open(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let state = case.state;
    // A round that waits for its spin needs an open table after a reboot; under Open Cover after "No more bets" (SGOC-early 5.1.4).
    if let Some(round) = case.round() {
        verdict.bar("round-in-progress", case.asked() || round.spinning || round.valid_spin)?;
        verdict.bar("bets-open", !round.covered() && !round.called)?;
    }
    verdict.bar("open-already", state.open == Some(true))?;
    verdict.bar("reset-first", !state.latched.is_empty())?;
    verdict.bar("in-maintenance", state.maintenance)?;
    case.no_test(verdict)
}

pub(super) fn witness(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let item = case.text("item");
    let Some(test) = &case.state.test else { return verdict.bar("no-witness-wanted", true) };
    let mut items: Vec<&str> = match test.name.as_str() {
        "opening" => case.scene.witnessed().collect(),
        "lamps" | "hardware lamps" => vec!["areas"],
        "seal" | "hardware seal" => vec!["seal"],
        "hardware bell" => vec!["bell"],
        _ => Vec::new(),
    };
    if test.name == "opening" && !case.scene.config.given.reader {
        items.push("dice");
    }
    // A reset waits at a time that its measurement decides, an opening once the keys are pressed.
    let waits = match test.name.as_str() {
        "opening" => Some(test.waits && test.passed.iter().any(|passed| passed == "keys")),
        _ => test.waits.then_some(true),
    };
    verdict.bar("no-witness-wanted", waits.map(|waits| !waits))?;
    // What a reader out of service cannot see, a person does. Of what this test does not ask, nothing is left to say.
    let eyes = item == "dice" && !case.reader();
    verdict.bar("witnessed-already", if eyes { None } else { Some(!items.contains(&item)) })?;
    // The machine's own tests of bell and seal are not the person's word.
    let told = test.passed.iter().skip_while(|passed| test.name == "opening" && *passed != "keys");
    let said = told.filter(|passed| *passed == item).count();
    let mechanical = usize::from(test.name == "seal");
    verdict.bar("witnessed-already", said > mechanical)
}

pub(super) fn maintenance(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let on = case.state.maintenance;
    case.between_rounds(verdict)?;
    if case.flag("on") {
        verdict.bar("in-maintenance-already", on)?;
    } else {
        verdict.bar("not-in-maintenance", !on)?;
    }
    case.no_test(verdict)
}

pub(super) fn hardware_test(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    case.between_rounds(verdict)?;
    verdict.bar("tested-only-in-maintenance", !case.state.maintenance)?;
    case.no_test(verdict)?;
    verdict.bar("not-fitted", case.text("test") == "reader" && !case.scene.config.given.reader)
}

pub(super) fn reset(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let code = case.text("code");
    case.between_rounds(verdict)?;
    case.no_test(verdict)?;
    let latched = case.state.latched.iter().find(|(latched, _)| latched == code);
    verdict.bar("not-latched", latched.is_none())?;
    let since_ns = latched.map_or(0, |(_, since_ns)| *since_ns);
    let debounce_ns = case.scene.config.given.limits.button_debounce_ns;
    let older = case.given.turned_ns.is_some_and(|turned| turned + debounce_ns <= since_ns);
    verdict.bar("key-older-than-latch", since_ns > 0 && older)?;
    let Some(procedure) = case.given.with.pointer("/exit/procedure").and_then(Value::as_str) else { return Ok(()) };
    verdict.bar("no-procedure-replaces", !REPLACED.contains(&code))?;
    verdict.bar("no-procedure", procedure.trim().is_empty())?;
    verdict.bar("procedure-while-closed", case.state.open != Some(true))
}

pub(super) fn amend(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let Some(round) = case.round() else { return verdict.bar("result-stands", true) };
    verdict.bar("answer-first", case.asked())?;
    verdict.bar("not-revealed", !round.revealed)?;
    let differs = case.state.read.is_some_and(|read| Some(sorted(read)) != case.dice());
    verdict.bar("reader-differs", differs && !case.flag("uphold"))?;
    verdict.bar("same-result", round.result.map(sorted) == case.dice())?;
    if round.result.is_some() {
        return Ok(());
    }
    verdict.bar("nothing-entered", !case.flag("uphold"))?;
    case.unread(round, verdict)?;
    let serve = ["terminal", "lamps", "journal"].into_iter().all(|code| case.state.serves(code));
    verdict.bar("entered-on-terminal", new_zealand(round) && serve && !case.state.differs)
}

pub(super) fn supervise(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let waits = case.state.differs && case.round().is_some_and(new_zealand);
    verdict.bar("nothing-to-supervise", !waits)
}

pub(super) fn finding(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let Some(round) = case.round() else { return verdict.bar("no-round-to-ask", true) };
    let finding = case.text("finding");
    let Some(why) = round.asked.as_deref() else {
        let open = round.revealed && round.valid_spin && !round.established && !case.reader();
        verdict.bar("dealer-keys", open && finding == "undisturbed")?;
        verdict.bar("nobody-asked", !open)?;
        return verdict.bar("left-to-manager", finding == "cannot-tell" && left_to_manager(case, round));
    };
    let covered = round.covered() && !round.revealed;
    verdict.bar("dice-not-enrolled", why == "dice" && finding != "cannot-tell")?;
    verdict.bar("nobody-counted", why == "spin-lost" && finding != "cannot-tell")?;
    verdict.bar("moved-unseen", why == "knocked" && covered && finding == "undisturbed")?;
    if finding == "not-flat" && covered {
        verdict.bar("covered-while-betting", !round.called)?;
        verdict.bar("dome-on", case.covers())?;
    }
    let decides = finding == "cannot-tell" || finding == "not-flat" && why == "knocked";
    verdict.bar("left-to-manager", decides && left_to_manager(case, round))
}

impl Case<'_> {
    /// Whether the contact was made when the command was given.
    fn made(self, line: Line) -> bool {
        self.scene.past.line(line).at(self.given.at_ns).is_some_and(|(_, level)| *level)
    }
    /// Whether the dome is away, by its contacts.
    fn away(self) -> bool {
        self.made(Line::DomeOpen) && !self.made(Line::DomeClosed)
    }
    /// Whether both contacts say that the dome is on; contacts that contradict each other leave it to the person who looks. `None`
    /// while one bounces.
    fn covers(self) -> Option<bool> {
        let on = self.made(Line::DomeClosed) && !self.made(Line::DomeOpen);
        let for_ns = self.scene.config.given.limits.dome_debounce_ns;
        let rests = self.scene.past.lasted(Line::DomeClosed, true, for_ns, self.given.at_ns);
        if on && !rests { None } else { Some(on) }
    }
}

pub(super) fn void(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    if case.flag("damaged_dice") {
        return Ok(());
    }
    let Some(round) = case.round() else { return verdict.bar("nothing-to-void", true) };
    if case.flag("not_flat") {
        verdict.bar("answer-instead", case.asked())?;
        verdict.bar("not-revealed-to-judge", !round.revealed)?;
        return verdict.bar("outcome-stands", round.result.is_some());
    }
    verdict.bar("answer-instead", case.asked())?;
    verdict.bar("outcome-stands", round.established)?;
    verdict.bar("dice-lie-open", round.revealed && round.valid_spin)?;
    if new_zealand(round) {
        let held = case.state.open != Some(true)
            || case.state.latched.iter().any(|(code, _)| !HOLDS_NO_MOTOR.contains(&code.as_str()));
        verdict.bar("no-ground", !held || round.valid_spin || round.spinning)?;
    }
    verdict.bar("left-to-manager", left_to_manager(case, round))
}

pub(super) fn afterwards(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let of = case.given.with.get("round").and_then(Value::as_u64).unwrap_or(0);
    verdict.bar("void-is-for-it", case.round().is_some_and(|round| round.id == Some(of)))?;
    verdict.bar("no-such-round", of == 0 || of > case.state.last)?;
    let ended = case.state.ended.get(&of);
    let void = case.given.command == "void-afterwards" && ended.is_some_and(|ended| ended.void);
    verdict.bar("void-already", void)?;
    // Another version's rules, or records that were lost.
    verdict.bar("rules-forgotten", if ended.is_none() { None } else { Some(false) })
}

pub(super) fn confirm_dome(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let Some(round) = case.round().filter(|round| round.covered()) else {
        return verdict.bar("no-dome-to-confirm", true);
    };
    verdict.bar("not-to-be-seen-yet", !round.called || !round.valid_spin)?;
    verdict.bar("contacts-say-so", round.revealed || case.away())
}

pub(super) fn settle(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    let Some(round) = case.round() else { return verdict.bar("nothing-to-settle", true) };
    let serve = ["terminal", "lamps", "journal"].into_iter().all(|code| case.state.serves(code));
    verdict.bar("entered-on-terminal", new_zealand(round) && serve)?;
    let Some(result) = round.result.map(sorted) else { return settle_unentered(case, round, verdict) };
    verdict.bar("another-result", case.dice().is_some_and(|dice| dice != result))?;
    // Where the areas cannot be proved, the time counts from the result (NZ 7.3, SGV6 5.10).
    verdict.bar("areas-not-lit", case.state.verified_ns.is_none() && case.state.serves("lamps"))?;
    let from_ns = case.state.verified_ns.unwrap_or(case.state.result_ns);
    let since_ns = case.given.at_ns.saturating_sub(from_ns);
    let early = if since_ns.abs_diff(PAID_NS) < EDGE_NS { None } else { Some(since_ns < PAID_NS) };
    verdict.bar("paid-too-early", early)
}

fn settle_unentered(case: Case<'_>, round: &Round, verdict: &mut Verdict) -> Barred {
    verdict.bar("say-the-dice", case.dice().is_none())?;
    verdict.bar("not-revealed", !round.revealed)?;
    verdict.bar("not-found-flat", case.reader() && !round.established)?;
    verdict.bar("answer-first", case.asked())?;
    case.unread(round, verdict)?;
    let differs = case.state.read.is_some_and(|read| Some(sorted(read)) != case.dice());
    verdict.bar("uphold-first", differs)
}

pub(super) fn enrol(case: Case<'_>, verdict: &mut Verdict) -> Barred {
    case.between_rounds(verdict)?;
    case.no_test(verdict)?;
    verdict.bar("no-dice-seen", case.given.identities.is_none())
}

pub(super) fn record(_: Case<'_>, verdict: &mut Verdict) -> Barred {
    // Who asks is not seen, and 8 recordings of an account may have been made.
    verdict.bar("not-in-group", None)?;
    verdict.bar("too-many-recordings", None)
}

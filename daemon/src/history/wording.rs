//! The journal's records in words, for people: one wording wherever they read them.

use crate::pages::test_report::bar;
use tumbler_core::hardware_test::{Measurement, Report};
use tumbler_core::record::{Event, Lit, Record};
use tumbler_core::round::call::{self, Call};
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::round::{Doubt, FlatBy, Reveal};
use tumbler_core::rules;
use tumbler_core::units::Dice;

/// What a person wrote down about a round that had ended.
pub(super) fn about(event: &Event) -> String {
    match event {
        Event::VoidedAfterwards { reason, clauses, by, .. } => {
            let clauses = if clauses.is_empty() { String::new() } else { format!(" ({})", clauses.join(", ")) };
            format!("{reason}{clauses}; by {by}")
        }
        Event::Corrected { reason, by, .. } => format!("{reason}; by {by}"),
        _ => String::new(),
    }
}

pub(super) fn settled(dice: Dice, lamps: Lit, by: Option<&str>) -> String {
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    format!("settled{by}: {}; {}", call::result(dice), lit(lamps))
}

const fn lit(lamps: Lit) -> &'static str {
    match lamps {
        Lit::Proved => "the winning areas were proved lit, and no others",
        Lit::ByTheDice => "by the dice, as the areas could not be lit or proved",
        Lit::Unknown => "whether the winning areas were lit is not on record",
    }
}

pub(super) fn voided(void: &Void) -> String {
    let mut parts = vec![format!("void: {}", void.reason.name())];
    if !void.clauses.is_empty() {
        parts.push(void.clauses.join(", "));
    }
    parts.extend(void.silent.clone());
    if !void.detail.is_empty() {
        parts.push(void.detail.clone());
    }
    parts.join("; ")
}

/// Why a round is void, as players are told: in the words of the texts, where they have any (NZ9 7.1, SGV6 5.5 and 5.6, SGOC 5.5.3).
pub(crate) const fn void_to_players(reason: VoidReason) -> &'static str {
    match reason {
        VoidReason::FewerThanThree => "The dice did not tumble at least three times.",
        VoidReason::NotFlat => "A die did not come to rest flat.",
        VoidReason::Equipment => "The equipment failed before there was an outcome.",
        VoidReason::Exposed => "The dice were exposed before \"No more bets\".",
        VoidReason::ActivatedEarly => "The tumbler was activated before \"No more bets\".",
        VoidReason::NeverActivated => "The tumbler was not activated for this game.",
        VoidReason::DamagedDice => "A die is damaged.",
        VoidReason::Interruption => "The game was interrupted before there was an outcome.",
        VoidReason::Declared => "The dealer announced \"No spin\".",
        VoidReason::Supervisor => "The house decided that it is void.",
    }
}

pub(super) const fn revealed(how: Reveal) -> &'static str {
    match how {
        Reveal::Dome => "the dome was taken away",
        Reveal::SpinEnded => "by the end of the spin, under Open Cover",
        Reveal::Confirmed => "a person confirmed that the dome is open",
    }
}

pub(super) const fn flat_by(flat: FlatBy) -> &'static str {
    match flat {
        FlatBy::Reader => "the dice reader",
        FlatBy::Dealer => "the dealer's eye",
        FlatBy::Supervisor => "the supervisor's eye",
    }
}

pub(super) fn asked(why: Doubt) -> String {
    format!("{}: {}", why.name(), why.text())
}

const fn called(call: Call) -> &'static str {
    match call {
        Call::PlaceBets => "Place your bets",
        Call::NoMoreBets => "No more bets",
        Call::NoSpin => "No spin",
    }
}

/// What a record says, with who asked for it on the console.
#[must_use]
pub fn recorded(record: &Record) -> String {
    // SGV6 and SGOC 5.12; the other texts do not speak of it.
    let returned = matches!(record.event, Event::Voided(_)) && record.clauses.iter().any(|clause| returns_bets(clause));
    let returned = if returned { "; all bets are returned" } else { "" };
    format!("{}{returned}{}", told(&record.event), asker(record))
}

/// Which account asked for it on the console, in which role, to be said behind it.
pub(super) fn asker(record: &Record) -> String {
    record.who.as_ref().map(|who| format!(" (account {who})")).unwrap_or_default()
}

fn returns_bets(clause: &str) -> bool {
    rules::all().iter().any(|rules| rules.clause("void-returned").to_string() == clause)
}

/// What an event says, as a sentence or two without a full stop.
#[must_use]
pub fn told(event: &Event) -> String {
    match event {
        Event::RoundBegan { rules, layout } => format!("the round began under {rules} on {layout}"),
        Event::Called { call, in_turn, remark } => {
            let turn = if *in_turn { "" } else { ", out of turn: it changes nothing" };
            let remark = remark.as_ref().map(|remark| format!(", {remark}")).unwrap_or_default();
            format!("\"{}\" was called{turn}{remark}", called(*call))
        }
        Event::SpinBegan => "the spin was granted".to_owned(),
        Event::SpinMade { steps } => format!("three full tumbles are made ({steps} steps of the cam counted)"),
        Event::SpinDropped { why } => format!("the spin did not start: {why}"),
        Event::SpinFlickered { line } => format!("{line} flickered, and the spin went on"),
        Event::SpinEnded { tumbles, valid, steps, needed, how } => {
            let judged = if *valid { "a valid spin" } else { "no valid spin" };
            let steps = if *needed == 0 {
                String::new()
            } else {
                format!(" ({steps} steps of the cam counted, {needed} needed)")
            };
            format!("{} full tumbles{steps}: {judged}, ended by {}", tumbles.0, how.name())
        }
        Event::Revealed { how } => format!("the dice may be seen: {}", revealed(*how)),
        Event::Established { flat } => format!("the outcome is established: the dice lie flat by {}", flat_by(*flat)),
        Event::FacesRead { dice } => format!("the reader sees {}", call::result(*dice)),
        Event::EntryError { why, .. } => format!("an entry was not taken: {why}"),
        Event::EntryDiffers { entered, read } => {
            format!("{} was entered, and the reader sees {}", call::result(*entered), call::result(*read))
        }
        Event::Result { call, areas, .. } => format!("{call} was entered; winning areas: {}", areas.join(" ")),
        Event::Amended { from, to, by } => {
            format!("{by} amended {} to {}", call::result(*from), call::result(*to))
        }
        Event::Supervised { by } => format!("{by} sees the numbers amended, which the dealer keys"),
        Event::LampsVerified => "the winning areas were proved lit, and no others".to_owned(),
        Event::Settled { dice, lamps, by, .. } => settled(*dice, *lamps, by.as_deref()),
        Event::Voided(void) => voided(void),
        Event::VoidedAfterwards { round, .. } => {
            format!("round {} was found affected after it had ended: {}", round.0, about(event))
        }
        Event::Corrected { round, .. } => format!("of round {} it was written down: {}", round.0, about(event)),
        Event::Noted { what, .. } => format!("noted: {what}"),
        Event::Resumed { established: true } => "the daemon came back; the outcome had been established".to_owned(),
        Event::Resumed { established: false } => "the daemon came back; no outcome was on record".to_owned(),
        Event::Asked { why } => format!("a person is asked. {}", asked(*why)),
        Event::Answered { finding, reason, by } => {
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            format!("{}{reason}; by {by}", finding.name())
        }
        Event::Latched { code, cause, .. } => format!("malfunction {code}: {cause}"),
        Event::Unlatched { code, how, by, .. } => format!("{code} was reset by {by}: {how}"),
        Event::Refused { what, why, left_out: 0, .. } => format!("{what} was refused: {why}"),
        Event::Refused { what, why, left_out, .. } => {
            format!(
                "{what} was refused: {why} ({left_out} more refusals of this caller before it are not in the journal)"
            )
        }
        Event::KeyTurned => "the supervisor's key was turned".to_owned(),
        Event::Decided { what, reason, by, .. } => format!("{by} decided: {what}: {reason}"),
        Event::Closing { by } => format!("{by} closes the table when the round has ended"),
        Event::Commissioned { site, table, backend } => {
            format!("the table was put together: table {table} of site {site}, with hardware {backend}")
        }
        Event::Started { boot, build, config, backend, rules, layout } => format!(
            "tumblerd {build} started under {rules} on {layout}, with hardware {backend} (configuration {config:.12}, boot {boot:.8})"
        ),
        Event::Stopped => "tumblerd was asked to stop".to_owned(),
        Event::TestBegan { test, by } => format!("{by} began a test: {test}"),
        Event::Tested { test, passed, found } => {
            format!("test {test}: {}: {found}", if *passed { "passed" } else { "FAILED" })
        }
        Event::HardwareTested(report) => tested(report),
        Event::Opened { by } => format!("{by} opened the table"),
        Event::Closed { by } => format!("the table was closed: {by}"),
        Event::Maintenance { on: true, by } => format!("{by} began maintenance"),
        Event::Maintenance { on: false, by } => format!("{by} ended maintenance"),
        Event::DiceEnrolled { dice: [a, b, c], by } => format!("{by} enrolled the dice {a}, {b} and {c}"),
        Event::Keyframe(_) => "how the table stands, for a restart".to_owned(),
    }
}

/// A hardware test without its plots, which are numbers by the hundred: its report draws them.
fn tested(report: &Report) -> String {
    let one =
        |m: &Measurement| format!("{} {} {}", m.quantity.name(), bar::value(m.quantity, m.value), m.verdict.name());
    let found = if report.found.is_empty() { String::new() } else { format!("; found: {}", report.found) };
    let seen = report.seen.iter().map(|item| format!("; found right: {item}")).collect::<String>();
    let measured = report.measurements.iter().map(|m| format!("; {}", one(m))).collect::<String>();
    format!("{} tested {}: {}{found}{seen}{measured}", report.by, report.test, report.verdict.name())
}

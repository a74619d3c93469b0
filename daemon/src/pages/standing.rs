//! How a table stands, for people and for what watches it: what is wrong with it, how bad that is, and what comes next.

use serde::Serialize;
use tumbler_core::device::bus::Unit;
use tumbler_core::latch::Malfunction;
use tumbler_core::rules::rule_set;
use tumbler_core::snapshot::{Phase, Question, Snapshot};
use tumbler_core::units::Tumbles;
use tumbler_core::wall;
use tumbler_core::wire::ask::Status;

/// How bad something is, in the order and with the numbers of Nagios' exit codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// As it should be, also where people have closed the table.
    #[default]
    Ok,
    /// Somebody is to look at it; games may go on, or wait for a person's word.
    Warning,
    /// No further game, or none that can be trusted.
    Critical,
    /// There was nothing to look at.
    Unknown,
}

impl Grade {
    /// As monitors write it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// How bad it is.
    pub grade: Grade,
    /// What it is about, in capital letters.
    pub about: &'static str,
    /// What there is to say.
    pub what: String,
}

/// How the latch of a unit that fell silent says so.
const SILENT: &str = "does not reply";

/// What a person looks at before any single malfunction, where several units of the field bus fell silent: what they share.
#[must_use]
pub fn shared(malfunctions: &[Malfunction]) -> Option<String> {
    let silent = malfunctions.iter().filter(|malfunction| malfunction.cause.ends_with(SILENT));
    let silent: Vec<&str> = silent.map(|malfunction| malfunction.code.name()).collect();
    let (last, others) = silent.split_last().filter(|(_, others)| !others.is_empty())?;
    Some(format!(
        "{} and {last} fell silent: before any single unit, look at what they share, which is the bus: its cable, its adapter and port, and \
         the units' power. `tumblerctl wires` says which units reply",
        others.join(", ")
    ))
}

/// All that is not as it should be, worst first.
#[must_use]
pub fn alarms(status: &Status) -> Vec<Alarm> {
    let s = &status.snapshot;
    let mut alarms = Vec::new();
    let mut add = |grade, about, what| alarms.push(Alarm { grade, about, what });
    if let Some(shared) = shared(&s.malfunctions) {
        add(Grade::Critical, "FIELD BUS", shared);
    }
    for malfunction in &s.malfunctions {
        add(Grade::Critical, "MALFUNCTION", format!("{}: {}", malfunction.code, malfunction.cause));
    }
    if let Some(question) = &s.question {
        add(Grade::Warning, "QUESTION", format!("round {}: {}", question.round.0, question.text));
    }
    for unit in &s.lost_units {
        add(Grade::Warning, "LOST UNIT", format!("{} does not answer on the field bus", Unit::name_of(*unit)));
    }
    for waiver in &s.waived {
        add(Grade::Warning, "REPLACED CHECK", format!("{}: {} ({})", waiver.code, waiver.procedure, waiver.by));
    }
    if let Some(network) = status.network.as_ref().filter(|network| !network.up) {
        let why = network.trouble.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        add(Grade::Warning, "NETWORK", format!("down since {}{why}", wall::shown(network.since)));
    }
    if let Some(relay) = &status.relay {
        if !relay.connected || relay.trouble.is_some() {
            let how = if relay.connected { "connected" } else { "not connected" };
            let trouble = relay.trouble.as_ref().map(|trouble| format!("; {trouble}")).unwrap_or_default();
            add(Grade::Warning, "BROKER", format!("{}: {how}, {} records wait{trouble}", relay.broker, relay.waiting));
        }
        for refused in &relay.refused {
            add(Grade::Warning, "REFUSED TOPIC", refused.clone());
        }
    }
    alarms
}

/// The table in one line, as monitors have it: how it stands, which it is, and all that is wrong, or its phase.
#[must_use]
pub fn line(status: &Status) -> (Grade, String) {
    let alarms = alarms(status);
    let grade = alarms.iter().map(|alarm| alarm.grade).max().unwrap_or_default();
    let told: Vec<String> =
        alarms.iter().map(|alarm| format!("{} {}", alarm.about.to_lowercase(), alarm.what)).collect();
    let told = if told.is_empty() { status.snapshot.phase.name().to_owned() } else { told.join("; ") };
    (grade, format!("{}: table {} at {}: {told}", grade.word(), status.about.table, status.about.site))
}

/// How the question of an interrupted round is answered.
#[must_use]
pub fn answered(question: &Question) -> String {
    let answers: Vec<&str> = question.answers.iter().map(|answer| answer.name()).collect();
    format!(
        "a person answers, with the supervisor's key turned: tumblerctl interrupted {} --name NAME",
        answers.join("|")
    )
}

/// What comes next at this table, and who does it.
#[must_use]
pub fn next(s: &Snapshot) -> String {
    if let Some(question) = &s.question {
        return answered(question);
    }
    if let Some(prompt) = &s.prompt {
        return prompt.text.clone();
    }
    if let Some(test) = &s.test {
        return format!("the test goes on: {test}");
    }
    if let (Some(malfunction), None) = (s.malfunctions.first(), s.round) {
        let code = malfunction.code;
        if let Some(shared) = shared(&s.malfunctions) {
            return format!("{shared}; tumblerctl faults says the rest");
        }
        return format!(
            "put right what is wrong (tumblerctl faults says how), then, with the supervisor's key turned: tumblerctl reset {code} \
             --rectified --name NAME"
        );
    }
    in_play(s).to_owned()
}

/// What comes next where nothing stands in the way.
fn in_play(s: &Snapshot) -> &'static str {
    let order = rule_set(&s.rules).map(|rules| rules.order);
    let is_spun = s.tumbles > Tumbles(0);
    match s.phase {
        Phase::Ready | Phase::Void if order.is_some_and(|order| order.spin_begins_round) => {
            "the dealer presses tumble, which begins the round"
        }
        Phase::Ready | Phase::Void => "the dealer calls \"Place your bets\" (place_bets), which begins the round",
        Phase::Betting if !is_spun && order.is_some_and(|o| o.spin_before_no_more_bets && !o.spin_begins_round) => {
            "the dealer presses tumble, or calls \"No more bets\" (no_more_bets) first"
        }
        Phase::Betting => "the dealer calls \"No more bets\" (no_more_bets)",
        Phase::Tumbling => "the tumbler stops by itself",
        Phase::BetsClosed if !is_spun => "the dealer presses tumble",
        Phase::BetsClosed if order.is_some_and(|order| order.covered) => "the dealer takes the dome away",
        Phase::BetsClosed | Phase::Revealed => {
            "once the dice lie still, the dealer keys them at the terminal, then entry"
        }
        Phase::Settling => "the wagers are paid; then the dealer presses entry, which ends the round",
        Phase::Interrupted => "a person says how the dice lie",
        Phase::Closed => "with the supervisor's key turned: tumblerctl open --name NAME",
        Phase::Blocked => "put right what is wrong: tumblerctl faults says how",
        Phase::Maintenance => "tumblerctl test TEST, or, to end it, tumblerctl maintenance off",
    }
}

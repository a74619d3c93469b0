//! What is so, and what is not.

use super::run::{Halt, Runner};
use super::step::{Check, Pattern};
use serde_json::Value;
use tumbler_core::rules;
use tumbler_core::units::Dice;

/// Latest records that a failure tells of.
const TOLD: usize = 12;
/// The monostable's time, and how exactly a bench sees it, in nanoseconds.
const DEADMAN: std::ops::RangeInclusive<u64> = 99_000_000..=101_000_000;

/// The record's kind.
pub(super) fn kind(record: &Value) -> &str {
    record.get("kind").and_then(Value::as_str).unwrap_or_default()
}

/// A field of the record's payload as text.
pub(super) fn field(record: &Value, name: &str) -> Option<String> {
    match record.get("data")?.get(name)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A record in short.
pub(super) fn brief(record: &Value) -> String {
    let data = match kind(record) {
        "keyframe" | "started" | "commissioned" => String::new(),
        _ => record.get("data").map(ToString::to_string).unwrap_or_default(),
    };
    let at = record.get("at").and_then(Value::as_u64).unwrap_or_default();
    format!("{}.{:03} {}{data}", at / 1_000_000_000, at / 1_000_000 % 1000, kind(record))
}

impl Pattern {
    fn matches(&self, record: &Value) -> bool {
        kind(record) == self.kind
            && self.fields.iter().all(|(name, value)| field(record, name).is_some_and(|got| got == *value))
    }
}

/// The register value that shows these characters: digits, E, D for a dash, `-` for blank.
fn display(text: &str) -> Option<u16> {
    text.chars().try_fold(0_u16, |shown, c| {
        let code = match c {
            '1'..='6' => c.to_digit(10).and_then(|d| u16::try_from(d).ok())?,
            'D' => 13,
            'E' => 14,
            '-' => 15,
            _ => return None,
        };
        Some(shown << 4 | code)
    })
}

impl Runner<'_> {
    /// Whether something is so now.
    pub(super) fn holds(&mut self, check: &Check) -> Result<bool, Halt> {
        Ok(match check {
            Check::InTime(reaction, millis, cause) => self.in_time(reaction, *millis, *cause),
            Check::Phase(name) => self.bench.snapshot()?.is_some_and(|s| s.phase.name() == name),
            Check::Latched(code) => {
                self.bench.snapshot()?.is_some_and(|s| s.malfunctions.iter().any(|m| m.code.name() == code))
            }
            Check::NothingLatched => self.bench.snapshot()?.is_some_and(|s| s.malfunctions.is_empty()),
            Check::NoTest => self.bench.snapshot()?.is_some_and(|s| s.test.is_none()),
            Check::Daemon(up) => self.bench.snapshot()?.is_some() == *up,
            Check::Record(pattern) => {
                self.catch_up();
                match self.seen.iter().skip(self.cursor).position(|record| pattern.matches(record)) {
                    Some(place) => {
                        self.cursor += place + 1;
                        true
                    }
                    None => false,
                }
            }
            Check::NoRecord(pattern) => {
                self.catch_up();
                !self.seen.iter().skip(self.mark).any(|record| pattern.matches(record))
            }
            Check::Motor(on) => self.bench.physical().motor_power == *on,
            Check::Shaft(turns) => self.bench.physical().shaft_moves == *turns,
            Check::DiceRest => !self.bench.physical().dice_move,
            Check::Tumbles(from, to) => (*from..=*to).contains(&self.bench.physical().milli_tumbles.abs()),
            Check::Lit(dice) => self.bench.physical().shining == self.lamps(*dice),
            Check::Display(text) => display(text).is_some_and(|shown| self.bench.physical().display == shown),
            Check::Bells(count) => self.bench.log().bells.wrapping_sub(self.bells) == *count,
            Check::Sign(lit) => self.bench.physical().sign == *lit,
            Check::Deadman => {
                let log = self.bench.log();
                match (log.power.last(), log.last_alive) {
                    (Some((gone, false)), Some(alive)) => DEADMAN.contains(&gone.saturating_sub(alive)),
                    _ => false,
                }
            }
            Check::Linked(up) => self.bench.linked()? == Some(*up),
            Check::Online(online) => self.bench.log().online == Some(*online),
            Check::Retained => {
                self.wrong = self.bench.retained()?;
                self.wrong.is_empty()
            }
            Check::Held(id) => self.broken(id)?.has_shown(self.bench),
            Check::Relayed => {
                let log = self.bench.log();
                log.records.last().is_some_and(|last| last.record.seq <= log.relayed)
            }
        })
    }

    /// The lamps that these dice light, by the judges' own predicates, in the layout's order of lamps.
    fn lamps(&self, dice: Option<[u8; 3]>) -> [u64; 2] {
        let mut boards = [0_u64; 2];
        let (Some(mut dice), Some(layout)) = (dice, rules::layout(&self.trial.layout)) else { return boards };
        dice.sort_unstable();
        for (lamp, area) in layout.areas.iter().enumerate() {
            let wins = area.id.parse::<tumbler_judges::areas::Area>().is_ok_and(|area| area.wins(dice));
            if let (true, Some(board)) = (wins, boards.get_mut(lamp / 64)) {
                *board |= 1 << (lamp % 64);
            }
        }
        boards
    }

    /// For a failure: the phase, what is latched, and the latest records.
    pub(super) fn where_we_are(&mut self) -> String {
        self.catch_up();
        let table = match self.bench.snapshot() {
            Ok(Some(shown)) => {
                let latched: Vec<String> =
                    shown.malfunctions.iter().map(|m| format!("{} ({})", m.code.name(), m.cause)).collect();
                let test = shown.test.map(|t| format!(", test: {t}")).unwrap_or_default();
                format!("phase {}, latched {latched:?}{test}", shown.phase.name())
            }
            Ok(None) => "the daemon does not run".into(),
            Err(trouble) => trouble.to_string(),
        };
        let wrong = if self.wrong.is_empty() { String::new() } else { format!(", wrong: {}", self.wrong.join("; ")) };
        let from = self.seen.len().saturating_sub(TOLD);
        let latest: Vec<String> = self.seen.iter().skip(from).map(brief).collect();
        let at = self.bench.now();
        let truth = self.bench.physical();
        let dice = Dice::from_pips(truth.faces).map(Dice::pips);
        format!(
            "at {}.{:03} s, {table}{wrong}; truth: dice {dice:?} flat {:?}, motor {}, shaft {}, turned {}, display {:03x}; latest records:\n  {}",
            at / 1_000_000_000,
            at / 1_000_000 % 1000,
            truth.flat,
            truth.motor_power,
            truth.shaft_moves,
            truth.milli_tumbles,
            truth.display,
            latest.join("\n  ")
        )
    }
}

//! Plays rounds for measurements: nearly as fast as the table accepts them, or at the pace of people.

use crate::templates::Templates;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{Setup, Virtual};
use tumbler_bench::{Bench, BenchError};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::settings::Parameters;
use tumbler_twin::{Act, MS};

/// Longest wait for anything within a round, in milliseconds.
const WAIT: u64 = 10_000;

/// The parameter `all_paid` of a table with short times, in milliseconds: its smallest value.
const ALL_PAID: u32 = 500;

/// The strictest table that there may be with people who are as fast as the rig: few presses without a rest, and a rest that every
/// round has. Whatever plays past a limit of presses is thus found within a few rounds, and not after hours.
pub(super) fn strictest() -> Parameters {
    Parameters { presses: 5, press_rest: 1000, ..Parameters::default() }
}

/// An Open Cover table with short times.
#[must_use]
pub fn shortest() -> TableSetup {
    let mut setup = TableSetup::of("sg-open", "sg-open-1", true);
    setup.settings.parameters = Parameters {
        target_tumbles: 3,
        // Not the shortest: with that, cam edges that the rig sends 100 ms late would look like a shaft that turns by itself.
        standstill: 200,
        settle: 100,
        button_debounce: 5,
        key_repeat: 10,
        lamp_dwell: 10,
        all_paid: ALL_PAID,
        ..strictest()
    };
    setup
}

/// A setup without judges, so that they do not take processor time from the measured daemon.
pub(super) fn unjudged(templates: &Templates, table: TableSetup, seed: u64) -> Setup {
    let program = templates.program().clone();
    Setup { program, table, seed, judge: false, trace: false, brisk: false, wall: None }
}

/// The same with a tumbler six times as fast.
pub(super) fn brisk(templates: &Templates, seed: u64) -> Setup {
    let mut table = shortest();
    // The table takes a cam that is much faster than its period for torn loose, so the period must fit this shaft. It still covers the
    // first tumble, which starts from rest.
    table.settings.parameters.tumble_period = 600;
    Setup { brisk: true, ..unjudged(templates, table, seed) }
}

/// How long people take for what the table does not measure, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Players place their bets.
    pub bets: u64,
    /// The dealer reads the dice and announces them.
    pub look: u64,
    /// Losing wagers are collected, and winners paid.
    pub pay: u64,
}

/// Plays rounds on an Open Cover table.
pub struct RoundPlayer {
    seen: usize,
    pace: Pace,
}

impl RoundPlayer {
    /// For this table, which is open and has short times. People are as fast as the table allows.
    #[must_use]
    pub fn new(table: &Virtual) -> Self {
        Self::at_pace(table, Pace { pay: u64::from(ALL_PAID), ..Pace::default() })
    }

    /// The same at this pace.
    #[must_use]
    pub fn at_pace(table: &Virtual, pace: Pace) -> Self {
        Self { seen: table.log().records.len(), pace }
    }

    /// Plays one round to its end. Calls `before_entry` just before the entry key, and `verified` when the lamps are verified.
    ///
    /// # Errors
    /// [`RigFault`] when the round does not proceed normally.
    pub fn round(
        &mut self,
        table: &mut Virtual,
        mut before_entry: impl FnMut(&mut Virtual),
        mut verified: impl FnMut(&mut Virtual),
    ) -> Result<(), RigFault> {
        let press = |table: &mut Virtual, line| table.act(Act::Press { line, millis: 40 });
        press(table, InLine::PlaceBets).map_err(fault)?;
        self.until(table, "round-began", |e| matches!(e, Event::Called { .. }))?;
        pass(table, self.pace.bets)?;
        press(table, InLine::NoMoreBets).map_err(fault)?;
        self.until(table, "called", |e| matches!(e, Event::Called { .. }))?;
        press(table, InLine::Tumble).map_err(fault)?;
        self.until(table, "established", |e| matches!(e, Event::Established { .. }))?;
        // The next two polls may still return keys that were pressed before the reveal.
        pass(table, 120 + self.pace.look)?;
        for face in table.physical().faces {
            table.act(Act::Key(face)).map_err(fault)?;
            pass(table, 100)?;
        }
        before_entry(table);
        table.act(Act::Key(7)).map_err(fault)?;
        self.until(table, "lamps-verified", |e| matches!(e, Event::LampsVerified))?;
        verified(table);
        pass(table, 100 + self.pace.pay)?;
        table.act(Act::Key(7)).map_err(fault)?;
        self.until(table, "settled", |e| matches!(e, Event::Settled { .. }))
    }

    fn until(&mut self, table: &mut Virtual, what: &str, is: impl Fn(&Event) -> bool) -> Result<(), RigFault> {
        let end = table.now() + WAIT * MS;
        loop {
            let records = &table.log().records;
            let new = records.get(self.seen..).unwrap_or_default();
            if let Some(bad) = new.iter().find(|d| matches!(d.record.event, Event::Voided(_) | Event::Latched { .. })) {
                return Err(RigFault::Other(format!("instead of `{what}` there was {}", told(&bad.record.event))));
            }
            if let Some(place) = new.iter().position(|d| is(&d.record.event)) {
                self.seen += place + 1;
                return Ok(());
            }
            if table.now() >= end {
                let last: Vec<String> = records.iter().rev().take(4).map(|d| told(&d.record.event)).collect();
                return Err(RigFault::Other(format!("no `{what}` in time; the latest records: {}", last.join(", "))));
            }
            table.pass(end).map_err(fault)?;
        }
    }
}

fn pass(table: &mut Virtual, millis: u64) -> Result<(), RigFault> {
    let until = table.now() + millis * MS;
    while table.now() < until {
        table.pass(until).map_err(fault)?;
    }
    Ok(())
}

pub(crate) fn fault(trouble: BenchError) -> RigFault {
    RigFault::Other(trouble.to_string())
}

/// An event as the journal has it.
fn told(event: &Event) -> String {
    serde_json::to_string(event).unwrap_or_default()
}

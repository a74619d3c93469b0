//! What a table is set to: which rules and layout, what is fitted, and every parameter with its unit, range and reason.

mod house;
mod relation;

use crate::prelude::*;
use crate::rules::{self, Layout, RuleSet};
use crate::text;
pub use house::{House, Procedure, Situation};
pub use relation::{Product, Relation};
use serde::{Deserialize, Serialize};

/// The settings of one table. The shell reads them from its configuration; the core checks them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Site, one level of the topics.
    pub site: String,
    /// Table, one level of the topics.
    pub table: String,
    /// Hardware backend: `virtual`, `cdev` or `rppal`.
    pub backend: String,
    /// Rule set for new rounds.
    pub rules: String,
    /// Layout for new rounds; one of the rule set's.
    pub layout: String,
    /// Whether a dice reader is fitted.
    pub reader: bool,
    /// Whether a motor temperature sensor is fitted.
    pub temperature: bool,
    /// What the house says where the rules' text is silent.
    #[serde(default)]
    pub house: House,
    /// Timings and limits.
    pub parameters: Parameters,
}

/// A setting that the table cannot run with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}; allowed is {allowed}")]
pub struct BadSetting {
    /// Path of the key in the configuration.
    pub path: String,
    /// What is wrong with its value.
    pub problem: String,
    /// What is allowed.
    pub allowed: String,
}

macro_rules! parameters {
    ($( $(#[doc = $doc:literal])+ $name:ident: $unit:ident, $min:literal ..= $max:literal, $default:literal, $why:literal; )+) => {
        /// Timings and limits of the table. Every one has a unit, a range, a default and a reason ([`Parameters::TABLE`]).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Parameters { $( $(#[doc = $doc])+ pub $name: u32, )+ }

        impl Default for Parameters {
            fn default() -> Self { Self { $( $name: $default, )+ } }
        }

        impl Parameters {
            /// Every parameter with its unit, range, default and reason.
            pub const TABLE: &'static [Parameter] = &[ $( Parameter {
                name: stringify!($name), unit: stringify!($unit), min: $min, max: $max, default: $default, why: $why,
            }, )+ ];

            /// The value of the parameter with this name.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<u32> {
                match name { $( stringify!($name) => Some(self.$name), )+ _ => None }
            }
        }
    };
}

/// One row of [`Parameters::TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the key under `[parameters]`.
    pub name: &'static str,
    /// Unit: `ms`, `tumbles`, `steps`, `celsius` …
    pub unit: &'static str,
    /// Least value allowed.
    pub min: u32,
    /// Greatest value allowed.
    pub max: u32,
    /// Value unless configured.
    pub default: u32,
    /// Where the number comes from.
    pub why: &'static str,
}

parameters! {
    /// Full tumbles after which the motor is stopped.
    target_tumbles: tumbles, 3..=20, 4, "one above the rules' 3 (NZ 6.1, SGV6 3.7), so that a valid spin does not hang on one edge";
    /// Longest time from motor on to standstill.
    spin_limit: ms, 3000..=20000, 8000, "design.md, Spin: it ends at its time limit";
    /// Motor on without progress of the cam.
    stall: ms, 200..=2000, 700, "faults.md motor.stall: motor off 700 ms after the last cam edge";
    /// Longest time of one full tumble while the motor is on.
    tumble_period: ms, 300..=4000, 1500, "2.5 times the 600 ms of a healthy tumbler; slower is worn or blocked";
    /// No progress of the cam for this long with the motor off is standstill.
    standstill: ms, 100..=1000, 300, "twice the time between two cam edges at the healthy 600 ms a tumble; a slower shaft has twice the time between its own, up to `stall`";
    /// Longest time from motor off to standstill.
    coast_limit: ms, 500..=5000, 2000, "faults.md motor.coast";
    /// Time between two edges of the dead-man line.
    alive: ms, 2..=20, 10, "design.md, Dead-man line: the monostable drops motor power 100 ms after the last edge";
    /// Time after the last dead-man edge in which the shaft must lose power, in the dead-man test.
    deadman_drop: ms, 50..=500, 100, "design.md, Dead-man line: the monostable's time";
    /// A guard line that is back sooner lets the same spin go on.
    flicker: ms, 1..=10, 3, "design.md, Motor guard: vibration breaks a contact for 2 ms";
    /// Flickers after which the same spin goes on; the next one ends it, and latches its line.
    flickers: flickers, 0..=10, 3, "a break that comes again and again is no vibration: a loose contact must not switch the motor all through a spin";
    /// How late an edge of the cam may be read, on the clock that stamped it; one that is later counts as lost.
    edge_late: ms, 50..=500, 200, "a busy controller reads late what was stamped in time; longer than a third of `stall`, nobody knows any more what the shaft does now";
    /// Debounce of the dome's contacts.
    dome_debounce: ms, 5..=200, 50, "faults.md dome.bounce: 30 ms of bounce are harmless";
    /// Longest time in which both or neither of the dome's contacts may be made.
    dome_travel: ms, 100..=2000, 300, "design.md, Wires: antivalent contacts, travel time";
    /// Debounce of the dealer's buttons and the key switch.
    button_debounce: ms, 5..=100, 20, "keeps contact bounce out; well under the 50 ms of the shortest deliberate press";
    /// A button held this long is stuck.
    button_stuck: ms, 1000..=60000, 5000, "faults.md button.stuck_*";
    /// A button or the key that comes on more often than this, with no rest between, is no hand's doing: it is stuck.
    presses: presses, 5..=100, 30, "a dealer presses a button once or twice in a round, and who hammers on one that does nothing lets it go within seconds; a loose contact does not";
    /// A button or the key that does not come on for this long has rested.
    press_rest: ms, 1000..=60000, 5000, "a hand presses a button again at once, or when the game has gone on; a contact that comes on once in 5 s for ever writes no more than a busy table";
    /// A key privilege lasts this long from the edge of the key switch.
    key_privilege: ms, 10000..=900000, 300000, "design.md, Buttons and key: 5 minutes";
    /// A key that is off for a shorter time was not turned back.
    key_back: ms, 50..=2000, 300, "a wrist takes as long to turn the key back and on again; a loose contact breaks for less";
    /// A key switch turned on for this long is stuck.
    key_stuck: ms, 60000..=7200000, 1800000, "faults.md key.stuck_on: 30 minutes";
    /// Debounce of the seal's loop.
    seal_debounce: ms, 3..=100, 10, "faults.md seal.flicker: 2 ms are harmless";
    /// Dice at rest for this long are settled.
    settle: ms, 100..=2000, 300, "faults.md dice.cocked_*: judged within 500 ms of settling";
    /// Longest time from standstill to settled dice.
    settle_limit: ms, 1000..=20000, 5000, "dice come to rest within 1 s; five times that is a die that never will";
    /// A unit on the field bus without a valid reply for this long is lost.
    unit_lost: ms, 300..=5000, 1000, "design.md, Field bus";
    /// Polling interval of a unit that matters now.
    poll_fast: ms, 5..=100, 20, "a key is seen before the next finger movement; 4 polls fit one at 115,200 baud";
    /// Polling interval of a unit that does not.
    poll_slow: ms, 50..=450, 250, "four polls within unit_lost";
    /// A key of the terminal held this long is stuck.
    terminal_stuck: ms, 1000..=60000, 5000, "faults.md terminal.key_stuck";
    /// A press of the same terminal key within this time is bounce; so is one that no good poll shows to be later.
    key_repeat: ms, 0..=200, 60, "faults.md terminal.chatter: 5 presses a press; nobody presses a key twice in 60 ms";
    /// Longest time in which the display must show what it was told.
    display_verify: ms, 100..=2000, 500, "faults.md display.wrong";
    /// Longest time in which lamps must do as they are told; after a start, from when their board is first heard.
    lamp_verify: ms, 100..=2000, 500, "faults.md lamp.open: 500 ms after entry";
    /// "All paid" counts only from so long after the winning areas were proved lit, or after the result where they cannot be.
    all_paid: ms, 500..=60000, 3000, "losers are collected and winners paid first (NZ 6.5): people need seconds for that, and the echo of the entry's own press does not";
    /// How long the display shows what was keyed while wagers are settled before it shows the result again.
    result_back: ms, 500..=10000, 2000, "the display is there for the numbers of the result (NZ 3.3(a)(iii)); who keyed something else has seen by then that it did not count";
    /// How long the opening tests show each test result on the layout.
    lamp_dwell: ms, 10..=5000, 300, "long enough for a supervisor to see the areas of one result (NZ 5(b))";
    /// Longest time for an output to read back as driven.
    readback: ms, 5..=1000, 100, "a healthy line reads back within a millisecond; a stalled machine must not latch";
    /// How long the bell is struck.
    bell: ms, 20..=1000, 150, "the stroke of a single-stroke bell magnet";
    /// Longest time without a temperature reading.
    temperature_stale: ms, 500..=10000, 2000, "faults.md sensor.temp_dead";
    /// Motor temperature above which the tumbler may not run.
    temperature_limit: celsius, 40..=120, 80, "20 K below the 100 C of insulation class A less ambient margin";
    /// Greatest believable change of temperature between two readings.
    temperature_jump: celsius, 2..=50, 10, "the motor's mass cannot follow faster; a sensor's fault can";
    /// How long a record may wait for company before it is committed, where nothing depends on it.
    linger: ms, 0..=2000, 200, "a commit costs at least a block of flash, 4 KiB, whatever it holds; a power cut loses no more than this of what nothing depends on";
    /// How long the records of one moment wait for each other: that the dice are seen, that they lie flat, and what they show.
    gather: ms, 0..=100, 30, "what the reader is asked for its faces takes it two polls at most; a commit takes a card as long";
    /// Longest time of a person's part in a device's test.
    person_limit: ms, 5000..=600000, 120000, "two minutes to walk round the table";
}

impl Settings {
    /// Checks the settings against what the rules and the ranges allow.
    ///
    /// # Errors
    /// Every setting that cannot be, with what is allowed.
    pub fn check(&self) -> Result<(&'static RuleSet, &'static Layout), Vec<BadSetting>> {
        let mut bad = Vec::new();
        let rule_set = rules::rule_set(&self.rules);
        if rule_set.is_none() {
            let ids: Vec<&str> = rules::all().iter().map(|r| r.id.as_str()).collect();
            bad.push(BadSetting {
                path: "table.rules".into(),
                problem: format!("`{}` is no rule set", self.rules),
                allowed: ids.join(", "),
            });
        }
        let layout = rule_set.and_then(|r| r.layout(&self.layout));
        if let (Some(rule_set), None) = (rule_set, layout) {
            let ids: Vec<&str> = rule_set.layouts.iter().map(|l| l.id.as_str()).collect();
            bad.push(BadSetting {
                path: "table.layout".into(),
                problem: format!("`{}` is no layout of rule set `{}`", self.layout, self.rules),
                allowed: ids.join(", "),
            });
        }
        for (key, value) in [("table.site", &self.site), ("table.table", &self.table)] {
            let (problem, allowed) = if let Err(why) = text::name(value) {
                (why.to_string(), format!("{} characters at most, all of which are seen", text::LONGEST_NAME))
            } else if value.is_empty() || value.contains(['/', '+', '#']) {
                (format!("`{value}` cannot be a level of a topic"), "one or more characters without / + #".into())
            } else {
                continue;
            };
            bad.push(BadSetting { path: key.into(), problem, allowed });
        }
        let stated = text::name(&self.house.document).is_ok() && !self.house.document.trim().is_empty();
        let used = Situation::ALL.into_iter().any(|situation| self.house.voids(situation).is_some());
        if (used || !self.house.document.is_empty()) && !stated {
            bad.push(BadSetting {
                path: "house.document".into(),
                problem: format!("`{}` names no document, and a void cites it", self.house.document),
                allowed: format!("its name and date, {} characters at most, all of which are seen", text::LONGEST_NAME),
            });
        }
        for situation in Situation::ALL {
            if let Some(rules) =
                rule_set.filter(|rules| !situation.is_left_open(rules) && self.house.voids(situation).is_some())
            {
                bad.push(BadSetting {
                    path: format!("house.{}", situation.name()),
                    problem: format!("the text of {} has a clause for it, which decides", rules.id),
                    allowed: "\"person\", or leave it out".into(),
                });
            }
        }
        let others = bad.len();
        for parameter in Parameters::TABLE {
            let value = self.parameters.get(parameter.name).unwrap_or(parameter.default);
            if value < parameter.min || value > parameter.max {
                bad.push(BadSetting {
                    path: format!("parameters.{}", parameter.name),
                    problem: format!("{value} {} is out of range", parameter.unit),
                    allowed: format!("{} to {} {}", parameter.min, parameter.max, parameter.unit),
                });
            }
        }
        // Of a value that is out of its own range enough is said.
        if bad.len() == others {
            bad.extend(Relation::ALL.iter().filter_map(|relation| relation.check(&self.parameters).err()));
        }
        match (rule_set, layout) {
            (Some(rule_set), Some(layout)) if bad.is_empty() => Ok((rule_set, layout)),
            _ => Err(bad),
        }
    }
}

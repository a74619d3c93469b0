//! Translates what a bench sees into observations for the judges.

use super::Role;
use serde_json::Value;
use std::collections::BTreeMap;
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::{Record, Standing};
use tumbler_core::rules;
use tumbler_core::settings::Settings;
use tumbler_core::wire::console::{Answer, Command};
use tumbler_spec::{
    BadConfig, BusKind, Config, Key, LampOrder, Line, Observation, Outlet, Panel, Part, Seen, Transaction, Truth, Words,
};
use tumbler_twin::{Fault, Truth as Known, Wire, fault_table};

/// Passes observations to the judges, and keeps them if there is a trace.
#[derive(Clone)]
pub struct Observer {
    panel: Option<Panel>,
    trace: Option<Vec<Observation>>,
    phases: Vec<(u64, String)>,
    lamps: [u64; 2],
    /// How many faults each part has.
    broken: BTreeMap<usize, u32>,
}

/// The judges' name of the line.
const fn in_line(line: InLine) -> Line {
    match line {
        InLine::MotorFault => Line::MotorFault,
        InLine::CamA => Line::CamA,
        InLine::CamB => Line::CamB,
        InLine::DomeClosed => Line::DomeClosed,
        InLine::DomeOpen => Line::DomeOpen,
        InLine::Tumble => Line::Tumble,
        InLine::PlaceBets => Line::PlaceBets,
        InLine::NoMoreBets => Line::NoMoreBets,
        InLine::NoSpin => Line::NoSpin,
        InLine::SupervisorKey => Line::SupervisorKey,
        InLine::Seal => Line::Seal,
        InLine::PowerGood => Line::PowerGood,
    }
}

const fn out_line(line: OutLine) -> Line {
    match line {
        OutLine::MotorEnable => Line::MotorEnable,
        OutLine::MotorAlive => Line::MotorAlive,
        OutLine::OutOfService => Line::OutOfService,
        OutLine::Bell => Line::Bell,
    }
}

/// The judges' name of the part. They have none for a single line, which counts as a button's.
const fn part(part: fault_table::Part) -> Part {
    match part {
        fault_table::Part::Motor => Part::Motor,
        fault_table::Part::Relay => Part::Relay,
        fault_table::Part::Cam => Part::Cam,
        fault_table::Part::DomeContacts => Part::DomeContacts,
        fault_table::Part::Buttons | fault_table::Part::Line => Part::Buttons,
        fault_table::Part::Gpio => Part::Gpio,
        fault_table::Part::Dice => Part::Dice,
        fault_table::Part::Reader => Part::Reader,
        fault_table::Part::Terminal => Part::Terminal,
        fault_table::Part::Lamps => Part::Lamps,
        fault_table::Part::Bus => Part::Bus,
    }
}

impl Observer {
    /// Judges for a table with these settings; `trace`: keep all observations.
    ///
    /// # Errors
    /// The judges do not know the rule set or the layout.
    pub fn new(settings: &Settings, judge: bool, trace: bool) -> Result<Self, BadConfig> {
        Self::with(Self::config(settings), judge, trace)
    }

    /// The judges' configuration for a table with these settings, on a bench that sees everything without delay.
    #[must_use]
    pub fn config(settings: &Settings) -> Config {
        // For every rule set: another one may be in force after a restart.
        let order = |layout: &rules::Layout| LampOrder {
            layout: layout.id.clone(),
            areas: layout.areas.iter().map(|area| area.id.clone()).collect(),
        };
        let lamps = rules::all().iter().flat_map(|set| &set.layouts).map(order).collect();
        Config {
            rules: settings.rules.clone(),
            layout: settings.layout.clone(),
            reader: settings.reader,
            lamps,
            ..Config::default()
        }
    }

    /// Judges with this configuration.
    ///
    /// # Errors
    /// The judges do not know the rule set or the layout.
    pub fn with(config: Config, judge: bool, trace: bool) -> Result<Self, BadConfig> {
        Ok(Self {
            panel: if judge { Some(Panel::for_table(config)?) } else { None },
            trace: trace.then(Vec::new),
            phases: Vec::new(),
            lamps: [0; 2],
            broken: BTreeMap::new(),
        })
    }

    /// Passes an observation to the judges.
    pub fn tell(&mut self, at_ns: u64, what: Seen) {
        if self.panel.is_none() && self.trace.is_none() {
            return;
        }
        let seen = Observation { at_ns, what };
        if let Some(panel) = &mut self.panel {
            panel.observe(&seen);
        }
        if let Some(trace) = &mut self.trace {
            trace.push(seen);
        }
    }

    /// The initial level of an input line.
    pub fn level(&mut self, at: u64, line: InLine, active: bool) {
        self.tell(at, Seen::Wire { line: in_line(line), active, initial: true });
    }

    /// The initial level of an output pin.
    pub fn pin(&mut self, at: u64, line: OutLine, active: bool) {
        self.tell(at, Seen::Wire { line: out_line(line), active, initial: true });
    }

    /// The table drives an output.
    pub fn output(&mut self, at: u64, line: OutLine, active: bool) {
        self.tell(at, Seen::Wire { line: out_line(line), active, initial: false });
    }

    /// What the twin showed.
    pub fn wire(&mut self, wire: &Wire) {
        match *wire {
            Wire::Edge { at, line, active } => {
                self.tell(at, Seen::Wire { line: in_line(line), active, initial: false });
            }
            Wire::Truth { at, truth } => self.truth(at, truth),
            Wire::RepeatedLevel { at, line, active } => {
                self.tell(at, Seen::RepeatedLevel { line: in_line(line), active })
            }
            Wire::Temperature { at, reading } => {
                self.tell(at, Seen::Temperature { milli_celsius: reading.map(|reading| reading.0) });
            }
            Wire::Readback { at, line, active } => {
                self.tell(at, Seen::Readback { line: out_line(line), active });
            }
        }
    }

    fn truth(&mut self, at: u64, known: Known) {
        let truth = match known {
            Known::MotorPower(on) => Truth::MotorPower { on },
            Known::Shaft { quarters } => Truth::Shaft { quarters },
            Known::DiceMove => Truth::DiceMoved,
            Known::DiceRest { faces, flat } => Truth::Dice { faces, flat },
            Known::Exposed(open) => Truth::Dome { open },
            Known::Key(7) => Truth::Pressed(Key::Entry),
            Known::Key(digit) => Truth::Pressed(Key::Digit(digit)),
            Known::Hand { button, down } => Truth::Hand { button: in_line(button), down },
            Known::Lamps { board, shine } => {
                if let Some(word) = self.lamps.get_mut(usize::from(board)) {
                    *word = shine;
                }
                Truth::Lamps { boards: self.lamps }
            }
            Known::Supply(good) => Truth::Supply { good },
            Known::ShaftMoves
            | Known::ShaftRests { .. }
            | Known::Display(_)
            | Known::Bell
            | Known::Sign(_)
            | Known::Seal(_) => return,
        };
        self.tell(at, Seen::Truth(truth));
    }

    /// A fault is about to be injected, or was healed.
    pub fn broken(&mut self, at: u64, fault: Fault, broken: bool) {
        if let Some(broken_part) = fault.part() {
            self.part(at, part(broken_part), broken);
        }
    }

    /// A fault is about to be injected into a part, or one was healed. The part counts as broken while any of its faults is in force.
    pub fn part(&mut self, at: u64, part: Part, broken: bool) {
        let faults = self.broken.entry(part as usize).or_default();
        *faults = if broken { *faults + 1 } else { faults.saturating_sub(1) };
        if *faults == u32::from(broken) {
            self.tell(at, Seen::Truth(Truth::Broken { part, broken }));
        }
    }

    /// A transaction ended.
    pub fn bus(&mut self, begun_ns: u64, at: u64, unit: u8, op: &BusOp, reply: Result<&BusReply, BusFailure>) {
        let (kind, address, count) = match op {
            BusOp::ReadInput { address, count } => (BusKind::ReadInput, *address, *count),
            BusOp::ReadDiscrete { address, count } => (BusKind::ReadDiscrete, *address, *count),
            BusOp::WriteCoils { address, count, .. } => (BusKind::WriteCoils, *address, *count),
            BusOp::WriteHolding { address, values } => {
                (BusKind::WriteHolding, *address, u16::try_from(values.len()).unwrap_or(u16::MAX))
            }
        };
        let (words, bits) = match (op, reply) {
            (BusOp::WriteCoils { bits, .. }, _) => (Words::default(), *bits),
            (BusOp::WriteHolding { values, .. }, _) => (Words::new(values), 0),
            (_, Ok(BusReply::Words(words))) => (Words::new(words), 0),
            (_, Ok(BusReply::Bits(bits))) => (Words::default(), *bits),
            _ => (Words::default(), 0),
        };
        let ok = reply.is_ok();
        self.tell(at, Seen::Bus(Transaction { begun_ns, unit, kind, address, count, words, bits, ok }));
    }

    /// A record became durable.
    pub fn record(&mut self, at: u64, record: &Record) {
        if self.panel.is_none() && self.trace.is_none() {
            return;
        }
        let read = serde_json::to_value(record).map_err(|e| e.to_string());
        match read.and_then(|value| tumbler_spec::Record::read(value).map_err(|e| e.to_string())) {
            Ok(record) => self.tell(at, Seen::Record(record)),
            Err(problem) => self.tell(at, Seen::Text { outlet: Outlet::Log, text: problem }),
        }
    }

    /// The state of a table that has been played on before, by its journal.
    pub fn initial_state(&mut self, standing: &Standing) {
        let latched = standing.latched.iter().map(|malfunction| malfunction.code.name().to_owned()).collect();
        self.tell(0, Seen::InitialState { open: standing.open, latched, in_round: standing.round.is_some() });
    }

    /// A person of this role gives a command on the console.
    pub fn console_command(&mut self, at: u64, request: u64, command: &Command, role: Role) {
        let value = serde_json::to_value(command).unwrap_or(Value::Null);
        let name = value.get("command").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut with = value.get("with").cloned().unwrap_or(Value::Null);
        if let Value::Object(with) = &mut with {
            with.insert("manager".to_owned(), (role == Role::Manager).into());
            with.insert("supervisor".to_owned(), matches!(role, Role::Supervisor | Role::Manager).into());
            with.insert("technician".to_owned(), (role == Role::Technician).into());
        }
        self.tell(at, Seen::ConsoleCommand { request, command: name, with });
    }

    /// The console answers a command.
    pub fn answer(&mut self, at: u64, request: u64, answer: &Answer) {
        let (refused, text) = match answer {
            Answer::Done(text) => (None, text.clone()),
            Answer::Refused { code, why } => (Some(code.clone()), why.clone()),
        };
        self.tell(at, Seen::Answer { request, refused, text });
    }

    /// Ends the run. Returns the violations.
    pub fn finish(&mut self, at: u64) -> Vec<String> {
        let Some(panel) = &mut self.panel else { return Vec::new() };
        panel.finish(at);
        panel.violations().iter().map(ToString::to_string).collect()
    }

    /// The first situation that the judges' truth table does not cover: the run then proves nothing about the table.
    #[must_use]
    pub fn unlisted(&self) -> Option<String> {
        let first = self.panel.as_ref()?.unlisted().first()?;
        Some(format!("the truth table does not hold a situation: {first}"))
    }

    /// The endings that the truth table allows for each round that ended, in order.
    #[must_use]
    pub fn allowed_endings(&self) -> Vec<tumbler_spec::AllowedEndings> {
        self.panel.as_ref().map(Panel::allowed_endings).unwrap_or_default()
    }

    /// Rows of the truth table that were applied, each with its rule set.
    #[must_use]
    pub fn rows_used(&self) -> Vec<tumbler_spec::RowUse> {
        self.panel.as_ref().map(Panel::rows_used).unwrap_or_default()
    }

    /// The first violation so far.
    #[must_use]
    pub fn first_violation(&self) -> Option<String> {
        self.panel.as_ref()?.violations().first().map(ToString::to_string)
    }

    /// The violations so far.
    #[must_use]
    pub fn violations(&self) -> &[tumbler_spec::Violation] {
        self.panel.as_ref().map_or(&[], Panel::violations)
    }

    /// How often each rule was exercised.
    #[must_use]
    pub fn exercised(&self) -> Vec<tumbler_spec::Exercise> {
        self.panel.as_ref().map(Panel::exercised).unwrap_or_default()
    }

    /// The rules that were exercised: the judge's name and the rule.
    #[must_use]
    pub fn judged(&self) -> Vec<String> {
        let exercised = self.exercised();
        exercised.iter().filter(|e| e.times > 0).map(|e| format!("{}: {}", e.judge, e.rule)).collect()
    }

    /// All observations, if there is a trace.
    #[must_use]
    pub fn trace(&self) -> &[Observation] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// The table says that it is in this phase. Kept for reports only: judges do not rely on what the table says.
    pub fn phase(&mut self, at: u64, phase: &str) {
        if self.trace.is_some() && self.phases.last().is_none_or(|(_, last)| last != phase) {
            self.phases.push((at, phase.to_owned()));
        }
    }

    /// Takes the trace, and the phases that the table reported, each with its beginning. Both are empty without a trace.
    pub fn take_trace(&mut self) -> (Vec<Observation>, Vec<(u64, String)>) {
        (self.trace.as_mut().map(core::mem::take).unwrap_or_default(), core::mem::take(&mut self.phases))
    }
}

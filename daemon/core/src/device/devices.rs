//! All devices of a table.

use super::bus::Bus;
use super::dome::{Dome, Place};
use super::guard::Guard;
use super::inputs::Inputs;
use super::key_switch::KeySwitch;
use super::lamps::Lamps;
use super::reader::Reader;
use super::temperature::Temperature;
use super::terminal::Terminal;
use super::tumbler::{RunsFor, Tumbler};
use crate::context::Context;
use crate::line::{InLine, OutLine};
use crate::refusal::Refusal;
use crate::sequence::Durable;
use crate::timer::Timer;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// All devices of a table. Each keeps its own fields; what concerns several of them at once is here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Devices {
    pub(crate) inputs: Inputs,
    pub(crate) guard: Guard,
    pub(crate) dome: Dome,
    pub(crate) tumbler: Tumbler,
    pub(crate) temperature: Temperature,
    pub(crate) terminal: Terminal,
    pub(crate) reader: Reader,
    pub(crate) lamps: Lamps,
    pub(crate) bus: Bus,
    pub(crate) key: KeySwitch,
}

impl Devices {
    /// Those of a table with these lamps, and perhaps a reader.
    pub(crate) fn new(lamps: Lamps, reader: bool) -> Self {
        Self {
            bus: Bus::new(lamps.boards(), reader),
            lamps,
            inputs: Inputs::default(),
            guard: Guard::default(),
            dome: Dome::default(),
            tumbler: Tumbler::default(),
            temperature: Temperature::default(),
            terminal: Terminal::default(),
            reader: Reader::default(),
            key: KeySwitch::default(),
        }
    }

    /// The first line that guards the motor and says, raw, that it may not run; `covered`: the dome is on while the tumbler turns.
    pub(crate) fn guard_away(&self, covered: bool) -> Option<InLine> {
        let commanded = self.tumbler.is_on() || self.tumbler.is_cut();
        self.guard.away(&self.inputs, covered, commanded)
    }

    /// Whether a dome that is on its way has still to say what its contacts did in the run.
    pub(crate) fn dome_decides(&self) -> bool {
        self.guard.is_in_doubt() && matches!(self.dome.place(), Place::Travelling | Place::Unknown)
    }

    /// Whether the motor may run, as far as the equipment goes; otherwise why not. No procedure waives any of it. `covered`: the dome
    /// is on while the tumbler turns.
    pub(crate) fn may_run(&self, covered: bool, ctx: &Context) -> Result<(), Refusal> {
        let pins = ctx.pins();
        if covered && !self.dome.covers() {
            Err(Refusal::DomeNotDown)
        } else if let Some(line) = self.guard_away(covered) {
            Err(Refusal::GuardAway(line))
        } else if !self.tumbler.is_still() {
            Err(Refusal::ShaftMoves)
        } else if pins.commanded(OutLine::MotorEnable) || pins.read(OutLine::MotorEnable) == Some(true) {
            Err(Refusal::MotorReadsOn)
        } else if ctx.settings().temperature && !self.temperature.is_good(ctx) {
            Err(Refusal::TooHot)
        } else {
            Ok(())
        }
    }

    /// Starts the motor; whoever calls has looked at the guards.
    pub(crate) fn run_motor(&mut self, runs_for: RunsFor, by: Durable, ctx: &mut Context) {
        self.guard.begin(&self.inputs, self.dome.place());
        self.reader.begin_spin();
        ctx.note_change();
        self.tumbler.run(runs_for, ctx.p().target_tumbles, by, ctx);
    }

    /// Strikes the bell.
    pub(crate) fn strike_bell(by: Durable, ctx: &mut Context) {
        ctx.energise(OutLine::Bell, ctx.at(), by);
        ctx.after(Timer::BellOff, Millis(ctx.p().bell));
    }

    /// Lamps off, display blank.
    pub(crate) fn darken(&mut self, ctx: &mut Context) {
        self.lamps.darken(ctx);
        self.terminal.clear(ctx);
    }
}

//! What a hardware test measures: whether its probe has seen enough, and what is shown to it meanwhile.

use super::look::{Look, areas, dwell, picture};
use super::step::Outcome;
use crate::hardware_test::{Buttons, LampMap, Probe, READINGS, TRANSACTIONS};
use crate::prelude::*;
use crate::sequence::Durable;
use crate::units::{Dice, Millis, Mono};
use alloc::collections::VecDeque;

/// How long the seal's loop is watched: some strokes of whatever shakes the table.
const SEAL_WATCH: Millis = Millis(2000);

impl Look<'_> {
    /// Whether the probe has measured enough since the step began.
    pub(super) fn measure(
        &mut self,
        probe: &mut Probe,
        results: &mut VecDeque<Dice>,
        lit: &mut Option<Mono>,
        by: Durable,
    ) -> Outcome {
        let p = *self.ctx.p();
        let (done, limit, found) = match probe {
            Probe::Lamps(map) => return self.light_map(map, results, lit, by),
            Probe::Buttons(buttons) => return self.press(buttons),
            Probe::Motor(_) | Probe::Cam(_) | Probe::Person => (true, 0, String::new()),
            Probe::Dome(dome) => (dome.is_done(), p.person_limit, dome.missing()),
            Probe::Terminal(keys) => (keys.is_done(), p.person_limit, format!("nobody did: {}", keys.prompt())),
            Probe::Reader(settling) => {
                if settling.is_done() && self.devices.reader.tumbled() == Some(false) {
                    return Outcome::Failed("the reader saw no motion of the dice".to_owned());
                }
                (settling.is_done(), p.settle_limit, "the dice do not come to rest".to_owned())
            }
            Probe::Seal(_) => {
                let done = self.ctx.reached(self.began, SEAL_WATCH);
                return if done { Outcome::Passed(None) } else { Outcome::Waits(self.began.after(SEAL_WATCH)) };
            }
            Probe::Temperature(thermometer) => {
                let readings = u32::try_from(READINGS).unwrap_or(u32::MAX);
                let limit = p.temperature_stale.saturating_mul(readings);
                (thermometer.is_done(), limit, "the temperature is not read".to_owned())
            }
            Probe::Bus(traffic) => {
                (traffic.is_done(), p.person_limit, format!("there were fewer than {TRANSACTIONS} transactions"))
            }
        };
        if done { Outcome::Passed(None) } else { self.wait(Millis(limit), &found) }
    }

    /// Asks for each button in turn, and for the key. The limits judge what came of it, and the report names what is wrong.
    fn press(&mut self, buttons: &mut Buttons) -> Outcome {
        let (at, p) = (self.ctx.at(), *self.ctx.p());
        buttons.begin(|line| self.devices.inputs.raw(line) == Some(true), &p, at);
        let asked = buttons.prompt_id();
        let waits = buttons.look(&p, at);
        if buttons.prompt_id() != asked {
            self.ctx.note_change();
        }
        waits.map_or(Outcome::Passed(None), Outcome::Waits)
    }

    /// Shows each picture for its time, whatever is wrong with it, and all dark at last.
    fn light_map(
        &mut self,
        map: &mut LampMap,
        results: &mut VecDeque<Dice>,
        lit: &mut Option<Mono>,
        by: Durable,
    ) -> Outcome {
        let at = self.ctx.at();
        let layout = self.facts.layout;
        let wanted = picture(results, layout);
        let Some(since) = *lit else {
            self.devices.lamps.light(wanted, by, self.ctx);
            *lit = Some(at);
            self.ctx.note_change();
            return Outcome::Again;
        };
        let proved = self.devices.lamps.is_proved();
        let due = if proved { dwell(results, self.ctx) } else { Millis(self.ctx.p().lamp_verify) };
        if proved {
            map.right(wanted, since, at);
        }
        if !at.reached(since, due) {
            return Outcome::Waits(since.after(due));
        }
        map.look(wanted, self.devices.lamps.sensed());
        map.name(layout.map_or("", |layout| &layout.id), |bits| areas(layout, bits));
        map.next();
        *lit = None;
        if results.pop_front().is_none() { Outcome::Passed(None) } else { Outcome::Again }
    }
}

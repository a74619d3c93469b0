//! Carries out the core's effects on the pure bench.

use super::super::BenchError;
use super::Pure;
use super::bus::Transaction;
use tumbler_core::effect::Effect;
use tumbler_core::line::OutLine;
use tumbler_core::wire::console::Answer;

impl Pure {
    /// Carries out the effects of the last input.
    pub(super) fn carry_out(&mut self) {
        let mut effects = core::mem::take(&mut self.effects);
        for effect in effects.drain(..) {
            if let Some(effected) = &mut self.effected {
                effected.push((self.now, effect.clone()));
            }
            if let Some(left) = &mut self.left {
                left.effect(self.now, &effect);
            }
            match effect {
                Effect::Set(drive) => {
                    let (line, active) = (drive.line(), drive.is_active());
                    if line == OutLine::OutOfService {
                        self.environment.sign = active;
                    }
                    if self.environment.chip_gone {
                        continue;
                    }
                    self.observer.output(self.now, line, active);
                    self.log.driven(self.now, line, active, self.twin.pin_level(line) != active);
                    self.twin.output(self.now, line, active, &mut self.wires);
                    self.notice();
                }
                Effect::Journal { records, relayed, permit } => {
                    self.journal.append(self.now, records, relayed, permit);
                }
                Effect::Bus(request) => {
                    if self.bus.is_some() {
                        self.trouble = Some(BenchError::Rig("the table began a second bus transaction".into()));
                    }
                    self.bus = Some(Transaction::begin(request, self.now));
                }
                Effect::Reply { request, answer } => self.take_answer(request, answer),
                Effect::Keypad(key) => self.tell_key(key),
                // There is no file: a table without a disk of its own keeps no recordings.
                Effect::Dump { request: Some(request), .. } => {
                    self.take_answer(request, Answer::Done("the recording is written".into()));
                }
                Effect::Dump { request: None, .. } => {}
            }
        }
        self.effects = effects;
    }

    /// The console hears an answer.
    fn take_answer(&mut self, request: u64, answer: Answer) {
        self.news += 1;
        self.observer.answer(self.now, request, &answer);
        self.answers.insert(request, answer);
    }
}

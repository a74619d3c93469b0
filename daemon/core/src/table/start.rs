//! What a table starts from, and what a restart decides.

use super::Table;
use super::show::Picture;
use crate::access::Callers;
use crate::context::Context;
use crate::device::Devices;
use crate::device::lamps::Lamps;
use crate::effect::Effect;
use crate::latch::Code;
use crate::ledger::Ledger;
use crate::line::OutLine;
use crate::prelude::*;
use crate::record::{Event, Standing};
use crate::round::ending::{Ground, VoidReason};
use crate::round::judgement::FaultVerdict;
use crate::round::spin::LEAST_TUMBLES;
use crate::round::{Doubt, History, Interrupted, Round, SpinEnd, Spun};
use crate::rules;
use crate::sequence::{Action, Sequence};
use crate::service::{AfterRestart, Restart, Service};
use crate::settings::{BadSetting, Settings, Situation};
use crate::timer::Timer;
use crate::units::{Millis, Mono, Seq};
use serde::{Deserialize, Serialize};

/// What the journal held when the daemon started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// A whole journal of this table.
    Good {
        /// What its records add up to ([`Standing::fold`] from the last keyframe on).
        standing: Box<Standing>,
        /// Its last record.
        last: Seq,
        /// The last event that the relay's broker acknowledged.
        relayed: Seq,
        /// Whether slot and permit beside the journal grant play under this boot id.
        permit: bool,
    },
    /// Damaged, missing, foreign or older than it was: a `journal` malfunction. The shell has set up a journal that
    /// can be appended to, after the last record that it could keep.
    Bad {
        /// What is wrong, for a person.
        reason: String,
        /// What the records that could be kept add up to.
        standing: Box<Standing>,
        /// The last record of the journal that new ones are appended to.
        last: Seq,
        /// The last event that the relay's broker acknowledged.
        relayed: Seq,
    },
}

/// What a table starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The kernel's boot id.
    pub boot: String,
    /// Version of the daemon.
    pub build: String,
    /// Hash of the effective configuration, in hexadecimal.
    pub config: String,
    /// The journal.
    pub journal: Found,
}

impl Table {
    /// Starts a table: outputs off, sign on, the start recorded, and what a restart decides decided.
    ///
    /// # Errors
    /// Every setting that cannot be.
    pub fn start(settings: Settings, start: Start, now: Mono, out: &mut Vec<Effect>) -> Result<Self, Vec<BadSetting>> {
        let (rule_set, layout) = settings.check()?;
        let areas = layout.areas.len();
        let (standing, last, relayed, permit, bad) = match start.journal {
            Found::Good { standing, last, relayed, permit } => (standing, last, relayed, permit, None),
            Found::Bad { reason, standing, last, relayed } => (standing, last, relayed, false, Some(reason)),
        };
        // A round keeps the layout that it began on, whatever counts from now on: its areas light too.
        let begun = standing.round.as_ref().and_then(|round| rules::layout(round.layout.id()?));
        let lamps = Lamps::new(areas.max(begun.map_or(0, |layout| layout.areas.len())));
        let carries_on = standing.boot == start.boot;
        let mut table = Self {
            devices: Devices::new(lamps, settings.reader),
            order_of_new: rule_set.order,
            boot: start.boot.clone(),
            // A permission from before the table closed, or before a latch, is none: the next one has to be durable first.
            sequence: Sequence::new(
                last,
                relayed,
                permit && carries_on && standing.open && standing.latched.is_empty(),
            ),
            service: Service::new(standing.open, standing.closing.clone()),
            ledger: Ledger::new(standing.latched.clone(), standing.waived.clone()),
            history: History::new(
                standing.last_round,
                standing.rules_since.clone(),
                standing.recent.clone(),
                standing.round.is_some(),
            ),
            round: None,
            test: None,
            asker: None,
            picture: Picture::found(&standing, last),
            refusals: Callers::default(),
            recordings: Callers::default(),
            ctx: Context::new(settings, now),
        };
        if let Some(dice) = standing.dice {
            table.devices.reader.enrol(dice);
        }
        table.begin(&standing, start.build, start.config, permit, bad);
        table.publish(false);
        table.ctx.drain(out);
        Ok(table)
    }

    fn begin(&mut self, was: &Standing, build: String, config: String, permit: bool, bad: Option<String>) {
        let at = self.ctx.at();
        let p = *self.ctx.p();
        for line in [OutLine::MotorEnable, OutLine::Bell] {
            self.ctx.rest(line);
        }
        self.ctx.sign(true);
        self.devices.start_bus(&mut self.ctx);
        if self.ctx.settings().temperature {
            self.ctx.after(Timer::TemperatureStale, Millis(p.temperature_stale));
        }
        self.record(Event::Started {
            boot: self.boot.clone(),
            build,
            config,
            backend: self.ctx.settings().backend.clone(),
            rules: self.ctx.settings().rules.clone(),
            layout: self.ctx.settings().layout.clone(),
        });
        let rebooted = was.boot != self.boot;
        if rebooted {
            // Monotonic time began again: every latch is older than any key edge of this boot.
            self.ledger.begin_clock(Mono(0));
        }
        let restart = Restart {
            rebooted,
            distrusted: bad.is_some(),
            changed: was.had_other(&self.ctx.settings().rules, &self.ctx.settings().layout),
            permitted: permit,
            blocked: self.ledger.is_blocked(),
        };
        match self.service.judge_restart(restart) {
            AfterRestart::GoesOn => {}
            AfterRestart::Closes(why) => self.close(why),
            AfterRestart::PermissionLost => {
                self.latch(Code::Journal, "the permission to play is not where it was left".into());
            }
        }
        if let Some(reason) = bad {
            self.latch(Code::Journal, reason);
        }
        if let Some(interrupted) = &was.round {
            // The slot beside a journal that was lost knows a round by its number only: it is of the rules in force.
            let rules = interrupted.rules.id().unwrap_or(&self.ctx.settings().rules);
            let layout = interrupted.layout.id().unwrap_or(&self.ctx.settings().layout);
            let order = rules::rule_set(rules).map_or(self.order_of_new, |r| r.order);
            // People have their time for collecting and paying from now on (NZ 6.5).
            let round = Round::resume(interrupted, rules, layout, order, at);
            let verdict = round.judge_fault(VoidReason::Interruption, false, rules::rule_set(rules));
            self.round = Some(round);
            if let Some(Spun { valid, steps, how }) = interrupted.made_spin() {
                self.record(Event::SpinEnded { tumbles: LEAST_TUMBLES, valid, steps, needed: steps, how });
            }
            self.record(Event::Resumed { established: interrupted.established });
            match verdict {
                // The slot beside a lost journal has a round's number, and nothing of its spin.
                FaultVerdict::GoesOn if interrupted.rules.id().is_none() => {
                    self.leave_open(Situation::SpinLost, VoidReason::Interruption, "nothing is on record of the round");
                }
                FaultVerdict::GoesOn => {}
                FaultVerdict::Noted => self.conclude(interrupted),
                FaultVerdict::Asked => self.ask_person(Doubt::Interrupted),
                FaultVerdict::Void => self.void_interrupted(interrupted),
            }
        }
        self.sequence.hurry();
    }

    /// The daemon was away, and the outcome was established: the round is concluded (SGV6 5.4.1).
    fn conclude(&mut self, round: &Interrupted) {
        if let Some(dice) = round.result {
            self.sequence.hold(Action::Light(round.id, dice));
            return;
        }
        // The dice as first seen stand, whatever happened to them while nobody watched.
        if let Some(read) = round.read {
            self.devices.reader.recall_faces(read);
        }
        self.devices.reader.want_faces();
    }

    /// The daemon was away, and the round has no valid spin: void, by what is on record of it.
    fn void_interrupted(&mut self, round: &Interrupted) {
        let ground = round.ground();
        let what = match (ground, round.spun) {
            (None, _) if round.made || round.spun.is_some() => {
                "after a valid spin, before \"No more bets\": no bet has won or lost".to_owned()
            }
            (None, _) => "before a spin".to_owned(),
            (Some(Ground::Misoperation), _) => "after a spin that is not valid".to_owned(),
            (Some(_), Some(spun)) => format!("after {} steps of the cam", spun.steps),
            (Some(_), None) => "in mid-spin, before three tumbles were on record".to_owned(),
        };
        if let Some(ground) = ground {
            self.add_ground(ground);
        }
        let detail = format!("the daemon was restarted {what}");
        self.void_unless_established(VoidReason::Interruption, SpinEnd::Interruption, &detail);
    }
}

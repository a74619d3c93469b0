//! The motor (NZ 3.4(e)(iv), SGV6 3.7; design.md, Motor guard and Dead-man line): on only for a recorded spin or a test, off at the
//! first edge of a guard, with dead-man edges only while it is commanded on, and without power 100 ms after the last of them.

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::Fact;
use crate::scene::Scene;

const NAME: &str = "motor";
const GUARD: &str = "design.md, Motor guard: dome, seal, motor fault and supply cut the motor at the first edge";
const PERMIT: &str = "motor: on only for a recorded spin, or a test asked for under the key";
const PRESS: &str = "design.md, Motion by command: motion outside a round begins by a press of tumble within 10 s";
const ONE_SPIN: &str = "motor: one press, one spin; only a flicker lets the same spin go on";
const ALIVE: &str = "design.md, Dead-man line: an edge only while the motor is commanded on";
const START: &str = "design.md, Dead-man line: after a start or a standstill no edge before motor_enable reads low";
const DEADMAN: &str = "design.md, Dead-man line: motor power is gone 100 ms after the last edge";
const COVER: &str = "NZ 3.4(e)(iv), SGV6 3.7: the dice are covered while the tumbler has power";

/// Time that the physical world needs to follow a wire: a contact travels, the relay drops.
const SLACK_NS: u64 = 5_000_000;
/// A press of `tumble` that is older begins nothing any more, nor does the motor go on after a flicker of its spin, which ends within 8 s.
const PRESSED_NS: u64 = 10_000_000_000;
/// A lifted dome has opened its contact by then.
const LIFT_NS: u64 = 100_000_000;

/// Watches the motor's wires and its power.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motor {
    /// The line that forbids the motor, and since when.
    guarded: Option<(Line, u64)>,
    /// When the last guard that has come back broke, and for how long.
    last_break: Option<(u64, u64)>,
    /// This breach of the guard has been reported.
    reported: bool,
    /// The motor was on in this spin when the guard broke.
    cut_in_spin: bool,
    /// The motor was on in the current spin, and was cut for longer than a flicker or went off by itself: the spin is over.
    spent: bool,
    /// The round and the spin that `spent` is about.
    spin: (u64, u32),
    last_alive_ns: Option<u64>,
    /// A dead-man edge came while the motor was off.
    stray_ns: Option<u64>,
    /// After a start, `motor_enable` was seen low.
    read_low: bool,
    /// When `tumble` was last pressed.
    pressed_ns: Option<u64>,
    deadman_reported: bool,
    cover_reported: bool,
    guards: u64,
    starts: u64,
    edges: u64,
    drops: u64,
    uncovered: u64,
    process_starts: u64,
}

impl Judge for Motor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        self.stray(scene.now_ns, findings);
        match &seen.what {
            Seen::Wire { .. } => self.wire(scene, findings),
            // Other rules may have other guards.
            Seen::Record(record) if matches!(record.fact, Fact::Started { .. }) => self.guard_edge(scene),
            Seen::Truth(Truth::Process { alive }) => {
                self.process_starts += u64::from(*alive);
                self.read_low = *alive && scene.is(Line::MotorEnable, false);
                self.spent = true;
                self.reported = false;
            }
            // The relay has dropped: edges would switch the motor back on, and nobody has allowed that.
            Seen::Truth(Truth::Hung { hung: false }) if scene.motor_power == Some(false) => {
                self.read_low = scene.is(Line::MotorEnable, false);
                self.spent = true;
            }
            Seen::Truth(Truth::MotorPower { on: false }) => {
                self.drops += u64::from(self.last_alive_ns.is_some());
                self.deadman_reported = false;
                self.cover_reported = false;
            }
            Seen::Truth(Truth::Dome { open }) => {
                self.uncovered += u64::from(*open);
                self.cover_reported = false;
            }
            _ => {}
        }
        self.overdue(scene, findings);
        self.physics(scene, findings);
    }

    fn finish(&mut self, _at_ns: u64, scene: &Scene, findings: &mut Findings) {
        self.stray(u64::MAX, findings);
        if let (Some((line, since)), true) = (self.guarded, self.must_be_off(scene)) {
            if !self.reported && scene.now_ns >= may_be_on_until(since, scene) {
                findings.note(NAME, scene.now_ns, GUARD, breach(line, since, scene.now_ns));
            }
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("guard edges while the motor was on", self.guards),
            ("motor commanded on", self.starts),
            ("dead-man edges", self.edges),
            ("motor power dropped", self.drops),
            ("dome truly lifted", self.uncovered),
            ("process starts", self.process_starts),
        ]
    }
}

fn breach(line: Line, since: u64, now_ns: u64) -> String {
    let us = now_ns.saturating_sub(since) / 1_000;
    format!("motor_enable is on {us} us after `{}` forbade it", line.name())
}

/// The guard line that forbids the motor now, if one does.
fn guard(scene: &Scene) -> Option<Line> {
    let covered = scene.rules().covered();
    if scene.is(Line::Seal, false) {
        Some(Line::Seal)
    } else if scene.is(Line::MotorFault, true) {
        Some(Line::MotorFault)
    } else if scene.is(Line::PowerGood, false) {
        Some(Line::PowerGood)
    } else if covered && scene.is(Line::DomeClosed, false) {
        Some(Line::DomeClosed)
    } else if covered && scene.is(Line::DomeOpen, true) {
        Some(Line::DomeOpen)
    } else {
        None
    }
}

/// Until when a pin may stay on that a guard has forbidden, apart from the reaction time. A dead daemon leaves the pin as it is,
/// and the next daemon reacts from its start on. While no write reaches the pin it stays as it is too, and is driven low once it
/// can be written and was read back for long enough. Dead-man edges and motor power are judged all the while.
fn may_be_on_until(since: u64, scene: &Scene) -> u64 {
    let reached = scene.mended(Part::Gpio).map_or(0, |at| at.saturating_add(scene.config.given.limits.readback_ns));
    since.max(scene.started_ns).max(reached)
}

impl Motor {
    fn wire(&mut self, scene: &Scene, findings: &mut Findings) {
        let Some((line, active)) = scene.edge else {
            if scene.is(Line::MotorEnable, false) {
                self.read_low = true;
            }
            return;
        };
        match line {
            Line::MotorAlive => self.alive(scene, findings),
            Line::MotorEnable if active => self.on(scene, findings),
            Line::MotorEnable => self.off(scene),
            Line::Tumble if active => self.pressed_ns = Some(scene.now_ns),
            Line::DomeClosed | Line::DomeOpen | Line::Seal | Line::MotorFault | Line::PowerGood => {
                self.guard_edge(scene);
            }
            _ => {}
        }
    }

    fn guard_edge(&mut self, scene: &Scene) {
        match (guard(scene), self.guarded) {
            (Some(line), None) => {
                self.guarded = Some((line, scene.now_ns));
                self.reported = false;
                if scene.is(Line::MotorEnable, true) {
                    self.guards += 1;
                    self.cut_in_spin = true;
                }
            }
            (None, Some((_, since))) => {
                let broke_for = scene.now_ns.saturating_sub(since);
                self.spent |= self.cut_in_spin && broke_for > scene.config.given.limits.flicker_ns;
                self.cut_in_spin = false;
                self.guarded = None;
                self.last_break = Some((since, broke_for));
            }
            _ => {}
        }
    }

    fn alive(&mut self, scene: &Scene, findings: &mut Findings) {
        if scene.alive == Some(false) {
            return;
        }
        self.edges += 1;
        self.last_alive_ns = Some(scene.now_ns);
        if !self.read_low && scene.alive == Some(true) {
            findings.note(NAME, scene.now_ns, START, "a dead-man edge, and motor_enable was not yet seen low");
        } else if scene.is(Line::MotorEnable, false) && !self.within_off_step(scene) {
            self.stray_ns.get_or_insert(scene.now_ns);
        }
    }

    fn stray(&mut self, now_ns: u64, findings: &mut Findings) {
        if let Some(at_ns) = self.stray_ns.take_if(|at| *at < now_ns) {
            findings.note(NAME, at_ns, ALIVE, "a dead-man edge while motor_enable is off");
        }
    }

    /// Whether this edge belongs to the step that switches the motor off: it prolongs nothing.
    fn within_off_step(&self, scene: &Scene) -> bool {
        let off = scene.since(Line::MotorEnable);
        off > 0 && scene.now_ns <= off.saturating_add(scene.config.given.reaction_ns)
    }

    fn on(&mut self, scene: &Scene, findings: &mut Findings) {
        self.starts += 1;
        // Within one step it does not matter which of two outputs is written first.
        self.stray_ns = self.stray_ns.filter(|at| *at != scene.now_ns);
        if let Some((line, since)) = self.guarded {
            // At the moment of the edge itself the table may not have received it yet.
            if scene.now_ns > since.saturating_add(scene.config.given.reaction_ns) && !self.reported {
                self.reported = true;
                findings.note(NAME, scene.now_ns, GUARD, breach(line, since, scene.now_ns));
            }
        }
        let spin = scene.round.as_ref().filter(|round| round.spinning).map(|round| (round.began_ns, round.spins));
        match spin {
            Some(spin) if spin != self.spin => {
                self.spin = spin;
                self.spent = false;
                self.cut_in_spin = false;
            }
            Some(_) if self.spent => {
                findings.note(NAME, scene.now_ns, ONE_SPIN, "the motor goes on again in a spin that was over");
            }
            Some(_) => {}
            None if !scene.config.given.sees_commands => {}
            None if scene.testing() => {
                let pressed = self.pressed_ns.is_some_and(|at| scene.now_ns <= at.saturating_add(PRESSED_NS));
                if !pressed {
                    findings.note(
                        NAME,
                        scene.now_ns,
                        PRESS,
                        "motor_enable goes on in a test, and nobody pressed tumble",
                    );
                }
            }
            None => {
                let why = if scene.round.is_some() {
                    "no spin of this round was recorded"
                } else {
                    "no round is in progress and no test was asked for under the key"
                };
                findings.note(NAME, scene.now_ns, PERMIT, format!("motor_enable goes on: {why}"));
            }
        }
    }

    fn off(&mut self, scene: &Scene) {
        self.read_low = true;
        // Going off without a guard is the regular end of the spin, unless it answers a flicker whose contact has already come
        // back.
        if self.guarded.is_none() && !self.answers_a_flicker(scene) {
            self.spent = true;
        }
        if self.guarded.is_some_and(|(_, since)| since == scene.now_ns) {
            self.reported = true;
        }
    }

    /// Whether the table, within its reaction time, answers a guard that broke and has come back.
    fn answers_a_flicker(&self, scene: &Scene) -> bool {
        let given = &scene.config.given;
        // Under Open Cover the table also stops the motor when the dome may not lie beside the tumbler, though no rule asks for it.
        let contacts = [Line::DomeClosed, Line::DomeOpen];
        let stirs = |line: &Line| scene.since(*line) > 0 && scene.now_ns <= scene.since(*line) + given.reaction_ns;
        let open_cover = !scene.rules().covered() && contacts.iter().any(stirs);
        open_cover
            || self.last_break.is_some_and(|(since, broke_for)| {
                scene.now_ns <= since.saturating_add(given.reaction_ns) && broke_for <= given.limits.flicker_ns
            })
    }

    /// Whether the motor is on in spite of a guard, and the table is able to do something about it.
    fn must_be_off(&self, scene: &Scene) -> bool {
        scene.is(Line::MotorEnable, true) && scene.alive != Some(false) && !scene.broken(Part::Gpio)
    }

    fn overdue(&mut self, scene: &Scene, findings: &mut Findings) {
        let Some((line, since)) = self.guarded else { return };
        if self.reported || !self.must_be_off(scene) {
            return;
        }
        if scene.now_ns > may_be_on_until(since, scene).saturating_add(scene.config.given.reaction_ns) {
            self.reported = true;
            findings.note(NAME, scene.now_ns, GUARD, breach(line, since, scene.now_ns));
        }
    }

    fn physics(&mut self, scene: &Scene, findings: &mut Findings) {
        if scene.motor_power != Some(true) || scene.broken(Part::Relay) || scene.broken(Part::Motor) {
            return;
        }
        let limit = scene.config.given.limits.deadman_ns.saturating_add(SLACK_NS + scene.config.given.reaction_ns);
        let since_alive = scene.now_ns.saturating_sub(self.last_alive_ns.unwrap_or(0));
        if since_alive > limit && !self.deadman_reported {
            self.deadman_reported = true;
            let ms = since_alive / 1_000_000;
            findings.note(NAME, scene.now_ns, DEADMAN, format!("the motor has power {ms} ms after the last edge"));
        }
        if let (Some((true, since)), true) = (scene.dome, scene.rules().covered()) {
            let open_for = scene.now_ns.saturating_sub(since);
            let limit = LIFT_NS + scene.config.given.reaction_ns;
            if open_for > limit && !self.cover_reported && !scene.broken(Part::DomeContacts) {
                self.cover_reported = true;
                findings.note(NAME, scene.now_ns, COVER, "the motor has power while the dome is truly away");
            }
        }
    }
}

#[cfg(test)]
mod tests;

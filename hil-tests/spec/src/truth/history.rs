//! What happened in the round in progress, as a stranger with probes sees it: each part of the equipment keeps its own past, and
//! here it becomes a list of happenings that may have ended the round.

mod dice;
mod lines;
mod moment;
mod requests;
mod shaft;
mod spin;

use super::situation::{Bets, Dice as Pose, Event, Eyes, Finding, Stage, Tumbles};
use crate::observation::{Key, Line, Observation, Part, Seen, Truth};
use crate::record::{Fact, Record};
use crate::scene::{Round, Scene};
use dice::Dice;
use lines::{Lines, exposes};
pub(super) use moment::Moment;
use moment::{bets, current};
use requests::Requests;
use shaft::Shaft;
use spin::Spin;

/// A button, a seal or a hand makes one event and not two within this time.
pub(super) const ONE_ACT_NS: u64 = 100_000_000;
/// A reader finds within this time that dice lie as they lie.
pub(super) const READ_NS: u64 = 1_500_000_000;

/// Something that happened, or may have happened.
#[derive(Clone, Debug)]
pub(super) struct Happening {
    pub(super) at_ns: u64,
    /// What it was. Where it may have been several things, it was one of these.
    pub(super) events: Vec<Event>,
    /// Whether it did happen, and the table could know.
    pub(super) certain: bool,
    pub(super) moment: Moment,
}

/// The history of the round in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) happenings: Vec<Happening>,
    spin: Spin,
    shaft: Shaft,
    dice: Dice,
    lines: Lines,
    requests: Requests,
    /// Entry was pressed since the dice may be seen.
    entered: bool,
    /// A person is asked how the dice lie.
    pub(super) asked: bool,
    /// The reader's faces are on record.
    faces_read: bool,
}

impl History {
    /// A new round begins. What does not belong to a round is kept.
    pub(super) fn begin(&mut self, at_ns: u64, scene: &Scene) {
        let lines = self.lines.clone();
        *self = Self {
            spin: self.spin.next_round(),
            shaft: self.shaft.next_round(),
            requests: self.requests.next_round(at_ns),
            ..Self::default()
        };
        // A shaft that turns already, or that turned while the record was being written, turns in this round.
        if self.shaft.was_stray_at(at_ns) {
            self.runs_on(scene);
        }
        let moment = self.moment(scene);
        // "No spin" that was pressed while the record was being written calls off this round.
        if lines.no_spin_after(at_ns) {
            self.add(scene, vec![Event::NoSpin], false, moment.clone());
        }
        self.lines = lines.next_round(at_ns, &moment, scene);
    }

    /// Whether the motor went on for a spin of this round.
    pub(super) const fn activated(&self) -> bool {
        self.spin.activated()
    }

    /// Whether the dome was away in this round before "No more bets".
    pub(super) const fn lifted(&self) -> bool {
        self.lines.lifted()
    }

    /// Whether a guard that belongs to the equipment broke in this round.
    pub(super) const fn guard_broke(&self) -> bool {
        self.lines.guard_broke()
    }

    /// Whether a person said in this round that a die is damaged.
    pub(super) const fn damaged(&self) -> bool {
        self.requests.damaged()
    }

    /// Whether a person decides to void dice of a valid spin that everybody sees, without saying how they lie.
    pub(super) fn chooses(&self, round: &Round) -> bool {
        self.requests.chooses(round)
    }

    pub(super) fn observe(&mut self, seen: &Observation, scene: &Scene) {
        match &seen.what {
            Seen::Wire { line, active, .. } => self.wire(*line, *active, scene),
            Seen::Truth(truth) => self.truth(*truth, scene),
            Seen::ConsoleCommand { command, with, .. } => self.requests.command(command, with, scene.now_ns),
            Seen::Record(record) if record.fact.begins_new_journal() => self.lose_journal(scene),
            Seen::Record(record) => self.record(record, scene),
            _ => {}
        }
        self.time_passes(scene);
    }

    fn wire(&mut self, line: Line, active: bool, scene: &Scene) {
        if matches!(line, Line::CamA | Line::CamB) && self.spin.cam_edge(line, active, scene) {
            self.stall(scene);
        }
        if scene.edge.is_none() {
            return;
        }
        if line == Line::NoSpin {
            self.lines.no_spin_edge(scene.now_ns);
        }
        let Some(round) = &scene.round else { return };
        match (line, active) {
            (Line::MotorEnable, true) if !self.spin.activated() => {
                self.spin.begin(bets(round), scene);
                self.dice.thrown();
            }
            (Line::MotorEnable, false) => {
                self.shaft.motor_off();
                if self.spin.motor_off(scene) {
                    self.stall(scene);
                }
            }
            _ => {
                let moment = self.moment(scene);
                for (event, moment) in self.lines.edge((line, active), moment, round, scene) {
                    self.add(scene, vec![event], false, moment);
                }
            }
        }
    }

    /// The spin may have been ended by the tumbler itself.
    fn stall(&mut self, scene: &Scene) {
        let moment = Moment { stages: vec![Stage::Tumbling], ..self.moment(scene) };
        self.add(scene, vec![Event::Stall], false, moment);
    }

    fn truth(&mut self, truth: Truth, scene: &Scene) {
        match truth {
            Truth::Shaft { .. } if self.shaft.turned(self.spin.activated(), scene) => self.runs_on(scene),
            Truth::MotorPower { on } => self.shaft.motor_power(on, scene.now_ns),
            _ => {}
        }
        let Some(round) = &scene.round else { return };
        match truth {
            Truth::Process { alive: false } => self.interrupted(round, scene, true),
            Truth::Hung { hung: true } | Truth::Supply { good: false } => self.interrupted(round, scene, false),
            Truth::Dome { open: true } if exposes(round, scene) => {
                let moment = self.moment(scene);
                self.add(scene, vec![Event::DomeOpened], false, moment);
            }
            // In a spin: how they lay before no longer matters.
            Truth::DiceMoved if scene.is(Line::MotorEnable, true) => {
                self.dice.thrown();
                self.happenings
                    .retain(|happening| !matches!(happening.events.as_slice(), [Event::None | Event::Knocked]));
            }
            // A reader sees them move before they rest again. That they lay flat does not yet say which faces they showed.
            Truth::DiceMoved
                if self.dice.now.is_some() && !(round.established && (self.faces_read || round.result.is_some())) =>
            {
                let mut moment = Moment { dice: vec![Pose::Flat, Pose::NotFlat], ..self.moment(scene) };
                push(&mut moment.eyes, Eyes::People);
                self.add(scene, vec![Event::Knocked], false, moment);
            }
            Truth::Dice { faces, flat } => self.dice_rest(faces, !flat.contains(&false), round, scene),
            // A reader that fails before it has looked reports no dice that are not flat.
            Truth::Broken { part: Part::Reader | Part::Bus | Part::Dice, broken: true } => {
                let found = self.happenings.iter_mut().filter(|happening| happening.events == [Event::None]);
                found
                    .filter(|found| found.at_ns.saturating_add(READ_NS) > scene.now_ns)
                    .for_each(|found| found.certain = false);
            }
            Truth::Pressed(Key::Entry) => self.entered |= round.could_see,
            _ => {}
        }
    }

    /// The shaft turns without a command.
    fn runs_on(&mut self, scene: &Scene) {
        let moment = self.moment(scene);
        let same = |last: &Happening| {
            last.events == [Event::RunsOn] && last.moment.stages == moment.stages && last.moment.bets == moment.bets
        };
        if !self.happenings.last().is_some_and(same) {
            self.add(scene, vec![Event::RunsOn], false, moment);
        }
    }

    /// Program or power went. What was not durable is lost: how far the spin was, and that it ended.
    fn interrupted(&mut self, round: &Round, scene: &Scene, certain: bool) {
        if certain {
            self.happenings.iter_mut().for_each(|happening| happening.certain = false);
        }
        let mut moment = self.moment(scene);
        // A spin that is on record may have begun, whatever its motor did.
        if (self.spin.activated() || round.spinning) && !round.valid_spin {
            push(&mut moment.stages, Stage::Tumbling);
            if certain && round.spinning {
                // What is on record is known, and nothing else.
                let made = moment.tumbles.contains(&Tumbles::Proved);
                moment.tumbles = vec![if round.made { Tumbles::Proved } else { Tumbles::Doubt }];
                if made {
                    push(&mut moment.tumbles, Tumbles::Proved);
                }
            } else {
                push(&mut moment.tumbles, Tumbles::Doubt);
            }
        }
        // A program that only stood still is there, and may take it as equipment that failed it: it asks then where bets are open.
        let events = if certain { vec![Event::Interruption] } else { vec![Event::Interruption, Event::Equipment] };
        // A question that was asked stays asked, and what an answer has established stays established.
        self.add(scene, events, certain && !self.asked && !round.established, moment);
        self.lines.forget_no_spin();
    }

    /// The dice come to rest.
    fn dice_rest(&mut self, faces: [u8; 3], flat: bool, round: &Round, scene: &Scene) {
        if !self.spin.activated() {
            return;
        }
        let before = self.dice.rest(scene.now_ns, faces);
        if round.established {
            return;
        }
        let mut moment = self.moment(scene);
        match before {
            None => {
                self.dice.first_flat = Some(flat);
                if !flat && Self::reader_looks(scene, round) {
                    // The table passes over how the dice of a spin lie that proves nothing.
                    let certain = moment.tumbles == [Tumbles::Proved];
                    let (dice, eyes) = (vec![Pose::NotFlat], vec![Eyes::Reader]);
                    moment = Moment { stages: vec![Stage::Spun], dice, eyes, ..moment };
                    self.add(scene, vec![Event::None], certain, moment);
                }
            }
            Some(before) if before.faces != faces || !flat => {
                moment.dice = vec![if flat { Pose::Flat } else { Pose::NotFlat }];
                let certain = moment.eyes == [Eyes::Reader]
                    && moment.stages == [Stage::Spun]
                    && before.at_rest(scene.now_ns)
                    && scene.alive != Some(false)
                    && !self.asked;
                self.add(scene, vec![Event::Knocked], certain, moment);
                if !round.could_see && before.just_stopped(scene.now_ns) {
                    self.dice.first_flat = Some(flat);
                }
            }
            Some(_) => {}
        }
    }

    fn record(&mut self, record: &Record, scene: &Scene) {
        match &record.fact {
            // What came while the record was being written came too late.
            Fact::Result { .. } | Fact::Established { .. } | Fact::Asked { .. } => {
                let too_late = self.happenings.iter_mut().filter(|happening| happening.at_ns >= record.at_ns);
                too_late.for_each(|happening| happening.certain = false);
                self.asked |= matches!(record.fact, Fact::Asked { .. });
            }
            Fact::Decided { .. } if record.fact.answers_void() => {
                let wanted = self.requests.take();
                self.decided(wanted, scene);
            }
            Fact::VoidedAfterwards { .. } if self.requests.take_afterwards() => {
                self.decided(vec![Event::DamagedDice], scene);
            }
            Fact::FacesRead => self.faces_read = true,
            _ => {}
        }
    }

    /// The journal was lost, and with it how far the round was.
    fn lose_journal(&mut self, scene: &Scene) {
        for happening in &mut self.happenings {
            happening.certain &= happening.events != [Event::Interruption];
        }
        let mut moment = self.moment(scene);
        moment.stages = vec![Stage::Unspun, Stage::Tumbling, Stage::Spun];
        push(&mut moment.tumbles, Tumbles::Doubt);
        moment.bets = vec![Bets::Open, Bets::Closed];
        self.add(scene, vec![Event::Interruption], false, moment);
    }

    /// A person says, without being asked, what became of dice that everybody sees.
    pub(super) fn person_says(&mut self, finding: Finding, scene: &Scene) {
        let events = match finding {
            Finding::NotFlat => vec![Event::SaidNotFlat],
            Finding::CannotTell => vec![Event::ManagerDecision, Event::SupervisorDecision],
            Finding::Undisturbed | Finding::None => Vec::new(),
        };
        self.decided(events, scene);
    }

    /// A record decides what a person asked for.
    fn decided(&mut self, events: Vec<Event>, scene: &Scene) {
        if scene.round.is_some() && !events.is_empty() {
            let moment = self.moment(scene);
            self.add(scene, events, true, moment);
        }
    }

    /// What has lasted long enough has happened.
    pub(super) fn time_passes(&mut self, scene: &Scene) {
        let Some(round) = current(scene) else { return };
        // Where the disk is slow, what the table has decided is seen later than it was decided.
        let prompt = scene.alive != Some(false) && !round.was_broken(Part::Journal);
        let granted = round.spinning && !self.spin.activated();
        // No call undoes an outcome that is established, by a person's answer too.
        let callable = !granted && !self.asked && !round.established;
        for (event, certain, mut moment) in self.lines.lasted(callable, round, scene) {
            let in_spin = moment.stages == [Stage::Tumbling];
            // Something else may have happened between the edge and the end of its debounce.
            moment.join(self.moment(scene));
            // Once people have heard the call, an open dome is the reveal.
            let certain = certain && !(event == Event::DomeOpened && moment.bets.contains(&Bets::Closed));
            let events = match event {
                Event::GuardLost => vec![event, Event::DomeOpened],
                // Before a spin a supply that comes back has stopped nothing.
                Event::Supply if !in_spin => vec![event, Event::EquipmentHarmless],
                _ => vec![event],
            };
            self.add(scene, events, certain && prompt, moment);
        }
    }

    fn add(&mut self, scene: &Scene, events: Vec<Event>, certain: bool, moment: Moment) {
        if current(scene).is_some() {
            self.happenings.push(Happening { at_ns: scene.now_ns, events, certain, moment });
        }
    }
}

fn push<T: PartialEq>(to: &mut Vec<T>, value: T) {
    if !to.contains(&value) {
        to.push(value);
    }
}

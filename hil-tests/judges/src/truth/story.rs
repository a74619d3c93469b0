//! What happened in a round, as a stranger with probes sees it: the spin by its wires, and everything that may have ended it.

use super::situation::{Bets, Dice, Event, Eyes, Finding, Stage, Tumbles};
use crate::observation::{Key, Line, Observation, Part, Seen, Truth};
use crate::record::{Fact, Record};
use crate::scene::{Round, Scene};

/// A button, a seal or a hand needs no longer than this to be one event and not two.
pub(super) const ONE_DEED_NS: u64 = 100_000_000;
/// A reader needs no longer to find that dice lie as they lie.
pub(super) const READ_NS: u64 = 1_500_000_000;
/// A dome that is on its way for longer is nowhere.
const TRAVEL_NS: u64 = 250_000_000;
/// faults.md seal.flicker: what is shorter is vibration.
const SEAL_NS: u64 = 10_000_000;
/// A motor that is on for so long with a shaft that stands has stalled.
const STOOD_NS: u64 = 500_000_000;
/// A shaft that turned so lately before a round may be found turning in it.
const STRAY_NS: u64 = 1_000_000_000;
/// A healthy shaft stands long before it has run out for so long (faults.md motor.coast).
const COAST_NS: u64 = 1_500_000_000;
/// Dice that lay for so long had come to rest for everybody.
const AT_REST_NS: u64 = 1_500_000_000;

/// How the round stood at a moment. Where physics leaves doubt there is more than one value.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) stages: Vec<Stage>,
    pub(super) bets: Vec<Bets>,
    pub(super) tumbles: Vec<Tumbles>,
    pub(super) dice: Vec<Dice>,
    pub(super) eyes: Vec<Eyes>,
}

/// Something that happened, or may have.
#[derive(Clone, Debug)]
pub(super) struct Happening {
    pub(super) at_ns: u64,
    /// What it was; one of these, where it can be several.
    pub(super) events: Vec<Event>,
    /// Whether it did happen, and the table could know.
    pub(super) certain: bool,
    pub(super) moment: Moment,
}

/// A line that is away since then, and how the round stood.
type Away = (u64, Moment);

/// The story of the round in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) happenings: Vec<Happening>,
    /// The cam's place in its cycle, net steps since watching began, and the last two levels.
    steps: i64,
    levels: [bool; 2],
    /// Steps when the spin's motor went on; the shaft then; the furthest that steps went.
    base: Option<i64>,
    shaft_base: Option<i64>,
    furthest: i64,
    /// Whether "No more bets" had been called when the tumbler was activated.
    bets_then: Vec<Bets>,
    /// Shaft's last move; its last one without a command; and whether it moved so since the motor was off.
    turned_ns: u64,
    strayed_ns: u64,
    strayed: bool,
    /// When the motor lost its power, where it has none.
    off_ns: Option<u64>,
    /// Steps when the motor went off, and when the shaft stood after it: what it turns later is no part of the spin.
    at_off: i64,
    ended: Option<i64>,
    /// Last edge of the cam, or when the motor went on.
    edge_ns: u64,
    /// Since when the dice have lain, and whether flat: as they came to rest, and as they lie.
    first: Option<bool>,
    lie: Option<(u64, [u8; 3], bool)>,
    no_spin: Option<Away>,
    guard: Option<Away>,
    seal: Option<Away>,
    supply: Option<Away>,
    driver: Option<Away>,
    open: Option<Away>,
    /// The dome was away in this round before "No more bets".
    pub(super) lifted: bool,
    /// A guard that is equipment broke in this round.
    pub(super) broke: bool,
    /// A person said in this round that a die is damaged.
    pub(super) damaged: bool,
    astray: Option<Away>,
    /// What a person asked for, until it is decided.
    wanted: Vec<Event>,
    wanted_ns: u64,
    wanted_afterwards: bool,
    /// `entry` was pressed since the dice may be seen.
    entered: bool,
    /// A person is asked.
    pub(super) asked: bool,
    /// A reader has read what the dice show.
    faces_read: bool,
    /// When "No spin" was last pressed or let go, in a round or not.
    called_off_ns: u64,
}

impl Story {
    /// A new round: what is no matter of the round stays.
    pub(super) fn begin(&mut self, at_ns: u64, scene: &Scene) {
        *self = Self {
            steps: self.steps,
            levels: self.levels,
            turned_ns: self.turned_ns,
            off_ns: self.off_ns,
            called_off_ns: self.called_off_ns,
            strayed_ns: self.strayed_ns,
            // On a slow disk a void is asked for before the record of the round's beginning is seen.
            wanted: if self.wanted_ns >= at_ns { core::mem::take(&mut self.wanted) } else { Vec::new() },
            wanted_ns: self.wanted_ns,
            ..Self::default()
        };
        // A shaft that turns already, or that turned while the record was on its way, turns in this round.
        if self.strayed_ns > 0 && self.strayed_ns.saturating_add(STRAY_NS) >= at_ns {
            self.strays(scene);
        }
        // Who called it off while the record was on its way called this round off.
        if self.called_off_ns > at_ns {
            let moment = self.moment(scene);
            self.add(scene, vec![Event::NoSpin], false, moment);
        }
        // What broke while the record was on its way breaks in this round.
        let since = |line: Line, sound: bool| {
            scene.is(line, !sound).then(|| (at_ns.max(scene.since(line)), self.moment(scene)))
        };
        let (seal, supply, driver) =
            (since(Line::Seal, true), since(Line::PowerGood, true), since(Line::MotorFault, false));
        (self.seal, self.supply, self.driver) = (seal, supply, driver);
    }

    /// Net steps that the cam gave in this spin.
    fn counted(&self) -> i64 {
        self.ended.unwrap_or_else(|| self.base.map_or(0, |base| self.steps.saturating_sub(base)))
    }

    pub(super) fn see(&mut self, seen: &Observation, scene: &Scene) {
        match &seen.what {
            Seen::Wire { line, active, .. } => self.wire(*line, *active, scene),
            Seen::Truth(truth) => self.truth(*truth, scene),
            Seen::Asked { command, with } => self.ask(command, with, scene.now_ns),
            Seen::Record(record) if record.fact.begins_anew() => self.forgets(scene),
            Seen::Record(record) => self.record(record, scene),
            _ => {}
        }
        self.ripen(scene);
    }

    fn cam(&mut self, line: Line, active: bool, scene: &Scene) {
        let stood = scene.now_ns.saturating_sub(self.edge_ns) > scene.config.given.limits.standstill_ns;
        if self.base.is_some() && self.ended.is_none() && stood && !scene.is(Line::MotorEnable, true) {
            self.ended = Some(self.counted());
        }
        self.edge_ns = scene.now_ns;
        const fn phase([a, b]: [bool; 2]) -> i64 {
            match (a, b) {
                (false, false) => 0,
                (true, false) => 1,
                (true, true) => 2,
                (false, true) => 3,
            }
        }
        let before = phase(self.levels);
        let [a, b] = &mut self.levels;
        *(if line == Line::CamA { a } else { b }) = active;
        match (phase(self.levels) - before).rem_euclid(4) {
            1 => self.steps = self.steps.saturating_add(1),
            3 => self.steps = self.steps.saturating_sub(1),
            _ => {}
        }
        self.furthest = self.furthest.max(self.counted());
        // A shaft that goes back in its spin does not turn as it should, whoever turns it.
        if self.base.is_some() && self.ended.is_none() && self.counted() + 1 < self.furthest {
            let moment = Moment { stages: vec![Stage::Tumbling], ..self.moment(scene) };
            self.add(scene, vec![Event::Stall], false, moment);
        }
    }

    fn wire(&mut self, line: Line, active: bool, scene: &Scene) {
        if matches!(line, Line::CamA | Line::CamB) {
            self.cam(line, active, scene);
        }
        if line == Line::NoSpin && scene.edge.is_some() {
            self.called_off_ns = scene.now_ns;
        }
        let Some(round) = scene.round.as_ref().filter(|_| scene.edge.is_some()) else { return };
        let running = scene.is(Line::MotorEnable, true);
        // A guard that breaks again and again ends a spin, however short each break is.
        let guard = matches!((line, active), (Line::Seal | Line::PowerGood, false) | (Line::MotorFault, true));
        self.broke |= guard;
        if guard && running {
            let moment = self.moment(scene);
            self.add(scene, vec![Event::GuardLost], false, moment);
        }
        let since = || Some((scene.now_ns, self.moment(scene)));
        match (line, active) {
            (Line::MotorEnable, true) if self.base.is_none() => {
                self.bets_then = bets(round);
                (self.base, self.shaft_base, self.furthest) = (Some(self.steps), scene.shaft, 0);
                (self.first, self.lie, self.ended) = (None, None, None);
                // A shaft that has not moved yet has not stood since its last spin.
                self.edge_ns = scene.now_ns;
            }
            (Line::MotorEnable, false) => {
                (self.at_off, self.strayed) = (self.counted(), false);
                // It was on, and the shaft stood for longer than a healthy one does at its end.
                if self.base.is_some() && scene.now_ns.saturating_sub(self.edge_ns) > STOOD_NS {
                    let moment = Moment { stages: vec![Stage::Tumbling], ..self.moment(scene) };
                    self.add(scene, vec![Event::Stall], false, moment);
                }
            }
            (Line::NoSpin, true) => self.no_spin = since(),
            (Line::NoSpin, false) => {
                // A contact that bounces when it is let go may have been pressed for long enough, or not.
                let debounce_ns = scene.config.given.limits.button_debounce_ns;
                if let Some((_, moment)) = self.no_spin.take_if(|(at_ns, _)| scene.now_ns >= *at_ns + debounce_ns) {
                    self.add(scene, vec![Event::NoSpin], false, moment);
                }
                self.no_spin = None;
            }
            (Line::Seal, false) => self.seal = since(),
            (Line::Seal, true) => {
                // Nothing was seen between its break and its mending, which may have been long enough.
                if let Some((_, moment)) = self.seal.take_if(|(at_ns, _)| scene.now_ns >= *at_ns + SEAL_NS) {
                    self.add(scene, vec![Event::SealBroken], false, moment);
                }
                self.seal = None;
            }
            (Line::PowerGood, away) => self.supply = if away { None } else { since() },
            (Line::MotorFault, away) => self.driver = if away { since() } else { None },
            (Line::DomeClosed | Line::DomeOpen, _) => {
                // Under Open Cover the dome lies aside, and any change is a break.
                let on = round.covered() && scene.is(Line::DomeClosed, true) && scene.is(Line::DomeOpen, false);
                let away = !on;
                let new = self.guard.is_none() && away && running;
                let (moment, contradict) =
                    (self.moment(scene), scene.level(Line::DomeClosed) == scene.level(Line::DomeOpen));
                if new {
                    self.add(scene, vec![Event::GuardLost], false, moment.clone());
                    self.guard = Some((scene.now_ns, moment.clone()));
                } else if !away {
                    self.guard = None;
                }
                self.lifted |= round.covered() && round.no_more_bets_ns.is_none() && scene.dome_made_open();
                self.open = (scene.dome_made_open() && exposes(round, scene)).then(|| (scene.now_ns, moment.clone()));
                self.astray = (contradict && round.covered()).then_some((scene.now_ns, moment));
            }
            _ => {}
        }
    }

    fn truth(&mut self, truth: Truth, scene: &Scene) {
        if let Truth::Shaft { .. } = truth {
            let rested = scene.now_ns.saturating_sub(self.turned_ns) > scene.config.given.limits.standstill_ns;
            self.turned_ns = scene.now_ns;
            let on_too_long = self.off_ns.is_some_and(|off_ns| scene.now_ns.saturating_sub(off_ns) > COAST_NS);
            let by_itself = rested || self.base.is_none() || self.strayed;
            if on_too_long || by_itself && !scene.is(Line::MotorEnable, true) {
                self.strayed = true;
                self.strayed_ns = scene.now_ns;
                self.strays(scene);
            }
        }
        if let Truth::MotorPower { on } = truth {
            self.off_ns = (!on).then_some(scene.now_ns);
        }
        let Some(round) = &scene.round else { return };
        match truth {
            Truth::Process { alive: false } => self.interrupted(round, scene, true),
            Truth::Hung { hung: true } | Truth::Supply { good: false } => self.interrupted(round, scene, false),
            Truth::Dome { open: true } if exposes(round, scene) => {
                let moment = self.moment(scene);
                self.add(scene, vec![Event::DomeOpened], false, moment);
            }
            // In a spin: what they lay like before is over.
            Truth::DiceMoved if scene.is(Line::MotorEnable, true) => {
                (self.first, self.lie) = (None, None);
                self.happenings
                    .retain(|happening| !matches!(happening.events.as_slice(), [Event::None | Event::Knocked]));
            }
            // A reader sees them move before they rest again. That they lay flat is not yet what they showed.
            Truth::DiceMoved
                if self.lie.is_some() && !(round.established && (self.faces_read || round.result.is_some())) =>
            {
                let mut moment = Moment { dice: vec![Dice::Flat, Dice::NotFlat], ..self.moment(scene) };
                push(&mut moment.eyes, Eyes::People);
                self.add(scene, vec![Event::Knocked], false, moment);
            }
            Truth::Dice { faces, flat } => self.rests(faces, !flat.contains(&false), round, scene),
            // A reader that fails before it has looked tells nobody of dice that are not flat.
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
    fn strays(&mut self, scene: &Scene) {
        let moment = self.moment(scene);
        let again = |last: &Happening| {
            last.events == [Event::RunsOn] && last.moment.stages == moment.stages && last.moment.bets == moment.bets
        };
        if !self.happenings.last().is_some_and(again) {
            self.add(scene, vec![Event::RunsOn], false, moment);
        }
    }

    /// Program or power went. What was not durable is lost: how far the spin was, and that it ended.
    fn interrupted(&mut self, round: &Round, scene: &Scene, certain: bool) {
        let mut moment = self.moment(scene);
        if self.base.is_some() && !round.valid_spin {
            push(&mut moment.stages, Stage::Tumbling);
            push(&mut moment.tumbles, Tumbles::Doubt);
        }
        // A question that was asked stays asked, and what is established by an answer stays so.
        self.add(scene, vec![Event::Interruption], certain && !self.asked && !round.established, moment);
        self.no_spin = None;
    }

    fn rests(&mut self, faces: [u8; 3], flat: bool, round: &Round, scene: &Scene) {
        if self.base.is_none() {
            return;
        }
        let lay = self.lie.replace((scene.now_ns, faces, flat));
        if round.established {
            return;
        }
        let mut moment = self.moment(scene);
        match lay {
            None => {
                self.first = Some(flat);
                if !flat && self.reader_looks(scene, round) {
                    let eyes = vec![Eyes::Reader];
                    // Dice of a spin that proves nothing lie there for nobody.
                    let certain = moment.tumbles == [Tumbles::Proved];
                    moment = Moment { stages: vec![Stage::Spun], dice: vec![Dice::NotFlat], eyes, ..moment };
                    self.add(scene, vec![Event::None], certain, moment);
                }
            }
            Some((since_ns, were, _)) if were != faces || !flat => {
                moment.dice = vec![if flat { Dice::Flat } else { Dice::NotFlat }];
                let certain = moment.eyes == [Eyes::Reader]
                    && moment.stages == [Stage::Spun]
                    && scene.now_ns.saturating_sub(since_ns) > AT_REST_NS
                    && scene.alive != Some(false)
                    && !self.asked;
                self.add(scene, vec![Event::Knocked], certain, moment);
                if !round.could_see && since_ns.saturating_add(AT_REST_NS) > scene.now_ns {
                    self.first = Some(flat);
                }
            }
            Some(_) => {}
        }
    }

    fn ask(&mut self, command: &str, with: &serde_json::Value, now_ns: u64) {
        let said = |name: &str| with.get(name).and_then(serde_json::Value::as_bool);
        self.damaged |= command == "void" && said("damaged_dice") == Some(true);
        let wanted: &[Event] = match command {
            "void" if said("damaged_dice") == Some(true) => &[Event::DamagedDice],
            "void" if said("not_flat") == Some(true) => &[Event::SaidNotFlat],
            "void" => match said("manager") {
                Some(true) => &[Event::ManagerDecision],
                Some(false) => &[Event::SupervisorDecision],
                None => &[Event::ManagerDecision, Event::SupervisorDecision],
            },
            "void-afterwards" => {
                self.wanted_afterwards = true;
                &[]
            }
            _ => &[],
        };
        // On a slow disk more is asked for, and refused, before the record of the first is seen.
        self.wanted_ns = if wanted.is_empty() { self.wanted_ns } else { now_ns };
        for event in wanted {
            if !self.wanted.contains(event) {
                self.wanted.push(*event);
            }
        }
    }

    fn record(&mut self, record: &Record, scene: &Scene) {
        match &record.fact {
            // What came while the record was on its way came too late.
            Fact::Result { .. } | Fact::Established { .. } | Fact::Asked { .. } => {
                let too_late = self.happenings.iter_mut().filter(|happening| happening.at_ns >= record.at_ns);
                too_late.for_each(|happening| happening.certain = false);
                self.asked |= matches!(record.fact, Fact::Asked { .. });
            }
            Fact::Decided { what, .. } if what == "void" || what.starts_with("a die ") => {
                let wanted = core::mem::take(&mut self.wanted);
                self.decided(wanted, scene);
            }
            Fact::VoidedAfterwards { .. } if core::mem::take(&mut self.wanted_afterwards) => {
                self.decided(vec![Event::DamagedDice], scene);
            }
            Fact::FacesRead => self.faces_read = true,
            _ => {}
        }
    }

    /// The journal was lost, and with it how far the round was.
    fn forgets(&mut self, scene: &Scene) {
        for happening in &mut self.happenings {
            happening.certain &= happening.events != [Event::Interruption];
        }
        let mut moment = self.moment(scene);
        moment.stages = vec![Stage::Unspun, Stage::Tumbling, Stage::Spun];
        push(&mut moment.tumbles, Tumbles::Doubt);
        push(&mut moment.bets, Bets::Open);
        self.add(scene, vec![Event::Interruption], false, moment);
    }

    /// Whether a decision that says nothing of the dice is taken while people see those of a valid spin, and nobody has said how they lie.
    pub(super) fn chooses(&self, round: &Round) -> bool {
        let choices = [Event::ManagerDecision, Event::SupervisorDecision];
        !self.wanted.is_empty()
            && self.wanted.iter().all(|event| choices.contains(event))
            && round.revealed
            && round.valid_spin
            && !round.established
    }

    /// A person says by itself what became of dice that everybody sees.
    pub(super) fn says(&mut self, finding: Finding, scene: &Scene) {
        let events = match finding {
            Finding::NotFlat => vec![Event::SaidNotFlat],
            Finding::CannotTell => vec![Event::ManagerDecision, Event::SupervisorDecision],
            Finding::Undisturbed | Finding::None => Vec::new(),
        };
        self.decided(events, scene);
    }

    /// What a person asked for is decided, by the record.
    fn decided(&mut self, events: Vec<Event>, scene: &Scene) {
        if scene.round.is_some() && !events.is_empty() {
            let moment = self.moment(scene);
            self.add(scene, events, true, moment);
        }
    }

    /// What has lasted long enough has happened.
    pub(super) fn ripen(&mut self, scene: &Scene) {
        let Some(round) = current(scene) else { return };
        let limits = &scene.config.given.limits;
        // Where the disk is slow, what the table has decided is seen later than it was.
        let alive = scene.alive != Some(false) && !round.was_broken(Part::Journal);
        let sound = |parts: &[Part]| !parts.iter().any(|part| round.was_broken(*part));
        let lasted = |away: &Option<Away>, ns: u64| away.as_ref().is_some_and(|(at, _)| scene.now_ns >= at + ns);
        let mut ripe: Vec<(Event, bool, Away)> = Vec::new();
        let mut take = |away: &mut Option<Away>, ns: u64, event: Event, certain: bool| {
            if lasted(away, ns) {
                ripe.extend(away.take().map(|away| (event, certain, away)));
            }
        };
        let granted = round.spinning && self.base.is_none();
        take(
            &mut self.no_spin,
            limits.button_debounce_ns,
            Event::NoSpin,
            // What is established, by a person's answer too, no call undoes.
            !granted && !self.asked && !round.established && sound(&[Part::Buttons]),
        );
        take(&mut self.guard, limits.flicker_ns, Event::GuardLost, sound(&[Part::DomeContacts]));
        take(&mut self.seal, SEAL_NS, Event::SealBroken, sound(&[Part::Buttons]));
        take(&mut self.supply, limits.flicker_ns, Event::Supply, true);
        take(&mut self.driver, limits.flicker_ns, Event::Stall, false);
        let truly = scene.dome.is_none_or(|(open, _)| open);
        take(&mut self.open, limits.dome_debounce_ns, Event::DomeOpened, truly && sound(&[Part::DomeContacts]));
        take(&mut self.astray, TRAVEL_NS, Event::Equipment, false);
        for (event, certain, (_, mut moment)) in ripe {
            // Between the edge and the end of its debounce something else may have come.
            let in_spin = moment.stages == [Stage::Tumbling];
            moment.join(self.moment(scene));
            // After the call, as people heard it, an open dome is the reveal.
            let certain = certain && !(event == Event::DomeOpened && moment.bets.contains(&Bets::Closed));
            let events = match event {
                Event::GuardLost => vec![event, Event::DomeOpened],
                // Before a spin a supply that comes back has stopped nothing.
                Event::Supply if !in_spin => vec![event, Event::EquipmentHarmless],
                _ => vec![event],
            };
            self.add(scene, events, certain && alive, moment);
        }
    }

    fn add(&mut self, scene: &Scene, events: Vec<Event>, certain: bool, moment: Moment) {
        if current(scene).is_some() {
            self.happenings.push(Happening { at_ns: scene.now_ns, events, certain, moment });
        }
    }

    /// How the round stands now.
    pub(super) fn moment(&self, scene: &Scene) -> Moment {
        let mut moment =
            Moment { stages: Vec::new(), bets: Vec::new(), tumbles: Vec::new(), dice: Vec::new(), eyes: Vec::new() };
        let Some(round) = current(scene) else { return moment };
        moment.stages = self.stages(scene, round);
        moment.bets = if round.covered() || self.base.is_none() { bets(round) } else { self.bets_then.clone() };
        moment.tumbles = self.tumbles(scene, round);
        let unsure = [Part::Dice, Part::Reader].into_iter().any(|part| round.was_broken(part));
        moment.dice = match self.first {
            Some(true) if !unsure => vec![Dice::Flat],
            Some(false) if !unsure => vec![Dice::NotFlat],
            _ => vec![Dice::Flat, Dice::NotFlat],
        };
        // Where no reader looks, nobody tells the table that a die does not lie flat but people, and who says flat is believed.
        moment.eyes = self.eyes(scene, round);
        if moment.eyes != [Eyes::Reader] {
            push(&mut moment.dice, Dice::Flat);
        }
        moment
    }

    fn stages(&self, scene: &Scene, round: &Round) -> Vec<Stage> {
        if round.result.is_some() {
            return vec![Stage::Keyed];
        }
        if self.base.is_none() {
            return if round.spinning { vec![Stage::Unspun, Stage::Tumbling] } else { vec![Stage::Unspun] };
        }
        if scene.is(Line::MotorEnable, true) {
            return vec![Stage::Tumbling];
        }
        let mut stages = Vec::new();
        let still = scene.now_ns.saturating_sub(scene.moved_ns) >= scene.config.given.limits.standstill_ns;
        if !still || round.spinning {
            stages.push(Stage::Tumbling);
        }
        if !round.could_see || !round.established {
            stages.push(Stage::Spun);
        }
        if round.could_see {
            stages.push(Stage::Revealed);
        }
        if round.could_see && self.entered {
            stages.push(Stage::Keyed);
        }
        // Once people have seen the dice at rest, they have.
        let rested = match self.lie {
            Some((since_ns, _, _)) => scene.now_ns.saturating_sub(since_ns) > AT_REST_NS,
            // Where the twin tells of them, they still roll.
            None => scene.shaft.is_none(),
        };
        let seen = round.revealed && (!round.covered() || self.eyes(scene, round) == [Eyes::People]);
        // A cam that tells of turns tells the table that the dice do not rest.
        let told = [Part::Cam, Part::Gpio].into_iter().any(|part| round.was_broken(part));
        if seen && still && rested && !told {
            stages.retain(|stage| *stage != Stage::Spun);
        }
        stages
    }

    fn tumbles(&self, scene: &Scene, round: &Round) -> Vec<Tumbles> {
        if self.base.is_none() {
            return vec![Tumbles::None];
        }
        let mut tumbles = vec![Tumbles::of(self.counted())];
        if [Part::Cam, Part::Gpio, Part::Motor, Part::Relay].into_iter().any(|part| round.was_broken(part)) {
            push(&mut tumbles, Tumbles::of(self.furthest));
            // What a shaft turns on without power need not count.
            push(&mut tumbles, Tumbles::of(self.at_off));
        }
        if [Part::Cam, Part::Gpio].into_iter().any(|part| round.was_broken(part)) {
            let turned = scene.shaft.zip(self.shaft_base).map(|(now, base)| now.saturating_sub(base));
            turned.into_iter().for_each(|turned| push(&mut tumbles, Tumbles::of(turned)));
            push(&mut tumbles, Tumbles::Doubt);
        }
        tumbles
    }

    /// Whether a sound reader is in service.
    fn reader_looks(&self, scene: &Scene, round: &Round) -> bool {
        let broken = [Part::Reader, Part::Bus, Part::Dice].into_iter().any(|part| round.was_broken(part));
        scene.config.given.reader && !broken && scene.serves("reader")
    }

    fn eyes(&self, scene: &Scene, round: &Round) -> Vec<Eyes> {
        if !scene.config.given.reader {
            return vec![Eyes::People];
        }
        let broken = [Part::Reader, Part::Bus, Part::Dice].into_iter().any(|part| round.was_broken(part));
        // While the program is gone nobody reads the reader.
        if broken || scene.alive == Some(false) || round.could_see && !round.established {
            return vec![Eyes::Reader, Eyes::People];
        }
        // What a reader has found it need not find again.
        let people = if round.established { round.flat_by != "reader" } else { !scene.serves("reader") };
        if people {
            return vec![Eyes::People];
        }
        vec![Eyes::Reader]
    }

    /// Whether the spin's motor went on.
    pub(super) const fn activated(&self) -> bool {
        self.base.is_some()
    }
}

impl Moment {
    /// This moment or another one.
    pub(super) fn join(&mut self, other: Self) {
        other.stages.into_iter().for_each(|stage| push(&mut self.stages, stage));
        other.bets.into_iter().for_each(|bets| push(&mut self.bets, bets));
        other.tumbles.into_iter().for_each(|tumbles| push(&mut self.tumbles, tumbles));
        other.dice.into_iter().for_each(|dice| push(&mut self.dice, dice));
        other.eyes.into_iter().for_each(|eyes| push(&mut self.eyes, eyes));
    }
}

/// The round in progress, or the one that ends with the record just seen.
fn current(scene: &Scene) -> Option<&Round> {
    if scene.ended { scene.last.as_ref() } else { scene.round.as_ref() }
}

fn push<T: PartialEq>(to: &mut Vec<T>, value: T) {
    if !to.contains(&value) {
        to.push(value);
    }
}

/// Whether a dome that opens now is an event: the ordinary reveal is none.
fn exposes(round: &Round, scene: &Scene) -> bool {
    round.covered() && (!round.called || round.spinning || scene.is(Line::MotorEnable, true))
}

fn bets(round: &Round) -> Vec<Bets> {
    match (round.called, round.no_more_bets_ns) {
        (true, _) => vec![Bets::Closed],
        (false, Some(_)) => vec![Bets::Open, Bets::Closed],
        (false, None) => vec![Bets::Open],
    }
}

//! Lines that may end a spin or a round once their level has lasted: "No spin", seal, supply, motor driver and dome (NZ 7.1, SGV6
//! 5.4 and 5.5.3, SGOC 5.4; design.md, Motor guard).

use super::super::situation::Event;
use super::moment::Moment;
use crate::observation::{Line, Part};
use crate::scene::{Round, Scene};

/// A dome that has been between its contacts for longer is in neither position.
const TRAVEL_NS: u64 = 250_000_000;
/// A dome whose contact breaks more often in one round while the motor is on has a loose contact (faults.md dome.chatter).
const FLICKERS: u32 = 3;
/// A break of the seal's loop that is shorter is vibration (faults.md seal.flicker).
const SEAL_NS: u64 = 10_000_000;

/// Since when a line has had its level, and how the round stood when it took it.
type Since = (u64, Moment);

/// The lines whose levels have not lasted long enough yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    no_spin: Option<Since>,
    guard: Option<Since>,
    seal: Option<Since>,
    supply: Option<Since>,
    driver: Option<Since>,
    dome_open: Option<Since>,
    /// The dome's contacts contradict each other.
    dome_contradicts: Option<Since>,
    /// When "No spin" was last pressed or released, in a round or outside one.
    no_spin_edge_ns: u64,
    /// How often the dome's contacts broke in this round while the motor was on.
    dome_breaks: u32,
    /// The dome was away in this round before "No more bets".
    lifted: bool,
    /// A guard that belongs to the equipment broke in this round.
    guard_broke: bool,
}

impl Lines {
    /// The lines as a new round finds them: what broke while the record of its beginning was being written breaks in this round.
    pub(super) fn next_round(&self, at_ns: u64, moment: &Moment, scene: &Scene) -> Self {
        let since =
            |line: Line, sound: bool| scene.is(line, !sound).then(|| (at_ns.max(scene.since(line)), moment.clone()));
        Self {
            seal: since(Line::Seal, true),
            supply: since(Line::PowerGood, true),
            driver: since(Line::MotorFault, false),
            no_spin_edge_ns: self.no_spin_edge_ns,
            ..Self::default()
        }
    }

    /// Whether the dome was away in this round before "No more bets".
    pub(super) const fn lifted(&self) -> bool {
        self.lifted
    }

    /// Whether a guard that belongs to the equipment broke in this round.
    pub(super) const fn guard_broke(&self) -> bool {
        self.guard_broke
    }

    /// Whether "No spin" was pressed or released after this time.
    pub(super) const fn no_spin_after(&self, at_ns: u64) -> bool {
        self.no_spin_edge_ns > at_ns
    }

    /// A program that is interrupted does not see how long "No spin" is pressed.
    pub(super) fn forget_no_spin(&mut self) {
        self.no_spin = None;
    }

    /// An edge of "No spin", in a round or outside one.
    pub(super) fn no_spin_edge(&mut self, now_ns: u64) {
        self.no_spin_edge_ns = now_ns;
    }

    /// An edge in a round. Returns what may have happened, and how the round stood then.
    pub(super) fn edge(
        &mut self,
        (line, active): (Line, bool),
        moment: Moment,
        round: &Round,
        scene: &Scene,
    ) -> Vec<(Event, Moment)> {
        let mut events = Vec::new();
        let running = scene.is(Line::MotorEnable, true);
        // A guard that breaks again and again ends a spin, however short each break is.
        let guard = matches!((line, active), (Line::Seal | Line::PowerGood, false) | (Line::MotorFault, true));
        self.guard_broke |= guard;
        if guard && running {
            events.push((Event::GuardLost, moment.clone()));
        }
        match (line, active) {
            (Line::NoSpin, true) => self.no_spin = Some((scene.now_ns, moment)),
            (Line::NoSpin, false) => {
                // A contact that bounces on release may have been closed for long enough, or not.
                let debounce_ns = scene.config.given.limits.button_debounce_ns;
                let ripe = self.no_spin.take().filter(|(at_ns, _)| scene.now_ns >= *at_ns + debounce_ns);
                events.extend(ripe.map(|(_, moment)| (Event::NoSpin, moment)));
            }
            (Line::Seal, false) => self.seal = Some((scene.now_ns, moment)),
            (Line::Seal, true) => {
                // Nothing was observed between the break and its end, and it may have lasted long enough.
                let ripe = self.seal.take().filter(|(at_ns, _)| scene.now_ns >= *at_ns + SEAL_NS);
                events.extend(ripe.map(|(_, moment)| (Event::SealBroken, moment)));
            }
            (Line::PowerGood, good) => self.supply = (!good).then_some((scene.now_ns, moment)),
            (Line::MotorFault, fault) => self.driver = fault.then_some((scene.now_ns, moment)),
            (Line::DomeClosed | Line::DomeOpen, _) => events.extend(self.dome_edge(moment, round, scene)),
            _ => {}
        }
        events
    }

    fn dome_edge(&mut self, moment: Moment, round: &Round, scene: &Scene) -> Vec<(Event, Moment)> {
        // Under Open Cover the dome lies beside the tumbler, and any change is a break.
        let on = round.covered() && scene.is(Line::DomeClosed, true) && scene.is(Line::DomeOpen, false);
        let mut events = Vec::new();
        if on {
            self.guard = None;
        } else if self.guard.is_none() && scene.is(Line::MotorEnable, true) {
            events.push((Event::GuardLost, moment.clone()));
            self.dome_breaks += 1;
            if self.dome_breaks > FLICKERS {
                events.push((Event::Equipment, moment.clone()));
            }
            self.guard = Some((scene.now_ns, moment.clone()));
        }
        let open = scene.dome_contacts_open();
        self.lifted |= round.covered() && round.no_more_bets_ns.is_none() && open;
        self.dome_open = (open && exposes(round, scene)).then(|| (scene.now_ns, moment.clone()));
        let contradict = scene.level(Line::DomeClosed) == scene.level(Line::DomeOpen);
        self.dome_contradicts = (contradict && round.covered()).then_some((scene.now_ns, moment));
        events
    }

    /// Takes the levels that have now lasted long enough: what happened, whether it is certain, and how the round stood at the
    /// edge. `callable`: "No spin" can still change the round.
    pub(super) fn lasted(&mut self, callable: bool, round: &Round, scene: &Scene) -> Vec<(Event, bool, Moment)> {
        let limits = &scene.config.given.limits;
        let sound = |part: Part| !round.was_broken(part);
        let mut lasted = Vec::new();
        let mut take = |since: &mut Option<Since>, ns: u64, event: Event, certain: bool| {
            let taken = since.take_if(|(at_ns, _)| scene.now_ns >= *at_ns + ns);
            lasted.extend(taken.map(|(_, moment)| (event, certain, moment)));
        };
        let called = callable && sound(Part::Buttons);
        take(&mut self.no_spin, limits.button_debounce_ns, Event::NoSpin, called);
        take(&mut self.guard, limits.flicker_ns, Event::GuardLost, sound(Part::DomeContacts));
        take(&mut self.seal, SEAL_NS, Event::SealBroken, sound(Part::Buttons));
        take(&mut self.supply, limits.flicker_ns, Event::Supply, true);
        take(&mut self.driver, limits.flicker_ns, Event::Stall, false);
        let truly = scene.dome.is_none_or(|(open, _)| open);
        let opened = truly && sound(Part::DomeContacts);
        take(&mut self.dome_open, limits.dome_debounce_ns, Event::DomeOpened, opened);
        take(&mut self.dome_contradicts, TRAVEL_NS, Event::Equipment, false);
        lasted
    }
}

/// Whether a dome that opens now is an event: an ordinary reveal is not.
pub(super) fn exposes(round: &Round, scene: &Scene) -> bool {
    round.covered() && (!round.called || round.spinning || scene.is(Line::MotorEnable, true))
}

//! The picture that all judges share: levels, truth, latches and the facts of the round, built from the observations and from
//! nothing else. A judge adds what only its own rules need.

mod parts;
pub(crate) mod press;
mod records;
mod round;
pub(crate) mod run;

use crate::config::{Board, Checked, Rules};
use crate::observation::{BusKind, Key, Line, Observation, Part, Seen, Transaction, Truth};
use crate::past::Past;
use crate::registers;
use parts::Parts;
use press::Buttons;
pub(crate) use round::Round;
use run::Run;

/// After a start the table reads its lines, and gives silent units their second to answer.
const START_NS: u64 = 3_000_000_000;
/// A slow disk has written everything by then.
const LAG_NS: u64 = 10_000_000_000;

/// The picture after an observation.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) config: Checked,
    /// Time of the observation.
    pub(crate) now_ns: u64,
    levels: [Option<bool>; Line::COUNT],
    changed_ns: [u64; Line::COUNT],
    /// The line that changed with this observation, and its new level.
    pub(crate) edge: Option<(Line, bool)>,
    parts: Parts,
    /// What was so earlier.
    pub(crate) past: Past,
    /// Whether the daemon runs; `None` if that was never reported.
    pub(crate) alive: Option<bool>,
    /// When its process last started.
    pub(crate) started_ns: u64,
    /// Position of the shaft, in quarter turns.
    pub(crate) shaft: Option<i64>,
    /// When the shaft last turned; if the shaft is not reported, when the cam last had an edge.
    pub(crate) moved_ns: u64,
    /// Position of the shaft at that time.
    moved_to: Option<i64>,
    pub(crate) motor_power: Option<bool>,
    /// Whether the dome is truly away, and since when.
    pub(crate) dome: Option<(bool, u64)>,
    /// How the dice lie: their faces, and which are flat.
    pub(crate) dice: Option<([u8; 3], [bool; 3])>,
    /// Lamps that shine.
    pub(crate) shining: Option<[u64; 2]>,
    /// Lamps commanded on, by writes that were answered.
    pub(crate) commanded: [u64; 2],
    /// Lamps sensed at the last read; `None` for a board that was not read since the last write.
    pub(crate) sensed: [Option<u64>; 2],
    /// When the supervisor's key was last turned.
    pub(crate) key_ns: Option<u64>,
    /// Whether the rig reports the keys of the terminal.
    pub(crate) sees_keys: bool,
    /// Whether the table is open; `None` if the trace has not said so yet.
    pub(crate) open: Option<bool>,
    /// When the record that ended the last bar to games was durable.
    pub(crate) permitted_ns: u64,
    boot: String,
    pub(crate) maintenance: bool,
    /// Whether the hardware test of the buttons runs.
    tests_buttons: bool,
    /// Latched codes, and when they were latched; zero for an earlier boot.
    pub(crate) latched: Vec<(String, u64)>,
    /// Codes of devices that a procedure replaces until the table closes.
    pub(crate) waived: Vec<String>,
    /// When a person, under the key, asked for a test that may move and light things, and until when it may run.
    testing_since_ns: u64,
    testing_until_ns: u64,
    /// The dealer's buttons.
    pub(crate) buttons: Buttons,
    /// The run of the motor, the last one or that under way.
    pub(crate) run: Run,
    /// The round in progress.
    pub(crate) round: Option<Round>,
    /// The last round that ended.
    pub(crate) last: Option<Round>,
    /// Whether the record just seen began a round, or ended one (which is now [`Scene::last`]).
    pub(crate) began: bool,
    pub(crate) ended: bool,
}

impl Scene {
    pub(crate) fn new(config: Checked) -> Self {
        let open = if config.given.from_commissioning { Some(false) } else { None };
        Self {
            buttons: Buttons::new(config.given.limits.button_debounce_ns),
            run: Run::default(),
            config,
            now_ns: 0,
            levels: [None; Line::COUNT],
            changed_ns: [0; Line::COUNT],
            edge: None,
            parts: Parts::SOUND,
            past: Past::default(),
            alive: None,
            started_ns: 0,
            shaft: None,
            moved_ns: 0,
            moved_to: None,
            motor_power: None,
            dome: None,
            dice: None,
            shining: None,
            commanded: [0; 2],
            sensed: [None; 2],
            key_ns: None,
            sees_keys: false,
            open,
            permitted_ns: 0,
            boot: String::new(),
            maintenance: false,
            tests_buttons: false,
            latched: Vec::new(),
            waived: Vec::new(),
            testing_since_ns: 0,
            testing_until_ns: 0,
            round: None,
            last: None,
            began: false,
            ended: false,
        }
    }

    /// The level of a line, if it was seen.
    pub(crate) fn level(&self, line: Line) -> Option<bool> {
        self.levels.get(line as usize).copied().flatten()
    }
    /// When the line took its level.
    pub(crate) fn since(&self, line: Line) -> u64 {
        self.changed_ns.get(line as usize).copied().unwrap_or(0)
    }
    /// Whether the line is known to be at this level.
    pub(crate) fn is(&self, line: Line, active: bool) -> bool {
        self.level(line) == Some(active)
    }
    pub(crate) fn broken(&self, part: Part) -> bool {
        self.parts.is_broken(part)
    }
    /// Whether the part is broken, or was within this time.
    pub(crate) fn recently_broken(&self, part: Part, for_ns: u64) -> bool {
        self.broken(part) || self.mended(part).is_some_and(|at| self.now_ns < at.saturating_add(for_ns))
    }
    /// Whether the table may lag behind what it should have done and written: it does not run or has only just started, cannot
    /// reach its lines, or waits for a slow disk.
    pub(crate) fn may_lag(&self) -> bool {
        self.alive != Some(true)
            || self.now_ns < self.started_ns.saturating_add(START_NS)
            || [Part::Journal, Part::Gpio].into_iter().any(|part| self.recently_broken(part, LAG_NS))
    }
    /// When the part was last mended, if it ever was.
    pub(crate) fn mended(&self, part: Part) -> Option<u64> {
        self.parts.mended(part)
    }
    /// The rules of the round in progress, or else those for new rounds.
    pub(crate) fn rules(&self) -> Rules {
        self.round.as_ref().and_then(|round| round.rules).unwrap_or(self.config.rules)
    }
    /// The lamps of the round in progress.
    pub(crate) fn board(&self) -> Option<&Board> {
        self.config.board(&self.round.as_ref()?.layout)
    }
    /// Whether the hardware test of the buttons runs.
    pub(crate) const fn tests_buttons(&self) -> bool {
        self.tests_buttons
    }
    /// Whether a test that a person asked for, under the key, may be running.
    pub(crate) fn testing(&self) -> bool {
        self.now_ns < self.testing_until_ns
    }
    pub(crate) fn is_latched(&self, code: &str) -> bool {
        self.latched.iter().any(|(latched, _)| latched == code)
    }
    /// Whether the device of this code is in service: not latched, and not replaced by a procedure.
    pub(crate) fn in_service(&self, code: &str) -> bool {
        !self.is_latched(code) && !self.is_waived(code)
    }
    /// Whether a procedure replaces the device of this code.
    pub(crate) fn is_waived(&self, code: &str) -> bool {
        self.waived.iter().any(|waived| waived == code)
    }
    /// What only a person can see in an opening (NZ 5(b) and (d)). The dice are among it only where no reader is fitted.
    pub(crate) fn witnessed(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        let dice = (!self.config.given.reader).then_some("dice");
        ["areas", "seal", "bell", "sign"].into_iter().chain(dice)
    }
    /// Whether the dome is away, by its contacts.
    pub(crate) fn dome_contacts_open(&self) -> bool {
        self.is(Line::DomeClosed, false) && self.is(Line::DomeOpen, true)
    }

    pub(crate) fn observe(&mut self, seen: &Observation) {
        self.now_ns = seen.at_ns;
        self.past.take(seen);
        self.edge = None;
        self.began = false;
        self.ended = false;
        match &seen.what {
            Seen::Wire { line, active, initial } => self.wire(*line, *active, *initial),
            Seen::Bus(transaction) => self.bus(transaction),
            Seen::InitialState { open, latched, .. } => {
                self.open = Some(*open);
                self.latched = latched.iter().map(|code| (code.clone(), 0)).collect();
            }
            Seen::Record(record) => self.record(record),
            Seen::ConsoleCommand { command, with, .. } => self.asked(command, with),
            Seen::Truth(truth) => self.truth(*truth),
            Seen::RepeatedLevel { .. }
            | Seen::Temperature { .. }
            | Seen::Readback { .. }
            | Seen::Status(_)
            | Seen::Mqtt { .. }
            | Seen::Text { .. }
            | Seen::Answer { .. } => {}
        }
        self.update_could_see();
        // The run goes by what was pressed before.
        let mut run = core::mem::take(&mut self.run);
        run.notice(seen, self);
        self.run = run;
        self.buttons.take(seen, self.tests_buttons);
    }

    fn wire(&mut self, line: Line, active: bool, initial: bool) {
        let before = self.level(line);
        if let Some(level) = self.levels.get_mut(line as usize) {
            *level = Some(active);
        }
        if before != Some(active) {
            if let Some(changed) = self.changed_ns.get_mut(line as usize) {
                *changed = self.now_ns;
            }
        }
        if initial || before == Some(active) {
            return;
        }
        if let (Line::PowerGood, false, Some(round)) = (line, active, &mut self.round) {
            round.dipped = true;
        }
        self.edge = Some((line, active));
        // A button or the key acts only on an edge from inactive to active.
        let pressed = active && before == Some(false);
        match line {
            // Where the twin reports the shaft, or the cam is broken, the cam does not count.
            Line::CamA | Line::CamB if self.shaft.is_none() && !self.broken(Part::Cam) => self.moved_ns = self.now_ns,
            // A turn that the test of the buttons asks for gives no privilege (hardware-tests.md).
            Line::SupervisorKey if pressed && !self.tests_buttons => self.key_ns = Some(self.now_ns),
            Line::NoMoreBets if pressed => {
                if let Some(round) = &mut self.round {
                    round.no_more_bets_ns.get_or_insert(self.now_ns);
                }
            }
            Line::NoSpin if pressed => {
                if let Some(round) = &mut self.round {
                    round.no_spin = true;
                }
            }
            Line::MotorEnable if active => {
                if let Some(round) = &mut self.round {
                    round.spun_closed |= round.no_more_bets_ns.is_some() && round.spinning;
                }
            }
            _ => {}
        }
    }

    fn bus(&mut self, bus: &Transaction) {
        let Some(board) = bus.unit.checked_sub(registers::LAMPS).map(usize::from).filter(|board| *board < 2) else {
            return;
        };
        if !bus.ok || bus.address >= registers::PER_BOARD {
            return;
        }
        let bits = bus.bits << bus.address;
        match bus.kind {
            BusKind::WriteCoils => {
                let width = u32::from(bus.count.min(registers::PER_BOARD));
                let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0) << bus.address;
                if let Some(commanded) = self.commanded.get_mut(board) {
                    *commanded = (*commanded & !mask) | (bits & mask);
                }
                if let Some(sensed) = self.sensed.get_mut(board) {
                    *sensed = None;
                }
            }
            BusKind::ReadDiscrete if bus.address == 0 => {
                if let Some(sensed) = self.sensed.get_mut(board) {
                    *sensed = Some(bits);
                }
            }
            _ => {}
        }
    }

    fn asked(&mut self, command: &str, with: &serde_json::Value) {
        let keyed = self
            .key_ns
            .is_some_and(|edge| self.now_ns.saturating_sub(edge) <= self.config.given.limits.key_privilege_ns);
        if !keyed {
            return;
        }
        match command {
            "open" | "witness" | "reset" | "maintenance" | "hardware-test" => {
                self.testing_since_ns = self.now_ns;
                self.testing_until_ns =
                    self.now_ns.saturating_add(self.config.given.limits.person_ns.saturating_mul(5));
            }
            // From here on the supervisor's word decides whether a die lies flat.
            "void" => {
                if let Some(round) = &mut self.round {
                    round.no_spin = true;
                    round.said_not_flat |= with.get("not_flat") == Some(&serde_json::Value::Bool(true));
                }
            }
            "amend" | "settle" => {
                if let Some(round) = &mut self.round {
                    round.decided = true;
                }
            }
            "confirm-dome" => {
                if let Some(round) = &mut self.round {
                    round.confirmed = true;
                }
            }
            _ => {}
        }
    }

    fn truth(&mut self, truth: Truth) {
        match truth {
            Truth::Shaft { quarters } => {
                self.shaft = Some(quarters);
                // A quarter turn back looks like the noise of one sensor, which must have no effect (faults.md cam.phantom). Two
                // do not.
                if self.moved_to.is_none_or(|from| quarters > from || quarters <= from.saturating_sub(2)) {
                    self.moved_to = Some(quarters);
                    self.moved_ns = self.now_ns;
                }
            }
            Truth::MotorPower { on } => self.motor_power = Some(on),
            Truth::Dome { open } => self.dome = Some((open, self.now_ns)),
            Truth::DiceMoved | Truth::Hand { .. } => {}
            Truth::Dice { faces, flat } => self.dice = Some((faces, flat)),
            Truth::Lamps { boards } => self.shining = Some(boards),
            Truth::Pressed(key) => {
                self.sees_keys = true;
                if let (Key::Entry, Some(round)) = (key, &mut self.round) {
                    round.paid = round.paid.saturating_add(1);
                    round.entry_ns = Some(self.now_ns);
                }
            }
            Truth::Process { alive } => {
                self.alive = Some(alive);
                if alive {
                    self.started_ns = self.now_ns;
                }
                self.interrupt();
            }
            Truth::Hung { hung } => {
                // A stopped process later goes on with the test that a person asked for.
                self.alive = Some(!hung);
                self.interrupt_round();
            }
            Truth::Supply { .. } => self.interrupt(),
            Truth::Broken { part, broken } => {
                self.parts.take(part, broken, self.now_ns);
                if let Some(was) = self.round.as_mut().and_then(|round| round.broken.get_mut(part as usize)) {
                    *was |= broken;
                }
            }
        }
    }

    fn interrupt(&mut self) {
        self.testing_until_ns = 0;
        self.interrupt_round();
    }

    fn interrupt_round(&mut self) {
        if let Some(round) = &mut self.round {
            round.interrupted = true;
        }
    }

    /// Whether the dice may lawfully be seen from now on (NZ 6.3, SGV6 5.5.3; under Open Cover once the spin is over), by wires,
    /// truth and people alone.
    fn update_could_see(&mut self) {
        let motor_off = !self.is(Line::MotorEnable, true);
        let away = self.dome_contacts_open() || self.dome.is_some_and(|(open, _)| open);
        // Nine tenths, because a cam edge and its quarter turn need not carry the same time.
        let rested = self.now_ns.saturating_sub(self.moved_ns) >= self.config.given.limits.standstill_ns / 10 * 9;
        // If the relay does not cut power and the cam is broken as well, nothing shows the table that the shaft still turns. The
        // second barrier, `motor_enable`, has stopped it by now.
        let still = rested || self.broken(Part::Relay) && self.broken(Part::Cam);
        if let Some(round) = &mut self.round {
            if !round.could_see && motor_off && round.no_more_bets_ns.is_some() {
                round.could_see = if round.covered() { away || round.confirmed } else { round.spun_closed && still };
            }
        }
    }
}

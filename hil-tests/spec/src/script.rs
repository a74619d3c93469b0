//! Hand-written runs for the judges' own tests: a lawful table, step by step, from which a test departs.

mod journal;
mod opening;
mod round;

use crate::areas::{Area, Layout, sorted};
use crate::config::{Config, LampOrder, Rules};
use crate::judge::{Exercised, Judge};
use crate::observation::{BusKind, Key, Line, Observation, Seen, Trace, Transaction, Truth, Words};
use crate::panel::Panel;
use serde_json::json;

/// The ids of all rule sets.
pub(crate) const EVERY: [&str; 5] =
    [Rules::Nz1998.id(), Rules::NzDiv9.id(), Rules::SgV6.id(), Rules::SgOpen.id(), Rules::SgOpenEarly.id()];

const MS: u64 = 1_000_000;

/// A run in the making.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) trace: Trace,
    pub(crate) config: Config,
    pub(crate) now_ns: u64,
    pub(crate) seq: u64,
    pub(crate) round: u64,
    rules: Rules,
    layout: Layout,
    quarters: i64,
    alive_level: bool,
    pub(crate) tell_mqtt: bool,
    /// What was called and done in this round.
    bets_called: bool,
    spun: bool,
    proved: bool,
    /// The journal's link at its last record.
    head: Option<String>,
}

/// The run must break this rule, and be lawful without its last step as far as other tests show.
pub(crate) fn broken(script: &Script, judge: Box<dyn Judge>, clause: &str) {
    let found = script.clone().judged(judge).violations().to_vec();
    assert!(found.iter().any(|v| v.clause == clause), "`{clause}` was not found broken; found: {found:#?}");
    let others: Vec<_> = found.iter().filter(|v| v.clause != clause).collect();
    assert!(others.is_empty(), "found besides: {others:#?}");
}

impl Script {
    /// A table of this rule set, with its largest layout, switched on and opened.
    pub(crate) fn open(rules: &str) -> Self {
        let mut script = Self::off(rules);
        script.start();
        script.opening();
        script
    }

    /// The same, and a round whose bets are so far that the tumbler may run.
    pub(crate) fn before_spin(rules: &str) -> Self {
        let mut script = Self::open(rules);
        script.begin();
        if !script.covered() {
            script.no_more_bets();
        }
        script
    }

    /// A table that was never switched on.
    pub(crate) fn off(rules: &str) -> Self {
        let rules = Rules::named(rules).unwrap();
        let layout = crate::areas::LAYOUTS.into_iter().rfind(|l| l.rules == rules.id()).unwrap();
        let areas = layout.areas().iter().map(Area::to_string).collect();
        let config = Config {
            rules: rules.id().into(),
            layout: layout.id.into(),
            lamps: vec![LampOrder { layout: layout.id.into(), areas }],
            topics: "taisai/lab/1".into(),
            ..Config::default()
        };
        Self {
            trace: Trace::default(),
            config,
            now_ns: 1_000 * MS,
            seq: 0,
            round: 0,
            rules,
            layout,
            quarters: 0,
            alive_level: false,
            tell_mqtt: true,
            bets_called: false,
            spun: false,
            proved: false,
            head: None,
        }
    }

    pub(crate) fn judged(&self, judge: Box<dyn Judge>) -> Panel {
        let mut panel = Panel::with(self.config.clone(), vec![judge]).unwrap();
        panel.observe_all(&self.trace);
        panel
    }

    /// Asserts that this judge finds nothing; returns what it exercised.
    pub(crate) fn lawful(self, judge: Box<dyn Judge>) -> Vec<Exercised> {
        let panel = self.judged(judge);
        assert!(panel.findings().is_empty(), "{:#?}", panel.violations());
        panel.exercised().into_iter().map(|e| (e.rule, e.times)).collect()
    }

    pub(crate) fn see(&mut self, what: Seen) {
        self.trace.0.push(Observation::new(self.now_ns, what));
    }
    pub(crate) fn truth(&mut self, truth: Truth) {
        self.see(Seen::Truth(truth));
    }
    pub(crate) fn pass(&mut self, ms: u64) {
        self.now_ns += ms * MS;
    }
    pub(crate) fn wire(&mut self, line: Line, active: bool) {
        self.see(Seen::Wire { line, active, initial: false });
    }
    pub(crate) fn press(&mut self, line: Line) {
        self.pass(100);
        self.wire(line, true);
        self.pass(30);
        self.wire(line, false);
    }
    pub(crate) fn covered(&self) -> bool {
        self.rules.covered()
    }

    fn bus(&mut self, unit: u8, kind: BusKind, address: u16, count: u16, words: &[u16], bits: u64) {
        let begun_ns = self.now_ns;
        self.pass(3);
        let words = Words::new(words);
        self.see(Seen::Bus(Transaction { begun_ns, unit, kind, address, count, words, bits, ok: true }));
    }
    pub(crate) fn read_poses(&mut self, poses: [u16; 3]) {
        let [a, b, c] = poses;
        // It measures 20 times a second.
        let number = u16::try_from(self.now_ns / (50 * MS) % 65_536).unwrap();
        self.read_block([number, 3, a, b, c, 101, 102, 103, 5]);
    }
    pub(crate) fn read_block(&mut self, block: [u16; 9]) {
        self.bus(10, BusKind::ReadInput, 0x10, 9, &block, 0);
    }
    pub(crate) fn read_faces(&mut self, [a, b, c]: [u8; 3]) {
        self.bus(10, BusKind::ReadInput, 0x100, 4, &[1, a.into(), b.into(), c.into()], 0);
    }
    pub(crate) fn display(&mut self, word: u16) {
        self.bus(1, BusKind::WriteHolding, 1, 1, &[word], 0);
    }
    pub(crate) fn key(&mut self, key: Key) {
        self.pass(80);
        self.truth(Truth::Pressed(key));
    }

    /// The lamps of these dice are written, shine and are sensed; `None` for all dark.
    pub(crate) fn light(&mut self, dice: Option<[u8; 3]>) {
        let lit = dice.map_or([0; 2], |dice| self.lamps(dice));
        self.light_mask(lit);
        self.sense(lit);
    }
    pub(crate) fn light_mask(&mut self, [first, second]: [u64; 2]) {
        self.bus(2, BusKind::WriteCoils, 0, 64, &[], first);
        self.bus(3, BusKind::WriteCoils, 0, 64, &[], second);
        self.truth(Truth::Lamps { boards: [first, second] });
    }
    pub(crate) fn sense(&mut self, [first, second]: [u64; 2]) {
        self.bus(2, BusKind::ReadDiscrete, 0, 64, &[], first);
        self.bus(3, BusKind::ReadDiscrete, 0, 64, &[], second);
    }
    /// The lamps that these dice light.
    pub(crate) fn lamps(&self, dice: [u8; 3]) -> [u64; 2] {
        let mut lit = [0_u64; 2];
        for (i, area) in self.layout.areas().iter().enumerate() {
            if area.wins(dice) {
                lit[i / 64] |= 1 << (i % 64);
            }
        }
        lit
    }

    /// The process starts on a healthy, covered table.
    pub(crate) fn start(&mut self) {
        if self.trace.0.is_empty() {
            self.truth(Truth::Supply { good: true });
            self.truth(Truth::Shaft { quarters: 0 });
            self.truth(Truth::MotorPower { on: false });
            self.truth(Truth::Dome { open: !self.covered() });
            self.truth(Truth::Dice { faces: [2, 4, 4], flat: [true; 3] });
            self.truth(Truth::Lamps { boards: [0; 2] });
            for line in Line::ALL {
                let active = matches!(line, Line::Seal | Line::PowerGood)
                    || line == if self.covered() { Line::DomeClosed } else { Line::DomeOpen };
                self.see(Seen::Wire { line, active, initial: true });
            }
        }
        self.truth(Truth::Process { alive: true });
        self.pass(50);
        self.wire(Line::MotorEnable, false);
        self.wire(Line::OutOfService, true);
        let (rules, layout) = (self.rules.id(), self.layout.id);
        self.record_of(
            None,
            "started",
            json!({"boot": "b1", "build": "t", "config": "c", "backend": "virtual", "rules": rules, "layout": layout}),
        );
        self.mqtt("status", json!({"v": 1, "status": "online", "boot": "b1", "build": "t", "backend": "virtual"}));
    }

    pub(crate) fn alive_edge(&mut self) {
        self.alive_level = !self.alive_level;
        self.wire(Line::MotorAlive, self.alive_level);
    }

    pub(crate) fn motor_on(&mut self) {
        self.wire(Line::MotorEnable, true);
        self.alive_edge();
        self.truth(Truth::MotorPower { on: true });
    }
    pub(crate) fn motor_off(&mut self) {
        self.wire(Line::MotorEnable, false);
        self.truth(Truth::MotorPower { on: false });
    }
    /// So many quarter turns, one in 150 ms, with a dead-man edge every 10 ms while the motor is on.
    pub(crate) fn turn(&mut self, quarters: u32) {
        for _ in 0..quarters {
            for _ in 0..15 {
                self.pass(10);
                self.alive_edge();
            }
            self.quarter(1);
        }
    }
    pub(crate) fn quarter(&mut self, by: i64) {
        self.quarters += by;
        self.truth(Truth::Shaft { quarters: self.quarters });
        let (a, b) = [(false, false), (true, false), (true, true), (false, true)][self.quarters.rem_euclid(4) as usize];
        self.wire(Line::CamA, a);
        self.wire(Line::CamB, b);
    }
    pub(crate) fn motor_run(&mut self, quarters: u32) {
        self.motor_on();
        self.turn(quarters);
        self.motor_off();
    }
    pub(crate) fn coast(&mut self) {
        self.pass(120);
        self.quarter(1);
        self.pass(400);
    }
    pub(crate) fn dome(&mut self, open: bool) {
        self.pass(50);
        self.truth(Truth::Dome { open });
        let (first, last) = if open { (Line::DomeClosed, Line::DomeOpen) } else { (Line::DomeOpen, Line::DomeClosed) };
        self.wire(first, false);
        self.pass(80);
        self.wire(last, true);
        self.pass(60);
    }
}

/// The call of a result, spelt out by hand for the dice that tests use.
pub(crate) fn call(dice: [u8; 3]) -> String {
    match sorted(dice) {
        [1, 3, 6] => "1, 3, 6, total 10",
        [5, 5, 5] => "triple 5, total 15",
        [3, 3, 4] => "double 3, 4, total 10",
        [2, 5, 5] => "2, double 5, total 12",
        dice => panic!("no call is written for {dice:?}"),
    }
    .into()
}

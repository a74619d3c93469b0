//! What stands still: the shaft between two edges of its cam, and the daemon.

use crate::world;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tumbler_core::context::Context;
use tumbler_core::device::tumbler::{Defect, Report, RunsFor, Stop, Tumbler};
use tumbler_core::effect::Effect;
use tumbler_core::input::Input;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Standing;
use tumbler_core::table::{Found, Start, Table};
use tumbler_core::units::{Mono, Seq, Tumbles};
use world::durable::durable;
use world::settings;

/// The same numbers in every run: what is proved is one in many thousands, not every sequence there is.
fn rng() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

/// The context at this moment, at which also whatever is in hand happened and was read.
fn when(ctx: &mut Context, now: Mono) -> &mut Context {
    ctx.hand_in(now);
    ctx.take(now);
    ctx
}

/// A shaft, its cam and the tumbler's own deadlines.
#[derive(Default)]
struct Shaft {
    tumbler: Tumbler,
    ctx: Context,
    steps: u8,
}

impl Shaft {
    /// Fires the deadlines until then.
    fn pass(&mut self, ms: u64) {
        while let Some(timer) = self.ctx.pop(Mono::from_millis(ms)) {
            self.tumbler.timer(timer, &mut self.ctx);
        }
    }

    /// The cam goes on by a step.
    fn step(&mut self, ms: u64) -> Option<Report> {
        self.pass(ms);
        self.steps = (self.steps + 1) % 4;
        let (line, active) = [(InLine::CamB, false), (InLine::CamA, true), (InLine::CamB, true), (InLine::CamA, false)]
            [usize::from(self.steps)];
        self.tumbler.edge(line, active, when(&mut self.ctx, Mono::from_millis(ms)))
    }
}

/// design.md, Spin: "ends at standstill". A tumbler of 2.2 s a tumble counts under Singapore's rules (faults.md motor.slow), so
/// 550 ms between two edges of its cam are no standstill; a healthy one stands 300 ms after its last.
#[test]
fn a_shaft_that_creeps_has_not_stopped_between_two_edges() {
    for (between, stands) in [(150, 300), (550, 700)] {
        let mut shaft = Shaft::default();
        shaft.tumbler.run(RunsFor::Round, 4, durable(), &mut shaft.ctx);
        for step in 1..=3 {
            shaft.step(step * between);
        }
        let off = 3 * between + 10;
        shaft.pass(off);
        shaft.tumbler.halt(Stop::TimeLimit, when(&mut shaft.ctx, Mono::from_millis(off)));
        for step in 4..=5 {
            assert!(!shaft.tumbler.is_still(), "{between} ms");
            assert_eq!(shaft.step(step * between), None, "{between} ms");
        }
        shaft.pass(5 * between + stands - 1);
        assert!(!shaft.tumbler.is_still(), "{between} ms");
        shaft.pass(5 * between + stands);
        assert!(shaft.tumbler.is_still(), "{between} ms");
    }
}

/// The same: a cam that trembles where the shaft has come to rest keeps it from no standstill.
#[test]
fn a_shaft_that_trembles_at_rest_stands_still() {
    let mut shaft = Shaft::default();
    shaft.tumbler.run(RunsFor::Round, 4, durable(), &mut shaft.ctx);
    for step in 1..=5 {
        shaft.step(step * 150);
    }
    shaft.pass(760);
    shaft.tumbler.halt(Stop::TimeLimit, when(&mut shaft.ctx, Mono::from_millis(760)));
    shaft.step(900);
    // Half of the trembling goes below the last position, half comes back to it.
    for (ms, active) in [(950, false), (1000, true), (1050, false), (1100, true), (1150, false), (1199, true)] {
        shaft.pass(ms);
        let (line, at) = (InLine::CamB, Mono::from_millis(ms));
        let report = shaft.tumbler.edge(line, active, when(&mut shaft.ctx, at));
        assert_eq!((report, shaft.tumbler.is_still()), (None, false), "{ms} ms");
    }
    shaft.pass(1200);
    assert!(shaft.tumbler.is_still(), "300 ms after the last edge that took it on");
}

/// The same for a shaft that a hand has turned: trembling about where it was left is no turning.
#[test]
fn a_shaft_that_trembles_where_a_hand_left_it_stands_still() {
    let mut shaft = Shaft::default();
    shaft.step(100);
    assert_eq!(shaft.step(250), Some(Report::Defective(Defect::Uncommanded)));
    // Back by a quarter, which is the last that is new, and forth again and again.
    for (nth, ms) in (300..=560).step_by(20).enumerate() {
        shaft.pass(ms);
        assert!(!shaft.tumbler.is_still(), "{ms} ms");
        let at = Mono::from_millis(ms);
        shaft.tumbler.edge(InLine::CamB, nth % 2 == 1, when(&mut shaft.ctx, at));
    }
    shaft.pass(600);
    assert!(shaft.tumbler.is_still(), "300 ms after the last edge that took it on");
}

/// NZ 6.1: three tumbles of the dice, not of the noise. faults.md cam.both_noise under motor.intermittent: after `turned` true
/// quarters the powered shaft stands, and random edges on both sensors go forward as often as back.
#[test]
fn noise_on_both_sensors_makes_no_tumbles() {
    let edges = proptest::collection::vec((any::<bool>(), 3u64..30), 500);
    let mut runner = TestRunner::new_with_rng(ProptestConfig { cases: 2000, ..ProptestConfig::default() }, rng());
    let outcome = runner.run(&(edges, 0u64..=8), |(edges, turned)| {
        let mut shaft = Shaft::default();
        shaft.tumbler.run(RunsFor::Round, 4, durable(), &mut shaft.ctx);
        for step in 1..=turned {
            shaft.step(step * 150);
        }
        let (mut levels, mut now) = ([matches!(shaft.steps, 1 | 2), shaft.steps >= 2], turned * 150);
        for (b, after) in edges {
            now += after;
            shaft.pass(now);
            let (sensor, line) = (usize::from(b), if b { InLine::CamB } else { InLine::CamA });
            levels[sensor] = !levels[sensor];
            let at = Mono::from_millis(now);
            shaft.tumbler.edge(line, levels[sensor], when(&mut shaft.ctx, at));
        }
        prop_assert!(shaft.tumbler.counted() < Tumbles(3), "{:?}", shaft.tumbler.counted());
        prop_assert!(!shaft.tumbler.is_running());
        Ok(())
    });
    outcome.unwrap();
}

/// design.md, Field bus: one transaction at a time, also for a daemon that stood still while it waited for an answer.
#[test]
fn after_a_standstill_no_second_transaction_begins_before_the_first_ones_answer() {
    for (late_ms, stood_still) in
        [(5, false), (10, false), (11, true), (20, true), (80, true), (500, true), (3_500, true)]
    {
        let start = Start {
            boot: "boot-1".into(),
            build: "test".into(),
            config: "00".into(),
            journal: Found::Good {
                standing: Box::new(Standing::default()),
                last: Seq(0),
                relayed: Seq(0),
                permit: false,
            },
        };
        let mut effects = Vec::new();
        let mut table = Table::start(settings("nz-div9", "nz-div9-1"), start, Mono(0), &mut effects).unwrap();
        let asked = |effects: &mut Vec<Effect>| effects.drain(..).filter(|e| matches!(e, Effect::Bus(_))).count();
        table.handle(Mono(0), Mono(0), &Input::Tick, &mut effects);
        assert_eq!(asked(&mut effects), 1);
        for (line, active) in [(OutLine::MotorEnable, false), (OutLine::OutOfService, true), (OutLine::Bell, false)] {
            table.handle(Mono(0), Mono(0), &Input::Readback { line, active }, &mut effects);
        }
        // The bus does not answer, until only the guard of the transaction is left to wait for.
        while let Some(due) = table.next_deadline().filter(|due| *due < Mono::from_millis(3_000)) {
            table.handle(due, due, &Input::Tick, &mut effects);
        }
        assert_eq!((asked(&mut effects), table.next_deadline()), (0, Some(Mono::from_millis(3_000))));
        let now = Mono::from_millis(3_000 + late_ms);
        table.handle(now, now, &Input::Tick, &mut effects);
        // Up to the time between two dead-man edges it is only late, and the answer has had its time.
        assert_eq!(asked(&mut effects), usize::from(!stood_still), "{late_ms} ms late");
        // What is never answered is given up all the same.
        let due = Mono::from_millis(6_000 + late_ms);
        table.handle(due, due, &Input::Tick, &mut effects);
        assert_eq!(asked(&mut effects), 1, "{late_ms} ms late");
    }
}

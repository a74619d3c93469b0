//! The tumbler by itself, edge by edge: what is counted, what ends a run and when, and what is a defect.

use crate::world::durable::durable;
use tumbler_core::context::Context;
use tumbler_core::device::tumbler::{Defect, Report, RunsFor, Stop, Tumbler};
use tumbler_core::effect::Effect;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::settings::{Parameters, Settings};
use tumbler_core::timer::Timer;
use tumbler_core::units::{Mono, Tumbles};

/// The context at this moment, at which also whatever is in hand happened and was read.
fn at(ctx: &mut Context, now: Mono) -> &mut Context {
    ctx.hand_in(now);
    ctx.take(now);
    ctx
}

/// A tumbler with its cam at 00; times in milliseconds, `micros` for what lies between.
#[derive(Default)]
struct Rig {
    tumbler: Tumbler,
    ctx: Context,
    /// Steps of the cam forward, and the time of the last edge in microseconds.
    steps: i64,
    micros: u64,
}

const STEP: u64 = 150_000;

impl Rig {
    fn running() -> Self {
        let mut rig = Self::default();
        rig.tumbler.run(RunsFor::Round, 4, durable(), &mut rig.ctx);
        rig
    }

    /// The edge that takes the cam on, or back, after so many microseconds.
    fn step(&mut self, forward: bool, after: u64) -> Option<Report> {
        self.micros += after;
        let from = if forward { self.steps } else { self.steps - 1 };
        self.steps += if forward { 1 } else { -1 };
        let (line, active) = match from.rem_euclid(4) {
            0 => (InLine::CamA, forward),
            1 => (InLine::CamB, forward),
            2 => (InLine::CamA, !forward),
            _ => (InLine::CamB, !forward),
        };
        self.tumbler.edge(line, active, at(&mut self.ctx, Mono(self.micros * 1000)))
    }

    fn steps(&mut self, count: u32, each: u64) -> Vec<Report> {
        (0..count).filter_map(|_| self.step(true, each)).collect()
    }

    /// The next deadline of the tumbler, which must be this one at this millisecond.
    fn fires(&mut self, timer: Timer, millis: u64) -> Option<Report> {
        while let Some(fired) = self.ctx.pop(Mono(u64::MAX - 1)) {
            self.micros = self.ctx.at().0 / 1000;
            let beats = matches!(fired, Timer::Alive | Timer::Readback(_));
            if !beats {
                assert_eq!((fired, self.micros), (timer, millis * 1000));
            }
            let report = self.tumbler.timer(fired, &mut self.ctx);
            if !beats {
                return report;
            }
        }
        unreachable!("{timer:?} is not set");
    }

    fn enable(&self) -> bool {
        self.ctx.pins().commanded(OutLine::MotorEnable)
    }

    fn is_set(&self, timer: Timer) -> bool {
        self.ctx.is_set(timer)
    }
}

/// NZ 6.1, SGV6 3.7: a full cycle is reckoned from an edge to the same edge again; the target stops the motor by its
/// dead-man line first, and by `motor_enable` at standstill.
#[test]
fn nz_6_1_a_healthy_run_counts_its_tumbles_and_stops_at_the_target() {
    let mut rig = Rig::running();
    assert!(rig.enable() && rig.tumbler.is_on() && rig.tumbler.is_running() && !rig.tumbler.is_still());
    for (steps, tumbles) in [(4, 0), (1, 1), (4, 2), (4, 3)] {
        let reports = rig.steps(steps, STEP);
        assert_eq!(reports, vec![Report::Tumbled; usize::from(steps != 4 || tumbles > 1)]);
        assert_eq!(rig.tumbler.counted(), Tumbles(tumbles));
    }
    assert!(rig.is_set(Timer::Alive) && rig.is_set(Timer::Stall) && rig.is_set(Timer::Period));
    assert_eq!(rig.steps(4, STEP), [Report::Tumbled]);
    assert_eq!(rig.tumbler.stopped_by(), Some(Stop::Target));
    assert!(rig.enable() && rig.tumbler.is_on() && !rig.tumbler.is_running());
    assert!(!rig.is_set(Timer::Alive) && !rig.is_set(Timer::Stall) && !rig.is_set(Timer::Period));
    // The last step took 150 ms: twice that is standstill.
    assert_eq!(rig.fires(Timer::Standstill, 17 * 150 + 300), Some(Report::Still));
    assert!(!rig.enable() && rig.tumbler.is_still() && !rig.is_set(Timer::Coast) && !rig.is_set(Timer::SpinLimit));
    rig.tumbler.clear_stop();
    assert_eq!((rig.tumbler.stopped_by(), rig.tumbler.counted()), (None, Tumbles(4)));
}

/// design.md, Dead-man line: an edge every 10 ms while the motor is commanded on.
#[test]
fn the_dead_man_line_beats_while_the_motor_is_on_and_not_after() {
    let mut rig = Rig::running();
    for _ in 0..5 {
        let timer = rig.ctx.pop(Mono(60_000_000)).unwrap();
        assert_eq!(timer, Timer::Alive);
        rig.tumbler.timer(timer, &mut rig.ctx);
    }
    let mut effects = Vec::new();
    rig.ctx.drain(&mut effects);
    let beats: Vec<bool> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Set(drive) if drive.line() == OutLine::MotorAlive => Some(drive.is_active()),
            _ => None,
        })
        .collect();
    assert_eq!(beats, [true, false, true, false, true, false]);
    assert_eq!(rig.ctx.next_deadline(), Some(Mono::from_millis(60)));
    rig.tumbler.halt(Stop::Halt, at(&mut rig.ctx, Mono::from_millis(60)));
    assert!(!rig.is_set(Timer::Alive) && !rig.enable());
    rig.tumbler.timer(Timer::Alive, at(&mut rig.ctx, Mono::from_millis(70)));
    assert!(!rig.is_set(Timer::Alive));
}

/// faults.md motor.stall: 700 ms after the last edge that took the cam on; bounce of one sensor is no progress.
#[test]
fn a_stall_is_reckoned_from_the_last_progress() {
    let mut rig = Rig::running();
    assert!(rig.steps(6, STEP).len() == 1);
    assert_eq!((rig.step(false, 1000), rig.step(true, 1000)), (None, None));
    assert_eq!(rig.fires(Timer::Stall, 6 * 150 + 700), Some(Report::Stopped(Stop::Defect(Defect::Stall))));
    assert!(!rig.enable() && !rig.tumbler.is_on());
    // Halted once: to halt it again says nothing.
    assert_eq!(rig.tumbler.halt(Stop::Halt, at(&mut rig.ctx, Mono(rig.micros * 1000))), None);
    assert_eq!(rig.tumbler.stopped_by(), Some(Stop::Defect(Defect::Stall)));
}

/// faults.md motor.slow: a full tumble has `tumble_period`, from motor on or from the last full tumble.
#[test]
fn a_tumble_has_its_period_and_a_spin_its_limit() {
    let mut rig = Rig::running();
    rig.steps(4, 370_000);
    assert_eq!(rig.fires(Timer::Period, 1500), Some(Report::Slow));
    assert!(rig.enable(), "whether that ends it is for the rules to say");
    let mut rig = Rig::running();
    rig.steps(5, STEP);
    rig.steps(3, 400_000);
    assert_eq!(rig.fires(Timer::Period, 5 * 150 + 1500), Some(Report::Slow));
    let parameters = Parameters { tumble_period: 4000, stall: 2000, ..Parameters::default() };
    let ctx = Context::new(Settings { parameters, ..Settings::default() }, Mono(0));
    let mut rig = Rig { ctx, ..Rig::default() };
    rig.tumbler.run(RunsFor::Round, 4, durable(), &mut rig.ctx);
    rig.steps(9, 800_000);
    assert_eq!(rig.fires(Timer::SpinLimit, 8000), Some(Report::Stopped(Stop::TimeLimit)));
}

/// faults.md motor.reverse: one full cycle backwards.
#[test]
fn a_cam_that_runs_backwards_for_a_cycle_is_a_defect() {
    let mut rig = Rig::running();
    for _ in 0..3 {
        assert_eq!(rig.step(false, STEP), None);
    }
    assert_eq!(rig.step(false, STEP), Some(Report::Stopped(Stop::Defect(Defect::Reverse))));
}

/// NZ 6.1: what a driven shaft cannot do proves no tumble: two steps back, or on at three times its speed (50 ms a step).
#[test]
fn a_cam_that_falls_back_or_rushes_is_erratic() {
    let erratic = Some(Report::Stopped(Stop::Defect(Defect::Erratic)));
    let mut rig = Rig::running();
    rig.steps(3, STEP);
    assert_eq!(rig.step(false, 1000), None, "a bounce");
    assert_eq!(rig.step(false, 1000), erratic);
    let mut rig = Rig::running();
    assert_eq!((rig.step(true, 1000), rig.step(true, 1000)), (None, None), "the shaft may have stood on an edge");
    assert_eq!(rig.step(true, 49_999), erratic);
    let mut rig = Rig::running();
    rig.steps(2, 1000);
    assert_eq!((rig.step(true, 50_000), rig.step(true, 50_000)), (None, None));
    assert!(rig.enable());
}

/// faults.md motor.enable_stuck, motor.runaway: the second edge without a command, either way round.
#[test]
fn a_shaft_that_turns_without_a_command_is_told_at_its_second_step_and_once() {
    for forward in [true, false] {
        let mut rig = Rig::default();
        assert_eq!(rig.step(forward, STEP), None, "a sensor that bounces");
        assert_eq!(rig.step(!forward, 1000), None);
        assert_eq!(rig.step(forward, STEP), None);
        assert_eq!(rig.step(forward, STEP), Some(Report::Defective(Defect::Uncommanded)));
        assert_eq!((rig.step(forward, STEP), rig.tumbler.counted()), (None, Tumbles(0)));
        let still = rig.micros / 1000 + 300;
        assert_eq!(rig.fires(Timer::Standstill, still), None, "there was no run to report");
        assert!(rig.tumbler.is_still());
        assert_eq!(rig.step(forward, STEP), None, "reckoned from where it came to rest");
    }
}

/// design.md, Motor guard: 3 ms are a flicker, and the same spin goes on; what turns meanwhile counts.
#[test]
fn a_guard_that_flickers_lets_the_same_spin_go_on() {
    let mut rig = Rig::running();
    rig.steps(4, STEP);
    rig.micros += STEP - 1000;
    rig.tumbler.cut(InLine::Seal, at(&mut rig.ctx, Mono(rig.micros * 1000)));
    assert!(!rig.enable() && !rig.tumbler.is_on() && rig.tumbler.is_running());
    assert!(rig.tumbler.is_cut());
    assert!(!rig.is_set(Timer::Alive) && !rig.is_set(Timer::Stall) && !rig.is_set(Timer::Period));
    rig.tumbler.cut(InLine::DomeOpen, at(&mut rig.ctx, Mono(rig.micros * 1000)));
    assert!(rig.tumbler.is_cut());
    assert_eq!((rig.step(true, 1000), rig.tumbler.counted()), (Some(Report::Tumbled), Tumbles(1)));
    let report = rig.tumbler.resume(Some(durable()), at(&mut rig.ctx, Mono(rig.micros * 1000)));
    assert_eq!((report, rig.tumbler.is_cut()), (Some(Report::Flickered(InLine::Seal)), false), "the first one counts");
    assert!(rig.enable() && rig.is_set(Timer::Alive) && rig.is_set(Timer::SpinLimit) && !rig.is_set(Timer::Flicker));
    assert_eq!(rig.tumbler.resume(Some(durable()), at(&mut rig.ctx, Mono(rig.micros * 1000))), None);
}

/// faults.md dome.flicker_long, motor.driver_fault.
#[test]
fn a_guard_that_stays_away_ends_the_spin() {
    let defect = Stop::Defect(Defect::Driver);
    for (line, stop) in [(InLine::DomeClosed, Stop::Guard(InLine::DomeClosed)), (InLine::MotorFault, defect)] {
        let mut rig = Rig::running();
        rig.steps(4, STEP);
        rig.tumbler.cut(line, at(&mut rig.ctx, Mono(rig.micros * 1000)));
        assert_eq!(rig.fires(Timer::Flicker, 603), Some(Report::Stopped(stop)));
        assert_eq!((rig.tumbler.counted(), rig.is_set(Timer::SpinLimit)), (Tumbles(0), false));
        assert_eq!((rig.step(true, 147_000), rig.tumbler.counted()), (None, Tumbles(0)), "what coasts is not counted");
        assert_eq!(rig.fires(Timer::Standstill, 750 + 300), Some(Report::Still));
    }
}

/// design.md, Dead-man line: the relay stops the shaft also where a guard flickers meanwhile, and no dead-man edge comes after it. A
/// break that lasts ends the stop instead, and the tumbles stand.
#[test]
fn a_guard_that_breaks_in_the_stop_is_no_edge_of_the_dead_man_line() {
    for lasts in [false, true] {
        let mut rig = Rig::running();
        rig.steps(17, STEP);
        rig.tumbler.cut(InLine::DomeClosed, at(&mut rig.ctx, Mono(rig.micros * 1000)));
        assert_eq!((rig.enable(), rig.tumbler.is_cut(), rig.tumbler.is_running()), (false, true, false));
        if lasts {
            let stop = Stop::Guard(InLine::DomeClosed);
            assert_eq!(rig.fires(Timer::Flicker, 17 * 150 + 3), Some(Report::Stopped(stop)));
            assert_eq!(rig.fires(Timer::Standstill, 17 * 150 + 303), Some(Report::Still));
            assert_eq!(rig.tumbler.stopped_by(), Some(stop));
        } else {
            rig.micros += 1000;
            let report = rig.tumbler.resume(Some(durable()), at(&mut rig.ctx, Mono(rig.micros * 1000)));
            assert_eq!((report, rig.enable()), (Some(Report::Flickered(InLine::DomeClosed)), true));
            assert!(!rig.is_set(Timer::Alive) && !rig.tumbler.is_running());
            assert_eq!(rig.fires(Timer::Standstill, 17 * 150 + 301), Some(Report::Still));
            assert_eq!(rig.tumbler.stopped_by(), Some(Stop::Target));
        }
        assert_eq!((rig.tumbler.counted(), rig.enable()), (Tumbles(4), false));
    }
}

/// faults.md motor.coast, deadman.stuck: after the drop and 2 s a shaft that slowed down coasts; one at its speed has power.
#[test]
fn a_shaft_that_does_not_stop_coasts_or_has_power() {
    // 648 ms a tumble are 108 percent of the 600 ms under power.
    for (lap, defect) in [(162_000, Defect::Deadman), (163_000, Defect::Coast)] {
        let mut rig = Rig::running();
        rig.steps(17, STEP);
        while rig.micros + lap < 17 * STEP + 2_100_000 {
            rig.step(true, lap);
        }
        assert_eq!(rig.fires(Timer::Coast, 17 * 150 + 2100), Some(Report::Defective(defect)), "{lap}");
        assert!(!rig.enable());
    }
    // Called off, it has 2 s; it is told once and watched until it stands.
    let mut rig = Rig::running();
    rig.steps(8, STEP);
    rig.tumbler.halt(Stop::Halt, at(&mut rig.ctx, Mono(rig.micros * 1000)));
    while rig.micros < 1_200_000 + 1_900_000 {
        assert_eq!(rig.step(true, STEP), None);
    }
    assert_eq!(rig.fires(Timer::Coast, 1200 + 2000), Some(Report::Defective(Defect::Coast)));
    assert_eq!(rig.tumbler.counted(), Tumbles(1), "frozen at the halt");
    let last = rig.micros / 1000;
    assert!(last >= 3200 && !rig.is_set(Timer::Coast) && rig.is_set(Timer::Standstill));
}

/// A shaft that creeps has not stopped between two edges: twice its last step, and no longer than a stall.
#[test]
fn standstill_waits_for_twice_the_last_step() {
    for (step, wait) in [(100_000, 300), (150_000, 300), (200_000, 400), (350_000, 700), (360_000, 700)] {
        let mut rig = Rig::running();
        rig.steps(3, step);
        rig.tumbler.halt(Stop::Halt, at(&mut rig.ctx, Mono(rig.micros * 1000)));
        assert_eq!(rig.fires(Timer::Standstill, 3 * step / 1000 + wait), Some(Report::Still), "{step}");
    }
}

/// SGV6 5.5.3: no dice are seen while the shaft turns. A shaft that turns back over the way it came does; a sensor that
/// bounces at its edge does not.
#[test]
fn a_shaft_that_turns_back_is_not_at_rest() {
    let mut rig = Rig::running();
    rig.steps(8, STEP);
    rig.tumbler.halt(Stop::Halt, at(&mut rig.ctx, Mono(rig.micros * 1000)));
    for _ in 0..6 {
        rig.step(false, STEP);
    }
    let last = rig.micros / 1000;
    for _ in 0..5 {
        rig.step(true, 10_000);
        rig.step(false, 10_000);
    }
    assert_eq!(rig.fires(Timer::Standstill, last + 300), Some(Report::Still));
}

/// faults.md cam.both_noise: edges that come faster than any motor makes steps turn no shaft, and it comes to a stand. What
/// they are then is a shaft that turned without a command.
#[test]
fn noise_on_both_sensors_keeps_no_shaft_turning() {
    for target in [true, false] {
        let mut rig = Rig::running();
        rig.steps(17, STEP);
        if !target {
            rig.tumbler.halt(Stop::Halt, at(&mut rig.ctx, Mono(rig.micros * 1000)));
        }
        let last = rig.micros / 1000;
        for forward in [false, false, false, true, true, true, false, false, true, true].into_iter().cycle().take(19) {
            assert_eq!(rig.step(forward, 15_000), None);
        }
        let still = rig.fires(Timer::Standstill, last + 300);
        assert_eq!((still, rig.enable()), (Some(Report::Still), false), "{target}");
    }
}

/// faults.md cam.lost_edges.
#[test]
fn lost_edges_end_a_run_and_are_none_of_a_shaft_that_stands() {
    let mut rig = Rig::running();
    rig.steps(6, STEP);
    let report = rig.tumbler.gap(at(&mut rig.ctx, Mono(rig.micros * 1000)));
    assert_eq!(report, Some(Report::Stopped(Stop::Defect(Defect::LostEdges))));
    let mut rig = Rig::default();
    assert_eq!(rig.tumbler.gap(at(&mut rig.ctx, Mono(rig.micros * 1000))), None);
    let defects = [
        Defect::Stall,
        Defect::Reverse,
        Defect::Uncommanded,
        Defect::Coast,
        Defect::Deadman,
        Defect::Erratic,
        Defect::LostEdges,
        Defect::Driver,
    ];
    let told: std::collections::BTreeSet<&str> = defects.iter().map(|defect| defect.found()).collect();
    assert!(told.len() == defects.len() && told.iter().all(|words| words.len() > 20));
}

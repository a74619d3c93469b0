//! The tests of an opening and of a reset, in their order, and what proves each.
//!
//! ```text
//!  `test-began` durable ──> journal ─> power ─> bus ─> ... ──┬── each proved ──> people: keys, witness ──> `opened`, or `unlatched`
//!                                                           └── one not ──────> it ends there, and nothing is opened
//! ```

use super::run::HOT;
use crate::ledger::Ledger;
use crate::observation::{BusKind, Key, Line, Observation, Part, Seen, Transaction, Truth};
use crate::record::{Fact, Record};
use crate::registers::{DISPLAY, SHOWN, TERMINAL};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, COMMIT_NS, Section, may, must};
use serde_json::{Value, json};

const ORDER: Rule = Rule::new(
    "opening.order",
    "table.md, Malfunctions: a test has its parts in order, and ends with the first that fails",
);
const PROVED: Rule = Rule::new(
    "opening.proved",
    "NZ 5: a part passes by what proves it: lamps lit, tumbler turned, power cut, keys pressed",
);
const FAILED: Rule =
    Rule::new("opening.failed", "table.md, Malfunctions: a part fails by something that is out of order");
const WITNESSED: Rule =
    Rule::new("opening.witnessed", "NZ 5(b), 5(d): what only a person sees is right when a person says so");
const OPENED: Rule =
    Rule::new("opening.opened", "console.md, A request: the last right witness opens, under the name of whoever asked");
const RECTIFIED: Rule =
    Rule::new("opening.rectified", "design.md, Latch: a latch opens by its device's test, all of it");

const GOES_ON: Rule = Rule::new(
    "opening.goes-on",
    "table.md, Parameters: each part of a test ends within its own times, and those of the people that it waits for",
);

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
/// What all that it needs is there for has ended by then.
const SOON_NS: u64 = 2 * SECOND;
/// The motor's time limit, its coasting and the proof of the relay (parameters `spin_limit`, `coast_limit`, `stall`).
const SPIN_NS: u64 = 14 * SECOND;
/// Full tumbles of a test's spin, in quarter turns; the first edge may come at once (parameter `target_tumbles`).
const TURNED: i64 = 4 * 4 - 1;
/// The press has to come within this of the table's asking (design.md, Motion by command).
const PRESS_NS: u64 = 10_000 * MS;
/// A blank display.
const NOTHING: u16 = 0x0FFF;
/// The part that a person's wrong or missing word fails, and the one of a measurement.
const WITNESS: &str = "witness";
const MEASURE: &str = "measure";

/// What a latch is rectified by (table.md, Malfunctions), and an opening is done by, in order.
fn steps(test: &str, in_spin: bool) -> Vec<&'static str> {
    let own: &[&str] = match test {
        "opening" => {
            &["power", "bus", "temperature", "terminal", "lamps", "bell", "seal", "tumbler", "deadman", "dice", "keys"]
        }
        "tumbler" | "deadman" => &["power", "tumbler", "deadman"],
        "gpio" => &["power", "bell", "tumbler", "deadman"],
        "reader" => &["power", "bus", "reader", "tumbler", "deadman"],
        "lamps" => &["bus", "areas"],
        "terminal" => &["bus", "terminal"],
        "seal" => &["seal", "seal"],
        "dice" | "interference" => &["dice"],
        "temperature" => &["temperature"],
        "buttons" => &["buttons"],
        _ => &[],
    };
    // A line that flickered in a spin is proved by a spin in which it does not break.
    let flickered = in_spin && matches!(test, "seal" | "dome");
    let spin = ["tumbler", "deadman"].into_iter().filter(|_| flickered);
    ["journal"].into_iter().chain(own.iter().copied()).chain(spin).collect()
}

/// A test that runs.
#[derive(Clone, Debug)]
struct Running {
    test: String,
    by: Value,
    began_ns: u64,
    durable_ns: u64,
    /// What is still to come, in order.
    left: Vec<&'static str>,
    /// What a person still has to say, in any order.
    witness: Vec<&'static str>,
    /// Lamps that shone in it.
    lit: [u64; 2],
    /// Keys of the terminal that were pressed, and when; and since when presses count.
    pressed: Vec<(u64, Key)>,
    keys_ns: u64,
    /// What the display was told, when, and when it showed it.
    told: Vec<(u64, u16, Option<u64>)>,
    /// When its last part ended, and when a process that had been stopped went on.
    last_ns: u64,
    resumed_ns: u64,
    /// It is known to stand still.
    late: bool,
}

impl Running {
    /// When every key had been pressed since the table asked for them.
    fn every_key(&self) -> Option<u64> {
        let keys = (1..=6).map(Key::Digit).chain([Key::Entry]);
        let first = |key: Key| self.pressed.iter().find(|(at_ns, is)| *at_ns >= self.keys_ns && *is == key);
        keys.map(|key| first(key).map(|(at_ns, _)| *at_ns)).try_fold(0, |last, at_ns| Some(at_ns?.max(last)))
    }

    fn has_every_key(&self, at_ns: u64) -> bool {
        self.every_key().is_some_and(|last| last <= at_ns)
    }

    /// The terminal was told something, or shows something.
    fn display(&mut self, bus: &Transaction, at_ns: u64) {
        if bus.unit != TERMINAL || !bus.ok {
            return;
        }
        match (bus.kind, bus.word(DISPLAY), bus.word(SHOWN), self.told.last_mut()) {
            (BusKind::WriteHolding, Some(value), ..) if bus.address == DISPLAY => {
                self.told.retain(|(_, told, shown)| *told != value || shown.is_some());
                self.told.push((at_ns, value, None));
            }
            (BusKind::ReadInput, _, Some(now), Some((_, told, shown))) if now == *told => {
                shown.get_or_insert(at_ns);
            }
            _ => {}
        }
    }

    /// Whether the display showed all that it was told up to this moment, and was told some number.
    fn shows(&self, at_ns: u64) -> bool {
        let mut told = self.told.iter().filter(|(told_ns, ..)| *told_ns <= at_ns);
        told.clone().any(|(_, value, _)| *value != NOTHING)
            && told.all(|(.., shown)| shown.is_some_and(|at| at <= at_ns))
    }

    /// When its next part has ended at the latest.
    fn due_ns(&self, scene: &Scene) -> u64 {
        let from_ns = self.last_ns.max(self.durable_ns).max(self.resumed_ns);
        let sound = [Part::Terminal, Part::Bus].into_iter().all(|part| !scene.recently_broken(part, SOON_NS));
        let motor = scene.past.line(Line::MotorEnable);
        let (own, people) = match self.left.first().copied() {
            Some("tumbler") => match motor.within(from_ns, scene.now_ns).filter(|(_, on)| **on).last() {
                Some((on_ns, _)) => return on_ns + SPIN_NS,
                None => (PRESS_NS + SOON_NS, u64::from(!clear(from_ns, scene))),
            },
            // Each result is shown for `lamp_dwell`, within `lamp_verify`.
            Some("lamps") => (50 * SECOND, 0),
            Some("areas") => (50 * SECOND, 1),
            Some("keys") => match self.every_key().filter(|_| sound) {
                Some(last_ns) => return last_ns.max(self.resumed_ns) + SOON_NS,
                None => (SOON_NS, 1),
            },
            Some("seal") if self.test == "seal" => (5 * SECOND, 1),
            Some("temperature" | "terminal" | "reader" | "dice") => (10 * SECOND, 0),
            Some(_) => (3 * SECOND, 0),
            None if self.test == "opening" => (SOON_NS, 1),
            // Measured with people's help, step by step.
            None => (10 * SECOND, 8),
        };
        from_ns + own + people * scene.config.given.limits.person_ns
    }
}

/// Follows the tests.
#[derive(Clone, Debug, Default)]
pub(super) struct Opening {
    running: Option<Running>,
    /// Latches that showed only in a spin.
    in_spin: Vec<Value>,
    /// A test that has passed, and when: it opens the table, or the latch.
    passed: Option<(Running, u64)>,
    layout: String,
}

impl Section for Opening {
    fn rules(&self) -> Vec<Rule> {
        vec![ORDER, PROVED, FAILED, WITNESSED, OPENED, RECTIFIED, GOES_ON]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        match &record.fact {
            Fact::Tested { test, passed } => self.tested(test, *passed, record, scene),
            Fact::Opened { .. } => self.opens("opening", OPENED, json!({}), record),
            Fact::Unlatched { code, how, .. } if how == "rectified" => {
                self.opens(code, RECTIFIED, json!({ "code": code, "how": how }), record)
            }
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match (&seen.what, &mut self.running) {
            (Seen::Record(record), _) => self.take_in(record, seen.at_ns, scene, ledger),
            (Seen::Truth(Truth::Process { .. } | Truth::Supply { .. }), _) => {
                (self.running, self.passed) = (None, None)
            }
            (Seen::Truth(Truth::Lamps { boards: [first, second] }), Some(running)) => {
                running.lit = [running.lit[0] | first, running.lit[1] | second];
            }
            (Seen::Truth(Truth::Pressed(key)), Some(running)) => {
                running.pressed.push((seen.at_ns, *key));
            }
            (Seen::Truth(Truth::Hung { hung: false }), Some(running)) => running.resumed_ns = seen.at_ns,
            (Seen::Bus(bus), Some(running)) => running.display(bus, seen.at_ns),
            _ => {}
        }
        self.overdue(scene, ledger);
    }

    fn state(&self) -> String {
        format!("; the test: {:?}", self.running)
    }
}

impl Opening {
    fn overdue(&mut self, scene: &Scene, ledger: &mut Ledger) {
        if scene.may_lag() {
            return;
        }
        if let Some((running, _)) = self.passed.take_if(|(_, at_ns)| *at_ns + COMMIT_NS < scene.now_ns) {
            ledger.wrong(OPENED, format!("missing: what follows the test `{}`, which has passed", running.test));
        }
        let late = |running: &&mut Running| !running.late && running.due_ns(scene) + COMMIT_NS < scene.now_ns;
        if let Some(running) = self.running.as_mut().filter(late) {
            running.late = true;
            ledger.wrong(GOES_ON, format!("missing: {:?} of {running:?}", running.left.first()));
        }
    }

    fn tested(&mut self, test: &str, passed: bool, record: &Record, scene: &Scene) -> Answer {
        let Some(running) = &self.running else { return Answer::Unexplained(ORDER, "a test that runs".into()) };
        let next = running.left.first().copied();
        let people = next.is_none() && running.witness.contains(&test);
        // A measurement, or a person, can fail whatever comes next.
        if next != Some(test) && !people && (passed || !matches!(test, WITNESS | MEASURE)) {
            return Answer::Unexplained(ORDER, format!("`{next:?}`, or one of {:?}", running.witness));
        }
        if !passed {
            return if fails(running, test, record.at_ns, scene) {
                may(FAILED)
            } else {
                Answer::Unexplained(FAILED, "a reason".into())
            };
        }
        let person = people || test == "areas" || test == "seal" && running.left.len() == 1 && running.test == "seal";
        if person || test == "seal" && running.test == "seal" && running.last_ns > running.durable_ns {
            let said = said(test, true, record.at_ns, scene);
            return if said {
                must(WITNESSED)
            } else {
                Answer::Unexplained(WITNESSED, "a person's word at that moment".into())
            };
        }
        match self.proves(running, test, record.at_ns, scene) {
            Ok(()) => must(PROVED),
            Err(lacks) => Answer::Unexplained(PROVED, lacks.into()),
        }
    }

    /// What proves a part of a test.
    fn proves(&self, running: &Running, test: &str, at_ns: u64, scene: &Scene) -> Result<(), &'static str> {
        let is = |line, active| scene.past.line(line).at(at_ns).is_some_and(|(_, level)| *level == active);
        let proved = |so: bool, lacks| if so { Ok(()) } else { Err(lacks) };
        match test {
            "journal" => proved(at_ns >= running.durable_ns, "the beginning of the test is durable"),
            "power" => {
                proved(is(Line::PowerGood, true) && is(Line::MotorFault, false), "the supply and the driver are good")
            }
            "temperature" => {
                let cool =
                    scene.past.readings.at(at_ns).is_some_and(|(_, reading)| reading.is_some_and(|is| is <= HOT));
                proved(cool, "a reading within the limit")
            }
            "lamps" => {
                let all = scene.config.board(&self.layout).is_none_or(|board| running.lit == board.all);
                proved(all, "every lamp of the layout shone")
            }
            "bell" => proved(
                scene.past.line(Line::Bell).within(running.began_ns, at_ns).any(|(_, on)| *on),
                "a stroke of the bell",
            ),
            "seal" => proved(is(Line::Seal, true), "the loop is closed"),
            "buttons" => proved(Line::BUTTONS.into_iter().all(|button| is(button, false)), "no button is held"),
            "terminal" => proved(running.shows(at_ns), "the display showed each number that it was told"),
            "keys" => proved(running.has_every_key(at_ns), "every key was pressed"),
            "tumbler" => tumbled(running, at_ns, scene),
            "deadman" => relay_cut(running, at_ns, scene),
            "dice" => {
                let rest = scene.past.dice.at(at_ns).is_none_or(|(_, dice)| dice.is_some());
                proved(rest || !scene.config.given.reader || !scene.in_service("reader"), "three dice at rest")
            }
            _ => Ok(()),
        }
    }

    fn opens(&mut self, test: &str, rule: Rule, mut data: Value, record: &Record) -> Answer {
        let Some((running, at_ns)) = self.passed.take() else {
            return Answer::Unexplained(rule, "a test that has passed".into());
        };
        if let Some(fields) = data.as_object_mut() {
            fields.insert("by".into(), running.by.clone());
        }
        let keys = test != "terminal" || running.has_every_key(at_ns);
        if running.test == test && at_ns == record.at_ns && record.data == data && keys {
            return must(rule);
        }
        Answer::Unexplained(rule, format!("{data} at {at_ns} ns, by {running:?}"))
    }

    fn take_in(&mut self, record: &Record, seen_ns: u64, scene: &Scene, ledger: &mut Ledger) {
        if let Some((running, _)) = self.passed.take_if(|(_, at_ns)| *at_ns < record.at_ns) {
            ledger.wrong(OPENED, format!("missing: what follows the test `{}`, which has passed", running.test));
        }
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        match &record.fact {
            Fact::Started { layout, .. } => (self.running, self.layout) = (None, layout.clone()),
            Fact::Latched { .. } if field("in_spin") == true => self.in_spin.push(field("code")),
            Fact::Unlatched { .. } => {
                self.in_spin.retain(|code| *code != field("code"));
                self.running.take_if(|running| field("code") == running.test.as_str());
            }
            Fact::Tested { test, passed } => {
                let Some(running) = &mut self.running else { return };
                running.last_ns = record.at_ns;
                match running.left.first() {
                    Some(_) => drop(running.left.remove(0)),
                    None => running.witness.retain(|item| item != test),
                }
                if ["dice", "journal"].contains(&test.as_str()) {
                    running.keys_ns = record.at_ns;
                }
                let whole = running.left.is_empty() && running.witness.is_empty();
                if !passed {
                    self.running = None;
                } else if whole && running.test == "opening" {
                    self.passed = self.running.take().map(|running| (running, record.at_ns));
                }
            }
            Fact::Plain if record.kind == "test-began" => self.begin(record, seen_ns, scene),
            Fact::Plain if record.kind == "hardware-tested" => {
                let passed = field("verdict") != "fail";
                let whole = self.running.take().filter(|running| passed && running.left.is_empty());
                self.passed = whole.map(|running| (running, record.at_ns));
            }
            Fact::Closed => self.running = None,
            _ => {}
        }
        // Where no hardware test measures the device, the latch opens with the last part of its test.
        let whole =
            |running: &mut Running| running.left.is_empty() && MEASURES_NOTHING.contains(&running.test.as_str());
        if let Some(running) = self.running.take_if(whole) {
            self.passed = Some((running, record.at_ns));
        }
    }

    fn begin(&mut self, record: &Record, seen_ns: u64, scene: &Scene) {
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        let test = field("test").as_str().unwrap_or_default().to_owned();
        if test.starts_with("hardware ") {
            self.running = None;
            return;
        }
        let eyes = !scene.config.given.reader || !scene.in_service("reader");
        let dice = eyes.then_some("dice");
        let witness = ["areas", "seal", "bell", "sign"].into_iter().chain(dice).filter(|_| test == "opening").collect();
        self.running = Some(Running {
            left: steps(&test, self.in_spin.contains(&field("test"))),
            by: field("by"),
            began_ns: record.at_ns,
            durable_ns: seen_ns,
            witness,
            lit: [0; 2],
            pressed: Vec::new(),
            keys_ns: u64::MAX,
            told: Vec::new(),
            last_ns: 0,
            resumed_ns: 0,
            late: false,
            test,
        });
    }
}

/// Latches without a hardware test (table.md, Malfunctions).
const MEASURES_NOTHING: [&str; 7] = ["buttons", "key", "interference", "dice", "gpio", "journal", "keys"];
const GUARDS: [Line; 5] = [Line::DomeClosed, Line::DomeOpen, Line::Seal, Line::PowerGood, Line::MotorFault];

/// Whether a person said at this moment that an item is right, or wrong.
fn said(item: &str, right: bool, at_ns: u64, scene: &Scene) -> bool {
    scene.past.asked.within(at_ns, at_ns).any(|(_, asked)| {
        let of = |name: &str| asked.with.get(name);
        let this = item == WITNESS || of("item").is_some_and(|of| of == item);
        asked.command == "witness" && this && of("right") == Some(&Value::Bool(right))
    })
}

/// The press of `tumble` that began the test's spin.
fn press(running: &Running, at_ns: u64, scene: &Scene) -> Option<u64> {
    let (line, for_ns) = (scene.past.line(Line::Tumble), scene.config.given.limits.button_debounce_ns);
    let presses = line.within(running.last_ns.max(running.durable_ns), at_ns).filter(|(_, on)| **on);
    let kept = |edge: u64| line.within(edge + 1, edge + for_ns - 1).next().is_none();
    presses.map(|(edge, _)| edge).filter(|edge| kept(*edge)).last()
}

/// Whether nothing has kept the test's spin from starting since then: the dome, a guard, a button, or the motor itself.
fn clear(from_ns: u64, scene: &Scene) -> bool {
    let is = |line, active| scene.past.lasted(line, active, scene.now_ns.saturating_sub(from_ns), scene.now_ns);
    let dome = !scene.rules().covered() || is(Line::DomeClosed, true) && is(Line::DomeOpen, false);
    let guards = is(Line::Seal, true) && is(Line::PowerGood, true) && is(Line::MotorFault, false);
    let parts = [Part::Motor, Part::Cam, Part::Relay, Part::Gpio, Part::Buttons];
    let sound = parts.into_iter().all(|part| !scene.recently_broken(part, scene.now_ns.saturating_sub(from_ns)));
    dome && guards && sound && Line::BUTTONS.into_iter().all(|button| is(button, false))
}

/// The test's spin: begun by a press at the table, four full tumbles.
fn tumbled(running: &Running, at_ns: u64, scene: &Scene) -> Result<(), &'static str> {
    let Some(pressed) = press(running, at_ns, scene) else { return Err("a press of `tumble` at the table") };
    let position = |at_ns| scene.past.shaft.at(at_ns).map_or(0, |(_, quarters)| *quarters);
    if position(at_ns) - position(pressed) < TURNED { Err("four full tumbles") } else { Ok(()) }
}

/// The relay has cut the power while the motor was still commanded on, and the shaft came to rest by that.
fn relay_cut(running: &Running, at_ns: u64, scene: &Scene) -> Result<(), &'static str> {
    let cut = scene.past.power.within(running.durable_ns, at_ns).find(|(_, on)| !**on);
    let Some((cut_ns, _)) = cut else { return Err("the power was cut") };
    let commanded = |at_ns| scene.past.line(Line::MotorEnable).before(at_ns).is_some_and(|(_, on)| *on);
    let stood =
        scene.past.shaft.at(at_ns).is_none_or(|(moved, _)| moved + scene.config.given.limits.standstill_ns <= at_ns);
    if commanded(cut_ns) && commanded(at_ns) && stood {
        Ok(())
    } else {
        Err("the power was cut by the relay while the motor was commanded on")
    }
}

/// Whether something explains that a part of a test fails.
fn fails(running: &Running, test: &str, at_ns: u64, scene: &Scene) -> bool {
    let is = |line, active| scene.past.line(line).at(at_ns).is_some_and(|(_, level)| *level == active);
    // The scenario may set `person_limit`, down to its least.
    let least_ns = 5_000 * MS;
    let for_ns = scene.now_ns.saturating_sub(running.began_ns) + SOON_NS;
    let broken = |parts: &[Part]| parts.iter().any(|part| scene.recently_broken(*part, for_ns));
    match test {
        // `close` calls a test off (console.md).
        _ if scene.past.asked.within(at_ns, at_ns).any(|(_, asked)| asked.command == "close") => true,
        WITNESS => said(WITNESS, false, at_ns, scene) || at_ns >= running.last_ns + least_ns,
        "keys" => !running.has_every_key(at_ns) && at_ns >= running.last_ns + least_ns,
        "power" => !is(Line::PowerGood, true) || !is(Line::MotorFault, false) || broken(&[Part::Gpio, Part::Motor]),
        "seal" => !scene.past.lasted(Line::Seal, true, at_ns.saturating_sub(running.began_ns), at_ns),
        "buttons" => {
            let held = |button| !scene.past.lasted(button, false, scene.config.given.limits.button_debounce_ns, at_ns);
            Line::BUTTONS.into_iter().any(held)
        }
        "tumbler" => {
            let stopped = scene.past.line(Line::NoSpin).within(running.began_ns, at_ns).any(|(_, on)| *on);
            let started = scene.past.line(Line::MotorEnable).within(running.durable_ns, at_ns).any(|(_, on)| *on);
            let pressed = press(running, at_ns.saturating_sub(scene.config.given.limits.button_debounce_ns), scene)
                .is_some()
                && !scene.is_latched("buttons");
            let nobody = !started && !pressed && at_ns + MS >= running.last_ns + PRESS_NS;
            let guards =
                GUARDS.into_iter().any(|line| scene.past.line(line).within(running.began_ns, at_ns).next().is_some());
            stopped
                || nobody
                || guards
                || broken(&[Part::Motor, Part::Cam, Part::Relay, Part::Gpio, Part::Dice, Part::Reader, Part::Bus])
        }
        "temperature" => broken(&[Part::Motor]),
        "bus" | "terminal" | "lamps" | "reader" => broken(&[Part::Terminal, Part::Lamps, Part::Reader, Part::Bus]),
        "dice" => broken(&[Part::Dice, Part::Reader]),
        MEASURE => broken(&[Part::DomeContacts, Part::Lamps, Part::Terminal, Part::Reader, Part::Bus]),
        _ => false,
    }
}

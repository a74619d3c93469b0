//! Which steps a test has.

use super::Purpose;
use super::look::Facts;
use super::step::Step;
use crate::hardware_test::HardwareTest;
use crate::latch::Code;
use crate::prelude::*;
use crate::rules::Layout;
use crate::units::Dice;
use crate::wire::console::Witness;
use alloc::collections::VecDeque;

/// The steps of a test; `in_spin`: the malfunction that it is about showed only while the tumbler ran.
pub(super) fn steps(purpose: Purpose, facts: &Facts, in_spin: bool) -> Vec<Step> {
    match purpose {
        Purpose::Opening => opening(facts),
        Purpose::Reset(code) => reset(code, facts, in_spin),
        Purpose::Hardware(test) => hardware(test, facts),
    }
}

fn covering(facts: &Facts) -> VecDeque<Dice> {
    facts.layout.map(Layout::covering).unwrap_or_default().into()
}

fn opening(facts: &Facts) -> Vec<Step> {
    let mut steps = vec![Step::Power, Step::Units { only: None }];
    if facts.temperature {
        steps.push(Step::Temperature);
    }
    steps.extend([
        Step::Terminal { shown: 0 },
        Step::Lamps { results: covering(facts), proved: None, lit: false },
        Step::Bell { struck: false },
        Step::Seal,
        Step::spin(),
        Step::Dice,
        Step::keys(),
    ]);
    let mut left = vec![Witness::Areas, Witness::Seal, Witness::Bell, Witness::Sign];
    if !facts.reader {
        // NZ 5(d): "the 3 dice in the dice tumbler are properly under seal".
        left.push(Witness::Dice);
    }
    steps.push(Step::Witness { left });
    steps
}

/// What proves that a malfunction is rectified (NZ 7.4): the hardware test of its device, where it has one.
fn reset(code: Code, facts: &Facts, in_spin: bool) -> Vec<Step> {
    let mut steps = match code {
        // Below the limit again, before it is measured how the sensor reads.
        Code::Temperature => vec![Step::Temperature],
        Code::Buttons => vec![Step::Buttons],
        Code::Interference | Code::Dice => vec![Step::Dice],
        // An output that is dead at rest shows only when it is driven.
        Code::Gpio => vec![Step::Power, Step::Bell { struck: false }, Step::spin()],
        // The key edge newer than the latch, without which no reset begins, is the key's test; the durable beginning of
        // the test is what proves the journal.
        _ => vec![],
    };
    // Under Open Cover nobody opens and closes a dome.
    let test = code.hardware_test().filter(|test| facts.covered || *test != HardwareTest::Dome);
    steps.extend(test.into_iter().flat_map(|test| hardware(test, facts)));
    if in_spin && code.hardware_test() != Some(HardwareTest::Motor) {
        // A loose contact is whole at rest: it breaks while the shaft shakes the table.
        steps.push(Step::spin());
    }
    steps
}

fn hardware(test: HardwareTest, facts: &Facts) -> Vec<Step> {
    let measure = || Step::Measure { results: VecDeque::new(), lit: None };
    let units = |code| Step::Units { only: Some(code) };
    let witness = |item| Step::Witness { left: vec![item] };
    match test {
        HardwareTest::Motor | HardwareTest::Cam => vec![Step::Power, Step::spin()],
        HardwareTest::Dome | HardwareTest::Buttons | HardwareTest::Bus | HardwareTest::Temperature => vec![measure()],
        HardwareTest::Bell => vec![Step::Bell { struck: false }, witness(Witness::Bell)],
        HardwareTest::Terminal => vec![units(Code::Terminal), Step::Terminal { shown: 0 }, measure()],
        HardwareTest::Lamps => {
            let lamps = Step::Measure { results: covering(facts), lit: None };
            vec![units(Code::Lamps), lamps, witness(Witness::Areas)]
        }
        HardwareTest::Reader => vec![Step::Power, units(Code::Reader), Step::Reader, Step::spin(), measure()],
        HardwareTest::Seal => vec![Step::Seal, measure(), witness(Witness::Seal)],
    }
}

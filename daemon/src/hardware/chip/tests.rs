use super::*;
use crate::config::Place;
use crate::hardware::cdev::Cdev;
use crate::hardware::rppal::Rppal;
use std::future::poll_fn;

fn pins() -> Box<Pins> {
    let pin = |offset| Pin {
        place: Place::Offset(offset),
        active_low: false,
        bias: crate::config::Bias::AsIs,
        debounce_ms: 0,
    };
    Box::new(Pins { outputs: [0, 1, 2, 3].map(pin), inputs: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map(pin) })
}

/// faults.md gpio.chip_gone at start: the daemon runs, says which chip it wants and what there is, and tries again.
#[tokio::test]
async fn a_chip_that_is_not_there_is_told_once_and_tried_again() {
    let lines = ChipLines::open(Cdev { label: "no-such-chip".into() }, pins());
    told_once(lines, "there is no GPIO chip labelled `no-such-chip`; there ").await;
}

/// On a machine that is no Raspberry Pi, as those are on which this test runs.
#[tokio::test]
async fn a_board_that_is_no_raspberry_pi_is_told_once_with_what_to_do() {
    if crate::hardware::rppal::board().is_some() {
        return;
    }
    let lines = ChipLines::open(Rppal::new(None), pins());
    told_once(lines, "this is no Raspberry Pi that backend \"rppal\" knows; take backend \"cdev\"").await;
}

async fn told_once<D: Driver>(mut lines: ChipLines<D>, reason: &str) {
    let mut out = Vec::new();
    poll_fn(|cx| lines.poll_ready(cx)).await;
    lines.drain(&mut out);
    let lost = out.iter().find_map(|arrival| match &arrival.input {
        Input::LinesLost { reason } => Some(reason.as_str()),
        _ => None,
    });
    assert!(lost.unwrap().starts_with(reason), "{out:?}");
    // Nothing to drive, and nothing breaks.
    lines.set(OutLine::MotorEnable, false);
    out.clear();
    for _ in 0..3 {
        poll_fn(|cx| lines.poll_ready(cx)).await;
        lines.drain(&mut out);
    }
    assert!(out.is_empty(), "it is told once: {out:?}");
}

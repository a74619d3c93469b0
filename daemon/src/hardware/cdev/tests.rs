use super::*;
use crate::config::{Pin, Place};
use std::future::poll_fn;

fn pins() -> Box<Pins> {
    let pin = |offset| Pin { place: Place::Offset(offset), active_low: false, bias: crate::config::Bias::AsIs };
    Box::new(Pins { outputs: [0, 1, 2, 3].map(pin), inputs: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map(pin) })
}

/// FAULTS gpio.chip_gone at start: the daemon runs, says which chip it wants and what there is, and tries again.
#[tokio::test]
async fn a_chip_that_is_not_there_is_told_once_and_tried_again() {
    let mut lines = CdevLines::open("no-such-chip", pins());
    let mut out = Vec::new();
    poll_fn(|cx| lines.poll_ready(cx)).await;
    lines.drain(&mut out);
    let lost = out.iter().find_map(|arrival| match &arrival.input {
        Input::LinesLost { reason } => Some(reason.as_str()),
        _ => None,
    });
    assert!(lost.unwrap().starts_with("there is no GPIO chip labelled `no-such-chip`; there "), "{out:?}");
    // Nothing to drive, and nothing breaks.
    lines.set(OutLine::MotorEnable, false);
    out.clear();
    for _ in 0..3 {
        poll_fn(|cx| lines.poll_ready(cx)).await;
        lines.drain(&mut out);
    }
    assert!(out.is_empty(), "it is told once: {out:?}");
}

//! Sessions of a technician: the table is in maintenance, and several hardware tests follow one another, on healthy and on broken parts.
//! The person usually does what a test asks, but not always. The judge of measurements decides whether each result is right.

use super::table::{Table, pick};
use crate::scenario::order;
use tumbler_twin::rng::Rng;

/// Steps, separated by semicolons.
type Words = &'static str;

/// A hardware test: how people may respond to it, and what may be broken meanwhile.
struct Test {
    name: &'static str,
    /// The person's responses, once the test has begun.
    parts: &'static [Words],
    /// Faults that are injected before; an empty one means a healthy table.
    faults: &'static [Words],
}

/// Least and most tests of a session.
const TESTS: (u64, u64) = (2, 5);
/// Chance of a fault in a session's last test, in thousandths. Its latches are rectified before the next session.
const BROKEN: u32 = 700;
/// Chance of a session whose commands come at the wrong time, in thousandths.
const REFUSED: u32 = 150;

/// A covered tumbler must not spin while its dome is away.
const DOWN: Words = "lower dome; pass 600 ms";

const SPIN: &[Words] = &["pass 6 s"];

const EVERY: &[Test] = &[
    Test {
        name: "motor",
        parts: SPIN,
        faults: &[
            "try fault motor.slow",
            "try fault motor.intermittent",
            "try fault motor.coast",
            "try fault motor.stall",
            "try fault motor.hot",
            "try fault cam.lost_edges",
            "try fault cam.bounce",
            "try fault deadman.stuck",
            "try fault motor.reverse",
            "try fault seal.flicker",
        ],
    },
    Test {
        name: "cam",
        parts: &[
            "pass 6 s",
            "pass 6 s",
            "pass 2300 ms; lose edge cam_a; pass 4 s",
            "pass 2600 ms; lose edge cam_b; pass 4 s",
        ],
        faults: &[
            "try fault cam.bounce",
            "try fault cam.bounce",
            "try fault motor.intermittent",
            "try fault motor.slow",
            "try fault cam.b_stuck_0",
            "try fault seal.flicker",
        ],
    },
    Test {
        name: "buttons",
        parts: &[
            "pass 1 s; press tumble; pass 300 ms; press place_bets; pass 300 ms; press no_more_bets; pass 300 ms; press no_spin; pass 300 ms; hold supervisor_key; pass 400 ms; release supervisor_key; pass 600 ms",
            "pass 1 s; press tumble; pass 300 ms; press no_spin; pass 300 ms; press place_bets; pass 300 ms; press no_more_bets; pass 300 ms; press no_spin; pass 20 s",
            "pass 52 s",
        ],
        faults: &[
            "try fault button.stuck:place_bets",
            "try fault button.chatter:no_spin",
            "try fault line.stuck_inactive:tumble",
            "try fault key.stuck_on",
        ],
    },
    Test {
        name: "bell",
        parts: &[
            "pass 1 s; ask witness bell right; pass 200 ms",
            "pass 1 s; ask witness bell right; pass 200 ms",
            "pass 700 ms; ask witness seal right; ask witness bell wrong; pass 200 ms",
        ],
        faults: &["try fault bell.dead", "try fault bus.noise_1pct"],
    },
    Test {
        name: "terminal",
        parts: &[
            "pass 2 s; press every key; pass 1 s",
            "pass 2 s; press every key; pass 1 s",
            "pass 2 s; key 1 2 2 3 5 4; press every key; pass 400 ms; press every key; pass 1 s",
            "pass 2 s; key 1 entry 2 3 4; pass 300 ms; key 5 6 entry; pass 1 s",
        ],
        faults: &[
            "try fault terminal.chatter",
            "try fault terminal.chatter",
            "try fault terminal.ghost",
            "try fault terminal.key_stuck:3",
            "try fault bus.noise_1pct",
            "try fault display.wrong",
        ],
    },
    Test {
        name: "lamps",
        parts: &[
            "pass 25 s; ask witness areas right; pass 500 ms",
            "pass 25 s; ask witness areas right; pass 500 ms",
            "pass 25 s; ask witness areas wrong; pass 500 ms",
        ],
        faults: &[
            "try fault lamp.open:small",
            "try fault lamp.stuck_on:big",
            "try fault lamp.open:big; try fault lamp.stuck_on:small",
            "try fault lamps.partial",
            "try fault lamps.psu_dead",
            "try fault bus.noise_30pct",
        ],
    },
    Test {
        name: "reader",
        parts: &["pass 8 s", "pass 5 s"],
        faults: &[
            "try fault reader.slow",
            "try fault dice.moving",
            "try fault dice.cocked_1",
            "try fault bus.noise_30pct",
        ],
    },
    Test {
        name: "seal",
        parts: &[
            "pass 3 s; ask witness seal right; pass 200 ms",
            "pass 3 s; ask witness seal right; pass 200 ms",
            "pass 1 s; ask witness seal right; pass 2 s; ask witness seal wrong; pass 200 ms",
        ],
        faults: &["try fault seal.flicker", "try fault seal.flicker", "break seal"],
    },
    Test {
        name: "temperature",
        parts: &["pass 7 s"],
        faults: &[
            "try fault motor.hot",
            "try fault motor.hot; pass 6 s",
            "try fault sensor.temp_absurd",
            "try fault sensor.temp_dead",
        ],
    },
    Test {
        name: "bus",
        parts: &["pass 12 s"],
        faults: &[
            "try fault bus.noise_1pct",
            "try fault bus.noise_30pct",
            "try fault bus.late_reply:20",
            "try fault bus.duplicate_reply:30",
            "try fault bus.wrong_unit:20",
            "try fault terminal.silent",
        ],
    },
];

/// Where there is one to lift.
const DOME: Test = Test {
    name: "dome",
    parts: &[
        "pass 1 s; lift dome; pass 900 ms; lower dome; pass 900 ms",
        "pass 1 s; lift dome; pass 1700 ms; lower dome; pass 900 ms",
        "pass 5 s; lift dome; pass 5 s; lower dome; pass 900 ms",
        "pass 1 s; lift dome; pass 60 ms; lower dome; pass 900 ms; lift dome; pass 1200 ms; lower dome; pass 900 ms",
    ],
    faults: &[
        "try fault dome.bounce",
        "try fault dome.bounce",
        "try fault dome.flicker",
        "try fault dome.stuck_closed",
    ],
};

/// Commands that are refused on an open table, and acts that end a test early.
const REFUSALS: &[Words] = &[
    "turn key; ask hardware-test motor; ask hardware-test seal; pass 200 ms",
    "pass 301 s; ask hardware-test bus; turn key; ask maintenance on; pass 301 s; ask hardware-test bus; pass 1 s",
    "turn key; ask maintenance on; pass 3200 ms; as nobody; ask hardware-test bell; as supervisor; pass 200 ms",
    "turn key; ask maintenance on; pass 3200 ms; ask hardware-test bus; ask hardware-test temperature; pass 8 s; ask hardware-test reader; pass 9 s",
    "turn key; try play to betting; ask hardware-test lamps; ask maintenance on; ask hardware-test bell; pass 300 ms",
    "turn key; ask maintenance on; pass 3200 ms; ask hardware-test motor; pass 900 ms; ask close; pass 3 s",
    "turn key; ask maintenance on; pass 3200 ms; ask hardware-test lamps; pass 3 s; ask maintenance off; ask close; pass 1 s",
    "turn key; ask maintenance on; pass 3200 ms; ask hardware-test cam; pass 1 s; try kill; try start; pass 500 ms; ask hardware-test cam; pass 1 s",
    "turn key; ask maintenance on; pass 3200 ms; ask hardware-test terminal; pass 121 s",
];

fn steps(words: Words) -> impl Iterator<Item = String> {
    words.split(';').map(|words| words.trim().to_owned()).filter(|words| !words.is_empty())
}

fn tests(table: Table) -> Vec<&'static Test> {
    let dome = order::covered(table.rules).then_some(&DOME);
    EVERY.iter().filter(|test| test.name != "reader" || table.reader).chain(dome).collect()
}

/// A session at a table with faults.
pub(super) fn session(rng: &mut Rng, table: Table) -> Vec<String> {
    if rng.chance(REFUSED) {
        return steps(pick(rng, REFUSALS).copied().unwrap_or_default()).collect();
    }
    let tests = tests(table);
    let role = if rng.chance(600) { "as technician" } else { "as supervisor" };
    let mut all: Vec<String> = steps(DOWN).chain(steps("turn key")).collect();
    all.extend([role.to_owned(), "try do maintenance on".to_owned()]);
    let count = rng.range(TESTS.0, TESTS.1);
    for n in 1..=count {
        let Some(test) = pick(rng, &tests) else { continue };
        if n == count && rng.chance(BROKEN) {
            all.extend(steps(pick(rng, test.faults).copied().unwrap_or_default()));
        }
        all.push(format!("ask hardware-test {}", test.name));
        all.extend(steps(pick(rng, test.parts).copied().unwrap_or_default()));
    }
    all.push("as supervisor".into());
    all
}

/// A session at a healthy, noisy table, which is open again afterwards.
pub(super) fn healthy(rng: &mut Rng, table: Table) -> Vec<String> {
    let tests = tests(table);
    let mut all: Vec<String> = steps(DOWN).chain(steps("turn key; as technician; do maintenance on")).collect();
    for _ in 0..rng.range(TESTS.0, TESTS.1) {
        let Some(test) = pick(rng, &tests) else { continue };
        all.push(format!("ask hardware-test {}", test.name));
        // The first response is the right one.
        all.extend(steps(test.parts.first().copied().unwrap_or_default()));
        all.push("wait no test".into());
    }
    all.extend(steps("turn key; do maintenance off; as supervisor; open table"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse;

    #[test]
    fn every_word_can_be_read() {
        let of = |test: &Test| [test.parts, test.faults].concat();
        let all = EVERY.iter().chain([&DOME]).flat_map(of).chain(REFUSALS.iter().copied());
        for step in all.flat_map(steps) {
            let read = parse::step(&step, "nz-div9-1");
            assert!(read.is_ok(), "{step}: {read:?}");
        }
        for test in EVERY.iter().chain([&DOME]) {
            let step = format!("ask hardware-test {}", test.name);
            assert!(parse::step(&step, "nz-div9-1").is_ok(), "{step}");
        }
    }
}

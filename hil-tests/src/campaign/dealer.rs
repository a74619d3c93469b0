//! Dealers of a healthy table: quick or slow, careful or careless. Their mistakes void no round, but are refused or amended.

use super::hardware;
use super::table::{Table, pick};
use crate::scenario::order;
use tumbler_bench::EnvironmentFault;
use tumbler_twin::rng::Rng;
use tumbler_twin::{Declared, Fault, Noise};

/// How often a technician comes between two rounds, in thousandths.
const SESSIONS: u32 = 10;

/// How the rule set orders the spin and the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Tumble, place bets, no more bets.
    NewZealand,
    /// Place bets; tumble before or after no more bets.
    Covered,
    /// Place bets, no more bets, tumble.
    Open,
}

/// A dealer for a day.
pub(super) struct Dealer<'a> {
    rng: &'a mut Rng,
    table: Table,
    order: Order,
    /// Longest pause between two steps, in milliseconds.
    slow: u64,
    /// Chance of a mistake, in thousandths.
    wrong: u32,
    steps: Vec<String>,
}

impl<'a> Dealer<'a> {
    /// A dealer with random habits.
    pub(super) fn drawn(rng: &'a mut Rng, table: Table) -> Self {
        let order = match table.rules {
            rules if rules.starts_with("nz") => Order::NewZealand,
            rules if order::covered(rules) => Order::Covered,
            _ => Order::Open,
        };
        let slow = pick(rng, &[20, 300, 2_000, 20_000]).copied().unwrap_or(300);
        let wrong = pick(rng, &[0, 50, 250]).copied().unwrap_or(0);
        Self { rng, table, order, slow, wrong, steps: Vec::new() }
    }

    fn step(&mut self, words: impl Into<String>) {
        self.steps.push(words.into());
    }

    fn pause(&mut self) {
        let millis = self.rng.range(0, self.slow);
        if millis > 10 {
            self.step(format!("pass {millis} ms"));
        }
    }

    /// Adds one of these steps out of turn.
    fn slip(&mut self, slips: &[&str]) {
        if self.rng.chance(self.wrong) {
            let slip = pick(self.rng, slips).copied().unwrap_or("key 1");
            let words = match slip.strip_prefix("press ") {
                Some(line) => format!("press {line} for {} ms", self.rng.range(60, 900)),
                None => slip.to_owned(),
            };
            self.step(words);
            self.pause();
        }
    }

    /// A day of this many rounds, each of which must end settled.
    pub(super) fn healthy_day(mut self, rounds: u64) -> Vec<String> {
        self.step("open table");
        self.begin_noise();
        for _ in 0..rounds {
            if self.rng.chance(SESSIONS) {
                self.steps.extend(hardware::healthy(self.rng, self.table));
            }
            self.round();
        }
        self.steps
    }

    fn begin_noise(&mut self) {
        let millis = self.rng.range(1, 150);
        self.step(format!("try fault {}", EnvironmentFault::disk_takes(millis)));
        let (covered, reader) = (order::covered(self.table.rules), self.table.reader);
        let mut flickers = false;
        for row in Fault::TABLE.iter().filter(|row| row.entry.healthy && row.entry.swarm.fits(covered, reader)) {
            if self.rng.chance(400) {
                // A spin does not survive the flicker of two guards.
                let flicker = matches!(row.example(), Fault::Noise(Noise::Flicker { .. }));
                if flicker && core::mem::replace(&mut flickers, true) {
                    continue;
                }
                self.step(format!("try fault {}", row.entry.id));
            }
        }
    }

    fn round(&mut self) {
        let dice = [self.rng.face(), self.rng.face(), self.rng.face()];
        let [a, b, c] = dice;
        self.step(format!("dice {a} {b} {c}"));
        // Noise on one of the cam's sensors is harmless while the motor is off.
        if self.rng.chance(30) {
            let phantom = Fault::Noise(Noise::CamPhantom).name(None);
            self.step(format!("try fault {phantom}"));
            self.pause();
            self.step(format!("heal {phantom}"));
        }
        self.slip(&["press no_more_bets", "press no_spin", "key 3", "key entry", "turn key", "do record"]);
        match self.order {
            Order::NewZealand => {
                self.play("covered");
                self.play("spinning");
                self.slip(&["press tumble", "press place_bets", "key 1 2", "key 4 entry"]);
                self.play("spun");
                self.slip(&["press tumble", "turn key"]);
                self.play("betting");
                self.slip(&["press place_bets", "press tumble", "key 5 5 5 entry"]);
                self.play("bets-closed");
                self.slip(&["press no_more_bets", "press tumble", "press place_bets", "key 6"]);
            }
            Order::Covered => {
                self.play("covered");
                self.slip(&["press tumble"]);
                self.play("betting");
                self.slip(&["press place_bets", "key 2 entry"]);
                if self.rng.chance(600) {
                    self.play("spun");
                    self.slip(&["press tumble", "press place_bets"]);
                    self.play("bets-closed");
                } else {
                    // The spin comes after the call, so the order of play's own call is a repetition and changes nothing.
                    self.step("press no_more_bets");
                    self.pause();
                    self.play("spun");
                }
                self.slip(&["press no_more_bets", "press tumble", "key 6"]);
            }
            Order::Open => {
                self.slip(&["press tumble"]);
                self.play("betting");
                self.slip(&["press place_bets", "press tumble", "key 5 entry"]);
                self.play("bets-closed");
                self.slip(&["press no_more_bets", "press place_bets", "key 2 2"]);
                self.play("spinning");
                self.slip(&["press tumble", "press no_more_bets"]);
            }
        }
        self.play("revealed");
        self.result(dice);
        self.slip(&[
            "key 5 entry",
            "press tumble",
            "press place_bets",
            "press no_more_bets",
            "press no_spin",
            "turn key",
        ]);
        self.play("settled");
    }

    fn play(&mut self, stage: &str) {
        self.step(format!("play to {stage}"));
        self.pause();
    }

    /// Keys the result, sometimes a wrong one first.
    fn result(&mut self, dice: [u8; 3]) {
        self.slip(&["key entry", "key 2 entry", "key 3 3 entry", "press tumble", "press place_bets"]);
        // A digit that is left on the display would count; the entry key clears it.
        if !self.rng.chance(self.wrong) {
            self.play("entered");
            return;
        }
        let [a, b, c] = wrong(dice);
        self.step("pass 600 ms");
        self.step(format!("key {a} {b} {c} entry"));
        if self.table.reader {
            self.step("wait record entry-differs");
            if self.order == Order::NewZealand {
                // NZ 7.2: the dealer alone may not amend.
                self.step("turn key");
                self.step("do supervise");
            }
            self.play("entered");
        } else {
            let [a, b, c] = dice;
            self.step("wait record lamps-verified");
            self.pause();
            self.step("turn key");
            self.step(format!("do amend {a} {b} {c}"));
            self.step("wait record lamps-verified");
            self.step("at entered");
        }
    }
}

/// Three different numbers that the dice do not show. They differ because a repeated key may be taken for bounce on a noisy bus, which a
/// real dealer would see on the display and correct.
fn wrong(dice: [u8; 3]) -> [u8; 3] {
    let [a, mut b, mut c] = dice.map(|face| face % 6 + 1);
    while b == a {
        b = b % 6 + 1;
    }
    while c == a || c == b {
        c = c % 6 + 1;
    }
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_are_three_that_the_dice_do_not_show() {
        for [a, b, c] in (0..216).map(|n: u8| [n / 36 + 1, n / 6 % 6 + 1, n % 6 + 1]) {
            let sorted = |mut dice: [u8; 3]| {
                dice.sort_unstable();
                dice
            };
            let keyed = sorted(wrong([a, b, c]));
            assert_ne!(keyed, sorted([a, b, c]));
            assert!(keyed.iter().all(|face| (1..=6).contains(face)) && keyed[0] < keyed[1] && keyed[1] < keyed[2]);
        }
    }
}

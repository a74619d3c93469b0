//! What the journal's records tell the scene: permission, latches, tests, and the round.

use super::Scene;
use super::round::Round;
use crate::config::Rules;
use crate::observation::Part;
use crate::record::{Fact, Record};

/// The temperature is read twice a second (daemon/docs/virtual-wire.md).
const NEXT_READING_NS: u64 = 600_000_000;

impl Scene {
    pub(super) fn record(&mut self, record: &Record) {
        match &record.fact {
            Fact::Started { boot, rules, layout } => {
                // Maintenance ends with the daemon. A technician who goes on has to ask for it again, and meanwhile the table is
                // closed.
                self.maintenance = false;
                self.tests_buttons = false;
                if *boot != self.boot {
                    // Permission is bound to the boot. A latch is not, and any turn of the key in the new boot is newer than it.
                    if !self.boot.is_empty() {
                        self.open = Some(false);
                    }
                    for (_, at_ns) in &mut self.latched {
                        *at_ns = 0;
                    }
                    self.boot.clone_from(boot);
                }
                if let Some(rules) = Rules::named(rules) {
                    self.config.rules = rules;
                }
                // A round of which the layout is lost goes on with the one in force.
                if let Some(round) = self.round.as_mut().filter(|round| round.layout.is_empty()) {
                    round.layout.clone_from(layout);
                }
            }
            Fact::Opened { .. } => {
                self.open = Some(true);
                self.permitted_ns = self.now_ns;
                self.end_testing(record);
            }
            Fact::Closed => {
                self.open = Some(false);
                self.waived.clear();
            }
            Fact::Maintenance { on } => {
                self.maintenance = *on;
                if *on {
                    self.open = Some(false);
                } else {
                    self.end_testing(record);
                }
            }
            Fact::Latched { code } => {
                // A procedure ends when its device is found out of order again.
                self.waived.retain(|waived| waived != code);
                if !self.is_latched(code) {
                    self.latched.push((code.clone(), record.at_ns));
                }
            }
            Fact::Unlatched { code, how, .. } => {
                self.permitted_ns = self.now_ns;
                if how.starts_with("procedure") {
                    self.waived.push(code.clone());
                }
                self.latched.retain(|(latched, _)| latched != code);
                // The next test may be asked for at the very moment at which the last one ends.
                if record.at_ns != self.testing_since_ns {
                    self.end_testing(record);
                }
            }
            Fact::Keyframe(keyframe) => {
                if self.open.is_none() {
                    self.open = Some(keyframe.open);
                    self.latched = keyframe.latched.iter().map(|latched| (latched.code.clone(), 0)).collect();
                }
                // A new journal has lost the round in progress, unless its keyframe has it: nobody can end it any more.
                if record.fact.begins_new_journal() {
                    // What a damaged journal said about the permission does not count.
                    self.open = Some(keyframe.open);
                    let since = |code: &str| {
                        self.latched.iter().find(|(latched, _)| latched == code).map_or(0, |(_, at_ns)| *at_ns)
                    };
                    self.latched = keyframe.latched.iter().map(|kept| (kept.code.clone(), since(&kept.code))).collect();
                    self.round = self.round.take().filter(|_| keyframe.round.is_some());
                    // Its rules and layout were lost with the records if others have come into force since.
                    if let (Some(round), Some(kept)) = (&mut self.round, &keyframe.round) {
                        round.layout.clone_from(&kept.layout);
                        round.rules = Rules::named(&kept.rules).or(round.rules);
                        round.result = kept.result;
                    }
                }
            }
            Fact::RoundBegan { rules, layout } => self.begin(record, rules, layout),
            Fact::Settled { .. } | Fact::Voided { .. } => {
                if let Some(round) = self.round.take() {
                    self.last = Some(round);
                    self.ended = true;
                }
            }
            _ => {
                match record.kind.as_str() {
                    "test-began" => {
                        self.tests_buttons = record.data.get("test").is_some_and(|test| test == "hardware buttons");
                        if self.tests_buttons {
                            self.buttons.end(record.at_ns);
                        }
                    }
                    "hardware-tested" => self.tests_buttons = false,
                    _ => {}
                }
                let now_ns = self.now_ns;
                if let Some(round) = &mut self.round {
                    round.record(record, now_ns);
                }
            }
        }
    }

    /// A record that ends a test may become durable after the next test has been asked for.
    fn end_testing(&mut self, record: &Record) {
        if record.at_ns >= self.testing_since_ns {
            self.testing_until_ns = 0;
        }
    }

    fn begin(&mut self, record: &Record, rules: &str, layout: &str) {
        self.began = true;
        self.end_testing(record);
        // On a failing disk a round begins long before its record is seen, and what was broken then may have been mended.
        // The table believes a mended temperature sensor only after its next reading.
        let before = self.parts.broken_since(record.at_ns.saturating_sub(NEXT_READING_NS));
        let mut broken = self.parts.broken_since(record.at_ns);
        if let (Some(motor), Some(was)) = (broken.get_mut(Part::Motor as usize), before.get(Part::Motor as usize)) {
            *motor |= *was;
        }
        self.round = Some(Round::new(record.round, Rules::named(rules), layout.to_owned(), self.now_ns, broken));
    }
}

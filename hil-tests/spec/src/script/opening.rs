//! The opening of a script's table (NZ 5(a) to (d)), and the commands that people give.

use super::Script;
use crate::observation::{Line, Seen, Truth};
use serde_json::{Value, json};

impl Script {
    pub(crate) fn ask(&mut self, command: &str, with: Value) {
        self.see(Seen::ConsoleCommand { request: 0, command: command.into(), with });
    }
    pub(crate) fn turn_key(&mut self) {
        self.press(Line::SupervisorKey);
    }

    /// The opening tests (NZ 5).
    pub(crate) fn opening(&mut self) {
        self.turn_key();
        self.ask("open", json!({"name": "Ana"}));
        self.tested("power");
        self.light_tests();
        self.tested("lamps");
        self.press(Line::Tumble);
        self.motor_run(16);
        self.coast();
        self.tested("tumbler");
        self.deadman_test();
        self.tested("deadman");
        for item in ["areas", "seal", "bell", "sign"] {
            self.ask("witness", json!({"item": item, "right": true, "name": "Ana"}));
            self.tested(item);
        }
        self.record_of(None, "opened", json!({"by": "Ana"}));
        self.wire(Line::OutOfService, false);
        self.pass(500);
    }

    pub(crate) fn light_tests(&mut self) {
        for a in 1..=6 {
            for b in a..=6 {
                for c in b..=6 {
                    self.light(Some([a, b, c]));
                    self.pass(300);
                }
            }
        }
        self.light(None);
    }
    pub(crate) fn tested(&mut self, test: &str) {
        self.record_of(None, "tested", json!({"test": test, "passed": true, "found": "right"}));
    }

    fn deadman_test(&mut self) {
        self.motor_on();
        self.turn(2);
        self.pass(100);
        self.truth(Truth::MotorPower { on: false });
        self.coast();
        self.wire(Line::MotorEnable, false);
    }
}

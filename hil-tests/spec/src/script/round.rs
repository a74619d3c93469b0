//! Rounds, step by step.

use super::{Script, call};
use crate::areas::{sorted, total};
use crate::observation::{Key, Line, Truth};
use serde_json::{Value, json};

impl Script {
    /// A round begins: with the tumble button under New Zealand's rules, with the call under Singapore's.
    pub(crate) fn begin(&mut self) {
        if self.covered() && self.rules.family() == crate::areas::Family::NewZealand {
            self.press(Line::Tumble);
            self.began();
        } else {
            self.press(Line::PlaceBets);
            self.began();
            self.called("place-bets");
        }
        self.read_poses([1, 1, 1]);
    }
    pub(crate) fn began(&mut self) {
        self.round += 1;
        (self.bets_called, self.spun, self.proved) = (false, false, false);
        let data = json!({"rules": self.rules.id(), "layout": self.layout.id});
        self.record("round-began", data);
    }
    /// With a remark where the order of play has another call or the spin first.
    pub(crate) fn called(&mut self, call: &str) {
        let spins_first = self.rules.family() == crate::areas::Family::NewZealand;
        let late = if call == "place-bets" { spins_first && !self.spun } else { !self.bets_called };
        self.bets_called |= call == "place-bets";
        let remark = late.then_some("out of order");
        self.record("called", json!({"call": call, "in_turn": true, "remark": remark}));
    }
    pub(crate) fn no_more_bets(&mut self) {
        self.press(Line::NoMoreBets);
        self.called("no-more-bets");
        self.wire(Line::Bell, true);
        self.pass(150);
        self.wire(Line::Bell, false);
    }

    pub(crate) fn spin_begin(&mut self) {
        if self.bets_called && self.rules.family() == crate::areas::Family::NewZealand {
            self.record("noted", json!({"kind": "late-spin", "what": "the tumbler is activated late"}));
        }
        self.spun = true;
        self.record("spin-began", Value::Null);
        self.motor_on();
    }
    pub(crate) fn spin_end(&mut self, tumbles: u32, valid: bool) {
        self.record(
            "spin-ended",
            json!({"tumbles": tumbles, "valid": valid, "steps": 4 * tumbles, "needed": 13, "how": "target"}),
        );
    }
    /// A whole spin of four tumbles; the dice lie flat with these faces.
    pub(crate) fn spin(&mut self, faces: [u8; 3]) {
        self.press(Line::Tumble);
        self.spin_begin();
        self.turn(16);
        self.motor_off();
        self.coast();
        self.truth(Truth::Dice { faces, flat: [true; 3] });
        self.spin_end(4, true);
        self.read_poses([1, 1, 1]);
    }

    /// Up to the point where bets are closed, the spin is over and the dice are covered (where there is a cover).
    pub(crate) fn until_bets_closed(&mut self, faces: [u8; 3]) {
        self.begin();
        if self.covered() {
            self.spin(faces);
            if self.rules.family() == crate::areas::Family::NewZealand {
                self.press(Line::PlaceBets);
                self.called("place-bets");
            }
            self.no_more_bets();
        } else {
            self.no_more_bets();
            self.spin(faces);
        }
        self.pass(400);
    }
    pub(crate) fn reveal(&mut self) {
        if self.covered() {
            self.dome(true);
        }
        self.record("revealed", json!({"how": if self.covered() { "dome" } else { "spin-ended" }}));
    }
    pub(crate) fn establish(&mut self, faces: [u8; 3]) {
        self.read_faces(faces);
        self.record("established", json!({"flat": "reader"}));
    }
    pub(crate) fn enter(&mut self, dice: [u8; 3]) {
        for face in dice {
            self.key(Key::Digit(face));
        }
        let [a, b, c] = dice.map(u16::from);
        self.display(a << 8 | b << 4 | c);
        self.key(Key::Entry);
    }
    pub(crate) fn result(&mut self, dice: [u8; 3], call: &str) {
        // The terminal's next poll brings the entry.
        self.pass(20);
        let areas: Vec<String> = self.layout.winning(dice).iter().map(|(area, _)| area.to_string()).collect();
        let data = json!({"dice": sorted(dice), "total": total(dice), "call": call, "areas": areas});
        self.record("result", data);
    }
    pub(crate) fn verified(&mut self) {
        self.proved = true;
        self.record("lamps-verified", Value::Null);
    }
    pub(crate) fn settled(&mut self, dice: [u8; 3]) {
        self.record("settled", json!({"dice": sorted(dice), "total": total(dice), "lamps": if self.proved { "proved" } else { "by-the-dice" }}));
    }
    /// A void ending with these clauses, separated by commas. Without a clause the record says who decided.
    pub(crate) fn void(&mut self, reason: &str, clause: &str) {
        let mut data = json!({"reason": reason, "clauses": [], "detail": "as found"});
        if clause.is_empty() {
            data["silent"] = "the rules are silent; by the house's procedure the round is void".into();
        } else {
            data["clauses"] = clause.split(", ").collect();
        }
        self.record("voided", data);
    }

    /// Up to a result that is shown and verified.
    pub(crate) fn until_settling(&mut self, faces: [u8; 3]) {
        self.until_bets_closed(faces);
        self.reveal();
        self.establish(faces);
        self.enter(faces);
        self.result(faces, &call(faces));
        self.light(Some(faces));
        self.verified();
    }
    pub(crate) fn pay(&mut self, faces: [u8; 3]) {
        self.pass(2_000);
        self.key(Key::Entry);
        self.settled(faces);
        self.light(None);
        if self.covered() {
            self.dome(false);
        }
        self.pass(1_000);
    }
    /// A whole healthy round.
    pub(crate) fn round(&mut self, faces: [u8; 3]) {
        self.until_settling(faces);
        self.pay(faces);
    }
    pub(crate) fn latch(&mut self, code: &str) {
        self.record_of(None, "latched", json!({"code": code, "cause": "as found"}));
        let message = json!({"v": 1, "code": code, "cause": "as found"});
        self.mqtt(&format!("fault/{code}"), message);
    }
    pub(crate) fn unlatch(&mut self, code: &str, how: &str) {
        self.record_of(None, "unlatched", json!({"code": code, "how": how, "by": "Ana"}));
        self.mqtt(&format!("fault/{code}"), Value::Null);
    }
}

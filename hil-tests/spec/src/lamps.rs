//! Lamps (NZ 3.3(b), 6.5 and 7.3; design.md rule 2): the winning areas light and no others, not before the result is durable, and
//! they are recorded as verified only if they really shine.

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{BusKind, Observation, Part, Seen, Transaction, Truth};
use crate::record::{Fact, Record};
use crate::registers;
use crate::scene::Scene;

const NAME: &str = "lamps";
pub(crate) const WINNERS: &str = "NZ 3.3(b), 6.5: the winning areas light, and no others";
pub(crate) const AFTER: &str = "design.md rule 2: no lamp lights before the result is durable";
pub(crate) const OTHER: &str = "lamps: dark unless a result is shown or a test was asked for";
pub(crate) const VERIFIED: &str = "lamps: verified only where commanded, sensed and shining are the winning areas";
pub(crate) const VERDICT: &str = "NZ 7.3: lamps that do not light as they should are found";
pub(crate) const OFF: &str = "lamps: dark again after the round";

/// Longest time from the round's end until its lamps are dark.
const DARK_NS: u64 = 2_000_000_000;

/// Watches the lamps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lamps {
    shining: [u64; 2],
    /// The lamps of the result are neither verified nor latched yet, and have to be by then.
    due_ns: Option<u64>,
    /// The lamps must be dark by then.
    dark_ns: Option<u64>,
    /// A procedure replaces the check of the lamps.
    waived: bool,
    /// When a board was last written, a lamp last went on or off, or a board last reported a change.
    changed_ns: u64,
    /// What the boards last reported.
    sensed: [Option<u64>; 2],
    written: u64,
    verified: u64,
    shone: u64,
    results: u64,
}

impl Judge for Lamps {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        if core::mem::replace(&mut self.sensed, scene.sensed) != scene.sensed {
            self.changed_ns = scene.now_ns;
        }
        match &seen.what {
            Seen::Bus(bus) if bus.kind == BusKind::WriteCoils => self.write(bus, scene, findings),
            Seen::Truth(Truth::Lamps { boards }) => self.shine(*boards, scene, findings),
            Seen::Truth(Truth::Process { .. } | Truth::Supply { .. }) => {
                self.due_ns = None;
                self.dark_ns = None;
            }
            // Boards that could not be reached are written once they can be.
            Seen::Truth(Truth::Broken { part: Part::Lamps | Part::Bus, .. }) if self.dark_ns.is_some() => {
                self.dark_ns = Some(scene.now_ns.saturating_add(DARK_NS));
            }
            Seen::Record(record) => self.fact(record, scene, findings),
            _ => {}
        }
        self.overdue(scene, findings);
    }

    fn finish(&mut self, _at_ns: u64, scene: &Scene, findings: &mut Findings) {
        self.overdue(scene, findings);
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("lamps commanded on", self.written),
            ("lamps seen to shine", self.shone),
            ("results that need a verdict", self.results),
            ("lamps verified", self.verified),
        ]
    }
}

/// The lamps that may be on now, and the rule that says so; `None` if any may.
fn allowed(scene: &Scene) -> Option<([u64; 2], &'static str)> {
    if scene.testing() {
        return None;
    }
    match &scene.round {
        Some(round) => match round.result {
            Some(dice) => Some((scene.board()?.lit(dice), WINNERS)),
            None => Some(([0; 2], AFTER)),
        },
        None if scene.config.given.sees_commands => Some(([0; 2], OTHER)),
        None => None,
    }
}

fn others(lit: [u64; 2], allowed: [u64; 2]) -> [u64; 2] {
    let ([a, b], [x, y]) = (lit, allowed);
    [a & !x, b & !y]
}

impl Lamps {
    fn write(&mut self, bus: &Transaction, scene: &Scene, findings: &mut Findings) {
        self.changed_ns = scene.now_ns;
        if bus.bits == 0 || bus.address >= registers::PER_BOARD {
            return;
        }
        let bits = bus.bits << bus.address;
        let lit = match bus.unit.checked_sub(registers::LAMPS) {
            Some(0) => [bits, 0],
            Some(1) => [0, bits],
            _ => return,
        };
        self.written += 1;
        // A write that was under way when the result was amended still has the old areas.
        let overtaken = scene.round.as_ref().is_some_and(|round| round.amended && bus.begun_ns < round.result_ns);
        let Some((may, clause)) = allowed(scene).filter(|_| !overtaken) else { return };
        let wrong = others(lit, may);
        if wrong != [0; 2] {
            findings.note(NAME, bus.begun_ns, clause, format!("coils commanded on that may not be: {wrong:x?}"));
        }
    }

    fn shine(&mut self, boards: [u64; 2], scene: &Scene, findings: &mut Findings) {
        self.changed_ns = scene.now_ns;
        let new = others(boards, self.shining);
        self.shining = boards;
        self.shone += u64::from(new != [0; 2]);
        if scene.broken(Part::Lamps) {
            return;
        }
        let Some((may, clause)) = allowed(scene) else { return };
        // A board that was lawfully commanded lights its lamps again after a break of its supply, until it is commanded otherwise.
        // Whether it is, is judged at the end of the round.
        let wrong = others(others(new, may), scene.commanded);
        if wrong != [0; 2] {
            findings.note(NAME, scene.now_ns, clause, format!("lamps began to shine that may not: {wrong:x?}"));
        }
    }

    fn fact(&mut self, record: &Record, scene: &Scene, findings: &mut Findings) {
        match &record.fact {
            Fact::Result { .. } | Fact::Amended { .. } => {
                self.results += 1;
                let judged = !self.waived && !scene.is_latched("lamps") && scene.round.is_some();
                let verdict_ns = scene.config.given.limits.lamps_verdict_ns;
                self.due_ns = judged.then(|| scene.now_ns.saturating_add(verdict_ns));
            }
            Fact::LampsVerified => {
                self.verified += 1;
                self.due_ns = None;
                // While the disk was writing, the dealer may have paid and the lamps gone dark, or a lamp may have failed.
                if self.changed_ns <= record.at_ns {
                    self.verify(scene, findings);
                }
            }
            Fact::Latched { code } if code == "lamps" => self.due_ns = None,
            Fact::Unlatched { code, how, .. } if code == "lamps" => self.waived = how != "rectified",
            Fact::Closed => self.waived = false,
            _ => {}
        }
        if scene.ended {
            self.due_ns = None;
            self.dark_ns = Some(scene.now_ns.saturating_add(DARK_NS));
        } else if scene.round.as_ref().is_some_and(|round| round.result.is_some()) {
            self.dark_ns = None;
        }
    }

    fn verify(&self, scene: &Scene, findings: &mut Findings) {
        let Some(round) = &scene.round else { return };
        let (Some(board), Some(dice)) = (scene.board(), round.result) else { return };
        let winning = board.lit(dice);
        let mut note = |what: String| findings.note(NAME, scene.now_ns, VERIFIED, what);
        if scene.commanded != winning {
            note(format!("commanded are {:x?}, winning are {winning:x?}", scene.commanded));
        }
        for ((sensed, winning), lamps) in scene.sensed.iter().zip(winning).zip(board.all) {
            if lamps != 0 && sensed.is_none_or(|sensed| sensed & lamps != winning) {
                note(format!("sensed are {sensed:x?}, winning are {winning:x}"));
            }
        }
        if let Some(shining) = scene.shining.filter(|shining| *shining != winning && !scene.broken(Part::Lamps)) {
            note(format!("shining are {shining:x?}, winning are {winning:x?}"));
        }
    }

    fn overdue(&mut self, scene: &Scene, findings: &mut Findings) {
        if scene.alive == Some(false) {
            return;
        }
        if self.due_ns.is_some_and(|due| scene.now_ns > due) {
            self.due_ns = None;
            // A disk that was slow still has to write what it took before it was mended.
            let was = scene.round.as_ref().is_some_and(|round| round.was_broken(Part::Journal));
            let unwritten = was || scene.broken(Part::Journal);
            if !unwritten {
                findings.note(
                    NAME,
                    scene.now_ns,
                    VERDICT,
                    "a result is shown, and its lamps are neither verified nor latched",
                );
            }
        }
        if self.dark_ns.is_some_and(|dark| scene.now_ns > dark) {
            let excused = scene.testing() || [Part::Lamps, Part::Bus].into_iter().any(|part| scene.broken(part));
            self.dark_ns = excused.then(|| scene.now_ns.saturating_add(DARK_NS));
            if scene.commanded != [0; 2] && !excused {
                findings.note(NAME, scene.now_ns, OFF, format!("still commanded on: {:x?}", scene.commanded));
            }
        }
    }
}

#[cfg(test)]
mod tests;

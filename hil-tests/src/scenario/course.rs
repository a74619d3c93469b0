//! The course of a trial: its steps one after the other, then what must be so at its end.

use super::check;
use super::harm::Injected;
use super::run::{Halt, Runner};
use tumbler_bench::Trouble;

impl Runner<'_> {
    /// All steps, then what must be so after them.
    pub(super) fn whole(&mut self) -> Result<Vec<String>, Halt> {
        for (number, (text, steps)) in self.trial.steps.iter().enumerate() {
            self.words = text;
            for step in steps {
                let done = self.step(step).and_then(|()| self.watch(step));
                done.map_err(|halt| match halt {
                    Halt::Wrong(what) => Halt::Wrong(format!("step {} `{text}`: {what}", number + 1)),
                    trouble @ Halt::Trouble(_) => trouble,
                })?;
            }
        }
        let mut wrongs = self.finished()?;
        for Injected { id, what, .. } in self.faults.iter().filter(|f| f.claimed) {
            if self.trial.must_show && !what.has_shown(self.bench) {
                return Err(Trouble::Rig(format!("fault `{id}` never took hold")).into());
            }
        }
        if !self.trial.free {
            self.endings(&mut wrongs);
            self.latches(&mut wrongs)?;
        }
        for kind in &self.trial.never {
            if let Some(record) = self.seen.iter().find(|r| check::kind(r) == kind) {
                wrongs.push(format!("never `{kind}`, but {}", check::brief(record)));
            }
        }
        Ok(wrongs)
    }

    fn finished(&mut self) -> Result<Vec<String>, Trouble> {
        let found = self.bench.finish()?.into_iter().map(|violation| format!("judge: {violation}")).collect();
        self.catch_up();
        Ok(found)
    }

    /// What the judges found in a trial that ended before its last step.
    pub(super) fn judged(&mut self) -> Vec<String> {
        // A bench that cannot be brought to rest any more says nothing, and the step that failed says enough.
        self.finished().unwrap_or_default()
    }

    /// Plays all steps, whatever comes of any, and asks nobody but the judges; what they found first.
    pub(super) fn judges_alone(&mut self) -> Option<String> {
        for (text, steps) in &self.trial.steps {
            self.words = text;
            for step in steps {
                let done = self.step(step).and_then(|()| self.watch(step));
                if let Some(found) = self.bench.found() {
                    return Some(found);
                }
                if let Err(Halt::Trouble(_)) = done {
                    return None;
                }
            }
        }
        self.bench.finish().ok()?.into_iter().next()
    }

    fn latches(&mut self, wrongs: &mut Vec<String>) -> Result<(), Halt> {
        let of_kind = |kind: &str| {
            let all = self.seen.iter().filter(|r| check::kind(r) == kind);
            all.map(|r| check::field(r, "code").unwrap_or_default()).collect::<Vec<_>>()
        };
        let (mut latched, mut wanted) = (of_kind("latched"), self.trial.latches.clone());
        if !self.trial.in_order {
            latched.sort_unstable();
            wanted.sort_unstable();
        }
        if latched != wanted {
            wrongs.push(format!("latches must be {:?}, but were {latched:?}", self.trial.latches));
        }
        let Some(snapshot) = self.bench.snapshot()? else { return Ok(()) };
        let now: Vec<&str> = snapshot.malfunctions.iter().map(|m| m.code.name()).collect();
        if now != self.trial.latched {
            wrongs.push(format!("at the end {:?} must be latched, but {now:?} are", self.trial.latched));
        }
        match &self.trial.phase {
            Some(phase) if snapshot.phase.name() != phase => {
                wrongs.push(format!("at the end the phase must be {phase}, but is {}", snapshot.phase.name()));
            }
            _ => {}
        }
        Ok(())
    }
}

//! Who may do what: a command against the caller's roles and the key switch (design.md, People and roles).
//!
//! | command | who | the key |
//! | --- | --- | --- |
//! | `Record` | technician, supervisor | no |
//! | `Maintenance`, `HardwareTest` | technician, supervisor | yes |
//! | `Witness` of a hardware test, `Close` during one, which calls it off | technician, supervisor | no |
//! | `Witness` of an opening or a reset, any other `Close` | supervisor | no |
//! | every other | supervisor | yes |
//!
//! A shift manager may do what a supervisor may, and alone decides what the rules leave to one (SGV6, SGOC 5.14).
//!
//! Every refusal is answered. Whoever is refused without an end does not fill the disk by it, nor does who has recordings written: [`Callers`].

use crate::prelude::*;
use crate::refusal::Refusal;
use crate::units::{Millis, Mono};
use crate::wire::console::{Caller, Command, PANEL};
use alloc::collections::BTreeMap;
use serde::{Deserialize, Serialize};

/// Refusals of one caller that are recorded: so many at once, and then one in this time. People and scripts that ask for everything once
/// stay below. A commit costs up to 12 KiB of flash, whatever it holds: that is 6 MB once, and 17 MB a day at one a minute.
const RECORDED: (u32, Millis) = (512, Millis(60_000));
/// Recordings that one caller may have written: so many at once, and then one in this time. One takes up to 160 KiB of flash, and pushes out
/// the oldest of those that are kept: that is 23 MB a day, and hours until an incident's goes.
const RECORDINGS: (u32, Millis) = (8, Millis(600_000));
/// Callers that are counted one by one. The accounts of a machine that reach the console are fewer.
const CALLERS: usize = 32;

/// What the table knows that decides with the roles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Whether a turn of the key grants privilege now.
    pub(crate) key: bool,
    /// How long a turn of it does.
    pub(crate) key_lasts: Millis,
    /// Whether a hardware test is in progress.
    pub(crate) measuring: bool,
}

/// Whether the caller may ask this, as it is written; otherwise why not.
pub(crate) fn may_ask(caller: &Caller, command: &Command, facts: Facts) -> Result<(), Refusal> {
    let technician = technician_may(command, facts.measuring);
    if !(caller.supervisor || caller.manager || technician && caller.technician) {
        let role = if technician { "tumbler-tech or tumbler-supervisor" } else { "tumbler-supervisor" };
        return Err(Refusal::NotInGroup { account: caller.account.clone(), role });
    }
    if command.name().is_some_and(|name| name.trim().is_empty()) {
        return Err(Refusal::NoName);
    }
    command.check_texts()?;
    if needs_key(command) && !facts.key {
        return Err(Refusal::NoKey { lasts: facts.key_lasts });
    }
    Ok(())
}

/// How often who was refused, or had a recording written, of late. The panel's accounts count as one caller: whoever breaks into the network's process can make
/// their names up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Callers(BTreeMap<String, Counted>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    /// When all of the first few are granted again.
    rested: Mono,
    /// Refusals since the last recorded one.
    left_out: u64,
}

impl Counted {
    /// Takes one of so many at once, and then one in this time; otherwise says how long there is none.
    fn take(&mut self, (most, each): (u32, Millis), at: Mono) -> Result<(), u64> {
        let rested = self.rested.max(at).after(each);
        let wait = rested.nanos_since(at.after(Millis(each.0.saturating_mul(most))));
        if wait > 0 {
            return Err(wait);
        }
        self.rested = rested;
        Ok(())
    }
}

impl Callers {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a refusal. One that is to be recorded gives how many were left out before it.
    pub(crate) fn refusal(&mut self, account: &str, at: Mono) -> Option<u64> {
        let counted = self.counted(account, at);
        if counted.take(RECORDED, at).is_err() {
            counted.left_out = counted.left_out.saturating_add(1);
            return None;
        }
        Some(core::mem::take(&mut counted.left_out))
    }

    /// Counts a recording, or refuses it.
    pub(crate) fn recording(&mut self, account: &str, at: Mono) -> Result<(), Refusal> {
        let (most, each) = RECORDINGS;
        self.counted(account, at).take(RECORDINGS, at).map_err(|wait| Refusal::TooManyRecordings {
            most,
            each,
            wait_s: wait.div_ceil(1_000_000_000),
        })
    }

    fn counted(&mut self, account: &str, at: Mono) -> &mut Counted {
        self.0.retain(|_, caller| caller.left_out > 0 || caller.rested > at);
        let caller = if account.ends_with(PANEL) { PANEL } else { account };
        let caller = if self.0.len() < CALLERS || self.0.contains_key(caller) { caller } else { "" };
        self.0.entry(caller.to_owned()).or_insert(Counted { rested: at, left_out: 0 })
    }
}

/// Whether it is a technician's as well as a supervisor's.
const fn technician_may(command: &Command, measuring: bool) -> bool {
    match command {
        Command::Record | Command::Maintenance { .. } | Command::HardwareTest { .. } => true,
        Command::Witness { .. } | Command::Close { .. } => measuring,
        _ => false,
    }
}

/// Whether it moves, clears or decides something.
const fn needs_key(command: &Command) -> bool {
    !matches!(command, Command::Record | Command::Close { .. } | Command::Witness { .. })
}

/// Whether who asked may decide what the rules leave open; `left_to_manager`: they leave it to the shift manager or above.
pub(crate) const fn may_decide(manager: bool, left_to_manager: bool) -> Result<(), Refusal> {
    if left_to_manager && !manager { Err(Refusal::LeftToManager) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::console::Witness;

    /// The first few, then one in a minute, which says how many were left out; nobody hides in another one's flood.
    #[test]
    fn refusals_without_an_end_are_counted() {
        let mut refusals = Callers::default();
        let half = |n: u32| Mono(0).after(Millis(500 * n));
        let flood: Vec<Option<u64>> = (0..721).map(|n| refusals.refusal(&format!("name{n}{PANEL}"), half(n))).collect();
        // One more is recorded after each minute.
        assert!(flood.iter().take(516).all(|told| *told == Some(0)), "{flood:?}");
        let later: Vec<u64> = flood.iter().skip(516).copied().flatten().collect();
        assert_eq!(later, [84, 119], "{flood:?}");
        assert_eq!(refusals.refusal("mei", half(721)), Some(0));
        assert_eq!(refusals.refusal(PANEL, half(4000)), Some(0), "rested");
        for n in 0..700 {
            let _ = refusals.refusal(&format!("name{n}"), half(4001));
        }
        assert!(refusals.0.len() <= CALLERS + 1, "{}", refusals.0.len());
        let _ = refusals.refusal("mei", half(80_000));
        assert_eq!(refusals.0.len(), 2, "who rests is forgotten, and nothing that is still to be told");
    }

    /// The table above, row by row: what a technician may, and what needs the key.
    #[test]
    fn roles_and_key_decide() {
        let name = || "ana".to_owned();
        let witness = || Command::Witness { item: Witness::Bell, right: true, name: name() };
        let rows = [
            (Command::Record, false, true, false),
            (Command::Maintenance { on: true, name: name() }, false, true, true),
            (witness(), true, true, false),
            (witness(), false, false, false),
            (Command::Close { name: name() }, true, true, false),
            (Command::Close { name: name() }, false, false, false),
            (Command::Open { name: name() }, true, false, true),
            (Command::Supervise { name: name() }, true, false, true),
        ];
        for (command, measuring, technician, keyed) in rows {
            for (role, is_in) in
                [("nobody", false), ("technician", technician), ("supervisor", true), ("manager", true)]
            {
                let caller = Caller {
                    account: role.to_owned(),
                    technician: role == "technician",
                    supervisor: role == "supervisor",
                    manager: role == "manager",
                };
                for key in [false, true] {
                    let asked = may_ask(&caller, &command, Facts { key, key_lasts: Millis(300_000), measuring });
                    let refused = matches!(asked, Err(Refusal::NotInGroup { .. }));
                    assert_eq!(refused, !is_in, "{role} {command:?}");
                    let wants_key = matches!(asked, Err(Refusal::NoKey { .. }));
                    assert_eq!(wants_key, is_in && keyed && !key, "{role} {command:?} {key}");
                }
            }
        }
        assert_eq!(may_decide(false, true), Err(Refusal::LeftToManager));
        assert_eq!([may_decide(true, true), may_decide(false, false)], [Ok(()), Ok(())]);
    }
}

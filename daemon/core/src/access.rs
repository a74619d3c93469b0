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

use crate::refusal::Refusal;
use crate::units::Millis;
use crate::wire::console::{Caller, Command};

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
    use crate::prelude::*;
    use crate::wire::console::Witness;

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

//! Who holds how many of the console's places.
//!
//! A person may hold some and not all, whoever has no role may hold few, and the last ones are kept for supervisors: whatever
//! others do, the person who decides gets through.

use super::commands::CONNECTIONS;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tumbler_core::wire::console::Caller;

/// Most connections of one user id.
pub const OF_UID: usize = 16;
/// Most connections of callers without a role, together.
pub const OF_STRANGERS: usize = 8;
/// Connections that are kept for callers with the role of a supervisor.
pub const KEPT: usize = 8;

/// All places.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    /// Connections of each user id, also of those whose role is not known yet.
    of: BTreeMap<u32, usize>,
    /// Of those whose role is known: without a role, with that of a technician, with that of a supervisor.
    roles: [usize; 3],
}

/// Why there is no place, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Full {
    #[error(
        "user id {0} has {OF_UID} connections to the console open already, and may have no more; end one of them (`ss -xp` names its \
         programs), then try again"
    )]
    Uid(u32),
    #[error(
        "callers without a role have {OF_STRANGERS} connections to the console open already, and may have no more; try again later, or \
         from an account in a group of `[console]`, such as tumbler-tech"
    )]
    Strangers,
    #[error(
        "{0} connections to the console are open already, and the last {KEPT} places are for supervisors; end one that nobody needs, or \
         try again later"
    )]
    Kept(usize),
    #[error("{CONNECTIONS} connections to the console are open already; end one that nobody needs, or try again later")]
    All,
}

/// What a caller may be, for its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Stranger,
    Technician,
    Supervisor,
}

impl Role {
    fn of(caller: &Caller) -> Self {
        match (caller.supervisor || caller.manager, caller.technician) {
            (true, _) => Self::Supervisor,
            (false, true) => Self::Technician,
            (false, false) => Self::Stranger,
        }
    }
}

/// One of the connections of a user id, whose role is not known yet. Dropping it gives it back.
#[derive(Debug)]
pub(super) struct Arrival {
    places: Arc<Places>,
    uid: u32,
}

/// A place that is held. Dropping it gives it back.
#[derive(Debug)]
pub(super) struct Place {
    role: Role,
    arrival: Arrival,
}

impl Places {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection in until its caller's role is known.
    ///
    /// # Errors
    /// [`Full::Uid`].
    pub(super) fn arrive(self: &Arc<Self>, uid: u32) -> Result<Arrival, Full> {
        let mut held = self.held();
        let own = held.of.entry(uid).or_default();
        if *own >= OF_UID {
            return Err(Full::Uid(uid));
        }
        *own += 1;
        Ok(Arrival { places: Arc::clone(self), uid })
    }

    fn take(&self, role: Role) -> Result<(), Full> {
        let mut held = self.held();
        let [strangers, technicians, supervisors] = held.roles;
        let others = strangers + technicians;
        if role == Role::Stranger && strangers >= OF_STRANGERS {
            return Err(Full::Strangers);
        }
        if others + supervisors >= CONNECTIONS {
            return Err(Full::All);
        }
        if role != Role::Supervisor && others >= CONNECTIONS - KEPT {
            return Err(Full::Kept(others));
        }
        if let Some(count) = held.roles.get_mut(role as usize) {
            *count += 1;
        }
        Ok(())
    }
}

impl Arrival {
    /// The place of a caller whose role is known now.
    ///
    /// # Errors
    /// [`Full`]: there is none for this role.
    pub(super) fn place(self, caller: &Caller) -> Result<Place, Full> {
        let role = Role::of(caller);
        self.places.take(role)?;
        Ok(Place { role, arrival: self })
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let mut held = self.places.held();
        let Some(own) = held.of.get_mut(&self.uid) else { return };
        *own = own.saturating_sub(1);
        if *own == 0 {
            held.of.remove(&self.uid);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(count) = self.arrival.places.held().roles.get_mut(self.role as usize) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(role: Role) -> Caller {
        Caller {
            account: "a".into(),
            technician: role == Role::Technician,
            supervisor: role == Role::Supervisor,
            manager: false,
        }
    }

    fn place(places: &Arc<Places>, uid: u32, role: Role) -> Result<Place, Full> {
        places.arrive(uid)?.place(&caller(role))
    }

    /// As many as there are, one by one.
    fn all(places: &Arc<Places>, uid: u32, role: Role) -> (Vec<Place>, Full) {
        let mut held = Vec::new();
        loop {
            match place(places, uid, role) {
                Ok(one) => held.push(one),
                Err(full) => return (held, full),
            }
        }
    }

    #[test]
    fn strangers_have_few_and_technicians_leave_the_last_to_supervisors() {
        let places = Arc::new(Places::default());
        let (strangers, full) = all(&places, 1, Role::Stranger);
        assert_eq!((strangers.len(), full), (OF_STRANGERS, Full::Strangers));
        assert_eq!(place(&places, 2, Role::Stranger).unwrap_err(), Full::Strangers, "of all together");
        let (technicians, full) = all(&places, 3, Role::Technician);
        assert_eq!((technicians.len(), full), (OF_UID, Full::Uid(3)));
        assert_eq!(place(&places, 4, Role::Technician).unwrap_err(), Full::Kept(24));
        let (supervisors, full) = all(&places, 5, Role::Supervisor);
        assert_eq!((supervisors.len(), full), (KEPT, Full::All));
        drop(strangers);
        assert!(place(&places, 4, Role::Technician).is_ok());
        drop((technicians, supervisors));
        let held = places.held();
        assert!(held.of.is_empty() && held.roles == [0; 3], "{held:?}");
    }

    #[test]
    fn who_is_being_looked_up_counts_for_the_user_id_only() {
        let places = Arc::new(Places::default());
        let arrived: Vec<_> = (0..OF_UID).map(|_| places.arrive(1).unwrap()).collect();
        assert_eq!(places.arrive(1).unwrap_err(), Full::Uid(1));
        assert_eq!(all(&places, 2, Role::Supervisor).0.len(), OF_UID);
        drop(arrived);
        assert!(places.arrive(1).is_ok());
    }

    #[test]
    fn a_shift_manager_is_a_supervisor() {
        let manager = Caller { manager: true, ..caller(Role::Stranger) };
        assert_eq!(Role::of(&manager), Role::Supervisor);
    }
}

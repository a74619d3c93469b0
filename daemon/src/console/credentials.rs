//! Who is at the other end: from the kernel's word on the peer, and the system's lists of users and groups.

use crate::config::Console;
use nix::unistd::{Gid, Group, Uid, User, getgrouplist};
use std::ffi::CString;
use tumbler_core::wire::console::Caller;

/// What the kernel and the system say of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its user id.
    pub uid: u32,
    /// Its account's name, or `uid N` where it has none.
    pub account: String,
    /// Its effective group and its account's groups.
    pub groups: Vec<u32>,
}

/// The groups of the three roles, as they are now; `None` where a group does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoleGroups {
    /// Group of the supervisors.
    pub supervisor: Option<u32>,
    /// Group of the shift managers and above.
    pub manager: Option<u32>,
    /// Group of the technicians.
    pub technician: Option<u32>,
}

/// The caller that this peer is. Root has no role by itself: whoever may become root may also become a member of the
/// group, but the record then says so.
#[must_use]
pub fn caller(peer: &Peer, groups: RoleGroups, console: &Console) -> Caller {
    let is_in = |group: Option<u32>| group.is_some_and(|g| peer.groups.contains(&g));
    let manager = is_in(groups.manager) || console.manager_uids.contains(&peer.uid);
    Caller {
        account: peer.account.clone(),
        technician: is_in(groups.technician) || console.technician_uids.contains(&peer.uid),
        // A shift manager may do all that a supervisor may.
        supervisor: manager || is_in(groups.supervisor) || console.supervisor_uids.contains(&peer.uid),
        manager,
    }
}

/// Looks up the peer and the groups. The daemon's own account has no role by its groups: it is in the technicians' to give them the
/// socket, and is no technician by that. Reads the system's lists, so it may wait for disk or network.
#[must_use]
pub fn look_up(uid: u32, gid: u32, console: &Console) -> Caller {
    let user = User::from_uid(Uid::from_raw(uid)).ok().flatten();
    let mut groups = vec![gid];
    let listed = user.as_ref().and_then(|u| getgrouplist(&CString::new(u.name.as_str()).ok()?, u.gid).ok());
    groups.extend(listed.into_iter().flatten().map(Gid::as_raw));
    if uid == Uid::effective().as_raw() {
        groups.clear();
    }
    let account = user.map_or_else(|| format!("uid {uid}"), |u| u.name);
    let group = |name: &str| Group::from_name(name).ok().flatten().map(|g| g.gid.as_raw());
    let roles = RoleGroups {
        supervisor: group(&console.supervisor_group),
        manager: group(&console.manager_group),
        technician: group(&console.technician_group),
    };
    caller(&Peer { uid, account, groups }, roles, console)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console() -> Console {
        Console {
            socket: "/nonexistent".into(),
            supervisor_group: "tumbler-supervisor".into(),
            manager_group: "tumbler-manager".into(),
            technician_group: "tumbler-tech".into(),
            supervisor_uids: vec![2001],
            manager_uids: vec![2002],
            technician_uids: vec![],
        }
    }

    fn roles(uid: u32, groups: &[u32], of: RoleGroups) -> (bool, bool, bool) {
        let peer = Peer { uid, account: "a".into(), groups: groups.to_vec() };
        let caller = caller(&peer, of, &console());
        (caller.technician, caller.supervisor, caller.manager)
    }

    #[test]
    fn roles_come_from_groups_and_listed_ids_only() {
        let of = RoleGroups { supervisor: Some(501), manager: Some(503), technician: Some(502) };
        assert_eq!(roles(1000, &[1000], of), (false, false, false));
        assert_eq!(roles(1000, &[1000, 501], of), (false, true, false));
        assert_eq!(roles(1000, &[502], of), (true, false, false));
        assert_eq!(roles(2001, &[2001], of), (false, true, false));
        assert_eq!(roles(1000, &[1000, 503], of), (false, true, true), "a manager may do all that a supervisor may");
        assert_eq!(roles(2002, &[2002], of), (false, true, true));
        assert_eq!(roles(0, &[0], of), (false, false, false), "root has no role by itself");
    }

    #[test]
    fn a_group_that_does_not_exist_has_no_members() {
        assert_eq!(roles(1000, &[0, 1000], RoleGroups::default()), (false, false, false));
    }

    #[test]
    fn the_daemons_own_account_has_no_role_by_its_groups() {
        let (uid, gid) = (Uid::effective().as_raw(), Gid::effective().as_raw());
        let group = Group::from_gid(Gid::effective()).unwrap().unwrap().name;
        let mut console = Console { technician_group: group, ..console() };
        assert!(!look_up(uid, gid, &console).technician);
        // Another account in the same group is a technician.
        assert!(look_up(uid + 4_000_000, gid, &console).technician);
        console.technician_uids = vec![uid];
        assert!(look_up(uid, gid, &console).technician, "where it is listed it is meant");
    }

    #[test]
    fn an_unknown_user_keeps_its_number_as_its_name() {
        let caller = look_up(4_000_000, 4_000_000, &console());
        assert_eq!(caller.account, "uid 4000000");
        assert!(!caller.technician && !caller.supervisor && !caller.manager);
    }
}

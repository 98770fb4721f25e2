//! Login sessions as pods, as systemd keeps them: `session-N.scope` of each user, and the
//! services and scopes of a user's own manager (`user@UID.service`). The slices above them
//! are never candidates.

use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;

use super::super::services::{SERVICE, is_session, is_system};
use super::Search;
use crate::Origin;
use crate::dir::{each_child, open_dir};

const USERS: &str = "user.slice";

/// Where in the tree of `user.slice` a cgroup lies.
#[derive(Clone, Copy)]
enum Of {
    AllUsers,
    User,
    /// A user's manager, so many levels below it.
    Manager(u8),
}

/// What a child is.
enum Child {
    Unit,
    Holds(Of),
    Other,
}

impl Of {
    fn child(self, name: &[u8]) -> Child {
        // Each level adds a part to a slice's name, which has room for few.
        const DEEPEST: u8 = 16;
        let is_unit = || name.ends_with(SERVICE) || name.ends_with(b".scope");
        match self {
            Self::AllUsers if name.starts_with(b"user-") => Child::Holds(Self::User),
            Self::User if is_session(name) => Child::Unit,
            Self::User if name.starts_with(b"user@") => Child::Holds(Self::Manager(0)),
            Self::Manager(depth) if name.ends_with(b".slice") && depth < DEEPEST => {
                Child::Holds(Self::Manager(depth.saturating_add(1)))
            }
            Self::Manager(_) if is_unit() && !is_system(name) => Child::Unit,
            Self::AllUsers | Self::User | Self::Manager(_) => Child::Other,
        }
    }
}

impl Search<'_> {
    /// Adds the sessions of all users; a machine without systemd has none.
    pub(super) fn add_sessions(&mut self, hierarchy: &Hierarchy) -> Result<(), Errno> {
        let users = Path::new(USERS);
        match hierarchy.open(users)? {
            Some(dir) => self.add_units(dir.as_fd(), users, Of::AllUsers),
            None => Ok(()),
        }
    }

    fn add_units(&mut self, dir: BorrowedFd<'_>, path: &Path, of: Of) -> Result<(), Errno> {
        let _all = each_child(dir, &mut |child| {
            let name = child.to_bytes();
            match of.child(name) {
                Child::Unit => self.add(path, name, Origin::Service, None),
                Child::Holds(of) => match open_dir(dir, child) {
                    Ok(dir) => {
                        let below = path.join(OsStr::from_bytes(name));
                        self.add_units(dir.as_fd(), &below, of)?;
                    }
                    Err(errno) if is_gone(errno) => {}
                    Err(errno) => return Err(errno),
                },
                Child::Other => {}
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(())
    }
}

//! What a walk over the places of pods comes across, to tell without asking for memory
//! whether a list that was made before still holds.

use alloc::vec::Vec;
use core::ffi::CStr;
use core::ops::ControlFlow;
use std::path::{Path, PathBuf};

use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::Pid;

use super::discover::KUBEPODS;
use super::revisit::Recheck;
use crate::dir::{each_child, open_cgroup, open_dir};
use crate::process::Proc;
use evictd_containers::is_kubepods_class;

/// The end of a directory, and what stands for one that is not there or could not be
/// read. No name of a cgroup has a slash in it.
const END: &[u8] = b"/";
const GONE: &[u8] = b"/gone";
const FAILED: &[u8] = b"/failed";

/// The names of the cgroups that may be pods, in the order in which the kernel tells
/// them, and if there are any, where the protected processes are; each step ends with NUL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    steps: Vec<u8>,
    /// How much of that is about cgroups.
    of_cgroups: usize,
    /// Nothing failed on the way.
    pub(super) is_whole: bool,
}

/// How something was found is no part of what was found.
impl PartialEq for Trail {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Trail {}

impl Trail {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.is_whole = true;
    }

    /// The next step; without a text what it is about has gone.
    pub(super) fn note(&mut self, step: Option<&[u8]>) {
        let step = step.unwrap_or(GONE);
        self.steps.extend_from_slice(step);
        self.steps.push(0);
        self.is_whole &= step != FAILED;
    }

    /// What is noted from here on is about processes.
    pub(super) const fn leave_cgroups(&mut self) {
        self.of_cgroups = self.steps.len();
    }

    /// To compare with another walk, step by step: with all that was noted, or with what
    /// is about cgroups alone.
    pub(super) fn follow(&self, recheck: Recheck) -> Follower<'_> {
        let of_cgroups = self.steps.get(..self.of_cgroups);
        Follower {
            rest: match recheck {
                Recheck::All => self.steps.as_slice(),
                Recheck::Running => of_cgroups.unwrap_or_default(),
            },
            is_on_it: self.is_whole,
        }
    }
}

/// Whether another walk leads along the same trail. Cgroups may have gone: none is new.
#[derive(Debug)]
pub(super) struct Follower<'a> {
    rest: &'a [u8],
    is_on_it: bool,
}

impl Follower<'_> {
    pub(super) fn step(&mut self, step: Option<&[u8]>) {
        let step = step.unwrap_or(GONE);
        while self.is_on_it {
            let length = self.rest.iter().take_while(|byte| **byte != 0).count();
            let Some((next, rest)) = self.rest.split_at_checked(length.saturating_add(1)) else {
                break;
            };
            self.rest = rest;
            match next.split_last() {
                Some((_, next)) if next == step => return,
                Some((_, next)) if !next.contains(&b'/') => {} // a cgroup that has gone
                _ => break,
            }
        }
        self.is_on_it = false;
    }

    /// Whether nothing was noted after this.
    pub(super) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn has_arrived(&self) -> bool {
        self.is_on_it && !self.rest.contains(&b'/')
    }
}

/// Shows `step` the cgroups that may be pods.
pub(super) fn walk(hierarchy: &Hierarchy, roots: &[PathBuf], step: &mut dyn FnMut(&[u8])) {
    for root in KUBEPODS {
        children(open_cgroup(hierarchy, Path::new(root)), true, step);
    }
    for root in roots {
        children(open_cgroup(hierarchy, root), false, step);
    }
}

/// Shows `step` where each of the protected processes is: which of these cgroups are no
/// pods for that.
pub(super) fn walk_protected(
    proc: &Proc,
    text: &mut Vec<u8>,
    step: &mut dyn FnMut(Pid, Option<&[u8]>),
) {
    proc.each_protected(&mut |pid| {
        let read = proc.read_cgroup(pid, text);
        step(pid, read.map(|()| text.as_slice()));
    });
}

fn children(dir: Result<Option<OwnedFd>, Errno>, has_classes: bool, step: &mut dyn FnMut(&[u8])) {
    let listed = dir.and_then(|dir| {
        let dir = dir.ok_or(Errno::NOENT)?;
        each_child(dir.as_fd(), &mut |name: &CStr| {
            step(name.to_bytes());
            if has_classes && is_kubepods_class(name.to_bytes()) {
                children(open_dir(&dir, name).map(Some), false, step);
            }
            Ok(ControlFlow::Continue(()))
        })
    });
    step(match listed {
        Ok(_) => END,
        Err(errno) if is_gone(errno) => GONE,
        Err(_) => FAILED,
    });
}

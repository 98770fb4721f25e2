use core::ffi::CStr;
use std::ffi::OsString;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use evictd_kerntext::{Mount, controllers, mounts};

use rustix::fs::CWD;
use rustix::io::Errno;

use crate::dir::open_dir;
use crate::file::{read_file, twice};
use crate::{Error, is_gone};

/// Which cgroup interface a hierarchy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// One hierarchy for each controller or a few of them.
    V1,
    /// The unified hierarchy.
    V2,
}

/// Room for the path of a cgroup, on the stack; a longer one takes memory.
const PATH_BYTES: usize = 512;

/// A mounted cgroup hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// Its interface.
    pub version: Version,
    /// Where it is mounted.
    pub mount_point: PathBuf,
}

impl Hierarchy {
    /// Opens the directory of a cgroup, by its path from the root: what a pod's numbers
    /// are read from. `None` when this hierarchy does not have it (any more).
    ///
    /// As a rule in one lookup and without asking for memory, which may be short.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the path leads up (`..`) or has a NUL byte; else as openat(2).
    pub fn open(&self, cgroup: &Path) -> Result<Option<OwnedFd>, Errno> {
        if cgroup.components().any(|part| part == Component::ParentDir) {
            return Err(Errno::INVAL);
        }
        match twice(|| self.open_below(cgroup)) {
            Ok(dir) => Ok(Some(dir)),
            // Without its hierarchy a cgroup cannot be said to be gone.
            Err(errno) if is_gone(errno) => open_dir(CWD, &self.mount_point).map(|_| None),
            Err(errno) => Err(errno),
        }
    }

    fn open_below(&self, cgroup: &Path) -> Result<OwnedFd, Errno> {
        let mut buffer = [0; PATH_BYTES];
        let below = cgroup.strip_prefix("/").unwrap_or(cgroup);
        let [mount, below] =
            [self.mount_point.as_path(), below].map(|path| path.as_os_str().as_bytes());
        let mut rest = &mut buffer[..];
        let parts = [mount, b"/", below, b"\0"].into_iter();
        let written = parts
            .map(|part| rest.write_all(part))
            .all(|done| done.is_ok());
        let length = PATH_BYTES.saturating_sub(rest.len());
        // A name with a NUL byte in it must not lead to what stands before that.
        match CStr::from_bytes_with_nul(buffer.get(..length).unwrap_or_default()) {
            Ok(path) if written => open_dir(CWD, path),
            _ => open_dir(CWD, self.below(cgroup)),
        }
    }

    /// The directory of a cgroup by its path from the root, with or without a
    /// slash at its front.
    #[must_use]
    pub fn below(&self, cgroup: &Path) -> PathBuf {
        let relative = cgroup.strip_prefix("/").unwrap_or(cgroup);
        self.mount_point.join(relative)
    }

    /// Whether the memory controller tells what the whole machine uses: on v2 since Linux
    /// 5.8.
    #[must_use]
    pub fn counts_root(&self) -> bool {
        self.version == Version::V1 || self.below(Path::new("memory.stat")).exists()
    }
}

/// Where each controller that eviction uses can be found.
///
/// Decided for each controller by itself: a machine may have v1 controllers
/// and a cgroup2 mount without any (systemd's hybrid layout), or some here and
/// some there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchies {
    /// The memory controller; `None` where it is switched off
    /// (`cgroup_disable=memory`), not built in or not mounted.
    pub memory: Option<Hierarchy>,
    /// The pids controller.
    pub pids: Option<Hierarchy>,
    /// What can freeze: v1's freezer, else the unified hierarchy, where every
    /// cgroup but the root can (`cgroup.freeze`, since 5.2).
    pub freezer: Option<Hierarchy>,
    /// The cgroup2 mount, wherever it is and whatever controllers it has.
    pub unified: Option<Hierarchy>,
    /// The v1 hierarchy without controllers in which an init system keeps its services:
    /// `name=openrc`, else `name=systemd`.
    pub services: Option<Hierarchy>,
}

impl Hierarchies {
    /// Reads `self/mountinfo` and `cgroups` below `proc`, and
    /// `cgroup.controllers` of the cgroup2 mount.
    ///
    /// # Errors
    /// When `self/mountinfo` cannot be read, or one of the two others cannot
    /// although it exists. Lines that make no sense are left out.
    pub fn read(proc: &Path) -> Result<Self, Error> {
        let mountinfo = read_file(&proc.join("self/mountinfo"))?;
        let mounts: Vec<Mount<'_>> = mounts(&mountinfo).flatten().collect();
        let cgroups = read_or_empty(&proc.join("cgroups"))?;
        let unified = pick(&mounts, Version::V2, &|mount| mount.fs_type == b"cgroup2");
        let offered = match &unified {
            Some(found) => read_or_empty(&found.mount_point.join("cgroup.controllers"))?,
            None => Vec::new(),
        };
        let find = |name: &str| {
            if is_switched_off(&cgroups, name) {
                return None;
            }
            find_v1(&mounts, name).or_else(|| {
                let has_it = is_offered(&offered, name);
                unified.clone().filter(|_| has_it)
            })
        };
        Ok(Self {
            memory: find("memory"),
            pids: find("pids"),
            freezer: find_v1(&mounts, "freezer").or_else(|| unified.clone()),
            unified,
            services: find_v1(&mounts, "name=openrc").or_else(|| find_v1(&mounts, "name=systemd")),
        })
    }
}

/// What counts processor time: v1's cpuacct, else the unified hierarchy, in which every
/// cgroup has a `cpu.stat`.
pub(crate) fn find_cpu(proc: &Path) -> Result<Option<Hierarchy>, Error> {
    let mountinfo = read_file(&proc.join("self/mountinfo"))?;
    let mounts: Vec<Mount<'_>> = mounts(&mountinfo).flatten().collect();
    let unified = || pick(&mounts, Version::V2, &|mount| mount.fs_type == b"cgroup2");
    Ok(find_v1(&mounts, "cpuacct").or_else(unified))
}

/// What shares out processors: v1's cpu, else the unified hierarchy, whose slices may have it
/// off.
#[must_use]
pub fn read_cpu_shares(proc: &Path) -> Option<Hierarchy> {
    let mountinfo = read_file(&proc.join("self/mountinfo")).ok()?;
    let mounts: Vec<Mount<'_>> = mounts(&mountinfo).flatten().collect();
    let unified = || pick(&mounts, Version::V2, &|mount| mount.fs_type == b"cgroup2");
    find_v1(&mounts, "cpu").or_else(unified)
}

/// Whether the kernel knows the memory controller but has it switched off, as
/// Raspberry Pi OS does unless the kernel's command line says
/// `cgroup_enable=memory`: reads `cgroups` below `proc`.
///
/// # Errors
/// When that file exists and cannot be read.
pub fn read_memory_switched_off(proc: &Path) -> Result<bool, Error> {
    let cgroups = read_or_empty(&proc.join("cgroups"))?;
    Ok(is_switched_off(&cgroups, "memory"))
}

fn read_or_empty(path: &Path) -> Result<Vec<u8>, Error> {
    match read_file(path) {
        Err(error) if error.cause.is_gone() => Ok(Vec::new()),
        read => read,
    }
}

/// A controller that the file does not list may still be there: kernels
/// without the v1 side of it leave it out.
fn is_switched_off(cgroups: &[u8], name: &str) -> bool {
    controllers(cgroups)
        .flatten()
        .any(|controller| controller.name == name.as_bytes() && !controller.enabled)
}

fn is_offered(offered: &[u8], name: &str) -> bool {
    offered
        .split(u8::is_ascii_whitespace)
        .any(|word| word == name.as_bytes())
}

fn find_v1(mounts: &[Mount<'_>], controller: &str) -> Option<Hierarchy> {
    pick(mounts, Version::V1, &|mount| {
        mount.fs_type == b"cgroup" && mount.has_super_option(controller.as_bytes())
    })
}

/// The first mount that fits and shows the root of its hierarchy, else the
/// first that fits at all: a container may have bind mounts of some cgroup
/// beside the real one.
fn pick(
    mounts: &[Mount<'_>],
    version: Version,
    fits: &dyn Fn(&Mount<'_>) -> bool,
) -> Option<Hierarchy> {
    let fitting = mounts
        .iter()
        .filter(|mount| fits(mount) && !is_covered(mounts, mount));
    let found = fitting.min_by_key(|mount| !mount.root.is(b"/"))?;
    let mount_point = OsString::from_vec(found.mount_point.bytes().collect()).into();
    Some(Hierarchy {
        version,
        mount_point,
    })
}

/// Whether another mount lies right on top of this one.
fn is_covered(mounts: &[Mount<'_>], below: &Mount<'_>) -> bool {
    mounts
        .iter()
        .any(|above| above.parent_id == below.mount_id && above.mount_point == below.mount_point)
}

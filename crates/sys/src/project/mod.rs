use core::mem::MaybeUninit;

use rustix::fd::{AsFd, AsRawFd};
use rustix::io::Errno;
use rustix::ioctl::{Getter, ioctl, opcode};

use crate::error::done;

/// One number on every architecture, which libc does not know for each.
pub(crate) const QUOTACTL_FD: libc::c_long = 443;

/// `PRJQUOTA` of `linux/quota.h`.
const PRJQUOTA: libc::c_int = 2;

/// `FS_XFLAG_PROJINHERIT` of `linux/fs.h`.
const PROJECT_INHERIT: u32 = 0x200;

/// `QIF_SPACE | QIF_INODES` of `linux/quota.h`: both counts are given.
const COUNTED: u32 = 2 | 8;

/// `struct fsxattr` of `linux/fs.h`, 28 bytes on every architecture.
#[repr(C)]
struct FsXattr {
    xflags: u32,
    extent_size: u32,
    extents: u32,
    project: u32,
    cow_extent_size: u32,
    pad: [u8; 8],
}

/// The quota project of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Project {
    /// Its number; 0 is the project of everything that has no other.
    pub id: u32,
    /// Whether what is made below becomes part of it.
    pub inherited: bool,
}

/// What a quota project holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectUsage {
    /// Bytes on disk, those that only wait to be written included.
    pub bytes: u64,
    /// Inodes.
    pub inodes: u64,
}

/// The project that a directory (or file) belongs to: `FS_IOC_FSGETXATTR`.
///
/// # Errors
///
/// * `ENOTTY`, `EOPNOTSUPP`: the filesystem knows no projects.
/// * `EBADF`: not open for reading.
pub fn read_project(of: impl AsFd) -> Result<Project, Errno> {
    type Get = Getter<{ opcode::read::<FsXattr>(b'X', 31) }, FsXattr>;
    // SAFETY: FS_IOC_FSGETXATTR is _IOR('X', 31, struct fsxattr): where it
    // succeeds, the kernel has written the whole structure, which is plain
    // numbers.
    let found = unsafe { ioctl(of, Get::new()) }?;
    Ok(Project {
        id: found.project,
        inherited: found.xflags & PROJECT_INHERIT != 0,
    })
}

/// What project `id` holds on the filesystem of `on`: `quotactl_fd(2)` with
/// `Q_GETQUOTA`, which ext4, f2fs and xfs answer alike. Since Linux 5.14; needs
/// `CAP_SYS_ADMIN`.
///
/// There is no fallback to `quotactl(2)`, which wants the path of the block
/// device: on older kernels the caller counts by itself.
///
/// # Errors
///
/// * `ESRCH`, `ENOENT`: projects are not accounted for here, or not this one.
/// * `ENOSYS`: the filesystem has no quotas, or the kernel is older than 5.14
///   or built without.
/// * `EPERM`: without the capability.
pub fn read_project_usage(on: impl AsFd, id: u32) -> Result<ProjectUsage, Errno> {
    let fd = on.as_fd().as_raw_fd();
    let command = (libc::Q_GETQUOTA << 8) | PRJQUOTA;
    let mut found = MaybeUninit::<libc::dqblk>::zeroed();
    // SAFETY: the kernel writes at most one `struct if_dqblk`, which is what
    // `dqblk` is, to memory that is ours until the call returns; the borrowed
    // descriptor stays open meanwhile.
    done(unsafe { libc::syscall(QUOTACTL_FD, fd, command, id, found.as_mut_ptr()) })?;
    // SAFETY: it is plain numbers, zeroed before the kernel wrote them.
    let found = unsafe { found.assume_init() };
    if found.dqb_valid & COUNTED != COUNTED {
        return Err(Errno::NOSYS);
    }
    Ok(ProjectUsage {
        bytes: found.dqb_curspace,
        inodes: found.dqb_curinodes,
    })
}

#[cfg(test)]
mod tests;

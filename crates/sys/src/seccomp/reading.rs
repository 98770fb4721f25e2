//! What a thread that only reads may do besides.

use libc::{c_long, sock_filter};
use rustix::io::Errno;
use rustix::thread::no_new_privs;

use super::{decide, install, jump, load_argument, load_number, number};

/// From now on the calling thread, and those that it makes, can open no file for writing, and
/// make, rename, link, resize or delete none: the kernel answers `EACCES`, whoever asks. What
/// is open already stays as it is, and sockets of others can be connected to.
///
/// Unlike [`write_only_below`](crate::write_only_below) it needs no Landlock, and what the
/// thread sees of other processes stays as it was.
///
/// It is part of the sandbox: nothing is done where
/// [`keep_capabilities`](crate::keep_capabilities) was not called. The system calls are those
/// that [`allow_known_syscalls`](crate::allow_known_syscalls) leaves, which is to be called
/// before: of others, and of those of another architecture, this knows nothing.
///
/// # Errors
///
/// `EINVAL` where the kernel has no such filters.
pub fn write_nowhere() -> Result<(), Errno> {
    if !no_new_privs()? {
        return Ok(());
    }
    install(&mut program())
}

/// Opening for writing, or so that a file is made or emptied.
const TO_WRITE: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC).unsigned_abs();

/// Where the flags are among the arguments.
const OPENING: &[(c_long, u32)] = &[
    (libc::SYS_openat, 2),
    #[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
    (libc::SYS_open, 1),
];

/// Each call of the list of allowed ones that changes files or their names. `bind` makes a
/// file where the socket is a unix socket.
const CHANGING: &[&[c_long]] = &[
    &[
        libc::SYS_unlinkat,
        libc::SYS_mkdirat,
        libc::SYS_renameat2,
        libc::SYS_linkat,
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_ftruncate,
        libc::SYS_fallocate,
        libc::SYS_bind,
        #[cfg(not(target_arch = "riscv64"))]
        libc::SYS_renameat,
        #[cfg(target_pointer_width = "32")]
        libc::SYS_ftruncate64,
    ],
    #[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
    super::calls::OLDER_CHANGING,
];

pub(super) fn program() -> Vec<sock_filter> {
    let allow = decide(libc::SECCOMP_RET_ALLOW);
    let refuse = decide(libc::SECCOMP_RET_ERRNO | libc::EACCES.unsigned_abs());
    let mut program = vec![load_number()];
    for &(call, position) in OPENING {
        program.extend([
            jump(libc::BPF_JEQ, number(call), 0, 4),
            load_argument(position),
            jump(libc::BPF_JSET, TO_WRITE, 0, 1),
            refuse,
            allow,
        ]);
    }
    for &call in CHANGING.iter().copied().flatten() {
        program.extend([jump(libc::BPF_JEQ, number(call), 0, 1), refuse]);
    }
    // Its flags lie in memory, where a filter cannot look; whoever opens by it has openat too.
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    program.extend([
        jump(libc::BPF_JEQ, number(libc::SYS_openat2), 0, 1),
        decide(no_such_call),
    ]);
    // The bind of an architecture where this one call stands for all of sockets.
    #[cfg(target_arch = "x86")]
    program.extend([
        jump(libc::BPF_JEQ, number(libc::SYS_socketcall), 0, 4),
        load_argument(0),
        jump(libc::BPF_JEQ, SOCKETCALL_BIND, 0, 1),
        refuse,
        allow,
    ]);
    program.push(allow);
    program
}

/// `SYS_BIND` of `linux/net.h`.
#[cfg(target_arch = "x86")]
const SOCKETCALL_BIND: u32 = 2;

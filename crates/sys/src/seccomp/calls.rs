//! The list. A call that is missing ends the daemon, with a line that names its number:
//! `ausyscall NUMBER`, or the table `syscall_64.tbl` of the kernel, knows its name. What a
//! new piece of code needs is shown by `strace -f -c` of its tests, and by
//! `qemu-ARCH-static -strace` for another processor; add it here.

use libc::c_long;

use crate::process::PROCESS_MRELEASE;
use crate::project::QUOTACTL_FD;

/// A call that is allowed with some arguments only.
pub(super) struct Rule {
    pub(super) call: c_long,
    pub(super) position: u32,
    pub(super) argument: Argument,
}

/// What the lower 32 bits of an argument must be.
pub(super) enum Argument {
    Is(u32),
    Has(u32),
    Lacks(u32),
}

/// Threads but no processes, unix sockets but no network, memory but none to execute, filters
/// of one's own, and no limits of other processes.
pub(super) const ALLOWED_WITH: &[Rule] = &[
    only(
        libc::SYS_clone,
        0,
        Argument::Has(libc::CLONE_THREAD.unsigned_abs()),
    ),
    only(libc::SYS_prlimit64, 0, Argument::Is(0)),
    only(
        libc::SYS_mprotect,
        2,
        Argument::Lacks(libc::PROT_EXEC.unsigned_abs()),
    ),
    #[cfg(target_pointer_width = "64")]
    only(
        libc::SYS_mmap,
        2,
        Argument::Lacks(libc::PROT_EXEC.unsigned_abs()),
    ),
    #[cfg(target_pointer_width = "32")]
    only(
        libc::SYS_mmap2,
        2,
        Argument::Lacks(libc::PROT_EXEC.unsigned_abs()),
    ),
    // Filters only add to what is refused.
    only(
        libc::SYS_seccomp,
        0,
        Argument::Is(libc::SECCOMP_SET_MODE_FILTER),
    ),
    only(
        libc::SYS_socket,
        0,
        Argument::Is(libc::AF_UNIX.unsigned_abs()),
    ),
];

const fn only(call: c_long, position: u32, argument: Argument) -> Rule {
    Rule {
        call,
        position,
        argument,
    }
}

/// What is allowed. What the daemon does all the time comes first: older kernels go through
/// the list.
pub(super) const ALLOWED: &[&[c_long]] = &[
    EVERYWHERE,
    #[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
    OLDER,
    #[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
    OLDER_CHANGING,
    #[cfg(target_pointer_width = "32")]
    OF_32_BITS,
];

const EVERYWHERE: &[c_long] = &[
    // The loop and its kernel files.
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_read,
    libc::SYS_epoll_pwait,
    libc::SYS_futex,
    libc::SYS_clock_gettime,
    libc::SYS_write,
    libc::SYS_close,
    libc::SYS_openat,
    libc::SYS_statx,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_getdents64,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_create1,
    libc::SYS_eventfd2,
    libc::SYS_signalfd4,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    // Killing.
    libc::SYS_getpgid,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    PROCESS_MRELEASE,
    libc::SYS_kill,
    // Files and directories.
    libc::SYS_openat2,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_lseek,
    libc::SYS_statfs,
    libc::SYS_readlinkat,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fcntl,
    libc::SYS_ioctl,
    QUOTACTL_FD,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    // Unix sockets.
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_shutdown,
    libc::SYS_setsockopt,
    libc::SYS_getsockopt,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_mlock,
    libc::SYS_mlockall,
    // Threads: their making, their priorities, their end.
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_membarrier,
    libc::SYS_prctl,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_getparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_getpriority,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_gettid,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // What is asked of the machine and of oneself.
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    // Each helper thread that writes gives up more.
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    // Where a tracer takes a call out (ci/faults), the kernel asks about none.
    -1,
    #[cfg(target_env = "gnu")]
    libc::SYS_rseq,
    #[cfg(not(target_arch = "riscv64"))]
    libc::SYS_renameat,
    #[cfg(target_pointer_width = "64")]
    libc::SYS_newfstatat,
    // Here its arguments lie in memory: the family of a socket is not judged.
    #[cfg(target_arch = "x86")]
    libc::SYS_socketcall,
    // Without an address they have numbers of their own there.
    #[cfg(target_arch = "arm")]
    libc::SYS_send,
    #[cfg(target_arch = "arm")]
    libc::SYS_recv,
];

/// As older architectures have them beside the others.
#[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
const OLDER: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_access,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_readlink,
    libc::SYS_poll,
    libc::SYS_epoll_wait,
];

/// Those of them that change files or their names.
#[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64")))]
pub(super) const OLDER_CHANGING: &[c_long] = &[
    libc::SYS_unlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_chmod,
];

/// With times and sizes of 64 bits where registers have 32.
#[cfg(target_pointer_width = "32")]
const OF_32_BITS: &[c_long] = &[
    libc::SYS__llseek,
    libc::SYS_stat64,
    libc::SYS_lstat64,
    libc::SYS_fstat64,
    libc::SYS_fstatat64,
    libc::SYS_statfs64,
    libc::SYS_fstatfs64,
    libc::SYS_ftruncate64,
    libc::SYS_fcntl64,
    libc::SYS_getuid32,
    libc::SYS_geteuid32,
    libc::SYS_getgid32,
    libc::SYS_getegid32,
    // libc does not name them for each of its C libraries; they are the same everywhere.
    403, // clock_gettime64
    407, // clock_nanosleep_time64
    411, // timerfd_settime64
    414, // ppoll_time64
    422, // futex_time64
];

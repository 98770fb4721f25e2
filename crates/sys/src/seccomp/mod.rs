//! Which system calls the program may make.

use libc::{c_long, sock_filter};
use rustix::io::Errno;

use crate::error::done;

mod calls;
mod reading;
mod refused;

use calls::Argument;
pub use reading::write_nowhere;

/// `AUDIT_ARCH_...` of `linux/audit.h`: the way of making system calls that the numbers
/// belong to. A kernel of 64 bits takes calls of 32 bits too, with other numbers.
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xC000_003E)
} else if cfg!(target_arch = "x86") {
    Some(0x4000_0003)
} else if cfg!(target_arch = "aarch64") {
    Some(0xC000_00B7)
} else if cfg!(target_arch = "arm") {
    Some(0x4000_0028)
} else if cfg!(target_arch = "riscv64") {
    Some(0xC000_00F3)
} else {
    None
};

/// From now on the calling thread, and those that it makes, can make no system call but
/// those that the daemon needs: none that executes a program, makes a process, reaches a
/// network, mounts, or maps memory to execute. One that is not allowed ends the process by
/// SIGSYS, with a line on standard error.
///
/// To be called while there is one thread, after
/// [`keep_capabilities`](crate::keep_capabilities).
///
/// # Errors
///
/// `EINVAL` where the kernel has no such filters, `ENOSYS` for processors that we have no
/// numbers for.
pub fn allow_known_syscalls() -> Result<(), Errno> {
    let mut program = program(ARCHITECTURE.ok_or(Errno::NOSYS)?);
    refused::tell_of_it()?;
    install(&mut program)
}

/// Sets a filter, besides those that are set: the strictest answer holds.
fn install(program: &mut [sock_filter]) -> Result<(), Errno> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::TOOBIG)?,
        filter: program.as_mut_ptr(),
    };
    // Without this flag older kernels slow down whoever filters, against Spectre; what
    // would have to be feared is code of others in our own process. Those before 4.17 do
    // not know it, and refuse it.
    match install_with(&program, libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW) {
        Err(Errno::INVAL) => install_with(&program, 0),
        installed => installed,
    }
}

fn install_with(program: &libc::sock_fprog, flags: libc::c_ulong) -> Result<(), Errno> {
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: the kernel copies the program, whose length is right; it outlives the call.
    done(unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const *program) })
}

/// The filter: the first line that fits the call decides. Kernels since 5.11 remember the
/// answer for a call that needs no look at its arguments.
fn program(architecture: u32) -> Vec<sock_filter> {
    const ARCHITECTURE: u32 = 4;
    let allow = decide(libc::SECCOMP_RET_ALLOW);
    let refuse = decide(libc::SECCOMP_RET_TRAP);
    let mut program = vec![
        load(ARCHITECTURE),
        jump(libc::BPF_JEQ, architecture, 1, 0),
        refuse,
        load_number(),
    ];
    for call in calls::ALLOWED.iter().copied().flatten() {
        program.extend([jump(libc::BPF_JEQ, number(*call), 0, 1), allow]);
    }
    for rule in calls::ALLOWED_WITH {
        let (compare, value, fits, differs) = match rule.argument {
            Argument::Is(value) => (libc::BPF_JEQ, value, allow, refuse),
            Argument::Has(bits) => (libc::BPF_JSET, bits, allow, refuse),
            Argument::Lacks(bits) => (libc::BPF_JSET, bits, refuse, allow),
        };
        program.extend([
            jump(libc::BPF_JEQ, number(rule.call), 0, 4),
            load_argument(rule.position),
            jump(compare, value, 0, 1),
            fits,
            differs,
        ]);
    }
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    program.extend([
        // Its flags lie in memory, where a filter cannot look: libc falls back on clone.
        jump(libc::BPF_JEQ, number(libc::SYS_clone3), 0, 1),
        decide(no_such_call),
        refuse,
    ]);
    program
}

const fn load_number() -> sock_filter {
    load(0)
}

/// `args` of `struct seccomp_data` begins at byte 16, with 8 bytes for each argument. The lower
/// half comes first, as all of our processors are little-endian; in it lies each flag and each
/// number that a rule asks for.
const fn load_argument(position: u32) -> sock_filter {
    load(16 + 8 * position)
}

/// Loads 32 bits of `struct seccomp_data`; of an argument the lower ones.
const fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

/// Compares what was loaded, and passes over so many lines where it fits, else so many.
const fn jump(compare: u32, with: u32, fits: u8, differs: u8) -> sock_filter {
    instruction(libc::BPF_JMP | compare | libc::BPF_K, with, fits, differs)
}

const fn decide(action: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}

#[expect(clippy::cast_possible_truncation, reason = "codes have eight bits")]
const fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    let code = code as u16;
    sock_filter { code, jt, jf, k }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of system calls have 32 bits; -1 is compared as the kernel does"
)]
const fn number(call: c_long) -> u32 {
    call as u32
}

#[cfg(test)]
mod tests;

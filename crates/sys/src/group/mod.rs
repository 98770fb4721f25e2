use rustix::process::Pid;

/// Whether a process is in no process group: the kernel's own threads are not, and those
/// of others only where their group is outside our pid namespace.
#[must_use]
pub fn is_in_no_group(pid: Pid) -> bool {
    // SAFETY: the call takes an integer and no pointer.
    unsafe { libc::getpgid(pid.as_raw_nonzero().get()) == 0 }
}

#[cfg(test)]
mod tests;

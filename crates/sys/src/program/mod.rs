use rustix::io::Errno;

use crate::error::done;

/// Reads in the program that runs, all of it, and keeps it in memory (`mlock(2)` of what
/// is mapped from files): from then on no page of it has to come back from a disk that
/// everybody else waits for too, or that fails.
///
/// Unlike `mlockall(2)` it leaves alone what the program has mapped for itself: a stack
/// that is locked takes all of its size at once.
///
/// # Errors
///
/// `EPERM` or `ENOMEM` above the limit of locked memory; those of reading
/// `/proc/self/maps`.
pub fn lock_program() -> Result<(), Errno> {
    let maps = std::fs::read_to_string("/proc/self/maps")
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    for Mapped { start, length } in maps.lines().filter_map(mapped_file) {
        let start = core::ptr::without_provenance_mut(start);
        // SAFETY: the kernel reads and changes nothing of what lies at the address, and
        // refuses a range in which nothing is mapped.
        done(unsafe { libc::mlock(start, length) }.into())?;
    }
    Ok(())
}

/// A mapping of a file.
#[derive(Debug, PartialEq)]
struct Mapped {
    start: usize,
    length: usize,
}

/// The mapping that a line of `/proc/PID/maps` describes, where it is
/// that of a file and can be read (`proc_pid_maps(5)`):
///
/// ```text
/// 7fa592520000-7fa59252a000 r--p 00000000 103:00 1234   /usr/sbin/evictd
/// ```
fn mapped_file(line: &str) -> Option<Mapped> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let is_readable = words.next()?.starts_with('r');
    let inode = words.nth(2)?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    let length = end.checked_sub(start)?;
    (is_readable && inode != "0").then_some(Mapped { start, length })
}

#[cfg(test)]
mod tests;

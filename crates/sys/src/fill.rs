use core::time::Duration;

use rustix::io::Errno;

use crate::mrelease::last_errno;

/// What is filled at once: one of x86's huge pages, more than the nearer caches of
/// one processor.
const BYTES: usize = 2 << 20;

/// Huge pages begin at multiples of their size.
const HUGE: usize = 2 << 20;

/// The smallest page of all architectures.
const PAGE: usize = 4096;

/// How many bytes a second one thread can fill: 2 MiB are mapped, with huge
/// pages where the kernel gives them, written to once a page, and given back.
///
/// The time is the thread's own processor time, so that a busy machine does not
/// look slow. What the kernel had to fetch from a hypervisor or from caches makes
/// it a guess within a small factor. It takes less than a millisecond.
///
/// # Errors
///
/// `ENOMEM` where that much cannot be mapped (a limit of the address space, or
/// of locked memory).
pub fn measure_fill_rate() -> Result<u64, Errno> {
    let size = BYTES + HUGE;
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new mapping at an address of the kernel's choice; nothing that
    // exists is touched.
    let start = unsafe { libc::mmap(core::ptr::null_mut(), size, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(last_errno());
    }
    let start = start.cast::<u8>();
    // SAFETY: the range is the mapping above, and the advice changes no contents.
    // A kernel without huge pages refuses, and fills with small ones.
    unsafe { libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE) };
    let first = start.align_offset(HUGE).min(HUGE);
    let before = thread_time();
    for offset in (first..first + BYTES).step_by(PAGE) {
        // SAFETY: `offset` is below `HUGE + BYTES`, the size of the mapping, which
        // is ours alone and writable.
        unsafe { start.add(offset).write_volatile(1) };
    }
    let took = thread_time().saturating_sub(before);
    // SAFETY: the mapping made above; no reference into it exists.
    unsafe { libc::munmap(start.cast(), size) };
    Ok(per_second(took))
}

/// How many processors are at work, at least one.
#[must_use]
pub fn count_processors() -> u64 {
    // SAFETY: an integer in, an integer out.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u64::try_from(online).unwrap_or(1).max(1)
}

fn per_second(took: Duration) -> u64 {
    let bytes = u128::try_from(BYTES).unwrap_or(0);
    let rate = bytes * 1_000_000_000 / took.as_nanos().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// The processor time of the calling thread.
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one timespec, to a local that outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_bytes_by_seconds() {
        assert_eq!(per_second(Duration::from_millis(2)), 1_048_576_000);
        assert_eq!(per_second(Duration::ZERO), (2 << 20) * 1_000_000_000);
    }

    /// Between what a slow card and what no machine does, and nothing is kept.
    #[test]
    fn this_machine_fills_at_some_rate_and_gets_its_memory_back() {
        // In KiB. Other tests' threads come and go meanwhile, with their stacks and heaps.
        let mapped = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
            let number = line.unwrap().trim().trim_end_matches(" kB");
            number.parse::<u64>().unwrap()
        };
        let before = mapped();
        for _ in 0..256 {
            let rate = measure_fill_rate().unwrap();
            assert!((16 << 20..1 << 40).contains(&rate), "{rate}");
        }
        // Each takes 4 MiB, all of them twice as much as this.
        assert!(mapped() < before + (512 << 10));
    }
}

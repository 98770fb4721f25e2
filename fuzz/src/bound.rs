//! A bound of the memory that a parser may hold. libFuzzer's own limit counts all that it
//! holds itself too, some 30 MiB; here each byte is counted that is asked for, and no other.
//! `ci/fuzz` tests this file by itself: it stands on std alone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The daemon has to do with 16 MiB, its program and all else that it holds included.
const MOST_BYTES: usize = 12 << 20;

#[global_allocator]
static COUNTING: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// What `read` returns. What it holds at any time, beyond what was held before, is bounded.
///
/// # Panics
///
/// When it was more.
pub fn in_bounded_memory<T>(read: impl FnOnce() -> T) -> T {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = read();
    let most = PEAK.load(Relaxed).saturating_sub(before);
    assert!(most <= MOST_BYTES, "{most} bytes were held at a time");
    result
}

struct Counting;

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed).wrapping_add(bytes);
    PEAK.fetch_max(held, Relaxed);
}

fn gave(bytes: usize) {
    HELD.fetch_sub(bytes, Relaxed);
}

// SAFETY: each call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // For a moment there may be both.
        took(size);
        // SAFETY: the caller's.
        let new = unsafe { System.realloc(old, layout, size) };
        gave(layout.size());
        new
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        gave(layout.size());
        // SAFETY: the caller's.
        unsafe { System.dealloc(old, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, in_bounded_memory};

    #[test]
    fn what_fits_is_returned() {
        let held = in_bounded_memory(|| vec![1_u8; MOST_BYTES / 2]);
        assert_eq!(held.len(), MOST_BYTES / 2);
    }

    #[test]
    #[should_panic(expected = "bytes were held")]
    fn what_was_given_back_since_counts_too() {
        in_bounded_memory(|| drop(vec![1_u8; MOST_BYTES + 1]));
    }
}

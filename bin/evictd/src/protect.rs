//! What keeps evictd itself running when memory is short (failure F1).

use core::ops::Range;
use std::path::Path;

use evictd_cgroup::own;

use crate::setup::PROC;

/// The kubelet's own score (K: `qos/policy.go`).
const OOM_SCORE_ADJ: i16 = -999;

/// The loop's real-time priority: one above the thread that gives back memory, which may
/// be at it for long, and must not keep the only processor of a small machine from it.
const PRIORITY: i32 = 2;

/// Gives this thread its turn before others where that is wanted, and keeps the process
/// out of the OOM killer's reach, as far as it is allowed to. Without the privilege it
/// runs all the same, and says so once.
#[inline(never)]
pub(crate) fn from_others(goes_first: bool) {
    if goes_first && let Err(error) = own::go_first(PRIORITY) {
        log::info!("the priority stays as it is ({error}): a busy machine may delay evictd");
    }
    if let Err(error) = own::set_oom_score_adj(Path::new(PROC), OOM_SCORE_ADJ) {
        log::info!("oom_score_adj stays as it is ({error}): the OOM killer may take evictd");
    }
}

/// Keeps the process in memory, without what only its start needed of the program's
/// code. Giving that back costs nothing where it fails. What a round, a list of pods and
/// a kill execute is read in before it is needed: when memory is short, it could only come
/// back from a disk that everybody else waits for too.
///
/// `ci/hot-functions` takes the end of this for the end of the start.
#[inline(never)]
pub(crate) fn keep_in_memory() {
    let _ = own::forget_text(Path::new(PROC));
    if let Err(error) = own::lock_memory() {
        log::info!("memory cannot be locked ({error}): evictd may be paged out");
    }
    let _ = own::lock_addresses(needed());
}

/// Where `ci/link-ordered` puts what is always needed: between these two functions. With
/// another linker they are neighbours or the other way round, and nothing is read in.
fn needed() -> Range<usize> {
    let first = from_others as *const () as usize;
    let last = keep_in_memory as *const () as usize;
    first..last.max(first)
}

//! What keeps evictd itself running when memory is short (failure F1).

use std::path::Path;

use evictd_runtime::own;

use crate::setup::PROC;

/// The kubelet's own score (K: `qos/policy.go`).
const OOM_SCORE_ADJ: i16 = -999;

/// Gives this thread its turn before others where that is wanted, keeps the process
/// in memory and out of the OOM killer's reach, as far as it is allowed to. Without
/// the privilege it runs all the same, and says so once.
pub(crate) fn this_process(goes_first: bool) {
    if goes_first && let Err(error) = own::go_first() {
        log::info!("the priority stays as it is ({error}): a busy machine may delay evictd");
    }
    if let Err(error) = own::set_oom_score_adj(Path::new(PROC), OOM_SCORE_ADJ) {
        log::info!("oom_score_adj stays as it is ({error}): the OOM killer may take evictd");
    }
    forget_start();
    if let Err(error) = own::lock_memory() {
        log::info!("memory cannot be locked ({error}): evictd may be paged out");
    }
}

/// Gives back what only the start needed of the program's code. It costs nothing
/// where that fails.
///
/// `ci/hot-functions` takes the second call's end for the end of the start.
#[inline(never)]
pub(crate) fn forget_start() {
    let _ = own::forget_text(Path::new(PROC));
}

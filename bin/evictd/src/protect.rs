//! What keeps evictd itself running when memory is short (failure F1).

use rustix::io::Errno;
use rustix::mm::{MlockAllFlags, mlockall};

/// The kubelet's own score (K: `qos/policy.go`).
const OOM_SCORE_ADJ: &str = "-999";

/// Keeps the process in memory and out of the OOM killer's reach, as far as it is
/// allowed to. Without the privilege it runs all the same, and says so once.
pub(crate) fn this_process() {
    if let Err(error) = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE_ADJ) {
        log::info!("oom_score_adj stays as it is ({error}): the OOM killer may take evictd");
    }
    if let Err(error) = lock_memory() {
        log::info!("memory cannot be locked ({error}): evictd may be paged out");
    }
}

/// Locks what is touched, now and later: no more than is used stays resident.
/// Kernels before 4.4 do not know `MCL_ONFAULT`; there nothing is locked, since
/// all of the address space would be.
fn lock_memory() -> Result<(), Errno> {
    mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT)
}

//! What keeps evictd itself running when memory is short (failure F1).

use std::path::Path;

use evictd_cgroup::own::make_room_for_descriptors;
use evictd_stats::PROC;
use evictd_sys::{Priority, lock_program};
use rustix::io::Errno;
use rustix::mm::{MlockAllFlags, mlockall};

/// The kubelet's own score (K: `qos/policy.go`).
const OOM_SCORE_ADJ: i16 = -999;

/// The loop's real-time priority: the highest, so that no other real-time task keeps the
/// processor from it, nor the thread that gives back memory, one below, which may be at it
/// for long.
const PRIORITY: i32 = 99;

/// Gives this thread its turn before others where that is wanted. Without the privilege
/// it runs all the same, and says so once.
pub fn from_a_busy_machine(goes_first: bool) {
    if goes_first && let Err(error) = Priority::RealTime(PRIORITY).apply() {
        log::info!(event = "problem", about = "priority"; "the priority stays as it is ({error}; raising it needs CAP_SYS_NICE): a busy machine may delay evictd");
    }
}

/// Keeps the process out of the OOM killer's reach, and a kill of many processes from
/// waiting for descriptors.
pub fn before_threads() {
    from_the_oom_killer();
    // Where it fails, such a kill takes longer.
    let _ = make_room_for_descriptors();
}

/// Says so where that is not allowed.
fn from_the_oom_killer() {
    let file = Path::new(PROC).join("self/oom_score_adj");
    if let Err(error) = std::fs::write(file, OOM_SCORE_ADJ.to_string()) {
        log::info!(event = "problem", about = "oomScore"; "oom_score_adj stays as it is ({error}; lowering it needs CAP_SYS_RESOURCE): the OOM killer may take evictd");
    }
}

/// Keeps in memory what is there and what will be (`MCL_ONFAULT`, since Linux 4.4), and
/// reads the whole program in. Otherwise, when memory is short, code would have to come
/// back from a disk that everybody else waits for too, or that fails.
///
/// # Errors
/// When that is not allowed.
fn keep_in_memory() -> Result<(), Errno> {
    let all = MlockAllFlags::CURRENT | MlockAllFlags::FUTURE;
    mlockall(all | MlockAllFlags::ONFAULT).or_else(|_| mlockall(all))?;
    lock_program()
}

/// Keeps evictd in memory, and says so where that is not allowed.
pub fn from_the_disk() {
    if let Err(error) = keep_in_memory() {
        log::info!(event = "problem", about = "lockedMemory"; "memory cannot be locked ({error}; that needs CAP_IPC_LOCK): evictd may be paged out");
    }
}

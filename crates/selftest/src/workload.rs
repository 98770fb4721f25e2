//! What runs in a pod of the self-test: takes memory at a given pace, then waits.

use core::time::Duration;
use std::ffi::OsString;
use std::process::ExitCode;

use evictd_cgroup::own::end_with_parent;

/// The first argument that makes evictd such a workload; no command of its own.
pub const ARGUMENT: &str = "selftest-workload";

/// Memory is taken piece by piece, so that the pace is even.
const PIECE: usize = 1 << 20;

/// `selftest-workload PARENT BYTES BYTES_PER_SECOND CGROUP_PROCS...`: joins the
/// cgroups, takes the memory, waits to be killed.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let text = |index: usize| arguments.get(index)?.to_str();
    let number = |index: usize| text(index)?.parse::<usize>().ok();
    let parent = text(0).and_then(|pid| pid.parse().ok());
    let (Some(parent), Some(bytes), Some(pace)) = (parent, number(1), number(2)) else {
        return ExitCode::from(2);
    };
    // Whatever becomes of the self-test, its pods go with it.
    if end_with_parent(parent).is_err() {
        return ExitCode::FAILURE;
    }
    for procs in arguments.iter().skip(3) {
        if std::fs::write(procs, "0").is_err() {
            return ExitCode::FAILURE;
        }
    }
    let mut taken = Vec::new();
    while taken.len().saturating_mul(PIECE) < bytes {
        taken.push(vec![0xa5_u8; PIECE]);
        std::thread::sleep(pause(pace));
    }
    loop {
        std::thread::sleep(Duration::from_secs(3600));
        core::hint::black_box(&taken);
    }
}

/// How long one piece lasts at that pace; no pace is as fast as memory allows.
fn pause(bytes_per_second: usize) -> Duration {
    let micros = PIECE
        .saturating_mul(1_000_000)
        .checked_div(bytes_per_second)
        .unwrap_or(0);
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

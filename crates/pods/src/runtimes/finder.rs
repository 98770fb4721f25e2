//! The helper that looks for runtimes that are started after evictd: Podman's socket, for one,
//! is often there only once somebody wants it.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_sys::{Desk, Helper, HelperThread, Priority, Writes};

use super::runtime::{Runtime, confine};

/// As often as the runtimes are asked what they hold.
const EVERY: Duration = Duration::from_secs(10);

const THREAD: HelperThread = HelperThread {
    name: "evictd-find",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::Nowhere,
};

/// A helper for those of them whose sockets are not there; `None` where all are.
pub(super) fn of_absent(runtimes: &[Arc<Runtime>]) -> Option<Helper<()>> {
    let absent = runtimes.iter().filter(|runtime| !runtime.is_there());
    let absent: Vec<_> = absent.map(Arc::clone).collect();
    (!absent.is_empty()).then(|| Helper::new(THREAD, (), |desk| run(&desk, absent)))
}

fn run(desk: &Desk<()>, mut absent: Vec<Arc<Runtime>>) {
    confine();
    while !absent.is_empty() && !desk.is_closing() {
        absent.retain(|runtime| !runtime.appears());
        desk.next_within(EVERY, |()| None::<()>);
    }
}

//! What an older kernel lacks, or a sandbox around evictd refuses, and what that costs.
//! Without pressure stall information as a notice, seccomp or Landlock a line of their own
//! says so.

use evictd_config::Warning;
use evictd_node::Signal;
use evictd_stats::Hierarchies;
use evictd_sys::process_mrelease;
use evictd_threshold::Threshold;
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, getpid, pidfd_open};
use rustix::system::uname;

use crate::facts::counts_lost_time;

/// All of it in one line; `None` where nothing is lacking.
pub fn warning(thresholds: &[Threshold], hierarchies: &Hierarchies) -> Option<Warning> {
    let counts_root = hierarchies
        .memory
        .as_ref()
        .is_none_or(|of| of.counts_root());
    let mut thresholds = thresholds.iter();
    let watches_stall = thresholds.any(|threshold| threshold.signal == Signal::MemoryStall);
    let lacks = [
        (
            watches_stall && !counts_lost_time(),
            "pressure stall information (4.20; psi=1 on its command line): memory.stall is \
             estimated by what is read back of the page cache, and sees less",
        ),
        (
            !counts_root,
            "memory.stat of the root cgroup (5.8): memory.available comes from /proc/meminfo",
        ),
        (
            is_unknown(pidfd_open(getpid(), PidfdFlags::empty())),
            "pidfd_open (5.3): processes are signalled by number, each looked at just before",
        ),
        (
            is_unknown(process_mrelease(std::io::stderr())),
            "process_mrelease (5.15): what is killed needs a processor to free its memory",
        ),
        (
            is_unknown(statx(CWD, c"/", AtFlags::empty(), StatxFlags::TYPE)),
            "statx (4.11): measuring pods' files may wait for a file server",
        ),
    ];
    line(&uname().release().to_string_lossy(), &lacks).map(Warning::from)
}

fn line(release: &str, lacks: &[(bool, &str)]) -> Option<String> {
    let lacks = lacks.iter().filter(|(is_lacking, _)| *is_lacking);
    let lacks: Vec<&str> = lacks.map(|(_, what)| *what).collect();
    (!lacks.is_empty()).then(|| format!("Linux {release} lacks {}", lacks.join("; ")))
}

/// Sandboxes of old container runtimes say EPERM of what they do not know.
fn is_unknown<T>(answer: Result<T, Errno>) -> bool {
    matches!(answer, Err(Errno::NOSYS | Errno::PERM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_lacks_is_one_line() {
        let lacks = [(false, "a (5.1): b"), (true, "c (5.2): d"), (true, "e: f")];
        let told = line("4.4.302", &lacks);
        assert_eq!(
            told.as_deref(),
            Some("Linux 4.4.302 lacks c (5.2): d; e: f")
        );
        assert_eq!(line("6.1", &[(false, "a: b")]), None);
    }
}

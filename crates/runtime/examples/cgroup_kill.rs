//! Lists the pods below a cgroup, looks whether they are still the same, and kills the
//! first, without an allocation but for the list: what `ci/allocations` counts. It sends itself SIGUSR1 between the parts,
//! at which the counter that is preloaded there prints how many there were.
//!
//! usage: cgroup_kill ROOT
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evictd_runtime::{
    CgroupConfig, CgroupRuntime, Grace, KillLimits, KillState, Listing, PodKiller, Releaser,
};
use evictd_stats::{Hierarchies, PodReader, now};
use rustix::fd::OwnedFd;
use rustix::process::{Signal, getpid, kill_process};

fn main() -> ExitCode {
    let Some(root) = std::env::args().nth(1) else {
        eprintln!("usage: cgroup_kill ROOT");
        return ExitCode::from(2);
    };
    match run(PathBuf::from(root)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cgroup_kill: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: PathBuf) -> Result<bool, Box<dyn core::error::Error>> {
    let hierarchies = Hierarchies::read(Path::new("/proc"))?;
    let mut reader = PodReader::new(&hierarchies);
    let mut runtime = CgroupRuntime::new(CgroupConfig {
        hierarchies,
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![root],
        limits: KillLimits::default(),
        releaser: Some(Releaser::start(false)?),
    })?;
    let mut read = |dir: Option<OwnedFd>| {
        let used = dir.and_then(|dir| reader.read_usage_bytes(dir));
        used.is_some()
    };
    let former = Listing::default();
    let mut listing = runtime.visit_pods(&[], &[], former, &mut |_, dir| read(dir));
    println!("{} pods", listing.pods.len());
    // The releaser's thread is to have begun.
    std::thread::sleep(Duration::from_millis(100));
    count()?;
    if !runtime.revisit_pods(&mut listing, &|_| None, &mut |_, dir| read(dir)) {
        return Err("the pods have changed".into());
    }
    count()?;
    let Some(victim) = listing.pods.first() else {
        return Ok(false);
    };
    let grace = Grace::of(Duration::ZERO);
    let mut kill = runtime.start_kill(now(), victim, grace)?;
    while let KillState::Waiting { .. } = kill.poll(now()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    count()?;
    println!("{:?}", kill.report());
    Ok(kill.report().problem.is_none() && kill.report().processes > 0)
}

fn count() -> Result<(), rustix::io::Errno> {
    kill_process(getpid(), Signal::USR1)
}

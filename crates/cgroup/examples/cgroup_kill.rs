//! Lists the pods below a cgroup, then once more into the same list, kills the first, and
//! then one that lies in several of the cgroups: without an allocation but for the first
//! list, which `ci/allocations` counts. It sends itself SIGUSR2 between the parts, at which
//! the counter that is preloaded there prints how many there were.
//!
//! usage: cgroup_kill ROOT
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

extern crate alloc;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evictd_cgroup::{
    CgroupConfig, CgroupRuntime, FoundPod, Grace, KillLimits, Listing, Releaser, Services,
};
use evictd_node::kill::{KillInFlight, KillState};
use evictd_node::pod::RuntimePod;
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
    let releaser = Releaser::new(false);
    releaser.start()?;
    let mut runtime = CgroupRuntime::new(CgroupConfig {
        hierarchies,
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![root],
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: Some(releaser),
    })?;
    let mut listing = Listing::default();
    let mut keep = |_: &FoundPod, dir: Option<OwnedFd>| {
        dir.and_then(|dir| reader.read_usage_bytes(dir)).is_some()
    };
    runtime.list_again(&mut listing, &[], &[], &mut keep);
    println!("listed");
    // The releaser's thread is to have begun.
    std::thread::sleep(Duration::from_millis(100));
    count()?;
    runtime.list_again(&mut listing, &[], &[], &mut keep);
    if !runtime.list_known(&mut listing, &[], &mut keep) {
        return Err("the pods have changed".into());
    }
    count()?;
    let Some(victim) = listing.pods.first() else {
        return Ok(false);
    };
    let first = kill(&mut runtime, victim)?;
    count()?;
    println!("{:?}", first.report());
    let is_killed = first.report().processes > 0;
    drop(first);
    // A container runtime's pod in several cgroups: all those that are left.
    let mut pod = RuntimePod::default();
    let rest = listing.pods.iter().skip(1).take(4);
    pod.cgroups = rest.map(|found| Arc::from(&*found.cgroup)).collect();
    let mut several = runtime.list_pods(&[], &[&[pod]]);
    several.pods.retain(|found| !found.more_cgroups.is_empty());
    let Some(victim) = several.pods.first() else {
        return Ok(false);
    };
    count()?;
    let several = kill(&mut runtime, victim)?;
    count()?;
    println!("{:?}", several.report());
    Ok(is_killed && several.report().processes == 4)
}

/// Without a grace, to the end.
fn kill(
    runtime: &mut CgroupRuntime,
    victim: &FoundPod,
) -> Result<Box<dyn KillInFlight>, evictd_cgroup::Error> {
    let mut kill = runtime.start_kill(now(), victim, Grace::of(Duration::ZERO))?;
    while let KillState::Waiting { .. } = kill.poll(now()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(kill)
}

fn count() -> Result<(), rustix::io::Errno> {
    kill_process(getpid(), Signal::USR2)
}

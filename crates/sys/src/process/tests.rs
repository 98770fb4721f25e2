use std::process::{Child, Command};

use crate::{is_in_no_group, process_mrelease};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

/// A `sleep` that is killed and reaped when the test ends, however it ends.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> (Self, OwnedFd) {
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).unwrap();
        (Self(child), pidfd)
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_that_nobody_killed_is_refused() {
    let (_sleeper, pidfd) = Sleeper::start();
    assert_eq!(process_mrelease(&pidfd), Err(Errno::INVAL));
}

#[test]
fn a_killed_process_is_released_or_already_has_nothing() {
    let (_sleeper, pidfd) = Sleeper::start();
    pidfd_send_signal(&pidfd, Signal::KILL).unwrap();
    // Once in some hundred runs the kernel takes it for one that nobody killed at first.
    let mut answers = (0..100).map(|_| process_mrelease(&pidfd));
    let answer = answers.find(|answer| *answer != Err(Errno::INVAL));
    assert!(
        matches!(answer, Some(Ok(()) | Err(Errno::SRCH | Errno::AGAIN))),
        "{answer:?}"
    );
}

#[test]
fn a_process_that_is_gone_has_no_memory() {
    let (mut sleeper, pidfd) = Sleeper::start();
    sleeper.0.kill().unwrap();
    sleeper.0.wait().unwrap();
    assert_eq!(process_mrelease(&pidfd), Err(Errno::SRCH));
}

#[test]
fn another_kind_of_descriptor_is_refused() {
    let file = std::fs::File::open("/proc/self/status").unwrap();
    assert_eq!(process_mrelease(&file), Err(Errno::BADF));
}

#[test]
fn threads_of_the_kernel_are_in_no_group_and_we_are_in_one() {
    let name = std::fs::read_to_string("/proc/2/comm").unwrap_or_default();
    if name == "kthreadd\n" {
        assert!(is_in_no_group(Pid::from_raw(2).unwrap()));
    }
    assert!(!is_in_no_group(getpid()));
}

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use evictd_testkit::needs;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::Held;
use crate::process::Proc;
use crate::testkit::Fixture;

/// Tries to have the kernel give a certain number: other processes start meanwhile.
const TRIES: u32 = 100;

struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn by_dir(proc: &Path, pid: Pid) -> Result<Held, Errno> {
    Held::open_dir(Proc::open(proc).unwrap().fd(), pid)
}

#[test]
fn without_pidfds_a_process_is_signalled_by_its_number() {
    let mut sleeper = Sleeper::start();
    let held = by_dir(Path::new("/proc"), sleeper.pid()).unwrap();
    assert!(held.is_alive());
    held.send(sleeper.pid(), Signal::KILL).unwrap();
    sleeper.0.wait().unwrap();
    assert!(!held.is_alive());
    assert_eq!(held.send(sleeper.pid(), Signal::KILL), Err(Errno::SRCH));
    let gone = by_dir(Path::new("/proc"), sleeper.pid());
    assert_eq!(gone.err(), Some(Errno::SRCH));
}

#[test]
fn without_pidfds_another_process_in_proc_is_not_signalled() {
    let mut sleeper = Sleeper::start();
    let pid = sleeper.pid();
    let proc = Fixture::new();
    let entry = format!("{}/stat", pid.as_raw_nonzero());
    proc.file(&entry, "one");
    let held = by_dir(proc.path(), pid).unwrap();
    assert!(held.is_alive());

    fs::rename(
        proc.path().join(pid.as_raw_nonzero().to_string()),
        proc.path().join("former"),
    )
    .unwrap();
    fs::remove_file(proc.path().join("former/stat")).unwrap();
    proc.file(&entry, "another");

    assert_eq!(held.send(pid, Signal::KILL), Err(Errno::SRCH));
    assert!(!held.is_alive() && sleeper.is_alive());
}

#[test]
fn without_pidfds_who_gets_the_number_of_the_dead_is_not_signalled() {
    needs!(ChosenPids);
    for _ in 0..TRIES {
        let mut first = Sleeper::start();
        let pid = first.pid();
        let held = by_dir(Path::new("/proc"), pid).unwrap();
        first.end();
        let before = pid.as_raw_nonzero().get() - 1;
        fs::write("/proc/sys/kernel/ns_last_pid", before.to_string()).unwrap();
        let mut second = Sleeper::start();
        if second.pid() != pid {
            continue;
        }
        assert_eq!(held.send(pid, Signal::KILL), Err(Errno::SRCH));
        assert!(!held.is_alive() && second.is_alive());
        return;
    }
    panic!("the kernel gave that number to nobody in {TRIES} tries");
}

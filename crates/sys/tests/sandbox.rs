//! A call that the sandbox does not allow ends the process, and it says of which.
//!
//! A program of one thread (`harness = false`): the sandbox is for the whole process, and
//! there is no way back.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test without a harness")]

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use evictd_sys::{Signal, allow_known_syscalls, keep_capabilities};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities, no_new_privs};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("thread") => {
            enter();
            std::thread::spawn(escape).join().unwrap();
        }
        Some("main") => {
            enter();
            escape();
        }
        _ => {
            for part in ["main", "thread"] {
                is_ended(part);
            }
            println!("sandbox: ok");
        }
    }
}

fn enter() {
    keep_capabilities(CapabilitySet::KILL).unwrap();
    assert!(no_new_privs().unwrap());
    let left = capabilities(None).unwrap();
    assert!(CapabilitySet::KILL.contains(left.effective | left.permitted));
    assert!(left.inheritable.is_empty());
    if let Err(error) = allow_known_syscalls() {
        assert_eq!(error, Errno::INVAL, "this kernel has no filters");
        std::process::exit(0);
    }
}

fn escape() {
    let _ = std::os::unix::fs::chroot("/");
    println!("escaped");
}

fn is_ended(part: &str) {
    let own = std::env::current_exe().unwrap();
    let output = Command::new(own).arg(part).output().unwrap();
    let (out, text) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(0) && out.is_empty() {
        println!("not run: evictd-sys sandbox: needs seccomp filters");
        return;
    }
    let signal = output.status.signal();
    assert_eq!(signal, Some(Signal::SYS.as_raw()), "{part}: {text}");
    assert!(text.contains("which its sandbox does not allow"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.len() <= 200, "{text}");
}

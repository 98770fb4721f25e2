//! A call that the sandbox does not allow ends the process, and it says of which.
//!
//! A program of one thread (`harness = false`): the sandbox is for the whole process, and
//! there is no way back.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test without a harness")]

use std::fs::{self, File};
use std::io;
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use evictd_sys::{
    Helper, HelperThread, Priority, Signal, Writes, allow_known_syscalls, keep_capabilities,
};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities, no_new_privs};

fn main() {
    if evictd_testkit::was_asked_for_tests("sandbox") {
        return;
    }
    match std::env::args().nth(1).as_deref() {
        Some("thread") => {
            enter();
            std::thread::spawn(escape).join().unwrap();
        }
        Some("main") => {
            enter();
            escape();
        }
        Some("reads") => {
            enter();
            only_reads();
        }
        _ => {
            for part in ["main", "thread"] {
                is_ended(part);
            }
            let own = std::env::current_exe().unwrap();
            let output = Command::new(own).arg("reads").output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{text}");
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

/// A thread that only reads writes nowhere, and the others do as before.
fn only_reads() {
    let path = std::env::temp_dir().join(format!("evictd-reads-{}", std::process::id()));
    fs::write(&path, "kept").unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let thread = HelperThread {
        name: "reads",
        stack_bytes: 64 << 10,
        priority: Priority::Usual,
        writes: Writes::Nowhere,
    };
    let at = path.clone();
    let helper = Helper::new(thread, (), move |_| {
        assert_eq!(fs::read_to_string(&at).unwrap(), "kept");
        let other = at.with_extension("other");
        let tries = [
            fs::write(&at, "lost"),
            File::options().append(true).open(&at).map(drop),
            File::create_new(&other).map(drop),
            fs::rename(&at, &other),
            fs::hard_link(&at, &other),
            fs::create_dir(&other),
            fs::remove_file(&at),
            UnixListener::bind(&other).map(drop),
            File::options().write(true).open(CORE_PATTERN).map(drop),
        ];
        let refused = |done: &io::Result<()>| {
            let error = done.as_ref().err();
            error.and_then(Errno::from_io_error) == Some(Errno::ACCESS)
        };
        tell.send(tries.iter().map(refused).collect::<Vec<_>>())
            .unwrap();
    });
    helper.start().unwrap();
    let refused = told.recv().unwrap();
    assert!(refused.iter().all(|is_so| *is_so), "{refused:?}");
    fs::write(&path, "by another thread").unwrap();
    fs::remove_file(path).unwrap();
}

/// Whoever writes there has the kernel run a program.
const CORE_PATTERN: &str = "/proc/sys/kernel/core_pattern";

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

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::path::Path;
use std::sync::{Mutex, mpsc};

use evictd_node::Mono;
use rustix::io::Errno;

use super::filesystems::sample;
use super::tree::{LONG, Tree};
use crate::filesystem::Kernel;
use crate::probe::{Answer, Ask, Probe};
use crate::{FsSample, now};

/// A filesystem that does what a closure does, and may hang.
struct Hanging<F>(F);

impl<F: Fn(Mono) -> Answer + Send + Sync + 'static> Ask for Hanging<F> {
    fn measure(&self, _: &Path, now: Mono) -> Answer {
        self.0(now)
    }

    fn is_local(&self, _: &Path) -> bool {
        false
    }

    fn measure_local(&self, _: &Path, _: &FsSample, _: Mono) -> Option<FsSample> {
        None
    }
}

fn measured(now: Mono) -> FsSample {
    FsSample {
        sampled: now,
        ..sample(1, 0)
    }
}

#[test]
fn a_filesystem_that_hangs_is_stale_and_not_waited_for_again() {
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let measure = move |now: Mono| {
        held.lock().unwrap().recv().unwrap();
        Ok(measured(now))
    };
    let mut probe = Probe::new(Path::new("/dead"), Hanging(measure));
    probe.mounts_changed();
    let at = Mono::from_nanos;

    release.send(()).unwrap();
    probe.ask(at(1));
    let first = probe.collect(LONG).unwrap().unwrap();
    assert_eq!((first.sampled, first.stale), (at(1), false));

    // It hangs: one short wait, and none in the next round.
    probe.ask(at(2));
    let held = probe.collect(Duration::from_millis(1)).unwrap().unwrap();
    assert_eq!((held.sampled, held.stale), (at(1), true));
    probe.ask(at(3));
    let start = now();
    let held = probe.collect(LONG).unwrap().unwrap();
    assert!(now().since(start) < LONG);
    assert_eq!((held.sampled, held.stale), (at(1), true));

    // It comes back: the late answer, then a fresh one.
    release.send(()).unwrap();
    release.send(()).unwrap();
    let late = loop {
        probe.ask(at(4));
        let found = probe.collect(LONG).unwrap().unwrap();
        if !found.stale {
            break found;
        }
        std::thread::yield_now();
    };
    assert_eq!(late.sampled, at(4));
}

#[test]
fn before_the_first_answer_there_is_nothing() {
    let (_release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let measure = move |_| {
        let _ = held.lock().unwrap().recv();
        Err(Errno::STALE)
    };
    let mut probe = Probe::new(Path::new("/dead"), Hanging(measure));
    probe.ask(Mono::ZERO);
    assert_eq!(probe.collect(Duration::ZERO), Ok(None));
}

#[test]
fn a_filesystem_that_fails_says_why() {
    let mut probe = Probe::new(Path::new("/dead"), Hanging(|_| Err(Errno::STALE)));
    probe.ask(Mono::ZERO);
    let error = probe.collect(LONG).unwrap_err();
    assert_eq!(error.errno(), Some(Errno::STALE));
    assert_eq!(error.path(), Path::new("/dead"));
}

/// A filesystem that answers from memory until it hangs or another takes its place.
#[derive(Default)]
struct Local {
    /// Questions to the helper, and to the caller.
    helped: AtomicU64,
    direct: AtomicU64,
    is_remote: AtomicBool,
    is_slow: AtomicBool,
    /// The size of what is mounted there.
    size: AtomicU64,
}

impl Local {
    fn space(&self, now: Mono) -> FsSample {
        FsSample {
            capacity_bytes: self.size.load(Ordering::SeqCst),
            ..measured(now)
        }
    }

    fn asked(&self) -> (u64, u64) {
        let load = |count: &AtomicU64| count.load(Ordering::SeqCst);
        (load(&self.helped), load(&self.direct))
    }
}

impl Ask for Arc<Local> {
    fn measure(&self, _: &Path, now: Mono) -> Answer {
        self.helped.fetch_add(1, Ordering::SeqCst);
        Ok(self.space(now))
    }

    fn is_local(&self, _: &Path) -> bool {
        !self.is_remote.load(Ordering::SeqCst)
    }

    fn measure_local(&self, _: &Path, former: &FsSample, now: Mono) -> Option<FsSample> {
        assert!(!self.is_remote.load(Ordering::SeqCst), "this would hang");
        self.direct.fetch_add(1, Ordering::SeqCst);
        if self.is_slow.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(25));
        }
        let found = self.space(now);
        former.same_space(&found).then_some(found)
    }
}

fn round(probe: &mut Probe<Arc<Local>>, now: u64) -> FsSample {
    probe.ask(Mono::from_nanos(now));
    probe.collect(LONG).unwrap().unwrap()
}

/// Rounds until the caller asks by itself: the helper tells that it may after it has
/// answered.
fn rounds_until_direct(probe: &mut Probe<Arc<Local>>, local: &Local) {
    let (_, before) = local.asked();
    let end = now() + LONG;
    while local.asked().1 == before {
        assert!(now() < end, "the caller never asked by itself");
        round(probe, 1);
        std::thread::yield_now();
    }
}

fn local() -> (Arc<Local>, Probe<Arc<Local>>) {
    let local = Arc::new(Local::default());
    let probe = Probe::new(Path::new("/local"), Arc::clone(&local));
    (local, probe)
}

#[test]
fn a_local_filesystem_is_asked_without_the_helper() {
    let (local, mut probe) = local();
    probe.mounts_changed();
    let first = round(&mut probe, 1);
    assert_eq!(local.asked(), (1, 0), "the first question is the helper's");
    assert_eq!(first.sampled, Mono::from_nanos(1));
    rounds_until_direct(&mut probe, &local);
    let (helped, direct) = local.asked();
    let sample = round(&mut probe, 7);
    assert_eq!((sample.sampled, sample.stale), (Mono::from_nanos(7), false));
    assert_eq!(local.asked(), (helped, direct + 1));

    // Who does not wait does not ask either.
    probe.ask(Mono::from_nanos(8));
    let sample = probe.collect(Duration::ZERO).unwrap().unwrap();
    assert_eq!((sample.sampled, sample.stale), (Mono::from_nanos(7), true));
    assert_eq!(local.asked(), (helped, direct + 1));
}

#[test]
fn who_does_not_follow_the_mounts_never_asks_by_itself() {
    let (local, mut probe) = local();
    for now in 1..20 {
        round(&mut probe, now);
    }
    assert_eq!(local.asked(), (19, 0));
}

#[test]
fn after_a_mount_the_helper_is_asked_first() {
    let (local, mut probe) = local();
    probe.mounts_changed();
    rounds_until_direct(&mut probe, &local);
    // What lies there now would hang.
    local.is_remote.store(true, Ordering::SeqCst);
    probe.mounts_changed();
    let (helped, direct) = local.asked();
    for now in 1..20 {
        round(&mut probe, now);
    }
    assert_eq!(local.asked(), (helped + 19, direct));
    local.is_remote.store(false, Ordering::SeqCst);
    probe.mounts_changed();
    rounds_until_direct(&mut probe, &local);
}

#[test]
fn another_filesystem_in_its_place_is_the_helpers_to_judge() {
    let (local, mut probe) = local();
    probe.mounts_changed();
    rounds_until_direct(&mut probe, &local);
    let (helped, direct) = local.asked();
    local.size.store(5, Ordering::SeqCst);
    let sample = round(&mut probe, 9);
    assert_eq!(sample.capacity_bytes, 5);
    assert_eq!(local.asked(), (helped + 1, direct + 1));
    rounds_until_direct(&mut probe, &local);
}

#[test]
fn a_slow_answer_sends_it_back_to_the_helper_until_the_next_mount() {
    let (local, mut probe) = local();
    probe.mounts_changed();
    rounds_until_direct(&mut probe, &local);
    local.is_slow.store(true, Ordering::SeqCst);
    assert_eq!(round(&mut probe, 5).sampled, Mono::from_nanos(5));
    let (helped, direct) = local.asked();
    for now in 1..20 {
        round(&mut probe, now);
    }
    assert_eq!(local.asked(), (helped + 19, direct));
    probe.mounts_changed();
    rounds_until_direct(&mut probe, &local);
}

#[test]
fn one_question_does_for_two_directories_of_a_filesystem() {
    let (one, mut first) = local();
    let (other, mut second) = local();
    for (local, probe) in [(&one, &mut first), (&other, &mut second)] {
        probe.mounts_changed();
        rounds_until_direct(probe, local);
    }
    assert!(first.is_answered_by(&second));
    first.mounts_changed();
    assert!(!first.is_answered_by(&second));

    other.size.store(5, Ordering::SeqCst);
    round(&mut second, 1);
    rounds_until_direct(&mut second, &other);
    rounds_until_direct(&mut first, &one);
    assert!(!first.is_answered_by(&second), "one has a quota");
}

#[test]
fn what_the_kernel_keeps_in_memory_is_local() {
    let tree = Tree::new();
    tree.put("dir/file", "");
    std::os::unix::fs::symlink(tree.path("dir"), tree.path("link")).unwrap();
    for (path, is_local) in [
        (Path::new("/dev"), true), // devtmpfs, or tmpfs in a container
        (Path::new("/proc"), false),
        (Path::new("dev"), false),
        (&tree.path("link"), false),
        (&tree.path("dir/file"), false),
        (&tree.path("gone"), false),
    ] {
        // The root may be an overlay.
        let root = Kernel.is_local(Path::new("/"));
        let found = Kernel.is_local(path);
        assert_eq!(found, is_local && root, "{}", path.display());
    }
    let path = tree.path("dir");
    let sample = Kernel.measure(&path, Mono::ZERO).unwrap();
    let again = Kernel.measure_local(&path, &sample, Mono::from_nanos(3));
    let again = again.unwrap();
    assert_eq!(again.device, sample.device);
    assert_eq!(again.sampled, Mono::from_nanos(3));
    assert_eq!(
        Kernel.measure_local(Path::new("/proc"), &sample, now()),
        None
    );
}

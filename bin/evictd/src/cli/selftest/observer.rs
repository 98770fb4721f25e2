//! A second pair of eyes: when the limit was really crossed, and when the memory
//! was really free again.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::JoinHandle;

use evictd_node::Mono;
use evictd_stats::now;

/// Often enough to be much finer than what is measured.
const EVERY: Duration = Duration::from_micros(200);

#[derive(Default)]
struct Seen {
    stop: AtomicBool,
    crossed: AtomicU64,
    released: AtomicU64,
    /// Whether the latest reading was below the mark.
    is_below: AtomicBool,
}

/// A thread that watches a usage file against a mark.
pub(super) struct Observer {
    seen: Arc<Seen>,
    thread: Option<JoinHandle<()>>,
}

impl Observer {
    /// Begins to watch: `mark` is the usage at which the threshold is met.
    pub(super) fn start(usage: &Path, mark: u64) -> io::Result<Self> {
        let file = File::open(usage)?;
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let thread = std::thread::Builder::new()
            .name("evictd-observer".into())
            .spawn(move || watch(&file, mark, &shared))?;
        Ok(Self {
            seen,
            thread: Some(thread),
        })
    }

    /// When the usage was first above the mark.
    pub(super) fn crossed(&self) -> Option<Mono> {
        read(&self.seen.crossed)
    }

    /// Whether the usage is below the mark now. An eviction may be over before this
    /// thread ran: then the crossing was not seen, and the memory is free all the same.
    pub(super) fn is_below(&self) -> bool {
        self.seen.is_below.load(Ordering::Acquire)
    }

    /// When the usage was first below the mark again.
    pub(super) fn released(&self) -> Option<Mono> {
        read(&self.seen.released)
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.seen.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(at: &AtomicU64) -> Option<Mono> {
    match at.load(Ordering::Acquire) {
        0 => None,
        nanos => Some(Mono::from_nanos(nanos)),
    }
}

fn watch(file: &File, mark: u64, seen: &Seen) {
    let mut text = [0_u8; 32];
    while !seen.stop.load(Ordering::Relaxed) {
        let length = file.read_at(&mut text, 0).unwrap_or(0);
        let usage = text
            .get(..length)
            .and_then(|text| evictd_kerntext::parse_u64(text).ok());
        let at = now().as_nanos();
        let is_below = usage.is_some_and(|usage| usage <= mark);
        seen.is_below.store(is_below, Ordering::Release);
        match usage {
            Some(usage) if usage > mark => note(&seen.crossed, at),
            Some(_) if seen.crossed.load(Ordering::Relaxed) != 0 => note(&seen.released, at),
            _ => {}
        }
        std::thread::sleep(EVERY);
    }
}

/// Keeps the first time only.
fn note(first: &AtomicU64, at: u64) {
    let _ = first.compare_exchange(0, at, Ordering::AcqRel, Ordering::Relaxed);
}

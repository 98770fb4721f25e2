//! A second pair of eyes: when the limit was really crossed, and when the memory
//! was really free again.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};
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

/// What was seen of the usage.
#[derive(Default)]
pub(super) struct Seen {
    /// When it was first above the mark.
    pub(super) crossed: Option<Mono>,
    /// When it was first below the mark again.
    pub(super) released: Option<Mono>,
    /// Whether it was below the mark at last. An eviction may be over before the thread
    /// ran: then the crossing was not seen, and the memory is free all the same.
    pub(super) is_below: bool,
}

/// A thread that watches a usage file against a mark.
pub(super) struct Observer {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Seen>,
}

impl Observer {
    /// Begins to watch: `mark` is the usage at which the threshold is met.
    pub(super) fn start(usage: &Path, mark: u64) -> io::Result<Self> {
        let file = File::open(usage)?;
        let stop = Arc::new(AtomicBool::new(false));
        let stops = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("evictd-observer".into())
            .spawn(move || watch(&file, mark, &stops))?;
        Ok(Self { stop, thread })
    }

    /// Looks no more, and returns what was seen.
    pub(super) fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

fn watch(file: &File, mark: u64, stop: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let mut text = [0_u8; 32];
    while !stop.load(Ordering::Relaxed) {
        let length = file.read_at(&mut text, 0).unwrap_or(0);
        let usage = text
            .get(..length)
            .and_then(|text| evictd_kerntext::parse_u64(text).ok());
        seen.is_below = usage.is_some_and(|usage| usage <= mark);
        if usage.is_some_and(|usage| usage > mark) {
            seen.crossed.get_or_insert_with(now);
        } else if usage.is_some() && seen.crossed.is_some() {
            seen.released.get_or_insert_with(now);
        }
        std::thread::sleep(EVERY);
    }
    seen
}

use core::mem::take as take_text;
use core::time::Duration;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

use evictd_node::Mono;
use evictd_sys::{Desk, Helper, HelperThread, Priority, Writes, write_only_below};

use crate::error::Error;
use crate::files::begun;
use crate::files::home::{Home, TryLock, occupy};
use crate::files::journal::Journal;

/// What may wait for the disk.
const MOST_EVENTS: usize = 16 << 10;
const MOST_BEGUN: usize = 64 << 10;

/// How long the loop waits for the kernel to have the line of an eviction: microseconds as a
/// rule. A helper that hangs is not waited for again.
const HANDED_OVER: Duration = Duration::from_millis(100);

/// It formats a number and runs a few syscalls.
const THREAD: HelperThread = HelperThread {
    name: "evictd-state",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// The helper thread that writes, and the lock of the directory.
///
/// A thread, because `fsync` knows no deadline: on a worn SD card it takes
/// seconds, on a dying disk it may never come back, and no memory decision
/// waits for that. It is made with the first text, and if the node is out of process
/// ids then, with a later one. It writes the latest text that it was given; texts that
/// were replaced before it got to them are never written.
#[derive(Debug)]
pub(crate) struct Writer {
    home: Home,
    /// Held as long as this.
    _lock: File,
    helper: Helper<Mail>,
}

#[derive(Debug, Default)]
struct Mail {
    /// Lines of evictions that were decided,
    begun: String,
    /// how many were handed over in all,
    begun_count: u64,
    /// and whether some of them are being written.
    adds_begun: bool,
    /// The latest text, and how many of these evictions it has.
    text: Option<(String, u64)>,
    /// Records of events, each with its newline, and when the latest were handed over.
    events: Option<(String, Mono)>,
    /// Why the latest of them could not be written, until it is asked for.
    events_failed: Option<Error>,
    /// What became of a write, until it is asked for.
    result: Option<Result<(), Error>>,
    busy: bool,
}

impl Mail {
    /// Whether there are evictions that the kernel does not have yet.
    fn is_adding(&mut self) -> bool {
        self.adds_begun || !self.begun.is_empty()
    }
}

impl Writer {
    /// Takes the directory; there is no thread yet.
    pub(crate) fn open(directory: &Path, try_lock: TryLock) -> Result<Self, Error> {
        let (home, lock) = occupy(directory, try_lock)?;
        let own = home.clone();
        let serve = move |desk: Desk<Mail>| serve(&desk, &own);
        Ok(Self {
            home,
            _lock: lock,
            helper: Helper::new(THREAD, Mail::default(), serve),
        })
    }

    /// The directory, which is held.
    pub(crate) const fn home(&self) -> &Home {
        &self.home
    }

    /// Hands over a text. Never waits.
    pub(crate) fn post(&self, text: String) {
        let started = self.helper.start().map_err(|error| {
            Error::at(&self.home.path)(format!("no thread to write it with: {error}"))
        });
        self.helper.change(|mail| {
            mail.text = Some((text, mail.begun_count));
            if started.is_err() {
                mail.result = Some(started);
            }
        });
    }

    /// Hands over the line of an eviction whose kill has begun, and waits a moment until the
    /// kernel has it: from then on it outlives this process.
    pub(crate) fn post_begun(&self, line: &str) {
        let is_started = self.helper.start().is_ok();
        let hangs = self.helper.look(Mail::is_adding);
        self.helper.change(|mail| {
            if mail.begun.len().saturating_add(line.len()) <= MOST_BEGUN {
                mail.begun.push_str(line);
                mail.begun_count = mail.begun_count.wrapping_add(1);
            }
        });
        if is_started && !hangs {
            self.helper
                .wait_until(HANDED_OVER, |mail| !mail.is_adding());
        }
    }

    /// Hands over records of events, each with its newline. Never waits: while the disk
    /// stands still, the newest are lost beyond a bound.
    pub(crate) fn post_events(&self, records: &str, now: Mono) {
        // Without a thread now, one that is made later finds them.
        let _ = self.helper.start();
        self.helper.change(|mail| {
            let (waiting, at) = mail.events.get_or_insert_default();
            if waiting.len().saturating_add(records.len()) <= MOST_EVENTS {
                waiting.push_str(records);
            }
            *at = now;
        });
    }

    /// Why records could not be written, if that is so since this was last asked.
    pub(crate) fn events_failed(&self) -> Option<Error> {
        self.helper.look(|mail| mail.events_failed.take())
    }

    /// What became of the latest write, if one ended since this was last asked.
    pub(crate) fn result(&self) -> Option<Result<(), Error>> {
        self.helper.look(|mail| mail.result.take())
    }

    #[cfg(test)]
    pub(crate) fn is_adding(&self) -> bool {
        self.helper.look(Mail::is_adding)
    }

    #[cfg(test)]
    pub(crate) fn is_writing(&self) -> bool {
        self.helper.look(|mail| {
            !mail.begun.is_empty() || mail.text.is_some() || mail.events.is_some() || mail.busy
        })
    }

    /// Waits that long at most until all is written.
    pub(crate) fn close(&self, wait: Duration) {
        self.helper.close(wait);
    }
}

/// The helper thread.
fn serve(desk: &Desk<Mail>, home: &Home) {
    // Where the kernel has no Landlock, what is left of the sandbox has to do.
    let _ = write_only_below(&[home.directory.as_fd()]);
    let mut journal = Journal::new();
    let take = |mail: &mut Mail| {
        let begun = take_text(&mut mail.begun);
        let job = (begun, mail.text.take(), mail.events.take());
        mail.adds_begun = !job.0.is_empty();
        mail.busy = mail.adds_begun || job.1.is_some() || job.2.is_some();
        mail.busy.then_some((job, mail.begun_count))
    };
    while let Some(((begun, text, events), count)) = desk.next(take) {
        if !begun.is_empty() {
            // Without it the state alone tells of them, which is written next.
            let _ = begun::add(&home.directory, &begun);
            desk.show(|mail| mail.adds_begun = false);
        }
        let result = text.map(|(text, has)| {
            home.replace(&text)?;
            if has == count {
                let _ = begun::clear(&home.directory);
            }
            Ok(())
        });
        let added = events.map_or(Ok(()), |(records, now)| journal.add(home, now, &records));
        desk.show(|mail| {
            if let Err(error) = added {
                mail.events_failed = Some(error);
            }
            if result.is_some() {
                mail.result = result;
            }
            mail.busy = false;
        });
    }
}

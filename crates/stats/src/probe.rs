use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_sys::{Helper, HelperThread, Priority, Writes};
use rustix::io::Errno;

use crate::Error;
use crate::error::Cause;
use crate::filesystem::{Answer, FsSample};

/// Each question is one statvfs and one stat.
const THREAD: HelperThread = HelperThread {
    name: "statfs",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::Nowhere,
};

/// A filesystem that has not answered its first question for so long is not merely late.
const LATE: Duration = Duration::from_secs(10);

/// One filesystem and the helper thread that asks it.
///
/// A mount whose server is dead lets statfs(2) hang, for ever if it must. Then
/// this thread hangs and nobody else: the caller gets the last answer, marked
/// stale. The thread is made with the first question and stays, since a node that is
/// out of process ids cannot make one; where that was so, each further question tries
/// again. Each filesystem has its own, so that a dead one does not hide the others.
#[derive(Debug)]
pub(crate) struct Probe {
    path: PathBuf,
    helper: Helper<Mail>,
    /// Why there is no thread.
    failure: Option<Errno>,
    /// The previous question was not answered in time. Nothing is waited for
    /// until it is.
    is_overdue: bool,
}

#[derive(Debug, Default)]
struct Mail {
    /// When the present question was asked, until it is answered.
    asked: Option<Mono>,
    answer: Option<Answer>,
}

impl Probe {
    /// Nobody is asked yet, and there is no thread. `measure` may hang.
    pub(crate) fn new(
        path: &Path,
        measure: impl Fn(&Path, Mono) -> Answer + Send + 'static,
    ) -> Self {
        let theirs = path.to_owned();
        let helper = Helper::new(THREAD, Mail::default(), move |desk| {
            while let Some(asked) = desk.next(|mail: &mut Mail| mail.asked) {
                let answer = Some(measure(&theirs, asked));
                desk.show(|mail| {
                    *mail = Mail {
                        asked: None,
                        answer,
                    }
                });
            }
        });
        Self {
            path: path.to_owned(),
            helper,
            failure: None,
            is_overdue: false,
        }
    }

    /// Asks for a measurement, unless an earlier one still is under way.
    pub(crate) fn ask(&mut self, now: Mono) {
        let started = self.helper.start();
        let errno = |error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN);
        self.failure = started.err().map(errno);
        self.is_overdue = self.helper.look(|mail| mail.asked.is_some());
        if self.failure.is_none() && !self.is_overdue {
            self.helper.change(|mail| mail.asked = Some(now));
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the first answer is still awaited: it has neither come nor taken too long.
    pub(crate) fn is_awaited(&self, now: Mono) -> bool {
        let is_recent = |asked: Mono| now.since(asked) < LATE;
        let waits = |mail: &mut Mail| mail.answer.is_none() && mail.asked.is_some_and(is_recent);
        self.failure.is_none() && self.helper.look(waits)
    }

    /// The answer to the latest question, waiting for it that long at most; the
    /// answer before, marked stale, when it does not come.
    pub(crate) fn collect(&self, wait: Duration) -> core::result::Result<Option<FsSample>, Error> {
        if let Some(errno) = self.failure {
            return Err(Cause::NoThread(errno).at(&self.path));
        }
        let wait = if self.is_overdue {
            Duration::ZERO
        } else {
            wait
        };
        let is_answered = self.helper.wait_until(wait, |mail| mail.asked.is_none());
        let stale = self.is_overdue || !is_answered;
        match self.helper.look(|mail| mail.answer) {
            None => Ok(None),
            Some(Ok(sample)) => Ok(Some(FsSample { stale, ..sample })),
            Some(Err(errno)) => Err(Cause::from(errno).at(&self.path)),
        }
    }
}

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io;

use evictd_containers::{Error, Failure, RuntimePod};
use evictd_engine::ports::{Heard, News};
use evictd_node::Mono;
use evictd_stats::now;
use evictd_sys::{Helper, HelperThread, Priority, Writes, write_only_below};
use rustix::io::Errno;

use super::backend::Candidate;
use super::collecting::Collecting;
use super::ender::{End, Ender};
use super::follower::Follower;
use super::listed::Listed;
use super::lister::{Lister, Lists};
use super::teller::Teller;

/// Answers are read as JSON, which nests.
const STACK_BYTES: usize = 512 * 1024;

/// A thread that reads a runtime's answers writes no file. Where the kernel has no Landlock
/// the daemon has said so.
pub(super) fn confine() {
    let _ = write_only_below(&[]);
}

/// One runtime, seen from the loop. Ending a pod may take its whole grace, so it has a
/// helper of its own, and what the runtime says by itself has another.
pub(super) struct Runtime {
    endpoint: String,
    candidate: Candidate,
    /// Its socket was seen, or a flag names it.
    is_there: AtomicBool,
    teller: Teller,
    pub(super) lists: Arc<Helper<Lists>>,
    ends: Helper<Vec<End>>,
    follows: Helper<()>,
}

impl Runtime {
    /// The runtime is not asked yet, and there are no threads.
    pub(super) fn new(
        candidate: Candidate,
        collector: Box<dyn Collecting>,
        teller: Teller,
    ) -> Self {
        let thread = |name| HelperThread {
            name,
            stack_bytes: STACK_BYTES,
            priority: Priority::Usual,
            writes: Writes::Nowhere,
        };
        let (endpoint, is_there) = (candidate.endpoint(), candidate.is_there());
        let (seen, followed) = (candidate.clone(), candidate.clone());
        let (ends_at, told) = (candidate.clone(), teller.clone());
        let ends = Helper::new(thread("evictd-end"), Vec::new(), |desk| {
            confine();
            let ender = Ender {
                desk,
                candidate: ends_at,
                teller: told,
                runtime: None,
            };
            ender.run();
        });
        let told = teller.clone();
        let lists = Helper::new(thread("evictd-list"), Lists::default(), |desk| {
            confine();
            let lister = Lister {
                desk,
                candidate,
                collector,
                teller: told,
                runtime: None,
                version: None,
            };
            lister.run();
        });
        let lists = Arc::new(lists);
        let asked = Arc::clone(&lists);
        let follows = Helper::new(thread("evictd-follow"), (), |desk| {
            confine();
            Follower::new(desk, followed, asked).run();
        });
        Self {
            endpoint,
            candidate: seen,
            is_there: is_there.into(),
            teller,
            lists,
            ends,
            follows,
        }
    }

    /// Whether there is a runtime to ask, as far as is known.
    pub(super) fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }

    /// Has its events followed from now on.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub(super) fn follow(&self) -> io::Result<()> {
        self.follows.start()
    }

    /// Looks for a socket that was not there. Where it is now, the runtime is asked from then
    /// on. Returns whether all of that has begun.
    pub(super) fn appears(&self) -> bool {
        if !self.candidate.is_there() {
            return false;
        }
        self.is_there.store(true, Ordering::Relaxed);
        self.refresh();
        self.follow().is_ok()
    }

    /// Has all listed anew, without waiting for it. Makes the threads that are not there
    /// yet; with the process table full there may be none to have.
    pub(super) fn refresh(&self) {
        match self.lists.start().and_then(|()| self.ends.start()) {
            // One that has not answered the last time is not asked twice.
            Ok(()) => self.lists.change(|lists| lists.is_asked = true),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&self, error: &io::Error) {
        let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
        let call = "connect: no thread to ask it with";
        let error = Error::new(&self.endpoint, call, Failure::NotReachable(errno));
        if self.lists.look(|lists| lists.fail(&error)) {
            self.teller.tell(News::Lost(error.to_string()));
        }
    }

    /// Asks for a list unless the last answer is younger than that; returns whether it is.
    pub(super) fn freshen(&self, max_age: Duration, with_layers: bool) -> bool {
        let is_fresh = self.lists.look(|lists| {
            lists.wants_layers |= with_layers;
            lists.is_fresh(now(), max_age, with_layers)
        });
        if !is_fresh {
            self.refresh();
        }
        is_fresh
    }

    /// How much it has said since the start of what it holds.
    pub(super) fn heard(&self) -> Heard {
        self.lists.look(|lists| lists.heard())
    }

    pub(super) fn endpoint(&self) -> String {
        self.endpoint.clone()
    }

    /// Its endpoint, if it has said since the start what it holds.
    pub(super) fn answered(&self) -> Option<&str> {
        let has_listed = self.lists.look(|lists| lists.listed.is_some());
        has_listed.then_some(&self.endpoint)
    }

    /// What it holds, as it last said.
    pub(super) fn listed(&self) -> Listed {
        Listed {
            candidate: self.candidate.clone(),
            listing: self.lists.look(|lists| Arc::clone(&lists.listing)),
        }
    }

    /// Why it is not known what this runtime holds now.
    pub(super) fn doubt(&self) -> Option<String> {
        self.lists.look(|lists| match &lists.failure {
            _ if lists.is_foreign => None,
            Some(error) => Some(error.to_string()),
            None if lists.listed.is_none() => Some(format!(
                "{}: no answer yet: what it knows of pods is missing",
                self.endpoint
            )),
            None => None,
        })
    }

    pub(super) fn end(&self, pod: RuntimePod, grace: Duration) -> bool {
        self.ends.change(|ends| {
            ends.push(End {
                pod,
                grace,
                attempts: 0,
                not_before: Mono::ZERO,
            });
        });
        self.lists.look(|lists| lists.failure.is_none())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::path::Path;
    use std::{env, fs, process};

    use evictd_sys::Bell;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn runtime(socket: &Path) -> Runtime {
        let teller = Teller::new(Bell::new().unwrap());
        Runtime::new(Candidate::at(socket), Box::new(()), teller)
    }

    /// Acceptance row 252.
    #[test]
    fn a_runtime_whose_socket_appears_is_asked_from_then_on() {
        let socket = env::temp_dir().join(format!("evictd-docker-{}.sock", process::id()));
        let _ = fs::remove_file(&socket);
        let runtime = runtime(&socket);
        assert!(!runtime.appears() && !runtime.is_there());
        assert!(!runtime.lists.look(|lists| lists.is_asked));
        drop(UnixListener::bind(&socket).unwrap());
        let appears = runtime.appears();
        fs::remove_file(&socket).unwrap();
        assert!(appears && runtime.is_there());
        // Nobody listens there: that is what it has to say.
        assert!(
            runtime
                .lists
                .wait_until(LONG, |lists| lists.failure.is_some())
        );
        assert!(runtime.doubt().is_some());
    }
}

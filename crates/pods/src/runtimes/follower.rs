//! The helper that follows what a runtime says by itself, so that a container is known when it
//! has started and not with the next regular list.
//!
//! No event is believed: it only has the lister list what there is. So it matters little what
//! an event says, whether one is lost, or how many come; and a runtime that tells of none is
//! asked every ten seconds all the same.

use alloc::sync::Arc;
use core::mem::replace;
use core::time::Duration;

use evictd_containers::Error;
use evictd_engine::ports::Told;
use evictd_stats::now;
use evictd_sys::{Desk, Helper};

use super::backend::{Candidate, open_first};
use super::lister::Lists;

/// How soon to look whether anybody is there to work for, where nothing happens.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// How soon to begin anew after the events have ended, for the first time and at last.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The helper's side.
pub(super) struct Follower {
    desk: Desk<()>,
    candidate: Candidate,
    lists: Arc<Helper<Lists>>,
    /// How often the runtime had been reached when it refused to be followed.
    refused: u64,
    pause: Duration,
}

impl Follower {
    pub(super) const fn new(
        desk: Desk<()>,
        candidate: Candidate,
        lists: Arc<Helper<Lists>>,
    ) -> Self {
        Self {
            desk,
            candidate,
            lists,
            refused: 0,
            pause: FIRST_PAUSE,
        }
    }

    pub(super) fn run(mut self) {
        while let Some(reached) = self.await_runtime() {
            let begun = now();
            let Err(error) = self.follow() else {
                return;
            };
            log::debug!("what is new there is known up to ten seconds late: {error}");
            if error.code().is_some() {
                // It may be another one when it is reached anew.
                self.refused = reached;
            } else {
                self.rest(now().since(begun));
            }
        }
    }

    /// Waits until the runtime has answered, and returns how often it was reached. `None` where
    /// there is nobody to work for, or no runtime of ours.
    fn await_runtime(&self) -> Option<u64> {
        loop {
            let is_known = |lists: &mut Lists| lists.is_foreign || lists.reached > self.refused;
            self.lists.wait_until(LOOK_EVERY, is_known);
            let (is_foreign, reached) = self.lists.look(|lists| (lists.is_foreign, lists.reached));
            if is_foreign || self.desk.is_closing() {
                return None;
            }
            if reached > self.refused {
                return Some(reached);
            }
        }
    }

    /// The runtime is gone, or makes no sense, after so long: one that does so again and again
    /// is left alone for longer and longer.
    fn rest(&mut self, after: Duration) {
        if after >= LONGEST_PAUSE {
            self.pause = FIRST_PAUSE;
        }
        self.desk.next_within(self.pause, |()| None::<()>);
        self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
    }

    /// Follows until there is nobody to work for.
    fn follow(&self) -> Result<(), Error> {
        let (mut runtime, _) = open_first(&self.candidate)?;
        let endpoint = runtime.endpoint().to_owned();
        let mut changes = runtime.follow()?;
        let mut told = Told::since(now());
        while !self.desk.is_closing() {
            let changed = changes.wait(told.at_most(now()));
            let changed = changed.map_err(|failure| Error::new(&endpoint, "events", failure))?;
            if changed {
                self.lists.look(|lists| lists.has_changed = true);
            }
            if told.hear(now(), changed) && !self.ask() {
                told.again();
            }
        }
        Ok(())
    }

    /// Asks for a list. One that is asked for already may have been begun too early: `false`.
    fn ask(&self) -> bool {
        self.lists
            .change(|lists| !replace(&mut lists.is_asked, true))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};
    use std::{env, fs, process, thread};

    use evictd_sys::{HelperThread, Priority, Writes};

    use super::*;

    const THREAD: HelperThread = HelperThread {
        name: "evictd-test",
        stack_bytes: 512 << 10,
        priority: Priority::Usual,
        writes: Writes::Nowhere,
    };

    /// The request that comes in next, and where it is answered.
    fn next_request(listener: &UnixListener) -> (String, UnixStream) {
        let (mut stream, _) = listener.accept().unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            text.extend(byte);
        }
        (String::from_utf8(text).unwrap(), stream)
    }

    /// Answers which version there is, as an engine does.
    fn says_its_version(listener: &UnixListener) {
        let (request, mut stream) = next_request(listener);
        assert!(request.starts_with("GET /version "), "{request}");
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"Version\":\"1\"}";
        stream.write_all(answer).unwrap();
    }

    /// Answers as an engine does that is followed; returns the stream of events.
    fn is_followed(listener: &UnixListener) -> UnixStream {
        says_its_version(listener);
        let (request, mut stream) = next_request(listener);
        assert!(request.starts_with("GET /events?"), "{request}");
        stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n").unwrap();
        stream
    }

    fn is_asked(lists: &Helper<Lists>) {
        while !lists.look(|lists| core::mem::take(&mut lists.is_asked)) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Where an engine listens that was reached once, and what is known of it.
    fn reached(name: &str) -> (PathBuf, UnixListener, Arc<Helper<Lists>>) {
        let socket = env::temp_dir().join(format!("evictd-docker-{name}-{}", process::id()));
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let mut lists = Lists::default();
        lists.reached = 1;
        (socket, listener, Arc::new(Helper::new(THREAD, lists, drop)))
    }

    fn begin(socket: &Path, lists: &Arc<Helper<Lists>>) -> Helper<()> {
        let (candidate, asked) = (Candidate::at(socket), Arc::clone(lists));
        let follows = move |desk| Follower::new(desk, candidate, asked).run();
        let follows = Helper::new(THREAD, (), follows);
        follows.start().unwrap();
        follows
    }

    /// Acceptance rows 249 and 250.
    #[test]
    fn what_a_runtime_says_has_it_listed_and_so_has_its_return() {
        let (socket, listener, lists) = reached("follow");
        let follows = begin(&socket, &lists);
        let mut events = is_followed(&listener);
        is_asked(&lists);
        assert!(
            !lists.look(|lists| lists.has_changed),
            "nothing has happened"
        );
        events.write_all(b"{\"Action\":\"start\"}\n").unwrap();
        is_asked(&lists);
        assert!(lists.look(|lists| lists.has_changed));
        // It is gone, and comes back: whatever has happened meanwhile is in the next list.
        drop(events);
        let events = is_followed(&listener);
        is_asked(&lists);
        drop((events, follows));
        fs::remove_file(&socket).unwrap();
    }

    /// Acceptance row 250.
    #[test]
    fn a_runtime_that_tells_of_nothing_is_asked_again_when_it_is_reached_anew() {
        let (socket, listener, lists) = reached("refuse");
        let follows = begin(&socket, &lists);
        says_its_version(&listener);
        let (_, mut stream) = next_request(&listener);
        stream.write_all(b"HTTP/1.0 404 Not Found\r\n\r\n").unwrap();
        drop(stream);
        assert!(!lists.look(|lists| lists.is_asked));
        lists.change(|lists| lists.reached = 2);
        drop((is_followed(&listener), follows));
        fs::remove_file(&socket).unwrap();
    }
}

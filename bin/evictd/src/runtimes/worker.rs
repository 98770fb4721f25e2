use alloc::sync::Arc;
use core::time::Duration;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use evictd_containers::{
    ContainerRuntime, Error, Failure, RuntimeDisks, RuntimeListing, RuntimePod, WritableLayer,
};
use evictd_node::Mono;

use evictd_stats::now;
use rustix::io::Errno;

use super::backend::{Candidate, open_first};
use super::bell::Rope;
use super::{CollectJob, News};
use crate::gc::RuntimeCollector;

/// Answers are read as JSON, which nests.
const STACK_BYTES: usize = 512 * 1024;

/// How long after a failure the runtime is asked to end a pod again: it may have
/// been started anew, and its restart policies with it.
const AGAIN: Duration = Duration::from_secs(5);

/// How often writable layers are measured where only the runtime can.
const LAYERS_EVERY: Duration = Duration::from_secs(60);

/// How often.
const ATTEMPTS: u32 = 60;

/// The two threads of one runtime, seen from the loop.
pub(super) struct Worker {
    shared: Arc<Shared>,
}

struct Shared {
    candidate: Candidate,
    state: Mutex<State>,
    changed: Condvar,
    rope: Rope,
}

#[derive(Default)]
struct State {
    quit: bool,
    /// Which of the two threads are there.
    threads: Threads,
    /// What the thread that lists takes with it.
    collector: Option<RuntimeCollector>,
    /// Lists that were asked for, and that were answered.
    asked: u64,
    answered: u64,
    listing: Arc<RuntimeListing>,
    /// When that was answered.
    listed: Option<Mono>,
    disks: RuntimeDisks,
    /// The writable layers are wanted as they are now; when they were measured.
    wants_layers: bool,
    measured: Option<Mono>,
    /// Why the last list failed; of one that was never asked, nothing.
    failure: Option<Error>,
    /// Whether this is no runtime of ours: a socket that was found, not named, and
    /// that speaks something else.
    is_foreign: bool,
    collect: Vec<CollectJob>,
    ends: Vec<End>,
    news: Vec<News>,
}

#[derive(Clone, Copy, Default)]
struct Threads {
    lists: bool,
    ends: bool,
}

/// A pod to be ended.
struct End {
    pod: RuntimePod,
    grace: Duration,
    /// How often it was tried.
    attempts: u32,
    /// Not before that.
    not_before: Mono,
}

impl Worker {
    /// Nobody is asked yet, and there are no threads.
    pub(super) fn new(candidate: Candidate, collector: RuntimeCollector, rope: Rope) -> Self {
        let state = State {
            collector: Some(collector),
            ..State::default()
        };
        Self {
            shared: Arc::new(Shared {
                candidate,
                state: Mutex::new(state),
                changed: Condvar::new(),
                rope,
            }),
        }
    }

    /// Makes the threads that are not there yet. With the process table full there may
    /// be none to have.
    fn start_threads(&self) -> io::Result<()> {
        let Threads { lists, ends } = self.shared.lock().threads;
        if !lists {
            let shared = Arc::clone(&self.shared);
            spawn("evictd-list", Box::new(move || shared.serve_lists()))?;
            self.shared.lock().threads.lists = true;
        }
        if !ends {
            let shared = Arc::clone(&self.shared);
            spawn("evictd-end", Box::new(move || shared.serve_ends()))?;
            self.shared.lock().threads.ends = true;
        }
        Ok(())
    }

    /// Has all listed anew, without waiting for it.
    pub(super) fn refresh(&self) {
        if let Err(error) = self.start_threads() {
            return self.shared.fail(not_reachable(
                &self.shared.candidate,
                "connect: no thread to ask it with",
                &error,
            ));
        }
        self.change(|state| {
            // Who has not answered the last time is not asked twice.
            if state.asked == state.answered {
                state.asked += 1;
            }
        });
    }

    /// The same, unless the last answer is younger than that; answers whether it is.
    pub(super) fn freshen(&self, max_age: Duration, with_layers: bool) -> bool {
        let listed = {
            let mut state = self.shared.lock();
            state.wants_layers |= with_layers;
            state.listed
        };
        let is_fresh = listed.is_some_and(|listed| now().since(listed) < max_age);
        if !is_fresh {
            self.refresh();
        }
        is_fresh
    }

    pub(super) fn disks(&self) -> RuntimeDisks {
        self.shared.lock().disks.clone()
    }

    /// Whether a list was asked for and not answered.
    pub(super) fn is_waiting(&self) -> bool {
        let state = self.shared.lock();
        state.asked != state.answered
    }

    pub(super) fn wait(&self, at_most: Duration) {
        let state = self.shared.lock();
        let waits = |state: &mut State| state.asked != state.answered;
        let waited = self
            .shared
            .changed
            .wait_timeout_while(state, at_most, waits);
        drop(waited);
    }

    pub(super) fn listing(&self) -> Arc<RuntimeListing> {
        Arc::clone(&self.shared.lock().listing)
    }

    /// Why it is not known what this runtime holds now.
    pub(super) fn doubt(&self) -> Option<String> {
        let state = self.shared.lock();
        if state.is_foreign {
            return None;
        }
        match &state.failure {
            Some(error) => Some(error.to_string()),
            None if state.answered == 0 => {
                let socket = self.shared.candidate.socket.display();
                Some(format!("unix://{socket}: no answer yet"))
            }
            None => None,
        }
    }

    pub(super) fn end(&self, pod: RuntimePod, grace: Duration) -> bool {
        self.change(|state| {
            state.ends.push(End {
                pod,
                grace,
                attempts: 0,
                not_before: Mono::ZERO,
            });
            state.failure.is_none()
        })
    }

    pub(super) fn collect(&self, job: CollectJob) -> bool {
        self.change(|state| {
            if !state.is_foreign {
                state.collect.push(job);
            }
            !state.is_foreign
        })
    }

    pub(super) fn news(&self) -> Vec<News> {
        core::mem::take(&mut self.shared.lock().news)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.shared.lock());
        self.shared.changed.notify_all();
        changed
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.change(|state| state.quit = true);
    }
}

/// Boxed, so that starting a thread is compiled once for all threads.
fn spawn(name: &str, serve: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    let builder = Builder::new().name(name.into()).stack_size(STACK_BYTES);
    builder.spawn(serve).map(drop)
}

/// What the thread that lists is to do next.
enum Task {
    List,
    Collect(CollectJob),
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, news: News) {
        self.lock().news.push(news);
        self.rope.pull();
    }

    /// Notes why it is not known what the runtime holds, and tells what is new of that.
    fn fail(&self, error: Error) {
        let mut state = self.lock();
        if state.failure.as_ref() == Some(&error) || state.is_foreign {
            return;
        }
        state.news.push(News::Lost(error.to_string()));
        state.failure = Some(error);
        drop(state);
        self.rope.pull();
    }

    /// The thread that lists and collects.
    fn serve_lists(&self) {
        let collector = self.lock().collector.take();
        let Some(mut collector) = collector else {
            return;
        };
        let mut runtime = None;
        while let Some(task) = self.next_task() {
            match task {
                Task::List => {
                    self.list(&mut runtime);
                    collector.note_uses(&self.lock().listing);
                }
                Task::Collect(job) => {
                    let result = match self.open(&mut runtime) {
                        Ok(runtime) => collector.collect(runtime.as_mut(), &job, &mut |_| {}),
                        Err(error) => {
                            let problem = error.to_string();
                            self.fail(error); // told before what hangs on it
                            Err(problem)
                        }
                    };
                    let number = job.number;
                    let result = result.map(|collected| collected.told());
                    self.tell(News::Collected { number, result });
                }
            }
        }
    }

    fn next_task(&self) -> Option<Task> {
        let idle = |state: &mut State| {
            !state.quit && state.asked == state.answered && state.collect.is_empty()
        };
        let waited = self.changed.wait_while(self.lock(), idle);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.quit {
            return None;
        }
        // A list takes milliseconds, a collection may take minutes.
        if state.asked != state.answered || state.collect.is_empty() {
            return Some(Task::List);
        }
        Some(Task::Collect(state.collect.remove(0)))
    }

    fn list(&self, runtime: &mut Option<Box<dyn ContainerRuntime>>) {
        let listed = match self.open(runtime) {
            Ok(runtime) => self.list_with_layers(runtime.as_mut()),
            Err(error) => Err(error),
        };
        let mut state = self.lock();
        state.answered = state.asked;
        match listed {
            Ok(listing) => {
                replace(&mut state.listing, listing);
                state.listed = Some(now());
                state.failure = None;
            }
            Err(error) => {
                if state.failure.as_ref() != Some(&error) && !state.is_foreign {
                    state.news.push(News::Lost(error.to_string()));
                }
                state.failure = Some(error);
                // Said again, and by its version, when it is back.
                *runtime = None;
            }
        }
        state.news.push(News::Listed);
        drop(state);
        self.rope.pull();
        self.changed.notify_all();
    }

    /// What the runtime holds. The writable layers, which are dear to measure, only
    /// now and then, or when somebody wants to know; else as of the last time.
    fn list_with_layers(
        &self,
        runtime: &mut dyn ContainerRuntime,
    ) -> Result<RuntimeListing, Error> {
        let mut listing = runtime.list()?;
        let (before, measured, wanted) = {
            let mut state = self.lock();
            let wanted = core::mem::take(&mut state.wants_layers);
            (Arc::clone(&state.listing), state.measured, wanted)
        };
        let is_due = measured.is_none_or(|last| now().since(last) >= LAYERS_EVERY);
        if (wanted || is_due) && runtime.measure_layers(&mut listing).is_ok() {
            self.lock().measured = Some(now());
            return Ok(listing);
        }
        for container in &mut listing.containers {
            let mut known = before.containers.iter();
            if container.layer == WritableLayer::Unknown
                && let Some(known) = known.find(|known| known.id == container.id)
            {
                container.layer.clone_from(&known.layer);
            }
        }
        Ok(listing)
    }

    /// The runtime, opened where it is not.
    fn open<'a>(
        &self,
        runtime: &'a mut Option<Box<dyn ContainerRuntime>>,
    ) -> Result<&'a mut Box<dyn ContainerRuntime>, Error> {
        match runtime {
            Some(runtime) => Ok(runtime),
            none => Ok(none.insert(self.open_anew()?)),
        }
    }

    fn open_anew(&self) -> Result<Box<dyn ContainerRuntime>, Error> {
        let (mut opened, version) = open_first(&self.candidate).inspect_err(|error| {
            let is_gone = matches!(error.failure, Failure::NotReachable(_) | Failure::Closed);
            if !is_gone && !self.candidate.is_named {
                self.lock().is_foreign = true;
            }
        })?;
        let mut in_thin_pool = false;
        if let Ok(mut disks) = opened.disks() {
            in_thin_pool = disks.driver == "devicemapper";
            // Here, as a dead mount would hold up the loop.
            disks.images = disks.images.filter(|path| path.exists());
            disks.containers = disks.containers.filter(|path| path.exists());
            self.lock().disks = disks;
        }
        let endpoint = opened.endpoint().to_owned();
        self.tell(News::Reached {
            endpoint,
            version,
            in_thin_pool,
        });
        Ok(opened)
    }

    /// The thread that ends pods: it may wait as long as a pod's grace.
    fn serve_ends(&self) {
        let mut runtime = None;
        while let Some(mut end) = self.next_end() {
            let result = self.end(&mut runtime, &end);
            if let Err(error) = result {
                if end.attempts == 0 {
                    let uid = end.pod.pod.metadata.uid.clone();
                    let error = error.to_string();
                    self.tell(News::NotEnded { uid, error });
                }
                runtime = None;
                end.attempts += 1;
                end.grace = Duration::ZERO;
                end.not_before = now() + AGAIN;
                if end.attempts < ATTEMPTS {
                    self.lock().ends.push(end);
                }
            }
        }
    }

    /// Who does not even say its name is not trusted with a grace period: asking
    /// first makes a dead runtime known in time.
    fn end(&self, runtime: &mut Option<Box<dyn ContainerRuntime>>, end: &End) -> Result<(), Error> {
        let opened = match runtime {
            Some(opened) => {
                opened.version()?;
                opened
            }
            None => runtime.insert(open_first(&self.candidate)?.0),
        };
        let uid = end.pod.pod.metadata.uid.clone();
        self.tell(News::Ending(uid));
        opened.end_pod(&end.pod, end.grace)
    }

    /// The next pod to be ended; one that is tried again waits its time.
    fn next_end(&self) -> Option<End> {
        let mut state = self.lock();
        loop {
            if state.quit {
                return None;
            }
            let now = now();
            let wait = |end: &End| end.not_before.since(now);
            let soonest = state
                .ends
                .iter()
                .enumerate()
                .min_by_key(|(_, end)| wait(end));
            let (index, left) = match soonest {
                None => {
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                Some((index, end)) => (index, wait(end)),
            };
            if left.is_zero() {
                return Some(state.ends.remove(index));
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The same is not there twice while others still hold it, and what was there first
/// stays where it is in memory.
fn replace(held: &mut Arc<RuntimeListing>, new: RuntimeListing) {
    if **held != new {
        *held = Arc::new(new);
    }
}

/// Why nobody can be asked.
fn not_reachable(candidate: &Candidate, call: &str, error: &io::Error) -> Error {
    let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
    Error::new(&candidate.endpoint(), call, Failure::NotReachable(errno))
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use evictd_containers::{RuntimeListing, RuntimePod};

    use super::replace;

    #[test]
    fn the_same_listing_stays_where_it_is() {
        let of = |pods: usize| {
            let mut listing = RuntimeListing::default();
            listing.pods = vec![RuntimePod::default(); pods];
            listing
        };
        let mut held = Arc::new(of(2));
        let before = Arc::clone(&held);
        replace(&mut held, of(2));
        assert!(Arc::ptr_eq(&held, &before));
        replace(&mut held, of(3));
        assert_eq!((before.pods.len(), held.pods.len()), (2, 3));
    }
}

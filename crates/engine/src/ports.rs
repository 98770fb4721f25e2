//! What the engine asks of the machine: three ports. Time is an argument everywhere, and
//! no port speaks of files or sockets: its implementation does.

use alloc::sync::Arc;
use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use evictd_cgroup::KillInFlight;
use evictd_gc::ImageJob;
use evictd_node::{Filesystem, Layout, Mono, Readings, Signal};
use evictd_rank::Candidate;

use crate::fields::Fields;

/// Reads the node.
pub trait Node {
    /// Reads all that is watched. Filesystems may take `fs_wait` to answer; of one that
    /// takes longer the last numbers are returned.
    fn read(&mut self, now: Mono, fs_wait: Duration) -> Sample;

    /// Reads the signals of memory alone, as they are looked at between two rounds.
    fn read_memory(&mut self, now: Mono) -> Readings;

    /// What could not be read in the last [`Node::read`].
    fn problems(&self) -> Vec<String>;

    /// Whether the signal is not observed only because its filesystem has not answered for
    /// the first time yet.
    fn is_awaited(&self, _signal: Signal, _now: Mono) -> bool {
        false
    }

    /// Where the filesystem is mounted that a signal is about, for people to read: asked
    /// for when that is told.
    fn mount_point(&self, _signal: Signal) -> Option<String> {
        None
    }

    /// Watches the filesystems at these places from now on, where nobody has named
    /// others. Returns whether that changed what is watched.
    ///
    /// # Errors
    /// Why it cannot; what was watched is watched on.
    fn follow(&mut self, places: Places) -> Result<bool, String>;
}

/// What was measured of the node in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Each signal that could be measured.
    pub readings: Readings,
    /// How the filesystems lie; `None` until all of them have been measured.
    pub layout: Option<Layout>,
    /// The filesystem of volumes and logs.
    pub nodefs: Option<Disk>,
    /// The filesystem of images.
    pub imagefs: Option<Disk>,
    /// The filesystem of writable layers.
    pub containerfs: Option<Disk>,
}

impl Sample {
    /// The filesystem that a signal is about, and where it is mounted.
    pub(crate) fn place<N: Node>(&self, signal: Signal, node: &N) -> Option<Place> {
        let mount_point = |disk| Place {
            disk,
            mount_point: node.mount_point(signal),
        };
        self.disk(signal).map(mount_point)
    }

    /// The filesystem that a signal is about.
    #[must_use]
    pub const fn disk(&self, signal: Signal) -> Option<Disk> {
        match signal.filesystem() {
            Some(Filesystem::Nodefs) => self.nodefs,
            Some(Filesystem::Imagefs) => self.imagefs,
            Some(Filesystem::Containerfs) => self.containerfs,
            None => None,
        }
    }
}

/// A filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Major and minor number of its device.
    pub device: (u32, u32),
    /// It does not answer: the numbers are old.
    pub stale: bool,
}

impl fmt::Display for Disk {
    /// `254:1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device.0, self.device.1)
    }
}

/// A filesystem that a signal is about, as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its device.
    pub disk: Disk,
    /// Where it is mounted, if that is known.
    pub mount_point: Option<String>,
}

impl fmt::Display for Place {
    /// `/data`, else `device 254:1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mount_point {
            Some(mount_point) => f.write_str(mount_point),
            None => write!(f, "device {}", self.disk),
        }
    }
}

/// Where container runtimes keep images and, if apart, writable layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Of images.
    pub images: Option<PathBuf>,
    /// Of writable layers.
    pub layers: Option<PathBuf>,
}

/// How much is read of each pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All there is.
    Whole,
    /// What it uses of memory at most, and nothing else: see [`Pods::read_exactly`].
    Bounds,
}

/// The memory of a list of candidates, with none in it; see [`Pods::candidates`].
pub type Scratch = Vec<Candidate<'static>>;

/// An empty list in the memory of another, whatever that one borrowed from: a list that is
/// collected out of one with items of the same size takes its memory over. So no list is
/// allocated between a crossing and SIGKILL.
#[must_use]
pub fn emptied<Item, Other>(list: Vec<Item>) -> Vec<Other> {
    list.into_iter().map_while(|_| None).collect()
}

/// A kill that has begun.
pub struct Begun {
    /// The kill itself.
    pub kill: Box<dyn KillInFlight>,
    /// The pod's container runtime is to send the stop signal, and says by
    /// [`News::Ending`] that it is about to.
    pub left_to_runtime: bool,
    /// Its containers are not removed after it: what they wrote, and their logs, stay.
    pub files_stay: bool,
}

/// The pods of this node, and the container runtimes that hold some of them.
pub trait Pods {
    /// Lists the pods and reads what each uses. A pod that vanishes meanwhile is left out.
    fn refresh(&mut self, now: Mono, depth: Depth);

    /// The pods of the last [`Pods::refresh`] with what they use, in a list that was used
    /// before. An index into it names a pod until pods are listed anew.
    fn candidates(&self, scratch: Scratch) -> Vec<Candidate<'_>>;

    /// Whether what a pod uses of memory, as last read, is no mere bound.
    fn is_exact(&self, index: usize) -> bool;

    /// Reads exactly what is known of a pod by a bound alone. One that has vanished
    /// meanwhile is taken out, so that those behind it move up.
    fn read_exactly(&mut self, index: usize);

    /// Whether a pod may be evicted for a soft threshold yet; if not, it is decided again in a
    /// moment. For those who want a dump of it first: no hard threshold waits.
    fn may_evict(&mut self, _now: Mono, _index: usize) -> bool {
        true
    }

    /// Begins to kill a pod. No memory is asked for where it has no grace.
    ///
    /// # Errors
    /// Why it cannot even begin.
    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String>;

    /// Has the kernel asked for so many bytes of file pages that the pods of the last
    /// [`Pods::refresh`] hold; nobody waits for it. Returns whether it has begun: not where
    /// there is not that much to have.
    fn ask_for_pages(&mut self, bytes: u64, until: Mono) -> bool;

    /// How much was given back of what was asked for; `None` while it goes on.
    fn pages_given(&mut self) -> Option<u64>;

    /// Adds what each container of a pod uses to what it uses itself, for the message:
    /// that takes memory, so it is asked for once the kill has begun.
    fn name_containers(&mut self, index: usize);

    /// Manifests and cgroups that could not be read in the last [`Pods::refresh`].
    fn problems(&self) -> &[String];

    /// Forgets what each pod uses, and keeps the list for when memory is short.
    fn rest(&mut self);

    /// Gives back the memory of the list as well.
    fn forget(&mut self);

    /// Whether a pod may have limits of its own that can be looked at now.
    fn may_have_limits(&self) -> bool;

    /// Whether what all pods of the last [`Pods::refresh`] hold on disk was measured since
    /// then; if not, it is measured now.
    fn has_measured_disk(&mut self, since: Mono) -> bool;

    /// Whether there is any container runtime. If not, none of what follows matters.
    fn has_runtimes(&self) -> bool;

    /// Has the runtimes list what they hold; each says [`News::Listed`] once it has.
    fn ask_runtimes(&mut self);

    /// Pods are about to be chosen from: a runtime may say quickly what is new. What
    /// writable layers hold, which takes it longer, it says later.
    fn freshen(&mut self, with_layers: bool);

    /// What the runtimes had to say since the last call.
    fn take_news(&mut self) -> Vec<News>;

    /// What the kernel's own OOM killer has done since the last call.
    fn oom_kills(&mut self, now: Mono) -> Vec<OomKill>;

    /// Where the runtimes keep their things, as far as they have said.
    fn places(&self) -> Places;
}

/// Processes that the kernel's own OOM killer has killed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OomKill {
    /// Their pod's namespace.
    pub namespace: String,
    /// Its name; empty where they were in no pod, or in one that is gone.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// How many.
    pub kills: u64,
    /// Whether the pod had reached a limit of its own.
    pub at_limit: bool,
}

/// Something that a container runtime has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// It answers.
    Reached {
        /// Its socket.
        endpoint: String,
        /// Its name and version.
        version: String,
        /// Whether its images lie in no filesystem.
        in_thin_pool: bool,
    },
    /// It has said what it holds, or failed to.
    Listed,
    /// It answers no more, or not yet: why.
    Lost(String),
    /// It answers and is being told to end the pod with this uid.
    Ending(String),
    /// It cannot end a pod.
    NotEnded {
        /// The pod's uid.
        uid: String,
        /// Why.
        error: String,
    },
    /// A collection is over.
    Collected {
        /// Of which job.
        number: u64,
        /// What came of it; an error where it could not be told what there is.
        result: Result<Collected, String>,
    },
}

/// Gives back what nobody needs. `P` are the pods: what belongs to one of them stays.
pub trait Reclaim<P> {
    /// Hands a job to every container runtime. Returns how many will answer it, each by
    /// [`News::Collected`]; nobody waits for them.
    fn begin(&mut self, pods: &mut P, job: Job) -> usize;

    /// Begins to delete what dead pods left in the directories that were named for it, to
    /// its end; [`Reclaim::poll_leftovers`] says how that goes. `ended` are the uids of pods
    /// that were evicted, of which nothing has to be waited for.
    ///
    /// # Errors
    /// Why it cannot begin.
    fn begin_leftovers(&mut self, ended: &[String]) -> Result<(), String>;

    /// Begins to empty what a pod left in memory, which was evicted for it: its emptyDir
    /// volumes that are a tmpfs. How that goes, [`Reclaim::poll_leftovers`] says too.
    ///
    /// # Errors
    /// Why it cannot begin.
    fn begin_emptying(&mut self, uid: &str) -> Result<(), String>;

    /// How the deletion goes; never waits for it.
    fn poll_leftovers(&mut self, now: Mono, pods: &mut P) -> Deletion;

    /// Whether any directory was named for it.
    fn has_leftovers(&self) -> bool;
}

/// What container runtimes are to collect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Comes back with the answer.
    pub number: u64,
    /// What is collected.
    pub what: Collect,
    /// Only say what would be deleted.
    pub dry_run: bool,
}

/// What is collected, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collect {
    /// Dead containers and sandboxes.
    Containers {
        /// All of pods that have ended, because a disk is short; else what the limits say.
        all_unused: bool,
        /// Uids of pods that were evicted.
        evicted: Arc<[String]>,
    },
    /// Images.
    Images(ImageJob),
}

/// How a deletion of what dead pods left goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// There is none under way, or nothing new of it.
    Nothing,
    /// It takes long; so many files and directories are gone by now.
    GoesOn(u64),
    /// It is over; an error where nothing was deleted.
    Done(Result<Collected, String>),
}

/// What a collection did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// How many things are gone for good; 0 of a dry run.
    pub removed: usize,
    /// All of it in one line, with what could not be done; empty where there is nothing to
    /// say.
    pub text: String,
    /// The same as data.
    pub fields: Fields,
}

//! What the engine asks of the machine: three ports. Time is an argument everywhere, and
//! no port speaks of files or sockets: its implementation does.

mod kill;
mod reclaim;

use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use evictd_node::{Filesystem, Layout, Mono, Readings, Signal};
use evictd_rank::Candidate;

pub use kill::{KillInFlight, KillMethod, KillReport, KillState, Remaining};
pub use reclaim::{Collect, Collected, Deletion, Job, Reclaim};

/// Reads the node.
pub trait Node {
    /// Reads all that is watched. Filesystems may take `fs_wait` to answer; of one that
    /// takes longer the last numbers are returned.
    fn read(&mut self, now: Mono, fs_wait: Duration) -> Sample;

    /// Reads the signals of memory alone, as they are looked at between two rounds:
    /// [`Depth::Bounds`] is what is left at least.
    fn read_memory(&mut self, now: Mono, depth: Depth) -> Readings;

    /// What could not be read in the last [`Node::read`].
    fn problems(&self) -> Vec<String>;

    /// Whether the signal is not observed only because its filesystem has not answered for
    /// the first time yet.
    fn is_awaited(&self, _signal: Signal, _now: Mono) -> bool {
        false
    }

    /// Whether so little memory was left in the last [`Node::read`] that the kernel's own OOM
    /// killer is near: then no eviction waits for a better picture of the pods.
    fn is_near_oom(&self) -> bool {
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

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All there is.
    Whole,
    /// What is used of memory at most, and nothing else: see [`Pods::read_exactly`].
    Bounds,
}

/// How much was heard since the start of those who describe pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heard {
    /// One of them has said nothing.
    Nothing,
    /// All that are missing have begun to answer.
    Begun,
    /// Each has said all that it knows, or there is nobody to say it.
    All,
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
    /// A container runtime was told to end the pod, and says by [`News::Ended`] that it is
    /// down. Until then it may start the pod anew.
    pub told_runtime: bool,
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

    /// How much was heard since the start of those who describe pods. Before all of it no pod
    /// is evicted, for a while: one that is critical or protected may look like any other.
    fn heard(&self) -> Heard {
        Heard::All
    }

    /// Who is missing there, for people to read: asked for when that is told.
    fn unheard(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether descriptors (`EMFILE`, `ENFILE`) were lacking for what was read last, or for the
    /// kill that could not begin: then a pod may be missing in the list, or what it uses, and
    /// nothing is decided by it.
    fn lacks_descriptors(&self) -> bool {
        false
    }

    /// Whether a pod may be evicted for a soft threshold yet; if not, it is decided again in a
    /// moment. For those who want a dump of it first: no hard threshold waits.
    fn may_evict(&mut self, _now: Mono, _index: usize) -> bool {
        true
    }

    /// Begins to kill a pod. Where it has no grace, no memory is asked for before SIGKILL is
    /// sent.
    ///
    /// # Errors
    /// Why it cannot even begin.
    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String>;

    /// Looks whether anything runs again in a pod whose kill has ended and whose runtime was
    /// told to end it, and ends that at once. Returns whether anything does that was not
    /// there at the last look. `tell_runtime` has the runtime told once more, as it has done
    /// what it was told.
    fn end_again(&mut self, _now: Mono, _uid: &str, _tell_runtime: bool) -> bool {
        false
    }

    /// Nobody will ask again whether that pod came back.
    fn let_go(&mut self, _uid: &str) {}

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

    /// Has it found out who holds the most memory outside all pods; nobody waits for it.
    fn ask_who_holds(&mut self) {}

    /// Who does, once that is known; once for each question.
    fn who_holds(&mut self) -> Option<Holder> {
        None
    }

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

/// What holds memory outside all pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its name, to be read: a process, a service, a session, or a part of the kernel.
    pub name: String,
    /// How much it holds at most.
    pub bytes: u64,
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
    /// It has ended the pod with this uid, and keeps it down as far as it can.
    Ended(String),
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

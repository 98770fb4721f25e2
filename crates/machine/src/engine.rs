//! The engine on this machine: its ports, and how they are put together.

use core::time::Duration;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::PoisonError;

use evictd_config::Resolved;
use evictd_engine::ports::{
    Collect, Deletion, Depth, Disk, Job, Node, Places, Reclaim, Relieved, Runtimes as _, Sample,
};
use evictd_engine::{FIRST_FS_WAIT, Settings};
use evictd_gc::ImageRecords;
use evictd_node::{Filesystem, Mono, Readings, ReliefStep, Signal};
use evictd_pods::Pods;
use evictd_relief::disk::Reliever;
use evictd_relief::gc::{Cleaner, SharedRecords};
use evictd_relief::no_thread;
use evictd_stats::{FsSample, NodeReader, NodeSample, NodeSettings, now, wall_seconds};
use evictd_sys::{Token, Watch};

use crate::facts;
use crate::setup::Setup;

/// The loop over the ports of this machine.
pub type Engine = evictd_engine::Engine<NodePort, Pods, Reclaimer>;

/// Opens the node's files and the pods. On the heap: a stack keeps for good what it held.
pub fn open(setup: Setup) -> Result<Box<Engine>, String> {
    let settings = Settings {
        clock: now,
        wall_clock: wall_seconds,
        ..setup.engine
    };
    let pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
    let pods = pods.measuring(setup.dirs);
    let node = NodePort::open(setup.node, setup.finds_imagefs, setup.finds_containerfs)?;
    let cleaner = setup.collector.map(|c| Cleaner::new(c, settings.dry_run));
    let reclaimer = Reclaimer {
        cleaner: cleaner.transpose()?,
        reliever: setup.reliever,
        images: setup.images,
    };
    Ok(Box::new(Engine::new(settings, (node, pods, reclaimer))))
}

/// How long who only looks waits for what the pods keep on disk, and for filesystems, which
/// may hang.
const DISK_WAIT: Duration = Duration::from_secs(2);
const FS_WAIT: Duration = Duration::from_millis(500);

/// Opens them for one who only looks: the node and its pods are read once, and judged; nothing is
/// done about it.
///
/// # Errors
/// When the node cannot be read.
pub fn look(settings: &Resolved) -> Result<Box<Engine>, String> {
    let mut engine = open(Setup::to_look(settings)?)?;
    measure_disk(&mut engine).map_err(no_thread)?;
    engine.observe(now(), FIRST_FS_WAIT, false);
    engine
        .pods_mut()
        .remember_protected(settings.paths.state_dir.as_deref(), &facts::boot_id());
    engine.pods_mut().refresh_with_disk(DISK_WAIT);
    Ok(engine)
}

/// Once more, with what container runtimes say by now.
pub fn look_again(engine: &mut Engine, at: Mono) {
    engine.pods_mut().ask_runtimes();
    engine.pods_mut().take_news();
    engine.observe(at, FS_WAIT, false);
    engine.pods_mut().refresh(at, Depth::Whole);
}

/// Begins to measure what pods hold on disk, where that is wanted. Not done by [`open`]:
/// the first decision would wait for the thread.
///
/// # Errors
/// When the kernel gives no thread; it may later.
pub fn measure_disk(engine: &mut Engine) -> io::Result<()> {
    if engine.pods_mut().start_measuring()? {
        engine.look_at_pods();
    }
    Ok(())
}

/// Has `watch` wake the loop when a process of the kill in flight is gone; which one does
/// not matter.
///
/// # Errors
/// The first descriptor's that cannot be watched.
pub fn watch_kill(engine: &Engine, watch: &mut Watch) -> Result<(), evictd_sys::Error> {
    let mut watched = Ok(());
    engine.each_descriptor(&mut |fd| {
        let added = watch.add(fd, Token(0));
        if watched.is_ok() {
            watched = added;
        }
    });
    watched
}

/// The node, as its files show it.
pub struct NodePort {
    reader: NodeReader,
    /// What the reader reads.
    settings: NodeSettings,
    /// Whether no flag names these filesystems.
    finds_imagefs: bool,
    finds_containerfs: bool,
    /// The numbers of the last round.
    pub sample: NodeSample,
    /// What the kernel keeps for itself, in bytes.
    reserve: Option<u64>,
}

impl NodePort {
    fn open(
        settings: NodeSettings,
        finds_imagefs: bool,
        finds_containerfs: bool,
    ) -> Result<Self, String> {
        let reader = NodeReader::open(settings.clone());
        let mut reader = reader.map_err(|error| error.to_string())?;
        reader.ask_filesystems(now());
        Ok(Self {
            reader,
            settings,
            finds_imagefs,
            finds_containerfs,
            sample: NodeSample::default(),
            reserve: facts::min_free_bytes().and_then(|bytes| u64::try_from(bytes).ok()),
        })
    }

    /// A directory on the filesystem of pods.
    pub fn nodefs(&self) -> &Path {
        &self.settings.nodefs
    }

    /// Memory that is kept from pods from now on, in bytes.
    pub fn keep_from_pods(&mut self, bytes: u64) {
        self.settings.kept_from_pods = bytes;
        self.reader.keep_from_pods(bytes);
    }

    /// Memory as it is now, beside the rounds.
    pub(crate) fn read_memory_now(&mut self) -> NodeSample {
        self.reader.read_memory_signals(now())
    }
}

impl Node for NodePort {
    fn read(&mut self, now: Mono, fs_wait: Duration) -> Sample {
        self.sample = self.reader.read(now, fs_wait);
        let disk = |fs: &FsSample| Disk {
            device: fs.device_numbers(),
            stale: fs.stale,
        };
        Sample {
            readings: self.sample.readings(),
            layout: self.sample.layout(),
            nodefs: self.sample.nodefs.as_ref().map(disk),
            imagefs: self.sample.imagefs.as_ref().map(disk),
            containerfs: self.sample.containerfs.as_ref().map(disk),
        }
    }

    fn read_memory(&mut self, now: Mono, depth: Depth) -> Readings {
        let sample = match depth {
            Depth::Whole => self.reader.read_memory_signals(now),
            Depth::Bounds => self.reader.read_memory_bounds(now),
        };
        sample.readings()
    }

    fn note_late(&mut self, by: Duration) {
        self.reader.note_late(by);
    }

    fn problems(&self) -> Vec<String> {
        self.reader
            .errors()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn is_awaited(&self, signal: Signal, now: Mono) -> bool {
        if signal == Signal::MemoryStall {
            return self.reader.is_stall_awaited();
        }
        let of = signal.filesystem();
        of.is_some_and(|filesystem| self.reader.is_awaited(filesystem, now))
    }

    fn is_near_oom(&self) -> bool {
        let both = self.sample.memory.zip(self.reserve);
        both.is_some_and(|(memory, reserve)| memory.is_near_oom(reserve))
    }

    fn mount_point(&self, signal: Signal) -> Option<String> {
        let (nodefs, imagefs) = (&self.settings.nodefs, &self.settings.imagefs);
        let imagefs = imagefs.as_ref().unwrap_or(nodefs);
        let (sample, path) = match signal.filesystem()? {
            Filesystem::Nodefs => (self.sample.nodefs, nodefs),
            Filesystem::Imagefs => (self.sample.imagefs, imagefs),
            Filesystem::Containerfs => {
                let containerfs = self.settings.containerfs.as_ref();
                (self.sample.containerfs, containerfs.unwrap_or(imagefs))
            }
        };
        facts::mount_point(path, sample?.device_numbers())
    }

    fn follow(&mut self, places: Places) -> Result<bool, String> {
        let mut settings = self.settings.clone();
        if self.finds_imagefs && places.images.is_some() {
            settings.imagefs = places.images;
        }
        if self.finds_containerfs && places.layers.is_some() {
            settings.containerfs = places.layers;
        }
        if settings.imagefs == self.settings.imagefs
            && settings.containerfs == self.settings.containerfs
        {
            return Ok(false);
        }
        let reader = NodeReader::open(settings.clone()).map_err(|error| error.to_string())?;
        (self.reader, self.settings) = (reader, settings);
        Ok(true)
    }
}

/// What gives back what nobody needs: the container runtimes, and the directories that
/// were named for it.
pub struct Reclaimer {
    cleaner: Option<Cleaner>,
    reliever: Option<Reliever>,
    /// When images were detected and last used.
    images: SharedRecords,
}

impl Reclaimer {
    /// Takes over what was known of images before a restart.
    pub fn restore_images(&self, known: &ImageRecords) {
        let mut records = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        // Images are looked at in the first round at the earliest.
        if records.texts().next().is_none() {
            records.clone_from(known);
        }
    }

    /// When images were detected and last used, as is known now.
    pub fn image_records(&self) -> ImageRecords {
        let records = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        records.clone()
    }

    /// Readable when there is something to tell.
    pub fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [
            self.cleaner.as_ref().map(Cleaner::descriptor),
            self.reliever.as_ref().map(Reliever::descriptor),
        ]
    }
}

impl Reclaim<Pods> for Reclaimer {
    fn begin(&mut self, pods: &mut Pods, job: Job) -> usize {
        let is_of_runtimes = match &job.what {
            Collect::Containers { .. } | Collect::Images(_) => true,
            Collect::Step(relief) => relief.rung == ReliefStep::BuildCache,
            Collect::OwnLog { .. } | Collect::Tidy => false,
        };
        if is_of_runtimes {
            return pods.runtimes().collect(&job);
        }
        let Some(reliever) = &mut self.reliever else {
            return 0;
        };
        reliever.begin(job, pods.runtimes());
        1
    }

    fn take_relief(&mut self, now: Mono) -> Vec<Relieved> {
        let reliever = self.reliever.as_mut();
        reliever.map(|it| it.take(now)).unwrap_or_default()
    }

    fn begin_leftovers(&mut self, ended: &[String]) -> Result<(), String> {
        let cleaner = self.cleaner.as_mut();
        cleaner.map_or(Ok(()), |cleaner| cleaner.begin(ended))
    }

    fn begin_emptying(&mut self, uid: &str) -> Result<(), String> {
        let cleaner = self.cleaner.as_mut();
        cleaner.map_or(Ok(()), |cleaner| cleaner.begin_emptying(uid))
    }

    fn poll_leftovers(&mut self, now: Mono, pods: &mut Pods) -> Deletion {
        let cleaner = self.cleaner.as_mut();
        cleaner.map_or(Deletion::Nothing, |cleaner| cleaner.poll(now, pods))
    }

    fn has_leftovers(&self) -> bool {
        self.cleaner.is_some()
    }
}

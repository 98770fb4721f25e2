//! The engine on this machine: its ports, and how they are put together.

use core::time::Duration;
use std::io;

use evictd_engine::ports::{Collected, Disk, Job, Node, Places, Reclaim, Sample};
use evictd_engine::{Fields, Settings};
use evictd_node::{Mono, Readings};
use evictd_stats::{FsSample, NodeReader, NodeSample, NodeSettings, now, wall_seconds};

use evictd_sys::{Token, Watch};

use crate::gc::{Collection, Collector};
use crate::pods::Pods;
use crate::setup::Setup;

/// The most files and directories that one collection of leftovers deletes.
const MOST_DELETED: u64 = 10_000;

/// The loop over the ports of this machine.
pub(crate) type Engine = evictd_engine::Engine<NodePort, Pods, Reclaimer>;

/// Opens the node's files and the pods.
pub(crate) fn open(setup: Setup) -> Result<Engine, String> {
    let settings = Settings {
        clock: now,
        wall_clock: wall_seconds,
        ..setup.engine
    };
    let mut pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
    pods.to_measure = setup.dirs;
    let node = NodePort::open(setup.node, setup.finds_imagefs, setup.finds_containerfs)?;
    let reclaimer = Reclaimer {
        collector: setup.collector,
        dry_run: settings.dry_run,
    };
    Engine::new(settings, (node, pods, reclaimer)).map_err(|error| error.to_string())
}

/// Begins to measure what pods hold on disk, where that is wanted. Not done by [`open`]:
/// the first decision would wait for the thread.
///
/// # Errors
/// When the kernel gives no thread; it may later.
pub(crate) fn measure_disk(engine: &mut Engine) -> io::Result<()> {
    if engine.pods.start_measuring()? {
        engine.look_at_pods();
    }
    Ok(())
}

/// Has `watch` wake the loop when a process of the kill in flight is gone; which one does
/// not matter.
///
/// # Errors
/// The first descriptor's that cannot be watched.
pub(crate) fn watch_kill(engine: &Engine, watch: &mut Watch) -> Result<(), evictd_sys::Error> {
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
pub(crate) struct NodePort {
    reader: NodeReader,
    /// What the reader reads.
    settings: NodeSettings,
    /// Whether no flag names these filesystems.
    finds_imagefs: bool,
    finds_containerfs: bool,
    /// The numbers of the last round.
    pub(crate) sample: NodeSample,
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
        })
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

    fn read_memory(&mut self, now: Mono) -> Readings {
        self.reader.read_memory_signals(now).readings()
    }

    fn problems(&self) -> Vec<String> {
        self.reader
            .errors()
            .iter()
            .map(ToString::to_string)
            .collect()
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
pub(crate) struct Reclaimer {
    collector: Option<Collector>,
    dry_run: bool,
}

impl Reclaim<Pods> for Reclaimer {
    fn begin(&mut self, pods: &mut Pods, job: Job) -> usize {
        pods.runtimes.collect(&job)
    }

    fn collect_leftovers(
        &mut self,
        pods: &mut Pods,
        ended: &[String],
    ) -> Result<Collected, String> {
        let Some(collector) = &self.collector else {
            return Ok(Collected::default());
        };
        let ended: Vec<&str> = ended.iter().map(String::as_str).collect();
        let how = Collection {
            ended: &ended,
            most: MOST_DELETED,
            dry_run: self.dry_run,
        };
        let collected = collector.collect(pods, &how)?;
        if collected.is_empty() {
            return Ok(Collected::default());
        }
        Ok(Collected {
            removed: usize::try_from(collected.freed.deleted).unwrap_or(usize::MAX),
            text: collected.summary(),
            fields: Fields::default()
                .with("leftovers", collected.freed.deleted)
                .with("freedBytes", collected.freed.bytes),
        })
    }

    fn has_leftovers(&self) -> bool {
        self.collector.is_some()
    }
}

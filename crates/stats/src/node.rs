use core::result::Result as CoreResult;
use core::time::Duration;
use evictd_kerntext::{Limit, parse_meminfo};
use evictd_node::{Filesystem, MemorySource, Mono};

use crate::cgroup_memory::MemoryFiles;
use crate::error::{Cause, Failed};
use crate::file::{Buffer, KeptFile};
use crate::filesystem::{FsSample, measure};
use crate::memory::{Figures, MemoryUsage, NodeMemory, PodsMemory, Rules};
use crate::pids::{PidFiles, note};
use crate::probe::Probe;
use crate::sample::NodeSample;
use crate::stall::{MemoryStall, StallFile};
use crate::{Error, NodeSettings, Result, clock};

/// How soon a pods cgroup that is not there is looked for again: within the default
/// interval.
const ABSENT: Duration = Duration::from_secs(5);

/// How long the former sample of memory stands in for one that cannot be true.
const FORMER_STANDS_IN: Duration = Duration::from_secs(10);

/// Reads the node's numbers, round after round.
///
/// It keeps open the node's own few files and those of the pods cgroup, and
/// reuses one buffer: a round in which nothing fails allocates nothing. A
/// reading that fails costs itself and is listed in [`NodeReader::errors`].
#[derive(Debug)]
pub struct NodeReader {
    buffer: Buffer,
    errors: Vec<Error>,
    memory_source: MemorySource,
    hugepage_aware: bool,
    meminfo: KeptFile,
    root: Option<MemoryFiles>,
    pods: Option<MemoryFiles>,
    kept_from_pods: u64,
    /// When the pods cgroup was looked for and was not there.
    pods_absent: Option<Mono>,
    /// Where it is wanted.
    stall: Option<StallFile>,
    pids: PidFiles,
    /// nodefs, imagefs and containerfs; `None` where one is the directory before it.
    filesystems: [Option<Probe>; 3],
    /// The filesystems were asked before the round.
    asked: bool,
    last_memory: Option<NodeMemory>,
}

/// How a cgroup's usage is read: exactly or at most.
type ReadUsage =
    for<'a> fn(&'a mut MemoryFiles, &mut Buffer) -> CoreResult<MemoryUsage, Failed<'a>>;

impl NodeReader {
    /// Opens what is there. The first reading, or [`NodeReader::ask_filesystems`], makes
    /// a helper thread for each filesystem.
    ///
    /// Threads inherit the signal mask: block what only the main thread is to
    /// get before that.
    ///
    /// # Errors
    /// When `/proc/meminfo` cannot be read. All else may come later.
    pub fn open(settings: NodeSettings) -> Result<Self> {
        let memory = settings.hierarchies.memory.as_ref();
        let pods = settings.pods_cgroup.as_deref();
        let mut buffer = Buffer::new();
        let mut meminfo = KeptFile::new(settings.proc.join("meminfo"));
        meminfo
            .parse(&mut buffer, |_| Ok(()))
            .map_err(Failed::error)?;
        Ok(Self {
            buffer,
            errors: Vec::new(),
            memory_source: settings.memory_source,
            hugepage_aware: settings.hugepage_aware,
            meminfo,
            root: memory.and_then(MemoryFiles::of_root),
            pods: memory
                .zip(pods)
                .map(|(memory, pods)| MemoryFiles::of(memory, pods)),
            kept_from_pods: settings.kept_from_pods,
            pods_absent: None,
            stall: settings.stall.then(|| StallFile::new(&settings.proc)),
            pids: PidFiles::new(&settings.proc),
            filesystems: probes(&settings),
            asked: false,
            last_memory: None,
        })
    }

    /// Asks the filesystems for the round that comes next, which then waits for them
    /// the less: for a caller that has something else to do before.
    pub fn ask_filesystems(&mut self, now: Mono) {
        self.asked = true;
        let probes = self.filesystems.iter_mut().flatten();
        probes.for_each(|probe| probe.ask(now));
    }

    /// Memory that is kept from pods from now on, as [`NodeSettings::kept_from_pods`].
    pub fn keep_from_pods(&mut self, bytes: u64) {
        self.kept_from_pods = bytes;
    }

    /// Reads everything; the filesystems have `fs_wait` to answer, from when
    /// the rest has been read. With [`Duration::ZERO`] nothing is waited for,
    /// and what a filesystem has not told by then is what it told before.
    pub fn read(&mut self, now: Mono, fs_wait: Duration) -> NodeSample {
        self.errors.clear();
        if !self.asked {
            self.ask_filesystems(now);
        }
        self.asked = false;
        let memory = self.read_memory(now, MemoryFiles::read_usage);
        let pods_memory = self.read_pods(now, MemoryFiles::read_usage);
        let stall = self.read_stall(now);
        let pids = self.pids.read(now, &mut self.buffer, &mut self.errors);
        let [nodefs, imagefs, containerfs] = self.collect(fs_wait);
        NodeSample {
            memory,
            pods_memory,
            stall,
            pids,
            nodefs,
            imagefs,
            containerfs,
        }
    }

    /// Reads only what the memory signals need, between two rounds: four small
    /// files, or six where the pods' cgroup has a limit. No thread is asked. What fails
    /// is read again with the next round, and tells its error then.
    pub fn read_memory_signals(&mut self, now: Mono) -> NodeSample {
        self.read_between_rounds(now, MemoryFiles::read_usage)
    }

    /// What is left at least: the same without the `memory.stat` of cgroups that have a plain
    /// counter. All page cache counts as used then.
    pub fn read_memory_bounds(&mut self, now: Mono) -> NodeSample {
        let last_memory = self.last_memory;
        let sample = self.read_between_rounds(now, MemoryFiles::read_usage_at_most);
        self.last_memory = last_memory;
        sample
    }

    fn read_between_rounds(&mut self, now: Mono, usage: ReadUsage) -> NodeSample {
        let errors = core::mem::take(&mut self.errors);
        let sample = NodeSample {
            memory: self.read_memory(now, usage),
            pods_memory: self.read_pods(now, usage),
            stall: self.read_stall(now),
            ..NodeSample::default()
        };
        self.errors = errors;
        sample
    }

    /// Whether the filesystem has not answered its first question yet, and was not asked so
    /// long ago that something is wrong with it.
    #[must_use]
    pub fn is_awaited(&self, filesystem: Filesystem, now: Mono) -> bool {
        let [nodefs, imagefs, containerfs] = &self.filesystems;
        let probe = match filesystem {
            Filesystem::Nodefs => nodefs.as_ref(),
            Filesystem::Imagefs => imagefs.as_ref().or(nodefs.as_ref()),
            Filesystem::Containerfs => {
                let images = imagefs.as_ref().or(nodefs.as_ref());
                containerfs.as_ref().or(images)
            }
        };
        probe.is_some_and(|probe| probe.is_awaited(now))
    }

    /// Whether too little time was observed yet to say how much of it is lost.
    #[must_use]
    pub fn is_stall_awaited(&self) -> bool {
        self.stall.as_ref().is_some_and(StallFile::is_awaited)
    }

    /// The caller came by so much later than it wanted to: where the kernel does not count lost
    /// time, that is a sign of it.
    pub fn note_late(&mut self, by: Duration) {
        if let Some(stall) = &mut self.stall {
            stall.note_late(by);
        }
    }

    /// What failed in the latest round; empty in a good one. A cgroup that is
    /// not there is no failure, and neither is a filesystem that is late.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// What cannot be read costs itself, and where the source that was chosen cannot, the
    /// other one says what is left. A counter that is wrong for a moment only is no reason to
    /// change sources: for some seconds the former sample stands in, whose age tells the state
    /// machine that it is not fresh.
    fn read_memory(&mut self, now: Mono, usage: ReadUsage) -> Option<NodeMemory> {
        let usage = self.read_root(usage);
        let parse = |text: &Buffer| Ok(parse_meminfo(text.text()));
        let read = self.meminfo.parse(&mut self.buffer, parse);
        let info = note(read.map_err(Failed::error), &mut self.errors).unwrap_or_default();
        let Self {
            errors, meminfo, ..
        } = self;
        let former_total = self.last_memory.map(|former| former.total_bytes);
        let figures = Figures::new(info, usage, former_total, &mut |cause| {
            errors.push(cause.at(meminfo.path()));
        });
        let rules = Rules {
            source: self.memory_source,
            hugepage_aware: self.hugepage_aware,
            has_root: self.root.is_some(),
        };
        let memory = figures.memory(rules, now);
        if memory.is_none() && info.mem_available_bytes.is_none() && self.errors.is_empty() {
            let path = self.meminfo.path();
            self.errors.push(Cause::Key("MemAvailable").at(path));
        }
        let is_as_chosen = memory.is_some_and(|memory| memory.is_as_chosen);
        let stands_in = |former: &NodeMemory| {
            former.is_as_chosen && now.since(former.sampled) < FORMER_STANDS_IN
        };
        let former = self.last_memory.filter(stands_in);
        if let Some(former) = former.filter(|_| !is_as_chosen) {
            return Some(former);
        }
        self.last_memory = memory.or(self.last_memory);
        memory
    }

    fn read_stall(&mut self, now: Mono) -> Option<MemoryStall> {
        let stall = self.stall.as_mut()?;
        let is_low = self.last_memory.is_some_and(|memory| memory.is_low());
        stall.read(now, is_low, (&mut self.buffer, &mut self.errors))
    }

    fn read_root(&mut self, usage: ReadUsage) -> Option<MemoryUsage> {
        let files = self.root.as_mut()?;
        let usage = usage(files, &mut self.buffer).map_err(Failed::error);
        note(usage, &mut self.errors)
    }

    /// What the filesystems have answered; the wait is for all of them together.
    fn collect(&mut self, wait: Duration) -> [Option<FsSample>; 3] {
        let start = clock::now();
        let mut answer = None;
        self.filesystems.each_ref().map(|probe| {
            if let Some(probe) = probe {
                let left = wait.saturating_sub(clock::now().since(start));
                answer = note(probe.collect(left), &mut self.errors).flatten();
                let impossible = answer.and_then(|answer: FsSample| answer.impossible);
                let error = impossible.map(|name| Cause::Impossible(name).at(probe.path()));
                self.errors.extend(error);
            }
            answer
        })
    }

    /// What pods may use together, by what is kept from them (K: `getNodeAllocatableAbsolute`).
    fn allocatable(&self) -> Limit {
        match (self.kept_from_pods, self.last_memory) {
            (0, _) | (_, None) => Limit::Max,
            (kept, Some(memory)) => Limit::Value(memory.total_bytes.saturating_sub(kept)),
        }
    }

    /// What a cgroup without a limit uses is no signal, and not read. One that is not
    /// there is not looked for each time: the path costs a sixth of an idle round.
    fn read_pods(&mut self, now: Mono, usage: ReadUsage) -> Option<PodsMemory> {
        let allocatable = self.allocatable();
        let Self {
            pods,
            pods_absent,
            buffer,
            errors,
            ..
        } = self;
        if pods_absent.is_some_and(|since| now.since(since) < ABSENT) {
            return None;
        }
        let files = pods.as_mut()?;
        let mut noted = |failed: Failed<'_>| errors.extend(failed.unless_gone());
        let limit = files.read_limit(buffer);
        let gone = limit.as_ref().is_err_and(|failed| failed.cause.is_gone());
        *pods_absent = gone.then_some(now);
        let limit = match limit.map_err(&mut noted) {
            Ok(limit) => limit.min(allocatable),
            // What they may use by the machine's size is a limit of its own.
            Err(()) if !gone && allocatable != Limit::Max => allocatable,
            Err(()) => return None,
        };
        let usage = match limit {
            Limit::Max => None,
            Limit::Value(_) => Some(usage(files, buffer).map_err(&mut noted).ok()?),
        };
        Some(PodsMemory {
            sampled: now,
            usage,
            limit,
        })
    }
}

/// One for each directory that was named and differs.
fn probes(settings: &NodeSettings) -> [Option<Probe>; 3] {
    let nodefs = Some(&settings.nodefs);
    let imagefs = settings.imagefs.as_ref().or(nodefs);
    let containerfs = settings.containerfs.as_ref().or(imagefs);
    [(nodefs, None), (imagefs, nodefs), (containerfs, imagefs)].map(|(path, before)| {
        let path = path.filter(|_| path != before)?;
        Some(Probe::new(path, measure))
    })
}

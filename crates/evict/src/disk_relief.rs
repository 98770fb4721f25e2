//! The relief of a disk: the steps that are taken before a pod is evicted for it, and which of them
//! is next. It proposes a step, is told what came of it, and proposes the next.

use core::fmt;
use core::time::Duration;

use evictd_node::{Filesystem, Layout, Mono, Policy, ReliefStep, Signal, Unit};
use evictd_threshold::Threshold;

/// Where nothing could be given back, it is not tried again for that long at first,
/// then for twice as long each time, up to the longest.
const FIRST_REST: Duration = Duration::from_secs(10);
const LONGEST_REST: Duration = Duration::from_secs(60);

/// Something that the node itself can give back before a pod has to be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeReclaim {
    /// Remove all dead containers and their logs.
    ContainerGc,
    /// Remove all unused images.
    ImageGc,
}

impl fmt::Display for NodeReclaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ContainerGc => "containerGC",
            Self::ImageGc => "imageGC",
        })
    }
}

/// A step of the relief of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// What the kubelet does, too.
    Reclaim(NodeReclaim),
    /// What evictd does beside that.
    Relief(ReliefStep),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reclaim(call) => call.fmt(f),
            Self::Relief(step) => step.fmt(f),
        }
    }
}

/// The steps for a threshold: first the build cache, which nothing that runs needs, then the
/// kubelet's calls, then the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    calls: &'static [NodeReclaim],
    others: &'static [ReliefStep],
}

impl Steps {
    pub(crate) fn of(threshold: &Threshold, layout: Layout, policy: &Policy) -> Self {
        let calls = calls(threshold.signal, layout, policy);
        let is_only_kubelets = calls.is_empty() || policy.relief_ends_with_images;
        Self {
            calls,
            others: if is_only_kubelets {
                &[]
            } else {
                others(threshold)
            },
        }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.calls.is_empty()
    }

    pub(crate) fn in_order(self) -> impl Iterator<Item = Step> {
        let is_first = |step: &&ReliefStep| **step == ReliefStep::BuildCache;
        let first = self.others.iter().filter(is_first);
        let last = self.others.iter().filter(move |step| !is_first(step));
        let calls = self.calls.iter().map(|call| Step::Reclaim(*call));
        let first = first.map(|step| Step::Relief(*step));
        first
            .chain(calls)
            .chain(last.map(|step| Step::Relief(*step)))
    }

    fn contains(self, steps: Self) -> bool {
        let has = |step| self.in_order().any(|own| own == step);
        steps.in_order().all(has)
    }
}

/// What the kubelet reclaims, in order, when a threshold of `signal` is met (K:
/// `buildSignalToNodeReclaimFuncs`; acceptance rows 110 to 118). Only disk can
/// be given back; images are never touched for nodefs where they lie elsewhere.
const fn calls(signal: Signal, layout: Layout, policy: &Policy) -> &'static [NodeReclaim] {
    const CONTAINERS: &[NodeReclaim] = &[NodeReclaim::ContainerGc];
    const IMAGES: &[NodeReclaim] = &[NodeReclaim::ImageGc];
    const BOTH: &[NodeReclaim] = &[NodeReclaim::ContainerGc, NodeReclaim::ImageGc];
    let Some(filesystem) = signal.filesystem() else {
        return &[];
    };
    match filesystem {
        Filesystem::Nodefs => match layout {
            Layout::OneFilesystem => BOTH,
            Layout::DedicatedImagefs if policy.dedicated_nodefs_reclaims_nothing => &[],
            Layout::DedicatedImagefs | Layout::SplitImagefs => CONTAINERS,
        },
        Filesystem::Imagefs => match layout {
            Layout::OneFilesystem | Layout::DedicatedImagefs => BOTH,
            Layout::SplitImagefs => IMAGES,
        },
        Filesystem::Containerfs => match layout {
            Layout::OneFilesystem | Layout::DedicatedImagefs => BOTH,
            Layout::SplitImagefs => CONTAINERS,
        },
    }
}

/// The steps beside the kubelet's: the old part of a log is given up, and the reserve used, only
/// where a pod would be evicted at once, and neither holds inodes.
pub(crate) fn others(threshold: &Threshold) -> &'static [ReliefStep] {
    /// Steps that cost no pod anything.
    const HARMLESS: &[ReliefStep] = &[ReliefStep::BuildCache, ReliefStep::Directories];
    if threshold.is_hard() && threshold.signal.unit() == Unit::Bytes {
        &ReliefStep::ALL
    } else {
        HARMLESS
    }
}

/// Steps for the disk of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Of {
    /// It stands for all signals of its disk.
    pub(crate) signal: Option<Signal>,
    pub(crate) steps: Steps,
}

impl Of {
    fn is_of_disk_of(self, other: Self) -> bool {
        self.signal.and_then(Signal::filesystem) == other.signal.and_then(Signal::filesystem)
    }
}

/// The relief that is under way, and the rest after one that gave nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskRelief {
    under_way: Option<UnderWay>,
    rest: Option<Rest>,
}

/// A step may take minutes. Rounds go on meanwhile.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    of: Of,
    /// How many of its steps were taken.
    taken: usize,
    /// Whether any of them gave anything back.
    gave: bool,
}

/// Those steps gave nothing back, and are not taken again for a while.
#[derive(Clone, Copy, Debug)]
struct Rest {
    of: Of,
    lasts: Duration,
    until: Mono,
}

impl DiskRelief {
    /// The step to take now: the awaited one, or else the first of `of`. `None` while these steps
    /// rest, because they gave nothing back.
    pub(crate) fn begin(&mut self, now: Mono, of: Of) -> Option<Step> {
        let rests = |rest: &Rest| rest.of == of && now < rest.until;
        if self.under_way.is_none() && self.rest.as_ref().is_some_and(rests) {
            return None;
        }
        let new = UnderWay {
            of,
            taken: 0,
            gave: false,
        };
        self.under_way.get_or_insert(new).next()
    }

    /// The kubelet's calls among the steps, until the first step is taken.
    pub(crate) fn is_to_begin(&self) -> Option<&'static [NodeReclaim]> {
        let begins = self.under_way.filter(|under_way| under_way.taken == 0)?;
        Some(begins.of.steps.calls)
    }

    /// A step was taken: the next one.
    pub(crate) fn go_on(&mut self, gave: bool) -> Option<Step> {
        let under_way = self.under_way.as_mut()?;
        under_way.taken += 1;
        under_way.gave |= gave;
        under_way.next()
    }

    /// The relief is over. If it took every step and none gave anything, these steps rest. Returns
    /// whether it took all the steps of `wanted`, for the same disk.
    pub(crate) fn end(&mut self, now: Mono, wanted: Of, may_rest: bool) -> bool {
        let Some(over) = self.under_way.take() else {
            return true;
        };
        let former = self.rest.filter(|rest| rest.of == over.of);
        let gave_nothing = !over.gave && over.next().is_none();
        self.rest = (may_rest && gave_nothing).then(|| {
            let longer = former.map(|rest| rest.lasts.saturating_mul(2));
            let lasts = longer.unwrap_or(FIRST_REST).min(LONGEST_REST);
            Rest {
                of: over.of,
                lasts,
                until: now + lasts,
            }
        });
        over.of.is_of_disk_of(wanted) && over.of.steps.contains(wanted.steps)
    }

    /// The relief ends without a result: the next one begins at the first step.
    pub(crate) const fn forget(&mut self) {
        self.under_way = None;
    }

    /// The steps rest no longer: something has changed.
    pub(crate) const fn try_again(&mut self) {
        self.rest = None;
    }
}

impl UnderWay {
    fn next(&self) -> Option<Step> {
        self.of.steps.in_order().nth(self.taken)
    }
}

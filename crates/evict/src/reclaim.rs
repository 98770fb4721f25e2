use core::fmt;

use evictd_node::{Filesystem, Layout, Policy, ReliefStep, Signal, Unit};
use evictd_threshold::Threshold;

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

const NOTHING: &[NodeReclaim] = &[];
const CONTAINERS: &[NodeReclaim] = &[NodeReclaim::ContainerGc];
const IMAGES: &[NodeReclaim] = &[NodeReclaim::ImageGc];
const BOTH: &[NodeReclaim] = &[NodeReclaim::ContainerGc, NodeReclaim::ImageGc];

/// What to reclaim, in order, when a threshold of `signal` is met (K:
/// `buildSignalToNodeReclaimFuncs`; acceptance rows 110 to 118). Only disk can
/// be given back; images are never touched for nodefs where they lie elsewhere.
pub(crate) const fn for_signal(
    signal: Signal,
    layout: Layout,
    policy: &Policy,
) -> &'static [NodeReclaim] {
    let Some(filesystem) = signal.filesystem() else {
        return NOTHING;
    };
    match filesystem {
        Filesystem::Nodefs => match layout {
            Layout::OneFilesystem => BOTH,
            Layout::DedicatedImagefs if policy.dedicated_nodefs_reclaims_nothing => NOTHING,
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

/// What costs nobody anything.
const HARMLESS: &[ReliefStep] = &[ReliefStep::BuildCache, ReliefStep::Directories];

/// The relief steps that follow, for a disk: the old part of a log is given up, and the reserve
/// used, only where a pod would be evicted at once, and neither holds inodes.
pub(crate) fn rungs(threshold: &Threshold, policy: &Policy) -> &'static [ReliefStep] {
    let signal = threshold.signal;
    if signal.filesystem().is_none() || policy.ladder_ends_with_images {
        &[]
    } else if threshold.is_hard() && signal.unit() == Unit::Bytes {
        &ReliefStep::ALL
    } else {
        HARMLESS
    }
}

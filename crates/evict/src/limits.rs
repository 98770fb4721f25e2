//! Local storage limits: emptyDir size limits, and the ephemeral-storage limits of
//! pods and containers (K: `localStorageEviction`; decision D36).

use core::fmt;

use evictd_node::pod::usage::{ContainerUsage, PodUsage};
use evictd_node::pod::{Container, Pod, VolumeSource};
use evictd_node::{Layout, Policy};
use evictd_quantity::{Format, Quantity};
use evictd_rank::Candidate;

use crate::Cause;

/// The limit that a pod is above. Its text is the kubelet's message.
pub(crate) enum Exceeded<'a> {
    /// The size limit of the emptyDir volume of that name.
    EmptyDir(&'a str, &'a Quantity),
    /// The sum of its containers' limits, and what it keeps.
    Pod(Quantity, Quantity),
    /// The limit of the container of that name, and what it keeps.
    Container(&'a str, &'a Quantity, Quantity),
}

impl Exceeded<'_> {
    pub(crate) const fn cause(&self) -> Cause {
        match self {
            Self::EmptyDir(..) => Cause::EmptyDirLimit,
            Self::Pod(..) => Cause::PodLimit,
            Self::Container(..) => Cause::ContainerLimit,
        }
    }

    /// How many bytes it is above a limit that its logs count for.
    pub(crate) fn above(&self) -> Option<u64> {
        let (limit, used) = match self {
            Self::EmptyDir(..) => return None,
            Self::Pod(limit, used) => (limit, used),
            Self::Container(_, limit, used) => (*limit, used),
        };
        u64::try_from(used.value().saturating_sub(limit.value())).ok()
    }
}

impl fmt::Display for Exceeded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyDir(name, limit) => write!(
                f,
                "Usage of EmptyDir volume \"{name}\" exceeds the limit \"{limit}\". "
            ),
            Self::Pod(limit, _) => write!(
                f,
                "Pod ephemeral local storage usage exceeds the total limit of containers {limit}. "
            ),
            Self::Container(name, limit, _) => write!(
                f,
                "Container {name} exceeded its local ephemeral storage limit \"{limit}\". "
            ),
        }
    }
}

/// Which of its limits the pod is above. A critical pod never is, and one without stats
/// cannot be judged.
pub(crate) fn exceeded<'a>(
    candidate: &'a Candidate,
    layout: Layout,
    policy: &Policy,
) -> Option<Exceeded<'a>> {
    let (pod, usage) = (&*candidate.pod, candidate.usage.as_ref()?);
    if pod.is_critical() {
        return None;
    }
    empty_dir(pod, usage)
        .or_else(|| whole_pod(pod, usage))
        .or_else(|| container(pod, usage, layout, policy))
}

/// The first emptyDir above its limit, memory-backed ones too. A limit of zero is
/// none.
fn empty_dir<'a>(pod: &'a Pod, usage: &PodUsage) -> Option<Exceeded<'a>> {
    pod.spec.volumes.iter().find_map(|volume| {
        let VolumeSource::EmptyDir {
            size_limit: Some(limit),
            ..
        } = &volume.source
        else {
            return None;
        };
        let used = usage
            .volumes
            .iter()
            .rfind(|v| v.name == volume.name)?
            .used_bytes?;
        (limit.signum() > 0 && bytes(used) > *limit)
            .then_some(Exceeded::EmptyDir(&volume.name, limit))
    })
}

/// Everything the pod keeps on local disks against the sum of its limits. Here a
/// limit of zero counts.
fn whole_pod<'a>(pod: &Pod, usage: &PodUsage) -> Option<Exceeded<'a>> {
    let limit = pod.local_storage_limit()?;
    let used = bytes(usage.ephemeral_storage_bytes.unwrap_or(0));
    (used > limit).then_some(Exceeded::Pod(limit, used))
}

/// The first container whose logs, and writable layer unless that lies on an
/// imagefs of its own, are above its limit. A limit of zero is none. Init containers are
/// not looked at, but for sidecars.
fn container<'a>(
    pod: &'a Pod,
    usage: &PodUsage,
    layout: Layout,
    policy: &Policy,
) -> Option<Exceeded<'a>> {
    usage.containers.iter().find_map(|used| {
        let is_meant = |c: &&Container| c.name == used.name && has_limit(c);
        let sidecars = pod.spec.init_containers.iter();
        let mut sidecars = sidecars.filter(|c| c.is_sidecar()).filter(is_meant);
        let sidecar = || match policy.sidecar_storage_limits_are_not_enforced {
            true => None,
            false => sidecars.next_back(),
        };
        let regular = pod.spec.containers.iter().rfind(is_meant);
        let container = regular.or_else(sidecar)?;
        let limit = container.resources.limits.ephemeral_storage.as_deref()?;
        let used = container_bytes(used, layout);
        (used > *limit).then_some(Exceeded::Container(&container.name, limit, used))
    })
}

fn has_limit(container: &Container) -> bool {
    container
        .resources
        .limits
        .ephemeral_storage
        .as_ref()
        .is_some_and(|l| l.value() != 0)
}

fn container_bytes(used: &ContainerUsage, layout: Layout) -> Quantity {
    let layer = match layout {
        Layout::OneFilesystem => used.rootfs_bytes.unwrap_or(0),
        Layout::DedicatedImagefs | Layout::SplitImagefs => 0,
    };
    bytes(used.logs_bytes.unwrap_or(0).saturating_add(layer))
}

fn bytes(bytes: u64) -> Quantity {
    Quantity::from_int(i64::try_from(bytes).unwrap_or(i64::MAX), Format::BinarySi)
}

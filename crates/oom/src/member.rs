use evictd_node::pod::{Container, Pod};

use crate::Reason;
use crate::score::reason;
use crate::score::{ContainerRef, Scale};

/// The highest score that the kernel takes.
const HIGHEST: i16 = 1000;

/// The score of a pod's processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberScore<'a> {
    /// What to write into `oom_score_adj`: −999 to 1000.
    pub score: i16,
    /// The container whose score it is; `None` when it is not known which container the
    /// processes belong to, and the lowest of the pod's was taken.
    pub container: Option<&'a str>,
    /// Why.
    pub reason: Reason,
}

/// The score of those processes of `pod` that are in the cgroup `child` of the
/// pod's cgroup, or with `None` of those right in the pod's.
///
/// Without a container runtime it is unknown which process belongs to which
/// container. With one container they are its. Else those in a child that has a
/// container's name are that container's. For all others the lowest score
/// among the regular containers and sidecars counts: then none of them goes
/// before its time, and the rest of the node's order still holds, because the
/// scores of one class stay within that class.
///
/// Never above 1000, which the kernel would refuse.
///
/// ```
/// use evictd_oom::{GuaranteedScore, Scale, member_score};
/// use evictd_node::Policy;
/// use evictd_node::pod::Pod;
///
/// let scale = Scale {
///     memory_capacity_bytes: 1 << 30,
///     guaranteed: GuaranteedScore::KUBELET,
///     policy: Policy::default(),
/// };
/// assert_eq!(member_score(&Pod::default(), None, &scale).score, 1000);
/// ```
#[must_use]
pub fn member_score<'a>(pod: &'a Pod, child: Option<&str>, scale: &Scale) -> MemberScore<'a> {
    let sole = match (&pod.spec.containers[..], &pod.spec.init_containers[..]) {
        ([only], []) => Some(ContainerRef::Regular(only)),
        _ => None,
    };
    let named = |name| find(pod, name);
    if let Some(container) = sole.or_else(|| child.and_then(named)) {
        return of_container(pod, container, scale);
    }
    let lasting = lasting(pod).map(|container| of_container(pod, container, scale));
    let lowest = lasting.min_by_key(|member| member.score);
    let nothing = Container::default();
    let otherwise = || of(pod, ContainerRef::Regular(&nothing), scale, None);
    MemberScore {
        container: None,
        ..lowest.unwrap_or_else(otherwise)
    }
}

fn find<'a>(pod: &'a Pod, name: &str) -> Option<ContainerRef<'a>> {
    ContainerRef::find(pod, name, false).or_else(|| ContainerRef::find(pod, name, true))
}

/// The containers that run as long as the pod does.
fn lasting(pod: &Pod) -> impl Iterator<Item = ContainerRef<'_>> {
    let sidecars = pod.spec.init_containers.iter().map(ContainerRef::Init);
    let sidecars = sidecars.filter(|container| container.is_sidecar());
    let regular = pod.spec.containers.iter().map(ContainerRef::Regular);
    regular.chain(sidecars)
}

fn of_container<'a>(pod: &Pod, container: ContainerRef<'a>, scale: &Scale) -> MemberScore<'a> {
    of(pod, container, scale, Some(&container.container().name))
}

fn of<'a>(
    pod: &Pod,
    container: ContainerRef<'_>,
    scale: &Scale,
    name: Option<&'a str>,
) -> MemberScore<'a> {
    let reason = reason(pod, container, scale);
    MemberScore {
        score: reason.score(scale.guaranteed).min(HIGHEST),
        container: name,
        reason,
    }
}

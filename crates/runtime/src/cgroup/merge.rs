use evictd_pod::Pod;

/// What systemd adds to the name of a unit.
const UNIT_KINDS: [&str; 3] = [".service", ".scope", ".slice"];

/// Which manifest describes the kubepods pod with this uid.
///
/// With `systemd` the uid went through that driver, which writes `-` as `_`, so
/// the two count as equal.
pub(super) fn by_uid(manifests: &[Pod], uid: &str, systemd: bool) -> Option<usize> {
    let known = |pod: &Pod| is_uid(uid, &pod.metadata.uid, systemd);
    manifests.iter().position(known)
}

/// Whether the two are the same uid; an empty one is none.
pub(crate) fn is_uid(uid: &str, known: &str, systemd: bool) -> bool {
    if known.is_empty() {
        return false;
    }
    if systemd {
        return known.replace('_', "-") == uid.replace('_', "-");
    }
    known == uid
}

/// Which manifest describes a pod of a container runtime: the one of its uid, else
/// the one of its namespace and name.
pub(super) fn by_runtime(manifests: &[Pod], pod: &Pod) -> Option<usize> {
    let of = &pod.metadata;
    let same_name =
        |known: &Pod| known.metadata.name == of.name && namespace(known) == namespace(pod);
    by_uid(manifests, &of.uid, false).or_else(|| manifests.iter().position(same_name))
}

/// Which manifest describes a child of a `--pod-cgroup-root` with this name:
/// the one with that uid; else the one of that `NAMESPACE_NAME`; else the one of
/// that `NAME`, unless several namespaces have it. If there is none, the same
/// without what systemd adds to a unit's name.
pub(super) fn by_name(manifests: &[Pod], name: &str) -> Option<usize> {
    let bare = UNIT_KINDS.iter().find_map(|kind| name.strip_suffix(kind));
    by_exact_name(manifests, name).or_else(|| by_exact_name(manifests, bare?))
}

fn by_exact_name(manifests: &[Pod], name: &str) -> Option<usize> {
    let full = |pod: &Pod| name.split_once('_') == Some((namespace(pod), &pod.metadata.name));
    by_uid(manifests, name, false)
        .or_else(|| manifests.iter().position(full))
        .or_else(|| {
            let mut named = manifests
                .iter()
                .enumerate()
                .filter(|(_, pod)| !name.is_empty() && pod.metadata.name == name)
                .map(|(index, _)| index);
            named.next().filter(|_| named.next().is_none())
        })
}

fn namespace(pod: &Pod) -> &str {
    match pod.metadata.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    }
}

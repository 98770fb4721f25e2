use evictd_pod::Pod;

/// What systemd adds to the name of a unit.
const UNIT_KINDS: [&str; 3] = [".service", ".scope", ".slice"];

/// Which manifest describes the kubepods pod with this uid.
///
/// With `systemd` the uid went through that driver, which writes `-` as `_`, so
/// the two count as equal.
pub(super) fn by_uid(manifests: &[Pod], uid: &str, systemd: bool) -> Option<usize> {
    let same = |known: &str| {
        if systemd {
            known.replace('_', "-") == uid.replace('_', "-")
        } else {
            known == uid
        }
    };
    let known = |pod: &Pod| !pod.metadata.uid.is_empty() && same(&pod.metadata.uid);
    manifests.iter().position(known)
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

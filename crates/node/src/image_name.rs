//! Names of images, compared as Docker and containerd read them.

/// The registry of a name that says none, in both its spellings.
const HUB: [&str; 2] = ["docker.io", "index.docker.io"];
const LIBRARY: &str = "library/";
const LATEST: &str = "latest";

/// The name of an image, however much of it is left out: `busybox` is
/// `docker.io/library/busybox:latest`.
///
/// ```
/// use evictd_node::ImageName;
///
/// let short = ImageName::of("rancher/mirrored-pause:3.6");
/// assert!(short.is_same_as(ImageName::of("docker.io/rancher/mirrored-pause:3.6")));
/// assert!(!short.is_same_as(ImageName::of("quay.io/rancher/mirrored-pause:3.6")));
/// assert_eq!(short.last_part(), "mirrored-pause");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageName<'a> {
    registry: Option<&'a str>,
    /// Without the `library/` of Docker Hub.
    repository: &'a str,
    tag: Option<&'a str>,
    digest: Option<&'a str>,
}

impl<'a> ImageName<'a> {
    /// Reads a name; what is none is one that only itself is the same as.
    #[must_use]
    pub fn of(name: &'a str) -> Self {
        let (registry, rest) = split_registry(name);
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (rest, None),
        };
        let (repository, tag) = match rest.rsplit_once(':') {
            Some((repository, tag)) if !tag.contains('/') => (repository, Some(tag)),
            _ => (rest, None),
        };
        Self {
            registry,
            repository,
            tag,
            digest,
        }
    }

    /// Whether both name one image: by their digests, where both have one, else by their tags,
    /// where no tag is `latest`.
    #[must_use]
    pub fn is_same_as(self, other: ImageName<'_>) -> bool {
        let is_one_repository =
            self.registry == other.registry && self.repository == other.repository;
        is_one_repository
            && match (self.digest, other.digest) {
                (Some(one), Some(other)) => one == other,
                _ => self.tag().is_some() && self.tag() == other.tag(),
            }
    }

    /// The tag that it stands for: none where a digest alone is named.
    fn tag(self) -> Option<&'a str> {
        let latest = self.digest.is_none().then_some(LATEST);
        self.tag.or(latest)
    }

    /// The last part of the repository: `pause` of `registry.k8s.io/pause:3.9`.
    #[must_use]
    pub fn last_part(self) -> &'a str {
        let last = self.repository.rsplit_once('/');
        last.map_or(self.repository, |(_, last)| last)
    }
}

/// The registry in front of an image's name, and the rest; `None` for Docker Hub, whose rest
/// is its short form. What has no dot, port or capital letter is no registry, but `localhost`
/// is.
#[must_use]
pub fn split_registry(name: &str) -> (Option<&str>, &str) {
    let is_registry = |first: &str| {
        let is_odd = |letter: char| matches!(letter, '.' | ':') || letter.is_uppercase();
        first == "localhost" || first.contains(is_odd)
    };
    let rest = match name.split_once('/') {
        Some((first, rest)) if HUB.contains(&first) => rest,
        Some((first, rest)) if is_registry(first) => return (Some(first), rest),
        Some(_) | None => name,
    };
    match rest.strip_prefix(LIBRARY) {
        Some(bare) if !bare.contains('/') => (None, bare),
        _ => (None, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_short_and_in_full_are_the_same() {
        for (one, other, expected) in [
            (
                "rancher/mirrored-pause:3.6",
                "docker.io/rancher/mirrored-pause:3.6",
                true,
            ),
            ("busybox", "docker.io/library/busybox:latest", true),
            ("library/busybox", "index.docker.io/busybox", true),
            ("busybox:1", "docker.io/library/busybox:1", true),
            ("busybox:1", "busybox:2", false),
            ("busybox:1", "busybox", false),
            ("busybox", "quay.io/busybox", false),
            ("busybox", "localhost/busybox", false),
            ("a/busybox", "busybox", false),
            ("docker.io/library/a/b", "a/b", false),
            (
                "registry.k8s.io/pause:3.9",
                "registry.k8s.io/pause:3.9",
                true,
            ),
            ("registry.k8s.io/pause:3.9", "k8s.gcr.io/pause:3.9", false),
            // The port of a registry is no tag.
            ("reg:5000/app", "reg:5000/app:latest", true),
            ("reg:5000/app", "reg:5001/app", false),
            // By digest.
            (
                "busybox@sha256:00ff",
                "docker.io/library/busybox@sha256:00ff",
                true,
            ),
            (
                "busybox:1@sha256:00ff",
                "docker.io/library/busybox@sha256:00ff",
                true,
            ),
            ("busybox:1@sha256:00ff", "docker.io/library/busybox:1", true),
            ("busybox@sha256:00ff", "busybox@sha256:0000", false),
            ("busybox:1@sha256:00ff", "busybox:1@sha256:0000", false),
            // A digest alone says nothing of a tag.
            ("busybox@sha256:00ff", "busybox", false),
            ("busybox@sha256:00ff", "busybox:latest", false),
            // Anything may come as a name.
            ("", "", true),
            ("", "busybox", false),
            ("sha256:00ff", "sha256:00ff", true),
            (":@/", ":@/", true),
            ("a:b/c@d:e/f", "a:b/c@d:e/f", true),
        ] {
            let [left, right] = [one, other].map(ImageName::of);
            assert_eq!(left.is_same_as(right), expected, "{one} and {other}");
            assert_eq!(right.is_same_as(left), expected, "{other} and {one}");
        }
    }

    #[test]
    fn the_last_part_of_a_repository() {
        for (name, expected) in [
            ("pause", "pause"),
            ("registry.k8s.io/pause:3.9", "pause"),
            ("rancher/mirrored-pause@sha256:00ff", "mirrored-pause"),
            ("reg:5000/pause/tool:pause", "tool"),
            ("pause:5000/tool", "tool"),
            ("", ""),
        ] {
            assert_eq!(ImageName::of(name).last_part(), expected, "{name}");
        }
    }
}

//! Directories in which nothing is deleted, whoever names them.

use std::path::Path;

/// All that lies in them stays, and so does what holds them.
const KEPT: [(&str, &[&str]); 4] = [
    (
        "holds what the machine needs",
        &[
            "/bin",
            "/boot",
            "/dev",
            "/etc",
            "/lib",
            "/lib32",
            "/lib64",
            "/nix",
            "/proc",
            "/sbin",
            "/sys",
            "/usr",
            "/var/lib/systemd",
        ],
    ),
    (
        "is a container runtime's",
        &[
            "/run/containerd",
            "/run/containers",
            "/run/crio",
            "/run/docker",
            "/var/lib/balena-engine",
            "/var/lib/buildkit",
            "/var/lib/cni",
            "/var/lib/containerd",
            "/var/lib/containers",
            "/var/lib/docker",
            "/var/lib/etcd",
            "/var/lib/incus",
            "/var/lib/k0s",
            "/var/lib/kubelet",
            "/var/lib/lxc",
            "/var/lib/lxd",
            "/var/lib/nomad",
            "/var/lib/rancher",
            "/var/log/containers",
            "/var/log/pods",
            "/var/snap",
        ],
    ),
    (
        "is a package manager's",
        &[
            "/gnu",
            "/var/db",
            "/var/lib/apk",
            "/var/lib/apt",
            "/var/lib/dnf",
            "/var/lib/dpkg",
            "/var/lib/flatpak",
            "/var/lib/opkg",
            "/var/lib/pacman",
            "/var/lib/rpm",
            "/var/lib/rpm-ostree",
            "/var/lib/snapd",
            "/var/lib/yum",
            "/var/lib/zypp",
        ],
    ),
    (
        "holds keys or jobs",
        &[
            "/root/.gnupg",
            "/root/.ssh",
            "/var/spool/anacron",
            "/var/spool/at",
            "/var/spool/atjobs",
            "/var/spool/cron",
        ],
    ),
];

/// Directories of keys, wherever they lie.
const KEYS: [&str; 2] = [".ssh", ".gnupg"];

/// These themselves hold something of everything.
const ROOMS: [&str; 8] = [
    "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/var/log",
];

/// Why nothing is deleted in a directory, behind its name; `None` where something may be.
pub(crate) fn what_is_kept(path: &Path, state_dir: Option<&Path>) -> Option<&'static str> {
    // Nothing there is a link as a rule, but for these.
    let path = match path.strip_prefix("/var/run") {
        Ok(below) => &Path::new("/run").join(below),
        Err(_) => path,
    };
    let is_in = |of: &str| path.starts_with(of);
    let of_a_kind = KEPT.iter().find(|(_, all)| all.iter().any(|of| is_in(of)));
    let is_state = state_dir.is_some_and(|of| path.starts_with(of) || of.starts_with(path));
    let mut kept = KEPT.iter().flat_map(|(_, all)| *all);
    let is_room = ROOMS.iter().any(|of| path == Path::new(of));
    let is_a_home = path.parent() == Some(Path::new("/home"));
    if let Some((what, _)) = of_a_kind {
        Some(*what)
    } else if path.iter().any(|part| KEYS.iter().any(|key| part == *key)) || is_a_home {
        Some("holds keys or jobs")
    } else if is_room || kept.any(|of| Path::new(of).starts_with(path)) {
        Some("holds what the machine needs")
    } else {
        is_state.then_some("holds evictd's state")
    }
}

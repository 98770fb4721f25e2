//! The services of an init system as pods, and which of them never are.

use alloc::string::String;
use alloc::vec::Vec;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Names of services that no machine can do without, and of what holds pods itself: access,
/// messages, the init system's own, container runtimes, networking, and evictd.
const SYSTEM: &str = "sshd sshd@* sshd-* ssh ssh@* dropbear dropbear@* tinysshd dbus dbus-* \
    dbus@* messagebus init init.scope systemd-* systemd udev udev-* udevd eudev mdev mdevd \
    devfs elogind logind seatd polkit polkitd user user@* user.slice user-*.slice \
    system.slice machine.slice getty getty@* getty.* agetty agetty.* *-getty *-getty@* \
    emergency rescue openrc supervise-daemon s6-* runit runsvdir supervisord \
    docker docker-* docker.* dockerd containerd containerd-* crio crio-* cri-o podman podman-* \
    podman.* libpod* conmon* balena* buildkit* lxc lxc.* lxcfs lxd incus* libvirt* kubelet k3s \
    kubepods kubepods.slice NetworkManager NetworkManager-* network networking net.* \
    netifrc netmount wpa_supplicant* iwd dhcpcd dhcpcd@* dhclient* udhcpc* connman* \
    wickedd* ifplugd* ifup@* wg-quick* wicked tailscaled evictd evictd.* evictd-*";

/// Which init system keeps its services in cgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceManager {
    /// OpenRC: in v1 the hierarchy `name=openrc`; in the unified one `/openrc.SERVICE`, or
    /// `/SERVICE` as it was before.
    Openrc,
    /// systemd: the `.service` cgroups of all slices but those of users.
    Systemd,
}

/// Which services are pods, and what never is evicted.
#[derive(Clone, Debug, Default)]
pub struct Services {
    /// Whose services are pods.
    pub of: Option<ServiceManager>,
    /// Whether login sessions are pods: those of systemd, and what its managers of users run.
    pub sessions: bool,
    /// Names of pods and services that are never evicted, beside the system's own; `*`
    /// stands for any part and `?` for any character.
    pub never: Vec<String>,
}

impl Services {
    /// Whether a pod of that name, or the service that its cgroup is named after, is not
    /// to be evicted.
    pub(super) fn spare(&self, pod: &str, cgroup: &Path) -> bool {
        let cgroup = cgroup.file_name().map_or(&[][..], OsStr::as_bytes);
        let names = [pod.as_bytes(), cgroup, service_name(cgroup)];
        let is_meant = |pattern: &String| names.iter().any(|name| fits(pattern.as_bytes(), name));
        self.never.iter().any(is_meant)
    }
}

/// Whether a cgroup of that name is the system's own.
pub(super) fn is_system(cgroup: &[u8]) -> bool {
    let service = service_name(cgroup);
    let mut patterns = SYSTEM.split_ascii_whitespace();
    patterns.any(|pattern| fits(pattern.as_bytes(), service) || fits(pattern.as_bytes(), cgroup))
}

/// Whether a cgroup of that name is a login session of systemd's.
pub(crate) fn is_session(cgroup: &[u8]) -> bool {
    cgroup.starts_with(b"session-") && cgroup.ends_with(b".scope")
}

/// Names under which a service is known elsewhere.
const ALSO: [(&str, &str); 2] = [
    ("sshd", "ssh sshd@* ssh@* dropbear dropbear@* tinysshd"),
    ("getty", "getty@* *-getty@* agetty agetty.*"),
];

/// Whether a cgroup is that of a service as a pattern names it, or as it is called elsewhere.
pub(crate) fn is_service_of(cgroup: &[u8], pattern: &[u8]) -> bool {
    let service = service_name(cgroup);
    let also = ALSO.iter().filter(|(name, _)| name.as_bytes() == pattern);
    let mut also = also.flat_map(|(_, others)| others.split_ascii_whitespace());
    fits(pattern, service) || also.any(|other| fits(other.as_bytes(), service))
}

/// The service that a cgroup belongs to.
fn service_name(cgroup: &[u8]) -> &[u8] {
    let name = cgroup.strip_prefix(OPENRC).unwrap_or(cgroup);
    name.strip_suffix(SERVICE).unwrap_or(name)
}

/// How OpenRC's cgroups begin since 0.46, and how systemd's end.
pub(crate) const OPENRC: &[u8] = b"openrc.";
pub(crate) const SERVICE: &[u8] = b".service";

/// Whether the name is as the pattern says: each `*` takes as little as it can, and more
/// where the rest does not fit.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of) = (0_usize, 0_usize);
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(of) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, of));
                at = at.saturating_add(1);
            }
            Some(wanted) if *wanted == b'?' || wanted == byte => {
                at = at.saturating_add(1);
                of = of.saturating_add(1);
            }
            _ => {
                let Some((again, taken)) = star else {
                    return false;
                };
                let taken = taken.saturating_add(1);
                star = Some((again, taken));
                (at, of) = (again.saturating_add(1), taken);
            }
        }
    }
    let rest = pattern.get(at..).unwrap_or_default();
    rest.iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_any_part() {
        for (pattern, name, expected) in [
            ("nginx", "nginx", true),
            ("nginx", "nginx2", false),
            ("*", "", true),
            ("*-getty@*", "serial-getty@ttyS0", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b", "aXbY", false),
            ("web?", "web1", true),
            ("web?", "web", false),
            ("", "", true),
            ("", "a", false),
        ] {
            let is_it = fits(pattern.as_bytes(), name.as_bytes());
            assert_eq!(is_it, expected, "{pattern} {name}");
        }
    }

    /// Acceptance row 189: no machine can do without these.
    #[test]
    fn the_systems_own_services_are_known_in_every_spelling() {
        for own in [
            "sshd",
            "openrc.sshd",
            "sshd.service",
            "sshd@1-10.0.0.1:22.service",
            "dbus",
            "dbus.service",
            "dbus-broker.service",
            "systemd-journald.service",
            "init.scope",
            "udev",
            "docker",
            "docker.service",
            "containerd.service",
            "openrc.containerd",
            "agetty.tty1",
            "getty@tty1.service",
            "serial-getty@ttyS0.service",
            "net.eth0",
            "networking",
            "NetworkManager.service",
            "evictd",
            "evictd.service",
            "user.slice",
        ] {
            assert!(is_system(own.as_bytes()), "{own}");
        }
        for other in [
            "nginx",
            "openrc.postgresql",
            "web.service",
            "docs",
            "networker",
            "ssh2",
        ] {
            assert!(!is_system(other.as_bytes()), "{other}");
        }
    }
}

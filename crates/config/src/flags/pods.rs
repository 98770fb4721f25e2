use super::flag::Takes::{List, Value};
use super::flag::{Form, flag};
use crate::Flag;

/// Pods and reservations.
pub(crate) const PODS: [Flag; 7] = [
    flag(
        "pod-manifest-path",
        Value("DIR"),
        ("", "/etc/kubernetes/manifests"),
    )
    .field("staticPodPath", Form::Text)
    .help("A directory of pod manifests, YAML or JSON: requests, limits and priorities."),
    flag("pod-cgroup-root", Value("CGROUP"), ("", "/system.slice")).help(
        "A cgroup whose children are pods. Repeat it for several. Of / and /system.slice the \
         system's own stay out, as with --pods-of. The kubepods tree always counts; nothing \
         else is ever evicted.",
    ),
    flag("pods-of", Value("MANAGER,..."), ("", "systemd,sessions")).help(
        "Services are pods: those of openrc or systemd, wherever they keep their cgroups. \
         With sessions, login sessions of systemd are pods too, and what its users' managers \
         run. Never candidates: sshd, dbus, the init system's own, container runtimes, getty, \
         networking, evictd and the session that it was started from.",
    ),
    flag("never-evict", Value("PATTERN"), ("", "postgres*")).help(
        "Pods and services of that name are never evicted; * stands for any part and ? for any \
         character. Repeat it for several.",
    ),
    flag(
        "root-dir",
        Value("DIR"),
        ("/var/lib/kubelet", "/var/lib/kubelet"),
    )
    .help(
        "Where the pods' directories lie: emptyDir volumes are in \
         DIR/pods/UID/volumes/kubernetes.io~empty-dir. Only when given, those of pods that \
         are gone may be deleted to free disk space.",
    ),
    flag(
        "pod-logs-dir",
        Value("DIR"),
        ("/var/log/pods", "/var/log/pods"),
    )
    .field("podLogsDir", Form::Text)
    .help(
        "Where the pods' logs lie, as DIR/NAMESPACE_NAME_UID/CONTAINER/N.log. Only when given, \
         logs of pods that are gone, and those of living pods between the first and the newest \
         start of a container, may be deleted to free disk space.",
    ),
    flag(
        "system-reserved",
        List("RESOURCE=AMOUNT,..."),
        ("", "memory=1.5Gi,cpu=200m"),
    )
    .field("systemReserved", Form::Pairs('='))
    .help(
        "What is kept for the system's daemons: cpu in cores, memory and ephemeral-storage in \
         bytes, pid. It should include the memory threshold. Where the pods of kubepods, or of \
         the only --pod-cgroup-root, together have more memory than this leaves of the \
         machine's, one of them is evicted; no cgroup is limited. The other resources are only \
         checked, and shown by config.",
    ),
];

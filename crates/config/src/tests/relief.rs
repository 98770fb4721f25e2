use core::time::Duration;
use std::path::Path;

use super::{resolve, resolved, typed};

/// Acceptance row 289.
#[test]
fn logs_and_build_caches_are_relieved_unless_it_is_a_kubelet() {
    let plain = resolved(&[]);
    assert!(plain.relief.build_cache);
    assert_eq!(plain.relief.log_keep_bytes, Some(16 << 20));
    assert_eq!(plain.relief.reserve_bytes, None);
    assert!(!plain.policy().relief_ends_with_images);
    let kubelet = resolved(&[("compat", "kubelet")]);
    assert!(kubelet.relief.is_none());
    assert!(kubelet.policy().relief_ends_with_images);
    let asked = resolved(&[("compat", "kubelet"), ("log-relief", "1Mi")]);
    assert_eq!(asked.relief.log_keep_bytes, Some(1 << 20));
    assert!(!asked.policy().relief_ends_with_images);
    let none = resolved(&[("log-relief", "0"), ("compat", "keep-build-cache")]);
    assert!(none.policy().relief_ends_with_images);
}

#[test]
fn a_directory_says_what_stays_and_how_old_the_rest_is() {
    let given = resolved(&[
        ("relief-dir", "/var/cache/a:b:keep=2Gi,older-than=7d"),
        ("relief-dir", "/srv/cores:older-than=90m,keep=0"),
        ("reserve-file", "256Mi"),
    ]);
    let [one, other] = given.relief.directories.as_slice() else {
        panic!("{:?}", given.relief.directories);
    };
    assert_eq!(one.path, Path::new("/var/cache/a:b"));
    assert_eq!(one.keep_bytes, 2 << 30);
    assert_eq!(one.older_than, Duration::from_secs(7 * 86_400));
    assert_eq!(other.keep_bytes, 0);
    assert_eq!(other.older_than, Duration::from_secs(90 * 60));
    assert_eq!(given.relief.reserve_bytes, Some(256 << 20));
}

#[test]
fn what_is_wrong_with_a_relief_is_said() {
    for (flag, text, problem) in [
        ("relief-dir", "/var/cache/a", "it does not say what stays"),
        (
            "relief-dir",
            "/var/cache/a:keep=1Gi",
            "it has to say both keep= and older-than=",
        ),
        (
            "relief-dir",
            "/var/cache/a:keep=1Gi,age=1d",
            "\"age=1d\" is neither keep=BYTES nor older-than=AGE",
        ),
        (
            "relief-dir",
            "/var/cache/a:keep=1Gi,keep=2Gi",
            "\"keep=2Gi\" is neither keep=BYTES nor older-than=AGE",
        ),
        (
            "relief-dir",
            "/var/cache/a:keep=many,older-than=1d",
            "\"many\" is no amount of bytes",
        ),
        (
            "relief-dir",
            "cache:keep=1Gi,older-than=1d",
            "the path is not absolute",
        ),
        (
            "relief-dir",
            "/var/cache/../lib:keep=1Gi,older-than=1d",
            "the path leads up",
        ),
        (
            "relief-dir",
            "/:keep=1Gi,older-than=1d",
            "the root holds the whole machine",
        ),
        (
            "relief-dir",
            "/etc/ssl:keep=1Gi,older-than=1d",
            "/etc/ssl holds what the machine needs",
        ),
        (
            "relief-dir",
            "/var/lib/:keep=1Gi,older-than=1d",
            "/var/lib/ holds what the machine needs",
        ),
        ("log-relief", "-1", "-1 is negative"),
        ("log-relief", "16MB", "\"16MB\" is no amount of bytes"),
        ("reserve-file", "1e", "\"1e\" is no amount of bytes"),
    ] {
        let found = resolve(&typed(&[(flag, text)])).unwrap_err().to_string();
        assert!(found.contains(problem), "{flag}={text}: {found}");
    }
}

#[test]
fn a_directory_that_holds_more_than_what_may_go_is_refused() {
    const MACHINE: &str = "holds what the machine needs";
    const RUNTIME: &str = "is a container runtime's";
    const PACKAGES: &str = "is a package manager's";
    const KEYS: &str = "holds keys or jobs";
    for (path, problem) in [
        ("/var", MACHINE),
        ("/var/lib", MACHINE),
        ("/var/spool", MACHINE),
        ("/var/log", MACHINE),
        ("/root", MACHINE),
        ("/run", MACHINE),
        ("/var/run", MACHINE),
        ("/home", MACHINE),
        ("/etc/evictd", MACHINE),
        ("/var/lib/docker", RUNTIME),
        ("/var/lib/docker/containers", RUNTIME),
        ("/var/lib/containerd", RUNTIME),
        ("/var/lib/containers/storage", RUNTIME),
        ("/var/lib/kubelet", RUNTIME),
        ("/var/lib/rancher/k3s", RUNTIME),
        ("/var/run/docker", RUNTIME),
        ("/var/log/pods", RUNTIME),
        ("/var/lib/dpkg", PACKAGES),
        ("/var/lib/rpm", PACKAGES),
        ("/root/.ssh", KEYS),
        ("/home/user/.ssh", KEYS),
        ("/srv/git/.ssh/old", KEYS),
        ("/home/user", KEYS),
        ("/var/spool/cron/crontabs", KEYS),
        ("/var/lib/evictd", "holds evictd's state"),
        ("/srv/state", "holds evictd's state"),
        ("/srv/state/evictd/below", "holds evictd's state"),
    ] {
        let state = if path.starts_with("/srv") {
            "/srv/state/evictd"
        } else {
            "/var/lib/evictd"
        };
        let text = format!("{path}:keep=0,older-than=1d");
        let found = resolve(&typed(&[("relief-dir", &text), ("state-dir", state)]));
        let found = found.unwrap_err().to_string();
        let problem = format!("--relief-dir: {path} {problem}, in {text:?}");
        assert!(found.starts_with(&problem), "{found}");
        assert!(found.contains("/var/cache/builds"), "{found}");
    }
}

#[test]
fn a_directory_beside_those_that_are_kept_is_taken() {
    for path in [
        "/var/cache/builds",
        "/var/lib/jenkins/cache",
        "/var/lib/dockerfiles",
        "/srv/cores",
        "/home/user/cache",
        "/var/log/journal-copies",
        "/root/builds",
    ] {
        let text = format!("{path}:keep=0,older-than=1d");
        assert_eq!(
            resolved(&[("relief-dir", &text)]).relief.directories.len(),
            1,
            "{path}"
        );
    }
}

#[test]
fn an_age_of_nothing_is_refused() {
    for age in ["0s", "0", "0d", "0h0m", "-1h"] {
        let text = format!("/var/cache/builds:keep=0,older-than={age}");
        let found = resolve(&typed(&[("relief-dir", &text)]))
            .unwrap_err()
            .to_string();
        assert!(
            found.contains("older-than=0 would delete what is being written"),
            "{found}"
        );
        assert!(found.contains("older-than=1h"), "{found}");
    }
}

/// Acceptance row 320.
#[test]
fn memory_relief_follows_the_machine_unless_it_is_set() {
    use crate::MemoryRelief::{Auto, Off, On};
    let settled = |flags: &[(&'static str, &str)], swap_is_compressed: bool| {
        let mut settings = resolved(flags);
        settings.settle_memory_relief(swap_is_compressed);
        let mut all = settings.settings.iter();
        let shown = all.find(|setting| setting.name == "memory-relief").unwrap();
        (settings.memory.relief, format!("{shown:?}"))
    };
    assert_eq!(resolved(&[]).memory.relief, Auto);
    for (flags, on_disk, compressed) in [
        (&[][..], Off, On),
        (&[("memory-relief", "auto")], Off, On),
        (&[("memory-relief", "on")], On, On),
        (&[("memory-relief", "off")], Off, Off),
        (&[("compat", "kubelet")], Off, Off),
        (&[("compat", "kubelet"), ("memory-relief", "on")], On, On),
        (&[("state-dir", "")], Off, Off),
    ] {
        for (swap_is_compressed, expected) in [(false, on_disk), (true, compressed)] {
            let (relief, shown) = settled(flags, swap_is_compressed);
            assert_eq!(relief, expected, "{flags:?} {swap_is_compressed}");
            let word = if expected == On { "\"on\"" } else { "\"off\"" };
            assert!(shown.contains(word), "{shown}");
        }
    }
    assert!(settled(&[], true).1.contains("Derived"));
    for wrong in ["", "reclaim", "On"] {
        let typed = typed(&[("memory-relief", wrong)]);
        assert!(resolve(&typed).is_err(), "{wrong}");
    }
}

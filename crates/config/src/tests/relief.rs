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
    assert!(!plain.policy().ladder_ends_with_images);
    let kubelet = resolved(&[("compat", "kubelet")]);
    assert!(kubelet.relief.is_none());
    assert!(kubelet.policy().ladder_ends_with_images);
    let asked = resolved(&[("compat", "kubelet"), ("log-relief", "1Mi")]);
    assert_eq!(asked.relief.log_keep_bytes, Some(1 << 20));
    assert!(!asked.policy().ladder_ends_with_images);
    let none = resolved(&[("log-relief", "0"), ("compat", "keep-build-cache")]);
    assert!(none.policy().ladder_ends_with_images);
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

/// Acceptance row 320.
#[test]
fn rungs_of_memory_are_named() {
    use evictd_node::MemoryRung::{Brake, Freeze, Reclaim, Tell};
    let rungs = |text: &str| resolved(&[("relief", text)]).memory_relief;
    assert!(
        resolved(&[]).memory_relief.is_none(),
        "what does not pay is off"
    );
    assert!(rungs("").is_none());
    let some = rungs("brake,reclaim");
    assert_eq!(some.each().collect::<Vec<_>>(), [Reclaim, Brake]);
    assert!(!some.has(Tell) && !some.has(Freeze));
    for wrong in ["kill", "brake freeze", "Brake"] {
        assert!(resolve(&typed(&[("relief", wrong)])).is_err(), "{wrong}");
    }
}

/// Acceptance row 432: off by itself, no rung that `--relief` names, and told where nothing says
/// that memory stalls.
#[test]
fn a_start_storm_is_seen_where_lost_time_is_watched() {
    use evictd_node::MemoryRung::{Freeze, StartStorm};
    let stall = ("eviction-hard", "memory.stall>40%");
    let rungs = |flags: &[(&'static str, &str)]| resolved(flags).memory_relief;
    assert!(!rungs(&[stall]).has(StartStorm));
    let storm = ("start-storm", "true");
    assert!(rungs(&[stall, storm]).has(StartStorm));
    assert!(!rungs(&[stall, storm]).has(Freeze));
    assert!(resolve(&typed(&[("relief", "startStorm")])).is_err());
    let warned = |flags: &[(&'static str, &str)]| {
        let warnings = &resolved(flags).warnings;
        warnings
            .iter()
            .any(|of| of.to_string().contains("--start-storm"))
    };
    let others = ("eviction-hard", "memory.available<1Gi");
    assert!(warned(&[others, storm]) && warned(&[storm, ("compat", "kubelet")]));
    assert!(!warned(&[storm]) && !warned(&[stall, storm]) && !warned(&[]));
    // This kernel does not count it.
    let mut uncounted = resolved(&[storm]);
    uncounted.leave_lost_time_out();
    assert!(
        uncounted
            .warnings
            .last()
            .unwrap()
            .to_string()
            .contains("--start-storm")
    );
}

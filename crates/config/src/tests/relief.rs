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
fn memory_relief_follows_the_machine_unless_it_is_set() {
    use crate::MemoryRelief::{Auto, Off, On};
    let settled = |flags: &[(&'static str, &str)], swap_is_compressed: bool| {
        let mut settings = resolved(flags);
        settings.settle_memory_relief(swap_is_compressed);
        let mut all = settings.settings.iter();
        let shown = all.find(|setting| setting.name == "memory-relief").unwrap();
        (settings.memory_relief, format!("{shown:?}"))
    };
    assert_eq!(resolved(&[]).memory_relief, Auto);
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

use core::time::Duration;
use std::path::Path;

use evictd_gc::KeepPattern;

use super::*;

const HIGH: &str = "image-gc-high-threshold";
const LOW: &str = "image-gc-low-threshold";
const MIN_AGE: &str = "minimum-image-ttl-duration";
const MAX_AGE: &str = "maximum-image-gc-age";
const ENDPOINT: &str = "container-runtime-endpoint";
const DEAD: &str = "maximum-dead-containers";
const DEAD_EACH: &str = "maximum-dead-containers-per-container";
const DEAD_AGE: &str = "minimum-container-ttl-duration";

/// Rows 53 and 54.
#[test]
fn images_go_from_the_high_percentage_down_to_the_low_one() {
    for (given, expected) in [
        (&[][..], (85, 80)),
        (&[(HIGH, "90")], (90, 80)),
        (&[(LOW, "0")], (85, 0)),
        (&[(HIGH, "1"), (LOW, "0")], (1, 0)),
        (&[(HIGH, "100"), (LOW, "99")], (100, 99)),
        (&[(HIGH, "101"), (HIGH, "81")], (81, 80)),
    ] {
        let images = resolved(given).gc.images.policy;
        assert_eq!((images.high_percent, images.low_percent), expected);
    }
}

#[test]
fn images_have_ages() {
    let seconds = Duration::from_secs;
    for (given, expected) in [
        (&[][..], (120, None)),
        (&[(MIN_AGE, "0s")], (0, None)),
        (&[(MAX_AGE, "0")], (120, None)),
        (&[(MAX_AGE, "3m")], (120, Some(180))),
        (&[(MIN_AGE, "1m"), (MAX_AGE, "90s")], (60, Some(90))),
    ] {
        let images = resolved(given).gc.images.policy;
        assert_eq!(images.min_age, seconds(expected.0));
        assert_eq!(images.max_age, expected.1.map(seconds));
    }
}

/// Rows 55 to 57, decision D11: deprecated in the kubelet, and obeyed.
#[test]
fn dead_containers_are_limited_as_in_a_kubelet() {
    let plain = resolved(&[]);
    let gc = plain.gc.containers;
    assert_eq!(
        (gc.max_containers, gc.max_per_pod_container),
        (None, Some(1))
    );
    assert_eq!(gc.min_age, Duration::ZERO);
    assert_eq!(plain.warnings, []);
    let given = resolved(&[(DEAD, "100"), (DEAD_EACH, "-5"), (DEAD_AGE, "1m30s")]);
    let gc = given.gc.containers;
    assert_eq!(
        (gc.max_containers, gc.max_per_pod_container),
        (Some(100), None)
    );
    assert_eq!(gc.min_age, Duration::from_secs(90));
    assert_eq!(given.warnings.len(), 3);
}

#[test]
fn which_images_stay_is_taken_as_it_stands() {
    let images = resolved(&[
        ("keep-image", "docker.io/library/*"),
        ("keep-image", "*:keep"),
        (COMPAT, "collect-local-images,reclaim-all-images"),
        ("collect-dead-containers", "all"),
    ]);
    assert!(images.gc.all_containers);
    let images = images.gc.images;
    let keep: Vec<String> = images.keep.iter().map(KeepPattern::to_string).collect();
    assert_eq!(keep, ["docker.io/library/*", "*:keep"]);
    assert!(!images.keep_local);
    assert!(images.reclaims_all);
}

/// Acceptance row 166: by default nothing is deleted that only this node has.
#[test]
fn what_only_this_node_has_stays_by_default() {
    let plain = resolved(&[]);
    assert_eq!(plain.gc.images.keep, []);
    assert!(plain.gc.images.keep_local);
    assert!(!plain.gc.images.reclaims_all);
    assert!(!plain.gc.all_containers);
    let kubelet = resolved(&[("compat", "kubelet")]);
    assert!(!kubelet.gc.images.keep_local);
    assert!(kubelet.gc.images.reclaims_all);
    assert!(!kubelet.gc.all_containers);
}

#[test]
fn runtimes_are_sockets() {
    let docker: &str = "unix:///run/docker.sock";
    for (given, expected) in [
        (&[][..], None),
        (&[(ENDPOINT, "")], Some(&[][..])),
        (&[(ENDPOINT, docker)], Some(&["/run/docker.sock"])),
        (
            &[(ENDPOINT, "/run/docker.sock")],
            Some(&["/run/docker.sock"]),
        ),
        (
            &[(ENDPOINT, "unix:/run/docker.sock")],
            Some(&["/run/docker.sock"]),
        ),
        (
            &[(ENDPOINT, "unix:///a,/b"), (ENDPOINT, "unix:///c")],
            Some(&["/a", "/b", "/c"]),
        ),
        (&[(ENDPOINT, ""), (ENDPOINT, " unix:///c ")], Some(&["/c"])),
    ] {
        let sockets = resolved(given).runtimes.endpoints;
        let sockets: Option<Vec<&Path>> = sockets
            .as_ref()
            .map(|s| s.iter().map(|p| p.as_path()).collect());
        let expected = expected.map(|paths| paths.iter().map(Path::new).collect());
        assert_eq!(sockets, expected);
    }
    let bare = resolved(&[(ENDPOINT, "unix:///a, /b")]);
    let warnings: Vec<String> = bare.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "using \" /b\" as endpoint is deprecated, please consider using full url format: \
          unix:///b"
        ]
    );
}

const WRONG: &[(&[(&str, &str)], &str)] = &[
    (
        &[(HIGH, "101")],
        "--image-gc-high-threshold: imageGCHighThresholdPercent (--image-gc-high-threshold) 101 \
         must be between 0 and 100, inclusive, in \"101\" at byte 0; a percentage of the \
         filesystem without a sign: 85",
    ),
    (
        &[(LOW, "-1")],
        "--image-gc-low-threshold: imageGCLowThresholdPercent (--image-gc-low-threshold) -1 must \
         be between 0 and 100, inclusive, in \"-1\" at byte 0; a percentage of the filesystem \
         without a sign: 85",
    ),
    (
        &[(HIGH, "80")],
        "--image-gc-high-threshold: imageGCLowThresholdPercent (--image-gc-low-threshold) 80 must \
         be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 80, in \"80\" at \
         byte 0; images are deleted from the high one down to the low one: give both",
    ),
    (
        &[(HIGH, "50"), (LOW, "60")],
        "--image-gc-low-threshold: imageGCLowThresholdPercent (--image-gc-low-threshold) 60 must \
         be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 50, in \"60\" at \
         byte 0; images are deleted from the high one down to the low one: give both",
    ),
    (
        &[(HIGH, "85%")],
        "--image-gc-high-threshold: \"85%\" is not a whole number, in \"85%\" at byte 0; a whole number from -2147483648 to 2147483647, without a unit",
    ),
    (
        &[(MAX_AGE, "-1s")],
        "--maximum-image-gc-age: imageMaximumGCAge -1s must not be negative, in \"-1s\" at byte \
         0; write 0s to switch it off",
    ),
    (
        &[(MAX_AGE, "2m")],
        "--maximum-image-gc-age: imageMaximumGCAge 2m0s must be greater than imageMinimumGCAge \
         2m0s, in \"2m\" at byte 0; write more than 2m0s, or 0s to switch it off",
    ),
    (
        &[(DEAD_AGE, "-1s")],
        "--minimum-container-ttl-duration: invalid minimum garbage collection age: -1s, in \
         \"-1s\" at byte 0; write 0s or more",
    ),
    (
        &[("keep-image", "")],
        "--keep-image: an empty pattern matches no image, in \"\" at byte 0; a name as \
         docker image ls prints it, with * and ?: redis, quay.io/me/*",
    ),
    (
        &[("keep-image", "busy box")],
        "--keep-image: no image's name holds this character, in \"busy box\" at byte 4; a name \
         as docker image ls prints it, with * and ?: redis, quay.io/me/*",
    ),
];

/// Decision D61: the kubelet's words, then what would be right.
#[test]
fn wrong_collection_settings_are_told_in_the_kubelets_words() {
    for (given, expected) in WRONG {
        let error = resolve(&typed(given)).unwrap_err();
        assert_eq!(error.to_string(), *expected);
    }
}

#[test]
fn what_is_no_socket_is_told() {
    let long = format!("/{}", "a".repeat(107));
    for (text, at, problem) in [
        ("tcp://127.0.0.1:2375", 0, "protocol \"tcp\" not supported"),
        ("npipe:////./pipe/x", 0, "protocol \"npipe\" not supported"),
        (
            "unix:///a,run/b",
            10,
            "this is neither a URL nor an absolute path",
        ),
        ("unix://run/b", 0, "the path of the socket is not absolute"),
        ("/a\0", 0, "a path cannot hold a NUL byte"),
        (&long, 0, "the path of a socket has at most 107 bytes"),
    ] {
        let error = resolve(&typed(&[(ENDPOINT, text)])).unwrap_err();
        assert_eq!((&*error.message, error.position), (problem, at), "{text}");
        assert_eq!(
            error.hint,
            "the socket of a container runtime: unix:///run/containerd/containerd.sock; an empty \
             text asks none"
        );
    }
}

/// Decision D56.
#[test]
fn pressure_before_collection_is_odd() {
    let hard: &[(&str, &str)] = &[(HARD, "imagefs.available<20%"), (MERGE, "1")];
    for (given, odd) in [
        (&[][..], false),
        (&[(HIGH, "86")], true),
        (&[(HIGH, "84"), (LOW, "1")], false),
        (&[(HIGH, "100")], false),
        (hard, true),
    ] {
        let warnings = resolved(given).warnings;
        let found = |w: &Warning| w.to_string().contains("where images are collected");
        assert_eq!(warnings.iter().any(found), odd, "{given:?}");
    }
    let told = resolved(&[(HIGH, "90")]).warnings;
    assert_eq!(
        told[0].to_string(),
        "threshold imagefs.available<15% is met before 90% are used, where images are collected: \
         the filesystem is under pressure first (--image-gc-high-threshold)"
    );
}

/// As in the kubelet, which counts with it as with none.
#[test]
fn a_negative_hold_is_none() {
    let held = resolved(&[(TRANSITION, "-5m")]);
    assert_eq!(held.evict.transition_period, Duration::ZERO);
    assert_eq!(
        held.warnings[0].to_string(),
        "--eviction-pressure-transition-period: -5m0s is negative and counts as 0s"
    );
}

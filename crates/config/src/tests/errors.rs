use evictd_node::Signal;

use super::*;

fn error(given: &[(&str, &str)]) -> String {
    resolve(&typed(given)).unwrap_err().to_string()
}

const SIGNALS: &str = "signals are memory.available, nodefs.available, nodefs.inodesFree, \
                       imagefs.available, imagefs.inodesFree, pid.available, swap.available, \
                       memory.stall";

/// Decision D17: evictd's own signal.
#[test]
fn the_kubelet_has_no_swap_signal() {
    let swap = (HARD, "memory.available<1Gi, swap.available<64Mi");
    assert_eq!(
        error(&[swap, ("compat", "kubelet")]),
        "--eviction-hard: unsupported eviction signal swap.available, in \
         \"swap.available<64Mi\" at byte 22; the kubelet has no swap.available: leave out \
         --compat=kubelet"
    );
    let resolved = resolve(&typed(&[swap])).unwrap();
    let own = resolved.evict.thresholds.iter();
    assert!(
        own.map(ToString::to_string)
            .any(|t| t == "swap.available<64Mi")
    );
    let defaults = resolve(&typed(&[])).unwrap().evict.thresholds;
    assert!(!defaults.iter().any(|t| t.signal == Signal::SwapAvailable));
}

/// Acceptance row 306.
#[test]
fn the_kubelet_has_no_signal_of_lost_time() {
    let stall = (HARD, "memory.stall>40%");
    assert!(error(&[stall, ("compat", "kubelet")]).contains("malformed pair"));
    let resolved = resolve(&typed(&[stall])).unwrap();
    let found = resolved.evict.thresholds.iter().map(ToString::to_string);
    assert_eq!(found.collect::<Vec<_>>(), ["memory.stall>40%"]);
    let by_default = |compat| {
        let settings = resolve(&typed(&[("compat", compat)])).unwrap();
        let thresholds = settings.evict.thresholds.into_iter();
        thresholds
            .filter(|of| of.signal == Signal::MemoryStall)
            .count()
    };
    assert_eq!(by_default("evictd"), 1);
    for kubelet in ["kubelet", "kubelet-1.32", "kubelet-1.37"] {
        assert_eq!(by_default(kubelet), 0, "{kubelet}");
    }
}

/// Acceptance row 447: by an estimate nobody is evicted who did not ask for it.
#[test]
fn a_kernel_that_does_not_count_lost_time_has_no_default_of_it() {
    let merge = ("merge-default-eviction-settings", "true");
    for (given, expected, told) in [
        (&[][..], 0, true),
        (&[(HARD, "memory.available<1Gi"), merge], 0, true),
        (&[(HARD, "memory.available<1Gi")], 0, false),
        (&[(HARD, "memory.stall>40%")], 1, false),
        (&[("compat", "kubelet")], 0, false),
    ] {
        let mut settings = resolve(&typed(given)).unwrap();
        let others = settings.evict.thresholds.clone();
        let others = others.iter().filter(|of| of.signal != Signal::MemoryStall);
        settings.leave_lost_time_out();
        let thresholds = &settings.evict.thresholds;
        assert_eq!(thresholds.len(), others.count() + expected, "{given:?}");
        assert_eq!(thresholds.len(), settings.threshold_origins.len());
        let mut warnings = settings.warnings.iter().map(ToString::to_string);
        assert_eq!(warnings.any(|of| of.contains("psi=1")), told, "{given:?}");
        let mut defaults = settings.default_hard().into_iter();
        let is_default = defaults.any(|(signal, _)| signal == Signal::MemoryStall);
        assert_eq!(
            is_default,
            !told && given != [("compat", "kubelet")],
            "{given:?}"
        );
    }
}

const THRESHOLD_ERRORS: &[(&[(&str, &str)], &str)] = &[
    (
        &[(HARD, "nodefs.available<10%, memroy.available<1Gi")],
        "--eviction-hard: unsupported eviction signal memroy.available, in \
             \"memroy.available<1Gi\" at byte 22; did you mean memory.available? SIGNALS",
    ),
    (
        &[(HARD, "disk.available<10%")],
        "--eviction-hard: unsupported eviction signal disk.available, in \"disk.available<10%\" \
             at byte 0; a disk is nodefs (of pods and logs) or imagefs (of images and \
             containers): nodefs.available, imagefs.available; SIGNALS",
    ),
    (
        &[(HARD, "memory.available<1Gi"), (HARD, "x<1")],
        "--eviction-hard: unsupported eviction signal x, in \"x<1\" at byte 21; SIGNALS",
    ),
    (
        &[(HARD, "memory.available>1Gi")],
        "--eviction-hard: malformed pair, expect string<string, in \"memory.available>1Gi\" \
             at byte 0; write signal<amount, as in memory.available<100Mi or \
             nodefs.available<10%; there is no other operator than <",
    ),
    (
        &[(HARD, "memory.available< 1gb")],
        "--eviction-hard: not an amount, in \"memory.available<1gb\" at byte 19; an amount is a \
             number, alone or with Ki Mi Gi Ti or k M G T: 100Mi, 1.5Gi; or a percentage: 10%",
    ),
    (
        &[(HARD, "memory.available<0")],
        "--eviction-hard: eviction threshold memory.available must be positive: 0, in \
             \"memory.available<0\" at byte 17; write more than 0; to switch the signal off, 0%",
    ),
    (
        &[(HARD, "memory.available<101%")],
        "--eviction-hard: eviction percentage threshold memory.available must be <= 100%: \
             101%, in \"memory.available<101%\" at byte 17; a percentage is a number from 0 to 100 \
             with % behind it: 10%; 0% switches the signal off",
    ),
    (
        &[
            (SOFT, "memory.available<1Gi"),
            (GRACE, "memory.available=-1m"),
        ],
        "--eviction-soft-grace-period: invalid eviction grace period specified: -1m, must be a \
             positive value, in \"memory.available=-1m\" at byte 17; write 0s or more",
    ),
    (
        &[(GRACE, "memory.available=1x")],
        "--eviction-soft-grace-period: unknown unit \"x\" in duration \"1x\", in \
             \"memory.available=1x\" at byte 18; a duration is numbers with units h m s ms us ns: \
             1m30s, 500ms",
    ),
    (
        &[(RECLAIM, "memory.available=-1")],
        "--eviction-minimum-reclaim: negative eviction minimum reclaim specified for \
             memory.available, in \"memory.available=-1\" at byte 17; write 0 or more",
    ),
    (
        &[(RECLAIM, "memory.available=0%")],
        "--eviction-minimum-reclaim: eviction percentage minimum reclaim memory.available must \
             be positive: 0%, in \"memory.available=0%\" at byte 17; write more than 0%, or leave \
             the signal out",
    ),
];

/// Decision D28: the kubelet's words, then the place and what would be right.
#[test]
fn threshold_errors_name_flag_text_byte_and_remedy() {
    for (given, expected) in THRESHOLD_ERRORS {
        assert_eq!(error(given), expected.replace("SIGNALS", SIGNALS));
    }
}

/// Acceptance row 155, decision D13: the design proposal's own disk example.
#[test]
fn the_proposals_disk_example_names_every_grace_it_lacks() {
    let message = error(&[
        (
            HARD,
            "nodefs.available<1Gi,nodefs.inodesFree<1,imagefs.available<10Gi,imagefs.inodesFree<10",
        ),
        (
            SOFT,
            "nodefs.available<1.5Gi,nodefs.inodesFree<10,imagefs.available<20Gi,\
             imagefs.inodesFree<100",
        ),
        (GRACE, "nodefs.available=1m,imagefs.available=2m"),
    ]);
    assert_eq!(
        message,
        "--eviction-soft: grace period must be specified for the soft eviction threshold \
         nodefs.inodesFree, in \"nodefs.inodesFree<10\" at byte 23; add \
         nodefs.inodesFree=1m30s,imagefs.inodesFree=1m30s (or other durations) to \
         --eviction-soft-grace-period"
    );
}

const OTHER_ERRORS: &[(&str, &str, &str)] = &[
    (
        "dry-run",
        "yes",
        "--dry-run: \"yes\" is neither true nor false, in \"yes\" at byte 0; write true or \
             false",
    ),
    (
        "housekeeping-interval",
        "99ms",
        "--housekeeping-interval: 99ms is below the least, 100ms, in \"99ms\" at byte 0; write \
             100ms or more",
    ),
    (
        "node-status-update-frequency",
        "10",
        "--node-status-update-frequency: missing unit in duration \"10\", in \"10\" at \
             byte 2; a duration is numbers with units h m s ms us ns: 1m30s, 500ms",
    ),
    (
        "eviction-max-pod-grace-period",
        "30s",
        "--eviction-max-pod-grace-period: \"30s\" is not a whole number, \
             in \"30s\" at byte 0; a whole number from -2147483648 to 2147483647, without a unit",
    ),
    (
        "system-reserved",
        "cpu=1,memroy=1Gi",
        "--system-reserved: cannot reserve \"memroy\" resource, in \"memroy=1Gi\" at byte 6; \
             did you mean memory? resources are cpu, memory, ephemeral-storage, pid",
    ),
    (
        "kube-reserved",
        "memory=-1Gi",
        "--kube-reserved: resource quantity for \"memory\" cannot be negative: -1Gi, in \
             \"memory=-1Gi\" at byte 0; write 0 or more",
    ),
    (
        "kube-reserved",
        "memory",
        "--kube-reserved: malformed pair, expect string=string, in \"memory\" at byte 0; write \
             resource=quantity, as in memory=1.5Gi,cpu=200m",
    ),
    (
        ENFORCE,
        "pods,none",
        "--enforce-node-allocatable: enforceNodeAllocatable (--enforce-node-allocatable) may \
             not contain additional enforcements when \"none\" is specified, in \"none\" at byte \
             5; evictd takes pods, or none",
    ),
    (
        ENFORCE,
        "pods,pods",
        "--enforce-node-allocatable: duplicated enforcements \"pods\" in \
             enforceNodeAllocatable (--enforce-node-allocatable), in \"pods\" at byte 5; evictd \
             takes pods, or none",
    ),
    (
        "pod-cgroup-root",
        "a/../b",
        "--pod-cgroup-root: a cgroup cannot be named \"..\", in \"a/../b\" at byte 2; the \
             cgroup's path from the root of the hierarchies: system.slice, or /pods",
    ),
    (
        "pod-cgroup-root",
        "",
        "--pod-cgroup-root: a cgroup has a name; / stands for the root, in \"\" at byte \
             0; the cgroup's path from the root of the hierarchies: system.slice, or /pods",
    ),
    (
        LOW_DISK,
        "0",
        "--low-diskspace-threshold-mb: \"0\" is out of range, in \
             \"0\" at byte 0; a whole number from 1 to 2147483647, without a unit",
    ),
];

#[test]
fn other_errors_name_flag_text_byte_and_remedy() {
    for (field, text, expected) in OTHER_ERRORS {
        assert_eq!(error(&[(*field, text)]), *expected, "{text}");
    }
}

#[test]
fn integers_follow_gos_grammar() {
    for bad in [
        "", "+", "-", "1_", "_1", "1__0", "0x", "0x_", "08", "0b2", "1e3", " 1", "--1",
    ] {
        let message = error(&[("eviction-max-pod-grace-period", bad)]);
        assert!(message.contains("not a whole number"), "{bad:?}: {message}");
    }
    for large in ["2147483648", "99999999999999999999999999999999999999999999"] {
        let message = error(&[("eviction-max-pod-grace-period", large)]);
        assert!(message.contains("out of range"), "{large:?}: {message}");
    }
}

#[test]
fn a_message_is_one_line_whatever_was_typed() {
    let message = error(&[(HARD, "a\nb\u{1b}[31m<1")]);
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.contains("signal a\\nb"), "{message:?}");
}

#[test]
fn a_directory_to_delete_in_is_named_in_full() {
    let logs: &str = "pod-logs-dir";
    for (text, problem) in [
        ("var/log", "the path is not absolute"),
        ("/var/../etc", "the path leads up"),
        ("/", "the root holds the whole machine"),
        ("//./", "the root holds the whole machine"),
    ] {
        let expected = format!(
            "--pod-logs-dir: {problem}, in {text:?} at byte 0; an absolute path without .. in \
             it, below /"
        );
        assert_eq!(error(&[(logs, text)]), expected);
    }
}

/// Of several errors the one told is always the same, however they were typed.
#[test]
fn the_first_error_is_told() {
    for (given, expected) in [
        ([("dry-run", "x"), (COMPAT, "x")], "--compat: "),
        ([("v", "x"), ("dry-run", "x")], "--dry-run: "),
        ([(HARD, "x"), ("v", "x")], "--v: "),
        ([(TRANSITION, "x"), (OLD_TRANSITION, "x")], "--outofdisk-"),
    ] {
        let message = error(&given);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn what_is_no_flag_is_not_added() {
    let mut typed = Typed::default();
    assert!(!typed.add("eviction_hard", "x"));
    assert!(!typed.add("", "x"));
    assert_eq!(typed, Typed::default());
}

/// Acceptance row 193: words of Go's libraries only where the kubelet's are asked for.
#[test]
fn the_kubelets_own_words_come_with_its_behaviour() {
    for (flag, text, words) in [
        (
            "dry-run",
            "yes",
            "strconv.ParseBool: parsing \"yes\": invalid syntax",
        ),
        ("v", "x", "strconv.ParseInt: parsing \"x\": invalid syntax"),
        (
            GRACE,
            "memory.available=1x",
            "time: unknown unit \"x\" in duration \"1x\"",
        ),
        (
            HARD,
            "memory.available<x%",
            "strconv.ParseFloat: parsing \"x\": invalid syntax",
        ),
    ] {
        let plain = resolve(&typed(&[(flag, text)])).unwrap_err();
        assert!(!plain.message.contains("strconv") && !plain.message.contains("time:"));
        let kubelets = resolve(&typed(&[(flag, text), (COMPAT, "kubelet")])).unwrap_err();
        assert_eq!(kubelets.message, words);
    }
}

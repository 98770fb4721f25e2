use core::time::Duration;

use super::*;

const DEFAULTS: &str = "memory.available<100Mi nodefs.available<10% nodefs.inodesFree<5% \
                        imagefs.available<15% imagefs.inodesFree<5% memory.stall>40%";

/// The thresholds but the copies for the pods' cgroup.
fn thresholds(given: &[(&str, &str)]) -> String {
    let resolved = resolved(given);
    let origins = resolved.threshold_origins.iter();
    let pairs = resolved.evict.thresholds.iter().zip(origins);
    let shown: Vec<String> = pairs
        .filter(|(_, origin)| **origin != Origin::Derived)
        .map(|(threshold, _)| threshold.to_string())
        .collect();
    shown.join(" ")
}

/// Rows 41 to 46 and 60 to 64, decisions D12, D22, D23, D26, D27.
#[test]
fn threshold_lists_follow_the_kubelets_flags() {
    for (given, expected) in [
        (&[][..], DEFAULTS),
        (&[(HARD, "")], ""),
        (&[(HARD, "memory.available<1Gi")], "memory.available<1Gi"),
        (
            &[(HARD, "memory.available<1Gi"), (HARD, "pid.available<5%")],
            "memory.available<1Gi pid.available<5%",
        ),
        (
            &[
                (HARD, "memory.available<1Gi"),
                (HARD, "memory.available<2Gi"),
            ],
            "memory.available<2Gi",
        ),
        (
            &[(HARD, " memory.available < 10% ,,")],
            "memory.available<10%",
        ),
        (&[(HARD, "memory.available<0%,nodefs.available<100%")], ""),
        (
            &[(HARD, "memory.available<1Gi"), (MERGE, "true")],
            "memory.available<1Gi nodefs.available<10% nodefs.inodesFree<5% \
             imagefs.available<15% imagefs.inodesFree<5% memory.stall>40%",
        ),
        (
            &[(HARD, "nodefs.available<0%"), (MERGE, "t")],
            "memory.available<100Mi nodefs.inodesFree<5% imagefs.available<15% \
             imagefs.inodesFree<5% memory.stall>40%",
        ),
        (&[(HARD, ""), (MERGE, "1")], DEFAULTS),
        (
            &[
                (HARD, ""),
                (SOFT, "memory.available<1.5Gi"),
                (GRACE, "memory.available=30s"),
            ],
            "memory.available<1536Mi",
        ),
        (
            &[(LOW_DISK, "256")],
            "nodefs.available<256Mi memory.available<100Mi nodefs.inodesFree<5% \
             imagefs.available<15% imagefs.inodesFree<5% memory.stall>40%",
        ),
        (
            &[(HARD, "memory.available<1Gi"), (LOW_DISK, "256")],
            "memory.available<1Gi nodefs.available<256Mi",
        ),
        (
            &[(HARD, "nodefs.available<1Gi"), (LOW_DISK, "256")],
            "nodefs.available<1Gi",
        ),
    ] {
        assert_eq!(thresholds(given), expected, "{expected}");
    }
}

/// Rows 148 and 152: the sources' own examples.
#[test]
fn the_sources_examples_are_taken() {
    let two_levels = resolved(&[
        (HARD, "memory.available<.5Gi"),
        (SOFT, "memory.available<1Gi"),
        (GRACE, "memory.available=30s"),
        ("system-reserved", "memory=2Gi"),
        (ENFORCE, "none"),
    ]);
    let [hard, soft] = &two_levels.evict.thresholds[..] else {
        panic!("two thresholds")
    };
    assert_eq!(
        (hard.value.to_string(), hard.is_hard()),
        ("512Mi".into(), true)
    );
    assert_eq!(soft.grace.to_string(), "30s");
    assert_eq!(
        two_levels.node_allocatable.system_reserved.to_string(),
        "memory=2Gi"
    );
    let kept = resolved(&[("system-reserved", "memory=1.5Gi")]);
    let memory = kept
        .node_allocatable
        .system_reserved
        .get("memory")
        .map(|memory| memory.value());
    assert_eq!(memory, Some(1_610_612_736));
}

#[test]
fn every_threshold_has_its_origin() {
    let resolved = resolved(&[
        (HARD, "pid.available<5%"),
        (MERGE, "true"),
        (LOW_DISK, "10"),
        (SOFT, "memory.available<1Gi,nodefs.available<0%"),
        (GRACE, "memory.available=0s,nodefs.available=1m"),
    ]);
    let evict = &resolved.evict;
    assert_eq!(evict.thresholds.len(), resolved.threshold_origins.len());
    let pairs = evict.thresholds.iter().zip(&resolved.threshold_origins);
    let shown: Vec<String> = pairs
        .map(|(threshold, origin)| format!("{} {origin:?}", threshold.signal))
        .collect();
    assert_eq!(
        shown,
        [
            "pid.available Flag(\"eviction-hard\")",
            "nodefs.available Flag(\"low-diskspace-threshold-mb\")",
            "memory.available Default",
            "nodefs.inodesFree Default",
            "imagefs.available Default",
            "imagefs.inodesFree Default",
            "memory.stall Default",
            "memory.available Flag(\"eviction-soft\")",
            // The soft one has no grace, so it counts as hard and is copied too.
            "allocatableMemory.available Derived",
            "allocatableMemory.available Derived",
        ]
    );
}

/// The table of flags says what holds without each; so must the settings.
#[test]
fn defaults_are_those_that_the_help_tells() {
    let resolved = resolved(&[]);
    assert_eq!(resolved.warnings, []);
    let shown: Vec<(&str, &str)> = resolved
        .settings
        .iter()
        .filter(|setting| setting.is_listed() && !setting.name.starts_with("compat="))
        .map(|setting| (setting.name, setting.value.as_str()))
        .collect();
    let lists = [
        "eviction-hard",
        "eviction-soft",
        "eviction-soft-grace-period",
        "eviction-minimum-reclaim",
    ];
    let told: Vec<(&str, &str)> = Flag::all()
        .filter(|flag| !lists.contains(&flag.name))
        .map(|flag| (flag.name, flag.default))
        .collect();
    assert_eq!(shown, told);
    assert!(
        resolved
            .settings
            .iter()
            .all(|s| s.origin == Origin::Default)
    );
    let hard = Flag::find("eviction-hard").map_or("", |flag| flag.default);
    assert_eq!(hard.replace(',', " "), DEFAULTS);
}

/// The issue tracker's name and the kubelet's are one flag.
#[test]
fn the_log_format_has_two_names() {
    for name in ["logging-format", "log-format"] {
        let mut typed = Typed::default();
        assert!(typed.add(name, "json"));
        let resolved = resolve(&typed).unwrap();
        assert_eq!(resolved.output.log_format, LogFormat::Json);
        assert_eq!(typed.get("logging-format"), ["json"]);
    }
}

/// Every example works as it stands.
#[test]
fn examples_of_all_flags_are_right() {
    for flag in Flag::known() {
        let mut typed = Typed::default();
        assert!(typed.add(flag.name, flag.example));
        if flag.name == "eviction-soft" {
            assert!(typed.add(GRACE, "memory.available=1m30s"));
        }
        let resolved = resolve(&typed);
        assert!(resolved.is_ok(), "{}: {resolved:?}", flag.name);
    }
}

/// The value of a setting with one flag given.
fn setting(flag: &'static str, text: &str) -> String {
    let resolved = resolved(&[(flag, "of no account"), (flag, text)]);
    let setting = resolved
        .settings
        .into_iter()
        .find(|s| s.name == flag)
        .unwrap();
    assert_eq!(setting.origin, Origin::Flag(flag));
    setting.value
}

#[test]
fn scalars_read_as_in_go_and_the_last_counts() {
    for (flag, text, expected) in [
        ("dry-run", "T", "true"),
        ("dry-run", "False", "false"),
        ("eviction-max-pod-grace-period", "-1", "-1"),
        ("eviction-max-pod-grace-period", "0x10", "16"),
        ("eviction-max-pod-grace-period", "010", "8"),
        ("eviction-max-pod-grace-period", "0_7", "7"),
        ("eviction-max-pod-grace-period", "+1_000", "1000"),
        ("eviction-max-pod-grace-period", "0b11", "3"),
        (
            "eviction-max-pod-grace-period",
            "-2147483648",
            "-2147483648",
        ),
        ("housekeeping-interval", "100ms", "100ms"),
        ("housekeeping-interval", "1.5h", "1h30m0s"),
        ("eviction-pressure-transition-period", "0", "0s"),
        ("memory-available-source", "min", "min"),
        ("v", "9", "9"),
        ("nodefs-path", "/data", "/data"),
        ("imagefs-path", "", ""),
    ] {
        assert_eq!(setting(flag, text), expected, "--{flag}={text}");
    }
}

/// Decision D12.
#[test]
fn an_old_flag_counts_where_the_new_one_is_not_given() {
    let old = resolved(&[(OLD_TRANSITION, "30s")]);
    assert_eq!(old.evict.transition_period, Duration::from_secs(30));
    let both = resolved(&[(OLD_TRANSITION, "30s"), (TRANSITION, "1m")]);
    assert_eq!(both.evict.transition_period, Duration::from_secs(60));
}

#[test]
fn cgroups_and_enforcement() {
    let roots = resolved(&[
        ("pod-cgroup-root", "/system.slice/"),
        ("pod-cgroup-root", "pods//edge"),
    ]);
    let roots: Vec<String> = roots
        .pods
        .cgroup_roots
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    assert_eq!(roots, ["system.slice", "pods/edge"]);
    for (text, pods) in [("pods", true), ("none", false), ("", false)] {
        assert_eq!(
            resolved(&[(ENFORCE, text)]).node_allocatable.enforce_pods,
            pods,
            "{text:?}"
        );
    }
}

/// What may be deleted in has to be named.
#[test]
fn only_a_named_directory_is_deletable() {
    let logs: &str = "pod-logs-dir";
    let root: &str = "root-dir";
    for (given, expected) in [
        (&[][..], None),
        (&[(logs, "/var/log/pods")], Some("/var/log/pods")),
        (&[(logs, "/data/logs/")], Some("/data/logs/")),
        (&[(logs, "")], None),
        (&[(logs, "/a"), (logs, "")], None),
        (&[(root, "/data")], None),
    ] {
        let resolved = resolved(given);
        let deletable = resolved.paths.pod_logs_dir.deletable();
        assert_eq!(deletable, expected.map(std::path::Path::new));
        assert!(resolved.paths.pod_logs_dir.path.is_absolute());
    }
}

/// The kubelet's nodefs is the filesystem of its root directory.
#[test]
fn nodefs_follows_the_root_directory() {
    let root: &str = "root-dir";
    let nodefs: &str = "nodefs-path";
    for (given, expected) in [
        (&[][..], "/var/lib/kubelet"),
        (&[(root, "/data")], "/data"),
        (&[(root, "/data"), (nodefs, "/disk")], "/disk"),
    ] {
        let path = resolved(given).paths.nodefs;
        assert_eq!(path, std::path::Path::new(expected));
    }
}

/// Acceptance row 315: sessions beside the services of an init system, or alone.
#[test]
fn managers_and_sessions_are_told_apart() {
    let given = |text: &str| {
        let resolved = resolved(&[("pods-of", text)]);
        (resolved.pods.of_services, resolved.pods.of_sessions)
    };
    assert_eq!(given(""), (None, false));
    assert_eq!(given("openrc"), (Some(crate::PodsOf::Openrc), false));
    assert_eq!(given("sessions"), (None, true));
    assert_eq!(
        given("systemd,sessions"),
        (Some(crate::PodsOf::Systemd), true)
    );
    assert_eq!(
        given("sessions,systemd"),
        (Some(crate::PodsOf::Systemd), true)
    );
    for wrong in ["systemd,openrc", "session", "systemd sessions"] {
        assert!(resolve(&typed(&[("pods-of", wrong)])).is_err(), "{wrong}");
    }
}

/// Acceptance row 316.
#[test]
fn names_that_no_service_has_are_refused() {
    let names = |text: &str| resolved(&[("keep-alive", text)]).memory.keep_alive;
    assert_eq!(names(""), [""; 0]);
    assert_eq!(names("sshd,getty"), ["sshd", "getty"]);
    assert_eq!(names("sshd,,my-agent@*"), ["sshd", "my-agent@*"]);
    for wrong in ["../etc", "sshd getty", "a/b", "sshd\n"] {
        assert!(
            resolve(&typed(&[("keep-alive", wrong)])).is_err(),
            "{wrong}"
        );
    }
}

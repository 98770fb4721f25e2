//! Settings by a KubeletConfiguration.

use core::time::Duration;
use std::path::{Path, PathBuf};

use super::*;

const NAME: &str = "/etc/node.yaml";
pub(super) const HEADER: &str =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

/// The settings by a file with these lines below the header, and by flags.
fn by(flags: &[(&str, &str)], lines: &str) -> Result<Resolved, Box<ConfigError>> {
    let mut typed = typed(flags);
    typed.add_file(NAME, format!("{HEADER}{lines}").as_bytes())?;
    resolve(&typed)
}

fn by_file(lines: &str) -> Resolved {
    by(&[], lines).unwrap()
}

fn error(lines: &str) -> String {
    by(&[], lines).unwrap_err().to_string()
}

pub(super) fn thresholds(resolved: &Resolved) -> Vec<String> {
    let pairs = resolved.evict.thresholds.iter();
    let pairs = pairs.zip(&resolved.threshold_origins);
    pairs
        .filter(|(_, origin)| **origin != Origin::Derived)
        .map(|(threshold, origin)| format!("{threshold} {origin:?}"))
        .collect()
}

const SAMPLE: &str = r#"evictionHard:
  memory.available: "500Mi"
  nodefs.available: "1Gi"
  imagefs.available: "100Gi"
evictionMinimumReclaim:
  memory.available: "0Mi"
  nodefs.available: "500Mi"
  imagefs.available: "2Gi"
"#;

/// Rows 121, 122, 135 and 136: the page's sample, to the byte.
#[test]
fn the_sample_configuration_is_taken() {
    let gibibytes = |amount: i64| amount << 30;
    let machine = Machine::default();
    let resolved = by_file(SAMPLE);
    let effective = effective(&resolved, &machine);
    let shown: Vec<(String, Option<i64>, Option<i64>)> = effective
        .thresholds
        .iter()
        .filter(|threshold| threshold.origin == Origin::File("evictionHard"))
        .map(|t| (t.signal.name().to_owned(), t.amount, t.clear_at))
        .collect();
    let mebibytes_500 = Some(500 << 20);
    assert_eq!(
        shown,
        [
            ("memory.available".to_owned(), mebibytes_500, mebibytes_500),
            (
                "nodefs.available".to_owned(),
                Some(gibibytes(1)),
                Some(gibibytes(1) + (500 << 20))
            ),
            (
                "imagefs.available".to_owned(),
                Some(gibibytes(100)),
                Some(gibibytes(102))
            ),
        ]
    );
}

/// YAML and JSON say the same.
#[test]
fn a_file_may_be_json() {
    let json = r#"{"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "evictionHard": {"memory.available": "500Mi"}, "evictionSoft": null,
        "imageGCHighThresholdPercent": 90}"#;
    let mut typed = Typed::default();
    typed.add_file(NAME, json.as_bytes()).unwrap();
    let resolved = resolve(&typed).unwrap();
    assert_eq!(
        thresholds(&resolved),
        ["memory.available<500Mi File(\"evictionHard\")"]
    );
    assert_eq!(resolved.gc.images.policy.high_percent, 90);
}

const EVERYTHING: &str = r"
evictionHard: {memory.available: 10%}
evictionSoft: {memory.available: 1.5Gi}
evictionSoftGracePeriod: {memory.available: 1m30s}
evictionMinimumReclaim: {memory.available: 1%}
mergeDefaultEvictionSettings: true
evictionMaxPodGracePeriod: 60
evictionPressureTransitionPeriod: 30s
localStorageCapacityIsolation: no
nodeStatusUpdateFrequency: 1m
kernelMemcgNotification: true
staticPodPath: /etc/kubernetes/manifests
podLogsDir: /data/logs
systemReserved: {memory: 1.5Gi, cpu: 200m}
kubeReserved: {memory: 256Mi}
enforceNodeAllocatable: [none]
containerRuntimeEndpoint: unix:///run/crio/crio.sock
imageGCHighThresholdPercent: 70
imageGCLowThresholdPercent: 60
imageMinimumGCAge: 1h
imageMaximumGCAge: 168h
featureGates: {HugepageAwareEviction: false, Whatever: true}
logging: {verbosity: 3, format: json}
";

/// Each field does what its flag does.
#[test]
fn every_field_with_a_flag_counts() {
    let resolved = by_file(EVERYTHING);
    assert_eq!(
        thresholds(&resolved),
        [
            "memory.available<10% File(\"evictionHard\")",
            "nodefs.available<10% Default",
            "nodefs.inodesFree<5% Default",
            "imagefs.available<15% Default",
            "imagefs.inodesFree<5% Default",
            "memory.stall>40% Default",
            "memory.available<1536Mi File(\"evictionSoft\")",
        ]
    );
    let by_file = resolved.settings.iter();
    let by_file = by_file.filter(|setting| matches!(setting.origin, Origin::File(_)));
    let shown: Vec<String> = by_file
        .map(|setting| format!("{}={}", setting.name, setting.value))
        .collect();
    assert_eq!(
        shown,
        [
            "merge-default-eviction-settings=true",
            "eviction-max-pod-grace-period=60",
            "eviction-pressure-transition-period=30s",
            "compat=no-hugepage-aware=true",
            "pod-manifest-path=/etc/kubernetes/manifests",
            "pod-logs-dir=/data/logs",
            "system-reserved=cpu=200m,memory=1536Mi",
            "container-runtime-endpoint=unix:///run/crio/crio.sock",
            "image-gc-high-threshold=70",
            "image-gc-low-threshold=60",
            "minimum-image-ttl-duration=1h0m0s",
            "maximum-image-gc-age=168h0m0s",
            "v=3",
            "logging-format=json",
            "local-storage-capacity-isolation=false",
            "kube-reserved=memory=256Mi",
            "enforce-node-allocatable=none",
            "node-status-update-frequency=1m0s",
            "kernel-memcg-notification=true",
        ]
    );
    // It was named, so it may be deleted in.
    assert_eq!(
        resolved.paths.pod_logs_dir.deletable(),
        Some(Path::new("/data/logs"))
    );
}

/// Flags win, whole lists at once, given before or after.
#[test]
fn flags_beat_the_file() {
    let resolved = by(
        &[
            (HARD, "nodefs.available<5%"),
            ("image-gc-low-threshold", "10"),
            (OLD_TRANSITION, "7s"),
        ],
        EVERYTHING,
    )
    .unwrap();
    assert_eq!(
        thresholds(&resolved)[0],
        "nodefs.available<5% Flag(\"eviction-hard\")"
    );
    assert_eq!(thresholds(&resolved)[1], "memory.available<100Mi Default");
    assert_eq!(resolved.gc.images.policy.low_percent, 10);
    assert_eq!(resolved.gc.images.policy.high_percent, 70);
    // An old flag is a flag all the same.
    assert_eq!(resolved.evict.transition_period, Duration::from_secs(7));
    let mut typed = Typed::default();
    let file = format!("{HEADER}evictionHard: {{memory.available: 1Gi}}\n");
    typed.add_file(NAME, file.as_bytes()).unwrap();
    assert!(typed.add(HARD, "pid.available<1%"));
    assert!(typed.add(HARD, "memory.available<1%"));
    assert_eq!(typed.get(HARD), ["pid.available<1%", "memory.available<1%"]);
    // What a flag replaces need not be right.
    assert!(by(&[("v", "1")], "logging: {verbosity: -1}").is_ok());
}

/// K: what is not there, null or zero is the default; an empty list is one.
#[test]
fn what_is_empty_is_as_in_the_kubelet() {
    let empty = "evictionHard:\nevictionSoft: {}\nevictionPressureTransitionPeriod: 0s\n\
                 imageMinimumGCAge: 0m\nnodeStatusUpdateFrequency: \"0\"\nstaticPodPath: \"\"\n\
                 podLogsDir: \"\"\ncontainerRuntimeEndpoint: \"\"\nlogging: {format: \"\"}\n";
    let resolved = by_file(empty);
    assert_eq!(thresholds(&resolved).len(), 6);
    assert_eq!(resolved.evict.transition_period, Duration::from_secs(300));
    assert_eq!(resolved.gc.images.policy.min_age, Duration::from_secs(120));
    assert_eq!(resolved.runtimes.endpoints, None::<Vec<PathBuf>>);
    assert_eq!(resolved.paths.pod_logs_dir.deletable(), None);
    assert!(resolved.node_allocatable.enforce_pods);
    let none = by_file("evictionHard: {}\nenforceNodeAllocatable: []\n");
    assert_eq!(thresholds(&none), [""; 0]);
    assert!(!none.node_allocatable.enforce_pods);
}

/// Decision D14: old documents write the period as a list of one.
#[test]
fn a_period_may_be_a_list_of_one() {
    let listed = by_file("evictionPressureTransitionPeriod:\n- 30s\n");
    assert_eq!(listed.evict.transition_period, Duration::from_secs(30));
    let message = error("evictionPressureTransitionPeriod: [30s, 1m]\n");
    assert!(
        message.contains("a list stands where a text belongs"),
        "{message}"
    );
}

#[test]
fn fields_without_use_are_passed_over() {
    let resolved = by_file(
        "maxPods: 20\nauthentication: {anonymous: {enabled: false}}\nclusterDNS: [10.0.0.10]\n\
         oomScoreAdj: -999\nnodeStatusMaxImages: -1\ncgroupDriver: systemd\nrunOnce: false\n\
         memoryThrottlingFactor: 0.9\nshutdownGracePeriod: 30s\n",
    );
    let line = "passed over, as evictd has no use for it: authentication, cgroupDriver, \
                clusterDNS, maxPods, memoryThrottlingFactor, runOnce, shutdownGracePeriod";
    assert_eq!(resolved.warnings[0].to_string(), line);
    assert_eq!(resolved.warnings.len(), 1);
    let resolved = by_file(
        "enforceNodeAllocatable: [pods, system-reserved, kube-reserved-compressible]\n\
         systemReservedCgroup: /system.slice\nkubeReservedCgroup: /kube.slice\n",
    );
    assert!(resolved.node_allocatable.enforce_pods);
    let warnings: Vec<String> = resolved.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings[0].starts_with("enforceNodeAllocatable: "));
    assert_eq!(
        warnings[1..],
        ["system-reserved", "kube-reserved-compressible"].map(|option| format!(
            "{option} of --enforce-node-allocatable is passed over: evictd leaves the cgroups of \
             system daemons alone"
        ))
    );
}

const WRONG: &[(&str, &str)] = &[
    (
        "maxPods: 5\nevictionHrad: {}\n",
        "/etc/node.yaml: line 4: evictionHrad: unknown field \
         \"evictionHrad\"; did you mean evictionHard? fields are those of KubeletConfiguration, \
         upper and lower case as there",
    ),
    (
        "evictionHard:\n  # memory.available: 1%\n  memory.available: 101%\n",
        "/etc/node.yaml: line 5: evictionHard[memory.available]: eviction percentage threshold \
         memory.available must be <= 100%: 101%, in \"memory.available<101%\"; a percentage is a \
         number from 0 to 100 with % behind it: 10%; 0% switches the signal off",
    ),
    (
        "evictionHard: {memory.available: 500}\n",
        "/etc/node.yaml: line 3: evictionHard[memory.available]: a number stands where a \
         text belongs, in \"500\"; write it in quotes, as in \"500Mi\"",
    ),
    (
        "evictionHard: {memory.available: \"1Gi,nodefs.available<1%\"}\n",
        "/etc/node.yaml: line 3: evictionHard[memory.available]: a blank, a comma or a sign that \
         cannot be part of it, in \"memory.available: 1Gi,nodefs.available<1%\"; write one entry a \
         line: memory.available: \"500Mi\"",
    ),
    (
        "evictionSoft: {memory.available: 1Gi}\n",
        "/etc/node.yaml: line 3: evictionSoft[memory.available]: grace period must be specified \
         for the soft eviction threshold memory.available, in \"memory.available<1Gi\"; add \
         memory.available=1m30s (or other durations) to evictionSoftGracePeriod",
    ),
    (
        "evictionHard: []\n",
        "/etc/node.yaml: line 3: evictionHard: a list stands where a mapping belongs; write a \
         mapping, as in memory.available: \"500Mi\"",
    ),
    (
        "imageGCHighThresholdPercent: 85%\n",
        "/etc/node.yaml: line 3: imageGCHighThresholdPercent: a text stands where a whole number \
         belongs, in \
         \"\\\"85%\\\"\"; write a whole number, without quotes or a unit",
    ),
    (
        "imageGCHighThresholdPercent: 80\n",
        "/etc/node.yaml: line 3: imageGCHighThresholdPercent: imageGCLowThresholdPercent \
         (--image-gc-low-threshold) 80 must be less than imageGCHighThresholdPercent \
         (--image-gc-high-threshold) 80, in \"80\"; images are deleted from the high one down to \
         the low one: give both",
    ),
    (
        "evictionPressureTransitionPeriod: 5\n",
        "/etc/node.yaml: line 3: evictionPressureTransitionPeriod: a number stands where a \
         text belongs, in \"5\"; write it in quotes, as in \"30s\"",
    ),
    (
        "evictionPressureTransitionPeriod: 5 m\n",
        "/etc/node.yaml: line 3: evictionPressureTransitionPeriod: unknown unit \" m\" in \
         duration \"5 m\", in \"5 m\"; a duration is numbers with units h m s ms us ns: 1m30s, \
         500ms",
    ),
    (
        "systemReserved: {memroy: 1Gi}\n",
        "/etc/node.yaml: line 3: systemReserved[memroy]: cannot reserve \"memroy\" resource, in \
         \"memroy=1Gi\"; did you mean memory? resources are cpu, memory, ephemeral-storage, pid",
    ),
    (
        "enforceNodeAllocatable: [pods, system-reserved]\n",
        "/etc/node.yaml: line 3: enforceNodeAllocatable: systemReservedCgroup \
         (--system-reserved-cgroup) must be specified when \"system-reserved\" or \
         \"system-reserved-compressible\" included in enforceNodeAllocatable \
         (--enforce-node-allocatable), in \"system-reserved\"; evictd takes pods, or none",
    ),
    (
        "oomScoreAdj: 1001\n",
        "/etc/node.yaml: line 3: oomScoreAdj: oomScoreAdj (--oom-score-adj) 1001 must be between \
         -1000 and 1000, inclusive, in \"1001\"; leave it out: evictd does not use it",
    ),
    (
        "imageMaximumGCAge: 24h\nfeatureGates:\n  ImageMaximumGCAge: false\n",
        "/etc/node.yaml: line 3: imageMaximumGCAge: ImageMaximumGCAge feature gate is required \
         for Kubelet configuration option imageMaximumGCAge, in \"24h\"; leave \
         featureGates[ImageMaximumGCAge] out, or write true there",
    ),
    (
        "featureGates:\n  HugepageAwareEviction: \"true\"\n",
        "/etc/node.yaml: line 4: featureGates[HugepageAwareEviction]: a text stands where \
         true or false belongs, in \"\\\"true\\\"\"; write true or false, without quotes",
    ),
    (
        "logging:\n  format: text\n  verbosity: -1\n",
        "/etc/node.yaml: line 5: logging[verbosity]: \"-1\" is out of range, in \"-1\"; a whole number from 0 to 2147483647, without a unit",
    ),
    (
        "logging: {format: yaml}\n",
        "/etc/node.yaml: line 3: logging[format]: unknown value \"yaml\", in \"yaml\"; values are \
         text, json",
    ),
    (
        "podLogsDir: logs\n",
        "/etc/node.yaml: line 3: podLogsDir: the path is not absolute, in \"logs\"; an absolute \
         path without .. in it, below /",
    ),
    (
        "containerRuntimeEndpoint: npipe:////./pipe/x\n",
        "/etc/node.yaml: line 3: containerRuntimeEndpoint: protocol \"npipe\" not supported, in \
         \"npipe:////./pipe/x\"; the socket of a container runtime: \
         unix:///run/containerd/containerd.sock; an empty text asks none",
    ),
    (
        "evictionHard: {}\nevictionHard: {}\n",
        "/etc/node.yaml: line 4, column 1: the key \"evictionHard\" is there twice; the file \
         is one mapping, YAML or JSON",
    ),
    (
        "a: b: c\n",
        "/etc/node.yaml: line 3, column 5: mapping values are not allowed in this context; the \
         file is one mapping, YAML or JSON",
    ),
];

/// File, line, field, text, and what would be right.
/// The kubelet's default of what is enforced goes with every other field.
#[test]
fn pods_are_enforced_by_default_whatever_else_is_set() {
    let resolved = by(&[], "cgroupsPerQOS: false\n").unwrap();
    assert!(resolved.node_allocatable.enforce_pods);
}

#[test]
fn errors_name_the_place_in_the_file() {
    for (lines, expected) in WRONG {
        assert_eq!(error(lines), *expected, "{lines}");
    }
    let error = by(&[], "evictionHrad: {}\n").unwrap_err();
    let place = error.place.unwrap();
    assert_eq!((&*place.file, place.line), (NAME, Some(3)));
    let error = by(&[(HARD, "x")], "maxPods: 1\n").unwrap_err();
    assert_eq!(error.place, None);
}

#[test]
fn what_is_no_configuration_is_told() {
    let hint = "; the file begins with apiVersion: kubelet.config.k8s.io/v1beta1 and kind: \
                KubeletConfiguration";
    for (text, problem) in [
        ("", "/etc/node.yaml: the file is empty"),
        ("---\n", "/etc/node.yaml: the file is empty"),
        ("[1]", "/etc/node.yaml: the file holds array, no mapping"),
        (
            "a: 1\n---\nb: 2\n",
            "/etc/node.yaml: the file holds more than one document",
        ),
        ("maxPods: 1\n", "/etc/node.yaml: kind: is missing"),
        (
            "kind: KubeletConfiguration\n",
            "/etc/node.yaml: apiVersion: is missing",
        ),
        (
            "apiVersion: v1\nkind: Pod\n",
            "/etc/node.yaml: line 1: apiVersion: \"Pod\" of \"v1\" is not known",
        ),
    ] {
        let error = Typed::default()
            .add_file(NAME, text.as_bytes())
            .unwrap_err();
        assert_eq!(error.to_string(), format!("{problem}{hint}"), "{text}");
    }
}

#[test]
fn a_message_about_a_file_is_one_line() {
    let lines = "\"maxPod\\u001b\\n\": 1\n";
    let file = format!("{HEADER}{lines}");
    let error = Typed::default()
        .add_file("a\nb", file.as_bytes())
        .unwrap_err();
    let message = error.to_string();
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// A mapping has no sign between signal and amount; each signal takes but one.
#[test]
fn lost_time_can_be_watched_by_a_file() {
    let resolved = by_file("evictionHard: {memory.stall: 40%, swap.available: 1Gi}\n");
    assert_eq!(
        thresholds(&resolved),
        [
            "memory.stall>40% File(\"evictionHard\")",
            "swap.available<1Gi File(\"evictionHard\")",
        ]
    );
    let error = by(
        &[("compat", "kubelet")],
        "evictionHard: {memory.stall: 40%}\n",
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("unsupported eviction signal memory.stall"),
        "{error}"
    );
}

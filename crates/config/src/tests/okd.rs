//! Settings by OKD's node configuration.

use core::time::Duration;

use super::*;

fn by_file(text: &str) -> Result<Resolved, Box<ConfigError>> {
    let mut typed = Typed::default();
    typed.add_file("node-config.yaml", text.as_bytes())?;
    resolve(&typed)
}

fn thresholds(text: &str) -> Vec<String> {
    let resolved = by_file(text).unwrap();
    let pairs = resolved.evict.thresholds.iter();
    let pairs = pairs.zip(&resolved.threshold_origins);
    let given = pairs.filter(|(_, origin)| **origin != Origin::Derived);
    given
        .map(|(threshold, _)| format!("{threshold} {}", threshold.grace))
        .collect()
}

/// Rows 137 and 139: the sample of a hard eviction.
#[test]
fn the_hard_sample_is_taken() {
    let sample = "kubeletArguments:\n  eviction-hard:\n  - memory.available<100Mi\n  \
                  - nodefs.available<10%\n  - nodefs.inodesFree<5%\n  - imagefs.available<15%\n  \
                  - imagefs.inodesFree<10%\n";
    assert_eq!(
        thresholds(sample),
        [
            "memory.available<100Mi 0s",
            "nodefs.available<10% 0s",
            "nodefs.inodesFree<5% 0s",
            "imagefs.available<15% 0s",
            "imagefs.inodesFree<10% 0s",
        ]
    );
}

/// Rows 138, 140 and 141: soft eviction, in bytes, with the node's other keys.
#[test]
fn the_soft_sample_is_taken() {
    let sample = "apiVersion: v1\nkind: NodeConfig\nnodeName: node1\nkubeletArguments:\n  \
                  eviction-hard: []\n  eviction-soft:\n  - memory.available<500Mi\n  \
                  - nodefs.available<500Mi\n  - nodefs.inodesFree<5%\n  \
                  - imagefs.available<100Mi\n  - imagefs.inodesFree<10%\n  \
                  eviction-soft-grace-period:\n  - memory.available=1m30s\n  \
                  - nodefs.available=1m30s\n  - nodefs.inodesFree=1m30s\n  \
                  - imagefs.available=1m30s\n  - imagefs.inodesFree=1m30s\n  \
                  eviction-pressure-transition-period:\n  - 5m\n  system-reserved:\n  \
                  - memory=1.5Gi\n";
    let shown = thresholds(sample);
    assert_eq!(shown[6], "memory.available<500Mi 1m30s");
    assert_eq!(shown[9], "imagefs.available<100Mi 1m30s");
    assert_eq!(shown.len(), 11);
    let resolved = by_file(sample).unwrap();
    assert_eq!(resolved.evict.transition_period, Duration::from_secs(300));
    assert_eq!(
        resolved.node_allocatable.system_reserved.to_string(),
        "memory=1536Mi"
    );
    let period = "eviction-pressure-transition-period";
    let setting = resolved.settings.iter().find(|s| s.name == period).unwrap();
    assert_eq!(setting.origin, Origin::File(period));
}

/// Row 143: quoted or not; numbers and truths are texts too.
#[test]
fn items_may_be_quoted_or_not() {
    for item in ["\"memory.available<500Mi\"", "memory.available<500Mi"] {
        let text = format!("kubeletArguments:\n  eviction-hard:\n    - {item}\n");
        assert_eq!(thresholds(&text), ["memory.available<500Mi 0s"]);
    }
    let resolved = by_file(
        "kubeletArguments:\n  image-gc-high-threshold: [90]\n  dry-run: [true]\n  v: [\"2\"]\n",
    )
    .unwrap();
    assert_eq!(resolved.gc.images.policy.high_percent, 90);
    assert!(resolved.dry_run);
    assert_eq!(resolved.output.verbosity, 2);
}

/// Decision D53: the file is the node's, with whatever else it needs.
#[test]
fn other_arguments_are_passed_over() {
    let resolved = by_file(
        "kubeletArguments:\n  max-pods: [\"250\"]\n  cgroup-root: [/]\n  node-labels: [a=b]\n  own-thing: [1]\n  \
         enforce-node-allocatable: [pods, system-reserved]\n  system-reserved-cgroup: [/sys]\n",
    )
    .unwrap();
    let warnings: Vec<String> = resolved.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "passed over, as evictd has no use for it: cgroup-root, max-pods, node-labels",
            "kubeletArguments: \"own-thing\" is passed over: evictd has no such flag",
            "enforce-node-allocatable: with pods evictd watches the memory of all pods together, \
             with none it does not; it limits no cgroup",
            "system-reserved of --enforce-node-allocatable is passed over: evictd leaves the \
             cgroups of system daemons alone",
        ]
    );
    assert!(by_file("kubeletArguments:\n").is_ok());
}

#[test]
fn errors_name_argument_and_item() {
    for (text, expected) in [
        (
            "kubeletArguments:\n  eviction-hard:\n  - memory.available<101%\n",
            "node-config.yaml: line 2: kubeletArguments[eviction-hard]: eviction percentage \
             threshold memory.available must be <= 100%: 101%, in \"memory.available<101%\"; a \
             percentage is a number from 0 to 100 with % behind it: 10%; 0% switches the signal \
             off",
        ),
        (
            "kubeletArguments:\n  eviction-hrad: []\n",
            "node-config.yaml: line 2: kubeletArguments[eviction-hrad]: unknown flag: \
             --eviction-hrad; did you mean eviction-hard? arguments are flags without dashes",
        ),
        (
            "kubeletArguments:\n  eviction-hard: memory.available<1Gi\n",
            "node-config.yaml: line 2: kubeletArguments[eviction-hard]: a text stands where a \
             list of texts belongs, in \"\\\"memory.available<1Gi\\\"\"; write a list of texts, quoted or not: - \
             memory.available<500Mi",
        ),
        (
            "kubeletArguments: [eviction-hard]\n",
            "node-config.yaml: line 1: kubeletArguments: a list stands where a mapping belongs; write flags \
             without dashes, each with a list: eviction-hard: [..]",
        ),
        (
            "kubeletArguments:\n  evictionHard: [memory.available<1Gi]\n",
            "node-config.yaml: line 2: kubeletArguments[evictionHard]: a field of \
             KubeletConfiguration, not a flag; write eviction-hard",
        ),
        (
            "kubeletArguments:\n  imageGCHighThresholdPercent: [80]\n",
            "node-config.yaml: line 2: kubeletArguments[imageGCHighThresholdPercent]: a field of \
             KubeletConfiguration, not a flag; write image-gc-high-threshold",
        ),
        (
            "kubeletArguments:\n  maxPods: [80]\n",
            "node-config.yaml: line 2: kubeletArguments[maxPods]: a field of \
             KubeletConfiguration, not a flag; write max-pods",
        ),
        (
            "kubeletArguments:\n  config: [/etc/other.yaml]\n",
            "node-config.yaml: line 2: kubeletArguments[config]: a file cannot name another; \
             leave it out",
        ),
        (
            "kubeletArguments:\n  eviction-soft: [memory.available<1Gi]\n",
            "node-config.yaml: line 2: kubeletArguments[eviction-soft]: grace period must be \
             specified for the soft eviction threshold memory.available, in \
             \"memory.available<1Gi\"; add memory.available=1m30s (or other durations) to \
             eviction-soft-grace-period",
        ),
    ] {
        assert_eq!(by_file(text).unwrap_err().to_string(), expected, "{text}");
    }
}

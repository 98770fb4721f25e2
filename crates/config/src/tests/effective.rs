use evictd_node::{MemorySource, Reading, Readings, Signal};

use super::*;

/// A machine of 10 GiB, 100 GiB of disk and 32768 process ids.
fn machine() -> Machine {
    let mut readings = Readings::default();
    for (signal, capacity) in [
        (Signal::MemoryAvailable, 10 << 30),
        (Signal::NodefsAvailable, 100 << 30),
        (Signal::NodefsInodesFree, 6_553_600),
        (Signal::PidAvailable, 32_768),
    ] {
        let reading = Reading {
            available: 0,
            capacity,
            sampled: None,
        };
        readings.set(signal, Some(reading));
    }
    Machine::of_readings(&readings)
}

/// Decision D29: to the byte as the kubelet, float32 and all; row 121.
#[test]
fn amounts_are_exact_where_the_capacity_is_known() {
    let resolved = resolved(&[
        (
            HARD,
            "pid.available<10%,nodefs.available<10%,imagefs.available<100Gi",
        ),
        (SOFT, "memory.available<10%"),
        (GRACE, "memory.available=30s"),
        (RECLAIM, "imagefs.available=2Gi,nodefs.available=1%"),
    ]);
    let effective = effective(&resolved, &machine());
    let shown: Vec<String> = effective
        .thresholds
        .iter()
        .map(|t| {
            format!(
                "{} {} {:?} {:?} {:?}",
                t.condition, t.signal, t.amount, t.clear_at, t.unit
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "MemoryPressure memory.available Some(1073741840) Some(1073741840) \"bytes\"",
            "DiskPressure nodefs.available Some(10737418400) Some(11811160200) \"bytes\"",
            "DiskPressure imagefs.available Some(107374182400) Some(109521666048) \"bytes\"",
            "PIDPressure pid.available Some(3276) Some(3276) \"process ids\"",
        ]
    );
    let graces: Vec<bool> = effective
        .thresholds
        .iter()
        .map(|t| t.grace.is_some())
        .collect();
    assert_eq!(graces, [true, false, false, false]);
}

#[test]
fn a_share_of_the_unknown_is_unknown() {
    let resolved = resolved(&[]);
    let effective = effective(&resolved, &Machine::default());
    let known: Vec<Option<i64>> = effective.thresholds.iter().map(|t| t.amount).collect();
    let memory = Some(100 << 20);
    let stall = Some(40);
    assert_eq!(known, [memory, memory, stall, None, None, None, None]);
    assert_eq!(effective.warnings, []);
}

/// Decisions D5, D8 and D17, failure F34.
#[test]
fn misfits_show_on_the_machine_only() {
    for (given, expected) in [
        (&[][..], &[][..]),
        (
            &[(HARD, "pid.available<40000"), (MERGE, "true")],
            &[
                "threshold pid.available<40k asks for more than the 32.7k that there are: it is always met",
            ],
        ),
        (
            &[(RECLAIM, "memory.available=10Gi")],
            &[
                "threshold memory.available<100Mi with its minimum reclaim asks for 10842275840 \
               bytes of 10737418240: once met it is never left",
            ],
        ),
        (
            &[
                (SOFT, "memory.available<0.5%"),
                (GRACE, "memory.available=1m"),
            ],
            &[
                "soft threshold memory.available<0.5% is not above the hard threshold \
               memory.available<100Mi, so it never acts before it; a soft amount should be the \
               larger one",
            ],
        ),
        (
            &[
                (SOFT, "memory.available<2%"),
                (GRACE, "memory.available=1m"),
            ],
            &[],
        ),
    ] {
        let resolved = resolved(given);
        assert_eq!(resolved.warnings, [], "without the machine");
        let warnings = lint(&resolved, &machine());
        let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn the_kernels_reserve_and_swap_are_told() {
    let machine = Machine {
        min_free_bytes: Some(128 << 20),
        swap_bytes: Some(1 << 30),
        ..machine()
    };
    let warnings = lint(&resolved(&[]), &machine);
    let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "threshold memory.available<100Mi (100Mi) is not above what the kernel keeps \
             for itself (vm.min_free_kbytes, 128Mi): its OOM killer comes first",
            "1073741824 bytes of swap are on: a node can thrash there long before \
             memory.available is low",
        ]
    );
    let watched = resolved(&[(HARD, "memory.available<256Mi,swap.available<64Mi")]);
    let warnings = lint(&watched, &machine);
    let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert!(
        !shown.iter().any(|warning| warning.contains("swap")),
        "{shown:?}"
    );
}

/// The kernel hands out no id below 300 again: forks fail before such a threshold is
/// met, whether it is written as a number or as a share.
#[test]
fn reserved_process_ids_are_told() {
    const SMALL: &str = "threshold pid.available<299 (299 process ids) may never be met: once the \
                         ids have wrapped around, the kernel hands out none below 300, so forks \
                         fail while nearly 300 seem available; ask for 300 or more";
    for (threshold, expected) in [
        ("pid.available<300", None),
        ("pid.available<299", Some(SMALL.to_owned())),
        ("pid.available<1%", None),
        (
            "pid.available<0.9%",
            Some(SMALL.replace("<299 (299 ", "<0.9% (294 ")),
        ),
        ("memory.available<299", None),
    ] {
        let resolved = resolved(&[(HARD, threshold), (MERGE, "true")]);
        let warnings = lint(&resolved, &machine());
        let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(shown, Vec::from_iter(expected), "{threshold}");
        assert_eq!(lint(&resolved, &Machine::default()), [], "of no machine");
    }
}

/// Acceptance row 185.
#[test]
fn a_minimum_reclaim_out_of_reach_is_told() {
    let given = &[
        (HARD, "memory.available<576Mi"),
        (RECLAIM, "memory.available=400Mi"),
    ];
    let warnings = |left: i64| {
        let mut machine = machine();
        machine.left[Signal::MemoryAvailable.index()] = Some(left << 20);
        lint(&resolved(given), &machine)
            .iter()
            .map(ToString::to_string)
            .filter(|warning| warning.contains("reclaim"))
            .collect::<Vec<_>>()
    };
    assert_eq!(warnings(976), [""; 0]);
    assert_eq!(warnings(500), [""; 0], "it is met already");
    assert_eq!(
        warnings(716),
        [
            "threshold memory.available<576Mi with its minimum reclaim asks for 1023410176 bytes, \
             and 750780416 are left now: once met it may never be left"
        ]
    );
}

/// Acceptance row 191: what a small machine cannot reach, and what is much for it.
#[test]
fn thresholds_that_a_small_machine_cannot_reach_are_told() {
    let mut machine = Machine::default();
    machine.capacities[Signal::MemoryAvailable.index()] = Some(121 << 20);
    machine.unaccounted_bytes = Some(26 << 20);
    let told = |given: &[(&str, &str)]| -> Vec<String> {
        let warnings = lint(&resolved(given), &machine);
        warnings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        told(&[(HARD, "memory.available<20Mi")]),
        [
            "threshold memory.available<20Mi may never be met: 26Mi of memory are neither free nor \
          in a cgroup, and count as available; --memory-available-source=min counts them as used"
        ]
    );
    assert_eq!(told(&[(HARD, "memory.available<30Mi")]), [""; 0]);
    let by_kernel = [
        (HARD, "memory.available<20Mi"),
        ("memory-available-source", "min"),
    ];
    assert_eq!(told(&by_kernel), [""; 0]);
    assert_eq!(
        told(&[]),
        [
            "the default threshold memory.available<100Mi is more than a tenth of this machine's \
          121Mi; --eviction-hard sets another"
        ]
    );
}

/// Acceptance row 191: only where nobody said otherwise.
#[test]
fn the_kernels_estimate_is_the_default_where_the_formula_misleads() {
    for (given, expected) in [
        (&[][..], MemorySource::Min),
        (
            &[("memory-available-source", "kubelet")],
            MemorySource::Kubelet,
        ),
        (
            &[("memory-available-source", "meminfo")],
            MemorySource::Meminfo,
        ),
        (&[(COMPAT, "kubelet")], MemorySource::Kubelet),
    ] {
        let mut settings = resolved(given);
        settings.distrust_kubelets_formula();
        assert_eq!(settings.memory.source, expected, "{given:?}");
    }
}

use evictd_node::Signal;
use evictd_quantity::Quantity;

use super::*;

fn amounts(cpu: &str, memory: &str, storage: &str, pid: &str) -> Reserved {
    let mut amounts = Reserved::default();
    for (name, text) in Reserved::NAMES.into_iter().zip([cpu, memory, storage, pid]) {
        if !text.is_empty() {
            amounts.put(name, Quantity::parse(text).unwrap());
        }
    }
    amounts
}

/// 10Gi with a tenth kept and eviction at 95 % use: 8.5Gi are left to place.
#[test]
fn what_pods_may_have() {
    let capacity = amounts("4", "10Gi", "100Gi", "32768");
    let system = amounts("200m", "1Gi", "", "1000");
    let kube = amounts("", "0", "10Gi", "");
    let hard = resolved(&[(HARD, "memory.available<512Mi,nodefs.available<10Gi")]);
    let found = allocatable(&capacity, &system, &kube, &hard.evict.thresholds);
    assert!(found.valid);
    assert_eq!(found.reservation, amounts("200m", "1.5Gi", "20Gi", ""));
    assert_eq!(found.allocatable, amounts("3800m", "8.5Gi", "80Gi", ""));
    assert_eq!(found.absolute, amounts("3800m", "9Gi", "90Gi", ""));
    assert_eq!(found.pods_cgroup, amounts("3800m", "9Gi", "90Gi", "31768"));
}

#[test]
fn more_kept_back_than_there_is_leaves_nothing() {
    let capacity = amounts("1", "1Gi", "", "");
    let system = amounts("2", "", "5Gi", "");
    let found = allocatable(&capacity, &system, &Reserved::default(), &[]);
    assert!(!found.valid);
    assert_eq!(found.allocatable, amounts("0", "1Gi", "", ""));
    assert_eq!(found.pods_cgroup, amounts("0", "1Gi", "", ""));
}

fn machine(memory: &str) -> Machine {
    let mut machine = Machine::default();
    let memory = Quantity::parse(memory).unwrap().value();
    machine.capacities[Signal::MemoryAvailable.index()] = Some(memory);
    machine
}

/// Row 288: where evictd's reservation includes the threshold, pods have as much before one is
/// evicted as where the kubelet's is beside it.
#[test]
fn reservations_keep_memory_from_pods() {
    const MI: i64 = 1 << 20;
    let hard = (HARD, "memory.available<500Mi");
    let half = (HARD, "memory.available<50%");
    let system = ("system-reserved", "memory=1536Mi,pid=1000");
    let kube = ("kube-reserved", "memory=64Mi");
    for (given, expected) in [
        (&[hard][..], 0),
        (&[hard, system], 1036),
        (&[hard, system, kube], 1100),
        (&[hard, kube], 0),
        (&[half, system], 0),
        (&[hard, system, ("compat", "kubelet")], 1536),
        (&[hard, system, (ENFORCE, "none")], 0),
    ] {
        let kept = memory_kept_from_pods(&resolved(given), 10240 * MI);
        assert_eq!(i64::try_from(kept).unwrap(), expected * MI, "{given:?}");
    }
}

/// Acceptance row 192: what cannot be kept back is refused, as by the kubelet.
#[test]
fn reserves_larger_than_the_machine_are_an_error() {
    let given = [
        ("system-reserved", "memory=1Gi"),
        ("kube-reserved", "memory=1Gi"),
    ];
    let settings = resolved(&given);
    assert_eq!(check_reserves(&settings, &machine("2Gi")), Ok(()));
    assert_eq!(
        check_reserves(&settings, &machine("2000Mi")).unwrap_err(),
        "--system-reserved and --kube-reserved: 2Gi of memory are kept back, and the machine has \
         2000Mi; reserve less"
    );
    let kubelets = [&given[..], &[(COMPAT, "kubelet")]].concat();
    assert!(check_reserves(&resolved(&kubelets), &machine("2Gi")).is_err());
    let no_reserves = resolved(&[(HARD, "memory.available<3Gi")]);
    assert_eq!(check_reserves(&no_reserves, &machine("2Gi")), Ok(()));
}

/// Acceptance row 192: a reservation includes the threshold.
#[test]
fn reserves_below_the_thresholds_are_told() {
    let told = |amount: &str| {
        let amount = format!("memory={amount}");
        let settings = resolved(&[("system-reserved", &amount)]);
        lint(&settings, &machine("4Gi"))
            .first()
            .map(ToString::to_string)
    };
    assert_eq!(
        told("50Mi").unwrap(),
        "--system-reserved: memory=50Mi is below the hard threshold of 100Mi; a reservation \
         should include the threshold"
    );
    assert_eq!(told("100Mi"), None);
}

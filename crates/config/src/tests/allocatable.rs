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

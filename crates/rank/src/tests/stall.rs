//! Whom lost time is due to.

use evictd_node::pod::usage::Stalls;

use alloc::string::String;

use super::*;

type Measured = (Pod, Option<PodUsage>);

/// A pod of no request that holds so many Mi, and gains and reads back so many a second.
fn pod(name: &str, priority: i32, used: u64, stalls: Option<(u64, Option<u64>)>) -> Measured {
    let (pod, mut usage) = memory_pod(name, priority, None, Some(used));
    let stalls = stalls.map(|(gains, reads_back)| Stalls {
        gains_bytes: gains * MI,
        reads_back_bytes: reads_back.map(|mi| mi * MI),
    });
    usage.as_mut().unwrap().stalls = stalls;
    (pod, usage)
}

fn gone_first(pods: &[Measured]) -> String {
    let order = order(Signal::MemoryStall, pods, &Policy::default());
    pods[order[0]].0.metadata.name.clone()
}

/// Acceptance row 423.
#[test]
fn of_one_priority_who_stalls_the_others_goes_first() {
    let large = pod("large and quiet", 0, 900, Some((0, Some(1))));
    let leaks = pod("gains", 0, 100, Some((30, Some(0))));
    let thrashes = pod("reads back", 0, 200, Some((2, Some(40))));
    let pods = [large.clone(), leaks.clone(), thrashes.clone()];
    assert_eq!(gone_first(&pods), "reads back");
    assert_eq!(gone_first(&pods[..2]), "gains");
    // For memory that is short the kubelet's order holds: the largest goes.
    let short = order(Signal::MemoryAvailable, &pods, &Policy::default());
    assert_eq!(short, [0, 2, 1]);
    // Equal ones go by what they hold.
    let quiet = pod("smaller", 0, 300, Some((1, Some(0))));
    assert_eq!(gone_first(&[quiet, large]), "large and quiet");
}

/// Acceptance row 424: the kubelet's order comes first.
#[test]
fn a_lower_priority_goes_before_who_stalls_more() {
    let low = pod("low and quiet", -1, 50, Some((0, Some(0))));
    let high = pod("high, thrashes", 0, 800, Some((100, Some(100))));
    assert_eq!(gone_first(&[high, low]), "low and quiet");
}

/// Acceptance row 424: below its request nobody stalls anybody.
#[test]
fn who_keeps_to_its_request_comes_after_all_that_do_not() {
    let (server, usage) = memory_pod("server", -1, Some("900Mi"), Some(800));
    let mut server = (server, usage);
    server.1.as_mut().unwrap().stalls = Some(Stalls {
        gains_bytes: 100 * MI,
        reads_back_bytes: Some(100 * MI),
    });
    let other = pod("above its request", 5, 90, Some((0, Some(0))));
    assert_eq!(gone_first(&[server, other]), "above its request");
}

/// Acceptance row 425: of whom nothing is known nobody goes in the place.
#[test]
fn what_is_unknown_of_one_puts_none_before_another() {
    let large = pod("large", 0, 900, None);
    let leaks = pod("gains", 0, 100, Some((30, None)));
    assert_eq!(gone_first(&[leaks.clone(), large.clone()]), "large");
    // One that keeps to its request is no rival, known or not.
    let (modest, usage) = memory_pod("modest", 0, Some("1Gi"), Some(800));
    let quiet = pod("quiet", 0, 900, Some((0, Some(0))));
    assert_eq!(gone_first(&[(modest, usage), quiet, leaks]), "gains");
    // All orders of the list give the same, whatever is known of whom.
    let pods = [
        large,
        pod("a", 0, 50, Some((90, None))),
        pod("b", 0, 70, None),
    ];
    for turn in 0..3 {
        let mut pods = pods.clone();
        pods.rotate_left(turn);
        assert_eq!(gone_first(&pods), "large");
    }
}

/// Acceptance row 426.
#[test]
fn the_reason_names_the_evidence() {
    let said = |stalls| {
        let (pod, usage) = pod("a", 0, 100, stalls);
        let candidates = [Candidate::new(&pod, usage.as_ref())];
        let signals = [Signal::MemoryStall, Signal::MemoryAvailable];
        signals.map(|signal| {
            let policy = Policy::default();
            rank(signal, Layout::OneFilesystem, &candidates, &policy)[0].to_string()
        })
    };
    let [stall, short] = said(Some((12, Some(34))));
    assert_eq!(
        stall,
        "uses at least 100Mi, 100Mi above its request, gains 12Mi and reads back 34Mi a second, \
         priority 0, BestEffort"
    );
    assert_eq!(
        short,
        "uses 100Mi, 100Mi above its request, priority 0, BestEffort"
    );
    let [stall, _] = said(Some((12, None)));
    assert!(
        stall.contains("request, gains 12Mi a second, priority"),
        "{stall}"
    );
    let [stall, short] = said(None);
    assert_eq!(stall.replace("at least ", ""), short);
}

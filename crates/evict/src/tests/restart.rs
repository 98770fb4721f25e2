use super::*;

fn soft_machine(change: impl FnOnce(&mut Config)) -> Evict {
    let lists = Lists {
        soft: "memory.available<2Gi",
        soft_grace_period: "memory.available=30s",
        ..Lists::default()
    };
    machine(&lists, change)
}

/// Acceptance row 84 over a restart; failure F17.
#[test]
fn a_restart_keeps_conditions_and_graces_and_never_acts_at_first_sight() {
    let all = pods(&["a"]);
    let mut before = soft_machine(|_| {});
    assert_eq!(step(&mut before, 0, &[(MEMORY, GI)], &all), Plan::Rest);
    let state = before.state();
    assert_eq!(state.first_met.len(), 1);
    assert_eq!(state.first_met[0].threshold, "memory.available<2Gi");

    let mut after = soft_machine(|_| {});
    after.restore(seconds(40), &state);
    assert_eq!(step(&mut after, 40, &[(MEMORY, GI)], &all), Plan::Rest);
    assert_eq!(after.due().count(), 0);
    assert_eq!(after.met().next().unwrap().since, seconds(0));
    assert_eq!(
        evicted(&step(&mut after, 41, &[(MEMORY, GI)], &all), &all),
        ("a", 0)
    );

    // The same sample twice is one observation.
    let mut after = soft_machine(|_| {});
    after.restore(seconds(40), &state);
    let same = readings(seconds(40), &[(MEMORY, GI)]);
    for at in [40, 41] {
        let observation = Observation {
            readings: &same,
            layout: None,
        };
        let plan = after.step(seconds(at), &observation, Some(&candidates(&all)));
        assert_eq!(plan, Plan::Rest, "{at}");
    }

    // Not met any more: the grace begins anew, the condition stays for the rest
    // of the transition period.
    let mut after = soft_machine(|_| {});
    after.restore(seconds(40), &state);
    step(&mut after, 40, &[(MEMORY, 3 * GI)], &all);
    assert!(after.conditions().has(Condition::MemoryPressure));
    step(&mut after, 41, &[(MEMORY, GI)], &all);
    assert_eq!(after.met().next().unwrap().since, seconds(41));
    let mut after = soft_machine(|_| {});
    after.restore(seconds(40), &state);
    step(&mut after, 299, &[(MEMORY, 3 * GI)], &all);
    assert!(after.conditions().has(Condition::MemoryPressure));
    step(&mut after, 300, &[(MEMORY, 3 * GI)], &all);
    assert!(after.conditions().is_empty());
}

#[test]
fn a_restart_forgets_what_is_not_configured_and_believes_no_future() {
    let first_met = |threshold: &str, grace, at| FirstMet {
        threshold: threshold.to_string(),
        grace,
        at,
    };
    let half_a_minute = parse(&Lists {
        soft: "memory.available<2Gi",
        soft_grace_period: "memory.available=30s",
        ..Lists::default()
    })
    .unwrap()[0]
        .grace;
    let zero = half_a_minute.min(evictd_quantity::GoDuration::from_nanos(0));
    for (name, known, since) in [
        (
            "same",
            first_met("memory.available<2Gi", half_a_minute, seconds(5)),
            5,
        ),
        (
            "other amount",
            first_met("memory.available<3Gi", half_a_minute, seconds(5)),
            60,
        ),
        (
            "other grace",
            first_met("memory.available<2Gi", zero, seconds(5)),
            60,
        ),
        (
            "the future",
            first_met("memory.available<2Gi", half_a_minute, seconds(900)),
            60,
        ),
    ] {
        let state = EvictState {
            layout: None,
            first_met: [known].into(),
            last_observed: [None, Some(seconds(900)), None],
        };
        let mut evict = soft_machine(|_| {});
        evict.restore(seconds(60), &state);
        step(&mut evict, 60, &[(MEMORY, GI)], &[]);
        assert_eq!(evict.met().next().unwrap().since, seconds(since), "{name}");
        let last = evict.pressure().last_observed(Condition::DiskPressure);
        assert_eq!(last, Some(seconds(60)), "{name}");
    }
}

/// It has no grace that could have been running.
#[test]
fn a_hard_threshold_acts_at_first_sight_restart_or_not() {
    let all = pods(&["a"]);
    let mut before = hard("memory.available<2Gi");
    step(&mut before, 0, &[(MEMORY, GI)], &[]);
    let mut after = hard("memory.available<2Gi");
    after.restore(seconds(60), &before.state());
    assert_eq!(
        evicted(&step(&mut after, 60, &[(MEMORY, GI)], &all), &all),
        ("a", 0)
    );
    assert_eq!(after.met().next().unwrap().since, seconds(60));
}

/// Thresholds that the layout derives are known again before the first step.
#[test]
fn a_restart_keeps_the_graces_of_derived_thresholds() {
    const FS: Signal = Signal::NodefsAvailable;
    const DERIVED: Signal = Signal::ContainerfsAvailable;
    let lists = Lists {
        soft: "nodefs.available<2Gi",
        soft_grace_period: "nodefs.available=30s",
        ..Lists::default()
    };
    let low = [(FS, GI), (DERIVED, GI)];
    let mut before = machine(&lists, |_| {});
    step(&mut before, 0, &low, &[]);
    let state = before.state();
    assert_eq!(state.first_met.len(), 2);
    let mut after = machine(&lists, |_| {});
    after.restore(seconds(10), &state);
    step(&mut after, 10, &low, &[]);
    assert!(after.met().all(|met| met.since == seconds(0)));
    assert_eq!(after.met().count(), 2);
}

use super::*;

fn with(hard: &str, soft: &str) -> Config {
    let lists = Lists {
        hard,
        soft,
        soft_grace_period: if soft.is_empty() {
            ""
        } else {
            "memory.available=30s"
        },
        ..Lists::default()
    };
    Config {
        thresholds: parse(&lists).unwrap(),
        ..Config::default()
    }
}

fn started(hard: &str, soft: &str) -> Evict {
    Evict::new(with(hard, soft))
}

#[test]
fn the_same_settings_change_nothing() {
    let all = pods(&["a", "b"]);
    let mut evict = started(
        "memory.available<1Gi,nodefs.available<1Gi",
        "memory.available<3Gi",
    );
    let left = [(MEMORY, GI / 2), (Signal::NodefsAvailable, 2 * GI)];
    step(&mut evict, 0, &left, &all);
    let before = alloc::format!("{evict:?}");
    let same = with(
        "memory.available<1Gi,nodefs.available<1Gi",
        "memory.available<3Gi",
    );
    evict.reconfigure(same);
    assert_eq!(alloc::format!("{evict:?}"), before);
}

#[test]
fn a_changed_threshold_does_not_act_at_first_sight() {
    let all = pods(&["a"]);
    let mut evict = started("memory.available<1Gi", "");
    assert_eq!(step(&mut evict, 0, &[(MEMORY, 2 * GI)], &all), Plan::Rest);
    evict.reconfigure(with("memory.available<3Gi", ""));
    assert_eq!(step(&mut evict, 10, &[(MEMORY, 2 * GI)], &all), Plan::Rest);
    assert!(evict.conditions().has(Condition::MemoryPressure));
    let plan = step(&mut evict, 11, &[(MEMORY, 2 * GI)], &all);
    assert_eq!(evicted(&plan, &all), ("a", 0));

    // The other one, which stays as it was, acts at once.
    let both = "memory.available<3Gi,nodefs.available<1Gi";
    let mut evict = started("nodefs.available<1Gi", "");
    step(&mut evict, 0, &[(Signal::NodefsAvailable, 2 * GI)], &all);
    evict.reconfigure(with(both, ""));
    let left = [(Signal::NodefsAvailable, GI / 2), (MEMORY, GI)];
    step(&mut evict, 10, &left, &all);
    assert_eq!(evict.acting_on().unwrap().signal, Signal::NodefsAvailable);
}

#[test]
fn changes_without_end_hold_no_eviction_back() {
    let all = pods(&["a"]);
    let mut evict = started("memory.available<1Gi", "");
    let left = [(MEMORY, GI / 2)];
    evict.reconfigure(with("memory.available<2Gi", ""));
    assert_eq!(step(&mut evict, 0, &left, &all), Plan::Rest);
    evict.reconfigure(with("memory.available<3Gi", ""));
    let plan = step(&mut evict, 1, &left, &all);
    assert_eq!(evicted(&plan, &all), ("a", 0));

    // Another signal, or a soft one, says nothing of it.
    for other in [
        with("pid.available<10,memory.available<1Mi", ""),
        with("memory.available<1Mi", "memory.available<3Gi"),
    ] {
        let mut evict = Evict::new(other);
        let left = [(MEMORY, GI / 2), (Signal::PidAvailable, 5)];
        step(&mut evict, 0, &left, &[]);
        evict.reconfigure(with("memory.available<1Gi", ""));
        assert_eq!(step(&mut evict, 1, &left, &all), Plan::Rest);
    }
}

#[test]
fn graces_conditions_and_evictions_go_on() {
    let all = pods(&["a"]);
    let mut evict = started("nodefs.available<1Gi", "memory.available<3Gi");
    assert_eq!(step(&mut evict, 0, &[(MEMORY, 2 * GI)], &all), Plan::Rest);
    // In another place of the list.
    evict.reconfigure(with("", "memory.available<3Gi"));
    assert_eq!(evict.met().next().unwrap().since, seconds(0));
    assert_eq!(step(&mut evict, 10, &[(MEMORY, 2 * GI)], &all), Plan::Rest);
    let plan = step(&mut evict, 30, &[(MEMORY, 2 * GI)], &all);
    assert_eq!(evicted(&plan, &all).0, "a");

    // What it was evicted for is watched no more: its end is taken in all the same.
    evict.reconfigure(with("pid.available<10", ""));
    assert!(evict.is_busy());
    assert_eq!(step(&mut evict, 31, &[(MEMORY, 2 * GI)], &all), Plan::Rest);
    assert_eq!(done(&mut evict, 31, Outcome::Killed, &all), Plan::Rest);
    assert_eq!(done(&mut evict, 31, Outcome::CleanedUp, &all), Plan::Rest);
    assert!(!evict.is_busy());
    assert!(evict.conditions().has(Condition::MemoryPressure));
    step(&mut evict, 330, &[(MEMORY, 2 * GI)], &all);
    assert!(evict.conditions().is_empty());
}

/// Acceptance row 384: other settings say nothing of what the last pod left.
#[test]
fn a_clean_up_is_awaited_though_its_threshold_is_none_any_more() {
    let all = pods(&["a", "b"]);
    let disk = |evict: &mut Evict, at| {
        let left = [(Signal::NodefsAvailable, 1)];
        let plan = step(evict, at, &left, &all);
        if matches!(plan, Plan::Relieve(_)) {
            let again = readings(seconds(at), &left);
            relieved(evict, at, &again, &candidates(&all))
        } else {
            plan
        }
    };
    let mut evict = started("nodefs.available<1Gi", "");
    assert_eq!(evicted(&disk(&mut evict, 0), &all).0, "a");
    evict.reconfigure(with("nodefs.available<2Gi", ""));
    done(&mut evict, 1, Outcome::Killed, &all[1..]);
    assert_eq!(disk(&mut evict, 29), Plan::Rest);
    assert!(matches!(disk(&mut evict, 31), Plan::Evict(_)));
}

#[test]
fn conditions_are_left_where_nothing_is_watched_any_more() {
    let nothing = || Config {
        local_storage_isolation: false,
        ..with("", "")
    };
    let mut evict = started("memory.available<3Gi", "");
    step(&mut evict, 0, &[(MEMORY, 2 * GI)], &[]);
    evict.reconfigure(nothing());
    step(&mut evict, 299, &[(MEMORY, 2 * GI)], &[]);
    assert!(evict.conditions().has(Condition::MemoryPressure));
    step(&mut evict, 300, &[(MEMORY, 2 * GI)], &[]);
    assert!(evict.conditions().is_empty());
}

use super::*;

fn held_after(name: &str, change: impl FnOnce(&mut State)) -> ConditionSet {
    let mut state = full();
    change(&mut state);
    let mut evict = machine();
    evict.restore(seconds(150), &state.evict_state(seconds(150)));
    observe(&mut evict, 150, 9 * GI, 9 * GI);
    let held = evict.conditions();
    assert_eq!(held, state.held_on(seconds(150), TRANSITION), "{name}");
    held
}

/// Acceptance row 84; failure F11. The state is of second 100, wall time 1000000.
#[test]
fn conditions_are_held_on_over_a_restart_and_over_a_plausible_boot() {
    let both = ConditionSet::MEMORY_PRESSURE | ConditionSet::DISK_PRESSURE;
    let none = ConditionSet::empty();
    for (name, boot, wall, expected) in [
        ("same boot", "a-boot", 1_000_050, both),
        ("same boot, the clock jumped", "a-boot", 0, both),
        ("booted at once", "b", 1_000_000, both),
        ("booted within the period", "b", 1_000_299, both),
        ("booted after the period", "b", 1_000_300, none),
        ("booted the next day", "b", 1_090_000, none),
        ("no clock", "b", 5, none),
        ("a clock before", "b", 999_999, none),
        ("unknown boot", "", 1_000_299, both),
    ] {
        let held = held_after(name, |state| {
            state.rebase(boot, seconds(150), wall, TRANSITION)
        });
        assert_eq!(held, expected, "{name}");
    }
    let mut unknown = State {
        boot_id: String::new(),
        ..full()
    };
    unknown.rebase("", seconds(150), 5, TRANSITION);
    assert_eq!(unknown.held(), none, "two unknown boots are not the same");
    // A condition that is dropped changed its status then.
    assert_eq!(unknown.conditions[0].since, Some(5));
    assert_eq!(unknown.conditions[2].since, Some(1_000_000));
}

#[test]
fn a_boot_counts_only_what_is_left_of_the_transition_period() {
    let mut state = full();
    state.saved_at = seconds(200); // last observed 100 s before it was saved
    state.rebase("b", seconds(250), 1_000_150, TRANSITION);
    assert_eq!(state.conditions[0].last_observed, Some(seconds(0)));
    let mut state = full();
    state.saved_at = seconds(200);
    state.rebase("b", seconds(1000), 1_000_150, TRANSITION);
    assert_eq!(state.conditions[0].last_observed, Some(seconds(750)));
    assert_eq!(state.saved_at, seconds(1000));
    assert_eq!(state.held_on(seconds(1049), TRANSITION), state.held());
    assert!(state.held_on(seconds(1050), TRANSITION).is_empty());
}

/// The soft threshold has a grace of 30 s and was met at second 100.
#[test]
fn a_grace_runs_on_over_a_restart_unless_nobody_was_there_for_all_of_it() {
    for (name, boot, at, expected) in [
        ("soon", "a-boot", 105, 100),
        ("just", "a-boot", 130, 100),
        ("later", "a-boot", 131, 131),
        ("another boot", "b", 105, 105),
    ] {
        let mut state = full();
        state.rebase(boot, seconds(at), 1_000_000 + at - 100, TRANSITION);
        let mut evict = machine();
        evict.restore(seconds(at), &state.evict_state(seconds(at)));
        observe(&mut evict, at, GI, 9 * GI);
        let since = evict.met().map(|met| met.since).collect::<Vec<_>>();
        assert_eq!(since, [seconds(expected)], "{name}");
    }
}

#[test]
fn a_condition_keeps_the_time_of_its_last_change() {
    let mut evict = machine();
    let mut state = State::default();
    let memory = |state: &State| (state.conditions[0].held, state.conditions[0].since);
    for (at, available, expected) in [
        (10, 9 * GI, (false, Some(1010))),
        (20, 9 * GI, (false, Some(1010))),
        (30, GI, (true, Some(1030))),
        (40, 9 * GI, (true, Some(1030))),
        (330, 9 * GI, (false, Some(1330))),
    ] {
        observe(&mut evict, at, available, 9 * GI);
        state.update(seconds(at), 1000 + at, &evict);
        assert_eq!(memory(&state), expected, "{at}");
        let held = Condition::MemoryPressure.set();
        assert_eq!(state.held().contains(held), expected.0, "{at}");
    }
}

/// Acceptance row 177: a cgroup's path may be another pod's after a boot.
#[test]
fn protections_are_remembered_over_a_restart_and_no_boot() {
    for (name, boot, at, expected) in [
        ("restarted", "a-boot", 150, 1),
        ("restarted, the clock jumped back", "a-boot", 50, 0),
        ("booted", "b", 150, 0),
        ("unknown boot", "", 150, 0),
    ] {
        let mut state = full();
        state.rebase(boot, seconds(at), 1_000_050, TRANSITION);
        assert_eq!(state.protected.len(), expected, "{name}");
    }
}

/// What was evicted of late is known after a restart, on the clock of this boot.
#[test]
fn pods_that_come_back_are_known_over_a_restart() {
    let mut state = full();
    state.history.clear();
    let of = |name: &str, ago: u64, outcome: Outcome| Record {
        wall_seconds: state.wall_seconds - ago,
        name: name.to_owned(),
        signal: Some(Signal::MemoryAvailable),
        outcome,
        ..Record::default()
    };
    let records = [
        of("former", 601, Outcome::Killed),
        of("former", 599, Outcome::Killed),
        of("rehearsed", 50, Outcome::DryRun),
        of("rehearsed", 30, Outcome::DryRun),
        of("hog", 40, Outcome::Killed),
        of("hog", 20, Outcome::Killed),
    ];
    records.into_iter().for_each(|record| state.push(record));
    let returns = state.returns();
    let loops: Vec<_> = returns
        .loops()
        .map(|one| (one.name.as_str(), one.last))
        .collect();
    assert_eq!(loops, [("hog", seconds(80))]);
    let former = returns.of("", "former", Some(Signal::MemoryAvailable));
    assert_eq!(former.map(|one| one.times), Some(1));
}

use super::*;

#[test]
fn what_may_change_changes_and_the_rest_is_named() {
    let before = typed(&[
        (HARD, "memory.available<10%"),
        ("state-dir", "/a"),
        ("v", "2"),
    ]);
    let after = typed(&[
        (HARD, "memory.available<15%"),
        ("state-dir", "/b"),
        ("dry-run", "true"),
    ]);
    let reloaded = reload(&before, after).unwrap();
    let settings = &reloaded.settings;
    assert_eq!(
        settings.evict.thresholds[0].to_string(),
        "memory.available<15%"
    );
    assert_eq!(
        settings.output.verbosity, 0,
        "what is not said any more has its default"
    );
    assert_eq!(settings.paths.state_dir.as_deref(), Some("/a".as_ref()));
    assert!(!settings.dry_run);
    assert_eq!(reloaded.need_restart, ["dry-run", "state-dir"]);
    // The next one is held against what is in force.
    let again = reload(&reloaded.typed, typed(&[("state-dir", "/a")])).unwrap();
    assert!(again.need_restart.is_empty());
}

#[test]
fn nothing_changes_where_anything_is_wrong() {
    let before = typed(&[(HARD, "memory.available<10%")]);
    for wrong in [(HARD, "memory.available<x"), ("pods-of", "launchd")] {
        assert!(reload(&before, typed(&[wrong])).is_err(), "{wrong:?}");
    }
}

/// Each flag is either in force at once or named, and never neither.
#[test]
fn every_flag_is_live_or_named() {
    let nothing = Typed::default();
    let plain = resolve(&nothing).unwrap();
    for flag in Flag::known() {
        let given = typed(&[(flag.name, flag.example)]);
        let Ok(wanted) = resolve(&given) else {
            continue;
        };
        let reloaded = reload(&nothing, given).unwrap();
        let settings = |of: &Resolved| {
            let all = of.settings.iter().map(|of| (of.name, of.value.clone()));
            (all.collect::<Vec<_>>(), of.evict.thresholds.clone())
        };
        let changes = settings(&wanted) != settings(&plain);
        let is_live = settings(&reloaded.settings) == settings(&wanted);
        assert_ne!(
            is_live,
            !reloaded.need_restart.is_empty(),
            "{} {changes}",
            flag.name
        );
    }
}

use super::*;

#[test]
fn what_is_written_is_read_again() {
    for (name, state) in [("empty", State::default()), ("full", full())] {
        assert_eq!(parse(to_json(&state).as_bytes()).unwrap(), state, "{name}");
    }
    assert_eq!(full().conditions[0].last_observed, Some(seconds(100)));
    assert_eq!(full().first_met.len(), 2);
}

#[test]
fn what_is_not_ours_is_refused_and_nothing_else() {
    let whole = to_json(&full());
    let with = |from: &str, to: &str| whole.replacen(from, to, 1).into_bytes();
    for (name, bytes, expected) in [
        (
            "nothing",
            Vec::new(),
            "no state of evictd: damaged at byte 1",
        ),
        (
            "torn at its beginning",
            whole.as_bytes()[..10].to_vec(),
            "no state of evictd: damaged at byte 11",
        ),
        (
            "zeros",
            vec![0; 4096],
            "no state of evictd: damaged at byte 4097",
        ),
        (
            "a list",
            b"[]".to_vec(),
            "no state of evictd: its kind is another",
        ),
        (
            "another kind",
            with("evictd-state", "evictd-state2"),
            "no state of evictd: its kind is another",
        ),
        (
            "a later version",
            with("\"version\":1", "\"version\":2"),
            "no state of evictd: its version is another",
        ),
        (
            "too long",
            vec![b' '; 2 << 20],
            "no state of evictd: damaged at byte 1048577",
        ),
    ] {
        assert_eq!(parse(&bytes).unwrap_err().to_string(), expected, "{name}");
    }
    for (name, bytes) in [
        ("padded", format!("{whole}   \n").into_bytes()),
        ("a field more", with("{", "{\"new\":[{}],")),
        (
            "another condition",
            with("\"conditions\":[", "\"conditions\":[{\"type\":\"Gone\"},7,"),
        ),
    ] {
        assert_eq!(parse(&bytes).unwrap(), full(), "{name}");
    }
    for (key, other) in [("savedAt", "savedat"), ("wallSeconds", "wallseconds")] {
        let read = parse(&with(key, other)).unwrap();
        assert_eq!(read.history, full().history, "{key}");
        // The grace period of 30 s goes on, but not from an unknown time.
        let runs_on = read.evict_state(seconds(101)).first_met;
        assert_eq!(runs_on.len(), if key == "savedAt" { 0 } else { 1 }, "{key}");
    }
    let wrong = parse(&with("\"firstMet\":[", "\"firstMet\":[{\"threshold\":1},")).unwrap();
    assert_eq!(wrong.first_met, full().first_met);
}

/// Failure F38: whatever is pushed, the file stays readable.
#[test]
fn the_history_is_bounded_in_number_and_in_bytes() {
    let mut state = full();
    for _ in 0..120 {
        state.push(record("b"));
    }
    assert_eq!((state.history.len(), state.evictions), (HISTORY, 122));
    assert_eq!(parse(to_json(&state).as_bytes()).unwrap(), state);
    for uid in 0..HISTORY {
        state.push(Record {
            message: "\u{1}".repeat(5000),
            reason: "ä".repeat(5000),
            annotations: [
                ("x".repeat(5000), String::new()),
                ("y".to_owned(), "\u{1}".repeat(5000)),
            ]
            .into(),
            ..record(&uid.to_string())
        });
    }
    for hour in 0..2 * RELIEFS as u64 {
        let text = "\u{1}".repeat(5000);
        state.push_relief(Relief::new(3600 * hour, "logs", None, &text));
    }
    assert_eq!(state.reliefs.len(), RELIEFS);
    let text = to_json(&state);
    assert!(text.len() < MAX_BYTES, "{}", text.len());
    let read = parse(text.as_bytes()).unwrap();
    assert!(
        read.history.len() < HISTORY && read.history.len() > 5,
        "{}",
        read.history.len()
    );
    let last = read.history.last().unwrap();
    assert_eq!(
        (last.uid.as_str(), last.message.len(), last.reason.len()),
        ("49", 1024, 1024)
    );
    assert_eq!(last.annotations.len(), 1);
}

#[test]
fn an_outcome_belongs_to_the_latest_eviction_that_has_none() {
    let mut state = State::default();
    for uid in ["a", "b", "a"] {
        state.push(record(uid));
    }
    assert!(!state.end("c", Outcome::Killed, "", None));
    assert!(state.end("a", Outcome::Stuck, "SIGKILL", Some(5)));
    assert_eq!(state.history[2].outcome, Outcome::Stuck);
    assert_eq!(
        (state.history[2].method.as_str(), state.history[2].millis),
        ("SIGKILL", Some(5))
    );
    assert_eq!(state.history[0].outcome, Outcome::Begun);
}

/// Acceptance row 2: a pod that was evicted has failed; one that could not be killed,
/// or was not meant to be, has not.
#[test]
fn a_pod_that_is_gone_has_failed() {
    for (outcome, phase) in [
        (Outcome::Begun, None),
        (Outcome::Killed, Some("Failed")),
        (Outcome::Stuck, None),
        (Outcome::DryRun, None),
    ] {
        let record = Record {
            outcome,
            ..Record::default()
        };
        assert_eq!(record.outcome.phase(), phase, "{outcome:?}");
    }
}

/// Decision D37: the ages of images outlive a restart.
#[test]
fn the_times_of_images_are_kept_as_far_as_they_can_be_read() {
    let whole = to_json(&full());
    let times = "\"1b2c3d4e5f607182\":\"1000000 1000000 ";
    assert!(whole.contains(times), "{whole}");
    let images = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        parse(whole.replacen(from, to, 1).as_bytes())
            .unwrap()
            .images
    };
    for (name, from, to, kept) in [
        ("none but ours", "1b2c3d4e5f607182", "1b2c3d4e5f607182", 2),
        ("an old file", "\"images\"", "\"not\"", 0),
        ("no object", "\"images\":{", "\"images\":7,\"not\":{", 0),
        ("no times", "\"times\":{", "\"times\":[],\"not\":{", 0),
        ("no last look", "lookedAt", "lookedat", 0),
        ("another key", "1b2c3d4e5f607182", "sha256:1b2c", 1),
        ("another value", times, "\"1b2c3d4e5f607182\":\"", 1),
        (
            "an entry more",
            times,
            "\"a\":null,\"1b2c3d4e5f607182\":\"1000000 1000000 ",
            2,
        ),
        (
            "used after the last look",
            "1000000 1000000",
            "1000000 1000001",
            1,
        ),
    ] {
        let images = images(from, to);
        assert_eq!(images.texts().count(), kept, "{name}");
    }
}

#[test]
fn the_times_of_images_are_bounded() {
    let mut state = full();
    let ids: Vec<String> = (0..5000_u32).map(|n| format!("{n:08x}{n:08x}")).collect();
    let all: Vec<(&str, bool)> = ids.iter().map(|id| (id.as_str(), true)).collect();
    state.images.observe(u64::MAX, "", &all);
    for _ in 0..HISTORY {
        state.push(Record {
            message: "\u{1}".repeat(5000),
            reason: "\u{1}".repeat(5000),
            ..record("b")
        });
    }
    let text = to_json(&state);
    assert!(text.len() < MAX_BYTES, "{}", text.len());
    assert_eq!(parse(text.as_bytes()).unwrap().images, state.images);
    let times = ids.iter().map(|id| format!("\"{id}\":\"1 - 0\""));
    let times = times.collect::<Vec<String>>().join(",");
    let foreign = format!(
        "{{\"kind\":\"evictd-state\",\"version\":1,\"savedAt\":1,\"wallSeconds\":1,\
         \"images\":{{\"lookedAt\":5,\"times\":{{{times}}}}}}}"
    );
    let images = parse(foreign.as_bytes()).unwrap().images;
    assert_eq!(images.texts().count(), evictd_gc::MOST_IMAGES);
}

mod small;

use std::fs;
use std::path::Path;

use evictd_engine::Gate;
use evictd_evict::{OutcomeName, Reaction, StageName, reaction};

use super::*;
use crate::random::Random;

/// Acceptance row 327.
#[test]
fn the_same_seed_is_the_same_story() {
    for seed in 0..6 {
        let plan = Plan::of(seed);
        assert_eq!(run(&plan, true).to_string(), run(&plan, true).to_string());
    }
    let mut random = Random::new(1, 2);
    let first: Vec<u64> = (0..3).map(|_| random.within(0, 999)).collect();
    assert_eq!(first, NUMBERS);
}

const NUMBERS: [u64; 3] = [290, 447, 835];

/// Acceptance row 328: each seed that once went wrong, run for ever.
#[test]
fn what_once_went_wrong_goes_well() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut count = 0;
    for file in fs::read_dir(directory).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let plans = text.lines().filter(|line| !line.starts_with('#'));
        for line in plans {
            let plan = Plan::parse(line).unwrap();
            let report = run(&plan, false);
            assert_eq!(report.violation, None, "{plan}");
            count += 1;
        }
    }
    assert!(count >= 16, "{count} plans");
}

/// Acceptance row 341: what is decided of a run is decided again by its recording alone.
#[test]
fn the_recording_of_a_run_replays_byte_for_byte() {
    let mut decided = 0;
    for seed in 0..15 {
        let plan = Plan::of(seed);
        let recording = watch(&plan).unwrap().recording;
        assert!(
            replay(&plan, &recording).unwrap() == recording,
            "seed {seed}"
        );
        decided += recording.matches("would be evicted").count();
    }
    assert!(decided > 15, "{decided} evictions");
}

#[test]
fn a_plan_reads_as_it_was_written() {
    let mut plan = Plan::of(438);
    assert_eq!(Plan::parse(&plan.to_string()), Some(plan.clone()));
    let off = plan.features.each().next().unwrap();
    plan.features.set(off, false);
    plan.without = 5;
    plan.seconds = 7;
    assert_eq!(Plan::parse(&plan.to_string()), Some(plan));
    assert_eq!(Plan::parse("without=Swap"), None);
}

/// Acceptance rows 393, 394 and 395: a world in which nothing happens shows nothing.
#[test]
fn seeds_meet_what_they_are_to_meet() {
    let mut all = Coverage::default();
    for seed in 0..90 {
        let report = run(&Plan::of(seed), false);
        assert_eq!(report.violation, None, "{}", report.plan);
        all.add(&report.coverage);
    }
    for name in [
        "evicting: memory",
        "evicting: disk",
        "evicting: process ids",
        "evicting: hard",
        "evicting: soft",
        "stuck",
        "kill_refused",
        "came_back",
        "reclaimed: containers",
        "reclaimed: images",
        "reclaimed: build cache",
        "reclaimed: directories",
        "reclaimed: reserve",
        "no pod: freed nothing",
        "no pod: they hold too little",
        "no pod: within requests",
        "oom_killed",
        "relief: reclaim",
        "relief: brake",
        "clocks upset",
        "updates",
        "evicting: limit",
    ] {
        assert!(all.of(name) > 0, "{name}\n{all}");
    }
}

/// The page of ARCHITECTURE.md shows the tables of the code: what each outcome means in each
/// stage, and what holds an eviction back, for how long.
#[test]
fn the_tables_of_the_architecture_are_those_of_the_code() {
    let page = include_str!("../../../../ARCHITECTURE.md");
    let outcomes = OutcomeName::ALL.map(|outcome| outcome.to_string());
    let mut rows = vec![format!("| | {} |", outcomes.join(" | "))];
    for stage in StageName::ALL {
        let cells = OutcomeName::ALL.map(|outcome| match reaction(stage, outcome) {
            Reaction::GoesOn => "goes on",
            Reaction::TooLate => "too late",
            Reaction::Never => "never",
        });
        rows.push(format!("| {stage} | {} |", cells.join(" | ")));
    }
    for (place, gate) in (1..).zip(Gate::ALL) {
        let millis = gate.wait().as_millis();
        rows.push(format!("| {place} | `{gate:?}` | {gate} | {millis} ms |"));
    }
    for row in rows {
        assert!(page.contains(&row), "ARCHITECTURE.md has no row {row}");
    }
}

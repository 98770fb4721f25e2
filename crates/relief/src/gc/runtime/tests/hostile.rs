//! A thing that the runtime does not remove holds up no other thing. A runtime that removes nothing
//! delays an eviction for a bounded time.

use core::time::Duration;

use super::super::FREES_WITHIN;
use super::*;

const IMAGES: [(&str, &[&str]); 6] = [
    ("a", &["r.io/a@sha256:01"]),
    ("b", &["r.io/b@sha256:02"]),
    ("c", &["r.io/c@sha256:03"]),
    ("d", &["r.io/d@sha256:04"]),
    ("e", &["r.io/e@sha256:05"]),
    ("f", &["r.io/f@sha256:06"]),
];

fn collector(patience: Duration) -> RuntimeCollector {
    let flags = [("minimum-image-ttl-duration", "0s")];
    let mut collector = RuntimeCollector::of(&settings(&flags), SharedRecords::default());
    collector.patience = patience;
    collector
}

fn collect_unused(collector: &mut RuntimeCollector, fake: &mut Fake) -> RuntimeCollected {
    let job = Job {
        number: 1,
        what: Collect::Images(ImageJob::DeleteUnused { until: None }),
        dry_run: false,
    };
    collector.collect(fake, &job, &mut |_| {}).unwrap()
}

fn hangs() -> Failure {
    Failure::TimedOut(Duration::from_secs(30))
}

/// The least recently used comes first, each time: it cost all others for ever.
#[test]
fn one_image_whose_removal_hangs_costs_no_other() {
    for failure in [hangs(), Failure::Closed] {
        let mut fake = Fake::with_images(&IMAGES);
        fake.fails = vec![("a", failure)];
        let mut collector = collector(FREES_WITHIN);
        let collected = collect_unused(&mut collector, &mut fake);
        assert_eq!(ids(&collected), ["b", "c", "d", "e", "f"]);
        assert_eq!(collected.errors.len(), 1, "{:?}", collected.errors);
        fake.asked.clear();
        let collected = collect_unused(&mut collector, &mut fake);
        assert_eq!(ids(&collected), ["b", "c", "d", "e", "f"]);
        assert_eq!(fake.asked.len(), 5, "it is not waited for again so soon");
    }
}

#[test]
fn a_runtime_that_removes_nothing_in_time_is_not_asked_on_and_on() {
    let mut fake = Fake::with_images(&IMAGES);
    fake.fails = IMAGES.map(|(name, _)| (name, hangs())).to_vec();
    collect_unused(&mut collector(FREES_WITHIN), &mut fake);
    assert_eq!(fake.asked.len(), 3);
    // Nobody is there.
    let gone = Failure::NotReachable(rustix::io::Errno::CONNREFUSED);
    fake.fails = IMAGES.map(|(name, _)| (name, gone.clone())).to_vec();
    fake.asked.clear();
    collect_unused(&mut collector(FREES_WITHIN), &mut fake);
    assert_eq!(fake.asked.len(), 1);
}

#[test]
fn a_job_that_frees_nothing_leaves_the_rest() {
    let mut fake = Fake::with_images(&IMAGES);
    let collected = collect_unused(&mut collector(Duration::ZERO), &mut fake);
    assert_eq!(ids(&collected), ["a"]);
    let text = collected.summary();
    assert!(text.contains("nothing was freed for 0 s"), "{text}");
    // What it was waited for in vain is no time of the others.
    fake.fails = vec![("a", hangs()), ("b", hangs())];
    let collected = collect_unused(&mut collector(Duration::ZERO), &mut fake);
    assert_eq!(ids(&collected), ["c"]);
    let mut fake = Fake::with_dead(&[("one", true), ("two", true)]);
    let what = Collect::Containers {
        all_unused: true,
        evicted: Arc::from([]),
    };
    let job = Job {
        number: 1,
        what,
        dry_run: false,
    };
    let mut collector = collector(Duration::ZERO);
    let collected = collector.collect(&mut fake, &job, &mut |_| {}).unwrap();
    assert_eq!(collected.removed.len(), 1);
    let mut patient = collector.without_haste();
    let collected = patient.collect(&mut fake, &job, &mut |_| {}).unwrap();
    assert_eq!(collected.removed.len(), 4);
}

/// Each attempt held an eviction up for two minutes.
#[test]
fn a_build_cache_whose_prune_hangs_is_left_alone() {
    let (mut fake, relief) = short_of_room();
    let mut collector = collector(FREES_WITHIN);
    let job = Job {
        number: 1,
        what: Collect::Step(relief),
        dry_run: false,
    };
    fake.fails = vec![("prune", hangs())];
    let mut prune = || collector.collect(&mut fake, &job, &mut |_| {});
    assert!(prune().is_err() && prune().is_ok());
    assert_eq!(fake.pruned.len(), 1);
}

/// A record that is too long is lost, and with it those beside it.
#[test]
fn thousands_of_errors_and_names_fit_into_a_record() {
    let names: Vec<String> = (0..3000)
        .map(|at| format!("{at}/{}", "x".repeat(900)))
        .collect();
    let images: Vec<(&str, &[&str])> = names.iter().map(|name| (&**name, &["r@s"][..])).collect();
    let mut fake = Fake::with_images(&images);
    let mut collected = collect_unused(&mut collector(FREES_WITHIN), &mut fake);
    for number in 0..3000 {
        collected.add_error(format!("{number}: {}", "y".repeat(900)));
    }
    let told = collected.told();
    let size = |(name, value): &(&str, _)| format!("{name}{value}").len();
    let all = told.text.len() + told.fields.iter().map(size).sum::<usize>();
    assert!(all < 16 << 10, "{all}");
    assert!(told.text.contains("and 2996 more errors"), "{}", told.text);
    assert_eq!(told.field("errors").unwrap(), 3000);
}

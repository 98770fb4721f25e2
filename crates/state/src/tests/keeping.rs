use std::fs;

use evictd_cgroup::own::try_lock;

use super::disk::Place;
use super::*;

pub(super) const WAIT: Duration = Duration::from_secs(10);

pub(super) fn about(boot_id: &str, now: u64) -> About {
    About {
        boot_id: boot_id.to_owned(),
        pid: 4711,
        dry_run: false,
        transition: TRANSITION,
        now: seconds(now),
        wall_seconds: 1_000_000 + now,
    }
}

fn open(place: &Place, boot_id: &str, now: u64) -> Keeper {
    let (keeper, problems) = Keeper::open(Some(&place.0), about(boot_id, now), try_lock);
    assert!(problems.is_empty(), "{problems:?}");
    keeper
}

#[test]
fn a_daemon_goes_on_where_the_one_before_ended() {
    let place = Place::new();
    let mut keeper = open(&place, "a-boot", 0);
    let mut evict = machine();
    observe(&mut evict, 0, GI, 9 * GI);
    keeper.begin(record("a"));
    assert!(keeper.keep(seconds(0), 1_000_000, &evict).is_none());
    keeper.end("a", Outcome::Killed, "cgroup.kill", Some(3));
    keeper.close(seconds(5), 1_000_005, &evict, WAIT);

    let keeper = open(&place, "a-boot", 20);
    assert_eq!(keeper.state().saved_at, seconds(5));
    assert_eq!(keeper.state().history[0].outcome, Outcome::Killed);
    assert_eq!(keeper.state().held(), ConditionSet::MEMORY_PRESSURE);
    let mut evict = machine();
    keeper.restore(seconds(20), &mut evict);
    observe(&mut evict, 20, GI, 9 * GI);
    assert_eq!(evict.met().next().unwrap().since, seconds(0));
    keeper.close(seconds(20), 1_000_020, &evict, WAIT);
    assert_eq!(read_state(&place.0).unwrap().unwrap().evictions, 1);
}

/// Acceptance row 370.
#[test]
fn a_dry_run_leaves_a_real_one_its_history_and_nothing_that_counts() {
    let place = Place::new();
    let open = |dry_run, now| {
        let about = About {
            dry_run,
            ..about("a-boot", now)
        };
        let (keeper, problems) = Keeper::open(Some(&place.0), about, try_lock);
        assert!(problems.is_empty(), "{problems:?}");
        keeper
    };
    let mut rehearsing = open(true, 0);
    let mut evict = machine();
    observe(&mut evict, 0, GI, GI / 2);
    rehearsing.begin(Record {
        outcome: Outcome::DryRun,
        ..record("a")
    });
    rehearsing.close(seconds(5), 1_000_005, &evict, WAIT);

    let again = open(true, 10);
    assert_eq!(again.state().held().each().count(), 2);
    again.close(seconds(15), 1_000_015, &evict, WAIT);

    let real = open(false, 20);
    let state = real.state();
    assert_eq!((state.history.len(), state.evictions), (1, 0));
    assert_eq!(state.forgotten(), 0);
    assert_eq!(state.held(), ConditionSet::empty());
    assert_eq!(
        state.held_on(seconds(20), TRANSITION),
        ConditionSet::empty()
    );
    assert_eq!(state.first_met, []);
    observe(&mut evict, 20, GI, GI / 2);
    real.close(seconds(25), 1_000_025, &evict, WAIT);
    // What a real one held, a real one takes over; and a dry run too.
    for (dry_run, at) in [(false, 30), (true, 40)] {
        let next = open(dry_run, at);
        assert_eq!(next.state().held().each().count(), 2);
        next.close(seconds(at), 1_000_000 + at, &evict, WAIT);
    }
}

/// Acceptance row 177.
#[test]
fn protections_are_written_when_they_change_and_only_then() {
    let place = Place::new();
    let mut keeper = open(&place, "a-boot", 0);
    let evict = machine();
    let mut protected = Protected::new();
    let mut keep = |protected: &Protected, at: u64| {
        keeper.take_protected(protected);
        assert!(keeper.keep(seconds(at), 1_000_000 + at, &evict).is_none());
        keeper.settle();
        let state = read_state(&place.0).unwrap().unwrap();
        (state.protected, state.saved_at)
    };
    keep(&protected, 0);
    protected.push(("docker/ab".into(), "unix:///run/docker.sock".to_owned()));
    assert_eq!(keep(&protected, 1), (protected.clone(), seconds(1)));
    assert_eq!(keep(&protected, 60), (protected.clone(), seconds(1)));
    let none = Protected::new();
    assert_eq!(keep(&none, 61), (Protected::new(), seconds(61)));
    keep(&protected, 62);
    keeper.close(seconds(62), 1_000_062, &evict, WAIT);
    let keeper = open(&place, "a-boot", 63);
    assert_eq!(keeper.state().protected, protected);
}

/// Failure F26.
#[test]
fn a_torn_or_foreign_file_is_told_and_replaced() {
    for (name, bytes) in [
        ("torn", &b"{\"kind\":\"evictd-st"[..]),
        ("foreign", b"{\"kind\":\"elevator\"}"),
        ("empty", b""),
    ] {
        let place = Place::new();
        fs::create_dir(&place.0).unwrap();
        fs::write(place.0.join("state.json"), bytes).unwrap();
        let (mut keeper, problems) = Keeper::open(Some(&place.0), about("a-boot", 0), try_lock);
        assert_eq!(problems.len(), 1, "{name}");
        let mut evict = machine();
        keeper.restore(seconds(0), &mut evict);
        observe(&mut evict, 0, GI, 9 * GI);
        assert!(keeper.keep(seconds(0), 7, &evict).is_none(), "{name}");
        keeper.close(seconds(0), 7, &evict, WAIT);
        let read = read_state(&place.0).unwrap().unwrap();
        assert_eq!(read.held(), ConditionSet::MEMORY_PRESSURE, "{name}");
    }
}

#[test]
fn a_directory_that_cannot_be_used_is_done_without() {
    let place = Place::new();
    let first = open(&place, "a-boot", 0);
    let (mut second, problems) = Keeper::open(Some(&place.0), about("a-boot", 0), try_lock);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].to_string().ends_with("another evictd uses it"),
        "{problems:?}"
    );
    let (mut third, problems) = Keeper::open(None, about("a-boot", 0), try_lock);
    assert!(problems.is_empty());
    let mut evict = machine();
    observe(&mut evict, 0, GI, 9 * GI);
    for keeper in [&mut second, &mut third] {
        keeper.begin(record("a"));
        assert!(keeper.keep(seconds(0), 0, &evict).is_none());
        assert_eq!(keeper.state().held(), ConditionSet::MEMORY_PRESSURE);
        assert_eq!(keeper.state().history.len(), 1);
    }
    drop(first);
}

/// What is written when: the times of what is met every 10 s, the rest at once.
#[test]
fn what_matters_is_kept_at_once_and_nothing_while_nothing_happens() {
    let mut keeper = Keeper::open(None, about("a-boot", 0), try_lock).0;
    let mut evict = machine();
    for (at, memory, evicted, expected) in [
        (1, 9 * GI, false, 1), // the first state
        (2, 9 * GI, false, 1),
        (50, 9 * GI, false, 1), // nothing goes on
        (51, GI, false, 51),    // a condition
        (52, GI, false, 51),
        (61, GI, false, 61), // its times
        (62, GI, true, 62),  // an eviction
        (63, 9 * GI, false, 62),
        (72, 9 * GI, false, 72), // the end of a threshold
        (90, 9 * GI, false, 72), // held, not observed
        (361, 9 * GI, false, 72),
        (362, 9 * GI, false, 362), // the condition is left
    ] {
        observe(&mut evict, at, memory, 9 * GI);
        if evicted {
            keeper.begin(record("a"));
        }
        assert!(keeper.keep(seconds(at), at, &evict).is_none());
        assert_eq!(keeper.state().saved_at, seconds(expected), "{at}");
    }
}

/// A directory that vanishes stands for all that can go wrong while writing.
#[test]
fn a_failure_to_write_is_told_once_and_mended_when_it_ends() {
    let place = Place::new();
    let mut keeper = open(&place, "a-boot", 0);
    let mut evict = machine();
    let mut round = |keeper: &mut Keeper, at: u64| {
        observe(&mut evict, at, 9 * GI, 9 * GI);
        keeper.begin(record("a"));
        let error = keeper.keep(seconds(at), at, &evict);
        keeper.settle();
        error.map(|error| error.to_string())
    };
    let spare = place.0.join("state.spare");
    let spoil = || {
        fs::remove_file(&spare).unwrap();
        fs::create_dir(&spare).unwrap();
    };
    assert_eq!(round(&mut keeper, 1), None);
    spoil();
    assert_eq!(round(&mut keeper, 2), None);
    let told = round(&mut keeper, 3).unwrap();
    assert!(told.contains("state.spare: Is a directory"), "{told}");
    assert_eq!(round(&mut keeper, 4), None);
    fs::remove_dir(&spare).unwrap();
    assert_eq!(round(&mut keeper, 5), None);
    assert_eq!(round(&mut keeper, 6), None);
    let read = read_state(&place.0).unwrap().unwrap();
    assert_eq!((read.saved_at, read.evictions), (seconds(6), 6));
    spoil();
    assert_eq!(round(&mut keeper, 7), None);
    assert!(round(&mut keeper, 8).is_some(), "it began to fail anew");
}

/// Acceptance row 280.
#[test]
fn an_eviction_is_kept_before_it_is_told() {
    let place = Place::new();
    let mut keeper = open(&place, "a-boot", 0);
    let evict = machine();
    assert!(keeper.keep(seconds(0), 1_000_000, &evict).is_none());
    let uids: Vec<String> = (0..32).map(|number| number.to_string()).collect();
    for uid in &uids {
        keeper.begin(record(uid));
        // A process that is killed now writes nothing more.
        keeper.settle_begun();
        let state = read_state(&place.0).unwrap().unwrap();
        assert_eq!(state.history.last().map(|last| &last.uid), Some(uid));
    }
    let kept = |state: &State| {
        let kept: Vec<_> = state.history.iter().map(|of| of.uid.clone()).collect();
        assert_eq!((&kept, state.evictions), (&uids, 32));
    };
    kept(&read_state(&place.0).unwrap().unwrap());
    // Once more in the state itself, they are not there twice.
    assert!(keeper.keep(seconds(1), 1_000_001, &evict).is_none());
    keeper.settle();
    assert_eq!(fs::metadata(place.0.join("begun.jsonl")).unwrap().len(), 0);
    kept(&read_state(&place.0).unwrap().unwrap());
    // What the state has got since is not taken from it.
    keeper.begin(record("33"));
    keeper.end("33", Outcome::Killed, "SIGKILL", Some(1));
    keeper.close(seconds(2), 1_000_002, &evict, WAIT);
    let state = read_state(&place.0).unwrap().unwrap();
    assert_eq!(state.history.last().unwrap().outcome, Outcome::Killed);
    assert_eq!((state.history.len(), state.evictions), (33, 33));
}

/// Acceptance row 280: a daemon that starts takes them over.
#[test]
fn what_a_killed_daemon_has_begun_is_taken_over() {
    let place = Place::new();
    let line = |uid: &str| serde_json::to_string(&record(uid)).unwrap();
    let torn = line("c");
    let (torn, _) = torn.split_at(torn.len() / 2);
    let text = format!("{}\n[1]\n\n{}\n{torn}", line("a"), line("b"));
    fs::create_dir(&place.0).unwrap();
    fs::write(place.0.join("begun.jsonl"), text).unwrap();
    let mut keeper = open(&place, "a-boot", 0);
    let uids = |state: &State| {
        state
            .history
            .iter()
            .map(|of| of.uid.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(uids(keeper.state()), ["a", "b"]);
    assert!(keeper.keep(seconds(0), 1_000_000, &machine()).is_none());
    keeper.settle();
    assert_eq!(fs::metadata(place.0.join("begun.jsonl")).unwrap().len(), 0);
    assert_eq!(uids(&read_state(&place.0).unwrap().unwrap()), ["a", "b"]);
}

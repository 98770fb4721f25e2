//! Files of the state directory that somebody changed, a disk damaged, or a newer evictd
//! wrote: what can be read counts, what cannot is kept aside, and evictd goes on.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use evictd_cgroup::own::try_lock;
use evictd_testkit::needs;

use super::disk::{Place, Tmpfs};
use super::keeping::{WAIT, about};
use super::*;

const FILES: [&str; 5] = [
    "state.json",
    "state.spare",
    "begun.jsonl",
    "events.jsonl",
    "events.old.jsonl",
];

fn open(place: &Path) -> (Keeper, Vec<String>) {
    let (keeper, problems) = Keeper::open(Some(place), about("a-boot", 200), try_lock);
    let problems = problems.iter().map(ToString::to_string).collect();
    (keeper, problems)
}

/// What evictd does in a few rounds, with an eviction and an event in each. Returns what it
/// reports.
fn go_on(mut keeper: Keeper) -> Vec<String> {
    let evict = machine();
    let mut reported = Vec::new();
    for round in 0..6 {
        let at = seconds(201 + round);
        keeper.begin(record(&format!("new-{round}")));
        reported.extend(keeper.keep(at, 1_000_201 + round, &evict));
        let event = format!("{{\"round\":{round},\"text\":\"{}\"}}\n", "x".repeat(9000));
        reported.extend(keeper.keep_events(at, &event));
        keeper.settle();
    }
    keeper.close(seconds(210), 1_000_210, &evict, WAIT);
    reported.iter().map(ToString::to_string).collect()
}

fn uids(place: &Path) -> Vec<String> {
    let state = read_state(place).unwrap().unwrap();
    state.history.iter().map(|of| of.uid.clone()).collect()
}

/// A directory as evictd left it, with something in each file.
fn left() -> Place {
    let place = Place::new();
    fs::create_dir(&place.0).unwrap();
    fs::write(place.0.join("state.json"), to_json(&full())).unwrap();
    fs::write(place.0.join("state.spare"), "").unwrap();
    let line = serde_json::to_string(&record("begun")).unwrap();
    fs::write(place.0.join("begun.jsonl"), line).unwrap();
    fs::write(place.0.join("events.jsonl"), "{\"sequence\":2}\n").unwrap();
    fs::write(place.0.join("events.old.jsonl"), "{\"sequence\":1}\n").unwrap();
    place
}

/// The records of a state that end before a byte of its text.
fn ended_before(text: &str, byte: usize) -> usize {
    let history = text.find("\"history\":[").unwrap();
    let ends = text.match_indices("\"millis\":");
    let ends = ends.filter_map(|(at, _)| Some(at + text.get(at..)?.find('}')?));
    ends.filter(|end| (history..byte).contains(end)).count()
}

#[test]
fn a_flipped_bit_costs_no_record_before_it() {
    let text = to_json(&full());
    for byte in 0..text.len() {
        let mut damaged = text.clone().into_bytes();
        damaged[byte] ^= 1 << (byte % 8);
        match parse(&damaged) {
            Ok(state) => {
                let kept = full().history;
                let whole = ended_before(&text, byte);
                assert!(state.history.len() >= whole, "byte {byte}");
                assert_eq!(state.history[..whole], kept[..whole], "byte {byte}");
                assert!(parse(to_json(&state).as_bytes()).is_ok(), "byte {byte}");
            }
            Err(error) => {
                let head = text.find("\"bootId\"").unwrap();
                assert!(byte < head, "byte {byte}: {error}");
            }
        }
    }
}

#[test]
fn a_torn_state_keeps_what_stands_before_the_tear() {
    let text = to_json(&full());
    let head = text.find("\"bootId\"").unwrap();
    for length in head..text.len() {
        let state = parse(&text.as_bytes()[..length]);
        let state = state.unwrap_or_else(|error| panic!("{length}: {error}"));
        let whole = ended_before(&text, length);
        assert_eq!(state.history[..whole], full().history[..whole], "{length}");
    }
}

/// A downgrade, and a file that is damaged: neither is destroyed.
#[test]
fn a_state_that_cannot_be_read_is_kept_aside_and_reported_once() {
    let whole = to_json(&full());
    let newer = whole.replacen("\"version\":1", "\"version\":2", 1);
    for (name, text, reported, is_used) in [
        ("newer", newer, "its version is another", false),
        (
            "another program's",
            "{\"kind\":\"elevator\"}".to_owned(),
            "its kind is another",
            false,
        ),
        (
            "torn",
            whole
                .strip_suffix("\"}]}")
                .unwrap_or_else(|| panic!("{whole}"))
                .to_owned(),
            "damaged at byte",
            true,
        ),
    ] {
        let place = left();
        fs::write(place.0.join("state.json"), &text).unwrap();
        let (keeper, problems) = open(&place.0);
        assert_eq!(problems.len(), 1, "{name}: {problems:?}");
        assert!(problems[0].contains(reported), "{name}: {problems:?}");
        assert!(
            problems[0].ends_with("; kept as state.unread"),
            "{name}: {problems:?}"
        );
        assert_eq!(go_on(keeper), [""; 0], "{name}");
        let kept = fs::read_to_string(place.0.join("state.unread")).unwrap();
        assert_eq!(kept, text, "{name}");
        let uids = uids(&place.0);
        assert!(uids.contains(&"begun".to_owned()), "{name}: {uids:?}");
        assert_eq!(uids.contains(&"a".to_owned()), is_used, "{name}: {uids:?}");
        let (_, problems) = open(&place.0);
        assert_eq!(problems, [""; 0], "{name}: once");
    }
}

#[test]
fn a_state_from_the_future_holds_nothing() {
    let mut state = full();
    state.saved_at = Mono::from_nanos(u64::MAX);
    state.wall_seconds = u64::MAX;
    for condition in &mut state.conditions {
        condition.held = true;
        condition.last_observed = Some(Mono::from_nanos(u64::MAX));
    }
    let place = left();
    fs::write(place.0.join("state.json"), to_json(&state)).unwrap();
    let (keeper, problems) = open(&place.0);
    assert_eq!(problems, [""; 0]);
    let state = keeper.state();
    assert_eq!(state.held(), ConditionSet::empty());
    assert_eq!(
        state.held_on(seconds(200), TRANSITION),
        ConditionSet::empty()
    );
    assert_eq!(state.evict_state(seconds(200)).first_met, []);
    assert_eq!(state.protected, Protected::new());
    assert_eq!(go_on(keeper), [""; 0]);
}

/// What becomes of one file costs neither another nor a file elsewhere.
fn check_tampered(what: &str, tamper: impl Fn(&Path, &Path)) {
    for name in FILES {
        let place = left();
        let elsewhere = place.0.with_extension("elsewhere");
        fs::write(&elsewhere, "precious").unwrap();
        tamper(&place.0.join(name), &elsewhere);
        let (keeper, problems) = open(&place.0);
        let mut reported = problems;
        reported.extend(go_on(keeper));
        let is_once = reported.len() <= 1;
        assert!(is_once, "{what} as {name} is reported once: {reported:?}");
        assert_eq!(
            fs::read_to_string(&elsewhere).unwrap(),
            "precious",
            "{what}: {name}"
        );
        fs::remove_file(&elsewhere).unwrap();
        let text = read_events(&place.0).unwrap_or_else(|error| panic!("{what}: {name}: {error}"));
        if name == "state.spare" && what == "a directory" {
            // The state cannot be written: it was reported, and what is there stays.
            assert_eq!(reported.len(), 1, "{reported:?}");
            assert_eq!(uids(&place.0)[0], "a");
            continue;
        }
        let uids = uids(&place.0);
        assert!(
            uids.contains(&"new-5".to_owned()),
            "{what}: {name}: {uids:?}"
        );
        assert_eq!(
            uids.contains(&"a".to_owned()),
            name != "state.json",
            "{what}: {name}: {uids:?}"
        );
        assert_eq!(
            uids.contains(&"begun".to_owned()),
            name != "begun.jsonl",
            "{what}: {name}: {uids:?}"
        );
        if !(name.starts_with("events") && what == "a directory") {
            assert!(text.contains("\"round\":5"), "{what}: {name}");
        }
        let _ = open(&place.0);
    }
}

#[test]
fn a_directory_in_a_files_place_costs_that_file() {
    check_tampered("a directory", |path, _| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("inner"), "").unwrap();
    });
}

#[test]
fn a_pipe_in_a_files_place_costs_that_file() {
    check_tampered("a pipe", |path, _| {
        fs::remove_file(path).unwrap();
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    });
}

#[test]
fn a_link_in_a_files_place_is_not_followed() {
    check_tampered("a link", |path, elsewhere| {
        fs::remove_file(path).unwrap();
        symlink(elsewhere, path).unwrap();
    });
    check_tampered("a hard link", |path, elsewhere| {
        fs::remove_file(path).unwrap();
        fs::hard_link(elsewhere, path).unwrap();
    });
}

#[test]
fn a_file_that_others_may_write_is_not_believed() {
    check_tampered("open to others", |path, _| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
    });
}

#[test]
fn a_huge_file_costs_itself() {
    check_tampered("1 GiB of nothing", |path, _| {
        fs::remove_file(path).unwrap();
        File::create(path).unwrap().set_len(1 << 30).unwrap();
    });
}

/// Failure F26, with all that is written.
#[test]
fn a_full_disk_costs_nothing_that_was_there() {
    needs!(Mounting);
    let disk = Tmpfs::mount(512);
    let place = &disk.0.0;
    let (mut keeper, problems) = open(place);
    assert_eq!(problems, [""; 0]);
    let evict = machine();
    let event = |round: u64| format!("{{\"round\":{round},\"text\":\"{}\"}}\n", "x".repeat(9000));
    keeper.begin(record("before"));
    assert_eq!(keeper.keep(seconds(200), 1_000_200, &evict), None);
    assert_eq!(keeper.keep_events(seconds(200), &event(0)), None);
    keeper.settle();
    assert!(fs::write(place.join("filler"), vec![0; 1 << 20]).is_err());
    let mut reported = Vec::new();
    for round in 1..20 {
        let at = seconds(200 + round);
        keeper.begin(record(&format!("full-{round}")));
        reported.extend(keeper.keep(at, 1_000_200 + round, &evict));
        reported.extend(keeper.keep_events(at, &event(round)));
        keeper.settle();
    }
    let uids_now = uids(place);
    assert_eq!(
        (uids_now.len(), &*uids_now[0]),
        (20, "before"),
        "the state's room was kept"
    );
    let text = read_events(place).unwrap();
    assert!(text.starts_with(&event(0)), "what was there");
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].to_string().contains("No space left"),
        "{reported:?}"
    );

    fs::remove_file(place.join("filler")).unwrap();
    assert_eq!(go_on(keeper), [""; 0]);
    assert_eq!(uids(place).last().map(String::as_str), Some("new-5"));
    assert!(read_events(place).unwrap().ends_with(&format!(
        "{{\"round\":5,\"text\":\"{}\"}}\n",
        "x".repeat(9000)
    )));
}

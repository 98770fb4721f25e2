use std::fs;
use std::path::PathBuf;

use super::*;
use crate::files::Home;
use crate::files::{Journal, MOST};

/// A directory of the test's own, which ends with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evictd-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn home(&self) -> Home {
        Home::open(&self.0).unwrap()
    }

    fn read(&self) -> Vec<String> {
        let text = read_events(&self.0).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn record(number: u32) -> String {
    format!(
        "{{\"sequence\":{number},\"text\":\"{}\"}}\n",
        "x".repeat(200)
    )
}

#[test]
fn events_are_read_in_order_and_their_files_are_bounded() {
    let place = Place::new("events-bounded");
    assert!(place.read().is_empty());
    let mut journal = Journal::new();
    for number in 0..1000 {
        journal
            .add(&place.home(), seconds(1), &record(number))
            .unwrap();
    }
    let size = |name: &str| fs::metadata(place.0.join(name)).unwrap().len();
    assert!(size("events.jsonl") <= MOST && size("events.old.jsonl") <= MOST);
    let read = place.read();
    let first = 1000 - u32::try_from(read.len()).unwrap();
    let all: Vec<String> = (first..1000)
        .map(|n| record(n).trim_end().to_owned())
        .collect();
    assert!(read.len() > 100);
    assert_eq!(read, all);
}

/// A power failure tore the last record: the next one is whole.
#[test]
fn a_torn_record_costs_itself_alone() {
    let place = Place::new("events-torn");
    fs::write(place.0.join("events.jsonl"), "{\"sequence\":1}\n{\"sequ").unwrap();
    let mut journal = Journal::new();
    journal
        .add(&place.home(), seconds(1), "{\"sequence\":3}\n")
        .unwrap();
    assert_eq!(
        place.read(),
        ["{\"sequence\":1}", "{\"sequ", "{\"sequence\":3}"]
    );
}

#[test]
fn so_much_is_written_a_day_and_no_more() {
    const DAY: u64 = 24 * 60 * 60;
    let place = Place::new("events-a-day");
    let mut journal = Journal::new();
    let large = format!("{}\n", "x".repeat(15 << 10));
    let mut written = 0;
    while let Ok(()) = journal.add(&place.home(), seconds(5), &large) {
        written += large.len();
    }
    assert!(
        ((1 << 20) - large.len()..=1 << 20).contains(&written),
        "{written}"
    );
    let error = journal
        .add(&place.home(), seconds(DAY), &large)
        .unwrap_err();
    assert!(error.to_string().contains("1 MiB of events"), "{error}");
    journal
        .add(&place.home(), seconds(DAY + 5), &large)
        .unwrap();
}

fn keeper_of(place: &Place) -> Keeper {
    let about = About {
        boot_id: "boot".into(),
        pid: 1,
        dry_run: false,
        transition: TRANSITION,
        now: seconds(1),
        wall_seconds: 1,
    };
    let (keeper, problems) = Keeper::open(Some(&place.0), about, |_, _| Ok(true));
    assert!(problems.is_empty(), "{problems:?}");
    keeper
}

#[test]
fn a_keeper_hands_events_to_its_directory() {
    let place = Place::new("events-kept");
    let mut keeper = keeper_of(&place);
    assert_eq!(keeper.keep_events(seconds(2), "{}\n"), None);
    keeper.settle();
    assert_eq!(place.read(), ["{}"]);
    // Once, as long as the reason stays the same.
    fs::create_dir(place.0.join("events.old.jsonl")).unwrap();
    let full = format!("{}\n", "x".repeat(12 << 10));
    let mut told = Vec::new();
    for _ in 0..5 {
        told.extend(keeper.keep_events(seconds(3), &full));
        keeper.settle();
    }
    assert_eq!(told.len(), 1, "{told:?}");
}

/// A pod that crashes a thousand times a second, each time with an event.
#[test]
fn a_flood_of_events_is_bounded_and_reported_once() {
    let place = Place::new("events-flood");
    let mut keeper = keeper_of(&place);
    let evict = machine();
    let mut told = Vec::new();
    for number in 0..20_000 {
        told.extend(keeper.keep_events(seconds(2), &record(number)));
        if number % 100 == 0 {
            keeper.note_oom_kill(Record {
                outcome: Outcome::OomKilled,
                ..super::record("crashing")
            });
            told.extend(keeper.keep(seconds(2), 2, &evict));
            keeper.settle();
        }
    }
    keeper.settle();
    let size = |name: &str| fs::metadata(place.0.join(name)).unwrap().len();
    assert!(size("events.jsonl") <= MOST && size("events.old.jsonl") <= MOST);
    assert!(told.len() <= 1, "{told:?}");
    // It pushes nothing out of the history.
    let crashes = keeper.state().history.iter();
    assert_eq!(crashes.filter(|of| of.uid == "crashing").count(), 1);
    assert!(size("state.json") <= 352 << 10);
}

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::*;

const T: u64 = 1_795_179_906;
const MINUTE: u64 = 60;
const DAY: u64 = 24 * 3600;

const A: &str = "sha256:aaaaaaaaaaaaaaaa0000";
const B: &str = "sha256:bbbbbbbbbbbbbbbb0000";

/// When first detected and last used, in seconds before `now`.
fn ages(records: &ImageRecords, id: &str, now: u64) -> Option<(i64, Option<i64>)> {
    let ago = |nanos: i64| now.cast_signed() - nanos / 1_000_000_000;
    let record = records.get(id)?;
    Some((
        ago(record.first_detected_nanos),
        record.last_used_nanos.map(ago),
    ))
}

#[test]
fn images_are_detected_used_and_forgotten() {
    let mut records = ImageRecords::default();
    assert_eq!(records.get(A), None);
    records.observe(T, "", &[(A, true), (B, false)]);
    assert_eq!(ages(&records, A, T), Some((0, Some(0))));
    assert_eq!(ages(&records, B, T), Some((0, None)));
    let now = T + 5 * MINUTE;
    records.observe(now, "", &[(B, false), (A, false)]);
    assert_eq!(ages(&records, A, now), Some((300, Some(300))));
    assert_eq!(ages(&records, B, now), Some((300, None)));
    records.observe(now, "", &[(B, true), (B, false)]);
    assert_eq!(ages(&records, A, now), None);
    assert_eq!(ages(&records, B, now), Some((300, Some(0))));
    records.observe(now, "", &[(B, false)]);
    assert_eq!(ages(&records, A, now), None);
    records.observe(now, "", &[(A, false)]);
    assert_eq!(ages(&records, A, now), Some((0, None)), "pulled anew");
}

/// Decision D37, failure F11.
#[test]
fn only_time_that_somebody_looked_makes_old() {
    let looked = |passed: i64| {
        let mut records = ImageRecords::default();
        records.observe(T - DAY, "", &[(A, false), (B, true)]);
        records.observe(T - DAY + MINUTE, "", &[(A, false), (B, false)]);
        records.observe(T, "", &[(A, true), (B, false)]);
        let now = T.checked_add_signed(passed).unwrap();
        records.observe(now, "", &[(A, false), (B, false)]);
        (
            ages(&records, A, now).unwrap(),
            ages(&records, B, now).unwrap().0,
        )
    };
    let day = DAY.cast_signed();
    for (name, passed, last_used, first_detected) in [
        ("five minutes", 300, 300, day + 300),
        ("an hour", 3600, 3600, day + 3600),
        (
            "longer: until when it was used nobody knows",
            3601,
            0,
            day + 3601,
        ),
        ("two days", 2 * day, 0, 3 * day),
        ("a month off", 30 * day, 0, 3 * day),
        ("the clock was set back", -3600, 0, day),
        ("it was set to 1970", -T.cast_signed() + 5, 0, 5),
    ] {
        let (a, b) = looked(passed);
        assert_eq!((a.1, b), (Some(last_used), first_detected), "{name}");
    }
    // A board without a clock: 1970 until the time is known.
    let mut records = ImageRecords::default();
    records.observe(7, "", &[(A, false)]);
    records.observe(T, "", &[(A, false)]);
    assert_eq!(ages(&records, A, T), Some((2 * DAY.cast_signed(), None)));
    records.observe(u64::MAX, "", &[(A, true)]);
    records.observe(0, "", &[(A, true)]);
    assert_eq!(ages(&records, A, 0), Some((0, Some(0))));
}

#[test]
fn the_number_of_images_is_bounded() {
    let ids: Vec<String> = (0..MOST_IMAGES + 10)
        .map(|n| format!("sha256:{n:064x}"))
        .collect();
    // The digest's head is what is kept.
    let ids: Vec<String> = ids.iter().map(|id| id.chars().rev().collect()).collect();
    let all: Vec<(&str, bool)> = ids.iter().map(|id| (id.as_str(), false)).collect();
    let mut records = ImageRecords::default();
    records.observe(T, "", &all);
    assert_eq!(records.texts().count(), MOST_IMAGES);
    let (gone, left) = all.split_at(20);
    let unknown = left
        .iter()
        .filter(|(id, _)| records.get(id).is_none())
        .count()
        + gone
            .iter()
            .filter(|(id, _)| records.get(id).is_none())
            .count();
    assert_eq!(unknown, 10);
    records.observe(T + 60, "", left);
    assert!(left.iter().all(|(id, _)| records.get(id).is_some()));
    assert_eq!(records.texts().count(), left.len());
}

#[test]
fn what_was_kept_is_taken_up_again() {
    let mut records = ImageRecords::default();
    records.observe(T, "", &[(A, true), (B, false), ("an id", false)]);
    records.observe(T, "unix:///other", &[("d", false)]);
    let texts: Vec<(String, String)> = records.texts().collect();
    let texts = texts.iter().map(|(key, text)| (&**key, &**text));
    let again = ImageRecords::restore(records.looked_at(), texts);
    assert_eq!(again, records);
    let restored = |texts: &[&str]| {
        let texts = texts.iter().map(|text| ("aaaaaaaaaaaaaaaa", *text));
        ImageRecords::restore(T, texts).texts().count()
    };
    for (name, texts, expected) in [
        ("now", &["1795179906 1795179906 0"][..], 1),
        ("detected later", &["1795179907 - 0"], 0),
        ("used later", &["1 1795179907 0"], 0),
        ("twice", &["1 - 0", "2 - 0"], 1),
        ("torn", &["1 -"], 0),
        ("longer", &["1 - 0 0"], 0),
        ("no numbers", &["- - 0"], 0),
        ("nothing", &[""], 0),
    ] {
        assert_eq!(restored(texts), expected, "{name}");
    }
}

/// Several are served at once.
#[test]
fn a_runtime_speaks_for_its_own_images_only() {
    let mut records = ImageRecords::default();
    records.observe(T, "one", &[(A, true)]);
    records.observe(T + 1, "two", &[(B, false)]);
    let now = T + 60;
    records.observe(now, "two", &[]);
    assert_eq!(ages(&records, A, now), Some((60, Some(60))));
    assert_eq!(ages(&records, B, now), None);
    // One that both hold is used if either uses it.
    records.observe(now, "two", &[(A, true)]);
    records.observe(now, "one", &[(A, false)]);
    assert_eq!(ages(&records, A, now), Some((60, Some(0))));
    // Which of them looked last makes no difference after a long pause.
    let later = now + 5000;
    records.observe(now + 9, "two", &[]);
    records.observe(later, "one", &[(A, false)]);
    assert_eq!(ages(&records, A, later), Some((5060, Some(0))));
}

#[test]
fn keys_are_digests_heads_or_hashes() {
    for (id, expected) in [
        (A, "aaaaaaaaaaaaaaaa"),
        ("aaaaaaaaaaaaaaaa0000", "aaaaaaaaaaaaaaaa"),
        ("", "cbf29ce484222325"),
        ("a", "af63dc4c8601ec8c"),
    ] {
        let mut records = ImageRecords::default();
        records.observe(T, "", &[(id, false)]);
        let texts: Vec<(String, String)> = records.texts().collect();
        assert_eq!(texts[0].0, expected);
    }
    for text in [
        "",
        "aaaaaaaaaaaaaaa",
        "AAAAAAAAAAAAAAAA",
        "+aaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaaa",
    ] {
        let records = ImageRecords::restore(T, [(text, "1 - 0")]);
        assert_eq!(records.texts().count(), 0, "{text}");
    }
}

#[test]
fn a_use_between_two_looks_counts() {
    let mut records = ImageRecords::default();
    records.observe(100, "a", &[("sha256:one", false), ("sha256:two", false)]);
    records.note_used(130, ["sha256:two", "sha256:unheard-of"]);
    let last = |id| records.get(id).and_then(|record| record.last_used_nanos);
    assert_eq!(last("sha256:one"), None);
    assert_eq!(last("sha256:two"), Some(130_000_000_000));
    assert_eq!(
        records.get("sha256:unheard-of"),
        None,
        "a use is no detection"
    );
    assert_eq!(records.looked_at(), 130);
}

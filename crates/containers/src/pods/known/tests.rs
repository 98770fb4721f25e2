use rustix::io::Errno;

use super::*;
use crate::pods::patience::Rest;
use crate::{ContainerState, Failure};

fn found(id: &str) -> Found {
    let mut found = Found::default();
    found.container.id = id.into();
    found.container.state = ContainerState::Running;
    found.told = "running".into();
    found
}

fn described(found: &Found) -> Details {
    Details {
        told: found.told.clone(),
        pid: 7,
        ..Details::default()
    }
}

fn failed(failure: Failure) -> Answer {
    Err(Error::new("e", "inspect", failure))
}

/// Asks for these, one at a time; returns which were asked for, and which are described.
fn update(
    known: &mut Known,
    ids: &[&str],
    within: Duration,
    answer: impl Fn(&Found) -> Answer,
) -> (String, String) {
    let listed = ids.iter().map(|id| found(id)).collect();
    let mut asked = String::new();
    let ask = |questions: &[Question<'_>], _| {
        let found = questions.iter().map(|(found, _)| *found);
        found
            .map(|found| {
                asked += &found.container.id;
                answer(found)
            })
            .collect()
    };
    let all = known.update(listed, (1, within), &mut Vec::new(), ask);
    let all = all.unwrap();
    let described = all.iter().filter(|(_, details)| details.pid > 0);
    let described = described.map(|(found, _)| &*found.container.id).collect();
    (asked, described)
}

const LONG: Duration = Duration::from_secs(60);

fn tells(found: &Found) -> Answer {
    Ok(Some(described(found)))
}

/// Acceptance row 196: 433,854 calls were made for one list.
#[test]
fn what_takes_too_long_is_asked_for_the_next_time() {
    let mut known = Known::with(Path::new("/nonexistent"));
    let mut of = |within| update(&mut known, &["a"], within, tells);
    assert_eq!(of(Duration::ZERO), ("".into(), "".into()));
    assert_eq!(of(LONG), ("a".into(), "a".into()));
    assert_eq!(
        of(Duration::ZERO),
        ("".into(), "a".into()),
        "it is known by now"
    );
}

#[test]
fn one_that_fails_rests_and_costs_no_other() {
    let mut known = Known::with(Path::new("/nonexistent"));
    let answer = |found: &Found| match &*found.container.id {
        "a" => failed(Failure::Closed),
        "b" => Ok(None),
        _ => tells(found),
    };
    let mut of = |ids| update(&mut known, ids, LONG, answer);
    assert_eq!(of(&["a", "b", "c"]), ("abc".into(), "c".into()));
    assert_eq!(of(&["a", "c", "d"]), ("d".into(), "cd".into()));
    for entry in &mut known.all {
        entry.rest = Rest::default();
        if &*entry.id == "a" {
            // Its rest was over long ago.
            entry.rest.begin(Instant::now() - LONG);
        }
    }
    let (asked, described) = update(&mut known, &["a", "c", "d", "e"], LONG, tells);
    assert_eq!((&*asked, &*described), ("ea", "acde"), "it comes last");
}

/// It is told in another state than the one that is listed, each time.
#[test]
fn one_that_is_never_described_as_it_is_listed_rests() {
    let mut known = Known::with(Path::new("/nonexistent"));
    let answer = |found: &Found| {
        Ok(Some(Details {
            told: "?".into(),
            fault: Some("State".into()),
            ..described(found)
        }))
    };
    let mut of = || update(&mut known, &["a"], LONG, answer);
    assert_eq!(of(), ("a".into(), "a".into()));
    assert_eq!(of(), ("".into(), "a".into()));
    known.end_rests();
    assert_eq!(
        update(&mut known, &["a", "b"], LONG, tells),
        ("ba".into(), "ab".into()),
        "it comes last"
    );
}

/// Those that failed are asked by themselves, with all the time that is left.
#[test]
fn time_is_left_for_others() {
    let mut known = Known::with(Path::new("/nonexistent"));
    let mut asked = Vec::new();
    let mut list = |known: &mut Known, ids: &[&str]| {
        let listed = ids.iter().map(|id| found(id)).collect();
        let ask = |questions: &[Question<'_>], within: Duration| {
            asked.push((questions.len(), within.as_millis()));
            let answer = |(found, _): &Question<'_>| match &*found.container.id {
                "a" => failed(Failure::TimedOut(within)),
                _ => tells(found),
            };
            questions.iter().map(answer).collect()
        };
        let mut notes = Vec::new();
        known.update(listed, (2, LONG), &mut notes, ask).unwrap();
        assert_eq!(notes, ["container a: inspect: no answer in time"]);
    };
    list(&mut known, &["a", "b"]);
    known.end_rests();
    list(&mut known, &["a", "b", "c"]);
    let [first, second, third] = asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!((first, second), ((2, 1000), (1, 1000)));
    assert!(third.0 == 1 && third.1 > 1900);
}

/// What was known before stays.
#[test]
fn where_nobody_listens_there_is_no_list() {
    let mut known = Known::with(Path::new("/nonexistent"));
    update(&mut known, &["a"], LONG, tells);
    let refuse = |_: &[Question<'_>], _| vec![failed(Failure::NotReachable(Errno::CONNREFUSED))];
    let listed = vec![found("b")];
    let all = known.update(listed, (1, LONG), &mut Vec::new(), refuse);
    assert!(all.is_err());
    let before = update(&mut known, &["a"], LONG, tells);
    assert_eq!(before, ("".into(), "a".into()));
}

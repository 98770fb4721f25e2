use rustix::io::Errno;

use super::*;
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
    let (mut asked, mut patience) = (String::new(), Patience::default());
    let ask = |questions: &[Question<'_>], _, _: &mut Vec<String>| {
        let found = questions.iter().map(|(found, _)| *found);
        found
            .map(|found| {
                asked += &found.container.id;
                answer(found)
            })
            .collect()
    };
    let how = (1, &mut patience);
    let all = known.update_together(listed, within, how, &mut Vec::new(), ask);
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

/// What was known before stays.
#[test]
fn where_nobody_listens_there_is_no_list() {
    let mut known = Known::with(Path::new("/nonexistent"));
    update(&mut known, &["a"], LONG, tells);
    let mut patience = Patience::default();
    let refuse = |_: &[Question<'_>], _, _: &mut Vec<String>| {
        vec![failed(Failure::NotReachable(Errno::CONNREFUSED))]
    };
    let listed = vec![found("b")];
    let how = (1, &mut patience);
    let all = known.update_together(listed, LONG, how, &mut Vec::new(), refuse);
    assert!(all.is_err());
    let before = update(&mut known, &["a"], LONG, tells);
    assert_eq!(before, ("".into(), "a".into()));
}

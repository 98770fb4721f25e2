use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::super::*;

const MIB: u64 = 1 << 20;
const KEEP: u64 = 16 * MIB;

fn log(mib: u64) -> ContainerLog {
    ContainerLog {
        allocated: mib * MIB,
        ..ContainerLog::default()
    }
}

/// Which logs are cut, where each gives what it can.
fn cut(logs: &[ContainerLog], missing: u64, others: u64) -> Vec<usize> {
    let mut plan = LogPlan::new(logs, KEEP, Some(missing), others);
    let (mut cut, mut freed) = (Vec::new(), 0);
    while let Some((index, gain)) = plan.next(freed) {
        cut.push(index);
        freed += gain;
    }
    cut
}

#[test]
fn ended_containers_logs_come_first_then_the_largest() {
    let ended = ContainerLog {
        has_ended: true,
        ..log(30)
    };
    let logs = [log(100), ended, log(900), log(900), log(16)];
    assert_eq!(cut(&logs, 10 * MIB, 0), [1]);
    assert_eq!(cut(&logs, 100 * MIB, 0), [1, 2]);
    assert_eq!(cut(&logs, 1000 * MIB, 0), [1, 2, 3]);
    assert_eq!(cut(&logs, 1800 * MIB, 0), [1, 2, 3, 0]);
}

#[test]
fn a_rung_that_does_not_reach_is_not_climbed() {
    let logs = [log(100), log(50)];
    assert_eq!(cut(&logs, 200 * MIB, 0), [0_usize; 0]);
    assert_eq!(cut(&logs, 200 * MIB, 100 * MIB), [0, 1]);
    assert_eq!(cut(&[], 0, 0), [0_usize; 0]);
    let mut all = LogPlan::new(&logs, KEEP, None, 0);
    assert!(all.next(u64::MAX).is_some() && all.next(u64::MAX).is_some());
    let plan = LogPlan::new(&logs, KEEP, Some(200 * MIB), 0);
    assert!(!plan.is_enough());
    assert_eq!(plan.gives(), 118 * MIB - 2 * LOG_SLACK);
}

fn any_log() -> impl Strategy<Value = ContainerLog> {
    let stays = prop_oneof![
        4 => Just(None),
        1 => Just(Some(Stays::Wished)),
        1 => Just(Some(Stays::Bounded)),
        1 => Just(Some(Stays::Elsewhere)),
    ];
    (0_u64..200, any::<bool>(), stays).prop_map(|(mib, has_ended, stays)| ContainerLog {
        has_ended,
        stays,
        ..log(mib)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn no_more_is_given_up_than_needed_and_nothing_that_stays(
        logs in proptest::collection::vec(any_log(), 0..12),
        missing in 0_u64..800,
        others in 0_u64..100,
    ) {
        let (missing, others) = (missing * MIB, others * MIB);
        let gain = |index: usize| logs[index].allocated.saturating_sub(KEEP + LOG_SLACK);
        let cut = cut(&logs, missing, others);
        for index in &cut {
            prop_assert_eq!(logs[*index].stays, None);
            prop_assert!(logs[*index].allocated > KEEP);
        }
        let freed: u64 = cut.iter().map(|index| gain(*index)).sum();
        let but_last: u64 = cut.iter().rev().skip(1).map(|index| gain(*index)).sum();
        prop_assert!(cut.is_empty() || but_last < missing, "one log too many");
        let all: u64 = (0..logs.len()).filter(|i| logs[*i].stays.is_none()).map(gain).sum();
        if all + others < missing {
            prop_assert!(cut.is_empty(), "for nothing");
        } else {
            prop_assert!(freed >= missing.min(all));
        }
        prop_assert_eq!(LogPlan::new(&logs, KEEP, Some(missing), others).gives(), all);
        let turn = |index: &usize| (logs[*index].has_ended, gain(*index));
        prop_assert!(cut.windows(2).all(|two| turn(&two[0]) >= turn(&two[1])));
    }

    #[test]
    fn what_a_notice_says_is_a_record_of_that_length(
        sentence in "[ -~]{0,80}",
        length in 0_usize..300,
    ) {
        const TIME: &str = "2026-11-25T13:00:00.123456789Z";
        for format in [RecordFormat::Json, RecordFormat::Cri] {
            if let Some(record) = notice(format, &sentence, TIME, length) {
                prop_assert_eq!(record.len(), length);
                let line = record.strip_suffix(b"\n").unwrap();
                prop_assert!(!line.contains(&b'\n'));
                prop_assert_eq!(time_of(format, line), Some(TIME));
            }
        }
    }
}

const DOCKER: &str =
    r#"{"log":"a \"time\":\"x\"}\n","stream":"stdout","time":"2026-11-25T13:00:00.5Z"}"#;
const PODMAN: &str = "2026-11-25T13:00:00.000000001+01:00 stdout F a";

#[test]
fn records_tell_their_time() {
    use RecordFormat::{Cri, Json};
    let cases = [
        (Json, DOCKER, Some("2026-11-25T13:00:00.5Z")),
        (Json, PODMAN, None),
        (Json, r#"log":"a","time":"2026-11-25T13:00:00Z"}"#, None),
        (Json, r#"{"log":"a","time":"yesterday"}"#, None),
        (Json, r#"{"time":"2026-11-25T13:00:00"}"#, None),
        (Json, "", None),
        (Cri, PODMAN, Some("2026-11-25T13:00:00.000000001+01:00")),
        (
            Cri,
            "2026-11-25T13:00:00Z stderr P:x",
            Some("2026-11-25T13:00:00Z"),
        ),
        (Cri, "2026-11-25T13:00:00Z stdin F a", None),
        (Cri, "2026-11-25T13:00:00Z stdout a", None),
        (Cri, DOCKER, None),
        (Cri, "", None),
    ];
    for (format, line, time) in cases {
        assert_eq!(time_of(format, line.as_bytes()), time, "{line}");
    }
}

#[test]
fn a_record_begins_behind_a_lines_end() {
    let text = format!("{DOCKER}\nodd\n{DOCKER}\n{DOCKER}");
    let after = |at| record_after(RecordFormat::Json, text.as_bytes(), at);
    let second = DOCKER.len() + 5;
    assert_eq!(after(0), Some(second));
    assert_eq!(after(second), Some(second));
    assert_eq!(after(second + 1), None, "the last one has no end");
    assert_eq!(after(text.len() + 1), None);
    assert_eq!(record_after(RecordFormat::Cri, text.as_bytes(), 0), None);
}

#[test]
fn a_notice_does_not_break_its_record() {
    let text = |format, sentence, time| {
        let record = notice(format, sentence, time, 90)?;
        Some(
            core::str::from_utf8(&record)
                .unwrap()
                .trim_end()
                .to_string(),
        )
    };
    const TIME: &str = "2026-11-25T13:00:00Z";
    assert_eq!(
        text(RecordFormat::Json, "evictd: gone", TIME).unwrap(),
        r#"{"log":"evictd: gone\n","stream":"stderr","time":"2026-11-25T13:00:00Z"}"#
    );
    assert_eq!(
        text(RecordFormat::Cri, "evictd: gone", TIME).unwrap(),
        "2026-11-25T13:00:00Z stderr F evictd: gone"
    );
    for sentence in ["a\nb", "a\"", "a\\", "\u{fc}", "\u{1b}"] {
        assert_eq!(
            text(RecordFormat::Json, sentence, TIME),
            None,
            "{sentence:?}"
        );
    }
    assert_eq!(text(RecordFormat::Cri, "a", "now"), None);
    assert_eq!(notice(RecordFormat::Cri, "a", TIME, 30), None, "too short");
}

#[test]
fn each_writer_is_left_in_order() {
    use LogKind::{Cri, Json, K8sFile};
    use LogWriter::{Appends, KeepsPosition, Nobody};
    let old = Json {
        keeps_position: false,
    };
    let new = Json {
        keeps_position: true,
    };
    let still = Technique::Cut { is_still: true };
    let live = Technique::Cut { is_still: false };
    let cases = [
        (old, true, Appends, live),
        (old, true, KeepsPosition, Technique::Punch),
        (old, true, Nobody, Technique::Punch),
        (new, true, Appends, Technique::Punch),
        (new, false, Appends, Technique::Punch),
        (new, false, Nobody, still),
        (K8sFile, true, Appends, live),
        (K8sFile, false, Nobody, still),
        (Cri, true, Appends, Technique::Rotate),
        (Cri, false, Nobody, still),
    ];
    for (kind, runs, writer, expected) in cases {
        assert_eq!(
            technique(kind, runs, writer),
            expected,
            "{kind:?} {runs} {writer:?}"
        );
    }
    for (kind, runs, writer) in [
        (K8sFile, true, Nobody),
        (K8sFile, true, KeepsPosition),
        (Cri, false, Appends),
    ] {
        let left = technique(kind, runs, writer);
        assert!(matches!(left, Technique::Leave(_)), "{left:?}");
    }
}

#[test]
fn a_version_tells_whether_docker_keeps_its_position() {
    for (version, expected) in [
        ("Docker 20.10.24+dfsg1", false),
        ("balenaEngine 20.10.43", false),
        ("Docker 23.0.1", true),
        ("Docker 28.5.2", true),
        ("Docker master", true),
        ("", true),
    ] {
        let keeps_position = expected;
        assert_eq!(
            LogKind::json(version),
            LogKind::Json { keeps_position },
            "{version}"
        );
    }
}

#[test]
fn rotated_logs_are_named_as_the_kubelet_names_them() {
    assert_eq!(
        rotated_name("0.log", 1_764_078_301),
        "0.log.20251125-134501"
    );
    assert_eq!(rotated_name("0.log", 951_782_400), "0.log.20000229-000000");
    let cases = [
        ("0.log.20251125-134501", true),
        ("0.log.20251125-134501.gz", true),
        ("0.log", false),
        ("0.log.20251125-13450", false),
        ("0.log.20251125-134501.tmp", false),
        ("10.log.20251125-134501", false),
    ];
    for (name, expected) in cases {
        assert_eq!(is_rotated(b"0.log", name.as_bytes()), expected, "{name}");
    }
}

mod containers;
mod images;
mod keep;
mod live_logs;
mod old_files;
mod records;
mod reserve;

extern crate alloc;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;

const NOW: i64 = 1_000_000;

/// `logs:POD@AGE`, `vol:UID@AGE` or `POD/CONTAINER/FILE@AGE`.
fn leftover(text: &str) -> Leftover<'_> {
    let (path, age) = text.split_once('@').unwrap();
    let modified_seconds = NOW - age.parse::<i64>().unwrap();
    let mut parts = path.split('/').map(str::as_bytes);
    let mut leftover = Leftover {
        kind: Kind::LogFile,
        pod: parts.next().unwrap(),
        container: parts.next().unwrap_or_default(),
        file: parts.next().unwrap_or_default(),
        modified_seconds,
    };
    if let Some(pod) = path.strip_prefix("logs:") {
        (leftover.kind, leftover.pod) = (Kind::PodLogs, pod.as_bytes());
    } else if let Some(uid) = path.strip_prefix("vol:") {
        (leftover.kind, leftover.pod) = (Kind::Volumes, uid.as_bytes());
    }
    leftover
}

fn planned(found: &[&str], pods: &[KnownPod<'_>], ended: &[&str]) -> Vec<String> {
    let all: Vec<Leftover<'_>> = found.iter().map(|text| leftover(text)).collect();
    let node = Node {
        pods,
        ended,
        now_seconds: NOW,
    };
    let plan = plan_logs(&all, &node);
    plan.iter()
        .map(|one| found[one.index].to_string())
        .collect()
}

const fn known<'a>(uid: Uid<'a>, namespace: Option<&'a str>, name: &'a str) -> KnownPod<'a> {
    KnownPod {
        uid,
        namespace,
        name,
    }
}

#[test]
fn what_is_gone_goes_oldest_first() {
    let found = [
        "logs:a_new_u1@100",
        "logs:a_old_u2@5000",
        "logs:a_live_u3@9000",
        "vol:u1@200",
        "vol:u3@9000",
        "a_new_u1/c/0.log@100",
        "a_new_u1/c/1.log@100",
        "a_new_u1/c/2.log@100",
    ];
    let pods = [known(Uid::Is("u3"), Some("a"), "live")];
    let expected = ["logs:a_old_u2@5000", "vol:u1@200", "logs:a_new_u1@100"];
    assert_eq!(planned(&found, &pods, &[]), expected);
}

/// Row 116.
#[test]
fn of_living_pods_the_first_and_the_newest_log_stay() {
    let pods = [known(Uid::Is("u"), Some("a"), "p")];
    for (name, files, expected) in [
        ("none", &[][..], &[][..]),
        ("one", &["5.log@9"], &[]),
        ("two", &["0.log@9", "1.log@8"], &[]),
        ("three", &["0.log@9", "1.log@8", "2.log@7"], &["1.log@8"]),
        (
            "by number, not by time or text",
            &["9.log@1", "10.log@20", "11.log@30", "12.log@5"],
            &["11.log@30", "10.log@20"],
        ),
        (
            "what rotation made goes with its log",
            &[
                "0.log@9",
                "1.log@8",
                "1.log.20260102-030405.gz@9",
                "2.log@7",
                "2.log.20260102-030405@8",
            ],
            &["1.log.20260102-030405.gz@9", "1.log@8"],
        ),
        (
            "the first there is, not number 0",
            &["4.log@9", "6.log@8", "7.log@7"],
            &["6.log@8"],
        ),
        (
            "what is no log stays and counts for nothing",
            &["0.log@9", "1.log@8", "x.log@7", "99.log.old@9"],
            &[],
        ),
    ] {
        let found: Vec<String> = files.iter().map(|file| format!("a_p_u/c/{file}")).collect();
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let expected: Vec<String> = expected
            .iter()
            .map(|file| format!("a_p_u/c/{file}"))
            .collect();
        assert_eq!(planned(&found, &pods, &[]), expected, "{name}");
    }
    let apart = ["a_p_u/c/0.log@9", "a_p_u/d/1.log@9", "a_p_u/c/2.log@9"];
    assert_eq!(
        planned(&apart, &pods, &[]),
        [""; 0],
        "each container by itself"
    );
}

#[test]
fn a_pod_that_may_be_about_to_start_is_left_alone() {
    for (age, ended, deleted) in [
        (0, false, false),
        (59, false, false),
        (60, false, true),
        (0, true, true),
        (-59, false, false),
        (-60, false, true),
        (-1_000_000_000, false, true),
    ] {
        let found = [format!("logs:a_b_u@{age}"), format!("vol:u@{age}")];
        let found = [found[0].as_str(), found[1].as_str()];
        let ended = if ended { &["u"][..] } else { &[] };
        let count = planned(&found, &[], ended).len();
        assert_eq!(count, if deleted { 2 } else { 0 }, "{age}");
    }
}

/// Without a uid the name has to do, and nobody knows whose volumes are whose.
#[test]
fn pods_of_unknown_uid_keep_all_of_their_name() {
    let found = [
        "logs:a_web_u1@99",
        "logs:b_web_u2@99",
        "logs:a_db_u3@99",
        "vol:u3@99",
    ];
    for (pods, expected) in [
        (
            &[known(Uid::Unknown, Some("a"), "web")][..],
            &["logs:b_web_u2@99", "logs:a_db_u3@99"][..],
        ),
        (&[known(Uid::Unknown, None, "web")], &["logs:a_db_u3@99"]),
        (
            &[known(Uid::Is("u2"), Some("a"), "web")],
            &["logs:a_web_u1@99", "logs:a_db_u3@99", "vol:u3@99"],
        ),
        (
            &[known(Uid::Without, None, "web")],
            &["logs:a_db_u3@99", "vol:u3@99"],
        ),
        (
            &[
                known(Uid::Unknown, None, "x"),
                known(Uid::Is("u3"), None, "y"),
            ],
            &["logs:a_web_u1@99", "logs:b_web_u2@99"],
        ),
    ] {
        assert_eq!(planned(&found, pods, &[]), expected, "{pods:?}");
    }
    let pods = [known(Uid::Unknown, None, "x")];
    assert_eq!(planned(&["vol:u3@0"], &pods, &["u3"]), ["vol:u3@0"]);
}

#[test]
fn names_that_are_no_pods_stay() {
    for name in [
        "",
        "_",
        "__",
        "a_b",
        "a_b_",
        "_b_u",
        "a__u",
        "a_b_u_x",
        "A_b_u",
        "a_B_u",
        "a.b_c_u",
        "-a_b_u",
        "a_.b_u",
        "a_b_..",
        "a_b_.",
        "a_b_u/x",
        "a_b_u ",
        "a b_c_u",
        "lost+found",
    ] {
        assert_eq!(parse_pod_logs_name(name.as_bytes()), None, "{name:?}");
    }
    assert_eq!(parse_pod_logs_name(b"a_b_\xff"), None);
    assert!(parse_pod_logs_name(b"kube-system_web-0.x_1B2c.d-e").is_some());
    let found = ["logs:backup@99", "backup/c/1.log@99"];
    assert_eq!(planned(&found, &[], &[]), [""; 0]);
}

#[test]
fn uids_and_logs_have_a_form_too() {
    for uid in [
        &b""[..],
        b".",
        b"..",
        b".x",
        b"-",
        b"a/b",
        b"a_b",
        b"\xff",
        b"a\0",
        &[b'a'; 254],
    ] {
        assert!(!is_uid(uid), "{uid:?}");
    }
    for file in [
        "log",
        ".log",
        "0",
        "0.logx",
        "0.log.",
        "0.log.gz",
        "0.log.old",
        "-1.log",
        "+1.log",
        "01.log",
        "1.log.1.gz.gz",
        "18446744073709551616.log",
        "1.log/x",
    ] {
        assert_eq!(parse_log_file(file.as_bytes()), None, "{file:?}");
    }
    assert_eq!(parse_log_file(b"18446744073709551615.log"), Some(u64::MAX));
    let found = ["vol:a_b@99", "vol:..@99"];
    assert_eq!(planned(&found, &[], &[]), [""; 0]);
}

/// A pod that may write there makes as many as it likes: each was compared with all others.
#[test]
fn the_logs_of_one_container_are_planned_however_many_there_are() {
    let names: Vec<String> = (0..30_000)
        .map(|number| format!("a_b_u/c/{number}.log@9"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let live = [known(Uid::Is("u"), Some("a"), "b")];
    assert_eq!(planned(&names, &live, &[]).len(), names.len() - 2);
}

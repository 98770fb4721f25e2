//! `--compat`: presets, and single differences on top of one.

use evictd_node::{Policy, Ranking};

use super::*;
use crate::compat::Difference;

fn compat(text: &str) -> Resolved {
    resolved(&[(COMPAT, text)])
}

#[test]
fn preset_of_a_kubelet_has_every_difference() {
    let plain = resolved(&[]);
    assert_eq!(*plain.policy(), Policy::default());
    assert!(plain.memory.hugepage_aware && plain.gc.images.keep_local && plain.relief.build_cache);
    assert!(!plain.gc.images.reclaims_all);
    let kubelet = compat("kubelet");
    assert_eq!(*kubelet.policy(), Policy::kubelet());
    assert!(!kubelet.memory.hugepage_aware && !kubelet.gc.images.keep_local);
    assert!(kubelet.gc.images.reclaims_all && !kubelet.relief.build_cache);
    assert!(compat("kubelet-1.37").memory.hugepage_aware);
}

/// Acceptance rows 98 to 106 and 128: of Kubernetes 1.3 the order of eviction and the score.
#[test]
fn kubelet_1_3_ranks_by_qos_and_scores_guaranteed_pods_lower() {
    let oldest = compat("kubelet-1.3");
    let expected = Policy {
        ranking: Ranking::Qos,
        ..*compat("kubelet-1.32").policy()
    };
    assert_eq!(*oldest.policy(), expected);
    assert_eq!(oldest.oom_score_adj.guaranteed.get(), -998);
    for others in ["evictd", "kubelet-1.32", "kubelet"] {
        assert_eq!(compat(others).oom_score_adj.guaranteed.get(), -997);
        assert_eq!(compat(others).policy().ranking, Ranking::Priority);
    }
}

/// Each word sets what it names and nothing else, in front of evictd's behaviour or behind it.
#[test]
fn a_difference_changes_one_thing() {
    let switches = |of: &Resolved| {
        let policy = of.policy();
        [
            policy.hard_grace_seconds == 1,
            policy.reclaim_must_clear_every_signal,
            policy.manifest_pods_are_static,
            !of.memory.hugepage_aware,
            of.gc.images.reclaims_all,
            !of.gc.images.keep_local,
            !of.relief.build_cache,
            policy.kill_comes_before_file_pages,
        ]
    };
    assert_eq!(switches(&resolved(&[])), [false; 8]);
    assert_eq!(switches(&compat("kubelet")), [true; 8]);
    for (place, difference) in Difference::ALL.into_iter().enumerate() {
        let word = difference.word();
        let mut expected = [false; 8];
        expected[place] = true;
        for text in [word.to_owned(), format!("evictd,{word}")] {
            assert_eq!(switches(&compat(&text)), expected, "{text}");
        }
    }
    let two = compat("keep-build-cache,hard-eviction-grace");
    assert!(!two.relief.build_cache && two.policy().hard_grace_seconds == 1);
    let newest = compat("kubelet-1.37,no-hugepage-aware");
    assert!(!newest.memory.hugepage_aware);
}

#[test]
fn settings_name_the_origin_of_each_difference() {
    let shown = |given: &[(&str, &str)], name: &str| {
        let settings = resolved(given).settings;
        let found = settings.into_iter().find(|one| one.name == name).unwrap();
        (found.value, found.origin)
    };
    let flag = Origin::Flag(COMPAT);
    let (cache, pages) = ("compat=keep-build-cache", "compat=no-hugepage-aware");
    for (text, value, of_cache, of_pages) in [
        ("evictd", "false", Origin::Default, Origin::Default),
        ("kubelet", "true", Origin::Compat, Origin::Compat),
        ("keep-build-cache", "true", flag, Origin::Default),
        ("kubelet,keep-build-cache", "true", flag, Origin::Compat),
    ] {
        let given = [(COMPAT, text)];
        assert_eq!(shown(&given, cache), (value.to_owned(), of_cache), "{text}");
        assert_eq!(shown(&given, pages).1, of_pages, "{text}");
        assert_eq!(shown(&given, COMPAT), (text.to_owned(), flag));
    }
    let names: Vec<&str> = resolved(&[]).settings.iter().map(|one| one.name).collect();
    let at = names.iter().position(|name| *name == COMPAT).unwrap();
    let differences = names[at + 1..].iter();
    let behind = differences.take_while(|name| name.starts_with("compat="));
    assert_eq!(behind.count(), Difference::ALL.len());
}

/// Acceptance row 208: with the word, and with a kubelet's preset.
#[test]
fn static_pods_are_critical_where_it_is_asked_for() {
    for (text, expected) in [
        ("evictd", false),
        ("static-pods-are-critical", true),
        ("kubelet", true),
        ("kubelet-1.32", true),
    ] {
        let policy = compat(text).evict.policy;
        assert_eq!(policy.manifest_pods_are_static, expected, "{text}");
    }
}

#[test]
fn a_wrong_word_is_named_with_what_would_be_right() {
    let error = |text: &str| resolve(&typed(&[(COMPAT, text)])).unwrap_err().to_string();
    let right = "first whose behaviour: evictd, kubelet, kubelet-1.37, kubelet-1.36, kubelet-1.35, \
                 kubelet-1.34, kubelet-1.33, kubelet-1.32, kubelet-1.3; then differences: \
                 hard-eviction-grace, strict-kubelet-reclaim, static-pods-are-critical, \
                 no-hugepage-aware, reclaim-all-images, collect-local-images, keep-build-cache, \
                 no-reclaim-before-kill";
    for (text, word, at, meant) in [
        (
            "kubelet-1.31",
            "kubelet-1.31",
            0,
            "did you mean kubelet-1.37? ",
        ),
        ("evictd,keep-cache", "keep-cache", 7, ""),
        (
            "kubelet,keep-build-cahce",
            "keep-build-cahce",
            8,
            "did you mean keep-build-cache? ",
        ),
        ("", "", 0, ""),
        ("kubelet,", "", 8, ""),
    ] {
        assert_eq!(
            error(text),
            format!("--compat: unknown value {word:?}, in {word:?} at byte {at}; {meant}{right}")
        );
    }
    assert_eq!(
        error("keep-build-cache,kubelet"),
        "--compat: kubelet stands behind another word, in \"kubelet\" at byte 17; write \
         --compat=kubelet,DIFFERENCE,...: whose behaviour is first"
    );
}

/// The gate decides where no word does; the error's words are a kubelet's with its preset alone.
#[test]
fn words_of_go_come_with_a_kubelet_and_not_with_a_difference() {
    let message = |compat: &str| {
        let given = [(COMPAT, compat), ("dry-run", "yes")];
        resolve(&typed(&given)).unwrap_err().message
    };
    assert!(message("kubelet,keep-build-cache").contains("strconv"));
    assert!(!message("keep-build-cache").contains("strconv"));
}

use super::{not_found, runtime};
use crate::ContainerRuntime;
use crate::docker::fake::{Fake, Reply, json};

/// One entry that is used right now, one that an image shares, two that nobody needs.
const ENTRIES: &str = r#"{"LayersSize":9,"Images":[],"Containers":null,"Volumes":null,"BuildCache":[
    {"ID":"a","Parent":"","Type":"regular","InUse":true,"Shared":false,"Size":1000,
     "CreatedAt":"2026-11-25T10:00:00Z","LastUsedAt":null,"UsageCount":1},
    {"ID":"b","Type":"regular","InUse":false,"Shared":true,"Size":70000},
    {"ID":"c","Type":"source.local","InUse":false,"Shared":false,"Size":500},
    {"ID":"d","Type":"exec.cachemount","InUse":false,"Shared":false,"Size":2500}],
    "BuilderSize":0}"#;
/// As of Docker 29 with `verbose`, which adds no total up.
const ITEMS: &str = r#"{"BuildCacheUsage":{"ActiveCount":1,"TotalCount":4,"Reclaimable":3000,
    "Items":[
    {"ID":"a","Type":"regular","InUse":true,"Shared":false,"Size":1000},
    {"ID":"b","Type":"regular","InUse":false,"Shared":true,"Size":70000},
    {"ID":"c"," Parents":["a"],"Type":"source.local","InUse":false,"Shared":false,"Size":500},
    {"ID":"d","Type":"exec.cachemount","InUse":false,"Shared":false,"Size":2500}]}}"#;
/// As of API 1.52 where the engine tells of no entry.
const SUMS: &str = r#"{"BuildCacheUsage":{"ActiveCount":1,"TotalCount":4,
    "Reclaimable":3000,"TotalSize":4000}}"#;
/// Sums of the same cache, without a total.
const NO_TOTAL: &str = r#"{"BuildCacheUsage":{"ActiveCount":1,"TotalCount":4,"Reclaimable":3000}}"#;
/// No more than what nobody has used for an hour: {"until":["1h"]}.
const OLD: &str = "POST /build/prune?filters=%7B%22until%22%3A%5B%221h%22%5D%7D";

/// An engine that speaks that API and keeps such a cache.
fn engine(api: &'static str, usage: &'static str) -> Fake {
    Fake::new(move |call| match call {
        "GET /version" => json(200, &format!(r#"{{"Version":"1","ApiVersion":"{api}"}}"#)),
        call if call.starts_with("GET /system/df") => json(200, usage),
        call if call.starts_with("POST /build/prune") => {
            json(200, r#"{"CachesDeleted":["c","d"],"SpaceReclaimed":3000}"#)
        }
        _ => not_found(),
    })
}

/// What is asked for beside the version.
fn calls(fake: &Fake) -> Vec<String> {
    let calls = fake.calls().into_iter();
    calls.filter(|call| call != "GET /version").collect()
}

#[test]
fn as_much_of_a_build_cache_goes_as_is_missing() {
    for (api, df, bound) in [
        ("1.39", "", "keep-storage"),
        ("1.41", "", "keep-storage"),
        ("1.45", "?type=build-cache", "keep-storage"),
        ("1.51", "?type=build-cache", "reserved-space"),
    ] {
        let fake = engine(api, ENTRIES);
        for (missing, keep) in [(None, 0), (Some(1500), 2500), (Some(9000), 0)] {
            let freed = runtime(&fake).prune_build_cache(missing).unwrap();
            assert_eq!(freed, Some(3000), "{api}");
            // Nothing that is in use, or younger than an hour, is ever asked for.
            let asked = [
                format!("GET /system/df{df}"),
                format!("{OLD}&{bound}={keep}"),
            ];
            assert_eq!(calls(&fake), asked, "{missing:?}");
        }
    }
}

#[test]
fn what_could_be_pruned_is_told_without_pruning() {
    for (api, usage) in [
        ("1.41", ENTRIES),
        ("1.51", ENTRIES),
        ("1.52", ITEMS),
        ("1.52", SUMS),
    ] {
        let fake = engine(api, usage);
        let told = runtime(&fake).prunable_build_cache().unwrap();
        assert_eq!(told, Some(3000), "{api}");
        assert!(calls(&fake).iter().all(|call| call.starts_with("GET ")));
    }
}

#[test]
fn sums_take_the_place_of_entries() {
    // An engine that says no total is not taken for one with an empty cache.
    for (usage, keep) in [
        (ITEMS, 3999),
        (SUMS, 3999),
        (NO_TOTAL, 2999),
        (ENTRIES, 3999),
    ] {
        let fake = engine("1.52", usage);
        assert_eq!(runtime(&fake).prune_build_cache(Some(1)), Ok(Some(3000)));
        let asked = [
            "GET /system/df?type=build-cache&verbose=1".to_owned(),
            format!("{OLD}&reserved-space={keep}"),
        ];
        assert_eq!(calls(&fake), asked, "{usage}");
    }
}

#[test]
fn nothing_is_pruned_where_nothing_is_kept() {
    let all_in_use = r#"{"BuildCache":[{"InUse":true,"Size":7}]}"#;
    for usage in [
        r#"{"BuildCache":null}"#,
        r#"{"BuildCache":[]}"#,
        "{}",
        all_in_use,
    ] {
        let fake = engine("1.45", usage);
        assert_eq!(runtime(&fake).prunable_build_cache(), Ok(None), "{usage}");
        assert_eq!(runtime(&fake).prune_build_cache(None), Ok(None), "{usage}");
        assert!(calls(&fake).iter().all(|call| call.starts_with("GET ")));
    }
}

#[test]
fn an_engine_that_would_prune_all_or_says_no_api_is_not_asked() {
    for api in ["1.24", "1.38", "", "new", "1", "-1.41"] {
        let fake = engine(api, ENTRIES);
        assert_eq!(runtime(&fake).prunable_build_cache(), Ok(None), "{api}");
        assert_eq!(runtime(&fake).prune_build_cache(None), Ok(None), "{api}");
        assert_eq!(calls(&fake), [""; 0], "{api}");
    }
}

/// An engine that answers so to one of the two calls.
fn refusing(which: &'static str, answer: fn() -> Reply) -> Fake {
    Fake::new(move |call| match call {
        "GET /version" => json(200, r#"{"Version":"4.3.1","ApiVersion":"1.41"}"#),
        call if call.contains(which) => answer(),
        _ => json(200, ENTRIES),
    })
}

#[test]
fn an_engine_without_a_builder_is_no_failure() {
    let answers: [fn() -> Reply; 3] = [not_found, || json(405, "{}"), || json(501, "{}")];
    for answer in answers {
        for which in ["/system/df", "/build/prune"] {
            let fake = refusing(which, answer);
            assert_eq!(runtime(&fake).prune_build_cache(Some(1)), Ok(None));
        }
    }
    for which in ["/system/df", "/build/prune"] {
        let broken = refusing(which, || json(500, r#"{"message":"database is locked"}"#));
        let error = runtime(&broken).prune_build_cache(None).unwrap_err();
        assert!(error.to_string().ends_with("database is locked"), "{error}");
    }
}

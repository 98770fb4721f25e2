/// Flags that evictd had once, and what to write instead.
const REMOVED: [(&str, &str); 19] = [
    (
        "build-cache-relief",
        "--compat=keep-build-cache leaves build caches alone",
    ),
    (
        "eviction-image-reclaim",
        "--compat=reclaim-all-images deletes every unused image",
    ),
    (
        "gc-window",
        "cron can run evictd gc images at any time of the day",
    ),
    (
        "guaranteed-oom-score-adj",
        "--compat=kubelet-1.3 gives Guaranteed pods -998",
    ),
    (
        "hard-eviction-grace",
        "--compat=hard-eviction-grace gives a pod 1s",
    ),
    (
        "keep-local-images",
        "--compat=collect-local-images deletes them like others",
    ),
    (
        "memory-reservation-policy",
        "nothing replaces it: evictd evicts before what pods request needs protection",
    ),
    (
        "metrics-listen-anywhere",
        "--metrics-listen takes any address of this machine",
    ),
    (
        "metrics-socket-group",
        "--metrics-listen and --metrics-file let others read metrics",
    ),
    (
        "no-hugepage-aware",
        "--compat=no-hugepage-aware counts huge pages as available",
    ),
    ("no-sandbox", "--debug=no-sandbox keeps all privileges"),
    (
        "pods-pids-bound",
        "nothing replaces it: a threshold of pid.available goes by the machine's own limit",
    ),
    ("ranking", "--compat=kubelet-1.3 ranks by QoS class"),
    ("realtime", "--debug=no-realtime runs at the usual priority"),
    (
        "reclaim-before-kill",
        "--compat=no-reclaim-before-kill kills at once",
    ),
    (
        "relief",
        "--memory-relief=on relieves memory before an eviction",
    ),
    (
        "start-storm",
        "nothing replaces it: start pods one after the other with evictd admit",
    ),
    (
        "static-pods-are-critical",
        "--compat=static-pods-are-critical says it now",
    ),
    (
        "strict-kubelet-reclaim",
        "--compat=strict-kubelet-reclaim says it now",
    ),
];

/// Flags that evictd had once, without dashes, and what to write instead of each.
pub fn removed_flags() -> impl Iterator<Item = (&'static str, &'static str)> {
    REMOVED.into_iter()
}

/// What to write instead of a flag of that name, without dashes, if evictd had one once.
#[must_use]
pub fn removed_flag(name: &str) -> Option<&'static str> {
    let found = removed_flags().find(|(removed, _)| *removed == name);
    Some(found?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flag, Typed, foreign_flag};

    #[test]
    fn removed_flag_names_its_replacement_in_a_flags_file() {
        for (name, instead) in removed_flags() {
            assert!(
                Flag::find(name).is_none() && foreign_flag(name).is_none(),
                "--{name}"
            );
            assert!(!instead.contains('\n'), "--{name}");
            for line in [
                format!("--{name}"),
                format!("--{name}=x"),
                format!("--{name} x"),
            ] {
                let mut typed = Typed::default();
                let error = typed.add_flags_file("f", line.as_bytes()).unwrap_err();
                let expected = format!("f: line 1: --{name} was removed; {instead}");
                assert_eq!(error.to_string(), expected);
            }
        }
    }

    #[test]
    fn replacement_of_a_removed_flag_is_taken() {
        for (name, instead) in removed_flags() {
            let flag = instead
                .split([' ', ':'])
                .find_map(|word| word.strip_prefix("--"));
            let Some((flag, text)) = flag.and_then(|flag| flag.split_once('=')) else {
                continue;
            };
            let mut typed = Typed::default();
            assert!(typed.add(flag, text), "--{name}: {instead}");
            assert!(crate::resolve(&typed).is_ok(), "--{name}: {instead}");
        }
    }
}

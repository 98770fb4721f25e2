use core::time::Duration;
use std::path::PathBuf;

use evictd_evict::Config;
use evictd_node::{MemorySource, Policy, Ranking};
use evictd_oom::GuaranteedScore;
use evictd_quantity::GoDuration;

use crate::book::Book;
use crate::values::{self, Parsed, std_duration};
use crate::{
    Compat, ConfigError, Directory, Flag, LogFormat, Origin, Reserved, Resolved, Setting, Typed,
    Warning, collection, endpoint, lists, thresholds,
};

const SECOND: i64 = 1_000_000_000;
/// The shortest loop: below it the measuring itself becomes a load (decision D6).
const LEAST_INTERVAL: GoDuration = GoDuration::from_nanos(SECOND / 10);
/// No duration is below it.
const ANY: GoDuration = GoDuration::from_nanos(i64::MIN);
const TEN_SECONDS: GoDuration = GoDuration::from_nanos(10 * SECOND);
const FIVE_MINUTES: GoDuration = GoDuration::from_nanos(300 * SECOND);
const SECONDS: (i64, i64) = (0, 2_147_483_647);
const ROOT_DIR: &str = "/var/lib/kubelet";
const POD_LOGS_DIR: &str = "/var/log/pods";
const STATE: &str = "/run/evictd";

/// Checks every flag and fills in the defaults: the kubelet's, v1.32.10.
///
/// # Errors
/// The first thing that is wrong. What is merely odd is in
/// [`Resolved::warnings`].
pub fn resolve(typed: &Typed) -> Result<Resolved, ConfigError> {
    all(typed).map_err(|error| typed.locate(error))
}

fn all(typed: &Typed) -> Parsed<Resolved> {
    let mut book = Book::new(typed);
    let merge = book.switch("merge-default-eviction-settings");
    for files in ["config", "config-dir"] {
        book.path(files); // What they say is in `typed` already.
    }
    let compat = compat(&mut book);
    let mut resolved = Resolved {
        evict: evict(compat, &mut book),
        threshold_origins: Vec::new(),
        compat,
        dry_run: book.switch("dry-run"),
        housekeeping_interval: interval("housekeeping-interval", &mut book),
        node_status_update_frequency: interval("node-status-update-frequency", &mut book),
        kernel_memcg_notification: memcg_notification(&mut book),
        memory_source: memory_source(&mut book),
        hugepage_aware: hugepage_aware(compat, &mut book),
        realtime: book.boolean("realtime", (true, Origin::Default)),
        pods_pids_bound: book.switch("pods-pids-bound"),
        nodefs_path: nodefs_path(&mut book),
        imagefs_path: book.path("imagefs-path"),
        containerfs_path: book.path("containerfs-path"),
        pod_manifest_path: book.path("pod-manifest-path"),
        pod_cgroup_roots: pod_cgroup_roots(&mut book),
        guaranteed_oom_score_adj: guaranteed_score(&mut book),
        apply_oom_score_adj: book.switch("apply-oom-score-adj"),
        root_dir: directory("root-dir", ROOT_DIR, &mut book),
        pod_logs_dir: directory("pod-logs-dir", POD_LOGS_DIR, &mut book),
        system_reserved: reserved("system-reserved", &mut book),
        kube_reserved: reserved("kube-reserved", &mut book),
        enforce_pods: enforce_pods(&mut book),
        runtime_endpoints: endpoint::endpoints(&mut book),
        image_gc: collection::images(&mut book),
        container_gc: collection::containers(&mut book),
        verbosity: verbosity(&mut book),
        log_format: log_format(&mut book),
        state_dir: state_dir(&mut book),
        settings: Vec::new(),
        warnings: Vec::new(),
    };
    (resolved.settings, resolved.warnings) = book.close()?;
    finish(&mut resolved, typed, merge)?;
    Ok(resolved)
}

/// The thresholds, and the settings in the order of the help.
fn finish(resolved: &mut Resolved, typed: &Typed, merge: bool) -> Parsed<()> {
    let (compat, enforce_pods) = (resolved.compat, resolved.enforce_pods);
    let warnings = &mut resolved.warnings;
    let found = thresholds::resolve(typed, merge, compat, enforce_pods, warnings)?;
    resolved.evict.thresholds = found.thresholds;
    resolved.threshold_origins = found.origins;
    let late = collection::pressure_comes_first(&resolved.evict.thresholds, &resolved.image_gc);
    resolved.warnings.extend(late);
    let place = |setting: &Setting| Flag::all().position(|flag| flag.name == setting.name);
    resolved.settings.sort_by_cached_key(place);
    Ok(())
}

fn compat(book: &mut Book<'_>) -> Compat {
    let words = [("evictd", Compat::Evictd), ("kubelet", Compat::Kubelet)];
    book.word("compat", (Compat::Evictd, Origin::Default), &words)
}

/// Everything of the state machine but the thresholds.
fn evict(compat: Compat, book: &mut Book<'_>) -> Config {
    Config {
        policy: policy(compat, book),
        transition_period: transition_period(book),
        max_pod_grace_seconds: book.integer(
            "eviction-max-pod-grace-period",
            (0, Origin::Default),
            (i64::from(i32::MIN), i64::from(i32::MAX)),
        ),
        local_storage_isolation: book
            .boolean("local-storage-capacity-isolation", (true, Origin::Default)),
        ..Config::default()
    }
}

/// The preset, then what other flags say of single switches.
fn policy(compat: Compat, book: &mut Book<'_>) -> Policy {
    let (base, origin) = match compat {
        Compat::Evictd => (Policy::default(), Origin::Default),
        Compat::Kubelet => (Policy::kubelet(), Origin::Compat),
    };
    let words = [("priority", Ranking::Priority), ("qos", Ranking::Qos)];
    Policy {
        ranking: book.word("ranking", (base.ranking, Origin::Default), &words),
        hard_grace_seconds: book.integer(
            "hard-eviction-grace",
            (base.hard_grace_seconds, origin),
            SECONDS,
        ),
        reclaim_must_clear_every_signal: book.boolean(
            "strict-kubelet-reclaim",
            (base.reclaim_must_clear_every_signal, origin),
        ),
        ..base
    }
}

/// The transition period, by its own flag or else by its old one (decision D12).
fn transition_period(book: &mut Book<'_>) -> Duration {
    const OLD: &str = "outofdisk-transition-frequency";
    const NEW: &str = "eviction-pressure-transition-period";
    let mut otherwise = (FIVE_MINUTES, Origin::Default);
    if let Some(text) = book.last(OLD) {
        let old = values::duration(OLD, text, ANY);
        let old = book.settle(old, FIVE_MINUTES);
        deprecated(OLD, NEW, old, book);
        otherwise = (old, book.origin(OLD));
    }
    let period = book.duration(NEW, otherwise, ANY);
    collection::negative_is_none(NEW, period, book);
    std_duration(period)
}

/// The warning that a flag has a new name.
fn deprecated(old: &str, new: &str, value: impl core::fmt::Display, book: &mut Book<'_>) {
    let replaced = !book.texts(new).is_empty();
    let warning = Warning::deprecated(old, &format!("--{new}={value}"), replaced);
    book.warnings.push(warning);
}

fn interval(flag: &'static str, book: &mut Book<'_>) -> Duration {
    std_duration(book.duration(flag, (TEN_SECONDS, Origin::Default), LEAST_INTERVAL))
}

/// Two names, the old one for the S0 way of writing it (decision D10).
fn memcg_notification(book: &mut Book<'_>) -> bool {
    const OLD: &str = "experimental-kernel-memcg-notification";
    const NEW: &str = "kernel-memcg-notification";
    let mut otherwise = (true, Origin::Default);
    if let Some(text) = book.last(OLD) {
        let old = book.settle(values::parse_boolean(OLD, text), false);
        deprecated(OLD, NEW, old, book);
        otherwise = (old, book.origin(OLD));
    }
    book.boolean(NEW, otherwise)
}

fn memory_source(book: &mut Book<'_>) -> MemorySource {
    let words = [
        ("kubelet", MemorySource::Kubelet),
        ("meminfo", MemorySource::Meminfo),
        ("min", MemorySource::Min),
    ];
    let otherwise = (MemorySource::Kubelet, Origin::Default);
    book.word("memory-available-source", otherwise, &words)
}

/// The kubelet looks at huge pages by default since 1.37 (decision D44).
fn hugepage_aware(compat: Compat, book: &mut Book<'_>) -> bool {
    let otherwise = match compat {
        Compat::Evictd => (false, Origin::Default),
        Compat::Kubelet => (true, Origin::Compat),
    };
    !book.boolean("no-hugepage-aware", otherwise)
}

/// The kubelet's nodefs is where its root directory lies.
fn nodefs_path(book: &mut Book<'_>) -> PathBuf {
    const FLAG: &str = "nodefs-path";
    let (path, origin) = match (book.last_named(FLAG), book.last_named("root-dir")) {
        (Some(path), _) => (path, Origin::Flag(FLAG)),
        (None, Some(root)) => (root, Origin::Derived),
        (None, None) => (ROOT_DIR, Origin::Default),
    };
    book.note(FLAG, &path, origin);
    PathBuf::from(path)
}

/// A directory that has a usual place. An empty text means that place, as if the
/// flag were not there: it names nothing in which to delete.
fn directory(flag: &'static str, usual: &str, book: &mut Book<'_>) -> Directory {
    let mut directory = Directory {
        path: PathBuf::from(usual),
        given: false,
    };
    let mut origin = Origin::Default;
    if let Some(text) = book.last_named(flag) {
        directory.path = book.settle(values::directory(flag, text), PathBuf::new());
        directory.given = true;
        origin = book.origin(flag);
    }
    book.note(flag, &directory.path.display(), origin);
    directory
}

/// All that were given: a comma may be part of a cgroup's name, so only
/// repeating the flag makes a list.
fn pod_cgroup_roots(book: &mut Book<'_>) -> Vec<PathBuf> {
    const FLAG: &str = "pod-cgroup-root";
    let mut roots = Vec::new();
    let mut shown = Vec::new();
    for text in book.texts(FLAG) {
        let root = book.settle(values::cgroup(FLAG, text), PathBuf::new());
        shown.push(format!("/{}", root.display()));
        roots.push(root);
    }
    let origin = book.origin(FLAG);
    book.note(FLAG, &shown.join(" "), origin);
    roots
}

fn guaranteed_score(book: &mut Book<'_>) -> GuaranteedScore {
    let default = i64::from(GuaranteedScore::KUBELET.get());
    let score = book.integer(
        "guaranteed-oom-score-adj",
        (default, Origin::Default),
        (-999, -1),
    );
    let score = i16::try_from(score).ok().map(GuaranteedScore::new);
    score.and_then(Result::ok).unwrap_or_default()
}

/// Its occurrences are one list, joined by commas.
fn reserved(flag: &'static str, book: &mut Book<'_>) -> Reserved {
    let parsed = lists::reserved(flag, &book.texts(flag).join(","));
    let reserved = book.settle(parsed, Reserved::default());
    let origin = book.origin(flag);
    book.note(flag, &reserved, origin);
    reserved
}

fn enforce_pods(book: &mut Book<'_>) -> bool {
    const FLAG: &str = "enforce-node-allocatable";
    let texts = book.texts(FLAG);
    if texts.is_empty() {
        book.note(FLAG, &"pods", Origin::Default);
        return true;
    }
    let parsed = lists::enforce(FLAG, &texts.join(","), book.facts());
    let (pods, passed_over) = book.settle(parsed, (true, Vec::new()));
    book.warnings.extend(passed_over.into_iter().map(|option| {
        Warning(format!(
            "{option} of --enforce-node-allocatable is passed over: evictd leaves the cgroups of \
             system daemons alone"
        ))
    }));
    let origin = book.origin(FLAG);
    book.note(FLAG, &if pods { "pods" } else { "none" }, origin);
    pods
}

/// Unlike other paths, an empty text is no call for the default: it switches off.
fn state_dir(book: &mut Book<'_>) -> Option<PathBuf> {
    const FLAG: &str = "state-dir";
    if book.texts(FLAG).is_empty() {
        book.note(FLAG, &STATE, Origin::Default);
        return Some(PathBuf::from(STATE));
    }
    book.path(FLAG)
}

fn log_format(book: &mut Book<'_>) -> LogFormat {
    let words = [("text", LogFormat::Text), ("json", LogFormat::Json)];
    book.word("logging-format", (LogFormat::Text, Origin::Default), &words)
}

fn verbosity(book: &mut Book<'_>) -> u8 {
    let level = book.integer("v", (0, Origin::Default), SECONDS);
    u8::try_from(level).unwrap_or(u8::MAX)
}

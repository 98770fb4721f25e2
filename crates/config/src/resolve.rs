use core::time::Duration;
use std::path::PathBuf;

use evictd_evict::Config;
use evictd_node::{Policy, Ranking};
use evictd_oom::GuaranteedScore;
use evictd_quantity::GoDuration;

use crate::book::Book;
use crate::values::{self, Parsed, std_duration};
use crate::{
    Compat, ConfigError, Directory, FLAGS, MemorySource, Origin, Resolved, Typed, Warning, lists,
    thresholds,
};

const SECOND: i64 = 1_000_000_000;
/// The shortest loop: below it the measuring itself becomes a load (decision D6).
const LEAST_INTERVAL: GoDuration = GoDuration::from_nanos(SECOND / 10);
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
    let mut book = Book::default();
    let otherwise = |value| (value, Origin::Default);
    let flag = "merge-default-eviction-settings";
    let merge = book.boolean(
        flag,
        &typed.merge_default_eviction_settings,
        otherwise(false),
    )?;
    let compat = compat(typed, &mut book)?;
    let evict = evict(typed, compat, &mut book)?;
    let mut resolved = Resolved {
        evict,
        threshold_origins: Vec::new(),
        compat,
        dry_run: book.boolean("dry-run", &typed.dry_run, otherwise(false))?,
        housekeeping_interval: interval(
            "housekeeping-interval",
            &typed.housekeeping_interval,
            &mut book,
        )?,
        node_status_update_frequency: interval(
            "node-status-update-frequency",
            &typed.node_status_update_frequency,
            &mut book,
        )?,
        kernel_memcg_notification: memcg_notification(typed, &mut book)?,
        memory_source: memory_source(typed, &mut book)?,
        hugepage_aware: hugepage_aware(typed, compat, &mut book)?,
        pods_pids_bound: book.boolean(
            "pods-pids-bound",
            &typed.pods_pids_bound,
            otherwise(false),
        )?,
        nodefs_path: nodefs_path(typed, &mut book),
        imagefs_path: book.path("imagefs-path", &typed.imagefs_path),
        containerfs_path: book.path("containerfs-path", &typed.containerfs_path),
        pod_manifest_path: book.path("pod-manifest-path", &typed.pod_manifest_path),
        pod_cgroup_roots: pod_cgroup_roots(typed, &mut book)?,
        guaranteed_oom_score_adj: guaranteed_score(typed, &mut book)?,
        apply_oom_score_adj: book.boolean(
            "apply-oom-score-adj",
            &typed.apply_oom_score_adj,
            otherwise(false),
        )?,
        root_dir: directory("root-dir", &typed.root_dir, ROOT_DIR, &mut book)?,
        pod_logs_dir: directory("pod-logs-dir", &typed.pod_logs_dir, POD_LOGS_DIR, &mut book)?,
        system_reserved: book.list("system-reserved", &typed.system_reserved, lists::reserved)?,
        kube_reserved: book.list("kube-reserved", &typed.kube_reserved, lists::reserved)?,
        enforce_pods: enforce_pods(typed, &mut book)?,
        verbosity: verbosity(typed, &mut book)?,
        state_dir: state_dir(typed, &mut book),
        settings: Vec::new(),
        warnings: Vec::new(),
    };
    finish(&mut resolved, typed, merge, book)?;
    Ok(resolved)
}

/// The thresholds, and the records of what was read.
fn finish(resolved: &mut Resolved, typed: &Typed, merge: bool, mut book: Book) -> Parsed<()> {
    let found = thresholds::resolve(typed, merge, resolved.enforce_pods, &mut book.warnings)?;
    resolved.evict.thresholds = found.thresholds;
    resolved.threshold_origins = found.origins;
    resolved.settings = book.settings;
    let place = |name| FLAGS.iter().position(|flag| flag.name == name);
    resolved.settings.sort_by_key(|setting| place(setting.name));
    resolved.warnings = book.warnings;
    Ok(())
}

fn compat(typed: &Typed, book: &mut Book) -> Parsed<Compat> {
    let words = [("evictd", Compat::Evictd), ("kubelet", Compat::Kubelet)];
    book.word(
        "compat",
        &typed.compat,
        (Compat::Evictd, Origin::Default),
        &words,
    )
}

/// Everything of the state machine but the thresholds.
fn evict(typed: &Typed, compat: Compat, book: &mut Book) -> Parsed<Config> {
    let default = Config::default();
    Ok(Config {
        policy: policy(typed, compat, book)?,
        transition_period: transition_period(typed, book)?,
        max_pod_grace_seconds: book.integer(
            "eviction-max-pod-grace-period",
            &typed.eviction_max_pod_grace_period,
            (0, Origin::Default),
            (i64::from(i32::MIN), i64::from(i32::MAX)),
        )?,
        local_storage_isolation: book.boolean(
            "local-storage-capacity-isolation",
            &typed.local_storage_capacity_isolation,
            (true, Origin::Default),
        )?,
        ..default
    })
}

/// The preset, then what other flags say of single switches.
fn policy(typed: &Typed, compat: Compat, book: &mut Book) -> Parsed<Policy> {
    let (base, origin) = match compat {
        Compat::Evictd => (Policy::default(), Origin::Default),
        Compat::Kubelet => (Policy::kubelet(), Origin::Compat),
    };
    let words = [("priority", Ranking::Priority), ("qos", Ranking::Qos)];
    Ok(Policy {
        ranking: book.word(
            "ranking",
            &typed.ranking,
            (base.ranking, Origin::Default),
            &words,
        )?,
        hard_grace_seconds: book.integer(
            "hard-eviction-grace",
            &typed.hard_eviction_grace,
            (base.hard_grace_seconds, origin),
            SECONDS,
        )?,
        reclaim_must_clear_every_signal: book.boolean(
            "strict-kubelet-reclaim",
            &typed.strict_kubelet_reclaim,
            (base.reclaim_must_clear_every_signal, origin),
        )?,
        ..base
    })
}

/// The transition period, by its own flag or else by its old one (decision D12).
fn transition_period(typed: &Typed, book: &mut Book) -> Parsed<Duration> {
    const OLD: &str = "outofdisk-transition-frequency";
    const NEW: &str = "eviction-pressure-transition-period";
    let own = &typed.eviction_pressure_transition_period;
    let old = typed.outofdisk_transition_frequency.last();
    let old = old.map(|text| values::duration(OLD, text, GoDuration::ZERO));
    if let Some(period) = old.transpose()? {
        book.warnings.push(Warning::Deprecated {
            flag: OLD,
            instead: format!("--{NEW}={period}"),
            replaced: !own.is_empty(),
        });
        if own.is_empty() {
            book.note(NEW, period, Origin::Flag(OLD));
            return Ok(std_duration(period));
        }
    }
    let period = book.duration(NEW, own, FIVE_MINUTES, GoDuration::ZERO)?;
    Ok(std_duration(period))
}

fn interval(flag: &'static str, texts: &[String], book: &mut Book) -> Parsed<Duration> {
    let interval = book.duration(flag, texts, TEN_SECONDS, LEAST_INTERVAL)?;
    Ok(std_duration(interval))
}

/// Two names, the old one for the S0 way of writing it (decision D10).
fn memcg_notification(typed: &Typed, book: &mut Book) -> Parsed<bool> {
    const OLD: &str = "experimental-kernel-memcg-notification";
    const NEW: &str = "kernel-memcg-notification";
    let own = &typed.kernel_memcg_notification;
    let old = typed.experimental_kernel_memcg_notification.last();
    let old = old
        .map(|text| values::parse_boolean(OLD, text))
        .transpose()?;
    if let Some(wanted) = old {
        book.warnings.push(Warning::Deprecated {
            flag: OLD,
            instead: format!("--{NEW}={wanted}"),
            replaced: !own.is_empty(),
        });
    }
    let otherwise = old.map_or((false, Origin::Default), |wanted| {
        (wanted, Origin::Flag(OLD))
    });
    book.boolean(NEW, own, otherwise)
}

fn memory_source(typed: &Typed, book: &mut Book) -> Parsed<MemorySource> {
    let words = [
        ("kubelet", MemorySource::Kubelet),
        ("meminfo", MemorySource::Meminfo),
        ("min", MemorySource::Min),
    ];
    let otherwise = (MemorySource::Kubelet, Origin::Default);
    book.word(
        "memory-available-source",
        &typed.memory_available_source,
        otherwise,
        &words,
    )
}

/// The kubelet looks at huge pages by default since 1.37 (decision D44).
fn hugepage_aware(typed: &Typed, compat: Compat, book: &mut Book) -> Parsed<bool> {
    let otherwise = match compat {
        Compat::Evictd => (false, Origin::Default),
        Compat::Kubelet => (true, Origin::Compat),
    };
    let unaware = book.boolean("no-hugepage-aware", &typed.no_hugepage_aware, otherwise)?;
    Ok(!unaware)
}

fn nodefs_path(typed: &Typed, book: &mut Book) -> PathBuf {
    const FLAG: &str = "nodefs-path";
    match typed.nodefs_path.last().filter(|text| !text.is_empty()) {
        Some(text) => {
            book.note(FLAG, text, Origin::Flag(FLAG));
            PathBuf::from(text)
        }
        // The kubelet's nodefs is where its root directory lies.
        None => {
            let root = typed.root_dir.last().filter(|text| !text.is_empty());
            let origin = root.map_or(Origin::Default, |_| Origin::Derived);
            let path = root.map_or(ROOT_DIR, String::as_str);
            book.note(FLAG, path, origin);
            PathBuf::from(path)
        }
    }
}

/// A directory that has a usual place. An empty text means that place, as if the
/// flag were not there: it names nothing in which to delete.
fn directory(
    flag: &'static str,
    texts: &[String],
    usual: &str,
    book: &mut Book,
) -> Parsed<Directory> {
    let text = texts.last().filter(|text| !text.is_empty());
    let path = match text {
        Some(text) => values::directory(flag, text)?,
        None => PathBuf::from(usual),
    };
    let origin = text.map_or(Origin::Default, |_| Origin::Flag(flag));
    book.note(flag, path.display(), origin);
    let given = text.is_some();
    Ok(Directory { path, given })
}

/// All that were given: a comma may be part of a cgroup's name, so only
/// repeating the flag makes a list.
fn pod_cgroup_roots(typed: &Typed, book: &mut Book) -> Parsed<Vec<PathBuf>> {
    const FLAG: &str = "pod-cgroup-root";
    let texts = typed.pod_cgroup_root.iter();
    let roots = texts.map(|text| values::cgroup(FLAG, text));
    let roots = roots.collect::<Parsed<Vec<PathBuf>>>()?;
    let shown: Vec<String> = roots
        .iter()
        .map(|root| format!("/{}", root.display()))
        .collect();
    let origin = match roots.is_empty() {
        true => Origin::Default,
        false => Origin::Flag(FLAG),
    };
    book.note(FLAG, shown.join(" "), origin);
    Ok(roots)
}

fn guaranteed_score(typed: &Typed, book: &mut Book) -> Parsed<GuaranteedScore> {
    let default = i64::from(GuaranteedScore::KUBELET.get());
    let score = book.integer(
        "guaranteed-oom-score-adj",
        &typed.guaranteed_oom_score_adj,
        (default, Origin::Default),
        (-999, -1),
    )?;
    let score = i16::try_from(score).ok().map(GuaranteedScore::new);
    Ok(score.and_then(Result::ok).unwrap_or_default())
}

fn enforce_pods(typed: &Typed, book: &mut Book) -> Parsed<bool> {
    const FLAG: &str = "enforce-node-allocatable";
    let texts = &typed.enforce_node_allocatable;
    if texts.is_empty() {
        book.note(FLAG, "pods", Origin::Default);
        return Ok(true);
    }
    let pods = lists::enforce_pods(FLAG, &texts.join(","))?;
    book.note(FLAG, if pods { "pods" } else { "none" }, Origin::Flag(FLAG));
    Ok(pods)
}

/// Unlike other paths, an empty text is no call for the default: it switches off.
fn state_dir(typed: &Typed, book: &mut Book) -> Option<PathBuf> {
    const FLAG: &str = "state-dir";
    if typed.state_dir.is_empty() {
        book.note(FLAG, STATE, Origin::Default);
        return Some(PathBuf::from(STATE));
    }
    book.path(FLAG, &typed.state_dir)
}

fn verbosity(typed: &Typed, book: &mut Book) -> Parsed<u8> {
    let level = book.integer("v", &typed.v, (0, Origin::Default), SECONDS)?;
    Ok(u8::try_from(level).unwrap_or(u8::MAX))
}

use core::time::Duration;
use std::path::PathBuf;

use evictd_evict::Config;
use evictd_node::{MemorySource, Policy};
use evictd_quantity::GoDuration;

use crate::behaviour::Behaviour;
use crate::book::Book;
use crate::compat::Difference;
use crate::values::{self, INT32, Parsed, std_duration};
use crate::{
    Compat, ConfigError, ContainerRuntimes, Daemon, Directory, Flag, GarbageCollection, Hooks,
    LogFormat, LogTarget, Memory, MemoryRelief, NodeAllocatable, OomScoreAdj, Origin, Output,
    Paths, PodSources, PodsOf, Reserved, Resolved, Setting, Typed, Warning, collection, debug,
    endpoint, keep, listen, lists, relief, thresholds,
};

/// The shortest loop: below it the measuring itself becomes a load (decision D6).
const LEAST_INTERVAL: GoDuration = GoDuration::from_nanos(100_000_000);
/// From none to the most that Go's `int32` holds.
const COUNT: (i64, i64) = (0, INT32.1);

const MEMORY_SOURCES: [(&str, MemorySource); 3] = [
    ("kubelet", MemorySource::Kubelet),
    ("meminfo", MemorySource::Meminfo),
    ("min", MemorySource::Min),
];

/// Checks every flag and fills in the defaults: the kubelet's.
///
/// # Errors
/// The first thing that is wrong. What is merely odd is in
/// [`Resolved::warnings`].
pub fn resolve(typed: &Typed) -> Result<Resolved, Box<ConfigError>> {
    all(typed).map_err(|error| typed.locate(error))
}

#[expect(clippy::too_many_lines, reason = "a line for each setting")]
fn all(typed: &Typed) -> Parsed<Resolved> {
    let mut book = Book::new(typed);
    let merge = book.boolean("merge-default-eviction-settings")?;
    for files in ["flags-file", "config", "config-dir"] {
        book.path(files); // What they say is in `typed` already.
    }
    let behaviour = Behaviour::read(&mut book)?;
    let debug = debug::read(&mut book)?;
    without_effect(&mut book)?;
    let (of_services, of_sessions) = pods_of(&mut book)?;
    // In this order: of several errors the first is told.
    let evict = evict(&behaviour, &mut book)?;
    let dry_run = book.boolean("dry-run")?;
    let daemon = Daemon {
        housekeeping_interval: interval("housekeeping-interval", &mut book)?,
        kernel_notices: !debug.no_kernel_notices,
        realtime: !debug.no_realtime,
        sandbox: !debug.no_sandbox,
    };
    let source = book.word("memory-available-source", &MEMORY_SOURCES)?;
    let pods = PodSources {
        manifest_path: book.path("pod-manifest-path"),
        cgroup_roots: pod_cgroup_roots(&mut book)?,
        of_services,
        of_sessions,
        never_evict: never_evict(&mut book),
    };
    let memory = Memory {
        source,
        hugepage_aware: !behaviour.has(Difference::NoHugepageAware),
        relief: book.word("memory-relief", &MemoryRelief::WORDS)?,
        keep_alive: keep::services(&mut book)?,
    };
    let oom_score_adj = OomScoreAdj {
        guaranteed: behaviour.compat.guaranteed_score(),
        apply: book.boolean("apply-oom-score-adj")?,
    };
    let paths = Paths {
        nodefs: nodefs_path(&mut book),
        imagefs: book.path("imagefs-path"),
        containerfs: book.path("containerfs-path"),
        root_dir: directory("root-dir", &mut book)?,
        pod_logs_dir: directory("pod-logs-dir", &mut book)?,
        state_dir: book.path("state-dir"),
    };
    let node_allocatable = NodeAllocatable {
        system_reserved: reserved("system-reserved", &mut book)?,
        kube_reserved: reserved("kube-reserved", &mut book)?,
        enforce_pods: enforce_pods(&mut book)?,
    };
    let runtimes = ContainerRuntimes {
        endpoints: endpoint::endpoints(&mut book)?,
        compose_projects_are_pods: book.boolean("compose-projects-are-pods")?,
    };
    let images = collection::images(&behaviour, &mut book)?;
    let containers = collection::containers(&mut book)?;
    let relief = relief::relief(&behaviour, &mut book)?;
    let gc = GarbageCollection {
        images,
        containers,
        all_containers: book.word(
            "collect-dead-containers",
            &[("replaced", false), ("all", true)],
        )?,
        anonymous_volumes: book.boolean("collect-anonymous-volumes")?,
    };
    let output = Output {
        verbosity: u8::try_from(book.integer("v", COUNT)?).unwrap_or(u8::MAX),
        log_format: book.word("logging-format", &LogFormat::WORDS)?,
        log_target: book.word("log-target", &LogTarget::WORDS)?,
        metrics_file: book.path("metrics-file"),
        metrics_listen: listen::address(&mut book)?,
    };
    let hooks = Hooks {
        on_event: book.path("on-event"),
        before_kill: book.path("before-kill"),
    };
    let mut resolved = Resolved {
        evict,
        threshold_origins: Vec::new(),
        compat: behaviour.compat,
        lost_time_is_left_out: false,
        dry_run,
        daemon,
        memory,
        paths,
        pods,
        runtimes,
        node_allocatable,
        oom_score_adj,
        gc,
        relief,
        output,
        hooks,
        settings: book.settings,
        warnings: book.warnings,
    };
    finish(&mut resolved, typed, merge)?;
    Ok(resolved)
}

/// A kubelet's flags that are only checked: what is wrong in them would stop that kubelet.
fn without_effect(book: &mut Book<'_>) -> Parsed<()> {
    book.value("node-status-update-frequency", values::duration)?;
    book.boolean("kernel-memcg-notification")?;
    book.boolean("experimental-kernel-memcg-notification")?;
    Ok(())
}

/// The thresholds, and the settings in the order of the help.
fn finish(resolved: &mut Resolved, typed: &Typed, merge: bool) -> Parsed<()> {
    let (compat, enforce_pods) = (resolved.compat, resolved.node_allocatable.enforce_pods);
    resolved.evict.policy.relief_ends_with_images = resolved.relief.is_none();
    let warnings = &mut resolved.warnings;
    (resolved.evict.thresholds, resolved.threshold_origins) =
        thresholds::resolve(typed, merge, compat, enforce_pods, warnings)?;
    let late = collection::pressure_comes_first(&resolved.evict.thresholds, &resolved.gc.images);
    resolved.warnings.extend(late);
    let place = |setting: &Setting| Flag::known().position(|flag| flag.name == setting.flag());
    resolved.settings.sort_by_cached_key(place);
    Ok(())
}

/// Everything of the state machine but the thresholds.
fn evict(behaviour: &Behaviour, book: &mut Book<'_>) -> Parsed<Config> {
    Ok(Config {
        policy: policy(behaviour, book),
        transition_period: transition_period(book)?,
        max_pod_grace_seconds: book.integer("eviction-max-pod-grace-period", INT32)?,
        local_storage_isolation: book.boolean("local-storage-capacity-isolation")?,
        ..Config::default()
    })
}

/// The preset, then the differences and the feature gates.
fn policy(behaviour: &Behaviour, book: &Book<'_>) -> Policy {
    let base = behaviour.compat.policy();
    let facts = book.typed.facts;
    Policy {
        // A kubelet gives one second.
        hard_grace_seconds: i64::from(behaviour.has(Difference::HardEvictionGrace)),
        kill_comes_before_file_pages: behaviour.has(Difference::NoReclaimBeforeKill),
        reclaim_must_clear_every_signal: behaviour.has(Difference::StrictKubeletReclaim),
        manifest_pods_are_static: behaviour.has(Difference::StaticPodsAreCritical),
        pod_resources_are_ignored: base.pod_resources_are_ignored || facts.no_pod_resources,
        image_volumes_are_not_in_use: match (behaviour.compat, facts.image_volumes) {
            (Compat::Kubelet(_), Some(on)) => !on,
            _ => base.image_volumes_are_not_in_use,
        },
        ..base
    }
}

/// The transition period, by its own flag or else by its old one (decision D12).
fn transition_period(book: &mut Book<'_>) -> Parsed<Duration> {
    const FLAG: &str = "eviction-pressure-transition-period";
    let period = book.renamed(FLAG, "outofdisk-transition-frequency", values::duration)?;
    collection::negative_is_none(FLAG, period, book);
    Ok(std_duration(period))
}

fn interval(flag: &'static str, book: &mut Book<'_>) -> Parsed<Duration> {
    let interval = book.value(flag, values::duration)?;
    if interval < LEAST_INTERVAL {
        let message = format!("{interval} is below the least, {LEAST_INTERVAL}");
        return Err(book.error(flag, message, format!("write {LEAST_INTERVAL} or more")));
    }
    Ok(std_duration(interval))
}

/// The kubelet's nodefs is where its root directory lies.
fn nodefs_path(book: &mut Book<'_>) -> PathBuf {
    const FLAG: &str = "nodefs-path";
    let named = |flag| book.last(flag).filter(|text| !text.is_empty());
    let (path, origin) = match (named(FLAG), named("root-dir")) {
        (Some(path), _) => (path, book.typed.origin(FLAG)),
        (None, Some(root)) => (root, Origin::Derived),
        (None, None) => (default_of(FLAG), Origin::Default),
    };
    book.note(FLAG, &path, origin);
    PathBuf::from(path)
}

fn default_of(flag: &str) -> &'static str {
    Flag::find(flag).map_or("", |flag| flag.default)
}

/// A directory that has a usual place. An empty text means that place, as if the
/// flag were not there: it names nothing in which to delete.
fn directory(flag: &'static str, book: &mut Book<'_>) -> Parsed<Directory> {
    let (path, origin) = match book.text(flag) {
        ("", _) => (default_of(flag), Origin::Default),
        given => given,
    };
    let path = values::directory(flag, path)?;
    book.note(flag, &path.display(), origin);
    Ok(Directory {
        path,
        given: origin != Origin::Default,
    })
}

/// All that were given: a comma may be part of a cgroup's name, so only
/// repeating the flag makes a list.
fn pod_cgroup_roots(book: &mut Book<'_>) -> Parsed<Vec<PathBuf>> {
    const FLAG: &str = "pod-cgroup-root";
    let texts = book.texts(FLAG).iter();
    let roots: Vec<PathBuf> = texts
        .map(|text| values::cgroup(FLAG, text))
        .collect::<Parsed<_>>()?;
    let shown: Vec<String> = roots
        .iter()
        .map(|root| format!("/{}", root.display()))
        .collect();
    book.note(FLAG, &shown.join(" "), book.typed.origin(FLAG));
    Ok(roots)
}

fn pods_of(book: &mut Book<'_>) -> Parsed<(Option<PodsOf>, bool)> {
    const FLAG: &str = "pods-of";
    const WORDS: [&str; 3] = ["openrc", "systemd", "sessions"];
    let (text, origin) = book.text(FLAG);
    let (mut manager, mut sessions) = (None, false);
    for word in text.split(',').filter(|word| !word.is_empty()) {
        let of = match word {
            "sessions" => {
                sessions = true;
                continue;
            }
            "openrc" => PodsOf::Openrc,
            "systemd" => PodsOf::Systemd,
            _ => return Err(values::unknown(FLAG, word, &WORDS)),
        };
        if manager.replace(of).is_some_and(|other| other != of) {
            let message = String::from("a machine has one init system");
            return Err(ConfigError::new(
                FLAG,
                (word, 0),
                message,
                "write one of them",
            ));
        }
    }
    book.note(FLAG, &text, origin);
    Ok((manager, sessions))
}

/// All that were given.
fn never_evict(book: &mut Book<'_>) -> Vec<String> {
    const FLAG: &str = "never-evict";
    let texts = book.texts(FLAG);
    book.note(FLAG, &texts.join(" "), book.typed.origin(FLAG));
    texts.to_vec()
}

/// Its occurrences are one list, joined by commas.
fn reserved(flag: &'static str, book: &mut Book<'_>) -> Parsed<Reserved> {
    let reserved = lists::reserved(flag, &book.texts(flag).join(","))?;
    book.note(flag, &reserved, book.typed.origin(flag));
    Ok(reserved)
}

fn enforce_pods(book: &mut Book<'_>) -> Parsed<bool> {
    const FLAG: &str = "enforce-node-allocatable";
    let texts = book.texts(FLAG);
    // The default goes with every other setting.
    if texts.is_empty() {
        book.note(FLAG, &default_of(FLAG), Origin::Default);
        return Ok(true);
    }
    let (pods, passed_over) = lists::enforce(FLAG, &texts.join(","), book.typed.facts)?;
    book.warnings.extend(passed_over.into_iter().map(|option| {
        Warning(format!(
            "{option} of --enforce-node-allocatable is passed over: evictd leaves the cgroups of \
             system daemons alone"
        ))
    }));
    let shown = if pods { "pods" } else { "none" };
    book.note(FLAG, &shown, book.typed.origin(FLAG));
    Ok(pods)
}

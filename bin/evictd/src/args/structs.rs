//! argh's part: sorts the flags into fields. Each takes any number of texts, which
//! the config crate then reads; argh itself refuses a repeated flag.

use std::path::PathBuf;

use argh::FromArgs;
use evictd_config::{Typed, parse_boolean, parse_priority, parse_qos_class, parse_signal};
use evictd_node::{QosClass, Signal};

use super::split::Line;
use super::{ArgsError, Command, Whom};

#[derive(FromArgs)]
struct Flags {
    #[argh(option)]
    eviction_hard: Vec<String>,
    #[argh(option)]
    eviction_soft: Vec<String>,
    #[argh(option)]
    eviction_soft_grace_period: Vec<String>,
    #[argh(option)]
    eviction_minimum_reclaim: Vec<String>,
    #[argh(option)]
    merge_default_eviction_settings: Vec<String>,
    #[argh(option)]
    eviction_max_pod_grace_period: Vec<String>,
    #[argh(option)]
    hard_eviction_grace: Vec<String>,
    #[argh(option)]
    eviction_pressure_transition_period: Vec<String>,
    #[argh(option)]
    local_storage_capacity_isolation: Vec<String>,
    #[argh(option)]
    ranking: Vec<String>,
    #[argh(option)]
    strict_kubelet_reclaim: Vec<String>,
    #[argh(option)]
    compat: Vec<String>,
    #[argh(option)]
    dry_run: Vec<String>,
    #[argh(option)]
    housekeeping_interval: Vec<String>,
    #[argh(option)]
    node_status_update_frequency: Vec<String>,
    #[argh(option)]
    kernel_memcg_notification: Vec<String>,
    #[argh(option)]
    memory_available_source: Vec<String>,
    #[argh(option)]
    no_hugepage_aware: Vec<String>,
    #[argh(option)]
    pods_pids_bound: Vec<String>,
    #[argh(option)]
    nodefs_path: Vec<String>,
    #[argh(option)]
    imagefs_path: Vec<String>,
    #[argh(option)]
    containerfs_path: Vec<String>,
    #[argh(option)]
    pod_manifest_path: Vec<String>,
    #[argh(option)]
    pod_cgroup_root: Vec<String>,
    #[argh(option)]
    guaranteed_oom_score_adj: Vec<String>,
    #[argh(option)]
    apply_oom_score_adj: Vec<String>,
    #[argh(option)]
    root_dir: Vec<String>,
    #[argh(option)]
    pod_logs_dir: Vec<String>,
    #[argh(option)]
    system_reserved: Vec<String>,
    #[argh(option)]
    kube_reserved: Vec<String>,
    #[argh(option)]
    enforce_node_allocatable: Vec<String>,
    #[argh(option)]
    v: Vec<String>,
    #[argh(option)]
    state_dir: Vec<String>,
    #[argh(option)]
    experimental_kernel_memcg_notification: Vec<String>,
    #[argh(option)]
    low_diskspace_threshold_mb: Vec<String>,
    #[argh(option)]
    outofdisk_transition_frequency: Vec<String>,
    #[argh(subcommand)]
    command: Option<Subcommand>,
}

#[derive(FromArgs)]
#[argh(subcommand)]
enum Subcommand {
    Status(StatusArgs),
    Rank(RankArgs),
    Admit(AdmitArgs),
    History(HistoryArgs),
    Config(ConfigArgs),
    OomScore(OomScoreArgs),
    GcContainers(GcContainersArgs),
    Selftest(SelftestArgs),
}

#[derive(FromArgs)]
#[argh(subcommand, name = "status")]
struct StatusArgs {
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "rank")]
struct RankArgs {
    #[argh(option)]
    signal: Vec<String>,
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "admit")]
struct AdmitArgs {
    #[argh(option)]
    pod: Vec<String>,
    #[argh(option)]
    qos: Vec<String>,
    #[argh(option)]
    priority: Vec<String>,
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "history")]
struct HistoryArgs {
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "config")]
struct ConfigArgs {
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "oom-score")]
struct OomScoreArgs {
    #[argh(option)]
    apply: Vec<String>,
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "gc containers")]
struct GcContainersArgs {
    #[argh(option)]
    json: Vec<String>,
}

#[derive(FromArgs)]
#[argh(subcommand, name = "selftest")]
struct SelftestArgs {
    #[argh(option)]
    json: Vec<String>,
}

/// The command and the flags of a command line that is split and known to hold
/// no flag out of place.
pub(crate) fn parse(line: &Line) -> Result<(Command, Typed), ArgsError> {
    let dashed = |name: &str| format!("--{name}");
    let mut words = Vec::new();
    for (name, value) in &line.flags {
        words.extend([dashed(name), value.clone()]);
    }
    words.extend(line.command.map(|command| command.name.to_owned()));
    for (name, value) in &line.own {
        words.extend([dashed(name), value.clone()]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut flags = Flags::from_args(&["evictd"], &words)
        .map_err(|exit| ArgsError::Inner(exit.output.trim().to_owned()))?;
    let command = command(flags.command.take())?;
    Ok((command, flags.into()))
}

fn command(subcommand: Option<Subcommand>) -> Result<Command, ArgsError> {
    Ok(match subcommand {
        None => Command::Daemon,
        Some(Subcommand::Status(args)) => Command::Status {
            json: json(&args.json)?,
        },
        Some(Subcommand::Rank(args)) => Command::Rank {
            signal: signal(&args.signal)?,
            json: json(&args.json)?,
        },
        Some(Subcommand::Admit(args)) => Command::Admit {
            whom: whom(&args)?,
            json: json(&args.json)?,
        },
        Some(Subcommand::History(args)) => Command::History {
            json: json(&args.json)?,
        },
        Some(Subcommand::Config(args)) => Command::Config {
            json: json(&args.json)?,
        },
        Some(Subcommand::OomScore(args)) => Command::OomScore {
            apply: boolean("apply", &args.apply)?,
            json: json(&args.json)?,
        },
        Some(Subcommand::GcContainers(args)) => Command::GcContainers {
            json: json(&args.json)?,
        },
        Some(Subcommand::Selftest(args)) => Command::Selftest {
            json: json(&args.json)?,
        },
    })
}

fn json(texts: &[String]) -> Result<bool, ArgsError> {
    boolean("json", texts)
}

fn boolean(flag: &'static str, texts: &[String]) -> Result<bool, ArgsError> {
    let last = texts.last();
    Ok(last.map_or(Ok(false), |text| parse_boolean(flag, text))?)
}

fn signal(texts: &[String]) -> Result<Signal, ArgsError> {
    let last = texts.last();
    Ok(last.map_or(Ok(Signal::MemoryAvailable), |text| {
        parse_signal("signal", text)
    })?)
}

fn whom(args: &AdmitArgs) -> Result<Whom, ArgsError> {
    let described = !args.qos.is_empty() || !args.priority.is_empty();
    match args.pod.last() {
        Some(_) if described => Err(ArgsError::TwoPods),
        Some(path) => Ok(Whom::Manifest(PathBuf::from(path))),
        None if !described => Err(ArgsError::NoPod),
        None => {
            let qos = args.qos.last();
            let priority = args.priority.last();
            Ok(Whom::Pod {
                qos: qos.map_or(Ok(QosClass::BestEffort), |text| {
                    parse_qos_class("qos", text)
                })?,
                priority: priority.map_or(Ok(0), |text| parse_priority("priority", text))?,
            })
        }
    }
}

impl From<Flags> for Typed {
    fn from(flags: Flags) -> Self {
        Self {
            eviction_hard: flags.eviction_hard,
            eviction_soft: flags.eviction_soft,
            eviction_soft_grace_period: flags.eviction_soft_grace_period,
            eviction_minimum_reclaim: flags.eviction_minimum_reclaim,
            merge_default_eviction_settings: flags.merge_default_eviction_settings,
            eviction_max_pod_grace_period: flags.eviction_max_pod_grace_period,
            hard_eviction_grace: flags.hard_eviction_grace,
            eviction_pressure_transition_period: flags.eviction_pressure_transition_period,
            local_storage_capacity_isolation: flags.local_storage_capacity_isolation,
            ranking: flags.ranking,
            strict_kubelet_reclaim: flags.strict_kubelet_reclaim,
            compat: flags.compat,
            dry_run: flags.dry_run,
            housekeeping_interval: flags.housekeeping_interval,
            node_status_update_frequency: flags.node_status_update_frequency,
            kernel_memcg_notification: flags.kernel_memcg_notification,
            memory_available_source: flags.memory_available_source,
            no_hugepage_aware: flags.no_hugepage_aware,
            pods_pids_bound: flags.pods_pids_bound,
            nodefs_path: flags.nodefs_path,
            imagefs_path: flags.imagefs_path,
            containerfs_path: flags.containerfs_path,
            pod_manifest_path: flags.pod_manifest_path,
            pod_cgroup_root: flags.pod_cgroup_root,
            guaranteed_oom_score_adj: flags.guaranteed_oom_score_adj,
            apply_oom_score_adj: flags.apply_oom_score_adj,
            root_dir: flags.root_dir,
            pod_logs_dir: flags.pod_logs_dir,
            system_reserved: flags.system_reserved,
            kube_reserved: flags.kube_reserved,
            enforce_node_allocatable: flags.enforce_node_allocatable,
            v: flags.v,
            state_dir: flags.state_dir,
            experimental_kernel_memcg_notification: flags.experimental_kernel_memcg_notification,
            low_diskspace_threshold_mb: flags.low_diskspace_threshold_mb,
            outofdisk_transition_frequency: flags.outofdisk_transition_frequency,
        }
    }
}

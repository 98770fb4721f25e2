//! `evictd oom-score`: how soon the kernel's OOM killer takes each process of the
//! pods, how soon it should, and why.

use core::fmt::Write;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_cgroup::{FoundPod, Origin, ScoreOutcome};
use evictd_config::Resolved;
use evictd_engine::ports::Depth;
use evictd_machine::facts::{boot_id, read_text};
use evictd_machine::oom_score::{Keeper, name};
use evictd_machine::setup::Setup;
use evictd_node::QosClass;
use evictd_pods::Pods;
use evictd_stats::now;
use serde::Serialize;

use super::columns::{Columns, wrap};
use super::output::{NO_PODS, complain, print_as, shown};
use super::screen::{Paint, cut};

/// oom_score_adj of the pods' processes: as it is and should be
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "oom-score",
    note = "Prints each process of each pod with its oom_score_adj and the one that the\n\
            pod's QoS class and memory request ask for, and why. With --apply sets it;\n\
            lowering needs CAP_SYS_RESOURCE: without it one line says so, the rest is\n\
            done, and the exit code is 1. Nothing outside the pods is touched. The\n\
            children of a process inherit its score.",
    example = "{command_name}\n\
               {command_name} --apply --pod-cgroup-root=/system.slice"
)]
pub struct OomScore {
    /// set the scores too, once; the daemon does so with --apply-oom-score-adj
    #[argh(switch)]
    apply: bool,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Document {
    applied: bool,
    pods: Vec<PodScores>,
    problems: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PodScores {
    namespace: String,
    name: String,
    uid: String,
    #[serde(serialize_with = "shown")]
    qos_class: QosClass,
    qos_class_from: &'static str,
    processes: Vec<ProcessScore>,
    #[serde(skip)]
    full_name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProcessScore {
    pid: i32,
    comm: String,
    cgroup: Option<String>,
    container: Option<String>,
    oom_score_adj: i16,
    /// What it should be.
    score: i16,
    reason: String,
    outcome: &'static str,
    /// Why the kernel refused it.
    #[serde(skip)]
    refused: Option<String>,
}

impl OomScore {
    /// Prints, and sets if asked to; fails where something could not be read or set.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let document = look(settings, self.apply)?;
        let in_text = || in_text(&document, Paint::for_stdout());
        let printed = print_as(self.json, &document, in_text);
        let refusal = refusal(&document);
        for problem in document.problems.iter().chain(&refusal).chain(&panics()) {
            complain("oom-score", problem);
        }
        let is_done = document.problems.is_empty() && refusal.is_none();
        Ok(if is_done { printed } else { ExitCode::FAILURE })
    }
}

fn look(settings: &Resolved, set: bool) -> Result<Document, String> {
    let setup = Setup::of(settings, None)?;
    let mut keeper = Keeper::open(settings, setup.cgroup.hierarchies.clone())?;
    let mut pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
    pods.remember_protected(settings.paths.state_dir.as_deref(), &boot_id());
    pods.refresh(now(), Depth::Whole);
    // Whoever has answered now speaks for himself.
    pods.refresh(now(), Depth::Whole);
    let mut document = Document {
        applied: set,
        pods: Vec::new(),
        problems: pods.problems().to_vec(),
    };
    for (found, _) in pods.seen() {
        let mut processes = Vec::new();
        let visited = keeper.visit(found, set, &mut |process, member| {
            processes.push(ProcessScore {
                pid: process.pid,
                comm: String::from_utf8_lossy(process.comm).into_owned(),
                cgroup: process.child.map(str::to_owned),
                container: member.container.map(str::to_owned),
                oom_score_adj: process.present,
                score: process.wanted,
                reason: member.reason.to_string(),
                outcome: word(process.outcome),
                refused: match process.outcome {
                    ScoreOutcome::Refused(errno) => Some(errno.to_string()),
                    ScoreOutcome::AsWanted | ScoreOutcome::Differs | ScoreOutcome::Set => None,
                },
            });
        });
        document.problems.extend(visited.err());
        let metadata = &found.pod.metadata;
        document.pods.push(PodScores {
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
            uid: metadata.uid.clone(),
            qos_class: found.pod.qos_class(&settings.evict.policy),
            qos_class_from: class_from(found),
            processes,
            full_name: name(found),
        });
    }
    Ok(document)
}

/// The one line about all that the kernel refused.
fn refusal(document: &Document) -> Option<String> {
    let processes = document.pods.iter().flat_map(|pod| &pod.processes);
    let mut refused = processes.filter(|process| process.refused.is_some());
    let first = refused.next()?;
    let errno = first.refused.as_deref()?;
    let all = refused.count().saturating_add(1);
    Some(format!(
        "not set: {all} (first is process {}, at {} instead of {}): {errno}; lowering needs \
         CAP_SYS_RESOURCE",
        first.pid, first.oom_score_adj, first.score
    ))
}

/// With this setting the order of the scores is worth nothing (failure F27).
fn panics() -> Option<String> {
    let text = read_text("/proc/sys/vm/panic_on_oom".as_ref()).ok()?;
    let text = text.trim();
    (text != "0").then(|| {
        format!("vm.panic_on_oom is {text}: the kernel panics instead of choosing by these scores")
    })
}

/// Where the class of a pod comes from.
const fn class_from(found: &FoundPod) -> &'static str {
    match (found.manifest, found.origin) {
        (Some(_), _) => "its manifest",
        (None, Origin::Kubepods) => "its place in the kubepods tree",
        (None, Origin::Runtime) => "its container runtime",
        (None, Origin::PodCgroupRoot | Origin::Service) => {
            "its cgroup's request and limit of memory"
        }
    }
}

const fn word(outcome: ScoreOutcome) -> &'static str {
    match outcome {
        ScoreOutcome::AsWanted => "right",
        ScoreOutcome::Differs => "differs",
        ScoreOutcome::Set => "set",
        ScoreOutcome::Refused(_) => "refused",
    }
}

fn in_text(document: &Document, paint: Paint) -> String {
    if document.pods.is_empty() {
        return NO_PODS.to_owned();
    }
    let mut text = String::new();
    for pod in &document.pods {
        text.push_str(&paint.head(&cut(&pod.full_name, 79)));
        let (class, from) = (pod.qos_class, pod.qos_class_from);
        let _ = write!(text, "\n  {class} by {from}\n");
        reasons(&mut text, &pod.processes);
        text.push_str(&table(&pod.processes));
    }
    text
}

/// Each reason once, in the order in which the processes show it.
fn reasons(text: &mut String, processes: &[ProcessScore]) {
    let mut shown = Vec::new();
    for process in processes {
        let container = process.container.as_deref();
        let container = container.unwrap_or("container unknown, lowest score");
        let line = format!("{} ({container}): {}", process.score, process.reason);
        if !shown.contains(&line) {
            wrap(text, ("  ", "    "), &line);
            shown.push(line);
        }
    }
}

fn table(processes: &[ProcessScore]) -> String {
    let headings = ["   ", "PID", "NOW", "SHOULD", "COMMAND", ""];
    let mut columns = Columns::new(&headings, &[1, 2, 3]);
    for process in processes {
        columns.row(vec![
            String::new(),
            process.pid.to_string(),
            process.oom_score_adj.to_string(),
            process.score.to_string(),
            process.comm.clone(),
            process.outcome.to_owned(),
        ]);
    }
    columns.to_string()
}

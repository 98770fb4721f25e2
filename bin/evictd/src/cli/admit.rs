//! `evictd admit`: whether a pod may start on this node now.

use core::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evictd_cgroup::own::try_lock;
use evictd_condition::{Rejection, admit};
use evictd_config::Resolved;
use evictd_engine::state::{State, check_published, read_boot_id, read_state};
use evictd_jsontext::Json;
use evictd_manifest::{MAX_BYTES, parse_pods};
use evictd_node::pod::Pod;
use evictd_node::{Condition, ConditionSet, QosClass};
use evictd_stats::{now, wall_seconds};

use crate::cli::output::{USAGE, print};
use crate::engine;
use crate::setup::{FIRST_FS_WAIT, PROC, Setup, no_thread};

/// Who asks to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The pods of a manifest; `-` is standard input.
    Manifest(PathBuf),
    /// A pod of which no more is known than this.
    Pod {
        /// Its QoS class.
        qos: QosClass,
        /// Its priority.
        priority: i32,
    },
}

/// What was asked for.
pub(crate) struct AdmitOptions {
    pub(crate) whom: Whom,
    pub(crate) json: bool,
}

/// Answers by its exit code: 0 all may start, 1 one may not (or nobody knows), 2
/// there is no pod to answer for.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &AdmitOptions) -> ExitCode {
    let pods = match pods_of(&options.whom) {
        Ok(pods) => pods,
        Err(error) => {
            eprintln!("evictd admit: {error}");
            return ExitCode::from(USAGE);
        }
    };
    let seen = match look(settings) {
        Ok(seen) => seen,
        Err(error) => {
            eprintln!("evictd admit: {error}");
            return ExitCode::FAILURE;
        }
    };
    let conditions: Vec<Condition> = seen.conditions.each().collect();
    let verdicts: Vec<_> = pods.iter().map(|pod| admit(&conditions, pod)).collect();
    let printed = print(&if options.json {
        in_json(&seen, &pods, &verdicts)
    } else {
        in_text(&pods, &verdicts)
    });
    if verdicts.iter().any(Result::is_err) {
        return ExitCode::FAILURE;
    }
    printed
}

/// The pods that ask.
fn pods_of(whom: &Whom) -> Result<Vec<Pod>, String> {
    match whom {
        Whom::Manifest(path) => {
            let bytes = read_bounded(path);
            let bytes = bytes.map_err(|error| format!("{}: {error}", path.display()))?;
            parse_pods(&bytes).map_err(|error| format!("{}: {error}", path.display()))
        }
        Whom::Pod { qos, priority } => {
            let mut pod = Pod::default();
            pod.status.qos_class = Some(*qos);
            pod.spec.priority = Some(*priority);
            Ok(vec![pod])
        }
    }
}

/// As much as a manifest may be, and a byte more, at which the parser refuses it.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let most = most.saturating_add(1);
    let file = if path == Path::new("-") {
        File::from(io::stdin().as_fd().try_clone_to_owned()?)
    } else {
        File::open(path)?
    };
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The node's conditions, and how they came to be known.
struct Seen {
    conditions: ConditionSet,
    /// Why it was not the daemon that was asked; `None` where it was.
    doubt: Option<String>,
}

/// What the daemon publishes, if one runs; else what one look shows, together
/// with what a daemon that ended would still hold.
fn look(settings: &Resolved) -> Result<Seen, String> {
    let (published, doubt) = published(settings);
    if let (Some(state), None) = (&published, &doubt) {
        let conditions = state.held();
        return Ok(Seen { conditions, doubt });
    }
    let mut engine = engine::open(Setup::of(settings, None)?)?;
    engine::measure_disk(&mut engine).map_err(no_thread)?;
    engine.observe(now(), FIRST_FS_WAIT, false);
    let mut conditions = engine.evict().conditions();
    if let Some(mut state) = published {
        let (now, transition) = (now(), settings.evict.transition_period);
        state.rebase(&boot_id(), now, wall_seconds(), transition);
        conditions |= state.held_on(now, transition);
    }
    Ok(Seen { conditions, doubt })
}

/// The state in the directory, and why it is not to be believed.
fn published(settings: &Resolved) -> (Option<State>, Option<String>) {
    let Some(directory) = &settings.state_dir else {
        return (None, Some(String::from("--state-dir is empty")));
    };
    match read_state(directory) {
        Ok(Some(state)) => {
            let checked = check_published(directory, &state, &boot_id(), now(), try_lock);
            (Some(state), checked.err().map(|doubt| doubt.to_string()))
        }
        Ok(None) => {
            let doubt = format!("no daemon publishes in {}", directory.display());
            (None, Some(doubt))
        }
        Err(error) => (None, Some(error.to_string())),
    }
}

/// Empty where it cannot be read, which equals no boot.
fn boot_id() -> String {
    read_boot_id(Path::new(PROC)).unwrap_or_default()
}

fn in_json(seen: &Seen, pods: &[Pod], verdicts: &[Result<(), Rejection>]) -> String {
    let mut json = Json::new();
    let source = match seen.doubt {
        None => "daemon",
        Some(_) => "observation",
    };
    json.bool("admitted", verdicts.iter().all(Result::is_ok));
    json.text("source", source);
    json.opt_text("why", seen.doubt.as_deref());
    json.array("conditions");
    for condition in seen.conditions.each() {
        json.item(&condition);
    }
    json.end_array();
    json.array("taints");
    for condition in seen.conditions.each() {
        json.item(&condition.taint());
    }
    json.end_array();
    json.array("pods");
    for (pod, verdict) in pods.iter().zip(verdicts) {
        json.item_object();
        add_pod(&mut json, pod, verdict);
        json.end_object();
    }
    json.end_array();
    json.into_line()
}

fn add_pod(json: &mut Json, pod: &Pod, verdict: &Result<(), Rejection>) {
    json.text("namespace", &pod.metadata.namespace);
    json.text("name", &pod.metadata.name);
    json.text("qosClass", pod.qos_class().name());
    json.int("priority", pod.priority().into());
    json.bool("admitted", verdict.is_ok());
    match verdict {
        Ok(()) => {
            json.null("reason");
            json.null("message");
        }
        Err(rejection) => {
            json.text("reason", Rejection::REASON);
            json.show("message", rejection);
        }
    }
}

/// What is admitted; what is not is said on stderr, where an init script's log
/// shows it whatever becomes of the rest.
fn in_text(pods: &[Pod], verdicts: &[Result<(), Rejection>]) -> String {
    let mut text = String::new();
    for (pod, verdict) in pods.iter().zip(verdicts) {
        let (qos, priority) = (pod.qos_class(), pod.priority());
        let metadata = &pod.metadata;
        let who = match metadata.name.as_str() {
            "" => format!("{qos} pod of priority {priority}"),
            name => format!("pod {}/{name}", metadata.namespace),
        };
        match verdict {
            Ok(()) => {
                let _ = writeln!(text, "{who} is admitted");
            }
            Err(rejection) => {
                let message = rejection.to_string();
                eprintln!("{who} is rejected: {}", message.trim_end());
            }
        }
    }
    text
}

//! `evictd admit`: whether a pod may start on this node now.

use core::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_condition::{Rejection, admit};
use evictd_config::{Resolved, parse_priority, parse_qos_class};
use evictd_engine::FIRST_FS_WAIT;
use evictd_evict::Returns;
use evictd_machine::engine;
use evictd_machine::facts::boot_id;
use evictd_machine::setup::Setup;
use evictd_manifest::{MAX_BYTES, parse_pods};
use evictd_node::pod::{Metadata, Pod};
use evictd_node::{Condition, ConditionSet, Policy, QosClass};
use evictd_plain::Plain;
use evictd_relief::no_thread;
use evictd_state::{State, read_state};
use evictd_stats::{now, wall_seconds};
use serde::Serialize;

use super::output::{USAGE, complain, print_as, shown, usage_error, wrong_value};

/// whether a pod may start now: exit code 0 yes, 1 no
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "admit",
    usage = "(--pod=FILE | [--qos=CLASS] [--priority=PRIORITY]) [--json]",
    note = "Decides as the kubelet's admission does: while a condition holds, only\n\
            critical pods may start; under memory pressure alone, all but BestEffort\n\
            pods that do not tolerate it. A pod that was evicted twice within ten minutes\n\
            is refused until ten minutes have passed and the pressure is over. Decides by\n\
            what the daemon with this --state-dir says; without one by a measurement of\n\
            its own, with the daemon's flags.\n\
            Before a workload starts:\n\
            - a busybox init script, in start()\n\
            \x20   evictd admit --pod=/etc/kubernetes/manifests/web.yaml || exit 1\n\
            - OpenRC, in the service's script\n\
            \x20   start_pre() {{\n\
            \x20       evictd admit --pod=/etc/kubernetes/manifests/web.yaml\n\
            \x20   }}\n\
            - systemd, in [Service]; a unit that is rejected is skipped and has not\n\
            \x20 failed, and Restart= leaves it alone\n\
            \x20   ExecCondition=/usr/sbin/evictd admit --qos=Burstable",
    example = "{command_name} --pod=/etc/kubernetes/manifests/web.yaml\n\
               {command_name} --qos=Burstable --priority=1000 --json",
    error_code(0, "every pod may start"),
    error_code(1, "a pod may not start, or the node cannot be read"),
    error_code(2, "the command line, a setting or the manifest is wrong")
)]
pub struct Admit {
    /// a pod manifest, YAML or JSON, or - for standard input; of several pods all
    /// must be admitted
    #[argh(option, arg_name = "FILE")]
    pod: Option<PathBuf>,

    /// in place of a manifest, the pod's QoS class: BestEffort, Burstable or
    /// Guaranteed; default: BestEffort
    #[argh(option, arg_name = "CLASS", from_str_fn(qos_class))]
    qos: Option<QosClass>,

    /// in place of a manifest, the pod's priority; from 2000000000 it is critical and
    /// always admitted; default: 0
    #[argh(option, arg_name = "PRIORITY", from_str_fn(priority))]
    priority: Option<i32>,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

fn qos_class(text: &str) -> Result<QosClass, String> {
    parse_qos_class("qos", text).map_err(|error| wrong_value(&error))
}

fn priority(text: &str) -> Result<i32, String> {
    parse_priority("priority", text).map_err(|error| wrong_value(&error))
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Verdicts {
    admitted: bool,
    source: &'static str,
    /// Why the daemon did not decide.
    why: Option<String>,
    conditions: Vec<&'static str>,
    taints: Vec<String>,
    pub(super) pods: Vec<Verdict>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verdict {
    namespace: String,
    name: String,
    #[serde(serialize_with = "shown")]
    qos_class: QosClass,
    priority: i32,
    admitted: bool,
    reason: Option<&'static str>,
    message: Option<String>,
}

impl Admit {
    /// The exit code says it: 0 all may start, 1 one may not or the node cannot be
    /// read, 2 there is no pod to decide about.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        if let Err(problem) = self.check() {
            return Ok(usage_error(problem));
        }
        let pods = match self.pods() {
            Ok(pods) => pods,
            Err(error) => {
                complain("admit", error);
                return Ok(ExitCode::from(USAGE));
            }
        };
        let document = Verdicts::new(look(settings)?, &pods, &settings.evict.policy);
        if let Some(why) = document.why.as_ref().filter(|_| !self.json) {
            complain(
                "admit",
                format!("no daemon answers ({why}); decided by a look of its own"),
            );
        }
        for rejected in document.pods.iter().filter(|pod| !pod.admitted) {
            if !self.json {
                // On stderr: an init script's log shows it whatever becomes of the rest.
                eprintln!("{}", Plain(rejected.sentence()));
            }
        }
        let printed = print_as(self.json, &document, || in_text(&document));
        let is_admitted = document.admitted;
        Ok(if is_admitted {
            printed
        } else {
            ExitCode::FAILURE
        })
    }

    const fn check(&self) -> Result<(), &'static str> {
        let described = self.qos.is_some() || self.priority.is_some();
        match (&self.pod, described) {
            (None, false) => {
                Err("evictd admit needs a pod: --pod=FILE, or --qos=CLASS and --priority=PRIORITY")
            }
            (Some(_), true) => {
                Err("--qos and --priority do not go with --pod: the manifest says both")
            }
            (None, true) | (Some(_), false) => Ok(()),
        }
    }

    /// The pods that are to start.
    fn pods(&self) -> Result<Vec<Pod>, String> {
        if let Some(path) = &self.pod {
            let bytes = read_bounded(path);
            let bytes = bytes.map_err(|error| format!("{}: {error}", path.display()))?;
            return parse_pods(&bytes).map_err(|error| format!("{}: {error}", path.display()));
        }
        let mut pod = Pod::default();
        pod.status.qos_class = Some(self.qos.unwrap_or(QosClass::BestEffort));
        pod.spec.priority = Some(self.priority.unwrap_or(0));
        Ok(vec![pod])
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

/// The node's conditions, and where they come from.
pub(super) struct Seen {
    pub(super) conditions: ConditionSet,
    /// Why they are not the daemon's; `None` where they are.
    pub(super) doubt: Option<String>,
    /// The pods that were evicted of late.
    pub(super) returns: Returns,
}

/// What the daemon holds, if one runs; else what one look shows, together with what a
/// daemon that ended would still hold.
fn look(settings: &Resolved) -> Result<Seen, String> {
    let state = settings
        .paths
        .state_dir
        .as_deref()
        .map_or(Ok(None), read_state);
    let (state, problem) = match state {
        Ok(state) => (state.unwrap_or_default(), None),
        Err(error) => (State::default(), Some(error.to_string())),
    };
    let (conditions, doubt) = match evictd_client::view(&settings.paths) {
        Ok(view) => (view.conditions(), None),
        Err(why) => {
            let conditions = observe(settings, state.clone())?;
            (conditions, Some(problem.unwrap_or(why)))
        }
    };
    let mut returns = state.returns();
    returns.forget_former(now(), conditions);
    Ok(Seen {
        conditions,
        doubt,
        returns,
    })
}

/// The conditions that hold now, and those that hold on from before.
fn observe(settings: &Resolved, mut state: State) -> Result<ConditionSet, String> {
    let mut engine = engine::open(Setup::to_look(settings)?)?;
    engine::measure_disk(&mut engine).map_err(no_thread)?;
    engine.observe(now(), FIRST_FS_WAIT, false);
    let (now, transition) = (now(), settings.evict.transition_period);
    state.rebase(&boot_id(), now, wall_seconds(), transition);
    Ok(engine.evict().conditions() | state.held_on(now, transition))
}

impl Verdicts {
    pub(super) fn new(seen: Seen, pods: &[Pod], policy: &Policy) -> Self {
        let conditions: Vec<Condition> = seen.conditions.each().collect();
        let verdict = |pod: &Pod| {
            let rejection = admit(&conditions, pod, policy).err();
            let rejection = rejection.map(|of| (Rejection::REASON, of.to_string()));
            let rejection = rejection.or_else(|| in_loop(&seen.returns, pod, policy));
            Verdict::new(pod, pod.qos_class(policy), rejection)
        };
        let pods: Vec<Verdict> = pods.iter().map(verdict).collect();
        let each = || conditions.iter();
        Self {
            admitted: pods.iter().all(|pod| pod.admitted),
            source: seen.doubt.as_ref().map_or("daemon", |_| "observation"),
            why: seen.doubt,
            conditions: each().map(|condition| condition.name()).collect(),
            taints: each()
                .map(|condition| condition.taint().to_string())
                .collect(),
            pods,
        }
    }
}

/// What is said of a pod that comes back after each eviction.
fn in_loop(returns: &Returns, pod: &Pod, policy: &Policy) -> Option<(&'static str, String)> {
    let Metadata {
        namespace, name, ..
    } = &pod.metadata;
    let is_refused = !policy.returning_pods_are_admitted
        && !pod.is_critical()
        && returns.is_in_loop(namespace, name);
    is_refused.then(|| {
        let text = "It was evicted again and again: it may start when it was not evicted for 10 \
                    minutes and the pressure is over. ";
        ("EvictionLoop", text.to_owned())
    })
}

impl Verdict {
    fn new(pod: &Pod, qos_class: QosClass, rejection: Option<(&'static str, String)>) -> Self {
        let (reason, message) = rejection.unzip();
        Self {
            namespace: pod.metadata.namespace.clone(),
            name: pod.metadata.name.clone(),
            qos_class,
            priority: pod.priority(),
            admitted: reason.is_none(),
            reason,
            message,
        }
    }

    /// `pod default/web is admitted`
    pub(super) fn sentence(&self) -> String {
        let pod = match self.name.as_str() {
            "" => format!("{} pod of priority {}", self.qos_class, self.priority),
            name => format!("pod {}/{name}", self.namespace),
        };
        match &self.message {
            None => format!("{pod} is admitted"),
            Some(message) => format!("{pod} is rejected: {}", message.trim_end()),
        }
    }
}

/// The pods that are admitted.
fn in_text(document: &Verdicts) -> String {
    let mut text = String::new();
    for pod in document.pods.iter().filter(|pod| pod.admitted) {
        let _ = writeln!(text, "{}", Plain(pod.sentence()));
    }
    text
}

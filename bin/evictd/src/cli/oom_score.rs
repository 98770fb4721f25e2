//! `evictd oom-score`: how soon the kernel's OOM killer takes each process of the
//! pods, how soon it should, and why.

use core::fmt::Write;
use std::process::ExitCode;

use evictd_cgroup::{FoundPod, Origin, ScoreOutcome, ScoredProcess};
use evictd_config::Resolved;
use evictd_jsontext::Json;
use evictd_oom::{MemberScore, member_score};
use evictd_stats::now;

use crate::cli::columns::{Columns, wrap};
use crate::cli::output::print;
use crate::cli::screen::{Paint, cut};
use crate::machine::read_text;
use crate::pods::Pods;
use crate::setup::Setup;
use evictd_engine::ports::Depth;

use crate::oom_score::{Keeper, name};

/// What was asked for.
pub(crate) struct OomScoreOptions {
    pub(crate) apply: bool,
    pub(crate) json: bool,
}

/// A process, as it is told of.
struct Row {
    pid: i32,
    comm: String,
    child: Option<String>,
    container: Option<String>,
    present: i16,
    wanted: i16,
    reason: String,
    outcome: ScoreOutcome,
}

/// What was seen of all pods.
#[derive(Default)]
struct Seen {
    pods: Vec<(FoundPod, Vec<Row>)>,
    problems: Vec<String>,
}

/// Prints, and sets if asked to; fails where something could not be read or set.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &OomScoreOptions) -> ExitCode {
    let seen = match look(settings, options.apply) {
        Ok(seen) => seen,
        Err(error) => {
            eprintln!("evictd oom-score: {error}");
            return ExitCode::FAILURE;
        }
    };
    let printed = print(&if options.json {
        in_json(&seen, options.apply)
    } else {
        in_text(&seen, Paint::for_stdout())
    });
    let refusal = refusal(&seen);
    for problem in seen.problems.iter().chain(&refusal).chain(&panics()) {
        eprintln!("evictd oom-score: {problem}");
    }
    if seen.problems.is_empty() && refusal.is_none() {
        printed
    } else {
        ExitCode::FAILURE
    }
}

fn look(settings: &Resolved, set: bool) -> Result<Seen, String> {
    let setup = Setup::of(settings, None)?;
    let mut keeper = Keeper::open(settings, setup.cgroup.hierarchies.clone())?;
    let mut pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
    pods.refresh(now(), Depth::Whole);
    let mut seen = Seen {
        problems: pods.problems().to_vec(),
        ..Seen::default()
    };
    for found in pods.found() {
        let mut rows = Vec::new();
        let visited = keeper.visit(found, set, &mut |process, member| {
            rows.push(Row {
                pid: process.pid,
                comm: printable(process.comm),
                child: process.child.map(|child| printable(child.as_bytes())),
                container: member.container.map(str::to_owned),
                present: process.present,
                wanted: process.wanted,
                reason: member.reason.to_string(),
                outcome: process.outcome,
            });
        });
        seen.problems.extend(visited.err());
        seen.pods.push((found.clone(), rows));
    }
    Ok(seen)
}

impl Keeper {
    /// Every process of a pod, after setting its score if `set`.
    fn visit(
        &mut self,
        found: &FoundPod,
        set: bool,
        visit: &mut dyn FnMut(&ScoredProcess<'_>, MemberScore<'_>),
    ) -> Result<(), String> {
        let scale = self.scale;
        self.scores
            .visit(
                found,
                set,
                &mut |found, child| member_score(&found.pod, child, scale).score,
                &mut |process| visit(process, member_score(&found.pod, process.child, scale)),
            )
            .map_err(|error| error.to_string())
    }
}

/// The text without what could move a terminal's cursor.
fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let control = |c: char| if c.is_control() { '?' } else { c };
    text.chars().map(control).collect()
}

/// The one line about all that the kernel refused.
fn refusal(seen: &Seen) -> Option<String> {
    let rows = seen.pods.iter().flat_map(|(_, rows)| rows);
    let mut refused = rows.filter_map(|row| match row.outcome {
        ScoreOutcome::Refused(errno) => Some((row, errno)),
        ScoreOutcome::AsWanted | ScoreOutcome::Differs | ScoreOutcome::Set => None,
    });
    let (first, errno) = refused.next()?;
    let all = refused.count().saturating_add(1);
    Some(format!(
        "not set: {all} (first is process {}, at {} instead of {}): {errno}; lowering needs \
         CAP_SYS_RESOURCE",
        first.pid, first.present, first.wanted
    ))
}

/// Failure F27: with this setting the order of the scores is worth nothing.
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
        (None, Origin::PodCgroupRoot) => "its cgroup's request and limit of memory",
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

fn in_json(seen: &Seen, apply: bool) -> String {
    let mut json = Json::new();
    json.bool("applied", apply);
    json.array("pods");
    for (found, rows) in &seen.pods {
        let metadata = &found.pod.metadata;
        json.item_object();
        json.text("namespace", &metadata.namespace);
        json.text("name", &metadata.name);
        json.text("uid", &metadata.uid);
        json.text("qosClass", found.pod.qos_class().name());
        json.text("qosClassFrom", class_from(found));
        json.array("processes");
        for row in rows {
            json.item_object();
            add_row(&mut json, row);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.array("problems");
    for problem in &seen.problems {
        json.item(problem);
    }
    json.end_array();
    json.into_line()
}

fn add_row(json: &mut Json, row: &Row) {
    json.int("pid", row.pid.into());
    json.text("comm", &row.comm);
    json.opt_text("cgroup", row.child.as_deref());
    json.opt_text("container", row.container.as_deref());
    json.int("oomScoreAdj", row.present.into());
    json.int("score", row.wanted.into());
    json.text("reason", &row.reason);
    json.text("outcome", word(row.outcome));
}

fn in_text(seen: &Seen, paint: Paint) -> String {
    if seen.pods.is_empty() {
        return String::from(
            "no pods here: name their cgroup by --pod-cgroup-root, or run them below kubepods\n",
        );
    }
    let mut text = String::new();
    for (found, rows) in &seen.pods {
        text.push_str(&paint.head(&cut(&name(found), 79)));
        let class = found.pod.qos_class();
        let _ = write!(text, "\n  {class} by {}\n", class_from(found));
        reasons(&mut text, rows);
        text.push_str(&table(rows));
    }
    text
}

/// Each reason once, in the order in which the processes show it.
fn reasons(text: &mut String, rows: &[Row]) {
    let mut told = Vec::new();
    for row in rows {
        let whose = match &row.container {
            Some(container) => container.as_str(),
            None => "container unknown, lowest score",
        };
        let line = format!("{} ({}): {}", row.wanted, whose, row.reason);
        if !told.contains(&line) {
            wrap(text, ("  ", "    "), &line);
            told.push(line);
        }
    }
}

fn table(rows: &[Row]) -> String {
    let headings = ["   ", "PID", "NOW", "SHOULD", "COMMAND", ""];
    let mut columns = Columns::new(&headings).right(1).right(2).right(3);
    for row in rows {
        columns.row(vec![
            String::new(),
            row.pid.to_string(),
            row.present.to_string(),
            row.wanted.to_string(),
            row.comm.clone(),
            word(row.outcome).to_owned(),
        ]);
    }
    columns.to_string()
}

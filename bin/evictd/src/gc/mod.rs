//! `evictd gc containers`: one collection of what pods that are gone left behind.

mod collect;

use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_runtime::LeftoverKind;
use serde_json::{Value, json};

use crate::amount::Amount;
use crate::columns::wrap;
use crate::pods::Pods;
use crate::run::{print, usage_error};
use crate::setup::Setup;

use collect::{Collected, Deleted};
pub(crate) use collect::{Collection, Collector};

/// What was asked for.
pub(crate) struct GcOptions {
    pub(crate) json: bool,
}

/// Collects once; fails where something that should go could not.
pub(crate) fn run(settings: &Resolved, options: &GcOptions) -> ExitCode {
    let Some(collector) = Collector::of(settings) else {
        return usage_error(
            "gc containers: name the directory to delete in: --pod-logs-dir=/var/log/pods, \
             --root-dir=/var/lib/kubelet, or both",
        );
    };
    let collected = match collect(settings, &collector) {
        Ok(collected) => collected,
        Err(error) => {
            eprintln!("evictd gc containers: {error}");
            return ExitCode::FAILURE;
        }
    };
    let printed = print(&if options.json {
        format!("{}\n", in_json(&collected, settings.dry_run))
    } else {
        in_text(&collected, settings.dry_run)
    });
    for note in &collected.notes {
        eprintln!("evictd gc containers: {note}");
    }
    if collected.has_failed() {
        ExitCode::FAILURE
    } else {
        printed
    }
}

fn collect(settings: &Resolved, collector: &Collector) -> Result<Collected, String> {
    let setup = Setup::of(settings, None)?;
    let mut pods = Pods::open(setup.cgroup, setup.manifests)?;
    let how = Collection {
        ended: &[],
        most: u64::MAX,
        dry_run: settings.dry_run,
    };
    collector.collect(&mut pods, &how)
}

const fn kind(kind: LeftoverKind) -> &'static str {
    match kind {
        LeftoverKind::PodLogs => "podLogs",
        LeftoverKind::LogFile => "log",
        LeftoverKind::Volumes => "volumes",
    }
}

fn in_json(collected: &Collected, dry_run: bool) -> Value {
    let one = |one: &Deleted| {
        json!({
            "path": one.path.to_string_lossy(),
            "kind": kind(one.kind),
            "bytes": one.bytes,
            "reason": one.reason.to_string(),
        })
    };
    let deleted: Vec<Value> = collected.deleted.iter().map(one).collect();
    json!({
        "dryRun": dry_run,
        "deleted": deleted,
        "entries": collected.freed.deleted,
        "freedBytes": collected.freed.bytes,
        "freedInodes": collected.freed.inodes,
        "notes": collected.notes,
    })
}

fn in_text(collected: &Collected, dry_run: bool) -> String {
    let verb = if dry_run { "would delete" } else { "deleted" };
    let mut text = String::new();
    for one in &collected.deleted {
        let what = match one.kind {
            LeftoverKind::PodLogs | LeftoverKind::LogFile => "",
            LeftoverKind::Volumes => "emptyDir volumes in ",
        };
        let amount = one
            .bytes
            .map(|bytes| format!(" ({})", Amount::bytes(bytes)));
        let path = one.path.to_string_lossy();
        let path: String = path
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect();
        let line = format!(
            "{verb} {what}{path}{}: {}",
            amount.unwrap_or_default(),
            one.reason
        );
        wrap(&mut text, ("", "  "), &line);
    }
    if collected.deleted.is_empty() {
        text.push_str("nothing to delete\n");
    } else if !dry_run {
        let freed = &collected.freed;
        text.push_str(&format!(
            "{} files and directories deleted; {} bytes and {} inodes more are free\n",
            freed.deleted, freed.bytes, freed.inodes
        ));
    }
    text
}

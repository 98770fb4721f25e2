//! `evictd gc containers`: one collection of dead containers, and of what pods that
//! are gone left behind.

use alloc::sync::Arc;
use core::fmt::Write;
use std::process::ExitCode;

use evictd_cgroup::LeftoverKind;
use evictd_config::Resolved;
use evictd_jsontext::Json;

use crate::amount::Amount;
use crate::cli::columns::wrap;
use crate::cli::output::{print, usage_error};
use crate::pods::Pods;
use crate::runtimes::Collect;
use crate::setup::Setup;

use super::GcOptions;
use super::once::{self, AllDone, add_json, printable};
use crate::gc::{Collected, Collection, Collector};

/// Collects once; fails where something that should go could not.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &GcOptions) -> ExitCode {
    let what = Collect::Containers {
        all_unused: false,
        evicted: Arc::from([]),
    };
    let collector = Collector::of(settings);
    let all = once::collect(settings, &what, options.json);
    if collector.is_none() && all.runtimes.is_empty() && all.problems.is_empty() {
        return usage_error(
            "gc containers: no container runtime is here; name its socket by \
             --container-runtime-endpoint, or the directory to delete in: \
             --pod-logs-dir=/var/log/pods, --root-dir=/var/lib/kubelet",
        );
    }
    let collected = match collector.map(|collector| collect(settings, &collector)) {
        None => Collected::default(),
        Some(Ok(collected)) => collected,
        Some(Err(error)) => {
            eprintln!("evictd gc containers: {error}");
            return ExitCode::FAILURE;
        }
    };
    let printed = print(&if options.json {
        in_json(&collected, &all, settings.dry_run)
    } else {
        in_text(&collected, &all, settings.dry_run)
    });
    for note in collected.notes.iter().chain(all.notes()) {
        eprintln!("evictd gc containers: {}", printable(note));
    }
    if collected.has_failed() || all.has_failed() {
        ExitCode::FAILURE
    } else {
        printed
    }
}

fn collect(settings: &Resolved, collector: &Collector) -> Result<Collected, String> {
    let setup = Setup::of(settings, None)?;
    let mut pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
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

fn in_json(collected: &Collected, all: &AllDone, dry_run: bool) -> String {
    let mut json = Json::new();
    json.bool("dryRun", dry_run);
    json.array("deleted");
    for one in &collected.deleted {
        json.item_object();
        json.show("path", &one.path.display());
        json.text("kind", kind(one.kind));
        json.opt_uint("bytes", one.bytes);
        json.show("reason", &one.reason);
        json.end_object();
    }
    json.end_array();
    json.uint("entries", collected.freed.deleted);
    json.uint("freedBytes", collected.freed.bytes);
    json.uint("freedInodes", collected.freed.inodes);
    add_json(&mut json, all);
    json.array("notes");
    for note in collected.notes.iter().chain(all.notes()) {
        json.item(note);
    }
    json.end_array();
    json.into_line()
}

fn in_text(collected: &Collected, all: &AllDone, dry_run: bool) -> String {
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
        let path = printable(&one.path.to_string_lossy());
        let line = format!(
            "{verb} {what}{path}{}: {}",
            amount.unwrap_or_default(),
            one.reason
        );
        wrap(&mut text, ("", "  "), &line);
    }
    let removed = all
        .runtimes
        .iter()
        .any(|done| !done.collected.removed.is_empty());
    if collected.deleted.is_empty() {
        if !removed {
            text.push_str("nothing to delete\n");
        }
    } else if !dry_run {
        let freed = &collected.freed;
        let _ = writeln!(
            text,
            "{} files and directories deleted; {} bytes and {} inodes more are free",
            freed.deleted, freed.bytes, freed.inodes
        );
    }
    text
}

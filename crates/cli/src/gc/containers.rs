//! `evictd gc containers`: one collection of dead containers, and of what pods that
//! are gone left behind.

use alloc::sync::Arc;
use core::fmt::Write;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::ports::Collect;
use evictd_gc::Kind;
use evictd_machine::setup::Setup;
use evictd_pods::Pods;
use evictd_relief::gc::{Collected, Collector, Deleted};
use serde::Serialize;

use super::runtimes::{AllDone, Done, collect, told};
use crate::output::{fail, print, print_json, usage_error};

/// remove dead containers and what dead pods left, once
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "containers",
    note = "At the container runtimes: removes dead containers beyond\n\
            --maximum-dead-containers-per-container and --maximum-dead-containers, oldest\n\
            first, and sandboxes that hold nothing; where nothing would replace them,\n\
            only with --collect-dead-containers=all. On disk: deletes logs and emptyDir\n\
            volumes of pods that are gone, oldest first, and of living pods the logs\n\
            between the first and the newest start of a container; prints why for each;\n\
            only in directories that --pod-logs-dir and --root-dir name, here or in\n\
            --config. Follows no link and crosses no mount. With --dry-run deletes\n\
            nothing. Deletes nothing either when it cannot tell which pods there are.",
    example = "{command_name} --pod-logs-dir=/var/log/pods --dry-run\n\
               {command_name} --pod-logs-dir=/var/log/pods --root-dir=/data"
)]
pub(crate) struct Containers {
    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    dry_run: bool,
    deleted: &'a [Deleted],
    entries: u64,
    freed_bytes: u64,
    freed_inodes: u64,
    runtimes: &'a [Done],
    notes: Vec<&'a String>,
}

impl Containers {
    /// Collects once; fails where something that should be deleted could not be.
    pub(super) fn run(&self, settings: &Resolved) -> ExitCode {
        let what = Collect::Containers {
            all_unused: false,
            evicted: Arc::from([]),
        };
        let collector = Collector::of(&settings.paths);
        let all = collect(settings, &what, self.json);
        if collector.is_none() && all.runtimes.is_empty() && all.problems.is_empty() {
            return usage_error(
                "gc containers: no container runtime is here; name its socket by \
                 --container-runtime-endpoint, or the directory to delete in: \
                 --pod-logs-dir=/var/log/pods, --root-dir=/var/lib/kubelet",
            );
        }
        let collected = match collector.map(|collector| delete_leftovers(settings, &collector)) {
            None => Collected::default(),
            Some(Ok(collected)) => collected,
            Some(Err(error)) => return fail("gc containers", error),
        };
        let printed = if self.json {
            print_json(&document(&collected, &all, settings.dry_run))
        } else {
            print(&in_text(&collected, &all, settings.dry_run))
        };
        let ended = all.finish("gc containers", printed, &collected.notes);
        if collected.has_failed {
            return ExitCode::FAILURE;
        }
        ended
    }
}

fn delete_leftovers(settings: &Resolved, collector: &Collector) -> Result<Collected, String> {
    let setup = Setup::of(settings, None)?;
    let mut pods = Pods::open(setup.cgroup, setup.manifests, setup.runtimes)?;
    let found = collector.list()?;
    let chosen = collector.choose(&mut pods, found, &[])?;
    if settings.dry_run {
        Ok(chosen.look())
    } else {
        chosen.delete(&mut |_| true)
    }
}

fn document<'a>(collected: &'a Collected, all: &'a AllDone, dry_run: bool) -> Document<'a> {
    Document {
        dry_run,
        deleted: &collected.deleted,
        entries: collected.freed.deleted,
        freed_bytes: collected.freed.bytes,
        freed_inodes: collected.freed.inodes,
        runtimes: &all.runtimes,
        notes: collected.notes.iter().chain(all.notes()).collect(),
    }
}

fn in_text(collected: &Collected, all: &AllDone, dry_run: bool) -> String {
    let verb = if dry_run { "would delete" } else { "deleted" };
    let mut text = String::new();
    for one in &collected.deleted {
        let what = if one.kind == Kind::Volumes.name() {
            format!("{verb} emptyDir volumes in ")
        } else {
            format!("{verb} ")
        };
        text.push_str(&told(&what, &one.path, one.bytes, &one.reason));
    }
    for kept in all.runtimes.iter().flat_map(|done| &done.collected.staying) {
        text.push_str(&told(
            "kept container ",
            &kept.name,
            kept.listed_bytes,
            &kept.reason,
        ));
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

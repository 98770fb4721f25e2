//! `evictd gc images`: one collection of images.

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::ports::Collect;
use evictd_gc::ImageJob;
use evictd_pods::runtimes;
use serde::Serialize;

use super::runtimes::{AllDone, Done, collect, told};
use crate::columns::wrap;
use crate::output::{fail, print, print_json};

/// remove images that nothing uses, least recently used first
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "images",
    note = "Where the images' filesystem is used above --image-gc-high-threshold, removes\n\
            images that no container was made from, least recently used first, until it\n\
            is used below --image-gc-low-threshold; and those unused for longer than\n\
            --maximum-image-gc-age. Prints why for each image that is removed and each\n\
            that is kept. With --dry-run removes nothing. Exit code 1 where it was not\n\
            enough.",
    example = "{command_name} --dry-run\n\
               {command_name} --all-unused --keep-image='registry.example/*'"
)]
pub(crate) struct Images {
    /// delete every image that no container uses, however much of the disk is free,
    /// as before an eviction for disk pressure
    #[argh(switch)]
    all_unused: bool,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    dry_run: bool,
    runtimes: &'a [Done],
    problems: Vec<&'a String>,
}

impl Images {
    /// Collects once; fails where no runtime can be reached, or it was not enough.
    pub(super) fn run(&self, settings: &Resolved) -> ExitCode {
        if !runtimes::ANY {
            return fail(
                "gc images",
                "this evictd was built without container runtimes",
            );
        }
        let job = if self.all_unused {
            ImageJob::DeleteUnused { until: None }
        } else {
            ImageJob::Watermark
        };
        let mut all = collect(settings, &Collect::Images(job), self.json);
        if all.runtimes.is_empty() && all.problems.is_empty() {
            all.problems.push(String::from(
                "no container runtime is here: name its socket by \
                 --container-runtime-endpoint=unix:///run/containerd/containerd.sock",
            ));
        }
        let printed = if self.json {
            print_json(&Document {
                dry_run: settings.dry_run,
                runtimes: &all.runtimes,
                problems: all.notes().collect(),
            })
        } else {
            print(&in_text(&all))
        };
        all.finish("gc images", printed, &[])
    }
}

/// What is kept, and what is free now; what was removed has been printed already.
fn in_text(all: &AllDone) -> String {
    let mut text = String::new();
    for done in &all.runtimes {
        let collected = &done.collected;
        for note in &collected.notes {
            wrap(&mut text, ("", "  "), note);
        }
        for one in &collected.staying {
            text += &told("kept image ", &one.name, one.listed_bytes, &one.reason);
        }
        if !collected.removed.is_empty() && !collected.dry_run {
            let place = collected.measured.as_ref();
            let place = place.map_or_else(String::new, |path| format!(" on {}", path.display()));
            let (count, bytes) = (collected.removed.len(), collected.freed_bytes);
            let inodes = collected.freed_inodes;
            let line = format!(
                "{count} images removed at {}; {bytes} bytes and {inodes} inodes more are free{place}",
                done.endpoint
            );
            wrap(&mut text, ("", "  "), &line);
        }
    }
    text
}

//! `evictd gc images`: one collection of images.

use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_jsontext::Json;

use super::GcOptions;
use super::once::{AllDone, add_json, collect, printable};
use crate::amount::Amount;
use crate::cli::columns::wrap;
use crate::cli::output::print;
use crate::runtimes::{self, Collect};

/// Collects once; fails where no runtime answers, or it was not enough.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &GcOptions, all_unused: bool) -> ExitCode {
    if !runtimes::ANY {
        eprintln!("evictd gc images: this evictd was built without container runtimes");
        return ExitCode::FAILURE;
    }
    let what = if all_unused {
        Collect::UnusedImages { until: None }
    } else {
        Collect::ImagesByUsage
    };
    let mut all = collect(settings, &what, options.json);
    if all.runtimes.is_empty() && all.problems.is_empty() {
        all.problems.push(String::from(
            "no container runtime is here: name its socket by \
             --container-runtime-endpoint=unix:///run/containerd/containerd.sock",
        ));
    }
    let printed = print(&if options.json {
        in_json(&all, settings.dry_run)
    } else {
        in_text(&all)
    });
    for note in all.notes() {
        eprintln!("evictd gc images: {}", printable(note));
    }
    if all.has_failed() {
        ExitCode::FAILURE
    } else {
        printed
    }
}

fn in_json(all: &AllDone, dry_run: bool) -> String {
    let mut json = Json::new();
    json.bool("dryRun", dry_run);
    add_json(&mut json, all);
    json.array("problems");
    for note in all.notes() {
        json.item(note);
    }
    json.end_array();
    json.into_line()
}

/// What stays, and what is free now; what went has been told already.
fn in_text(all: &AllDone) -> String {
    let mut text = String::new();
    for done in &all.runtimes {
        let collected = &done.collected;
        for one in &collected.staying {
            let (bytes, reason) = (Amount::bytes(one.listed_bytes), &one.reason);
            let name = printable(&one.name);
            wrap(
                &mut text,
                ("", "  "),
                &format!("kept image {name} ({bytes}): {reason}"),
            );
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

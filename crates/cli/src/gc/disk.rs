//! `evictd gc disk`: the relief of a disk, step by step.

use alloc::sync::Arc;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::ports::{Collect, Collected, Job, Relief};
use evictd_gc::{Enough, ImageJob};
use evictd_machine::setup::Setup;
use evictd_node::{ReliefStep, Unit};
use evictd_quantity::Quantity;
use evictd_relief::disk::Climber;
use evictd_stats::read_filesystem;
use serde::Serialize;
use serde_json::{Map, Value};

use super::runtimes::{AllDone, collect};
use crate::columns::wrap;
use crate::output::{complain, print, print_json, usage_error};

/// give back room on the disks, rung by rung, as before an eviction
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "disk",
    note = "On the filesystems of pods, images and writable layers: prunes build\n\
            caches, removes dead containers and unused images, gives up the old part\n\
            of logs beyond --log-relief, and deletes old files of each --relief-dir, in\n\
            this order. With --free stops as soon as so much more is free. With\n\
            --dry-run says what each rung would give back and changes nothing; so also\n\
            of --reserve-file, which the daemon alone gives back. Exit code 1 where a\n\
            rung failed, or --free was not reached.",
    example = "{command_name} --dry-run\n\
               {command_name} --free=2Gi --relief-dir=/srv/x:keep=1Gi,older-than=7d"
)]
pub(crate) struct Disk {
    /// how much more is to be free on each of these filesystems: 2Gi; without it all that
    /// can be given back is
    #[argh(option, arg_name = "bytes")]
    free: Option<String>,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// What one relief step did, or would do.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Done {
    rung: String,
    /// A directory on the filesystem.
    #[serde(skip_serializing_if = "Option::is_none")]
    filesystem: Option<String>,
    text: String,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    dry_run: bool,
    rungs: &'a [Done],
    problems: &'a [String],
}

/// A filesystem on which room is to be made.
struct Target {
    path: String,
    device: (u32, u32),
    /// How much is to be available in the end, in bytes; `None` for as much as can be.
    wanted: Option<u64>,
}

impl Target {
    /// What is missing as it stands now; `None` where all that can be is to be given back.
    fn missing(&self) -> Option<u64> {
        let sample = read_filesystem(self.path.as_ref());
        let available = sample.map_or(0, |sample| sample.available_bytes);
        Some(self.wanted?.saturating_sub(available))
    }

    /// A relief step for it.
    fn step(&self, rung: ReliefStep) -> Collect {
        Collect::Step(Relief {
            rung,
            device: self.device,
            missing: self.missing(),
            unit: Unit::Bytes,
        })
    }

    fn is_done(&self) -> bool {
        self.missing() == Some(0)
    }

    fn is_short(&self) -> bool {
        self.missing().is_some_and(|missing| missing > 0)
    }
}

impl Disk {
    /// Takes each relief step once.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let free = match self.free.as_deref().map(parse_bytes) {
            Some(None) => {
                let text = self.free.as_deref().unwrap_or_default();
                return Ok(usage_error(&format!(
                    "gc disk --free={text}: no amount of bytes: write 500Mi or 2Gi"
                )));
            }
            other => other.flatten(),
        };
        let setup = Setup::of(settings, None)?;
        let targets = targets(&setup, free);
        let mut climb = Climb::new(settings, self.json);
        climb.all(&targets, &setup);
        let printed = if self.json {
            print_json(&Document {
                dry_run: settings.dry_run,
                rungs: &climb.done,
                problems: &climb.problems,
            })
        } else {
            print(&climb.in_text())
        };
        for problem in &climb.problems {
            complain("gc disk", problem);
        }
        let is_short = !settings.dry_run && targets.iter().any(Target::is_short);
        Ok(if climb.problems.is_empty() && !is_short {
            printed
        } else {
            ExitCode::FAILURE
        })
    }
}

/// What each relief step would free if all were taken, and what could not be asked.
///
/// # Errors
/// Where nothing can be looked at.
pub(crate) fn would_give(settings: &Resolved) -> Result<(Vec<Done>, Vec<String>), String> {
    let mut settings = settings.clone();
    settings.dry_run = true;
    let setup = Setup::to_look(&settings)?;
    let mut climb = Climb::new(&settings, true);
    climb.all(&targets(&setup, None), &setup);
    Ok((climb.done, climb.problems))
}

impl Done {
    /// `logs on /var/lib/docker: would give up …`
    pub(crate) fn in_words(&self) -> String {
        let on = self.filesystem.as_ref().map(|path| format!(" on {path}"));
        format!("{}{}: {}", self.rung, on.unwrap_or_default(), self.text)
    }
}

fn parse_bytes(text: &str) -> Option<u64> {
    let quantity = Quantity::parse(text).ok()?;
    u64::try_from(quantity.value())
        .ok()
        .filter(|bytes| *bytes > 0)
}

/// The filesystems of pods, images and writable layers, each once.
fn targets(setup: &Setup, free: Option<u64>) -> Vec<Target> {
    let node = &setup.node;
    let paths = [
        Some(&node.nodefs),
        node.imagefs.as_ref(),
        node.containerfs.as_ref(),
    ];
    let mut targets: Vec<Target> = Vec::new();
    for path in paths.into_iter().flatten() {
        let Ok(sample) = read_filesystem(path) else {
            continue;
        };
        let device = sample.device_numbers();
        if targets.iter().all(|known| known.device != device) {
            targets.push(Target {
                path: path.display().to_string(),
                device,
                wanted: free.map(|free| sample.available_bytes.saturating_add(free)),
            });
        }
    }
    targets
}

/// The climb, as far as it has come.
struct Climb<'a> {
    settings: &'a Resolved,
    climber: Climber,
    json: bool,
    done: Vec<Done>,
    problems: Vec<String>,
}

impl<'a> Climb<'a> {
    fn new(settings: &'a Resolved, json: bool) -> Self {
        Self {
            settings,
            climber: Climber::of(settings),
            json,
            done: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn all(&mut self, targets: &[Target], setup: &Setup) {
        for target in targets.iter().filter(|target| !target.is_done()) {
            self.build_cache(target);
        }
        self.kubelets_calls(targets);
        for target in targets {
            self.rungs(target, setup);
        }
    }

    /// What the builders of all runtimes keep on one filesystem.
    fn build_cache(&mut self, target: &Target) {
        let rung = ReliefStep::BuildCache;
        let all = collect(self.settings, &target.step(rung), self.json);
        self.note(rung.name(), Some(target), all);
    }

    /// What the kubelet would give back, at every runtime.
    fn kubelets_calls(&mut self, targets: &[Target]) {
        let wanted = targets.iter().filter_map(|target| target.wanted).max();
        let until = wanted.map(Enough::Bytes);
        let calls = [
            (
                "containers",
                Collect::Containers {
                    all_unused: true,
                    evicted: Arc::from([]),
                },
            ),
            ("images", Collect::Images(ImageJob::DeleteUnused { until })),
        ];
        for (rung, what) in calls {
            if !targets.iter().all(Target::is_done) {
                let all = collect(self.settings, &what, self.json);
                self.note(rung, None, all);
            }
        }
    }

    /// The other relief steps, for one filesystem.
    fn rungs(&mut self, target: &Target, setup: &Setup) {
        for rung in ReliefStep::ALL {
            let is_pruned = rung == ReliefStep::BuildCache;
            // Given back here, the daemon would take it again at once.
            let is_taken_again = rung == ReliefStep::Reserve && !self.settings.dry_run;
            if is_pruned || is_taken_again {
                continue;
            }
            if target.is_done() {
                return;
            }
            let job = Job {
                number: 0,
                what: target.step(rung),
                dry_run: self.settings.dry_run,
            };
            match self.climber.climb(&job, &setup.runtimes.listed()) {
                Ok(collected) => self.add(rung.name(), Some(target), collected),
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    fn note(&mut self, rung: &str, target: Option<&Target>, all: AllDone) {
        self.problems.extend(all.notes().cloned());
        for done in all.runtimes {
            self.add(rung, target, done.collected.told());
        }
    }

    fn add(&mut self, rung: &str, target: Option<&Target>, collected: Collected) {
        if collected.text.is_empty() {
            return;
        }
        // Its name stands in its own place.
        let fields = collected.fields.iter().filter(|(name, _)| *name != "rung");
        self.done.push(Done {
            rung: rung.to_owned(),
            filesystem: target.map(|target| target.path.clone()),
            text: collected.text.clone(),
            fields: fields
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        });
    }

    fn in_text(&self) -> String {
        let mut text = String::new();
        for done in &self.done {
            wrap(&mut text, ("", "  "), &done.in_words());
        }
        if text.is_empty() {
            text.push_str("nothing to give back\n");
        }
        text
    }
}

//! The course of the self-test.

use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_cgroup::Releaser;
use evictd_kerntext::parse_meminfo;
use evictd_node::{Mono, Policy};
use evictd_stats::{Hierarchies, NodeSettings, now};
use evictd_sys::{Token, Wake, Watch};
use evictd_threshold::{Lists, parse};

use super::observer::Observer;
use super::sandbox::{Load, Sandbox};
use super::verdict::{Check, Verdict};
use crate::engine::{self, Engine};
use crate::runtimes::Runtimes;
use crate::setup::{self, PROC, Setup, no_thread};
use evictd_engine::Event;

const HOG: &str = "hog";

/// How often the engine measures meanwhile.
const INTERVAL: Duration = Duration::from_millis(5);

/// How long each half of the test may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long nothing more may happen after the eviction.
const AFTERMATH: Duration = Duration::from_millis(500);

/// The sizes of a run, all from the limit that bounds it.
struct Sizes {
    limit: u64,
    threshold: u64,
}

impl Sizes {
    /// A third of what is free, 256 MiB at most: no harm to anything else.
    fn for_this_machine() -> Result<Self, String> {
        const LEAST: u64 = 48 << 20;
        let text = std::fs::read(Path::new(PROC).join("meminfo"))
            .map_err(|error| format!("/proc/meminfo: {error}"))?;
        let meminfo = parse_meminfo(&text).map_err(|error| format!("/proc/meminfo: {error}"))?;
        let free = meminfo
            .mem_available_bytes
            .or(meminfo.mem_free_bytes)
            .unwrap_or(0);
        let limit = (free / 3).min(256 << 20) & !0xf_ffff;
        if limit < LEAST {
            let free = free >> 20;
            return Err(format!(
                "needs 144 MiB of available memory, here are {free} MiB"
            ));
        }
        Ok(Self {
            limit,
            threshold: limit / 4,
        })
    }

    const fn steady(&self) -> Load {
        Load {
            name: "steady",
            bytes: self.limit / 8,
            pace: 0,
            request: self.limit / 4,
        }
    }

    const fn small(&self) -> Load {
        Load {
            name: "small",
            bytes: self.limit / 16,
            pace: 0,
            request: 0,
        }
    }

    /// Fills the limit in about a second.
    const fn hog(&self) -> Load {
        Load {
            name: HOG,
            bytes: self.limit * 2,
            pace: self.limit,
            request: 0,
        }
    }
}

/// What the engine reported, with its times.
#[derive(Default)]
struct Story {
    evicted: Vec<(Mono, String)>,
    killed: Option<Mono>,
    method: Option<&'static str>,
}

impl Story {
    fn note(&mut self, at: Mono, event: &Event) {
        log::info!("{event}");
        if let Event::Evicting(decision) = event {
            self.evicted.push((at, decision.victim.name.clone()));
        }
        if let Event::Killed { report, .. } = event {
            self.killed = report.ended.or(Some(at));
            self.method = report.method.map(|method| method.name());
        }
    }
}

/// Makes the pods, lets one grow, and waits until it is evicted.
pub(super) fn evict_one(mut watch: Watch) -> Result<Verdict, String> {
    let sizes = Sizes::for_this_machine()?;
    let hierarchies = Hierarchies::read(Path::new(PROC)).map_err(|error| error.to_string())?;
    let mut sandbox = Sandbox::make(hierarchies, sizes.limit)?;
    let mut engine = engine::open(setup(&sandbox, sizes.threshold)?)?;
    for load in [sizes.steady(), sizes.small()] {
        sandbox.start(&load)?;
        wait_for_size(&mut watch, &mut sandbox, &load)?;
    }
    let mark = sizes.limit - sizes.threshold;
    let observer = Observer::start(&sandbox.usage_file(""), mark).map_err(|e| e.to_string())?;
    sandbox.start(&sizes.hog())?;
    let mut story = Story::default();
    drive(&mut watch, &mut engine, &mut story, PATIENCE, true)?;
    drive(&mut watch, &mut engine, &mut story, AFTERMATH, false)?;
    let mut verdict = judge(&sizes, &mut sandbox, &story, &observer);
    drop((engine, observer));
    let left = sandbox.remove();
    let what = if left.is_empty() {
        String::from("nothing is left behind")
    } else {
        format!("left behind: {}", left.join(", "))
    };
    verdict.checks.push(Check {
        what,
        holds: left.is_empty(),
    });
    Ok(verdict)
}

fn setup(sandbox: &Sandbox, threshold: u64) -> Result<Setup, String> {
    let hard = format!("allocatableMemory.available<{threshold}");
    let thresholds = parse(&Lists {
        hard: &hard,
        ..Lists::default()
    })
    .map_err(|e| e.to_string())?;
    let releaser = Releaser::new(true);
    releaser.start().map_err(no_thread)?;
    let roots: Vec<PathBuf> = vec![sandbox.cgroup.clone()];
    let mut node = NodeSettings::new(Path::new(PROC), sandbox.hierarchies.clone(), Path::new("/"));
    node.pods_cgroup = Some(sandbox.cgroup.clone());
    Ok(Setup {
        evict: evictd_evict::Config {
            thresholds,
            policy: Policy::default(),
            local_storage_isolation: false,
            ..evictd_evict::Config::default()
        },
        node,
        cgroup: setup::cgroup(sandbox.hierarchies.clone(), roots, Some(releaser)),
        manifests: None,
        interval: INTERVAL,
        dry_run: false,
        dirs: None,
        runtimes: Runtimes::default(),
        finds_imagefs: false,
        finds_containerfs: false,
        images_until_clear: false,
        processors: 1,
        collector: None,
    })
}

/// Waits until the pod has taken what it is to take.
fn wait_for_size(watch: &mut Watch, sandbox: &mut Sandbox, load: &Load) -> Result<(), String> {
    let give_up = now() + PATIENCE;
    let file = sandbox.usage_file(load.name);
    loop {
        let usage = std::fs::read(&file).ok();
        let usage = usage
            .and_then(|text| evictd_kerntext::parse_u64(&text).ok())
            .unwrap_or(0);
        if usage >= load.bytes {
            return Ok(());
        }
        if !sandbox.is_running(load.name) {
            return Err(format!("pod {} ended before it had its memory", load.name));
        }
        if now() > give_up {
            return Err(format!(
                "pod {} has {usage} of {} bytes",
                load.name, load.bytes
            ));
        }
        pause(watch, now() + INTERVAL)?;
    }
}

/// Runs the engine's loop for some time, or `until_killed`.
fn drive(
    watch: &mut Watch,
    engine: &mut Engine,
    story: &mut Story,
    time: Duration,
    until_killed: bool,
) -> Result<(), String> {
    let end = now() + time;
    while now() < end && !(until_killed && story.killed.is_some()) {
        engine.run_due(now(), &mut |at, event| story.note(at, event));
        let until = engine.wake_at(now()).min(end);
        let mut failed = None;
        engine.each_descriptor(&mut |fd| {
            failed = watch.add(fd, Token(0)).err().or(failed.take());
        });
        if let Some(error) = failed {
            return Err(error.to_string());
        }
        pause(watch, until)?;
    }
    Ok(())
}

/// Waits; a signal ends the test, and everything is removed on the way out.
fn pause(watch: &mut Watch, until: Mono) -> Result<(), String> {
    let wakes = watch
        .wait(now(), Some(until))
        .map_err(|error| error.to_string())?;
    let interrupted = wakes.iter().any(|wake| matches!(wake, Wake::Signal(_)));
    if interrupted {
        Err(String::from("interrupted; everything is removed"))
    } else {
        Ok(())
    }
}

fn judge(sizes: &Sizes, sandbox: &mut Sandbox, story: &Story, observer: &Observer) -> Verdict {
    let evicted: Vec<String> = story.evicted.iter().map(|(_, name)| name.clone()).collect();
    let decided = story.evicted.first().map(|(at, _)| *at);
    let crossed = observer.crossed();
    let ooms: u64 = ["", "steady", "small", HOG]
        .iter()
        .filter_map(|n| sandbox.oom_kills(n))
        .sum();
    let check = |what: &str, holds| Check {
        what: what.to_owned(),
        holds,
    };
    let checks = vec![
        check(
            "exactly the pod that ranks first was evicted: hog",
            evicted == [HOG],
        ),
        check(
            "its processes are gone",
            story.killed.is_some() && !sandbox.is_running(HOG),
        ),
        check(
            "steady, within its request, still runs",
            sandbox.is_running("steady"),
        ),
        check(
            "small, above its request by less, still runs",
            sandbox.is_running("small"),
        ),
        check("the kernel's OOM killer had nothing to do", ooms == 0),
        check("the memory is free again", observer.is_below()),
    ];
    let since_decision = |at: Option<Mono>| Some(at?.since(decided?));
    Verdict {
        version: sandbox.version(),
        limit: sizes.limit,
        threshold: sizes.threshold,
        evicted,
        method: story.method,
        detection: decided
            .zip(crossed)
            .map(|(decided, crossed)| decided.since(crossed)),
        kill: since_decision(story.killed),
        release: since_decision(observer.released()),
        checks,
    }
}

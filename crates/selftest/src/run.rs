//! The course of the self-test.

use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_cgroup::Releaser;
use evictd_engine::{Event, Settings};
use evictd_machine::engine::{self, Engine};
use evictd_machine::facts::read_meminfo;
use evictd_machine::setup::{self, Setup};
use evictd_node::Mono;
use evictd_pods::runtimes::Runtimes;
use evictd_relief::gc::SharedRecords;
use evictd_relief::no_thread;
use evictd_stats::{Hierarchies, NodeSettings, PROC, Version, now};
use evictd_sys::{Wake, Watch};
use evictd_threshold::{Lists, parse};

use super::observer::Observer;
use super::sandbox::{Load, Sandbox};
use super::verdict::{Check, Verdict};

const HOG: &str = "hog";

/// How often the engine measures meanwhile.
const INTERVAL: Duration = Duration::from_millis(5);

/// How long each half of the test may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long nothing more may happen after the eviction.
const AFTERMATH: Duration = Duration::from_millis(500);

/// The limit that bounds the harm: a third of what is free, 256 MiB at most.
fn limit() -> Result<u64, String> {
    const LEAST: u64 = 48 << 20;
    let meminfo = read_meminfo()?;
    let free = meminfo.mem_available_bytes.or(meminfo.mem_free_bytes);
    let free = free.unwrap_or(0);
    let limit = (free / 3).min(256 << 20) & !0xf_ffff;
    if limit < LEAST {
        let free = free >> 20;
        return Err(format!(
            "needs 144 MiB of available memory, here are {free} MiB"
        ));
    }
    Ok(limit)
}

/// The pods, all sized by the limit; the hog fills it in about a second.
fn loads(limit: u64) -> [Load; 3] {
    let load = |name, bytes, pace, request| Load {
        name,
        bytes,
        pace,
        request,
    };
    [
        load("steady", limit / 8, 0, limit / 4),
        load("small", limit / 16, 0, 0),
        load(HOG, limit * 2, limit, 0),
    ]
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
///
/// # Errors
/// What kept the test from being run.
pub fn evict_one(mut watch: Watch) -> Result<Verdict, String> {
    let limit = limit()?;
    let threshold = limit / 4;
    let hierarchies = Hierarchies::read(Path::new(PROC)).map_err(|error| error.to_string())?;
    let mut sandbox = Sandbox::make(hierarchies, limit)?;
    let mut engine = engine::open(setup(&sandbox, threshold)?)?;
    let [steady, small, hog] = loads(limit);
    for load in [steady, small] {
        sandbox.start(&load)?;
        wait_for_size(&mut watch, &mut sandbox, &load)?;
    }
    let observer = Observer::start(&sandbox.usage_file(""), limit - threshold);
    let observer = observer.map_err(|error| error.to_string())?;
    sandbox.start(&hog)?;
    let mut story = Story::default();
    drive(&mut watch, &mut engine, &mut story, PATIENCE, true)?;
    drive(&mut watch, &mut engine, &mut story, AFTERMATH, false)?;
    drop(engine);
    // What is freed by removing the sandbox does not count.
    let seen = observer.end();
    let mut checks = check(&mut sandbox, &story, seen.is_below);
    let cgroup = match sandbox.memory.version {
        Version::V1 => "v1",
        Version::V2 => "v2",
    };
    let left = sandbox.remove();
    checks.push(Check {
        holds: left.is_empty(),
        what: match left.as_slice() {
            [] => String::from("nothing is left behind"),
            left => format!("left behind: {}", left.join(", ")),
        },
    });
    let decided = story.evicted.first().map(|(at, _)| *at);
    let micros =
        |from: Option<Mono>, to: Option<Mono>| u64::try_from(to?.since(from?).as_micros()).ok();
    Ok(Verdict {
        passed: checks.iter().all(|check| check.holds),
        cgroup,
        limit_bytes: limit,
        threshold_bytes: threshold,
        evicted: story.evicted.into_iter().map(|(_, name)| name).collect(),
        kill_method: story.method,
        detection_micros: micros(seen.crossed, decided),
        kill_micros: micros(decided, story.killed),
        release_micros: micros(decided, seen.released),
        checks,
    })
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
        engine: Settings {
            evict: evictd_evict::Config {
                thresholds,
                local_storage_isolation: false,
                ..evictd_evict::Config::default()
            },
            interval: INTERVAL,
            ..Settings::default()
        },
        node,
        cgroup: setup::cgroup(sandbox.hierarchies.clone(), roots, Some(releaser)),
        manifests: None,
        dirs: None,
        runtimes: Runtimes::default(),
        images: SharedRecords::default(),
        finds_imagefs: false,
        finds_containerfs: false,
        collector: None,
        reliever: None,
    })
}

/// Waits until the pod has taken what it is to take.
fn wait_for_size(watch: &mut Watch, sandbox: &mut Sandbox, load: &Load) -> Result<(), String> {
    let give_up = now() + PATIENCE;
    let file = sandbox.usage_file(load.name);
    loop {
        let text = std::fs::read(&file).unwrap_or_default();
        let usage = evictd_kerntext::parse_u64(&text).unwrap_or(0);
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
        engine.run_due(now());
        for (at, event) in engine.take_events() {
            story.note(at, &event);
        }
        let until = engine.wake_at(now()).min(end);
        engine::watch_kill(engine, watch).map_err(|error| error.to_string())?;
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

/// What has to hold while the sandbox is still there.
fn check(sandbox: &mut Sandbox, story: &Story, is_free: bool) -> Vec<Check> {
    let names = ["", "steady", "small", HOG];
    let ooms: u64 = names
        .iter()
        .filter_map(|name| sandbox.oom_kills(name))
        .sum();
    let is_hog_alone = matches!(story.evicted.as_slice(), [(_, name)] if name == HOG);
    let is_killed = story.killed.is_some() && !sandbox.is_running(HOG);
    let checks = [
        (
            "exactly the pod that ranks first was evicted: hog",
            is_hog_alone,
        ),
        ("its processes are gone", is_killed),
        (
            "steady, within its request, still runs",
            sandbox.is_running("steady"),
        ),
        (
            "small, above its request by less, still runs",
            sandbox.is_running("small"),
        ),
        ("the kernel's OOM killer had nothing to do", ooms == 0),
        ("the memory is free again", is_free),
    ];
    let check = |(what, holds): (&str, bool)| Check {
        what: what.to_owned(),
        holds,
    };
    checks.map(check).into()
}

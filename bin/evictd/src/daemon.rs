//! The daemon: signals and time around the engine, log lines out of it.

use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_node::Mono;
use evictd_runtime::Releaser;
use evictd_stats::now;
use evictd_watch::{Signal, Token, Wake, Watch};

use crate::engine::{Engine, Event};
use crate::protect;
use crate::setup::Setup;

/// A pidfd of the kill in flight became readable; which one does not matter.
const KILL: Token = Token(0);

/// Runs in the foreground until SIGTERM or SIGINT; SIGHUP begins a round at once.
pub(crate) fn run(settings: &Resolved) -> ExitCode {
    match serve(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(settings: &Resolved) -> Result<(), String> {
    for warning in &settings.warnings {
        log::warn!("{warning}");
    }
    // Threads inherit the signal mask: block before any is made.
    let mut watch = Watch::new(&[Signal::TERM, Signal::INT, Signal::HUP])
        .map_err(|error| error.to_string())?;
    let releaser = Releaser::start().map_err(|error| format!("helper thread: {error}"))?;
    let mut engine = Engine::open(Setup::of(settings, Some(releaser))?)?;
    protect::this_process();
    announce(&engine, settings);
    let mut tell = |_: Mono, event: &Event| log::log!(event.level(), "{event}");
    let mut stopping = false;
    while !(stopping && !engine.is_killing()) {
        engine.run_due(now(), &mut tell);
        let until = engine.wake_at(now());
        let mut failed = None;
        engine.each_descriptor(&mut |fd| failed = watch.add(fd, KILL).err().or(failed.take()));
        if let Some(error) = failed {
            log::debug!("{error}");
        }
        for wake in watch.wait(now(), Some(until)).map_err(|error| error.to_string())? {
            match wake {
                Wake::Signal(received) if received.signal == Signal::HUP => {
                    log::info!("SIGHUP: measuring now");
                    engine.tick_now();
                }
                Wake::Signal(_) => {
                    let waits = if engine.is_killing() { " after the kill in flight" } else { "" };
                    log::info!("ending{waits}");
                    stopping = true;
                }
                Wake::Ready(_) | Wake::Deadline => {}
            }
        }
    }
    Ok(())
}

/// The first line: what is watched, and where the pods come from.
fn announce(engine: &Engine, settings: &Resolved) {
    let version = env!("CARGO_PKG_VERSION");
    let thresholds = engine.evict().thresholds();
    let list: Vec<String> = thresholds.iter().map(ToString::to_string).collect();
    let dry = if settings.dry_run { ", dry run: nothing will be killed" } else { "" };
    log::info!("evictd {version} watches {}{dry}", list.join(","));
}

//! The daemon: signals and time around the engine, log lines out of it.

mod before_kill;
mod descriptors;
mod dump;
mod exporter;
mod helpers;
mod memory;
mod opening;
mod own_program;
mod reload;
mod report;
mod socket;
mod supervisor;

use core::time::Duration;
use std::process::{ExitCode, Stdio};

use evictd_config::{Reserved, Resolved, check_reserves};
use evictd_engine::ports::Node as _;
use evictd_engine::{Event, FIRST_FS_WAIT};
use evictd_logger::{console, stream};
use evictd_machine::config_file::Settings;
use evictd_machine::engine::{self, Engine};
use evictd_machine::keep_alive::Keeper;
use evictd_machine::memory_relief;
use evictd_machine::metrics_file::MetricsFile;
use evictd_machine::notify::Notifier;
use evictd_machine::oom_score::Scores;
use evictd_machine::setup::Setup;
use evictd_machine::{facts, protect};
use evictd_node::Mono;
use evictd_relief::memory::{Reliever, Told};
use evictd_stats::now;
use evictd_sys::{Signal, Token, Wake, Watch};

use crate::hook::Hook;
use crate::sandbox;
use before_kill::BeforeKill;
use exporter::Exporter;
use helpers::Helpers;
use memory::Memory;
use opening::{announce, warn};
use reload::Reloads;
use report::Report;
use socket::{LOCAL, Local};
use supervisor::Supervisor;

/// A helper thread has something to say.
const NEWS: Token = Token(u32::MAX);

/// How long the rest of the start, which no decision needs, leaves the processor to
/// others after the first round: a kill goes on meanwhile, and the reader of the log
/// gets a turn beside a real-time thread.
const SOON: Duration = Duration::from_millis(1);

/// How long the end waits for a file to be removed.
const SOME_TIME: Duration = Duration::from_secs(1);

/// Runs in the foreground until SIGTERM or SIGINT.
pub(crate) fn run(settings: Settings) -> ExitCode {
    let (reloads, settings) = Reloads::new(settings);
    crate::log::start(&settings.output);
    let ended = match serve(settings, reloads) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { text, code }) => {
            log::error!(event = "failed"; "{text}");
            code.into()
        }
    };
    console::close();
    ended
}

/// The exit code for settings that are wrong.
pub(crate) const CONFIGURATION: u8 = 2;

/// Why the daemon ends, and its exit code.
struct Failure {
    text: String,
    code: u8,
}

/// A setting is wrong.
fn wrong(text: String) -> Failure {
    Failure {
        text,
        code: CONFIGURATION,
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self { text, code: 1 }
    }
}

/// Reservations that this machine cannot give are refused before anything is evicted.
fn check(settings: &Resolved, engine: &mut Engine) -> Result<(), Failure> {
    if settings.node_allocatable.system_reserved == settings.node_allocatable.kube_reserved
        && settings.node_allocatable.kube_reserved == Reserved::default()
    {
        return Ok(());
    }
    engine.node_mut().read(now(), FIRST_FS_WAIT);
    let checked = check_reserves(settings, &facts::read(&engine.node().sample));
    checked.map_err(wrong)
}

fn serve(settings: Resolved, reloads: Reloads) -> Result<(), Failure> {
    let mut daemon = Daemon::start(settings, reloads)?;
    while daemon.wait()? {
        daemon.turn();
    }
    daemon.end();
    Ok(())
}

/// The loop's parts, as they run.
struct Daemon {
    /// The settings in force.
    settings: Resolved,
    reloads: Reloads,
    watch: Watch,
    helpers: Helpers,
    notifier: Notifier,
    engine: Box<Engine>,
    memory: Memory,
    scores: Scores,
    keeper: Option<Keeper>,
    reliever: Reliever,
    report: Report,
    local: Local,
    supervisor: Supervisor,
    hook: Option<Hook>,
    metrics_file: Option<MetricsFile>,
    exporter: Option<Exporter>,
    rest_of_start: Option<Mono>,
}

impl Daemon {
    /// Up to the first round, and no further than it needs.
    fn start(settings: Resolved, reloads: Reloads) -> Result<Self, Failure> {
        descriptors::allow(&settings).map_err(wrong)?;
        // Before all else: it inherits nothing of what follows.
        let on_event = settings.hooks.on_event.as_deref();
        let hook = own_program::start("on-event", on_event, Stdio::null()).map_err(wrong)?;
        let before_kill =
            BeforeKill::start(settings.hooks.before_kill.as_deref()).map_err(wrong)?;
        let metrics_file = MetricsFile::open(&settings.output).map_err(wrong)?;
        let exporter = Exporter::start(&settings.output).map_err(wrong)?;
        protect::before_threads();
        // Threads inherit both, the sandbox and the signal mask: before any is made.
        sandbox::enter(&settings);
        let signals = [Signal::TERM, Signal::INT, Signal::HUP, Signal::USR1];
        let mut watch = Watch::new(&signals).map_err(|error| error.to_string())?;
        if let Some(exporter) = &exporter {
            exporter.follow(&mut watch);
        }
        let supervisor = Supervisor::of_environment();
        let helpers = Helpers::new(settings.daemon.realtime);
        let setup = Setup::of(&settings, Some(helpers.releaser.clone()))?;
        announce(&settings, &setup);
        let notifier = Notifier::new(&settings, &setup);
        let hierarchies = setup.cgroup.hierarchies.clone();
        let mut engine = engine::open(setup)?;
        engine.pods_mut().before_kill = before_kill.map(|asked| Box::new(asked) as _);
        check(&settings, &mut engine)?;
        let runtimes = engine.pods().runtimes().descriptor();
        let bells = engine.reclaim().descriptors().into_iter();
        for bell in bells.chain([runtimes]).flatten() {
            watch.add(bell, NEWS).map_err(|error| error.to_string())?;
        }
        protect::from_a_busy_machine(settings.daemon.realtime);
        // Before any process is killed: one that has begun to exit cannot be helped. Where
        // there is no thread to have, it is tried again.
        let _ = helpers.releaser.start();
        // Nor is a directory of manifests waited for that does not answer.
        let _ = engine.pods_mut().start_manifests();
        let mut memory = Memory::open(&settings, &mut engine)?;
        let keeper = Keeper::of(&settings, &hierarchies, memory.directory());
        let reliever = memory_relief::reliever(&settings, &hierarchies, memory.directory());
        let scores = Scores::open(&settings, hierarchies)?;
        engine.run_due(now());
        memory.note_all(&mut engine);
        memory.keep(&engine);
        let report = Report::new();
        let local = Local::open(&settings, &memory, &mut watch);
        supervisor.ready();
        Ok(Self {
            settings,
            reloads,
            watch,
            helpers,
            notifier,
            engine,
            memory,
            scores,
            keeper,
            reliever,
            report,
            local,
            supervisor,
            hook,
            metrics_file,
            exporter,
            rest_of_start: Some(now() + SOON),
        })
    }

    /// Does what is due.
    fn turn(&mut self) {
        if self.rest_of_start.take().is_some() {
            protect::from_the_disk();
            self.helpers.start(now(), &mut self.engine);
            self.notifier.start(&mut self.engine, &mut self.watch);
            self.engine.list_early(now());
            warn(&self.settings, &self.engine);
        }
        self.reload();
        self.helpers.start_if_due(now(), &mut self.engine);
        let has_changed = self.engine.run_due(now());
        self.memory.note_all(&mut self.engine);
        if has_changed {
            self.notifier.follow(&mut self.engine, &mut self.watch);
            self.memory.keep(&self.engine);
        }
        self.scores.apply_if_due(now(), &mut self.engine);
        self.before_kills();
        self.report.log_if_due(now(), &self.engine);
        if let Some(file) = &mut self.metrics_file {
            file.write_if_due(now(), &self.engine, self.memory.counts());
        }
        // Last, and at most one answer: what it takes delays no decision of this turn.
        let known = (&mut *self.engine, &self.memory);
        self.local.answer(now(), known, &mut self.reloads);
        self.supervisor.follow(now(), self.reloads.is_reading());
        self.hand_on();
    }

    /// What is done for memory beside evictions; the threads go on by themselves, and where
    /// there was none to have, it is made now.
    fn before_kills(&mut self) {
        for told in memory_relief::turn(&mut self.reliever, now(), &mut self.engine) {
            match told {
                Told::Relieved(collected) => self.memory.note(&Event::Reclaimed(collected)),
                Told::Problem(line) => {
                    log::warn!(event = "problem", about = "relief"; "--memory-relief: {line}");
                }
            }
        }
        if let Some(keeper) = &mut self.keeper {
            for line in keeper.turn() {
                log::warn!(event = "problem", about = "keepAlive"; "{line}");
            }
        }
    }

    /// Hands on the records of what happened in this turn.
    fn hand_on(&mut self) {
        if let Some(records) = stream::take() {
            self.memory.keep_events(&records);
            if let Some(before_kill) = &mut self.engine.pods_mut().before_kill {
                before_kill.tell(&records);
            }
            if self.hook.as_mut().is_some_and(|hook| !hook.tell(&records)) {
                self.hook = None;
                log::warn!(event = "problem", about = "hook"; "the process that runs --on-event has ended: no program is told of events any more");
            }
        }
    }

    /// Goes on with other settings, once they are read.
    fn reload(&mut self) {
        let new = self.reloads.apply(now(), &self.settings, &mut self.engine);
        if let Some(settings) = new {
            crate::log::set_verbosity(settings.output.verbosity);
            self.report = Report::new();
            self.local.follow(&settings);
            self.reliever.follow(&settings);
            self.settings = settings;
        }
    }

    fn end(mut self) {
        self.supervisor.stopping();
        log::info!(event = "ended"; "ended");
        self.hand_on();
        if let Some(keeper) = &self.keeper {
            keeper.end(SOME_TIME);
        }
        self.reliever.end(SOME_TIME);
        drop(self.local);
        if let Some(file) = &self.metrics_file {
            file.close(SOME_TIME);
        }
        self.memory.close(&self.engine);
    }

    /// Waits until something is due. `false` when it is time to end: a signal came and
    /// no pod is being killed, or it came twice.
    fn wait(&mut self) -> Result<bool, String> {
        let engine = &mut self.engine;
        if let Err(error) = engine::watch_kill(engine, &mut self.watch) {
            // The kill's own deadlines still wake the loop.
            log::debug!("{error}");
        }
        let others = [
            self.report.next,
            self.scores.next,
            self.metrics_file.as_ref().and_then(|file| file.next),
            self.local.deadline(),
            console::flush(),
            self.rest_of_start,
            self.helpers.due,
            self.reloads.next,
            self.supervisor.next,
        ];
        let until = others
            .into_iter()
            .flatten()
            .fold(engine.wake_at(now()), Mono::min);
        let asleep = now();
        let wakes = self.watch.wait(asleep, Some(until));
        engine.woken(asleep, until);
        for wake in wakes.map_err(|error| error.to_string())? {
            match wake {
                Wake::Signal(Signal::HUP) => {
                    log::info!(event = "reloading"; "SIGHUP: reading the settings anew, and measuring now");
                    engine.round_now();
                    self.reloads.begin(now());
                }
                Wake::Signal(Signal::USR1) => dump::log(now(), engine),
                Wake::Signal(_) if engine.is_killing() && engine.end_after_kill() => {
                    log::info!(event = "ending"; "ending after the kill in flight; a second signal ends at once");
                }
                Wake::Signal(_) => return Ok(false),
                Wake::Ready(LOCAL) => self.local.is_ready = true,
                Wake::Ready(exporter::ENDED) => {
                    if self.exporter.take().is_some() {
                        exporter::tell_ended();
                    }
                }
                Wake::Ready(token) => self.notifier.fired(*token, engine),
                Wake::Deadline => {}
            }
        }
        Ok(!engine.has_ended())
    }
}

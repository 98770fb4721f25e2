//! Reading all settings anew while the daemon runs.
//!
//! Files may lie on a disk that does not answer, so a helper thread reads them, made for
//! that alone. It is valid as a whole or not at all: with an error the settings in force
//! stay.

use core::time::Duration;

use evictd_client::flags_of;
use evictd_config::{Reloaded, Resolved, Typed, check_reserves};
use evictd_machine::config_file::{self, Settings};
use evictd_machine::engine::Engine;
use evictd_machine::{facts, setup};
use evictd_node::Mono;
use evictd_sys::{Desk, Helper, HelperThread, Priority, Writes};

/// Texts are read as YAML and JSON, which nest.
const THREAD: HelperThread = HelperThread {
    name: "evictd-reload",
    stack_bytes: 512 * 1024,
    priority: Priority::Usual,
    writes: Writes::Nowhere,
};

/// How soon to look whether it has read them, and how soon where it takes long.
const SOON: Duration = Duration::from_millis(20);
const LATER: Duration = Duration::from_secs(1);

type Read = Result<Reloaded, String>;

#[derive(Default)]
struct Job {
    /// The command line, and the flags in force.
    wanted: Option<(Typed, Typed)>,
    read: Option<Read>,
}

/// What is read anew, and what came of it.
pub(crate) struct Reloads {
    command_line: Typed,
    in_force: Typed,
    helper: Option<Helper<Job>>,
    asked: Mono,
    /// It was asked for once more meanwhile.
    again: bool,
    /// When to look for what was read.
    pub(crate) next: Option<Mono>,
    /// How many are over.
    over: u64,
    /// What came of the last one, in lines.
    told: Result<Vec<String>, String>,
}

impl Reloads {
    pub(crate) fn new(settings: Settings) -> (Self, Resolved) {
        let reloads = Self {
            command_line: settings.command_line,
            in_force: settings.typed.without_texts(),
            helper: None,
            asked: Mono::ZERO,
            again: false,
            next: None,
            over: 0,
            told: Ok(Vec::new()),
        };
        (reloads, settings.resolved)
    }

    /// Begins to read them, or does so once more where that goes on.
    pub(crate) fn begin(&mut self, now: Mono) {
        if self.helper.is_some() {
            self.again = true;
            return;
        }
        let wanted = (self.command_line.clone(), self.in_force.clone());
        let job = Job {
            wanted: Some(wanted),
            read: None,
        };
        let helper = Helper::new(THREAD, job, run);
        match helper.start() {
            Ok(()) => self.helper = Some(helper),
            Err(error) => self.refuse(&format!("no helper thread: {error}")),
        }
        self.asked = now;
        self.next = self.helper.as_ref().map(|_| now + SOON);
    }

    /// Whether they are being read.
    pub(crate) const fn is_reading(&self) -> bool {
        self.helper.is_some()
    }

    /// What was read, once it is.
    fn take(&mut self, now: Mono) -> Option<Reloaded> {
        if self.next.is_none_or(|next| now < next) {
            return None;
        }
        let helper = self.helper.as_ref()?;
        let Some(read) = helper.look(|job| job.read.take()) else {
            let is_late = now.since(self.asked) >= LATER;
            self.next = Some(now + if is_late { LATER } else { SOON });
            return None;
        };
        (self.helper, self.next) = (None, None);
        if core::mem::take(&mut self.again) {
            self.begin(now);
        }
        read.map_err(|error| self.refuse(&error)).ok()
    }

    /// Puts in force what was read. Returns it, where it is.
    pub(crate) fn apply(
        &mut self,
        now: Mono,
        in_force: &Resolved,
        engine: &mut Engine,
    ) -> Option<Resolved> {
        let reloaded = self.take(now)?;
        if let Err(error) = put_in_force(&reloaded.settings, engine) {
            self.refuse(&error);
            return None;
        }
        self.in_force = reloaded.typed;
        let mut lines = changes(in_force, &reloaded.settings);
        for line in &lines {
            log::info!(event = "reloaded"; "reloaded: {line}");
        }
        if lines.is_empty() {
            log::info!(event = "reloaded"; "reloaded: nothing has changed");
        }
        let old = &in_force.warnings;
        for warning in reloaded
            .settings
            .warnings
            .iter()
            .filter(|of| !old.contains(of))
        {
            log::warn!(event = "warning"; "{warning}");
        }
        if !reloaded.need_restart.is_empty() {
            let flags = reloaded.need_restart.join(", --");
            let line = format!("not in force before a restart: --{flags}");
            log::warn!(event = "reloaded"; "reloaded: {line}");
            lines.push(line);
        }
        self.over += 1;
        self.told = Ok(lines);
        Some(reloaded.settings)
    }

    fn refuse(&mut self, error: &str) {
        log::error!(event = "not_reloaded"; "not reloaded, the settings stay as they are: {error}");
        self.over += 1;
        self.told = Err(error.to_owned());
    }

    /// How many are over, and what came of the last one: for `evictd reload`.
    pub(crate) fn in_text(&self) -> String {
        let (word, lines) = match &self.told {
            Ok(lines) => ("reloaded", lines.join("\n")),
            Err(error) => ("refused", error.clone()),
        };
        format!("{} {word}\n{lines}\n", self.over)
    }
}

fn run(desk: Desk<Job>) {
    while let Some((command_line, in_force)) = desk.next(|job| job.wanted.take()) {
        let read = read(command_line, &in_force);
        desk.show(|job| job.read = Some(read));
    }
}

fn read(command_line: Typed, in_force: &Typed) -> Read {
    let typed = config_file::read(command_line)?;
    let reloaded = evictd_config::reload(in_force, typed);
    let mut reloaded = reloaded.map_err(|error| error.to_string())?;
    facts::fit(&mut reloaded.settings);
    Ok(reloaded)
}

fn put_in_force(settings: &Resolved, engine: &mut Engine) -> Result<(), String> {
    check_reserves(settings, &facts::read(&engine.node().sample))?;
    let new = setup::engine(settings, engine.pods().hierarchies());
    engine.reconfigure(new);
    engine
        .node_mut()
        .keep_from_pods(setup::kept_from_pods(settings));
    engine
        .pods_mut()
        .never_evict(settings.pods.never_evict.clone());
    Ok(())
}

/// What differs, one line a setting: `eviction-hard memory.available<10% -> <15%`.
fn changes(old: &Resolved, new: &Resolved) -> Vec<String> {
    let mut lines = Vec::new();
    let lists = |of: &Resolved| -> Vec<(String, String)> {
        let flags = flags_of(&of.evict.thresholds);
        let items = flags.flat_map(|flag| {
            let (name, list) = flag.split_once('=').unwrap_or_default();
            let name = name.trim_start_matches('-').to_owned();
            let items = list.split(',').filter(|item| !item.is_empty());
            let items = items.map(|item| {
                let at = item.find(['<', '=']).unwrap_or(item.len());
                let (signal, value) = item.split_at_checked(at).unwrap_or_default();
                (
                    format!("{name} {signal}"),
                    value.trim_start_matches('=').to_owned(),
                )
            });
            items.collect::<Vec<_>>()
        });
        items.collect()
    };
    let settings = |of: &Resolved| -> Vec<(String, String)> {
        let all = of.settings.iter();
        all.map(|of| (of.name.to_owned(), of.value.clone()))
            .collect()
    };
    compare(&lists(old), &lists(new), "", &mut lines);
    compare(&settings(old), &settings(new), " ", &mut lines);
    lines
}

/// A line for each value that differs; `before` stands between a name and its value.
fn compare(
    old: &[(String, String)],
    new: &[(String, String)],
    before: &str,
    lines: &mut Vec<String>,
) {
    let value = |of: &[(String, String)], name: &str| {
        let found = of.iter().find(|(other, _)| other == name);
        found.map_or("", |(_, value)| value).to_owned()
    };
    let shown = |value: String| {
        if value.is_empty() {
            "none".to_owned()
        } else {
            value
        }
    };
    let gone = old
        .iter()
        .filter(|(name, _)| !new.iter().any(|(other, _)| other == name));
    for (name, _) in new.iter().chain(gone) {
        let (was, is) = (value(old, name), value(new, name));
        if was != is {
            let before = if was.starts_with('<') { before } else { " " };
            lines.push(format!("{name}{before}{} -> {}", shown(was), shown(is)));
        }
    }
}

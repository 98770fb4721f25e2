//! `evictd check`: a line and an exit code for a monitor or a supervisor.

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::{View, ask_within};
use evictd_config::{Paths, Resolved};
use evictd_node::{Amount, Condition, ConditionSet, Readings, Signal};
use evictd_plain::Plain;
use evictd_threshold::Threshold;

use super::next::Next;
use super::output::print;

/// A monitor runs many of these and gives each a second or so.
const WAIT: Duration = Duration::from_millis(900);

/// node-problem-detector cuts what is longer.
const MOST_BYTES: usize = 80;

/// whether all is well: exit code 0, 1 or 2, for monitors
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "check",
    note = "Asks the daemon with this --state-dir, for a second at most, and prints one\n\
            line of at most 80 bytes: conditions, thresholds that are met, the next pod.\n\
            The daemon's loop answers by itself, so an answer shows that it turns. The\n\
            exit codes are those of a custom plugin of node-problem-detector;\n\
            dist/node-problem-detector has its configuration.\n\
            With --nagios: 0 fine, 1 a condition holds or a soft threshold is met, 2 a\n\
            hard threshold is met, 3 no daemon answers. A supervisor, which would restart\n\
            the daemon, asks with --daemon.",
    example = "{command_name}\n{command_name} --daemon --flags-file=/etc/evictd.conf\n\
               {command_name} --condition=MemoryPressure\n{command_name} --nagios",
    error_code(0, "the daemon's loop turns, and no condition holds"),
    error_code(1, "a condition holds"),
    error_code(2, "no daemon answers, or the command line is wrong")
)]
pub struct Check {
    /// ask only whether the daemon runs and its loop turns, whatever conditions hold
    #[argh(switch)]
    daemon: bool,

    /// look at this condition alone: MemoryPressure, DiskPressure or PIDPressure
    #[argh(option, arg_name = "CONDITION", from_str_fn(condition))]
    condition: Option<Condition>,

    /// use the exit codes of Nagios plugins
    #[argh(switch)]
    nagios: bool,
}

fn condition(text: &str) -> Result<Condition, String> {
    Condition::from_name(text).ok_or_else(|| {
        let names = Condition::ALL.map(Condition::name);
        format!("conditions are {}", names.join(", "))
    })
}

/// What a look comes to, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Fine,
    /// A condition holds, or a soft threshold is met.
    Warning,
    /// A hard threshold is met.
    Critical,
    Unknown,
}

impl Check {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let (level, holds, line) = match self.look(&settings.paths) {
            Ok(seen) => seen,
            Err(why) => (Level::Unknown, false, format!("no daemon answers: {why}")),
        };
        let _ = print(&format!("{}\n", cut(&Plain(line).to_string())));
        Ok(ExitCode::from(match (level, self.nagios) {
            (Level::Fine, true) => 0,
            (Level::Warning, true) => 1,
            (Level::Critical, true) | (Level::Unknown, false) => 2,
            (Level::Unknown, true) => 3,
            (_, false) => u8::from(holds),
        }))
    }

    /// The level, whether a condition holds, and both in words.
    fn look(&self, paths: &Paths) -> Result<(Level, bool, String), String> {
        if self.daemon {
            ask_within(paths, "/healthz", WAIT)?;
            return Ok((Level::Fine, false, "the daemon runs".to_owned()));
        }
        let view = evictd_client::view_within(paths, WAIT)?;
        let thresholds = view.settings()?.evict.thresholds;
        let (level, holds, line) = judge(
            self.condition,
            view.conditions(),
            &thresholds,
            &view.readings(),
        );
        let next = next_in_words(self.condition, &thresholds, &view);
        Ok((level, holds, line + &next))
    }
}

/// `; next: docker/web`, by the first threshold that the daemon has a verdict on: it is met.
pub(super) fn next_in_words(
    only: Option<Condition>,
    thresholds: &[Threshold],
    view: &View,
) -> String {
    let signals = thresholds.iter().map(|of| of.signal);
    let mut signals = signals.filter(|signal| only.is_none_or(|only| only == signal.condition()));
    match signals.find_map(|signal| Next::said_by(view, signal)) {
        None => String::new(),
        Some(next) => match next.first() {
            Some(first) => format!("; next: {}", first.name),
            None => format!("; next: none: {}", next.why_none.unwrap_or_default()),
        },
    }
}

fn judge(
    only: Option<Condition>,
    held: ConditionSet,
    thresholds: &[Threshold],
    readings: &Readings,
) -> (Level, bool, String) {
    let concerns = |condition: Condition| only.is_none_or(|only| only == condition);
    let held: Vec<&str> = held
        .each()
        .filter(|condition| concerns(*condition))
        .map(Condition::name)
        .collect();
    let holds = !held.is_empty();
    let mut level = if holds { Level::Warning } else { Level::Fine };
    let mut short = Vec::new();
    for threshold in thresholds {
        let signal = threshold.signal;
        // That one is a copy of the node's.
        if signal == Signal::AllocatableMemoryAvailable || !concerns(signal.condition()) {
            continue;
        }
        if let Some(reading) = readings.get(signal)
            && threshold.is_met(&reading)
        {
            let is = if threshold.is_hard() {
                Level::Critical
            } else {
                Level::Warning
            };
            level = level.max(is);
            let left = Amount::of(signal, reading.available);
            short.push(format!("{threshold}, {left} left"));
        }
    }
    let mut line = if holds {
        held.join(" ")
    } else {
        "no pressure".to_owned()
    };
    if !short.is_empty() {
        line = format!("{line}: {}", short.join("; "));
    }
    (level, holds, line)
}

/// As much of a line as a monitor takes.
fn cut(line: &str) -> &str {
    let mut ends = (0..=MOST_BYTES.min(line.len())).rev();
    let end = ends.find(|end| line.is_char_boundary(*end));
    line.get(..end.unwrap_or(0)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use evictd_node::Reading;
    use evictd_threshold::{Lists, parse};

    use super::*;

    fn judged(memory: i64, held: &[Condition], only: Option<Condition>) -> (Level, bool, String) {
        let thresholds = parse(&Lists {
            hard: "memory.available<100Mi,pid.available<10",
            soft: "memory.available<200Mi",
            soft_grace_period: "memory.available=1m",
            ..Lists::default()
        });
        let mut readings = Readings::default();
        let reading = Reading {
            available: memory << 20,
            capacity: 1 << 30,
            sampled: None,
        };
        readings.set(Signal::MemoryAvailable, Some(reading));
        let mut set = ConditionSet::empty();
        for condition in held {
            set.insert(condition.set());
        }
        judge(only, set, &thresholds.unwrap(), &readings)
    }

    #[test]
    fn a_line_says_which_condition_holds_and_what_is_short() {
        const MEMORY: Condition = Condition::MemoryPressure;
        assert_eq!(
            judged(500, &[], None),
            (Level::Fine, false, "no pressure".into())
        );
        assert_eq!(
            judged(500, &[MEMORY], None),
            (Level::Warning, true, "MemoryPressure".into())
        );
        let (level, holds, line) = judged(150, &[], None);
        assert_eq!((level, holds), (Level::Warning, false));
        assert_eq!(line, "no pressure: memory.available<200Mi, 150Mi left");
        let (level, holds, line) = judged(50, &[MEMORY], None);
        assert_eq!((level, holds), (Level::Critical, true));
        assert!(
            line.starts_with("MemoryPressure: memory.available<100Mi, 50Mi left; "),
            "{line}"
        );
        // Another condition was asked for.
        let disk = Some(Condition::DiskPressure);
        assert_eq!(
            judged(50, &[MEMORY], disk),
            (Level::Fine, false, "no pressure".into())
        );
    }

    #[test]
    fn a_line_is_cut_where_a_letter_ends() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"ä".repeat(60)).len(), 80);
        assert_eq!(cut(&format!("x{}", "ä".repeat(60))).len(), 79);
    }
}

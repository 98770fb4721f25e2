//! `evictd events`: the records of what happened.

use core::time::Duration;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_node::Utc;
use evictd_plain::Plain;
use evictd_quantity::GoDuration;
use evictd_state::read_events;
use evictd_stats::wall_seconds;
use serde_json::Value;

use super::screen::for_terminal;

/// How often a file is looked at that records are added to.
const AGAIN: Duration = Duration::from_millis(250);

/// what happened, of late: thresholds, conditions, evictions, problems
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "events",
    note = "Prints the records that the daemon keeps in --state-dir, oldest first,\n\
            whether a daemon runs or not: the latest 32 to 64 KiB. Changes nothing.\n\
            docs/metrics.md has the form of records.",
    example = "{command_name} --since=1h\n{command_name} --json"
)]
pub struct Events {
    /// go on printing what happens, until interrupted
    #[argh(switch)]
    follow: bool,

    /// what happened within that time (30m, 7d) alone
    #[argh(option, arg_name = "DURATION", from_str_fn(seconds))]
    since: Option<u64>,

    /// print each record as a line of JSON, as it is kept
    #[argh(switch)]
    json: bool,
}

/// As in `--relief-dir`, days too.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let days = text.strip_suffix('d').map(str::parse::<u32>);
    if let Some(Ok(days)) = days {
        return Ok(u64::from(days) * 86_400);
    }
    let nanos = GoDuration::parse(text).map(GoDuration::nanos).ok();
    nanos
        .and_then(|nanos| u64::try_from(nanos).ok())
        .map(|nanos| nanos.div_ceil(1_000_000_000))
        .ok_or_else(|| {
            "a duration has numbers with units h m s, or days alone: 1h30m, 90s, 7d".to_owned()
        })
}

impl Events {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let directory = settings.state_dir.as_deref();
        let directory = directory.ok_or("--state-dir is empty: nothing is kept on disk")?;
        let since = self.since.map(|seconds| {
            let from = wall_seconds().saturating_sub(seconds);
            Utc(from).to_string()
        });
        let mut printed = String::new();
        loop {
            let text = read_events(directory).map_err(|error| error.to_string())?;
            for line in after(&text, &printed) {
                if let Some(shown) = show(line, since.as_deref(), self.json)
                    && let Err(error) = self.print(&shown)
                {
                    return if error.kind() == ErrorKind::BrokenPipe {
                        Ok(ExitCode::SUCCESS)
                    } else {
                        Err(format!("stdout: {error}"))
                    };
                }
            }
            if !self.follow {
                return Ok(ExitCode::SUCCESS);
            }
            if let Some(last) = whole(&text).next_back() {
                last.clone_into(&mut printed);
            }
            std::thread::sleep(AGAIN);
        }
    }
}

impl Events {
    /// A record of JSON stays a line on a terminal, too.
    fn print(&self, shown: &str) -> io::Result<()> {
        let line = format!("{shown}\n");
        let line = if self.json { line } else { for_terminal(&line) };
        io::stdout().write_all(line.as_bytes())
    }
}

/// The lines that have their end: the last one may be about to be written.
fn whole(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let end = text.rfind('\n').unwrap_or(0);
    text.get(..end).unwrap_or_default().lines()
}

/// The lines behind the one that was printed last; all of them, where it is no longer there.
fn after<'a>(text: &'a str, printed: &str) -> impl Iterator<Item = &'a str> {
    let is_there = !printed.is_empty() && whole(text).any(|line| line == printed);
    let mut seen = !is_there;
    whole(text).filter(move |line| {
        let is_new = seen;
        seen |= *line == printed;
        is_new
    })
}

/// A record as it is printed; `None` for one from before that time, and for what is no record.
pub(super) fn show(line: &str, since: Option<&str>, json: bool) -> Option<String> {
    let record: Value = serde_json::from_str(line).ok()?;
    let text = |name| record.get(name)?.as_str();
    let (time, level, message) = (text("time")?, text("level")?, text("message")?);
    // Times of one form are in the order of their letters.
    if since.is_some_and(|since| time < since) {
        return None;
    }
    Some(if json {
        Plain(line).to_string()
    } else {
        let level = level.to_ascii_uppercase();
        Plain(format_args!("{time} {level:<5} {message}")).to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MET: &str = r#"{"schema":1,"sequence":2,"time":"2026-11-23T15:00:00Z","level":"warn","event":"met","message":"short"}"#;

    #[test]
    fn a_record_is_a_line_of_time_level_and_sentence() {
        let shown = show(MET, None, false).unwrap();
        assert_eq!(shown, "2026-11-23T15:00:00Z WARN  short");
        assert_eq!(show(MET, None, true).unwrap(), MET);
    }

    #[test]
    fn what_is_older_or_torn_is_left_out() {
        assert!(show(MET, Some("2026-11-23T15:00:00Z"), false).is_some());
        assert_eq!(show(MET, Some("2026-11-23T15:00:01Z"), false), None);
        let half = MET.get(..60).unwrap();
        for torn in ["", "{", half, "[1]", "\0\0", r#"{"time":1}"#] {
            assert_eq!(show(torn, None, false), None, "{torn}");
        }
    }

    #[test]
    fn what_was_printed_is_not_printed_again() {
        let new = |text, printed| after(text, printed).collect::<Vec<_>>();
        assert_eq!(new("a\nb\nc\n", ""), ["a", "b", "c"]);
        assert_eq!(new("a\nb\nc\n", "b"), ["c"]);
        assert_eq!(new("a\nb\nc", "a"), ["b"]);
        assert!(new("a\nb\n", "b").is_empty());
        // The file it stood in is gone.
        assert_eq!(new("c\nd\n", "b"), ["c", "d"]);
    }

    #[test]
    fn since_is_a_duration() {
        assert_eq!(seconds("1h30m"), Ok(5400));
        assert_eq!(seconds("1ms"), Ok(1));
        assert_eq!(seconds("1d"), Ok(86_400));
        assert!(seconds("d").is_err() && seconds("-1d").is_err());
        assert!(seconds("-1s").is_err());
        assert!(seconds("yesterday").is_err());
    }
}

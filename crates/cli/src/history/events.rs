//! `evictd history --events` and `--follow`: the records of what happened.

use core::time::Duration;
use std::process::ExitCode;

use evictd_config::Paths;
use evictd_engine::full_name;
use evictd_node::Utc;
use evictd_plain::Plain;
use evictd_quantity::GoDuration;
use evictd_state::read_events;
use evictd_stats::wall_seconds;
use serde_json::Value;

use crate::output::print_more;
use crate::screen::for_terminal;

/// How often a file is looked at that records are added to.
const AGAIN: Duration = Duration::from_millis(250);

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

/// Which of the records are wanted, and how they are printed.
pub(super) struct Wanted<'a> {
    /// Those of this pod, `NAME` or `NAMESPACE/NAME`.
    pub(super) pod: Option<&'a str>,
    pub(super) since_seconds: Option<u64>,
    pub(super) json: bool,
}

/// Prints the records that are kept; goes on with those to come where they are to be followed.
pub(super) fn run(paths: &Paths, wanted: &Wanted<'_>, follow: bool) -> Result<ExitCode, String> {
    let since = wanted.since();
    let mut printed = String::new();
    loop {
        let text = kept(paths)?;
        for line in after(&text, &printed) {
            if is_of(line, wanted.pod)
                && let Some(shown) = show(line, since.as_deref(), wanted.json)
                && let Some(ended) = print(&shown, wanted.json)
            {
                return Ok(ended);
            }
        }
        if !follow {
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(last) = whole(&text).next_back() {
            last.clone_into(&mut printed);
        }
        std::thread::sleep(AGAIN);
    }
}

/// The records that are kept, whole.
pub(super) fn records(paths: &Paths, wanted: &Wanted<'_>) -> Result<Vec<Value>, String> {
    let (text, since) = (kept(paths)?, wanted.since());
    let lines = whole(&text).filter(|line| is_of(line, wanted.pod));
    let lines = lines.filter_map(|line| show(line, since.as_deref(), true));
    let record = |line: String| serde_json::from_str(&line).ok();
    Ok(lines.filter_map(record).collect())
}

fn kept(paths: &Paths) -> Result<String, String> {
    let directory = paths.state_dir.as_deref();
    let directory = directory.ok_or("--state-dir is empty: nothing is kept on disk")?;
    read_events(directory).map_err(|error| error.to_string())
}

impl Wanted<'_> {
    /// From when, as records say it.
    fn since(&self) -> Option<String> {
        let seconds = self.since_seconds?;
        Some(Utc(wall_seconds().saturating_sub(seconds)).to_string())
    }
}

/// A record of JSON stays a line on a terminal, too.
fn print(shown: &str, json: bool) -> Option<ExitCode> {
    let line = format!("{shown}\n");
    let line = if json { line } else { for_terminal(&line) };
    print_more(line.as_bytes())
}

/// Whether a record is of that pod; of no pod in particular, all are wanted.
fn is_of(line: &str, pod: Option<&str>) -> bool {
    let Some(wanted) = pod else { return true };
    let record: Value = serde_json::from_str(line).unwrap_or_default();
    let text = |name| record.get(name).and_then(Value::as_str);
    text("pod").is_some_and(|name| is_named(wanted, text("namespace").unwrap_or_default(), name))
}

/// Whether `NAME` or `NAMESPACE/NAME` means that pod.
pub(super) fn is_named(wanted: &str, namespace: &str, name: &str) -> bool {
    wanted == name || wanted == full_name(namespace, name)
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
pub(crate) fn show(line: &str, since: Option<&str>, json: bool) -> Option<String> {
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
    fn records_of_one_pod_can_be_asked_for() {
        let of_web = r#"{"event":"killed","pod":"web","namespace":"docker"}"#;
        assert!(is_of(MET, None) && is_of(of_web, None));
        assert!(is_of(of_web, Some("web")) && is_of(of_web, Some("docker/web")));
        assert!(!is_of(of_web, Some("we")) && !is_of(of_web, Some("podman/web")));
        assert!(!is_of(MET, Some("web")) && !is_of("{", Some("web")));
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

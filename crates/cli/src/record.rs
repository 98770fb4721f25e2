//! `evictd record`: what the node's signals and pods are, moment by moment, into a file.

use core::time::Duration;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::View;
use evictd_config::Resolved;
use evictd_machine::facts::node_name;
use evictd_quantity::GoDuration;
use evictd_recording::{Begun, Line};
use evictd_stats::now;

use super::moments::Moments;
use super::sampled::Sampled;

/// Between two moments at least.
const LEAST: Duration = Duration::from_millis(10);

/// record the node's signals and pods, for evictd replay
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "record",
    note = "Looks at the node in each --housekeeping-interval, until interrupted, and\n\
            writes what it sees, and what the thresholds decide on it, as lines of JSON\n\
            (docs/commands.md). Evicts nothing, needs no daemon and leaves one alone. Of a\n\
            pod its name, requests, limits and use are written; its labels are not.",
    example = "{command_name} --flags-file=/etc/evictd.conf --every=1s --length=1h hour.jsonl"
)]
pub struct Record {
    /// a file that is not there yet
    #[argh(positional, arg_name = "FILE")]
    file: String,

    /// look that often; default: --housekeeping-interval
    #[argh(option, arg_name = "DURATION", from_str_fn(duration))]
    every: Option<Duration>,

    /// end after that time (90s, 1h)
    #[argh(option, arg_name = "DURATION", from_str_fn(duration))]
    length: Option<Duration>,
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let nanos = GoDuration::parse(text).map(GoDuration::nanos).ok();
    nanos
        .and_then(|nanos| u64::try_from(nanos).ok())
        .map(Duration::from_nanos)
        .filter(|length| *length >= LEAST)
        .ok_or_else(|| "a duration from 10ms on has numbers with units: 500ms, 90s, 1h30m".into())
}

impl Record {
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let about = |error: io::Error| format!("{}: {error}", self.file);
        let mut sampled = Sampled::take(settings)?;
        let mut moments = Moments::new(&settings.evict);
        let mut file = File::create_new(&self.file).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return format!("{}: is there already: name a file that is not", self.file);
            }
            about(error)
        })?;
        let begun = Line::Begun(Begun {
            node: node_name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            flags: View::of_settings(settings).flags,
        });
        let mut lines = format!("{begun}\n");
        let every = self.every.unwrap_or(settings.daemon.housekeeping_interval);
        let first = now();
        let mut next = first;
        loop {
            for (line, decided) in moments.look(&mut sampled, next)? {
                lines += &format!("{line}\n");
                for decided in decided {
                    lines += &format!("{}\n", Line::Decided(decided.text));
                }
            }
            // A moment at once, so that an interruption leaves none in part.
            let written = file.write_all(lines.as_bytes());
            written.map_err(about)?;
            lines.clear();
            next = (next + every).max(now());
            let is_over = |length| next.since(first) >= length;
            if self.length.is_some_and(is_over) {
                return Ok(ExitCode::SUCCESS);
            }
            std::thread::sleep(next.since(now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_unit_and_is_no_moment() {
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "5", "-1s", "9ms", "soon"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}

//! One record of a container's log is absurd: it costs itself, and no other.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, missing_docs)]

use evictd_gc::{RecordFormat, record_after, time_of};
use evictd_testkit::poison::{Items, lines};

// Each reader of this crate's log records, as ci/deps finds them, and the test that poisons them.
// readers: record_after, time_of -> a_record_of_a_log_costs_itself

const COUNT: usize = 100;

fn time(number: usize) -> String {
    format!("2026-11-23T20:{:02}:{:02}.5Z", number / 60, number % 60)
}

fn record(format: RecordFormat, number: usize) -> String {
    let time = time(number);
    match format {
        RecordFormat::Json => format!(r#"{{"log":"a","stream":"stdout","time":"{time}"}}"#),
        RecordFormat::Cri => format!("{time} stdout F a"),
    }
}

/// The times of all records behind the first line.
fn times(format: RecordFormat, log: &[u8]) -> Vec<String> {
    let (mut at, mut times) = (1, Vec::new());
    while let Some(begin) = record_after(format, log, at) {
        let line = log[begin..].split(|byte| *byte == b'\n').next().unwrap();
        times.push(time_of(format, line).unwrap().to_owned());
        at = begin + 1;
    }
    times
}

#[test]
fn a_record_of_a_log_costs_itself() {
    for format in [RecordFormat::Json, RecordFormat::Cri] {
        let records: Vec<String> = (0..COUNT).map(|number| record(format, number)).collect();
        let file = Items {
            before: "the line that is cut\n",
            items: &records,
            between: "\n",
            after: "\n",
        };
        let usual = times(format, &file.whole());
        assert_eq!(usual.len(), COUNT);
        file.each_poisoned(&lines(), |log, at, what| {
            let found = times(format, log);
            let others = (0..COUNT).filter(|number| *number != at);
            for number in others {
                assert!(
                    found.contains(&time(number)),
                    "{format:?}: {what}: lost {number}"
                );
            }
        });
    }
}

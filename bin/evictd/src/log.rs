//! Log lines on standard error: one line an event, as text or as an object in JSON.
//!
//! env_logger makes the lines and writes them to the [`console`], which never waits for
//! whoever reads them.

mod console;
mod json;
mod time;

use std::io::{self, Write};

use evictd_config::LogFormat;
use evictd_stats::wall_seconds;
use log::kv::Value;
use log::{LevelFilter, Record};

pub(crate) use console::{close, flush};
use evictd_engine::{Event, Field};
use json::Line;
pub(crate) use time::Utc;

/// Begins to log. The environment has no say: an init script's flags tell all.
pub(crate) fn start(format: LogFormat, level: LevelFilter) {
    env_logger::Builder::new()
        .filter_level(level)
        .format(move |out, record| write_line(out, format, record))
        .target(env_logger::Target::Pipe(Box::new(console::open(format))))
        .init();
}

/// Logs an event of the engine, with its fields.
pub(crate) fn event(event: &Event) {
    let level = event.level();
    if level > log::max_level() {
        return;
    }
    let fields = event.fields();
    let values = fields.iter().map(|(name, field)| {
        let value = match field {
            Field::Text(text) => Value::from(text.as_str()),
            Field::Number(number) => Value::from(*number),
            Field::Flag(flag) => Value::from(*flag),
        };
        (*name, value)
    });
    let mut pairs = vec![("event", Value::from(event.name()))];
    pairs.extend(values);
    log::logger().log(
        &Record::builder()
            .level(level)
            .target(module_path!())
            .key_values(&pairs)
            .args(format_args!("{event}"))
            .build(),
    );
}

/// The record as one line.
fn write_line(out: &mut dyn Write, format: LogFormat, record: &Record<'_>) -> io::Result<()> {
    let when = Utc(wall_seconds());
    match format {
        LogFormat::Text => writeln!(out, "{when} {:<5} {}", record.level(), record.args()),
        LogFormat::Json => {
            let line = serde_json::to_string(&Line { when, record }).map_err(io::Error::other)?;
            writeln!(out, "{line}")
        }
    }
}

#[cfg(test)]
mod tests;

//! Log lines on standard error, or where `--log-target` says: one line an event, as text or
//! as an object in JSON.
//!
//! env_logger has `evictd_logger` make the lines and writes them to its console, which never
//! waits for their reader.

use core::fmt::Arguments;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use evictd_condition::Status;
use evictd_config::{LogFormat, LogTarget, Output};
use evictd_engine::{Event, Fields, summary};
use evictd_logger::{Format, Target, console, stream, write_line};
use evictd_machine::engine::Engine;
use evictd_machine::facts;
use evictd_node::{Condition, Signal};
use log::kv::Value;
use log::{Level, LevelFilter, Record};
use serde_json::Value as Json;

/// Begins to log. The environment has no say: an init script's flags are enough.
pub(crate) fn start(output: &Output) {
    stream::open(facts::node_name(), facts::boot_id());
    let format = match output.log_format {
        LogFormat::Text => Format::Text,
        LogFormat::Json => Format::Json,
    };
    let target = Mutex::new(match output.log_target {
        LogTarget::Syslog => Target::syslog(),
        LogTarget::Journald => Target::journald(),
        LogTarget::Kmsg => Some(Target::kmsg()),
        LogTarget::Stderr | _ => None,
    });
    let write = move |out: &mut dyn Write, record: &Record<'_>| {
        let mut target = target.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *target {
            Some(target) => target.tell(out, format, record),
            None => write_line(out, format, record),
        }
    };
    env_logger::Builder::new()
        .filter_level(LevelFilter::Trace)
        .format(move |out, record| write(out, record))
        .target(env_logger::Target::Pipe(Box::new(console::open(format))))
        .init();
    set_verbosity(output.verbosity);
}

/// More lines with a higher level of `-v`.
pub(crate) fn set_verbosity(verbosity: u8) {
    log::set_max_level(match verbosity {
        0 | 1 => LevelFilter::Info,
        2 | 3 => LevelFilter::Debug,
        4.. => LevelFilter::Trace,
    });
}

/// Logs an event of the engine, with its fields.
pub(crate) fn event(event: &Event) {
    with_fields(
        event.level(),
        event.name(),
        &event.fields(),
        format_args!("{event}"),
    );
}

/// Logs the conditions, and what is left of each signal.
pub(crate) fn readings(engine: &Engine) {
    let (conditions, readings) = (engine.evict().conditions(), engine.readings());
    let mut fields = Fields::default();
    for condition in Condition::ALL {
        let holds = conditions.has(condition);
        let status = if holds { Status::True } else { Status::False };
        fields = fields.with(condition.name(), status.name());
    }
    for signal in Signal::ALL {
        let reading = readings.get(signal);
        fields = fields.with(signal.name(), reading.map(|reading| reading.available));
    }
    with_fields(
        Level::Debug,
        "readings",
        &fields,
        format_args!("{}", summary(conditions, readings)),
    );
}

fn with_fields(level: Level, name: &str, fields: &Fields, text: Arguments<'_>) {
    if level > log::max_level() {
        return;
    }
    let nested: Vec<String> = fields.iter().map(|(_, field)| in_text(field)).collect();
    let values = fields.iter().zip(&nested).map(|((name, field), text)| {
        let value = match field {
            Json::String(text) => Value::from(text.as_str()),
            Json::Bool(flag) => Value::from(*flag),
            Json::Number(number) => Value::from(number.as_i64().unwrap_or(i64::MAX)),
            Json::Null | Json::Array(_) | Json::Object(_) => Value::from(text.as_str()),
        };
        (*name, value)
    });
    let mut pairs = vec![("event", Value::from(name))];
    pairs.extend(values);
    let mut record = Record::builder();
    record.level(level).target(module_path!());
    log::logger().log(&record.key_values(&pairs).args(text).build());
}

/// What is no simple value, as text; log's own display of it brings in that of
/// floating-point numbers.
fn in_text(field: &Json) -> String {
    match field {
        Json::Null | Json::Array(_) | Json::Object(_) => field.to_string(),
        Json::String(_) | Json::Bool(_) | Json::Number(_) => String::new(),
    }
}

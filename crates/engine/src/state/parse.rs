//! Text to state.

use core::time::Duration;

use evictd_evict::FirstMet;
use evictd_gc::ImageRecords;
use evictd_node::{Condition, Layout, Mono, Signal};
use evictd_quantity::GoDuration;
use serde_json::Value;

use crate::state::json::{KIND, VERSION};
use crate::state::record::cut;
use crate::state::{ConditionState, Error, HISTORY, Outcome, Record, State, boot};

/// The longest text that is looked at.
pub const MAX_BYTES: usize = 320 << 10;

/// More thresholds are never watched (`evictd_evict`).
pub(crate) const MOST_FIRST_MET: usize = 32;

/// The longest text of a threshold: a signal and an amount.
pub(crate) const MOST_THRESHOLD: usize = 256;

/// Reads a state. Fields that it does not know are ignored, as are those that
/// are not of the type that they should be; a state of another program or of a
/// later version is refused.
///
/// # Errors
/// When the text is too long, is no JSON, is not evictd's, or does not say when
/// it was written.
pub fn parse(bytes: &[u8]) -> Result<State, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge);
    }
    let json = core::str::from_utf8(bytes).map_err(|_| Error::Foreign("it is no text"))?;
    let value = json.parse::<Value>().map_err(|error| Error::Text {
        line: error.line(),
        column: error.column(),
    })?;
    if text(&value, "kind") != Some(KIND) {
        return Err(Error::Foreign("its kind is another"));
    }
    if number(&value, "version") != Some(VERSION) {
        return Err(Error::Foreign("its version is another"));
    }
    let mut state = State {
        boot_id: boot_id(&value),
        saved_at: mono(&value, "savedAt").ok_or(Error::Foreign("savedAt is missing"))?,
        wall_seconds: number(&value, "wallSeconds")
            .ok_or(Error::Foreign("wallSeconds is missing"))?,
        interval: Duration::from_nanos(number(&value, "intervalNanos").unwrap_or(0)),
        daemon_pid: narrow(number(&value, "daemonPid")).unwrap_or(0),
        layout: value.get("layout").and_then(layout),
        conditions: conditions(&value),
        first_met: list(&value, "firstMet").filter_map(first_met).collect(),
        evictions: number(&value, "evictions").unwrap_or(0),
        history: list(&value, "history").map(record).collect(),
        images: value.get("images").map(images).unwrap_or_default(),
    };
    state.first_met.truncate(MOST_FIRST_MET);
    let beyond = state.history.len().saturating_sub(HISTORY);
    state.history.drain(..beyond);
    Ok(state)
}

fn conditions(value: &Value) -> [ConditionState; Condition::ALL.len()] {
    let mut states = <[ConditionState; Condition::ALL.len()]>::default();
    for value in list(value, "conditions") {
        let condition = text(value, "type").and_then(Condition::from_name);
        if let Some(state) = condition.and_then(|c| states.get_mut(c.index())) {
            *state = ConditionState {
                held: value.get("held").and_then(Value::as_bool) == Some(true),
                since: number(value, "since"),
                last_observed: mono(value, "lastObserved"),
            };
        }
    }
    states
}

fn first_met(value: &Value) -> Option<FirstMet> {
    let threshold = text(value, "threshold")?;
    Some(FirstMet {
        threshold: (threshold.len() <= MOST_THRESHOLD).then(|| threshold.to_owned())?,
        grace: GoDuration::from_nanos(integer(value, "graceNanos")?),
        at: mono(value, "at")?,
    })
}

/// An entry that is none costs itself; without the time of the last look, nobody
/// knows what the times say.
fn images(value: &Value) -> ImageRecords {
    let times = value.get("times").and_then(Value::as_object);
    let texts = times.into_iter().flatten();
    let texts = texts.filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)));
    ImageRecords::restore(number(value, "lookedAt").unwrap_or(0), texts)
}

fn layout(value: &Value) -> Option<Layout> {
    let name = value.as_str()?;
    let all = [
        Layout::OneFilesystem,
        Layout::DedicatedImagefs,
        Layout::SplitImagefs,
    ];
    all.into_iter().find(|layout| layout.to_string() == name)
}

fn record(value: &Value) -> Record {
    let words = |key| text(value, key).unwrap_or_default().to_owned();
    let annotations = value.get("annotations").and_then(Value::as_object);
    let annotations = annotations.into_iter().flatten();
    let annotations =
        annotations.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    let mut record = Record {
        wall_seconds: number(value, "wallSeconds").unwrap_or(0),
        signal: text(value, "signal").and_then(Signal::from_name),
        threshold: words("threshold"),
        threshold_grace_nanos: integer(value, "thresholdGraceNanos").unwrap_or(0),
        available: integer(value, "available"),
        capacity: integer(value, "capacity"),
        device: text(value, "device").and_then(device),
        namespace: words("namespace"),
        name: words("name"),
        uid: words("uid"),
        reason: words("reason"),
        message: words("message"),
        annotations: annotations.collect(),
        grace_seconds: integer(value, "graceSeconds").unwrap_or(0),
        outcome: text(value, "outcome")
            .and_then(Outcome::from_name)
            .unwrap_or_default(),
        method: words("method"),
        millis: number(value, "millis"),
    };
    record.cut();
    record
}

fn device(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn boot_id(value: &Value) -> String {
    let mut id = text(value, "bootId").unwrap_or_default().to_owned();
    cut(&mut id, boot::MOST);
    id
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

fn integer(value: &Value, key: &str) -> Option<i64> {
    value.get(key)?.as_i64()
}

fn mono(value: &Value, key: &str) -> Option<Mono> {
    number(value, key).map(Mono::from_nanos)
}

fn narrow(number: Option<u64>) -> Option<u32> {
    u32::try_from(number?).ok()
}

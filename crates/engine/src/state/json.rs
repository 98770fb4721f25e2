//! State to text and back.

use alloc::collections::BTreeMap;
use core::time::Duration;

use evictd_evict::FirstMet;
use evictd_gc::ImageRecords;
use evictd_node::{Condition, Layout, Mono};
use evictd_quantity::GoDuration;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::state::boot;
use crate::state::error::Error;
use crate::state::protected;
use crate::state::record::{HISTORY, Record, cut};
use crate::state::saved::{ConditionState, State};

/// The longest text that is looked at.
pub const MAX_BYTES: usize = 320 << 10;

/// What says that a file is ours.
const KIND: &str = "evictd-state";

/// The form of the text; one that an older evictd cannot read gets another.
const VERSION: u64 = 1;

/// How much of the text the history may be. The rest is bounded too, so that all
/// of it stays below [`MAX_BYTES`].
const MOST_HISTORY_BYTES: usize = 160 << 10;

/// More thresholds are never watched (`evictd_evict`).
const MOST_FIRST_MET: usize = 32;

/// The longest text of a threshold: a signal and an amount.
const MOST_THRESHOLD: usize = 256;

/// The file: its members in the order in which they are written.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct File {
    kind: String,
    version: u64,
    boot_id: String,
    saved_at: Option<u64>,
    wall_seconds: Option<u64>,
    interval_nanos: u64,
    daemon_pid: u32,
    layout: Option<String>,
    #[serde(deserialize_with = "each")]
    conditions: Vec<ConditionMember>,
    /// Ready for a scheduler (decision D35); never read back.
    #[serde(skip_deserializing)]
    taints: Vec<String>,
    #[serde(deserialize_with = "each")]
    first_met: Vec<FirstMetMember>,
    evictions: u64,
    #[serde(deserialize_with = "each")]
    history: Vec<Record>,
    images: Images,
    protected: BTreeMap<String, Value>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ConditionMember {
    r#type: String,
    held: bool,
    since: Option<u64>,
    last_observed: Option<u64>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FirstMetMember {
    threshold: String,
    grace_nanos: Option<i64>,
    at: Option<u64>,
}

/// As many as are kept are few enough for the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Images {
    looked_at: u64,
    times: BTreeMap<String, Value>,
}

/// The state as one line of JSON, which [`parse`] reads.
///
/// Of a history that is too long, the oldest records are left out.
#[must_use]
pub fn to_json(state: &State) -> String {
    let conditions = Condition::ALL.into_iter().zip(&state.conditions);
    let conditions = conditions.map(|(condition, state)| ConditionMember {
        r#type: condition.name().to_owned(),
        held: state.held,
        since: state.since,
        last_observed: state.last_observed.map(Mono::as_nanos),
    });
    let taints = state
        .held()
        .each()
        .map(|condition| condition.taint().to_string());
    let first_met = state.first_met.iter();
    let first_met = first_met.filter(|of| of.threshold.len() <= MOST_THRESHOLD);
    let first_met = first_met.take(MOST_FIRST_MET).map(|of| FirstMetMember {
        threshold: of.threshold.clone(),
        grace_nanos: Some(of.grace.nanos()),
        at: Some(of.at.as_nanos()),
    });
    let times = state.images.texts();
    let times = times.map(|(key, text)| (key, text.into()));
    let protected = protected::to_texts(&state.protected).into_iter();
    let protected = protected.map(|(cgroup, by)| (cgroup, by.into()));
    write(&File {
        kind: KIND.to_owned(),
        version: VERSION,
        boot_id: state.boot_id.clone(),
        saved_at: Some(state.saved_at.as_nanos()),
        wall_seconds: Some(state.wall_seconds),
        interval_nanos: u64::try_from(state.interval.as_nanos()).unwrap_or(u64::MAX),
        daemon_pid: state.daemon_pid,
        layout: state.layout.map(|layout| layout.to_string()),
        conditions: conditions.collect(),
        taints: taints.collect(),
        first_met: first_met.collect(),
        evictions: state.evictions,
        history: newest(&state.history).to_vec(),
        images: Images {
            looked_at: state.images.looked_at(),
            times: times.collect(),
        },
        protected: protected.collect(),
    })
}

/// Writing to a string fails only for keys that are no strings, and all of ours are.
fn write(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    debug_assert!(text.is_ok(), "{text:?}");
    text.unwrap_or_default()
}

/// As many of the newest as there is room for, oldest first.
fn newest(records: &[Record]) -> &[Record] {
    let mut room = MOST_HISTORY_BYTES;
    let fits = |record: &&Record| {
        let rest = room.checked_sub(write(record).len());
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    let newest = records.iter().rev().take_while(fits).count();
    let oldest = records.len().saturating_sub(newest);
    records.get(oldest..).unwrap_or_default()
}

/// Reads a state. Fields that it does not know are ignored, as are those that
/// are not of the type that they should be; a state of another program or of a
/// later version is refused.
///
/// # Errors
/// When the text is too long, is no JSON, is not evictd's, or does not say when
/// it was written.
pub fn parse(bytes: &[u8]) -> Result<State, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::new(format!("longer than {MAX_BYTES} bytes")));
    }
    let foreign = |what| Error::new(format!("no state of evictd: {what}"));
    let text = core::str::from_utf8(bytes).map_err(|_| foreign("it is no text"))?;
    let value = text.parse().map_err(|error: serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        Error::new(format!("no JSON at line {line} column {column}"))
    })?;
    let file: File = lenient(value);
    if file.kind != KIND {
        return Err(foreign("its kind is another"));
    }
    if file.version != VERSION {
        return Err(foreign("its version is another"));
    }
    let missing = "savedAt is missing";
    let saved_at = file.saved_at.ok_or_else(|| foreign(missing))?;
    let missing = "wallSeconds is missing";
    let wall_seconds = file.wall_seconds.ok_or_else(|| foreign(missing))?;
    let mut state = State {
        boot_id: file.boot_id,
        saved_at: Mono::from_nanos(saved_at),
        wall_seconds,
        interval: Duration::from_nanos(file.interval_nanos),
        daemon_pid: file.daemon_pid,
        layout: file.layout.as_deref().and_then(layout),
        conditions: conditions(&file.conditions),
        first_met: file.first_met.into_iter().filter_map(first_met).collect(),
        evictions: file.evictions,
        history: file.history,
        images: images(&file.images),
        protected: protected::from_texts(texts(&file.protected)),
    };
    cut(&mut state.boot_id, boot::MOST);
    state.first_met.truncate(MOST_FIRST_MET);
    let beyond = state.history.len().saturating_sub(HISTORY);
    state.history.drain(..beyond);
    state.history.iter_mut().for_each(Record::cut);
    Ok(state)
}

fn conditions(members: &[ConditionMember]) -> [ConditionState; Condition::ALL.len()] {
    let mut states = <[ConditionState; Condition::ALL.len()]>::default();
    for member in members {
        let condition = Condition::from_name(&member.r#type);
        if let Some(state) = condition.and_then(|c| states.get_mut(c.index())) {
            *state = ConditionState {
                held: member.held,
                since: member.since,
                last_observed: member.last_observed.map(Mono::from_nanos),
            };
        }
    }
    states
}

fn first_met(member: FirstMetMember) -> Option<FirstMet> {
    let first_met = FirstMet {
        threshold: member.threshold,
        grace: GoDuration::from_nanos(member.grace_nanos?),
        at: Mono::from_nanos(member.at?),
    };
    (1..=MOST_THRESHOLD)
        .contains(&first_met.threshold.len())
        .then_some(first_met)
}

/// An entry that is none costs itself; without the time of the last look, nobody
/// knows what the times say.
fn images(images: &Images) -> ImageRecords {
    ImageRecords::restore(images.looked_at, texts(&images.times))
}

fn texts(members: &BTreeMap<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    let members = members.iter();
    members.filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)))
}

fn layout(name: &str) -> Option<Layout> {
    let all = [
        Layout::OneFilesystem,
        Layout::DedicatedImagefs,
        Layout::SplitImagefs,
    ];
    all.into_iter().find(|layout| layout.to_string() == name)
}

/// What can be read of an object: a member that is not of the type that it should be
/// counts as left out.
fn lenient<T: DeserializeOwned + Default>(value: Value) -> T {
    let Value::Object(mut members) = value else {
        return T::default();
    };
    members.retain(|name, value| {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        T::deserialize(Value::Object(alone)).is_ok()
    });
    T::deserialize(Value::Object(members)).unwrap_or_default()
}

/// A list of which each element is read as far as it can be.
fn each<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let all = Vec::<Value>::deserialize(from)?;
    Ok(all.into_iter().map(lenient).collect())
}

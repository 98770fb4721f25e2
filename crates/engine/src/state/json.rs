//! State to text.

use evictd_evict::FirstMet;
use evictd_gc::ImageRecords;
use evictd_node::{Condition, Signal};
use serde::{Serialize, Serializer};

use crate::state::parse::{MOST_FIRST_MET, MOST_THRESHOLD};
use crate::state::{ConditionState, Outcome, Record, State};

/// What says that a file is ours.
pub(crate) const KIND: &str = "evictd-state";

/// The form of the text; one that an older evictd cannot read gets another.
pub(crate) const VERSION: u64 = 1;

/// How much of the text the history may be. The rest is bounded too, so that all
/// of it stays below [`MAX_BYTES`](crate::state::MAX_BYTES).
const MOST_HISTORY_BYTES: usize = 160 << 10;

/// The file: its members in the order in which they are written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    kind: &'static str,
    version: u64,
    boot_id: &'a str,
    saved_at: u64,
    wall_seconds: u64,
    interval_nanos: u64,
    daemon_pid: u32,
    layout: Option<String>,
    conditions: Vec<ConditionMember>,
    /// Ready for a scheduler (decision D35); never read back.
    taints: Vec<String>,
    first_met: Vec<FirstMetMember<'a>>,
    evictions: u64,
    history: &'a [Record],
    images: Images<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConditionMember {
    r#type: &'static str,
    held: bool,
    since: Option<u64>,
    last_observed: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FirstMetMember<'a> {
    threshold: &'a str,
    grace_nanos: i64,
    at: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Images<'a> {
    looked_at: u64,
    /// As many as are kept are few enough for the file.
    #[serde(serialize_with = "image_times")]
    times: &'a ImageRecords,
}

/// The state as one line of JSON, which [`parse`](crate::state::parse) reads.
///
/// Of a history that is too long, the oldest records are left out.
#[must_use]
pub fn to_json(state: &State) -> String {
    let conditions = Condition::ALL.into_iter().zip(&state.conditions);
    let first_met = state.first_met.iter();
    let first_met = first_met.filter(|of| of.threshold.len() <= MOST_THRESHOLD);
    write(&File {
        kind: KIND,
        version: VERSION,
        boot_id: &state.boot_id,
        saved_at: state.saved_at.as_nanos(),
        wall_seconds: state.wall_seconds,
        interval_nanos: u64::try_from(state.interval.as_nanos()).unwrap_or(u64::MAX),
        daemon_pid: state.daemon_pid,
        layout: state.layout.as_ref().map(ToString::to_string),
        conditions: conditions.map(condition).collect(),
        taints: state
            .held()
            .each()
            .map(|condition| condition.taint().to_string())
            .collect(),
        first_met: first_met
            .take(MOST_FIRST_MET)
            .map(FirstMetMember::from)
            .collect(),
        evictions: state.evictions,
        history: newest(&state.history),
        images: Images {
            looked_at: state.images.looked_at(),
            times: &state.images,
        },
    })
}

/// Writing to a string fails only for keys that are no strings, and all of ours are.
fn write(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    debug_assert!(text.is_ok(), "{text:?}");
    text.unwrap_or_default()
}

fn condition((condition, state): (Condition, &ConditionState)) -> ConditionMember {
    ConditionMember {
        r#type: condition.name(),
        held: state.held,
        since: state.since,
        last_observed: state.last_observed.map(|at| at.as_nanos()),
    }
}

impl<'a> From<&'a FirstMet> for FirstMetMember<'a> {
    fn from(of: &'a FirstMet) -> Self {
        Self {
            threshold: &of.threshold,
            grace_nanos: of.grace.nanos(),
            at: of.at.as_nanos(),
        }
    }
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

fn image_times<S: Serializer>(images: &ImageRecords, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(images.texts())
}

pub(crate) fn signal<S: Serializer>(
    signal: &Option<Signal>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    signal.map(Signal::name).serialize(serializer)
}

/// `254:1`
pub(crate) fn device<S: Serializer>(
    device: &Option<(u32, u32)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    device
        .map(|(major, minor)| format!("{major}:{minor}"))
        .serialize(serializer)
}

pub(crate) fn annotations<S: Serializer>(
    annotations: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(annotations.iter().map(|(key, value)| (key, value)))
}

/// Two members of a [`Record`]: what came of the eviction, and the pod's phase by it.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("outcome", Some(self.name())), ("phase", self.phase())])
    }
}

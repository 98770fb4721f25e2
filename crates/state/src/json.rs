//! State to text and back.

use alloc::collections::BTreeMap;

use evictd_evict::FirstMet;
use evictd_gc::ImageRecords;
use evictd_node::{Condition, Layout, Mono};
use evictd_quantity::GoDuration;
use serde::Serialize;

use crate::damaged;
use crate::error::Error;
use crate::object::Object;
use crate::protected;
use crate::record::{HISTORY, Record, cut};
use crate::relief::{RELIEFS, Relief};
use crate::saved::{ConditionState, MOST_BOOT_ID, State};

/// The longest text that [`to_json`] makes.
pub const MAX_BYTES: usize = 352 << 10;

/// What says that a file is ours.
const KIND: &str = "evictd-state";

/// The form of the text; one that an older evictd cannot read gets another.
const VERSION: u64 = 1;

/// How much of the text the history may be. The rest is bounded too, so that all
/// of it stays below [`MAX_BYTES`].
const MOST_HISTORY_BYTES: usize = 160 << 10;

/// How much of the text what was given back of disks may be.
const MOST_RELIEFS_BYTES: usize = 24 << 10;

/// More evictions are not decided while the state cannot be written.
const MOST_BEGUN: usize = 4 * HISTORY;

/// More thresholds are never watched (`evictd_evict`).
const MOST_FIRST_MET: usize = 32;

/// The longest text of a threshold: a signal and an amount.
const MOST_THRESHOLD: usize = 256;

/// The file: its members in the order in which they are written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    kind: &'a str,
    version: u64,
    boot_id: &'a str,
    saved_at: u64,
    wall_seconds: u64,
    daemon_pid: u32,
    dry_run: bool,
    layout: Option<&'a str>,
    conditions: Vec<ConditionMember<'a>>,
    /// Ready for a scheduler (decision D35); never read back.
    taints: Vec<String>,
    first_met: Vec<FirstMetMember<'a>>,
    // What decides stands before what is only told: where the file is damaged, what stands
    // behind that may be lost.
    protected: BTreeMap<String, String>,
    images: Images,
    evictions: u64,
    history: &'a [Record],
    reliefs: &'a [Relief],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConditionMember<'a> {
    r#type: &'a str,
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

/// As many as are kept are few enough for the file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Images {
    looked_at: u64,
    times: BTreeMap<String, String>,
}

/// The state as one line of JSON, which [`parse`] reads.
///
/// Of a history that is too long, the oldest records are left out.
#[must_use]
pub fn to_json(state: &State) -> String {
    let conditions = Condition::ALL.into_iter().zip(&state.conditions);
    let conditions = conditions.map(|(condition, state)| ConditionMember {
        r#type: condition.name(),
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
        threshold: &of.threshold,
        grace_nanos: of.grace.nanos(),
        at: of.at.as_nanos(),
    });
    let protected = protected::to_texts(&state.protected);
    write(&File {
        kind: KIND,
        version: VERSION,
        boot_id: &state.boot_id,
        saved_at: state.saved_at.as_nanos(),
        wall_seconds: state.wall_seconds,
        daemon_pid: state.daemon_pid,
        dry_run: state.dry_run,
        layout: state.layout.map(Layout::name),
        conditions: conditions.collect(),
        taints: taints.collect(),
        first_met: first_met.collect(),
        protected,
        images: Images {
            looked_at: state.images.looked_at(),
            times: state.images.texts().collect(),
        },
        evictions: state.evictions,
        history: newest(&state.history, MOST_HISTORY_BYTES),
        reliefs: newest(&state.reliefs, MOST_RELIEFS_BYTES),
    })
}

/// Writing to a string fails only for keys that are no strings, and all of ours are.
fn write(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    debug_assert!(text.is_ok(), "{text:?}");
    text.unwrap_or_default()
}

/// As many of the newest as the text may hold, oldest first.
fn newest<Kept: Serialize>(records: &[Kept], most: usize) -> &[Kept] {
    let mut left = most;
    let fits = |record: &&Kept| {
        let rest = left.checked_sub(write(record).len());
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let newest = records.iter().rev().take_while(fits).count();
    let oldest = records.len().saturating_sub(newest);
    records.get(oldest..).unwrap_or_default()
}

/// Reads a state. Fields that it does not know are ignored; one that cannot be read, or is
/// not of the type that it should be, costs itself. A state of another program or of a later
/// version is refused.
///
/// # Errors
/// When the text is not evictd's, or its beginning cannot be read.
pub fn parse(bytes: &[u8]) -> Result<State, Error> {
    parse_damaged(bytes).map(|(state, _)| state)
}

/// Reads a state, and says what is wrong with the text.
pub(crate) fn parse_damaged(bytes: &[u8]) -> Result<(State, Option<String>), Error> {
    let read = damaged::read(bytes);
    let fault = read.fault();
    let foreign = |what: &str| {
        let what = fault.as_deref().unwrap_or(what);
        Error::new(format!("no state of evictd: {what}"))
    };
    let file = Object(&read.value);
    if file.text("kind") != Some(KIND) {
        return Err(foreign("its kind is another"));
    }
    if file.number("version") != Some(VERSION) {
        return Err(foreign("its version is another"));
    }
    let daemon_pid = file.number("daemonPid").map(u32::try_from);
    let first_met = file.each("firstMet").filter_map(first_met);
    let mut history: Vec<Record> = file.each("history").map(Record::read).collect();
    history.drain(..history.len().saturating_sub(HISTORY));
    let mut reliefs: Vec<Relief> = file.each("reliefs").map(Relief::read).collect();
    reliefs.drain(..reliefs.len().saturating_sub(RELIEFS));
    let mut state = State {
        boot_id: file.text("bootId").unwrap_or_default().to_owned(),
        // A time that is unknown is one long ago: what depends on it has passed.
        saved_at: Mono::from_nanos(file.number("savedAt").unwrap_or(0)),
        wall_seconds: file.number("wallSeconds").unwrap_or(0),
        daemon_pid: daemon_pid.and_then(Result::ok).unwrap_or(0),
        dry_run: file.flag("dryRun").unwrap_or(false),
        layout: file.text("layout").and_then(Layout::from_name),
        conditions: conditions(file.each("conditions")),
        first_met: first_met.take(MOST_FIRST_MET).collect(),
        evictions: file.number("evictions").unwrap_or(0),
        history,
        reliefs,
        images: images(file).unwrap_or_default(),
        protected: protected::from_texts(file.texts("protected")),
    };
    cut(&mut state.boot_id, MOST_BOOT_ID);
    Ok((state, fault))
}

/// The records of `begun.jsonl`, oldest first; a line that is none, or that a power failure
/// tore, is left out, as are the oldest beyond 200.
#[must_use]
pub fn parse_begun(text: &[u8]) -> Vec<Record> {
    // From the end: the newest count.
    let lines = text.rsplit(|byte| *byte == b'\n');
    let whole = lines.map(damaged::read).filter(|read| !read.is_torn);
    let objects = whole.filter(|read| read.value.is_object());
    let records = objects.map(|read| Record::read(Object(&read.value)));
    let mut records: Vec<Record> = records.take(MOST_BEGUN).collect();
    records.reverse();
    records
}

fn conditions<'a>(
    members: impl Iterator<Item = Object<'a>>,
) -> [ConditionState; Condition::ALL.len()] {
    let mut states = <[ConditionState; Condition::ALL.len()]>::default();
    for member in members {
        let condition = member.text("type").and_then(Condition::from_name);
        if let Some(state) = condition.and_then(|c| states.get_mut(c.index())) {
            *state = ConditionState {
                held: member.flag("held").unwrap_or(false),
                since: member.number("since"),
                last_observed: member.number("lastObserved").map(Mono::from_nanos),
            };
        }
    }
    states
}

fn first_met(member: Object<'_>) -> Option<FirstMet> {
    let threshold = member.text("threshold")?;
    let is_one = (1..=MOST_THRESHOLD).contains(&threshold.len());
    is_one.then_some(FirstMet {
        threshold: threshold.to_owned(),
        grace: GoDuration::from_nanos(member.signed("graceNanos")?),
        at: Mono::from_nanos(member.number("at")?),
    })
}

/// An entry that is none costs itself; without the time of the last look, nobody
/// knows what the times say.
fn images(file: Object<'_>) -> Option<ImageRecords> {
    let images = Object(file.0.get("images")?);
    Some(ImageRecords::restore(
        images.number("lookedAt")?,
        images.texts("times"),
    ))
}

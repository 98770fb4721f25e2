//! State to text.

use evictd_gc::ImageRecords;
use evictd_jsontext::Json;
use evictd_node::Condition;

use crate::state::parse::{MOST_FIRST_MET, MOST_THRESHOLD};
use crate::state::{Record, State};

/// What says that a file is ours.
pub(crate) const KIND: &str = "evictd-state";

/// The form of the text; one that an older evictd cannot read gets another.
pub(crate) const VERSION: u64 = 1;

/// How much of the text the history may be. The rest is bounded too, so that all
/// of it stays below [`MAX_BYTES`](crate::state::MAX_BYTES).
const MOST_HISTORY_BYTES: usize = 160 << 10;

/// The state as one line of JSON, which [`parse`](crate::state::parse) reads.
///
/// Of a history that is too long, the oldest records are left out.
#[must_use]
pub fn to_json(state: &State) -> String {
    let mut json = Json::new();
    let interval = u64::try_from(state.interval.as_nanos()).unwrap_or(u64::MAX);
    json.text("kind", KIND);
    json.uint("version", VERSION);
    json.text("bootId", &state.boot_id);
    json.uint("savedAt", state.saved_at.as_nanos());
    json.uint("wallSeconds", state.wall_seconds);
    json.uint("intervalNanos", interval);
    json.uint("daemonPid", state.daemon_pid.into());
    match &state.layout {
        Some(layout) => json.show("layout", layout),
        None => json.null("layout"),
    }
    add_conditions(&mut json, state);
    add_first_met(&mut json, state);
    json.uint("evictions", state.evictions);
    add_history(&mut json, &state.history);
    add_images(&mut json, &state.images);
    json.into_text()
}

fn add_conditions(json: &mut Json, state: &State) {
    json.array("conditions");
    for (condition, state) in Condition::ALL.into_iter().zip(&state.conditions) {
        json.item_object();
        json.text("type", condition.name());
        json.bool("held", state.held);
        json.opt_uint("since", state.since);
        json.opt_uint("lastObserved", state.last_observed.map(|at| at.as_nanos()));
        json.end_object();
    }
    json.end_array();
    // Ready for a scheduler (decision D35); never read back.
    json.array("taints");
    for condition in state.held().each() {
        json.item(&condition.taint());
    }
    json.end_array();
}

fn add_first_met(json: &mut Json, state: &State) {
    let first_met = state.first_met.iter();
    let first_met = first_met.filter(|of| of.threshold.len() <= MOST_THRESHOLD);
    json.array("firstMet");
    for of in first_met.take(MOST_FIRST_MET) {
        json.item_object();
        json.text("threshold", &of.threshold);
        json.int("graceNanos", of.grace.nanos());
        json.uint("at", of.at.as_nanos());
        json.end_object();
    }
    json.end_array();
}

/// As many of the newest as there is room for, oldest first.
fn add_history(json: &mut Json, records: &[Record]) {
    let mut room = MOST_HISTORY_BYTES;
    let fits = |record: &&Record| {
        let mut alone = Json::new();
        record.add_to(&mut alone);
        let rest = room.checked_sub(alone.into_text().len());
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    let newest = records.iter().rev().take_while(fits).count();
    json.array("history");
    for record in records.iter().skip(records.len().saturating_sub(newest)) {
        json.item_object();
        record.add_to(json);
        json.end_object();
    }
    json.end_array();
}

/// As many as are kept are few enough for the file.
fn add_images(json: &mut Json, images: &ImageRecords) {
    json.object("images");
    json.uint("lookedAt", images.looked_at());
    json.object("times");
    for entry in images.entries() {
        json.show(&entry.key.to_string(), &entry);
    }
    json.end_object();
    json.end_object();
}

impl Record {
    /// Adds the record's members to an object, as scripts read them and as the
    /// state file keeps them.
    pub fn add_to(&self, json: &mut Json) {
        json.uint("wallSeconds", self.wall_seconds);
        json.opt_text("signal", self.signal.map(|signal| signal.name()));
        json.text("threshold", &self.threshold);
        json.int("thresholdGraceNanos", self.threshold_grace_nanos);
        json.opt_int("available", self.available);
        json.opt_int("capacity", self.capacity);
        match self.device {
            Some((major, minor)) => json.show("device", &format_args!("{major}:{minor}")),
            None => json.null("device"),
        }
        json.text("namespace", &self.namespace);
        json.text("name", &self.name);
        json.text("uid", &self.uid);
        json.text("reason", &self.reason);
        json.text("message", &self.message);
        json.object("annotations");
        for (key, value) in &self.annotations {
            json.text(key, value);
        }
        json.end_object();
        json.int("graceSeconds", self.grace_seconds);
        json.text("outcome", self.outcome.name());
        json.opt_text("phase", self.phase());
        json.text("method", &self.method);
        json.opt_uint("millis", self.millis);
    }
}

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_node::pod::usage::PodUsage;
use evictd_node::{Layout, Mono, Reading, Readings, Signal};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::LineError;
use crate::without_nothing::without_nothing;

/// No machine runs for longer: a moment beyond it would be later than all others.
const MOST_NANOS: u64 = 1 << 63;

/// What was seen in one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// When, by a clock that only goes forward.
    pub at: Mono,
    /// That moment for people, in RFC 3339.
    pub time: String,
    /// How the filesystems lie, if that is known.
    pub layout: Option<Layout>,
    /// What each signal was that could be measured.
    pub readings: Readings,
    /// The pods that were there.
    pub pods: Vec<SeenPod>,
}

/// What a pod used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenPod {
    /// Which.
    pub uid: String,
    /// What it used; `None` where that could not be read.
    pub usage: Option<PodUsage>,
}

impl Seen {
    pub(crate) fn read(value: &Value) -> Result<Self, LineError> {
        let at = number(value, "atNanos").filter(|at| *at < MOST_NANOS);
        let at = at.ok_or_else(|| LineError::new("no seen.atNanos"))?;
        let layout = value.get("layout").and_then(Value::as_str);
        let pods = value.get("pods").and_then(Value::as_array);
        let pods = pods.into_iter().flatten().map(SeenPod::read);
        let mut readings = Readings::default();
        for (name, reading) in value
            .get("signals")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            // One that is none costs itself: it was not measured.
            let amount = |name| reading.get(name).and_then(Value::as_i64);
            let amounts = amount("available").zip(amount("capacity"));
            if let Some((signal, (available, capacity))) = Signal::from_name(name).zip(amounts) {
                let sampled = number(reading, "atNanos").map(Mono::from_nanos);
                readings.set(
                    signal,
                    Some(Reading {
                        available,
                        capacity,
                        sampled,
                    }),
                );
            }
        }
        Ok(Self {
            at: Mono::from_nanos(at),
            time: text(value, "time"),
            layout: layout.and_then(Layout::from_name),
            readings,
            pods: pods.collect(),
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut signals = Map::new();
        for signal in Signal::ALL {
            let Some(reading) = self.readings.get(signal) else {
                continue;
            };
            let value = json!({
                "available": reading.available,
                "capacity": reading.capacity,
                "atNanos": reading.sampled.map(Mono::as_nanos),
            });
            signals.insert(signal.name().to_string(), without_nothing(value));
        }
        let pods: Value = self.pods.iter().map(SeenPod::to_json).collect();
        json!({
            "atNanos": self.at.as_nanos(),
            "time": self.time,
            "layout": self.layout.map(Layout::name),
            "signals": signals,
            "pods": pods,
        })
    }
}

impl SeenPod {
    /// A pod whose usage is none is there, and uses what is unknown.
    fn read(value: &Value) -> Self {
        let usage = match value.get("unread") {
            Some(_) => None,
            None => PodUsage::deserialize(value).ok(),
        };
        let uid = text(value, "uid");
        Self { uid, usage }
    }

    fn to_json(&self) -> Value {
        without_nothing(json!(WrittenPod {
            uid: &self.uid,
            unread: self.usage.is_none(),
            usage: self.usage.as_ref(),
        }))
    }
}

#[derive(Serialize)]
struct WrittenPod<'a> {
    uid: &'a str,
    unread: bool,
    #[serde(flatten)]
    usage: Option<&'a PodUsage>,
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64()
}

fn text(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_string()
}

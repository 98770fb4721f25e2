use evictd_config::{Origin, Resolved};
use evictd_engine::amount::Amount;
use evictd_node::Signal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::engine::Engine;

/// What the running daemon knows: as its socket tells it, and `status` shows it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct View {
    /// The settings that are not the defaults, as one would write them.
    pub(crate) flags: Vec<String>,
    /// The thresholds that it watches.
    pub(crate) thresholds: Vec<String>,
    /// The conditions that it holds.
    pub(crate) conditions: Vec<String>,
    /// What it measured last: by signal, what is `available` of which `capacity`.
    pub(crate) readings: Map<String, Value>,
}

impl View {
    /// What does not change: the settings.
    pub(super) fn of_settings(settings: &Resolved) -> Self {
        let is_given = |origin| !matches!(origin, Origin::Default | Origin::Compat);
        let given = settings.settings.iter().filter(|of| is_given(of.origin));
        Self {
            flags: given
                .map(|of| format!("--{}={}", of.name, of.value))
                .collect(),
            ..Self::default()
        }
    }

    /// With what the engine knows now, as JSON.
    pub(super) fn in_json(&self, engine: &Engine) -> String {
        let readings = engine.readings();
        let seen = |signal: Signal| {
            let reading = readings.get(signal)?;
            let seen = json!({"available": reading.available, "capacity": reading.capacity});
            Some((signal.name().to_owned(), seen))
        };
        let thresholds = engine.evict.thresholds().iter();
        let conditions = engine.evict.conditions();
        let view = Self {
            flags: self.flags.clone(),
            thresholds: thresholds.map(ToString::to_string).collect(),
            conditions: conditions.each().map(|of| of.name().to_owned()).collect(),
            readings: Signal::ALL.into_iter().filter_map(seen).collect(),
        };
        serde_json::to_string(&view).unwrap_or_default() + "\n"
    }

    /// `memory.available 83Mi of 512Mi`, one after the other.
    pub(crate) fn readings_in_text(&self) -> String {
        let shown = self.readings.iter().filter_map(|(name, seen)| {
            let amount = |of| {
                let value = seen.get(of)?.as_i64()?;
                Some(match Signal::from_name(name) {
                    Some(signal) => Amount::of(signal, value).to_string(),
                    None => value.to_string(),
                })
            };
            let (available, capacity) = (amount("available")?, amount("capacity")?);
            Some(format!("{name} {available} of {capacity}"))
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

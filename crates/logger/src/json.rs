use evictd_node::Utc;
use log::kv::{Error, Key, Value, VisitSource};
use log::{Level, Record};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};

/// The name of a line that tells of no event.
const NO_EVENT: &str = "log";

/// The version of the form of records (docs/metrics.md): a new one where a field changes its
/// meaning or is no longer there.
const SCHEMA: u32 = 1;

/// Where a record comes from.
pub(crate) struct About {
    /// How many records this daemon has told, this one included.
    pub(crate) sequence: u64,
    pub(crate) node: String,
    pub(crate) boot_id: String,
}

/// A log line as an object: `time`, `level`, `event` and `message`, then what else the
/// record has, in its order. An event's begins with where it comes from.
pub(crate) struct Line<'a> {
    pub(crate) when: Utc,
    pub(crate) about: Option<&'a About>,
    pub(crate) record: &'a Record<'a>,
}

/// What a record says of the event that it tells of, as it is called.
pub(crate) fn event_of<'a>(record: &'a Record<'_>) -> Option<Value<'a>> {
    record.key_values().get(Key::from_str("event"))
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.record;
        let fields = record.key_values();
        let event = event_of(record);
        let event = event.as_ref().and_then(Value::to_borrowed_str);
        let mut line = serializer.serialize_map(None)?;
        if let Some(about) = self.about {
            line.serialize_entry("schema", &SCHEMA)?;
            line.serialize_entry("sequence", &about.sequence)?;
            line.serialize_entry("node", &about.node)?;
            line.serialize_entry("bootId", &about.boot_id)?;
        }
        line.serialize_entry("time", &format_args!("{}", self.when))?;
        line.serialize_entry("level", level_name(record.level()))?;
        line.serialize_entry("event", event.unwrap_or(NO_EVENT))?;
        line.serialize_entry("message", record.args())?;
        fields
            .visit(&mut Rest(&mut line))
            .map_err(S::Error::custom)?;
        line.end()
    }
}

const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warn",
        Level::Info => "info",
        Level::Debug => "debug",
        Level::Trace => "trace",
    }
}

/// Adds the fields that do not stand at the front.
struct Rest<'a, M>(&'a mut M);

impl<'kvs, M: SerializeMap> VisitSource<'kvs> for Rest<'_, M> {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), Error> {
        let name = key.as_str();
        if name == "event" {
            return Ok(());
        }
        let added = if let Some(flag) = value.to_bool() {
            self.0.serialize_entry(name, &flag)
        } else if let Some(number) = value.to_i64() {
            self.0.serialize_entry(name, &number)
        } else {
            let text = value.to_borrowed_str();
            debug_assert!(text.is_some(), "{name} is no text, number or flag");
            self.0.serialize_entry(name, text.unwrap_or_default())
        };
        added.map_err(|_| Error::msg("a field cannot be written"))
    }
}

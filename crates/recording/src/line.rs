use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use evictd_node::pod::Pod;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::LineError;
use crate::pod;
use crate::seen::Seen;

/// The longest line that is read: a thousand pods of twenty containers have a fifth of it.
pub const MAX_LINE_BYTES: usize = 8 << 20;

/// The form that lines have; a number greater than that is refused.
const FORM: u64 = 1;

/// One line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Line {
    /// The first one.
    Begun(Begun),
    /// A pod, before the first moment in which it is seen, and again when what is known of
    /// it has changed.
    Pod(Box<Pod>),
    /// A moment.
    Seen(Box<Seen>),
    /// What was decided of the moment before it, when that was recorded.
    Decided(String),
}

/// What a recording was made with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Begun {
    /// The node's name.
    pub node: String,
    /// The version of the program.
    #[serde(rename = "evictd")]
    pub version: String,
    /// The flags in force, one each, as they are typed: `--eviction-hard=...`.
    pub flags: Vec<String>,
}

impl Line {
    /// Reads a line. Fields that are not known are passed over; of a moment, so are signals
    /// and pods' usage that cannot be read.
    ///
    /// # Errors
    /// What is wrong with it, in words that name the field.
    pub fn parse(bytes: &[u8]) -> Result<Self, LineError> {
        if bytes.len() > MAX_LINE_BYTES {
            return Err(LineError(
                format_args!("more than {MAX_LINE_BYTES} bytes").to_string(),
            ));
        }
        let value: Value = serde_json::from_slice(bytes)?;
        if let Some(begun) = value.get("recording") {
            return Begun::read(begun).map(Self::Begun);
        }
        if let Some(pod) = value.get("pod") {
            let pod = Pod::from_json(pod).map_err(|error| LineError(error.to_string()))?;
            return Ok(Self::Pod(Box::new(pod)));
        }
        if let Some(seen) = value.get("seen") {
            return Seen::read(seen).map(|seen| Self::Seen(Box::new(seen)));
        }
        let decided = value.get("decided").and_then(Value::as_str);
        decided
            .map(|text| Self::Decided(text.to_string()))
            .ok_or_else(|| {
                LineError::new("no line of a recording: recording, pod, seen or decided")
            })
    }
}

impl fmt::Display for Line {
    /// As JSON, without the end of the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self {
            Self::Begun(begun) => json!({ "recording": begun.to_json() }),
            Self::Pod(pod) => json!({ "pod": pod::to_json(pod) }),
            Self::Seen(seen) => json!({ "seen": seen.to_json() }),
            Self::Decided(text) => json!({ "decided": text }),
        };
        value.fmt(f)
    }
}

impl Begun {
    fn read(value: &Value) -> Result<Self, LineError> {
        let form = value.get("form").and_then(Value::as_u64);
        if form.is_none_or(|form| form > FORM) {
            let problem = format_args!("recording.form should be {FORM}: made by a newer evictd");
            return Err(LineError(problem.to_string()));
        }
        Ok(Self::deserialize(value)?)
    }

    fn to_json(&self) -> Value {
        json!({ "form": FORM, "node": self.node, "evictd": self.version, "flags": self.flags })
    }
}

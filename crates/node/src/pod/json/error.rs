use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use serde_json::Value;

/// Why JSON is no pod, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    /// The path of the field, such as `.spec.containers[0].name`; empty for the
    /// value as a whole.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Boxed, as every result has room for an error.
pub(super) type Result<T> = core::result::Result<T, Box<JsonError>>;

impl JsonError {
    /// For the field of that path.
    #[must_use]
    pub fn new(path: &str, problem: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            path: path.to_string(),
            problem: problem.into(),
        })
    }

    pub(super) fn wrong_type(value: &Value, expected: &str) -> Box<Self> {
        let found = match value {
            Value::Null => "null".to_string(),
            Value::Bool(value) => format!("boolean `{value}`"),
            Value::Number(value) if value.is_f64() => format!("floating point `{value}`"),
            Value::Number(value) => format!("integer `{value}`"),
            Value::String(text) => format!("string {text:?}"),
            Value::Array(_) => "sequence".to_string(),
            Value::Object(_) => "map".to_string(),
        };
        Self::new("", format!("invalid type: {found}, expected {expected}"))
    }

    /// This error, seen from a value in which `step` leads to it.
    #[must_use]
    pub fn below(mut self: Box<Self>, step: &str) -> Box<Self> {
        self.path.insert_str(0, step);
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

impl core::error::Error for JsonError {}

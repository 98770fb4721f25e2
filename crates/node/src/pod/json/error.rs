use alloc::string::{String, ToString};
use core::fmt;

use serde_json::Value;

/// Why JSON is no pod, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    /// The path of the field, such as `.spec.containers[0].name`; empty for the
    /// pod as a whole.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

pub(super) type Result<T> = core::result::Result<T, JsonError>;

impl JsonError {
    pub(super) fn new(problem: fmt::Arguments<'_>) -> Self {
        Self {
            path: String::new(),
            problem: problem.to_string(),
        }
    }

    pub(super) fn wrong_type(value: &Value, expected: &str) -> Self {
        Self::new(format_args!(
            "invalid type: {}, expected {expected}",
            Found(value)
        ))
    }

    /// For a value that is no integer of type `expected`.
    pub(super) fn no_integer(value: &Value, expected: &str) -> Self {
        if value.is_i64() || value.is_u64() {
            let found = Found(value);
            Self::new(format_args!("invalid value: {found}, expected {expected}"))
        } else {
            Self::wrong_type(value, expected)
        }
    }

    /// The same error, seen from a value in which `step` leads to it.
    pub(super) fn below(mut self, step: fmt::Arguments<'_>) -> Self {
        self.path.insert_str(0, &step.to_string());
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

/// What was found, in serde's words.
struct Found<'a>(&'a Value);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "boolean `{value}`"),
            Value::Number(value) if value.is_f64() => write!(f, "floating point `{value}`"),
            Value::Number(value) => write!(f, "integer `{value}`"),
            Value::String(text) => write!(f, "string {text:?}"),
            Value::Array(_) => f.write_str("sequence"),
            Value::Object(_) => f.write_str("map"),
        }
    }
}

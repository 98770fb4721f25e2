//! Evictions that were decided since the state was last written. The state is written to the
//! disk's end, which takes a worn card seconds; a line here survives the end of the process
//! as soon as the kernel has it.

use alloc::vec::Vec;

use serde_json::Value;

use crate::object::Object;
use crate::record::Record;

/// The records of `begun.jsonl`, oldest first; a line that is none, or that a power failure tore, is left out.
#[must_use]
pub fn parse(text: &[u8]) -> Vec<Record> {
    let lines = text.split(|byte| *byte == b'\n');
    let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let objects = values.filter(Value::is_object);
    objects.map(|value| Record::read(Object(&value))).collect()
}

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use saphyr_parser::{Event, ScalarStyle, Tag};
use serde_json::{Map, Value};

use crate::yaml::ErrorKind;
use crate::yaml::limits::{Budget, check_depth};

use super::scalar::resolve;

/// Builds values from the parser's events.
pub(crate) struct Builder {
    /// The lists and mappings that are open, the outermost first.
    open: Vec<Open>,
    /// The values with an anchor, by its number.
    anchors: BTreeMap<usize, Value>,
    budget: Budget,
    documents: Vec<Value>,
}

/// A list or mapping whose end is yet to come.
struct Open {
    /// The number of its anchor; 0 for none.
    anchor: usize,
    part: Part,
}

enum Part {
    List(Vec<Value>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    entries: Map<String, Value>,
    /// The key whose value is to come.
    key: Option<Key>,
    /// What `<<` brings in, in order.
    merged: Vec<Map<String, Value>>,
}

enum Key {
    Text(String),
    Merge,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            open: Vec::new(),
            anchors: BTreeMap::new(),
            budget: Budget::new(),
            documents: Vec::new(),
        }
    }

    /// The documents that were built.
    pub(crate) fn finish(self) -> Vec<Value> {
        self.documents
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self, event: Event<'_>) -> Result<(), ErrorKind> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
            Event::DocumentEnd => self.anchors.clear(),
            Event::Alias(anchor) => self.take_alias(anchor)?,
            Event::Scalar(text, style, anchor, tag) => {
                self.take_scalar(&text, style, anchor, tag.as_deref())?;
            }
            Event::SequenceStart(anchor, _) => self.start(anchor, Part::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => {
                self.start(anchor, Part::Mapping(Mapping::default()))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end()?,
        }
        Ok(())
    }

    fn take_alias(&mut self, anchor: usize) -> Result<(), ErrorKind> {
        let value = self.anchors.get(&anchor);
        let value = value.ok_or(ErrorKind::AliasWithin)?;
        self.budget.take_copy(value, self.open.len())?;
        let value = value.clone();
        self.put(value)
    }

    fn take_scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), ErrorKind> {
        self.budget.take()?;
        if text == "<<"
            && style == ScalarStyle::Plain
            && tag.is_none()
            && let Some(key) = self.awaited_key()
        {
            *key = Some(Key::Merge);
            return Ok(());
        }
        let value = resolve(text, style, tag)?;
        self.keep(anchor, &value)?;
        self.put(value)
    }

    fn start(&mut self, anchor: usize, part: Part) -> Result<(), ErrorKind> {
        if self.awaited_key().is_some() {
            return Err(ErrorKind::BadKey);
        }
        self.budget.take()?;
        self.open.push(Open { anchor, part });
        check_depth(self.open.len())
    }

    fn end(&mut self) -> Result<(), ErrorKind> {
        let Some(Open { anchor, part }) = self.open.pop() else {
            return Ok(());
        };
        let value = match part {
            Part::List(items) => Value::Array(items),
            Part::Mapping(mapping) => Value::Object(mapping.finish()),
        };
        self.keep(anchor, &value)?;
        self.put(value)
    }

    /// Keeps a value for the aliases of its anchor. The copy counts.
    fn keep(&mut self, anchor: usize, value: &Value) -> Result<(), ErrorKind> {
        if anchor != 0 {
            self.budget.take_copy(value, self.open.len())?;
            self.anchors.insert(anchor, value.clone());
        }
        Ok(())
    }

    /// The place of the key, where the innermost is a mapping that waits for one.
    fn awaited_key(&mut self) -> Option<&mut Option<Key>> {
        match &mut self.open.last_mut()?.part {
            Part::Mapping(mapping) if mapping.key.is_none() => Some(&mut mapping.key),
            Part::Mapping(_) | Part::List(_) => None,
        }
    }

    /// Puts a whole value where it belongs.
    fn put(&mut self, value: Value) -> Result<(), ErrorKind> {
        match self.open.last_mut().map(|open| &mut open.part) {
            None => self.documents.push(value),
            Some(Part::List(items)) => items.push(value),
            Some(Part::Mapping(mapping)) => mapping.put(value)?,
        }
        Ok(())
    }
}

impl Mapping {
    fn put(&mut self, value: Value) -> Result<(), ErrorKind> {
        match self.key.take() {
            None => {
                let key = key_text(value)?;
                if self.entries.contains_key(&key) {
                    return Err(ErrorKind::DuplicateKey(key));
                }
                self.key = Some(Key::Text(key));
            }
            Some(Key::Text(key)) => {
                self.entries.insert(key, value);
            }
            Some(Key::Merge) => self.merge(value)?,
        }
        Ok(())
    }

    fn merge(&mut self, value: Value) -> Result<(), ErrorKind> {
        let maps = if let Value::Array(maps) = value {
            maps
        } else {
            vec![value]
        };
        for map in maps {
            let Value::Object(map) = map else {
                return Err(ErrorKind::BadMerge);
            };
            self.merged.push(map);
        }
        Ok(())
    }

    /// The entries, with what was merged where no explicit key stands.
    fn finish(mut self) -> Map<String, Value> {
        for (key, value) in self.merged.into_iter().flatten() {
            self.entries.entry(key).or_insert(value);
        }
        self.entries
    }
}

/// A scalar as a key.
fn key_text(value: Value) -> Result<String, ErrorKind> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(ErrorKind::BadKey),
    }
}

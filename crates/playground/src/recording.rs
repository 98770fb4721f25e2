//! A recording that the page was given: hostile, until it is read.

use evictd_config::{Flag, Typed};
use evictd_recording::{Begun, Line};
use serde_json::{Value, json};

use crate::bounds::Cost;

/// The longest recording that is taken: three hours of a node of twenty pods.
pub const MAX_BYTES: usize = 64 << 20;

/// The flags that the page has a field for.
const FIELDS: [&str; 6] = [
    "eviction-hard",
    "eviction-soft",
    "eviction-soft-grace-period",
    "eviction-minimum-reclaim",
    "eviction-pressure-transition-period",
    "eviction-max-pod-grace-period",
];

/// A recording, read to its end or to the first line that is none.
#[derive(Debug)]
pub struct Recording {
    pub(crate) begun: Begun,
    pub(crate) lines: Vec<Line>,
    problem: Option<String>,
}

impl Recording {
    /// Reads a recording of `evictd record`.
    ///
    /// # Errors
    /// What is wrong with its first line. Another one that is wrong is passed over, as
    /// `evictd replay` does.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("more than {} MiB", MAX_BYTES >> 20));
        }
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let begun = match Line::parse(first) {
            Ok(Line::Begun(begun)) => begun,
            Ok(_) => return Err(no_recording("it does not begin with the line of its flags")),
            Err(error) => return Err(no_recording(&error.to_string())),
        };
        let mut recording = Self {
            begun,
            lines: Vec::new(),
            problem: None,
        };
        let mut cost = Cost::default();
        for (number, bytes) in (2..).zip(lines) {
            match read(bytes) {
                Ok(line) => {
                    if let Err(error) = cost.of(&line) {
                        let what = "what stands before it is shown";
                        recording.problem = Some(format!("line {number}: {error}; {what}"));
                        break;
                    }
                    recording.lines.push(line);
                }
                Err(error) => {
                    let problem = || format!("line {number}: {error}; it is passed over");
                    recording.problem.get_or_insert_with(problem);
                }
            }
        }
        Ok(recording)
    }

    /// What the page shows of it before anything is decided.
    pub(crate) fn about(&self) -> Value {
        let flags = self.begun.flags.iter().map(|flag| {
            let flag = flag.strip_prefix("--").unwrap_or(flag);
            flag.split_once('=').unwrap_or((flag, "true"))
        });
        let recorded = flags.collect::<Vec<_>>();
        let fields = FIELDS.iter().filter_map(|name| Flag::find(name));
        let fields: Value = fields
            .map(|flag| {
                let own = recorded.iter().find(|(name, _)| *name == flag.name);
                let value = own.map_or(flag.default, |(_, value)| value);
                json!({ "name": flag.name, "value": value, "help": flag.help, "example": flag.example })
            })
            .collect();
        json!({
            "node": self.begun.node,
            "version": self.begun.version,
            "flags": self.begun.flags,
            "fields": fields,
            "problem": self.problem,
        })
    }

    /// These flags, and those of the recording where none of them is given: as for
    /// `evictd replay`.
    pub(crate) fn with_flags(&self, mut typed: Typed) -> Result<Typed, String> {
        let flags = self.begun.flags.join("\n");
        let added = typed.add_flags_file("the recording", flags.as_bytes());
        added.map_err(|error| error.to_string())?;
        for flag in ["config", "config-dir", "flags-file"] {
            if !typed.get(flag).is_empty() {
                return Err(format!(
                    "--{flag} names a file, and a page reads none: give the flags that it holds"
                ));
            }
        }
        Ok(typed)
    }
}

fn read(bytes: &[u8]) -> Result<Line, String> {
    let Some(bytes) = bytes.strip_suffix(b"\n") else {
        return Err("ends within the line: the recording was interrupted there".to_owned());
    };
    Line::parse(bytes).map_err(|error| error.to_string())
}

fn no_recording(problem: &str) -> String {
    format!(
        "no recording of evictd record: {problem}. Its first line is like \
         {{\"recording\":{{\"form\":1,\"node\":\"edge\",\"flags\":[\"--eviction-hard=memory.available<100Mi\"]}}}}; \
         evictd record FILE writes one"
    )
}

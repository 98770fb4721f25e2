//! `evictd replay`: what thresholds decide on a recording.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::{View, verdict_in_json};
use evictd_config::{Resolved, Typed};
use evictd_evict::Evict;
use evictd_machine::config_file::{self, Settings};
use evictd_plain::Plain;
use evictd_recording::{Begun, Chart, Decided, Line, MAX_LINE_BYTES, Session, picture};
use evictd_threshold::Threshold;
use serde_json::json;

use super::output::{complain, print};

/// Flags that name files of flags: with one of them those of the recording do not count.
const FILES: [&str; 3] = ["flags-file", "config", "config-dir"];

/// what thresholds decide on a recording of evictd record
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "replay",
    note = "Shows the recording to the part of evictd that decides, as a dry run, and\n\
            prints what it decides. With the flags that it was recorded with that is what\n\
            was decided then, byte for byte and on every machine; flags that are given\n\
            here count in their place, and with --flags-file, --config or --config-dir\n\
            none of the recording's does.",
    example = "{command_name} hour.jsonl\n\
               {command_name} --compare --eviction-hard='memory.available<10%' hour.jsonl\n\
               {command_name} --svg=hour.svg hour.jsonl",
    error_code(0, "all went well"),
    error_code(
        1,
        "with the flags of the recording something else is decided, or it\n    \
         cannot be read to its end"
    ),
    error_code(
        2,
        "the command line, a setting or the recording's first line is wrong"
    )
)]
pub struct Replay {
    /// a recording
    #[argh(positional, arg_name = "FILE")]
    file: String,

    /// print only what is decided otherwise than recorded: - then, + now
    #[argh(switch)]
    compare: bool,

    /// print each pod in the order of eviction, and what put it there
    #[argh(switch)]
    why: bool,

    /// print JSON, a line for each decision
    #[argh(switch)]
    json: bool,

    /// draw what is left of each signal, its thresholds, the conditions and evictions
    /// over time into this file, as SVG
    #[argh(option, arg_name = "FILE")]
    svg: Option<String>,
}

impl Replay {
    /// The flags that were given, and those of the recording where none was.
    ///
    /// # Errors
    /// What is wrong with the first line of the recording, or with one of its flags.
    fn add_recorded(&self, typed: &mut Typed) -> Result<(), String> {
        if FILES.iter().any(|flag| !typed.get(flag).is_empty()) {
            return Ok(());
        }
        let begun = self.lines()?.begun()?;
        let flags = begun.flags.join("\n");
        let added = typed.add_flags_file(&self.file, flags.as_bytes());
        added.map_err(|error| error.to_string())
    }

    fn lines(&self) -> Result<Lines, String> {
        let file = File::open(&self.file).map_err(|error| format!("{}: {error}", self.file))?;
        Ok(Lines {
            name: self.file.clone(),
            reader: BufReader::new(file),
            number: 0,
            is_over: false,
            bad: BadLines::default(),
        })
    }

    fn shown(&self, mark: &str, time: &str, decided: &Decided) -> String {
        let why = if self.why { decided.why.as_str() } else { "" };
        if self.json {
            let mut value = json!({ "time": time, "decided": decided.text });
            if let Some(object) = value.as_object_mut() {
                if self.compare {
                    object.insert("in".to_owned(), of_mark(mark).into());
                }
                if self.why {
                    object.insert("why".to_owned(), why.into());
                    let verdict = decided.verdict.as_deref().map(verdict_in_json);
                    object.extend(verdict.map(|verdict| ("verdict".to_owned(), verdict)));
                }
            }
            return format!("{value}\n");
        }
        let mut text = format!("{mark}{} {}\n", Plain(time), Plain(&decided.text));
        for line in why.lines() {
            text += &format!("    {}\n", Plain(line));
        }
        text
    }
}

fn of_mark(mark: &str) -> &'static str {
    if mark == "- " { "recording" } else { "replay" }
}

impl Replay {
    /// Its settings: these flags, and those of the recording where that is asked for.
    pub(super) fn settings(&self, mut typed: Typed) -> Result<Settings, String> {
        self.add_recorded(&mut typed)?;
        config_file::settings(typed)
    }

    /// Where that is asked for.
    fn draw(&self, node: &str, chart: &Chart, thresholds: &[Threshold]) -> Result<(), String> {
        let Some(file) = &self.svg else {
            return Ok(());
        };
        let svg = picture(node, chart, thresholds);
        let written = std::fs::write(file, svg);
        written.map_err(|error| format!("--svg: {file}: {error}"))
    }

    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let evict = Evict::new(settings.evict.clone());
        let mut session = Session::new(evict);
        let mut lines = self.lines()?;
        let begun = lines.begun()?;
        let is_as_recorded = begun.flags == View::of_settings(settings).flags;
        let mut text = String::new();
        let (mut moments, mut otherwise) = (0_u64, 0_u64);
        let mut moment = Moment::default();
        let mut chart = Chart::default();
        loop {
            let line = lines.next();
            if let Some(Line::Decided(recorded)) = line {
                moment.recorded.push(recorded);
                continue;
            }
            if line.is_none() || matches!(line, Some(Line::Seen(_))) {
                otherwise += u64::from(moment.differs());
                text += &moment.shown(self);
                moment = Moment::default();
            }
            let Some(line) = line else {
                break;
            };
            if let Line::Seen(seen) = &line {
                moment.time.clone_from(&seen.time);
                moments += 1;
            }
            match session.show(&line) {
                Ok(decided) => {
                    if let Line::Seen(seen) = &line {
                        chart.add(seen, session.conditions());
                        chart.decided(&decided);
                    }
                    moment.decided.extend(decided);
                }
                Err(error) => lines.pass_over(&error.to_string()),
            }
        }
        let printed = print(&text);
        self.draw(&begun.node, &chart, &settings.evict.thresholds)?;
        if let Some(problem) = lines.bad.problem() {
            return Err(problem);
        }
        if is_as_recorded && otherwise > 0 {
            return Err(decided_otherwise(otherwise, moments, &begun.version));
        }
        if self.compare && otherwise == 0 {
            complain(
                "replay",
                format_args!("all {moments} moments are decided as recorded"),
            );
        }
        Ok(printed)
    }
}

fn decided_otherwise(otherwise: u64, moments: u64, version: &str) -> String {
    format!(
        "{otherwise} of {moments} moments are decided otherwise than evictd {version} did when it \
         recorded them: --compare shows which"
    )
}

/// What is decided of a moment, now and when it was recorded.
#[derive(Default)]
struct Moment {
    time: String,
    decided: Vec<Decided>,
    recorded: Vec<String>,
}

impl Moment {
    fn differs(&self) -> bool {
        !self.decided.iter().map(|of| &of.text).eq(&self.recorded)
    }

    fn shown(&self, replay: &Replay) -> String {
        let mut text = String::new();
        let decided = self.decided.iter();
        if !replay.compare {
            decided.for_each(|of| text += &replay.shown("", &self.time, of));
            return text;
        }
        let is_new = |of: &&Decided| !self.recorded.contains(&of.text);
        let is_gone = |of: &&String| !self.decided.iter().any(|now| now.text == **of);
        for recorded in self.recorded.iter().filter(is_gone) {
            let decided = Decided::new(recorded.clone());
            text += &replay.shown("- ", &self.time, &decided);
        }
        for of in decided.filter(is_new) {
            text += &replay.shown("+ ", &self.time, of);
        }
        text
    }
}

/// Lines that cost themselves and no other.
#[derive(Default)]
struct BadLines {
    first: Option<String>,
    more: u64,
}

impl BadLines {
    fn add(&mut self, error: String) {
        match self.first {
            None => self.first = Some(error),
            Some(_) => self.more += 1,
        }
    }

    fn problem(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(match self.more {
            0 => format!("{first}; all other lines were replayed"),
            more => format!("{first}; lines that cannot be used besides it: {more}"),
        })
    }
}

/// The lines of a recording.
struct Lines {
    name: String,
    reader: BufReader<File>,
    number: u64,
    /// Nothing more can be read.
    is_over: bool,
    bad: BadLines,
}

impl Lines {
    /// The next one that can be used; `None` behind the last.
    fn next(&mut self) -> Option<Line> {
        loop {
            match self.read() {
                Ok(line) => return line,
                Err(error) => self.bad.add(error),
            }
        }
    }

    /// The one that was read last cannot be used.
    fn pass_over(&mut self, problem: &str) {
        self.bad.add(self.about(problem));
    }

    /// The next one; `None` behind the last. Behind one that is an error others may follow.
    fn read(&mut self) -> Result<Option<Line>, String> {
        let mut bytes = Vec::new();
        if self.is_over {
            return Ok(None);
        }
        let most = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX);
        let mut bounded = self.reader.by_ref().take(most.saturating_add(2));
        self.number += 1;
        let read = bounded.read_until(b'\n', &mut bytes);
        read.map_err(|error| self.fail(&error.to_string()))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.pop_if(|byte| *byte == b'\n').is_none() {
            if bytes.len() <= MAX_LINE_BYTES {
                return Err(self.fail("ends within a line: the recording was interrupted there"));
            }
            let passed = self.reader.skip_until(b'\n');
            passed.map_err(|error| self.fail(&error.to_string()))?;
        }
        let line = Line::parse(&bytes);
        line.map(Some)
            .map_err(|error| self.about(&error.to_string()))
    }

    fn begun(&mut self) -> Result<Begun, String> {
        match self.read() {
            Ok(Some(Line::Begun(begun))) => Ok(begun),
            Err(error) => Err(format!("{error}: no recording of evictd record")),
            Ok(_) => Err(self.about("no recording of evictd record")),
        }
    }

    /// What ends the recording.
    fn fail(&mut self, problem: &str) -> String {
        self.is_over = true;
        self.about(problem)
    }

    fn about(&self, problem: &str) -> String {
        format!("{}:{}: {problem}", self.name, self.number)
    }
}

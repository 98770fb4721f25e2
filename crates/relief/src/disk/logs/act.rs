//! Giving up the old part of one log.

use evictd_containers::LogFormat;
use evictd_gc::{LogKind, LogWriter, RecordFormat, Technique, technique};
use rustix::fs::OFlags;

use super::cut::{cut, punch};
use super::file::{allocated, open, open_directory};
use super::find::Log;
use super::half_done::Steps;
use super::reopen::Reopen;
use super::told::GivenUp;
use evictd_pods::runtimes::Listed;

/// Gives up what is old in logs.
pub(super) struct Acting<'a> {
    pub(super) keep: u64,
    pub(super) runtimes: &'a [Listed],
    pub(super) reopen: Reopen,
    pub(super) steps: &'a Steps,
    /// What was odd about parts of logs, which cost nothing else.
    pub(super) problems: Vec<String>,
    /// What runtimes have said of themselves, by their place.
    versions: Vec<(usize, LogKind)>,
}

impl<'a> Acting<'a> {
    pub(super) const fn new(
        keep: u64,
        runtimes: &'a [Listed],
        reopen: Reopen,
        steps: &'a Steps,
    ) -> Self {
        Self {
            keep,
            runtimes,
            reopen,
            steps,
            problems: Vec::new(),
            versions: Vec::new(),
        }
    }

    /// `None` where there was too little of it.
    ///
    /// # Errors
    /// Whose log it is, and what went wrong.
    pub(super) fn give_up(
        &mut self,
        log: &Log,
        writer: LogWriter,
    ) -> Result<Option<GivenUp>, String> {
        let kind = match log.format {
            LogFormat::JsonFile => self.json_kind(log.runtime, writer),
            LogFormat::K8sFile => LogKind::K8sFile,
            LogFormat::Cri | LogFormat::Unknown => LogKind::Cri,
        };
        let done = match technique(kind, log.runs, writer) {
            // Former parts are cut as well.
            Technique::Cut { .. } if kind == LogKind::Cri => self.cut_former(log),
            Technique::Cut { is_still } => self.change(log, Some(is_still)),
            Technique::Punch => self.change(log, None),
            Technique::Rotate => self.rotate(log),
            Technique::Leave(why) => Err(String::from(why)),
        };
        done.map_err(|problem| log.problem(&problem))
    }

    /// Cuts it, or makes its beginning a hole where nothing says whether it is still.
    fn change(&self, log: &Log, is_still: Option<bool>) -> Result<Option<GivenUp>, String> {
        let file = open_directory(&log.directory);
        let file = file.and_then(|it| open(&it, &log.file, OFlags::RDWR));
        let (file, looked) = file.map_err(|error| error.to_string())?;
        if !looked.is_same(&log.looked) {
            return Err(String::from("it is another file by now"));
        }
        let format = record_format(log.format);
        let lost = match is_still {
            Some(is_still) => cut(&file, format, self.keep, is_still, self.steps)?,
            None => punch(&file, format, self.keep, self.steps)?,
        };
        let freed = looked.allocated.saturating_sub(allocated(&file));
        Ok(lost.map(|lost| GivenUp::new(log, freed, Some(lost))))
    }

    /// Asked only where it matters. One that does not answer may be any.
    fn json_kind(&mut self, runtime: usize, writer: LogWriter) -> LogKind {
        let unknown = LogKind::Json {
            keeps_position: true,
        };
        if writer != LogWriter::Appends {
            return unknown;
        }
        if let Some((_, kind)) = self.versions.iter().find(|(of, _)| *of == runtime) {
            return *kind;
        }
        let listed = self.runtimes.get(runtime);
        let opened = listed.and_then(|listed| listed.open().ok());
        let kind = opened.map_or(unknown, |(_, version)| LogKind::json(&version));
        self.versions.push((runtime, kind));
        kind
    }
}

pub(super) const fn record_format(format: LogFormat) -> RecordFormat {
    match format {
        LogFormat::JsonFile => RecordFormat::Json,
        LogFormat::K8sFile | LogFormat::Cri | LogFormat::Unknown => RecordFormat::Cri,
    }
}

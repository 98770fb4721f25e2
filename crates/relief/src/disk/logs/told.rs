//! What the engine is told of it.

use evictd_engine::Fields;
use evictd_engine::ports::Collected;
use evictd_node::{Amount, ReliefStep};

use super::cut::Lost;
use super::find::Log;

/// No more logs, and no more problems, are named.
const FEW: usize = 8;

/// What was given up of a log, or would be.
pub(super) struct GivenUp {
    name: String,
    pub(super) freed_bytes: u64,
    lost: Option<Lost>,
}

/// What came of it all.
pub(super) struct Told {
    dry_run: bool,
    pub(super) given: Vec<GivenUp>,
    /// Whose logs were put in order.
    pub(super) mended: Vec<String>,
    pub(super) problems: Vec<String>,
}

impl GivenUp {
    pub(super) fn new(log: &Log, freed_bytes: u64, lost: Option<Lost>) -> Self {
        Self {
            name: log.name.clone(),
            freed_bytes,
            lost,
        }
    }

    pub(super) fn would(log: &Log, bytes: u64) -> Self {
        Self::new(log, bytes, None)
    }

    fn in_words(&self) -> String {
        let name = &self.name;
        match &self.lost {
            Some(lost) => format!("{name}: {}", lost.in_words()),
            None => format!("{name}: {}", Amount::bytes(self.freed_bytes)),
        }
    }
}

impl Told {
    pub(super) const fn new(dry_run: bool) -> Self {
        Self {
            dry_run,
            given: Vec::new(),
            mended: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// A log was put in order, or could not be.
    pub(super) fn mend(&mut self, log: &Log, done: Result<(), String>) {
        match done {
            Ok(()) => self.mended.push(log.name.clone()),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// All logs together are not enough.
    pub(super) fn too_little(mut self, gives: u64, missing: Option<u64>) -> Collected {
        let (gives, missing) = (Amount::bytes(gives), Amount::bytes(missing.unwrap_or(0)));
        self.problems.insert(
            0,
            format!(
                "logs could give back {gives} of the {missing} that are missing: left as they are"
            ),
        );
        self.collected()
    }

    pub(super) fn collected(self) -> Collected {
        let (count, freed) = (self.given.len(), self.freed());
        let did = (count > 0).then(|| {
            let verb = if self.dry_run {
                "would give up"
            } else {
                "gave up"
            };
            let of = if count == 1 { "a log" } else { "logs" };
            let few = self.given.iter().take(FEW).map(GivenUp::in_words);
            let few = few.collect::<Vec<_>>().join(", ");
            let more = if count > FEW { ", \u{2026}" } else { "" };
            let count = if count == 1 {
                String::new()
            } else {
                format!("{count} ")
            };
            format!("{verb} the old part of {count}{of} ({few}{more})")
        });
        let mended = self.mended.iter().take(FEW).map(String::as_str);
        let mended = mended.collect::<Vec<_>>().join(", ");
        let mended = (!mended.is_empty()).then(|| format!("put in order the logs of {mended}"));
        let parts = did
            .iter()
            .chain(&mended)
            .chain(self.problems.iter().take(FEW));
        let text = parts.map(String::as_str).collect::<Vec<_>>().join("; ");
        if text.is_empty() {
            return Collected::default();
        }
        let each = |what: fn(&GivenUp) -> String| {
            let all = self.given.iter().map(what).collect::<Vec<_>>().join(",");
            Some(all).filter(|all| !all.is_empty())
        };
        let time = |time: fn(&Lost) -> &String| {
            move |given: &GivenUp| given.lost.as_ref().map(|lost| time(lost).clone())
        };
        let (from, until) = (time(|lost| &lost.from), time(|lost| &lost.until));
        let times = |time: &dyn Fn(&GivenUp) -> Option<String>| {
            let all = self
                .given
                .iter()
                .map(|given| time(given).unwrap_or_default());
            let all = all.collect::<Vec<_>>().join(",");
            Some(all).filter(|all| all.bytes().any(|byte| byte != b','))
        };
        Collected {
            removed: if self.dry_run { 0 } else { count },
            text,
            fields: Fields::default()
                .with("dryRun", self.dry_run)
                .with("rung", ReliefStep::Logs.name())
                .with("logs", count)
                .with("logNames", each(|given| given.name.clone()))
                .with("logBytes", each(|given| given.freed_bytes.to_string()))
                .with("lostFrom", times(&from))
                .with("lostUntil", times(&until))
                .with("freedBytes", freed)
                .with("errors", self.problems.len()),
        }
    }

    fn freed(&self) -> u64 {
        let bytes = self.given.iter().map(|given| given.freed_bytes);
        bytes.fold(0, u64::saturating_add)
    }
}

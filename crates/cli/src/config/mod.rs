//! `evictd config`: what the flags come to on this machine.

pub(super) mod text;

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::{
    Effective, EffectiveThreshold, Origin, Resolved, Setting, Share, check_reserves, effective,
};
use evictd_machine::metrics_file::MetricsFile;
use evictd_machine::{facts, kernel, roots};
use evictd_node::{Condition, Signal};
use serde::Serialize;

use super::output::{print_as, shown, usage_error};
use super::sampled::Sampled;

/// check the flags; print what they come to on this machine
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "config",
    note = "Checks all flags and prints the settings in force: each threshold in bytes,\n\
            inodes or process ids of this machine, and where each value came from. Names\n\
            what is odd about them. Ends with exit code 2 and one line if a flag is wrong.",
    example = "{command_name} --eviction-hard='memory.available<10%'"
)]
pub struct Config {
    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

impl Config {
    /// Prints the settings in force. That they are right is known by now; what
    /// cannot be measured here is left open.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let sampled = Sampled::take(settings).ok();
        let machine = sampled
            .as_ref()
            .map(|seen| facts::read(&seen.engine.node().sample));
        let machine = machine.unwrap_or_default();
        if let Err(error) = check_reserves(settings, &machine) {
            return Ok(usage_error(&error));
        }
        let mut effective = effective(settings, &machine);
        if let Some(sampled) = &sampled {
            let about_pods = roots::warnings(&settings.pods, sampled.engine.pods());
            effective.warnings.extend(about_pods);
            let about_kernel = kernel::warning(
                &settings.evict.thresholds,
                sampled.engine.pods().hierarchies(),
            );
            effective.warnings.extend(about_kernel);
        }
        // No error here: at a boot what starts evictd may make that directory first.
        if let Err(error) = MetricsFile::open(&settings.output) {
            let warning = format!("evictd will not start: {error}");
            effective.warnings.push(warning.into());
        }
        let in_text = || text::in_text(&effective, listed(&effective));
        let document = Document::new(&effective);
        Ok(print_as(self.json, &document, in_text))
    }
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    thresholds: Vec<ThresholdDocument<'a>>,
    allocatable: Vec<ShareDocument<'a>>,
    settings: Vec<SettingDocument<'a>>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThresholdDocument<'a> {
    #[serde(serialize_with = "shown")]
    signal: Signal,
    #[serde(serialize_with = "shown")]
    condition: Condition,
    kind: &'static str,
    value: &'a str,
    amount: Option<i64>,
    capacity: Option<i64>,
    unit: &'static str,
    grace_period: Option<String>,
    minimum_reclaim: Option<&'a str>,
    clear_at: Option<i64>,
    from: String,
}

#[derive(Serialize)]
struct ShareDocument<'a> {
    resource: &'static str,
    capacity: &'a str,
    allocatable: &'a str,
}

#[derive(Serialize)]
struct SettingDocument<'a> {
    flag: &'static str,
    value: &'a str,
    from: String,
}

impl<'a> Document<'a> {
    pub(super) fn new(effective: &'a Effective<'_>) -> Self {
        let setting = |setting: &'a Setting| SettingDocument {
            flag: setting.name,
            value: &setting.value,
            from: from(setting.origin),
        };
        let share = |share: &'a Share| ShareDocument {
            resource: share.resource,
            capacity: &share.capacity,
            allocatable: &share.allocatable,
        };
        Self {
            thresholds: effective.thresholds.iter().map(Into::into).collect(),
            allocatable: effective.allocatable.iter().map(share).collect(),
            settings: listed(effective).map(setting).collect(),
            warnings: effective.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl<'a> From<&'a EffectiveThreshold> for ThresholdDocument<'a> {
    fn from(threshold: &'a EffectiveThreshold) -> Self {
        Self {
            signal: threshold.signal,
            condition: threshold.condition,
            kind: threshold.grace.map_or("hard", |_| "soft"),
            value: &threshold.written,
            amount: threshold.amount,
            capacity: threshold.capacity,
            unit: threshold.unit,
            grace_period: threshold.grace.map(|grace| grace.to_string()),
            minimum_reclaim: threshold.min_reclaim.as_deref(),
            clear_at: threshold.clear_at,
            from: from(threshold.origin),
        }
    }
}

/// The settings without those that the help does not show either, unless they were given.
pub(super) fn listed<'a>(effective: &Effective<'a>) -> impl Iterator<Item = &'a Setting> {
    effective.settings.iter().filter(|of| of.is_listed())
}

/// `default`, `compat`, `derived`, the flag with its dashes, the same behind `flags-file:`,
/// or `file:` and the field of the configuration file.
fn from(origin: Origin) -> String {
    match origin {
        Origin::File(field) => format!("file:{field}"),
        Origin::FlagsFile(name) => format!("flags-file:--{name}"),
        Origin::Flag(name) => format!("--{name}"),
        Origin::Default | Origin::Compat | Origin::Derived => origin.to_string(),
    }
}

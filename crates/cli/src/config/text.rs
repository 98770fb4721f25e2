use evictd_config::{Effective, EffectiveThreshold, Origin, Setting, Share};
use evictd_threshold::Operator;

use crate::columns::{Columns, wrap};

/// What the settings come to for people, with those of them that are `listed`; within 80 columns
/// unless a value itself is longer.
pub(crate) fn in_text<'a>(
    effective: &Effective<'a>,
    listed: impl Iterator<Item = &'a Setting>,
) -> String {
    let mut text = thresholds(&effective.thresholds);
    if !effective.allocatable.is_empty() {
        text.push_str("\nAllocatable: the capacity without what is reserved\n");
        text.push_str(&allocatable(&effective.allocatable));
    }
    text.push_str("\nSettings\n");
    text.push_str(&settings(listed));
    if !effective.warnings.is_empty() {
        text.push_str("\nWarnings\n");
        for warning in &effective.warnings {
            wrap(&mut text, ("  - ", "    "), &warning.to_string());
        }
    }
    text
}

fn thresholds(thresholds: &[EffectiveThreshold]) -> String {
    if thresholds.is_empty() {
        return "No thresholds\n".to_owned();
    }
    let headings = ["", "MET AT", "EXACTLY", "CLEAR AT", "GRACE", "FROM"];
    let mut columns = Columns::new(&headings, &[2, 3]);
    let mut condition = None;
    for threshold in thresholds {
        if condition.replace(threshold.condition) != Some(threshold.condition) {
            columns.row(vec![threshold.condition.to_string()]);
        }
        let exact = |amount: Option<i64>| amount.map_or("?".to_owned(), |a| a.to_string());
        let reclaim = threshold.min_reclaim.is_some();
        let grace = threshold.grace;
        columns.row(vec![
            format!("  {}", threshold.signal),
            format!(
                "{}{}",
                Operator::of(threshold.signal).sign(),
                threshold.written
            ),
            exact(threshold.amount),
            if reclaim {
                exact(threshold.clear_at)
            } else {
                "-".to_owned()
            },
            grace.map_or("hard".to_owned(), |grace| grace.to_string()),
            from(threshold.origin, &["eviction-hard", "eviction-soft"]),
        ]);
    }
    let mut text =
        "Thresholds, exactly in bytes, inodes, process ids or percent of time\n".to_owned();
    text.push_str(&columns.to_string());
    if thresholds
        .iter()
        .any(|threshold| threshold.amount.is_none())
    {
        text.push_str("? is a share of something that could not be measured here.\n");
    }
    text
}

fn allocatable(shares: &[Share]) -> String {
    let mut columns = Columns::new(&["  RESOURCE", "CAPACITY", "FOR PODS"], &[1, 2]);
    for share in shares {
        columns.row(vec![
            format!("  {}", share.resource),
            share.capacity.clone(),
            share.allocatable.clone(),
        ]);
    }
    columns.to_string()
}

fn settings<'a>(settings: impl Iterator<Item = &'a Setting>) -> String {
    let mut columns = Columns::new(&["  FLAG", "FROM", "VALUE"], &[]);
    for setting in settings {
        let value = if setting.value.is_empty() {
            "-"
        } else {
            &setting.value
        };
        columns.row(vec![
            format!("  --{}", setting.name),
            from(setting.origin, &[setting.flag()]),
            value.to_owned(),
        ]);
    }
    columns.to_string()
}

/// Where it came from. Which old flag it was stands among the warnings.
fn from(origin: Origin, own: &[&str]) -> String {
    match origin {
        Origin::Flag(name) | Origin::FlagsFile(name) if !own.contains(&name) => {
            "old flag".to_owned()
        }
        Origin::Flag(_)
        | Origin::FlagsFile(_)
        | Origin::File(_)
        | Origin::Default
        | Origin::Compat
        | Origin::Derived => origin.to_string(),
    }
}

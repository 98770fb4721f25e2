//! Image collection.

use core::time::Duration;

use evictd_gc::{
    FsUsage, Image, ImageGcError, ImageJob, ImagePolicy, ImageRecord, ImageRun, Removal,
    collect_images,
};
use serde_json::Value;

use crate::case::{Outcome, flag, integer, list, millis, same, text};
use crate::rules::Rules;

/// Any time will do; that of all cases.
const NOW: i64 = 1_795_179_906_000_000_000;

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let policy = policy(case.get("policy").ok_or("no policy")?);
    if let Err(error) = policy.check() {
        same("errKind", "policy", text(case, "errKind"))?;
        return same("err", error.as_str(), text(case, "err"));
    }
    let rows = list(case, "images");
    let images: Vec<Image> = rows.iter().map(image).collect();
    let kubelet = rules.policy();
    let run = ImageRun {
        job: match text(case, "op") {
            "garbageCollect" => ImageJob::Watermark,
            "deleteUnused" => ImageJob::DeleteUnused { until: None },
            other => return Err(format!("unknown op {other}")),
        },
        policy,
        switches: &kubelet,
        now_nanos: NOW,
        began_nanos: NOW - millis(case, "beganGCAgoMillis"),
    };
    let usage = usage(case);
    let mut deleted = Vec::new();
    let mut tried = Vec::new();
    let mut failures = Vec::new();
    let summary = collect_images(&images, usage, &run, &mut |deletion| {
        let row = rows.get(deletion.index)?;
        let id = text(row, "id");
        tried.push(id);
        let is_gone = !flag(row, "removeError");
        if is_gone {
            deleted.push(id);
        } else {
            failures.push(format!("cannot remove {id}"));
        }
        Some(Removal { is_gone, usage })
    });
    same("triedInOrder", tried, ids(case, "triedInOrder"))?;
    same("deletedInOrder", deleted, ids(case, "deletedInOrder"))?;
    let freed = summary.listed_bytes.to_string();
    same("freed", freed.as_str(), text(case, "freed"))?;
    let kind = if summary.error.is_some() { "gc" } else { "" };
    same("errKind", kind, text(case, "errKind"))?;
    let ours = summary.error.map(|error| words(error, &failures));
    same("err", ours.unwrap_or_default().as_str(), text(case, "err"))
}

fn policy(value: &Value) -> ImagePolicy {
    let age = |key| Duration::from_nanos(millis(value, key).unsigned_abs());
    ImagePolicy {
        high_percent: integer(value, "highThresholdPercent").unwrap_or(0),
        low_percent: integer(value, "lowThresholdPercent").unwrap_or(0),
        min_age: age("minAgeMillis"),
        max_age: Some(age("maxAgeMillis")).filter(|age| !age.is_zero()),
    }
}

/// `None` where reading fails.
fn usage(case: &Value) -> Option<FsUsage> {
    let fs = case.get("fs")?;
    let is_read = fs
        .get("error")
        .is_none_or(|error| error == &Value::Bool(false));
    let bytes = |key| integer(fs, key).and_then(|bytes| u64::try_from(bytes).ok());
    is_read.then(|| FsUsage {
        capacity_bytes: bytes("capacityBytes").unwrap_or(0),
        available_bytes: bytes("availableBytes").unwrap_or(0),
        ..FsUsage::default()
    })
}

fn image(row: &Value) -> Image {
    let ago = |key| integer(row, key).map(|ago| NOW - ago * 1_000_000);
    let record = ImageRecord {
        first_detected_nanos: ago("firstDetectedAgoMillis").unwrap_or(NOW),
        last_used_nanos: ago("lastUsedAgoMillis"),
    };
    Image {
        size_bytes: integer(row, "size").map_or(0, i64::unsigned_abs),
        record: flag(row, "known").then_some(record),
        in_use: flag(row, "inUse"),
        pinned: flag(row, "pinned"),
        kept: false,
        only_here: false,
    }
}

fn ids<'a>(case: &'a Value, key: &str) -> Vec<&'a str> {
    list(case, key).iter().filter_map(Value::as_str).collect()
}

/// The error with what each removal failed with, as the kubelet joins them.
fn words(error: ImageGcError, failures: &[String]) -> String {
    match error {
        ImageGcError::NoUsage => "no stats".to_owned(),
        ImageGcError::Removal { .. } | ImageGcError::RemovalOfOld { .. } => match failures {
            [one] => format!("{error}: {one}"),
            several => format!("{error}: [{}]", several.join(", ")),
        },
        ImageGcError::InvalidCapacity | ImageGcError::NotEnough(_) => error.to_string(),
    }
}

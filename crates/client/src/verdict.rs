//! A verdict as JSON: in the answers of the socket, and in what commands print for programs.

use evictd_evict::{Account, Holds, Left, Remedy, Shortage, Verdict};
use evictd_plain::Plain;
use serde_json::Value;

/// A verdict with the members that `docs/commands.md` names.
#[must_use]
pub fn verdict_in_json(verdict: &Verdict) -> Value {
    let pods = verdict.accounts.iter().map(account).collect();
    object(vec![
        ("signal", text(verdict.signal.name())),
        ("shortage", verdict.shortage.as_ref().map(shortage)),
        ("next", verdict.next_pod().and_then(|pod| text(&pod.uid))),
        (
            "whyNone",
            verdict.why_none().and_then(|why| text(&why.to_string())),
        ),
        (
            "rule",
            verdict.rule.and_then(|rule| text(&rule.to_string())),
        ),
        ("pods", Some(Value::Array(pods))),
        ("unexplained", verdict.unexplained.map(Value::from)),
        ("left", verdict.left.as_ref().map(left)),
    ])
}

/// What is known of these members.
fn object(members: Vec<(&str, Option<Value>)>) -> Value {
    let known = members.into_iter();
    let known = known.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(known.collect())
}

fn text(text: &str) -> Option<Value> {
    Some(Value::String(text.to_owned()))
}

fn shortage(of: &Shortage) -> Value {
    object(vec![
        ("threshold", text(&of.threshold.to_string())),
        ("missing", of.missing.map(Value::from)),
    ])
}

fn account(of: &Account) -> Value {
    let (holds, certainty) = match of.holds {
        Holds::Exactly(held) => (Some(held), "exactly"),
        Holds::AtLeast(held) => (Some(held), "atLeast"),
        Holds::Unknown => (None, "unknown"),
    };
    object(vec![
        ("namespace", text(&of.namespace)),
        ("name", text(&of.name)),
        ("uid", text(&of.uid)),
        ("holds", holds.map(Value::from)),
        ("certainty", text(certainty)),
        ("reason", text(&of.place.to_string())),
        (
            "skipped",
            of.skipped.and_then(|skip| text(&skip.to_string())),
        ),
    ])
}

fn left(of: &Left) -> Value {
    let remedy = match &of.remedy {
        Remedy::Command(command) => Some(object(vec![("command", text(command))])),
        Remedy::DeleteIn(path) => Some(object(vec![("deleteIn", text(path))])),
        Remedy::Unknown => None,
    };
    object(vec![
        ("what", text(&Plain(&of.what).to_string())),
        ("bytes", Some(Value::from(of.bytes))),
        ("remedy", remedy),
    ])
}

//! The status as people read it, within 80 columns.

use core::fmt::Write;

use evictd_engine::full_name;
use evictd_node::{Amount, Layout, Signal};
use evictd_plain::Plain;

use super::overview::{Overview, PROCESSES, SignalState, ThresholdState};
use crate::columns::wrap;
use crate::explain::distance::in_units;
use crate::screen::{Paint, bar, cut};

/// The width of a bar; with it a line stays within 80 columns.
const BAR: u32 = 14;

pub(crate) fn in_text(document: &Overview, paint: Paint) -> String {
    let mut text = paint
        .head("SIGNAL                        LEFT      OF  USED            THRESHOLD, ! is met");
    text.push('\n');
    let mut left: Vec<&SignalState> = document.signals.iter().collect();
    while let Some((state, others)) = left.split_first() {
        let is_same = |other: &&&SignalState| state.is_same_space(other);
        signal_lines(&mut text, state, paint);
        for other in others.iter().filter(is_same) {
            further_name_lines(&mut text, state, other, paint);
        }
        left = others
            .iter()
            .filter(|other| !is_same(other))
            .copied()
            .collect();
    }
    if let Some(bytes) = document.unaccounted_bytes {
        let amount = Amount::bytes(bytes).to_string();
        let _ = writeln!(
            text,
            "  {amount} of memory is neither free nor in a cgroup: kernel, tmpfs"
        );
    }
    if let Some(bytes) = document.compressed_bytes {
        let amount = Amount::bytes(bytes).to_string();
        let _ = writeln!(
            text,
            "  {amount} of memory holds what is compressed: zram, zswap"
        );
    }
    let _ = write!(
        text,
        "\nFilesystems: {}{}\n",
        document.layout,
        same(document.layout)
    );
    if let Some(progress) = &document.progress {
        let _ = writeln!(text, "Still being measured: {progress}");
    }
    text.push_str(&paint.head("Conditions:"));
    for state in &document.conditions {
        let shown = format!(" {}={}", state.condition, state.status);
        text.push_str(&match state.status {
            "True" => paint.bad(&shown),
            _ => paint.good(&shown),
        });
    }
    text.push('\n');
    held_lines(&mut text, document);
    pod_lines(&mut text, document, paint);
    daemon_lines(&mut text, document);
    text
}

/// How much longer a condition is reported that nothing raises any more.
fn held_lines(text: &mut String, document: &Overview) {
    for state in &document.conditions {
        let condition = state.condition;
        let is_raised = || document.signals.iter().any(|of| of.raises(condition));
        let Some(seconds) = state.holds_for_seconds.filter(|_| !is_raised()) else {
            continue;
        };
        let left = in_units(i64::try_from(seconds).unwrap_or(i64::MAX));
        let why = format!(
            "{condition} ends in {left}, if none of its thresholds is met until then \
             (--eviction-pressure-transition-period)"
        );
        wrap(text, ("  ", "    "), &why);
    }
}

/// What the running daemon knows, or that none answers.
fn daemon_lines(text: &mut String, document: &Overview) {
    let Some(view) = &document.daemon else {
        let why = &document.no_daemon;
        text.push_str("\nNo daemon answers; all of this was measured now, with these flags.\n");
        if !why.is_empty() {
            wrap(text, ("  ", "  "), &Plain(why).to_string());
        }
        return;
    };
    text.push_str(
        "\nThe running daemon answers: signals and conditions are as it read them last; the\n\
         pods were measured now. Its flags count, and none that is given here:\n",
    );
    let flags = match view.flags.as_slice() {
        [] => String::from("none, the defaults"),
        flags => flags.join(" "),
    };
    wrap(text, ("  ", "    "), &Plain(flags).to_string());
}

/// Which names mean one and the same.
const fn same(layout: Layout) -> &'static str {
    match layout {
        Layout::OneFilesystem => " (imagefs and containerfs are nodefs)",
        Layout::DedicatedImagefs => " (containerfs is imagefs)",
        Layout::SplitImagefs => " (containerfs is nodefs)",
    }
}

/// What another name of the same filesystem has for thresholds of its own; the rest has been
/// shown.
fn further_name_lines(text: &mut String, first: &SignalState, state: &SignalState, paint: Paint) {
    let both = first.thresholds.iter().zip(&state.thresholds);
    let is_same = first.thresholds.len() == state.thresholds.len() && { both }
        .all(|(one, other)| one.short == other.short);
    if is_same {
        return;
    }
    let name = format!("  {}", state.signal);
    let names = core::iter::once(name.as_str()).chain(core::iter::repeat(""));
    for (name, threshold) in names.zip(&state.thresholds) {
        let _ = writeln!(text, "{name:<60}{}", describe(threshold, paint));
    }
}

/// A line for the signal, and one for each further threshold of it.
fn signal_lines(text: &mut String, state: &SignalState, paint: Paint) {
    let (signal, thresholds) = (state.signal, &state.thresholds);
    let (Some(available), Some(capacity)) = (state.available, state.capacity) else {
        // evictd itself derives the threshold of the pods' cgroup from another one.
        if signal != Signal::AllocatableMemoryAvailable {
            let why = match (state.is_awaited, signal.filesystem()) {
                (true, Some(_)) => "its filesystem has not answered yet",
                (true, None) => "seen over a second: by a daemon, or evictd explain",
                (false, _) => "cannot be observed here",
            };
            let _ = writeln!(text, "{:<27} {why}", signal.name());
        }
        return;
    };
    let first = thresholds.first();
    let left = Amount::of(signal, available).to_string();
    let of = Amount::of(signal, capacity).to_string();
    let mark = first.and_then(|threshold| threshold.value);
    let mark = mark.map(|value| state.filled(value));
    let used = bar(state.filled(available), mark, BAR);
    let met = thresholds
        .iter()
        .any(|threshold| threshold.met == Some(true));
    let used = if met { paint.bad(&used) } else { used };
    let shown = first.map_or_else(|| String::from("-"), |first| describe(first, paint));
    let _ = writeln!(
        text,
        "{:<27}{left:>7} {of:>7}  {used}  {shown}",
        signal.name()
    );
    for threshold in thresholds.iter().skip(1) {
        let _ = writeln!(text, "{:60}{}", "", describe(threshold, paint));
    }
}

/// `hard 10%`, `soft 1Gi 30s`, with `!` when it is met.
fn describe(threshold: &ThresholdState, paint: Paint) -> String {
    let short = &threshold.short;
    match (threshold.met, threshold.kind) {
        (Some(true), "hard") => paint.bad(&format!("{short} !")),
        (Some(true), _) => paint.warn(&format!("{short} !")),
        (Some(false) | None, _) => short.clone(),
    }
}

fn pod_lines(text: &mut String, document: &Overview, paint: Paint) {
    if !document.not_running.is_empty() {
        let names = document.not_running.join(" ");
        let _ = write!(text, "\nDescribed by a manifest, not running: {names}\n");
    }
    text.push('\n');
    for line in document.next.lines() {
        wrap(text, ("", "    "), &line);
    }
    if document.pods.is_empty() {
        return;
    }
    let signal = document.ranked_by;
    let _ = writeln!(text, "Pods in the order of eviction for {signal}:");
    if document.pod_memory == PROCESSES {
        text.push_str("(no controller counts their memory: that of their processes is shown)\n");
    }
    let columns = "     NAME                            USED    PRIORITY CLASS";
    text.push_str(&paint.head(columns));
    text.push('\n');
    for pod in &document.pods {
        let used = pod.used_in_words(signal);
        let (place, standing) = pod.standing();
        let line = format!(
            "{place:>3}  {:<28} {used:>7} {:>11} {:<10} {standing}",
            cut(&full_name(&pod.namespace, &pod.name), 28),
            pod.priority,
            pod.qos_class,
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_yet_is_told_with_what_it_takes() {
        for (signal, is_awaited, why) in [
            (Signal::NodefsAvailable, true, "its filesystem"),
            (Signal::MemoryStall, true, "over a second"),
            (Signal::MemoryStall, false, "cannot be observed"),
        ] {
            let state = SignalState {
                signal,
                available: None,
                capacity: None,
                thresholds: Vec::new(),
                is_awaited,
            };
            let mut text = String::new();
            signal_lines(&mut text, &state, Paint::default());
            assert!(text.contains(why), "{text}");
            assert!(text.trim_end().chars().count() <= 80, "{text}");
        }
    }
}

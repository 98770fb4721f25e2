//! The screen in lines, of any size: nothing here knows a terminal.

use evictd_engine::full_name;
use evictd_node::Signal;

use super::line::{Cell, Line, Style};
use super::screen::{Panel, Screen, Sort};
use super::signals;
use super::terminal::Size;
use crate::columns::wrap_within;
use crate::sampled::RankedPod;
use crate::screen::cut;

const KEYS: &str = "q quit  j k choose  s sort  w why  r rehearse";
const KEYS_OF_TEXT: &str = "q quit  j k scroll  w why  r rehearse  Escape back";

/// All of it, in as many lines as the terminal has.
pub(super) fn lines(screen: &Screen, size: Size, style: Style) -> Vec<String> {
    let body = size.rows.saturating_sub(2);
    let mut lines = vec![title(screen)];
    let most = match screen.panel {
        Panel::Pods => body.div_ceil(2),
        Panel::Why | Panel::Rehearsal => body.div_ceil(3),
    };
    lines.extend(signals::lines(screen, size.columns, most, style));
    let left = size.rows.saturating_sub(lines.len() + 1);
    match screen.panel {
        Panel::Pods => pods_and_events(&mut lines, screen, size.columns, left),
        Panel::Why => panel(&mut lines, screen, &why(screen), (size.columns, left)),
        Panel::Rehearsal => panel(&mut lines, screen, &rehearsal(screen), (size.columns, left)),
    }
    let keys = match screen.panel {
        Panel::Pods => KEYS,
        Panel::Why | Panel::Rehearsal => KEYS_OF_TEXT,
    };
    lines.resize_with(size.rows.saturating_sub(1), Line::default);
    lines.push(Line::of(Cell::plain(keys.to_owned())));
    lines.truncate(size.rows);
    let within = |line: &Line| line.within(size.columns, style.paint);
    lines.iter().map(within).collect()
}

/// `edge-7 22:15:12Z  MemoryPressure`
fn title(screen: &Screen) -> Line {
    let mut line = Line::default();
    let Some(seen) = &screen.seen else {
        line.push(Cell::head("evictd: the first look takes a moment"));
        return line;
    };
    // Without the day.
    let time = seen.time.get(11..).unwrap_or_default();
    line.push(Cell::head(&format!("{} {time}  ", seen.node)));
    let conditions = seen.conditions.join(" ");
    line.push(match conditions.as_str() {
        "" => Cell::plain("no condition holds".to_owned()),
        _ => Cell::bad(conditions),
    });
    if seen.is_dry_run {
        line.push(Cell::warn("  dry run: nothing is evicted".to_owned()));
    }
    if let Some(trouble) = &screen.trouble {
        line.push(Cell::bad(format!("  no answer: {trouble}")));
    }
    line
}

fn pods_and_events(lines: &mut Vec<Line>, screen: &Screen, columns: usize, left: usize) {
    let Some(seen) = &screen.seen else { return };
    let events = if left >= 8 { left / 3 } else { 0 };
    let room = left.saturating_sub(events);
    let end = lines.len().saturating_add(room);
    pods(lines, screen, columns, room);
    if events == 0 {
        return;
    }
    // Few pods leave more room for events.
    let unused = end.saturating_sub(lines.len()).saturating_sub(1);
    let events = events.saturating_add(unused);
    lines.push(Line::default());
    lines.push(Line::of(Cell::head("EVENTS")));
    let of_all: Vec<Line> = seen
        .events
        .iter()
        .flat_map(|of| event(of, columns))
        .collect();
    let skipped = of_all.len().saturating_sub(events.saturating_sub(1));
    lines.extend(of_all.into_iter().skip(skipped));
    if seen.events.is_empty() {
        lines.push(Line::of(Cell::plain("none yet".to_owned())));
    }
}

/// In as many lines as it takes, without the year.
fn event(event: &str, columns: usize) -> Vec<Line> {
    let text = event.get(5..).unwrap_or_default();
    let is = |level| text.contains(level);
    let cell = match (is(" ERROR "), is(" WARN ")) {
        (true, _) => Cell::bad,
        (_, true) => Cell::warn,
        _ => Cell::plain,
    };
    let mut wrapped = String::new();
    wrap_within(&mut wrapped, columns, ("", "    "), text);
    let lines = wrapped.lines();
    lines.map(|line| Line::of(cell(line.to_owned()))).collect()
}

fn pods(lines: &mut Vec<Line>, screen: &Screen, columns: usize, room: usize) {
    let (Some(seen), pods) = (&screen.seen, screen.pods()) else {
        return;
    };
    let signal = seen.overview.ranked_by;
    let order = match screen.sort {
        Sort::Eviction => "in the order of eviction",
        Sort::Use => "by what they use",
        Sort::Name => "by name",
    };
    lines.push(Line::default());
    let counted = match pods.len() {
        1 => "1 POD".to_owned(),
        several => format!("{several} PODS"),
    };
    let heading = format!("{counted} {order}, for {signal}");
    lines.push(Line::of(Cell::head(&heading)));
    let room = room.saturating_sub(2);
    let at = screen.chosen_at(&pods);
    let skipped = at.saturating_add(1).saturating_sub(room);
    for (index, pod) in pods.iter().enumerate().skip(skipped).take(room) {
        let text = pod_line(signal, pod, columns);
        lines.push(Line::of(if index == at {
            Cell::head(&format!("> {text}"))
        } else {
            Cell::plain(format!("  {text}"))
        }));
    }
}

fn pod_line(signal: Signal, pod: &RankedPod, columns: usize) -> String {
    let (place, standing) = pod.standing();
    let used = pod.used_in_words(signal);
    let name = full_name(&pod.namespace, &pod.name);
    if columns < 70 {
        let width = columns.saturating_sub(14).max(1);
        return format!("{place:>3} {:<width$} {used:>7}", cut(&name, width));
    }
    let width = columns.saturating_sub(52).min(60);
    format!(
        "{place:>3} {:<width$} {used:>7} {:>11} {:<10} {standing}",
        cut(&name, width),
        pod.priority,
        pod.qos_class,
    )
}

/// A text of paragraphs, as much of it as there is room for.
fn panel(
    lines: &mut Vec<Line>,
    screen: &Screen,
    paragraphs: &[String],
    (columns, room): (usize, usize),
) {
    let mut text = String::new();
    for paragraph in paragraphs {
        let indent = if paragraph.starts_with(' ') {
            "    "
        } else {
            ""
        };
        let paragraph = paragraph.trim_start();
        wrap_within(&mut text, columns, (indent, "    "), paragraph);
    }
    lines.push(Line::default());
    let all: Vec<&str> = text.lines().collect();
    let mut room = room.saturating_sub(1);
    let is_cut = all.len() > room;
    room = room.saturating_sub(usize::from(is_cut));
    let above = screen.above.get().min(all.len().saturating_sub(room));
    screen.above.set(above);
    let shown = all.iter().skip(above).take(room);
    lines.extend(shown.map(|line| Line::of(Cell::plain((*line).to_owned()))));
    if is_cut {
        let below = all.len().saturating_sub(above + room);
        let hint = format!(".. {above} lines above, {below} below: j and k scroll");
        lines.push(Line::of(Cell::plain(hint)));
    }
}

/// Why the chosen pod stands where it does, and what would be done now.
fn why(screen: &Screen) -> Vec<String> {
    let (Some(seen), pods) = (&screen.seen, screen.pods()) else {
        return Vec::new();
    };
    let Some(pod) = pods.get(screen.chosen_at(&pods)) else {
        return vec!["there is no pod".to_owned()];
    };
    let name = full_name(&pod.namespace, &pod.name);
    let (of, signal) = (pods.len(), seen.overview.ranked_by);
    let standing = match (pod.protection, &pod.skipped, pod.place) {
        (Some(by), ..) => format!("{name}: never evicted: {by}"),
        (None, Some(why), _) => format!("{name}: skipped for {signal}: {why}"),
        (None, None, Some(place)) => {
            format!("{name}: place {place} of {of} in the order of eviction for {signal}")
        }
        (None, None, None) => format!("{name}: not evicted for {signal} now"),
    };
    let mut lines = vec![standing, format!("  {}", pod.reason)];
    lines.extend(seen.overview.next.lines());
    lines.push("now:".to_owned());
    let decided = seen.explained.decided.iter();
    lines.extend(decided.map(|of| format!("  {}", of.text)));
    if seen.explained.decided.is_empty() {
        lines.push("  nothing would be done".to_owned());
    }
    lines
}

/// What `evictd explain` says.
fn rehearsal(screen: &Screen) -> Vec<String> {
    let text = screen.seen.as_ref().map(|seen| seen.explained.in_text());
    let text = text.unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

//! The signals against their thresholds: a line for each, with a bar, and the last two minutes.

use evictd_node::Amount;

use super::line::{Cell, Line, Style};
use super::nearness::{Row, rows};
use super::screen::{LOOKS, Screen};
use crate::explain::distance::in_units;
use crate::screen::{bar, cut};
use crate::status::ThresholdState;

/// Of a name at least; a longer one has its room where the rest of the line has its own.
const NAME: usize = 22;
const AMOUNTS: usize = 15;
const SHORT: usize = 14;
const MET_IN: usize = 10;
/// With a bar and the past a line has to be as wide.
const WIDE: usize = 80;

/// The width of the name, the bar and the past, of a line so wide; zero for what has no room.
struct Widths {
    name: usize,
    bar: usize,
    past: usize,
    short: usize,
    met_in: usize,
}

impl Widths {
    fn of(columns: usize, longest: usize) -> Self {
        let room = columns.saturating_sub(2 + 1 + AMOUNTS);
        let name = longest.min(room).max(NAME);
        let left = room.saturating_sub(name);
        if columns < WIDE {
            let bar = left.saturating_sub(2).min(20);
            let bar = if bar < 4 { 0 } else { bar };
            return Self {
                name,
                bar,
                past: 0,
                short: 0,
                met_in: 0,
            };
        }
        let is_wider = columns >= WIDE + MET_IN + 10;
        let met_in = if is_wider { MET_IN } else { 0 };
        let left = left.saturating_sub(6 + SHORT + met_in + met_in.min(2));
        let bar = (left * 3 / 5).min(20);
        Self {
            name,
            bar,
            past: left.saturating_sub(bar),
            short: SHORT,
            met_in,
        }
    }
}

/// A heading and as many signals as there is room for; where it lacks, those that are next to
/// their thresholds.
pub(super) fn lines(screen: &Screen, columns: usize, most: usize, style: Style) -> Vec<Line> {
    let Some(seen) = &screen.seen else {
        return Vec::new();
    };
    let mut rows = rows(&seen.overview.signals);
    let room = most.saturating_sub(1);
    if rows.len() > room {
        rows.sort_by_key(|row| core::cmp::Reverse(row.reached()));
        rows.truncate(room);
    }
    let longest = rows.iter().map(|row| row.name().len()).max();
    let widths = Widths::of(columns, longest.unwrap_or(0));
    let mut lines = vec![heading(&widths)];
    lines.extend(rows.iter().map(|row| line(screen, row, &widths, style)));
    lines
}

fn heading(widths: &Widths) -> Line {
    let name = widths.name;
    let mut text = format!("  {:<name$} {:>7} {:>7}", "SIGNAL", "LEFT", "OF");
    for (width, title) in [
        (widths.bar, "USED"),
        (widths.past, "LAST 2m"),
        (widths.short, "THRESHOLD"),
        (widths.met_in, "MET IN"),
    ] {
        if width > 0 {
            text += &format!("  {title:<width$}");
        }
    }
    Line::of(Cell::head(text.trim_end()))
}

fn line(screen: &Screen, row: &Row<'_>, widths: &Widths, style: Style) -> Line {
    let Row { state, threshold } = row;
    let signal = state.signal;
    let (available, capacity) = state.available.zip(state.capacity).unwrap_or((0, 0));
    let is_met = threshold.and_then(|of| of.met) == Some(true);
    let as_it_is = |text: String| match (is_met, threshold.map(|of| of.kind)) {
        (true, Some("hard")) => Cell::bad(text),
        (true, _) => Cell::warn(text),
        (false, _) => Cell::plain(text),
    };
    let mark = if is_met { "! " } else { "  " };
    let left = Amount::of(signal, available).to_string();
    let of = Amount::of(signal, capacity).to_string();
    let mut line = Line::default();
    line.push(as_it_is(format!(
        "{mark}{:<width$} {left:>7}",
        cut(row.name(), widths.name),
        width = widths.name
    )));
    line.push(Cell::plain(format!(" {of:>7}")));
    if widths.bar > 0 {
        let mark = threshold.and_then(|of| of.value);
        let mark = mark.map(|value| state.filled(value));
        let width = u32::try_from(widths.bar).unwrap_or(0);
        line.push(Cell::plain("  ".to_owned()));
        line.push(as_it_is(bar(state.filled(available), mark, width)));
    }
    if widths.past > 0 {
        let past = past(screen, row, widths.past, style);
        line.push(Cell::plain(format!("  {past}")));
    }
    if widths.short > 0 {
        let short = threshold.map_or("-", |of| of.short.as_str());
        line.push(as_it_is(format!("  {short:<width$}", width = widths.short)));
    }
    if widths.met_in > 0 {
        line.push(Cell::plain(format!("  {}", met_in(screen, *threshold))));
    }
    line
}

/// When it is met at the present rate.
fn met_in(screen: &Screen, threshold: Option<&ThresholdState>) -> String {
    let distances = screen
        .seen
        .iter()
        .flat_map(|seen| &seen.explained.thresholds);
    let mut distances =
        distances.filter(|of| Some(&of.threshold) == threshold.map(|of| &of.threshold));
    let of = distances.next();
    match of.and_then(|of| of.met_in_seconds) {
        Some(seconds) => in_units(seconds),
        None => "-".to_owned(),
    }
}

/// The last looks in so many columns, each the worst of its share of them.
fn past(screen: &Screen, row: &Row<'_>, width: usize, style: Style) -> String {
    let signal = row.state.signal;
    let Some(past) = screen.past.iter().find(|past| past.signal == signal) else {
        return " ".repeat(width);
    };
    // By number and not by age: so a look stays in its column until all move on.
    let each = LOOKS.div_ceil(width).max(1);
    let first = screen.looks.saturating_sub(past.reached.len());
    let oldest = (screen.looks / each).saturating_sub(width.saturating_sub(1));
    let letter = |column: usize| {
        let of_column = (first..).zip(&past.reached);
        let of_column = of_column.filter(|(look, _)| look / each == oldest.saturating_add(column));
        let worst = of_column.map(|(_, reached)| *reached).max();
        worst.map_or(' ', |reached| style.height(reached))
    };
    (0..width).map(letter).collect()
}

//! A chart as a picture: each signal with its thresholds, the conditions, and the pods that
//! would be evicted, over time. SVG, without scripts, so that it opens anywhere.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::{self, Display, Write};

use evictd_node::{Amount, Condition};
use evictd_plain::Plain;
use evictd_threshold::Threshold;

use crate::{Chart, Charted};

/// Pixels: a panel's own, and what stands left of it, above it and between two.
const COLUMNS: u64 = 1000;
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 110.0;
const LEFT: f64 = 190.0;
const TOP: f64 = 60.0;
const GAP: f64 = 26.0;
const BAR: f64 = 16.0;

/// Of more evictions in one place the names would lie on each other.
const NAME_EVERY: f64 = 90.0;

/// Draws what was seen on a node, against these thresholds, as SVG.
#[must_use]
pub fn picture(node: &str, chart: &Chart, thresholds: &[Threshold]) -> String {
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut svg, node, chart, thresholds);
    svg
}

fn write(svg: &mut String, node: &str, chart: &Chart, thresholds: &[Threshold]) -> fmt::Result {
    let signals = chart.signals(thresholds, &[]);
    let panels = f64::from(u32::try_from(signals.len()).unwrap_or(0));
    let below = TOP + panels * (HEIGHT + GAP);
    let conditions = f64::from(u32::try_from(Condition::ALL.len()).unwrap_or(0));
    let (width, height) = (LEFT + WIDTH + 30.0, below + conditions * (BAR + 6.0) + 50.0);
    let ([first, last], title) = (chart.times().map(Xml), Xml(node));
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}: what is left of each signal, and what is decided</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{title}, {first} to {last}</text>"
    )?;
    let mut top = TOP;
    for signal in &signals {
        write_panel(svg, chart, signal, top)?;
        top += HEIGHT + GAP;
    }
    for condition in Condition::ALL {
        write_condition(svg, chart, condition, top)?;
        top += BAR + 6.0;
    }
    write_evictions(svg, chart, top)?;
    writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\">{first}</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{last}</text>\n</svg>",
        top + 20.0,
        LEFT + WIDTH,
        top + 20.0
    )
}

/// A signal's share of what is left, and its thresholds as dashed lines.
fn write_panel(svg: &mut String, chart: &Chart, of: &Charted<'_>, top: f64) -> fmt::Result {
    let signal = of.signal;
    let amount = |value| Amount::of(signal, value);
    writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f4f6f8\"/>\n\
         <text x=\"8\" y=\"{}\" font-weight=\"bold\">{signal}</text>\n\
         <text x=\"8\" y=\"{}\">least {} of {}</text>",
        top + 16.0,
        top + 34.0,
        amount(of.least),
        amount(of.capacity)
    )?;
    let mut path = String::new();
    let mut is_down = false;
    for (millis, reading) in chart.least_in_each(signal, COLUMNS) {
        if let Some(reading) = reading {
            let x = LEFT + pixels(chart.column(millis, COLUMNS));
            let y = top + HEIGHT * (1.0 - share(reading.available, reading.capacity));
            write!(path, "{}{x:.1} {y:.1}", if is_down { "L" } else { "M" })?;
        }
        is_down = reading.is_some();
    }
    writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"1.5\"/>"
    )?;
    let mut legend = top + 34.0;
    for threshold in &of.thresholds {
        legend += 17.0;
        write_threshold(svg, of, threshold, (top, legend))?;
    }
    Ok(())
}

/// As a dashed line, and what it comes to beside the panel.
fn write_threshold(
    svg: &mut String,
    of: &Charted<'_>,
    threshold: &Threshold,
    (top, legend): (f64, f64),
) -> fmt::Result {
    let level = threshold.level(of.capacity);
    let y = top + HEIGHT * (1.0 - share(level, of.capacity));
    let amount = Amount::of(of.signal, level);
    let (colour, text) = if threshold.is_hard() {
        ("#d1242f", format!("hard below {amount}"))
    } else {
        (
            "#bc6c00",
            format!("soft below {amount} for {}", threshold.grace),
        )
    };
    writeln!(
        svg,
        "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" \
         stroke-dasharray=\"5 4\"><title>{}</title></line>\n\
         <text x=\"8\" y=\"{legend}\" fill=\"{colour}\">{}</text>",
        LEFT + WIDTH,
        Xml(&threshold.to_string()),
        Xml(&text)
    )
}

/// When a condition held.
fn write_condition(svg: &mut String, chart: &Chart, condition: Condition, top: f64) -> fmt::Result {
    writeln!(
        svg,
        "<text x=\"8\" y=\"{}\">{condition}</text>\n\
         <rect x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{BAR}\" fill=\"#f4f6f8\"/>",
        top + 12.0
    )?;
    for span in chart.spans(condition) {
        let [from, to] = span.map(|millis| x(chart, millis));
        writeln!(
            svg,
            "<rect x=\"{from:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"#d1242f\"/>",
            (to - from).max(1.0)
        )?;
    }
    Ok(())
}

/// A line through all panels for each pod that would be evicted.
fn write_evictions(svg: &mut String, chart: &Chart, bottom: f64) -> fmt::Result {
    let mut named = f64::MIN;
    for (millis, pod) in chart.evictions() {
        let (x, pod) = (x(chart, *millis), Xml(pod));
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{bottom}\" stroke=\"#8250df\">\
             <title>{pod} would be evicted</title></line>",
            TOP - 6.0
        )?;
        if x >= named + NAME_EVERY {
            named = x;
            let y = TOP - 10.0;
            writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y}\" fill=\"#8250df\">{pod}</text>"
            )?;
        }
    }
    Ok(())
}

/// Where a moment lies from left to right.
fn x(chart: &Chart, millis: u64) -> f64 {
    LEFT + WIDTH * (pixels(millis) / pixels(chart.last_millis().max(1)))
}

#[expect(clippy::cast_precision_loss, reason = "pixels")]
const fn pixels(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a hundred pixels")]
fn share(part: i64, whole: i64) -> f64 {
    (part as f64 / whole as f64).clamp(0.0, 1.0)
}

/// Text within XML, plain too.
#[derive(Clone, Copy)]
struct Xml<'a>(&'a str);

impl Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in Plain(self.0).to_string().chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup() {
        assert_eq!(
            Xml("a<b>&\"\u{1b}").to_string(),
            "a&lt;b&gt;&amp;&quot;\\u{1b}"
        );
    }
}

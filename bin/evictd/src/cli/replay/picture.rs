//! A recording as a picture: each signal with its thresholds, the conditions, and the pods
//! that would be evicted, over time. SVG, without scripts, so that it opens anywhere.

use core::fmt::{self, Display, Write};

use evictd_engine::amount::{Amount, level};
use evictd_node::{Condition, ConditionSet, Mono, Reading, Signal};
use evictd_recording::{Decided, Seen};
use evictd_threshold::Threshold;

use crate::plain::Plain;

/// Pixels: a panel's own, and what stands left of it, above it and between two.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 110.0;
const LEFT: f64 = 190.0;
const TOP: f64 = 60.0;
const GAP: f64 = 26.0;
const BAR: f64 = 16.0;

/// Of more evictions in one place the names would lie on each other.
const NAME_EVERY: f64 = 90.0;

/// What is shown, as it comes in.
pub(super) struct Picture<'a> {
    title: String,
    thresholds: &'a [Threshold],
    signals: Vec<Line>,
    moments: Vec<(Mono, ConditionSet)>,
    evictions: Vec<(Mono, String)>,
    first_time: String,
    last_time: String,
}

/// A signal that a threshold is about.
struct Line {
    signal: Signal,
    /// What was left at each moment, as a share of what there is; `None` where that was not
    /// measured.
    shares: Vec<Option<f32>>,
    last: Option<Reading>,
    least: Option<i64>,
}

impl<'a> Picture<'a> {
    pub(super) fn new(node: &str, thresholds: &'a [Threshold]) -> Self {
        let is_watched = |signal: &Signal| {
            let mut thresholds = thresholds.iter();
            thresholds.any(|of| of.signal == *signal && of.operator.is_some())
        };
        let line = |signal| Line {
            signal,
            shares: Vec::new(),
            last: None,
            least: None,
        };
        let watched = Signal::ALL.into_iter().filter(is_watched);
        Self {
            title: node.to_owned(),
            thresholds,
            signals: watched.map(line).collect(),
            moments: Vec::new(),
            evictions: Vec::new(),
            first_time: String::new(),
            last_time: String::new(),
        }
    }

    /// Adds a moment: what was seen, and what is decided on it.
    pub(super) fn add(&mut self, seen: &Seen, decided: &[Decided], held: ConditionSet) {
        if self.moments.is_empty() {
            self.first_time.clone_from(&seen.time);
        }
        self.last_time.clone_from(&seen.time);
        self.moments.push((seen.at, held));
        for line in &mut self.signals {
            line.add(seen.readings.get(line.signal));
        }
        let pods = decided.iter().filter_map(|of| of.pod.clone());
        self.evictions.extend(pods.map(|pod| (seen.at, pod)));
    }

    /// The whole of it.
    pub(super) fn in_svg(&self) -> String {
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut svg);
        svg
    }

    fn write(&self, svg: &mut String) -> fmt::Result {
        let shown: Vec<&Line> = self.signals.iter().filter(|of| of.last.is_some()).collect();
        let panels = f64::from(u32::try_from(shown.len()).unwrap_or(0));
        let below = TOP + panels * (HEIGHT + GAP);
        let conditions = f64::from(u32::try_from(Condition::ALL.len()).unwrap_or(0));
        let (width, height) = (LEFT + WIDTH + 30.0, below + conditions * (BAR + 6.0) + 50.0);
        let title = Xml(&self.title);
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <title>{title}: what is left of each signal, and what is decided</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{title}, {} to {}</text>",
            Xml(&self.first_time),
            Xml(&self.last_time)
        )?;
        let mut top = TOP;
        for line in shown {
            self.write_panel(svg, line, top)?;
            top += HEIGHT + GAP;
        }
        for condition in Condition::ALL {
            self.write_condition(svg, condition, top)?;
            top += BAR + 6.0;
        }
        self.write_evictions(svg, top)?;
        writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"{}\">{}</text>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n</svg>",
            top + 20.0,
            Xml(&self.first_time),
            LEFT + WIDTH,
            top + 20.0,
            Xml(&self.last_time)
        )
    }

    /// A signal's share of what is left, and its thresholds as dashed lines.
    fn write_panel(&self, svg: &mut String, line: &Line, top: f64) -> fmt::Result {
        let signal = line.signal;
        let amount = |value: Option<i64>| value.map(|value| Amount::of(signal, value).to_string());
        let least = amount(line.least).unwrap_or_default();
        let of = amount(line.last.map(|last| last.capacity)).unwrap_or_default();
        writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f4f6f8\"/>\n\
             <text x=\"8\" y=\"{}\" font-weight=\"bold\">{signal}</text>\n\
             <text x=\"8\" y=\"{}\">least {least} of {of}</text>",
            top + 16.0,
            top + 34.0
        )?;
        let mut path = String::new();
        let mut is_down = false;
        for (x, share) in self.least_in_each_pixel(line) {
            if let Some(share) = share {
                let y = top + HEIGHT * (1.0 - f64::from(share));
                write!(path, "{}{x:.1} {y:.1}", if is_down { "L" } else { "M" })?;
            }
            is_down = share.is_some();
        }
        writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"1.5\"/>"
        )?;
        let own = self.thresholds.iter().filter(|of| of.signal == signal);
        let mut legend = top + 34.0;
        for threshold in own.filter(|of| of.operator.is_some()) {
            legend += 17.0;
            self.write_threshold(svg, line, threshold, (top, legend))?;
        }
        Ok(())
    }

    /// As a dashed line, and what it comes to beside the panel.
    fn write_threshold(
        &self,
        svg: &mut String,
        line: &Line,
        threshold: &Threshold,
        (top, legend): (f64, f64),
    ) -> fmt::Result {
        let Some(last) = line.last else {
            return Ok(());
        };
        let level = level(threshold, last.capacity);
        let y = top + HEIGHT * (1.0 - f64::from(share(level, last.capacity)));
        let amount = Amount::of(line.signal, level);
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
    fn write_condition(&self, svg: &mut String, condition: Condition, top: f64) -> fmt::Result {
        writeln!(
            svg,
            "<text x=\"8\" y=\"{}\">{condition}</text>\n\
             <rect x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{BAR}\" fill=\"#f4f6f8\"/>",
            top + 12.0
        )?;
        let mut since = None;
        let end = self
            .moments
            .last()
            .map(|(at, _)| (*at, ConditionSet::empty()));
        for (at, held) in self.moments.iter().copied().chain(end) {
            match (since, held.has(condition)) {
                (None, true) => since = Some(at),
                (Some(from), false) => {
                    let (from, to) = (self.x(from), self.x(at));
                    writeln!(
                        svg,
                        "<rect x=\"{from:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"#d1242f\"/>",
                        (to - from).max(1.0)
                    )?;
                    since = None;
                }
                (None, false) | (Some(_), true) => {}
            }
        }
        Ok(())
    }

    /// A line through all panels for each pod that would be evicted.
    fn write_evictions(&self, svg: &mut String, bottom: f64) -> fmt::Result {
        let mut named = f64::MIN;
        for (at, pod) in &self.evictions {
            let (x, pod) = (self.x(*at), Xml(pod));
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
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    fn x(&self, at: Mono) -> f64 {
        let first = self.moments.first().map_or(at, |(first, _)| *first);
        let last = self.moments.last().map_or(at, |(last, _)| *last);
        let whole = last.since(first).as_millis().max(1) as f64;
        LEFT + WIDTH * (at.since(first).as_millis() as f64 / whole)
    }

    /// A long recording has many moments in a pixel: the least of them is what counts.
    fn least_in_each_pixel(&self, line: &Line) -> Vec<(f64, Option<f32>)> {
        let mut points: Vec<(f64, Option<f32>)> = Vec::new();
        for ((at, _), share) in self.moments.iter().zip(&line.shares) {
            let x = self.x(*at).floor();
            match points.last_mut() {
                Some((last, least)) if (*last - x).abs() < 0.5 => {
                    *least = least
                        .zip(*share)
                        .map(|(one, other)| one.min(other))
                        .or(*share);
                }
                _ => points.push((x, *share)),
            }
        }
        points
    }
}

impl Line {
    fn add(&mut self, reading: Option<Reading>) {
        let seen = reading.filter(|reading| reading.capacity > 0);
        self.shares
            .push(seen.map(|seen| share(seen.available, seen.capacity)));
        let Some(seen) = seen else { return };
        self.last = Some(seen);
        let least = self
            .least
            .map_or(seen.available, |least| least.min(seen.available));
        self.least = Some(least);
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a hundred pixels"
)]
fn share(part: i64, whole: i64) -> f32 {
    (part as f64 / whole as f64).clamp(0.0, 1.0) as f32
}

/// Text within XML, plain too.
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

//! What flags decide on a recording: what `evictd replay` prints, and what a chart shows.

use evictd_config::{Flag, Typed, nearest, resolve};
use evictd_evict::Evict;
use evictd_recording::{Chart, Decided, Line, Session};
use serde_json::{Value, json};

use crate::Recording;
use crate::chart::chart_in_json;

/// A page with more of them, and of what put pods where they are, is not read by anybody.
const MOST_DECISIONS: usize = 5_000;
const MOST_REASONS: usize = 8 << 20;

/// What is decided on the recording, with the flags of `question`: `[["NAME","VALUE"],...]`.
///
/// # Errors
/// What is wrong with a flag.
pub fn decide(recording: &Recording, question: &[u8]) -> Result<Value, String> {
    let typed = recording.with_flags(typed(question)?)?;
    let settings = resolve(&typed).map_err(|error| error.to_string())?;
    let evict = Evict::new(settings.evict.clone());
    let mut session = Session::new(evict);
    let mut chart = Chart::default();
    let mut told = Told::default();
    let mut moment = Moment::default();
    for line in &recording.lines {
        if let Line::Decided(text) = line {
            moment.recorded.push(text);
            continue;
        }
        let decided = match session.show(line) {
            Ok(decided) => decided,
            Err(error) => {
                told.problem = Some(error.to_string());
                break;
            }
        };
        if let Line::Seen(seen) = line {
            told.add(&moment);
            chart.add(seen, session.conditions());
            chart.decided(&decided);
            moment = Moment {
                time: &seen.time,
                millis: chart.last_millis(),
                decided,
                recorded: Vec::new(),
            };
            if told.is_too_much() {
                told.problem = Some("more is decided than a page can show".to_owned());
                break;
            }
        }
    }
    told.add(&moment);
    Ok(json!({
        "decided": told.decided,
        "gone": told.gone,
        "moments": chart.moments(),
        "problem": told.problem,
        "chart": chart_in_json(&chart, &settings.evict.thresholds),
    }))
}

/// The flags as they are given on a command line.
fn typed(question: &[u8]) -> Result<Typed, String> {
    let flags: Vec<(String, String)> =
        serde_json::from_slice(question).map_err(|error| error.to_string())?;
    let mut typed = Typed::default();
    for (name, value) in flags {
        if !typed.add(&name, value) {
            let names = Flag::all().map(|flag| flag.name);
            let meant = nearest(&name, names)
                .map_or_else(String::new, |meant| format!("; did you mean --{meant}?"));
            return Err(format!("unknown flag: --{name}{meant}"));
        }
    }
    Ok(typed)
}

/// What is decided of a moment, now and when it was recorded.
#[derive(Default)]
struct Moment<'a> {
    time: &'a str,
    millis: u64,
    decided: Vec<Decided>,
    recorded: Vec<&'a str>,
}

/// What is told of all of them.
#[derive(Default)]
struct Told {
    decided: Vec<Value>,
    gone: Vec<Value>,
    reasons: usize,
    problem: Option<String>,
}

impl Told {
    fn add(&mut self, moment: &Moment<'_>) {
        let (time, millis) = (moment.time, moment.millis);
        for of in &moment.decided {
            self.reasons = self.reasons.saturating_add(of.why.len());
            self.decided.push(json!({
                "time": time,
                "millis": millis,
                "text": of.text,
                "why": of.why,
                "pod": of.pod,
                "isNew": !moment.recorded.contains(&of.text.as_str()),
            }));
        }
        let is_gone = |text: &&&str| !moment.decided.iter().any(|now| now.text == **text);
        for text in moment.recorded.iter().filter(is_gone).take(MOST_DECISIONS) {
            self.gone
                .push(json!({ "time": time, "millis": millis, "text": text }));
        }
    }

    const fn is_too_much(&self) -> bool {
        self.decided.len() + self.gone.len() > MOST_DECISIONS || self.reasons > MOST_REASONS
    }
}

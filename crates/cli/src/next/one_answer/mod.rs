//! Which pod is next and why, or why none is, is one answer: the log, `/view.json`, the commands,
//! the history and a replay give it word for word, at every moment of which the tree has a
//! recording or a made-up node, and at those of simulated ones.

mod moment;

use core::time::Duration;

use evictd_engine::Event;
use evictd_node::{ConditionSet, Utc};
use evictd_recording::Decided;
use evictd_simulator::{Plan, watch};
use evictd_state::State;
use serde_json::json;

use super::*;
use crate::check::next_in_words;
use crate::explain::order::Order;
use crate::explain::{Explanation, one_answer};
use crate::history::timeline;
use crate::look;
use crate::sampled::rank_pods;
use crate::screen::Paint;
use crate::status;
use moment::{Moment, made_up, moments};

/// Of each seed a minute and more, second by second.
const SEEDS: u64 = 12;

/// Without the ends of lines, which depend on the width of a screen.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// That text has those words, whatever the ends of its lines.
fn assert_says(who: &str, text: &str, words: &str) {
    let (text, words) = (unwrapped(text), unwrapped(words));
    assert!(text.contains(&words), "{who}: {words}\nis not in\n{text}");
}

/// What was asked, and how often.
#[derive(Debug, Default)]
struct Asked {
    with_next: usize,
    with_none: usize,
    evicted: usize,
    spared: usize,
    replayed: usize,
}

impl Asked {
    fn ask(&mut self, moment: &Moment) {
        let (view, events) = moment.told_by_the_loop();
        let replayed = moment.replayed();
        for signal in Signal::ALL {
            let Some(said) = view.verdict(signal) else {
                continue;
            };
            assert_eq!(said, &moment.looked_at(signal), "a look from outside");
            let next = Next::said_by(&view, signal).unwrap();
            match next.first() {
                Some(_) => self.with_next += 1,
                None => self.with_none += 1,
            }
            shown_by_commands(moment, &view, &next);
            self.logged(&events, &next);
            self.decided(&replayed, said, &view, &next);
        }
    }

    /// The log and the history.
    fn logged(&mut self, events: &[Event], next: &Next) {
        let mut state = State::default();
        let mut records = Vec::new();
        for event in events {
            if let Event::Evicting(decision) = event {
                if decision.record.signal == Some(next.signal) {
                    let first = next.first().unwrap();
                    assert_eq!(decision.victim.to_string(), first.name);
                    assert_eq!(decision.record.reason, first.reason);
                    assert_says("log", &event.to_string(), &first.reason);
                    state.push(decision.record.clone());
                    let history = timeline::in_text(&state, &records);
                    assert_says("history", &history, &first.name);
                    assert_says("history", &history, &first.reason);
                    self.evicted += 1;
                }
                return; // What comes after it is decided with that pod gone.
            }
            if let Event::NoCandidate(verdict) = event
                && verdict.signal == next.signal
            {
                let why = next.why_none.as_ref().unwrap();
                let text = event.to_string();
                assert_says("log", &text, why);
                records.push(json!({
                    "time": Utc(0).to_string(), "level": "warn",
                    "event": event.name(), "message": text,
                }));
                let history = timeline::in_text(&state, &records);
                assert_says("history", &history, why);
                self.spared += 1;
            }
        }
    }

    /// A replay, and what `explain` makes of the same decisions.
    fn decided(&mut self, replayed: &[Decided], said: &Value, view: &View, next: &Next) {
        let of_signal = |of: &&Decided| {
            let verdict = of.verdict.as_ref();
            verdict.is_some_and(|verdict| verdict.signal == next.signal)
        };
        let Some(first) = replayed.iter().find(of_signal) else {
            return;
        };
        let verdict = verdict_in_json(first.verdict.as_ref().unwrap());
        if verdict.to_string().contains("named by this dry run") {
            return; // What it has decided before counts as done.
        }
        assert_eq!(&verdict, said, "replay");
        let (of_replay, of_explain) = match next.first() {
            Some(pod) => (
                format!("pod {} would be evicted", pod.name),
                format!(
                    "pod {} would be evicted for {}: {}",
                    pod.name, next.signal, pod.reason
                ),
            ),
            None => {
                let why = next.why_none.as_ref().unwrap();
                let text = format!("no pod would be evicted for {}: {why}", next.signal);
                (text.clone(), text)
            }
        };
        assert_says("replay", &first.text, &of_replay);
        let answer = one_answer(vec![first.clone()], view);
        let texts: Vec<&str> = answer.iter().map(|of| of.text.as_str()).collect();
        assert_eq!(texts, [of_explain], "explain");
        self.replayed += 1;
    }
}

/// `status`, `explain`, `explain SIGNAL`, `look` and `check`.
fn shown_by_commands(moment: &Moment, view: &View, next: &Next) {
    let (signal, settings) = (next.signal, &moment.settings);
    let candidates = moment.candidates();
    let pods = || {
        next.apply(rank_pods(
            signal,
            moment.layout(),
            &candidates,
            settings.policy(),
        ))
    };
    let sentence = next.sentence();
    let readings = &moment.seen.readings;
    let overview = status::Overview::new(
        &settings.evict.thresholds,
        readings,
        ConditionSet::empty(),
        moment.layout(),
        next.clone(),
        pods(),
    );
    let text = status::text::in_text(&overview, Paint::NONE);
    assert_says("status", &text, &sentence);
    let in_order = Order {
        signal,
        next: next.clone(),
        pods: pods(),
        by_daemon: true,
    };
    assert_says("explain SIGNAL", &in_order.in_text(Paint::NONE), &sentence);
    let between = (readings, readings, Duration::from_secs(1));
    let explained = Explanation::of_daemon(settings, between, Vec::new(), next.clone());
    assert_says("explain", &explained.in_text(), &sentence);
    let looked = look::in_words(core::slice::from_ref(next));
    let (_, who) = sentence.split_once(": ").unwrap();
    assert!(
        looked.iter().any(|(_, words)| words.starts_with(who)),
        "look"
    );
    // A monitor is told of the first signal that is short.
    let mut thresholds = settings.evict.thresholds.clone();
    thresholds.retain(|of| of.signal == signal);
    if !thresholds.is_empty() {
        let name = next.first().map(|of| of.name.clone());
        let why = next.why_none.as_ref().map(|why| format!("none: {why}"));
        let expected = format!("; next: {}", name.or(why).unwrap());
        assert_eq!(next_in_words(None, &thresholds, view), expected, "check");
    }
    // The table's first pod is that one.
    let first = pods().into_iter().find(|pod| pod.place == Some(1));
    let first = first.map(|pod| (full_name(&pod.namespace, &pod.name), pod.reason));
    let expected = next.first().map(|of| (of.name.clone(), of.reason.clone()));
    assert_eq!(first, expected, "status");
}

#[test]
fn all_give_one_answer() {
    let mut asked = Asked::default();
    made_up().iter().for_each(|moment| asked.ask(moment));
    assert!(asked.with_next > 5 && asked.with_none > 5, "{asked:?}");
    for recording in [
        include_str!("../../../../recording/tests/eviction.jsonl"),
        include_str!("../../../../recording/tests/hour.jsonl"),
        include_str!("../../../../simulator/recordings/docker.jsonl"),
        include_str!("../../../../simulator/recordings/full-speed.jsonl"),
        include_str!("../../../../simulator/recordings/leak-and-disk.jsonl"),
    ] {
        moments(recording).iter().for_each(|of| asked.ask(of));
    }
    for seed in 0..SEEDS {
        let watched = watch(&Plan::of(seed)).unwrap();
        let moments = moments(&watched.recording);
        moments.iter().for_each(|of| asked.ask(of));
    }
    let counts = [asked.evicted, asked.spared, asked.replayed];
    assert!(counts.iter().all(|count| *count > 20), "{asked:?}");
}

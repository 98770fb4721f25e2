use core::time::Duration;

use evictd_engine::fake::{FakeNode, FakePod, FakePods, FakeReclaim};
use evictd_engine::ports::Sample;
use evictd_engine::{Engine, Settings};
use evictd_evict::{Config, Evict, Observation, Verdict};
use evictd_node::{Layout, Mono, Reading};
use evictd_rank::Candidate;
use evictd_recording::{Line, Seen, SeenPod, Session};
use evictd_threshold::{Lists, parse};
use serde_json::Value;

use super::*;

/// Acceptance row 371.
#[test]
fn what_the_daemon_says_is_shown() {
    let view = r#"{"verdicts":{"imagefs.available":{
        "whyNone":"the last eviction gave nothing back",
        "pods":[{"name":"cam","uid":"1","reason":"uses 1Mi"}, 7, {"name":"web"}]}}}"#;
    let view: View = serde_json::from_str(view).unwrap();
    let next = Next::said_by(&view, Signal::ImagefsAvailable).unwrap();
    assert!(next.pods.is_empty() && next.accounts.len() == 1);
    assert_eq!(
        next.sentence(),
        "Next to be evicted for imagefs.available: none: the last eviction gave nothing back"
    );
    assert!(Next::said_by(&view, Signal::MemoryAvailable).is_none());
}

#[test]
fn what_holds_the_eviction_back_is_shown() {
    let view = r#"{"heldBack":{"by":"a gate","pod":"docker/hog","signal":"memory.available"},
        "verdicts":{
        "memory.available":{"pods":[{"name":"hog","namespace":"docker","uid":"1","reason":"uses 9Mi"}]},
        "pid.available":{"pods":[{"name":"web","uid":"2","reason":"uses 9"}]}}}"#;
    let view: View = serde_json::from_str(view).unwrap();
    let lines = |signal| -> Vec<String> {
        let next = Next::said_by(&view, signal).unwrap();
        next.lines().collect()
    };
    assert_eq!(
        lines(Signal::MemoryAvailable),
        [
            "Next to be evicted for memory.available: docker/hog: uses 9Mi",
            "pod docker/hog is next, and waits: a gate"
        ]
    );
    assert_eq!(lines(Signal::PidAvailable).len(), 1);
}

/// A machine that is short of memory, with these pods, and what must not be known of them.
fn short_of_memory(pods: &[FakePod], hard: &str) -> (Settings, FakePods, Sample) {
    let mut settings = Settings::default();
    settings.evict.thresholds = parse(&Lists::of_hard(hard)).unwrap();
    let mut sample = Sample::default();
    let reading = Reading::new(50 << 20, 1000 << 20);
    sample.readings.set(Signal::MemoryAvailable, Some(reading));
    sample.layout = Some(Layout::OneFilesystem);
    (settings, FakePods::of(pods.iter().cloned()), sample)
}

/// What a loop says of it, by its log, and the answer of its socket.
fn told_by_the_loop(settings: Settings, pods: FakePods, sample: Sample) -> (Vec<String>, View) {
    let mut node = FakeNode::default();
    node.set(sample);
    let mut engine = Engine::new(settings, (node, pods, FakeReclaim::default()));
    let now = Mono::from_millis(1);
    // Asked before the loop acts: it is to do what it has said.
    engine.observe(now, Duration::ZERO, false);
    let verdicts = engine.verdicts(now);
    let conditions = core::iter::empty();
    let answer = View::default().in_json([], conditions, engine.readings(), (&verdicts, None));
    engine.run_due(now);
    let told = engine.take_events().map(|(_, of)| of.to_string()).collect();
    (told, serde_json::from_str(&answer).unwrap())
}

/// What is decided on a recording of that moment.
fn replayed(config: Config, pods: &[FakePod], sample: &Sample) -> Vec<String> {
    let mut session = Session::new(Evict::new(config));
    for pod in pods {
        session.show(&Line::Pod(Box::new(pod.pod.clone()))).unwrap();
    }
    let seen = |of: &FakePod| SeenPod {
        uid: of.pod.metadata.uid.clone(),
        usage: of.usage.clone(),
    };
    let seen = Seen {
        at: Mono::from_millis(1),
        layout: sample.layout,
        readings: sample.readings,
        pods: pods.iter().map(seen).collect(),
        ..Seen::default()
    };
    let decided = session.show(&Line::Seen(Box::new(seen))).unwrap();
    decided.into_iter().map(|of| of.text).collect()
}

/// The verdict of a single look from outside.
fn looked_at(config: Config, pods: &[FakePod], sample: &Sample) -> Verdict {
    let candidate = |of: &FakePod| Candidate::new(&of.pod, of.usage.as_ref());
    let candidates: Vec<Candidate> = pods.iter().map(candidate).collect();
    let mut evict = Evict::new(config);
    let observation = Observation {
        readings: &sample.readings,
        layout: sample.layout,
    };
    let now = Mono::from_millis(1);
    evict.step(now, &observation, None);
    evict.verdict(now, Signal::MemoryAvailable, &candidates)
}

/// Which pod is next and why, or why none is, is one answer: the log, the socket, the commands
/// and a replay give it word for word.
#[test]
fn all_give_one_answer() {
    let mut sacred = FakePod::new("hog", 300 << 20);
    sacred.pod.spec.priority = Some(2_000_000_000);
    let mut unread = FakePod::new("hog", 300 << 20);
    unread.usage = None;
    let hog = FakePod::new("hog", 300 << 20);
    let small = FakePod::new("small", 2 << 20);
    let cases = [
        (vec![], "there is no pod"),
        (vec![sacred], "each is protected"),
        (vec![small.clone()], "together they hold too little"),
        (vec![small.clone(), hog], "hog"),
        (vec![small, unread], "small"),
    ];
    for (pods, expected) in cases {
        let (settings, fake, sample) = short_of_memory(&pods, "memory.available<100Mi");
        let config = settings.evict.clone();
        let (told, view) = told_by_the_loop(settings, fake, sample);
        let begins = |with: &str| told.iter().find_map(|line| line.strip_prefix(with));
        let none = begins("memory.available is short and no pod is evicted: ");
        let evicted = begins("evicting pod ");
        let answer = none.or(evicted).unwrap();
        assert!(answer.starts_with(expected), "{answer}");

        let verdict = looked_at(config.clone(), &pods, &sample);
        let document = verdict_in_json(&verdict);
        let shown = Next::read(Signal::MemoryAvailable, &document);
        assert_eq!(shown.nobody.as_deref(), none);
        assert_eq!(document.get("whyNone").and_then(Value::as_str), none);
        assert_eq!(view.verdict(Signal::MemoryAvailable), Some(&document));
        let by_daemon = Next::said_by(&view, Signal::MemoryAvailable).unwrap();
        assert_eq!(by_daemon.sentence(), shown.sentence());
        if let Some(pod) = shown.pods.first() {
            let reason = pod.strip_prefix(&format!("{expected}: ")).unwrap();
            assert!(answer.contains(reason), "{answer}: {reason}");
            assert_eq!(document["next"], expected);
        }

        let decided = replayed(config, &pods, &sample);
        let answer = match none {
            Some(why) => format!("no pod would be evicted for memory.available: {why}"),
            None => format!("pod {expected} would be evicted: "),
        };
        let has_it = decided.iter().any(|text| text.starts_with(&answer));
        assert!(has_it, "{answer}: {decided:?}");
    }
}

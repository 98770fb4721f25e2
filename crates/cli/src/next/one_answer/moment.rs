//! What is seen of a node at one moment: of a recording, or made up; and what a loop, a look and a
//! replay make of it.

use core::time::Duration;

use evictd_client::{HeldBack, View, verdict_in_json};
use evictd_config::{Resolved, Typed, resolve};
use evictd_engine::fake::{FakeNode, FakePod, FakePods, FakeReclaim};
use evictd_engine::ports::Sample;
use evictd_engine::{Engine, Event, Settings};
use evictd_evict::{Evict, Observation};
use evictd_node::pod::Pod;
use evictd_node::{Layout, Mono, Reading, Signal};
use evictd_rank::Candidate;
use evictd_recording::{Decided, Line, Seen, SeenPod, Session};
use serde_json::Value;

/// What is seen of a node at one moment, and its settings.
pub(super) struct Moment {
    pub(super) settings: Resolved,
    pub(super) seen: Seen,
    pods: Vec<Pod>,
}

impl Moment {
    /// Without pods' own limits: of those there is no verdict.
    fn new(flags: &str, mut seen: Seen, pods: Vec<Pod>) -> Self {
        // The loop is asked between two looks: of the second one no number is old.
        for signal in Signal::ALL {
            let reading = seen.readings.get(signal);
            let fresh = reading.map(|of| Reading::new(of.available, of.capacity));
            seen.readings.set(signal, fresh);
        }
        let mut typed = Typed::default();
        typed.add_flags_file("flags", flags.as_bytes()).unwrap();
        let mut settings = resolve(&typed).unwrap();
        settings.evict.local_storage_isolation = false;
        Self {
            settings,
            seen,
            pods,
        }
    }

    fn sample(&self) -> Sample {
        Sample {
            readings: self.seen.readings,
            layout: self.seen.layout,
            ..Sample::default()
        }
    }

    fn fake_pods(&self) -> impl Iterator<Item = FakePod> {
        self.seen.pods.iter().filter_map(|of| {
            let is_it = |pod: &&Pod| pod.metadata.uid == of.uid;
            Some(FakePod {
                pod: self.pods.iter().find(is_it)?.clone(),
                usage: of.usage.clone(),
                dies_after: Some(Duration::ZERO),
                ..FakePod::default()
            })
        })
    }

    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let of = |of: FakePod| Candidate::new(&of.pod, of.usage.as_ref());
        self.fake_pods().map(of).collect()
    }

    pub(super) fn layout(&self) -> Layout {
        self.seen.layout.unwrap_or(Layout::OneFilesystem)
    }

    /// What a daemon that has just begun answers, and what it does then.
    pub(super) fn told_by_the_loop(&self) -> (View, Vec<Event>) {
        let mut node = FakeNode::default();
        node.set(self.sample());
        let settings = Settings {
            evict: self.settings.evict.clone(),
            ..Settings::default()
        };
        let pods = FakePods::of(self.fake_pods());
        let mut engine = Engine::new(settings, (node, pods, FakeReclaim::default()));
        let now = self.seen.at;
        engine.observe(now, Duration::ZERO, false);
        let verdicts = engine.verdicts(now);
        let pod = engine.evict().proposed();
        let gate = engine.held_back_by();
        let held_back = gate.map(|gate| HeldBack::new(&gate, pod, &verdicts));
        let known = (verdicts.as_slice(), held_back);
        let conditions = core::iter::empty();
        let answer = View::default().in_json([], conditions, engine.readings(), known);
        engine.run_due(now);
        let told = engine.take_events().map(|(_, event)| event).collect();
        (serde_json::from_str(&answer).unwrap(), told)
    }

    /// The verdict of a look from outside.
    pub(super) fn looked_at(&self, signal: Signal) -> Value {
        let mut evict = Evict::new(self.settings.evict.clone());
        let observation = Observation {
            readings: &self.seen.readings,
            layout: self.seen.layout,
        };
        evict.step(self.seen.at, &observation, None);
        verdict_in_json(&evict.verdict(self.seen.at, signal, &self.candidates()))
    }

    pub(super) fn replayed(&self) -> Vec<Decided> {
        let mut session = Session::new(Evict::new(self.settings.evict.clone()));
        for pod in &self.pods {
            session.show(&Line::Pod(Box::new(pod.clone()))).unwrap();
        }
        let seen = Line::Seen(Box::new(self.seen.clone()));
        session.show(&seen).unwrap()
    }
}

/// Each moment of a recording.
pub(super) fn moments(recording: &str) -> Vec<Moment> {
    let (mut flags, mut pods) = (String::new(), Vec::<Pod>::new());
    let mut moments = Vec::new();
    for line in recording.lines() {
        match Line::parse(line.as_bytes()).unwrap() {
            Line::Begun(begun) => flags = begun.flags.join("\n"),
            Line::Pod(pod) => {
                pods.retain(|of| of.metadata.uid != pod.metadata.uid);
                pods.push(*pod);
            }
            Line::Seen(seen) => moments.push(Moment::new(&flags, *seen, pods.clone())),
            Line::Decided(_) | _ => {}
        }
    }
    moments
}

/// Nodes that are short of one thing, with these pods on them.
pub(super) fn made_up() -> Vec<Moment> {
    let mut sacred = FakePod::new("hog", 300 << 20);
    sacred.pod.spec.priority = Some(2_000_000_000);
    let mut unread = FakePod::new("hog", 300 << 20);
    unread.usage = None;
    let hog = FakePod::new("hog", 300 << 20);
    let small = FakePod::new("small", 2 << 20);
    let flags = [
        "--eviction-hard=memory.available<100Mi",
        "--eviction-hard=nodefs.available<100Mi",
        "--eviction-hard=memory.available<100Mi,nodefs.available<100Mi",
        "--eviction-hard=\n--eviction-soft=memory.available<100Mi\n\
         --eviction-soft-grace-period=memory.available=1m",
    ];
    let pods = [
        vec![],
        vec![sacred],
        vec![small.clone()],
        vec![small.clone(), hog],
        vec![small, unread],
    ];
    let of = |flags: &str, pods: &[FakePod]| {
        let mut seen = Seen {
            at: Mono::from_millis(1),
            layout: Some(Layout::OneFilesystem),
            ..Seen::default()
        };
        for signal in [Signal::MemoryAvailable, Signal::NodefsAvailable] {
            let reading = Reading::new(50 << 20, 1000 << 20);
            seen.readings.set(signal, Some(reading));
        }
        seen.pods = pods
            .iter()
            .map(|of| SeenPod {
                uid: of.pod.metadata.uid.clone(),
                usage: of.usage.clone(),
            })
            .collect();
        let pods = pods.iter().map(|of| of.pod.clone()).collect();
        Moment::new(flags, seen, pods)
    };
    let each = flags.into_iter();
    each.flat_map(|flags| pods.iter().map(move |pods| of(flags, pods)))
        .collect()
}

//! A run as `evictd record` sees it beside the daemon: what the world shows of itself, second by
//! second, and what the thresholds decide on it.

use alloc::rc::Rc;
use core::time::Duration;

use evictd_evict::Evict;
use evictd_node::pod::Pod;
use evictd_node::{Mono, Readings, Signal};
use evictd_rank::Candidate;
use evictd_recording::{Begun, Line, Seen, SeenPod, Session};

use crate::feature::Feature;
use crate::plan::Plan;
use crate::ports::{Shared, shown_exactly};
use crate::random::Random;
use crate::thresholds::{flags, settings};
use crate::world::{World, wall_clock};

/// Between two moments.
const EVERY: Duration = Duration::from_secs(1);

/// Writes down what it sees. It looks by itself, so that the run is the same with it.
pub(crate) struct Recorder {
    world: Shared,
    session: Session,
    random: Random,
    pods: Vec<Pod>,
    next: Mono,
    /// The recording, line by line.
    pub(crate) lines: String,
}

impl Recorder {
    /// It has the settings that the daemon began with.
    pub(crate) fn new(plan: &Plan, world: &Shared) -> Option<Self> {
        let begun = Line::Begun(Begun {
            node: format!("seed-{}", plan.seed),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            flags: flags(plan),
        });
        Some(Self {
            world: Rc::clone(world),
            session: session(plan),
            random: Random::new(plan.seed, 7),
            pods: Vec::new(),
            next: Mono::ZERO,
            lines: format!("{begun}\n"),
        })
    }

    /// Looks, where it is time to; returns whether it did.
    pub(crate) fn look(&mut self) -> bool {
        let world = Rc::clone(&self.world);
        let world = &*world.borrow();
        if world.now < self.next {
            return false;
        }
        self.next = world.now + EVERY;
        let (pods, seen) = self.moment(world);
        for line in pods.into_iter().map(|pod| Line::Pod(Box::new(pod))) {
            self.write(&line);
        }
        self.write(&Line::Seen(Box::new(seen)));
        true
    }

    /// Pods that are new or described anew, and what is there.
    fn moment(&mut self, world: &World) -> (Vec<Pod>, Seen) {
        let mut readings = Readings::default();
        for signal in Signal::ALL {
            let is_missing = world.has(Feature::Blind) && self.random.one_in(30);
            let reading = world.truth(signal);
            readings.set(signal, reading.filter(|_| !is_missing));
        }
        let running = world.pods.iter().filter(|pod| pod.runs());
        let shown: Vec<Candidate> = running.map(|pod| shown_exactly(world, pod)).collect();
        let mut news = Vec::new();
        for of in &shown {
            let uid = &of.pod.metadata.uid;
            match self.pods.iter_mut().find(|pod| pod.metadata.uid == *uid) {
                Some(known) if *known == *of.pod => continue,
                Some(known) => known.clone_from(&of.pod),
                None => self.pods.push(Pod::clone(&of.pod)),
            }
            news.push(Pod::clone(&of.pod));
        }
        let there = |pod: &Pod| {
            shown
                .iter()
                .any(|of| of.pod.metadata.uid == pod.metadata.uid)
        };
        self.pods.retain(there);
        let pods = shown.into_iter().map(|of| {
            let is_unread = world.has(Feature::Unreadable) && self.random.one_in(12);
            SeenPod {
                uid: of.pod.metadata.uid.clone(),
                usage: of.usage.filter(|_| !is_unread),
            }
        });
        let seen = Seen {
            at: world.now,
            time: time(wall_clock()),
            layout: Some(world.layout),
            readings,
            pods: pods.collect(),
        };
        (news, seen)
    }

    /// A line, and what is decided on it.
    fn write(&mut self, line: &Line) {
        self.lines += &format!("{line}\n");
        for decided in self.session.show(line).into_iter().flatten() {
            self.lines += &format!("{}\n", Line::Decided(decided.text));
        }
    }
}

fn session(plan: &Plan) -> Session {
    Session::new(Evict::new(settings(plan, 0).evict))
}

/// The recording again: each of its lines is read, and decided anew.
#[must_use]
pub fn replay(plan: &Plan, recording: &str) -> Option<String> {
    let mut session = session(plan);
    let mut again = String::new();
    for text in recording.lines() {
        let line = Line::parse(text.as_bytes()).ok()?;
        if matches!(line, Line::Decided(_)) {
            continue;
        }
        again += &format!("{line}\n");
        for decided in session.show(&line).ok()? {
            again += &format!("{}\n", Line::Decided(decided.text));
        }
    }
    Some(again)
}

/// A second of the world's day, for people.
fn time(wall: u64) -> String {
    let of_day = wall % 86_400;
    let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60];
    format!("2026-09-21T{hour:02}:{minute:02}:{second:02}Z")
}

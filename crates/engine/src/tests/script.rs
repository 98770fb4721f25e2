use core::time::Duration;

use evictd_node::{Layout, Mono, Reading, Readings, Signal};
use evictd_threshold::{Lists, parse};

use crate::fake::{FakeNode, FakePods, FakeReclaim};
use crate::ports::Sample;
use crate::{Engine, Event, Settings};

pub(super) const MIB: i64 = 1 << 20;

/// How much there is of everything.
pub(super) const WHOLE: i64 = 1000 * MIB;

pub(super) type Fake = Engine<FakeNode, FakePods, FakeReclaim>;

pub(super) const fn at(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

/// All signals, with so much memory and so much of nodefs left.
pub(super) fn sample(memory: i64, nodefs: i64) -> Sample {
    let mut readings = Readings::default();
    for signal in Signal::ALL {
        let known = [
            (Signal::MemoryAvailable, memory),
            (Signal::NodefsAvailable, nodefs),
        ];
        let known = known.into_iter().find(|(of, _)| *of == signal);
        let available = known.map_or(WHOLE, |(_, available)| available);
        let reading = Reading {
            available,
            capacity: WHOLE,
            sampled: None,
        };
        readings.set(signal, Some(reading));
    }
    Sample {
        readings,
        layout: Some(Layout::OneFilesystem),
        ..Sample::default()
    }
}

pub(super) fn settings(hard: &str) -> Settings {
    let lists = Lists {
        hard,
        own_signals: true,
        ..Lists::default()
    };
    let mut settings = Settings::default();
    settings.evict.thresholds = parse(&lists).unwrap();
    settings
}

pub(super) fn engine(settings: Settings, pods: FakePods) -> Fake {
    let mut node = FakeNode::default();
    node.set(sample(WHOLE, WHOLE));
    Engine::new(settings, (node, pods, FakeReclaim::default()))
}

/// The time has come: what was told.
pub(super) fn events(engine: &mut Fake, millis: u64) -> Vec<Event> {
    engine.run_due(at(millis));
    engine.take_events().map(|(_, event)| event).collect()
}

/// The time has come: what was told, as texts.
pub(super) fn texts(engine: &mut Fake, millis: u64) -> Vec<String> {
    let events = events(engine, millis);
    events.iter().map(ToString::to_string).collect()
}

/// The time has come: what was told, by its names.
pub(super) fn turn(engine: &mut Fake, millis: u64) -> Vec<&'static str> {
    events(engine, millis).iter().map(Event::name).collect()
}

/// What is left from now on.
pub(super) fn set(engine: &mut Fake, memory: i64, nodefs: i64) {
    engine.node_mut().set(sample(memory, nodefs));
}

/// How long the loop may sleep.
pub(super) fn sleep(engine: &Fake, millis: u64) -> Duration {
    let wake = engine.wake_at(at(millis));
    assert!(wake >= at(millis), "a deadline in the past");
    wake.since(at(millis))
}

/// The lines of a usual log.
pub(super) fn lines(engine: &mut Fake, millis: u64) -> Vec<String> {
    let mut events = events(engine, millis);
    events.retain(|event| event.level() <= log::Level::Info);
    events.iter().map(ToString::to_string).collect()
}

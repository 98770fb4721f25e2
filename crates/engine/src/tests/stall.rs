//! `memory.stall`: who stalls whom is measured before a threshold is met.

use evictd_node::pod::usage::Stalls;
use evictd_node::{Mono, Signal};

use super::script::*;
use crate::fake::{FakePod, FakePods};
use crate::ports::{Depth, Sample};

/// All is left, and so much of the time is lost.
fn losing(percent: i64) -> Sample {
    let mut sample = sample(WHOLE, WHOLE);
    let mut reading = sample.readings.get(Signal::MemoryStall).unwrap();
    (reading.available, reading.capacity) = (percent, 100);
    sample.readings.set(Signal::MemoryStall, Some(reading));
    sample
}

/// Lost time as it was seen then.
fn losing_at(percent: i64, millis: u64) -> Sample {
    let mut sample = losing(percent);
    let mut reading = sample.readings.get(Signal::MemoryStall).unwrap();
    reading.sampled = Some(Mono::from_millis(millis));
    sample.readings.set(Signal::MemoryStall, Some(reading));
    sample
}

/// Acceptance row 428.
#[test]
fn who_stalls_is_looked_at_once_a_quarter_of_what_is_allowed_is_lost() {
    let pods = FakePods::of([FakePod::new("a", 500 << 20)]);
    let mut engine = engine(settings("memory.stall>40%"), pods);
    engine.node_mut().set(losing(10));
    turn(&mut engine, 0);
    turn(&mut engine, 500);
    assert_eq!(engine.pods().listings, [], "all is well");
    engine.node_mut().set(losing(11));
    for millis in [1000, 1100, 1499, 1600, 2100] {
        turn(&mut engine, millis);
    }
    assert_eq!(
        engine.pods().listings,
        [Depth::Whole; 3],
        "each half second"
    );
    engine.node_mut().set(losing(41));
    assert!(turn(&mut engine, 2600).contains(&"evicting"));
    assert_eq!(engine.pods().killed(), ["a"]);
}

/// Found by the league: the kernel told of lost time after seconds of silence, which was taken for
/// a standstill, and what was measured across it counted for nothing for as long as a window.
#[test]
fn what_wakes_evictd_after_silence_is_no_standstill() {
    type Wake = fn(&mut Fake);
    let other_settings: Wake = |engine| engine.reconfigure(settings("memory.stall>40%"));
    let wakes: [(&str, Wake, u64, &[&str]); 4] = [
        ("a notice of the kernel", Fake::look_now, 8000, &["a"]),
        ("a request", Fake::round_now, 8000, &["a"]),
        ("other settings", other_settings, 8000, &["a"]),
        // Nothing was due before ten seconds; from then on it came late.
        ("a late turn", |_| (), 12_000, &[]),
    ];
    for (name, wake, millis, killed) in wakes {
        let pods = FakePods::of([FakePod::new("a", 500 << 20)]);
        let mut engine = engine(settings("memory.stall>40%"), pods);
        engine.stall_is_told(true);
        engine.node_mut().set(losing(0));
        turn(&mut engine, 0);
        for millis in (500..=5000).step_by(500) {
            turn(&mut engine, millis);
        }
        engine.node_mut().set(losing_at(41, millis - 30));
        wake(&mut engine);
        turn(&mut engine, millis);
        turn(&mut engine, millis + 50);
        assert_eq!(engine.pods().killed(), killed, "{name}");
    }
}

/// A round came while the threshold was not met yet, and the next one, of which the window began
/// with the same look, counted as no newer.
#[test]
fn lost_time_that_goes_on_is_a_newer_reading() {
    let pods = FakePods::of([FakePod::new("a", 500 << 20)]);
    let mut engine = engine(settings("memory.stall>40%"), pods);
    engine.node_mut().set(losing_at(30, 2500));
    engine.round_now();
    turn(&mut engine, 2500);
    engine.node_mut().set(losing_at(41, 3000));
    turn(&mut engine, 3000);
    assert_eq!(engine.pods().killed(), ["a"]);
}

/// A machine that thrashes makes the loop itself late, each time by more than a standstill takes.
#[test]
fn a_loop_that_is_always_late_evicts_for_lost_time() {
    let pods = FakePods::of([FakePod::new("a", 500 << 20)]);
    let mut engine = engine(settings("memory.stall>40%"), pods);
    engine.node_mut().set(losing(0));
    turn(&mut engine, 0);
    for millis in [2500, 5000, 7500] {
        engine.node_mut().set(losing_at(80, millis));
        turn(&mut engine, millis);
    }
    assert_eq!(engine.pods().killed(), ["a"]);
}

/// On a machine that thrashes the list of pods may take longer than a reading may be old. It is
/// read again then, and what was lost says the same.
#[test]
fn a_slow_list_of_pods_puts_no_eviction_for_lost_time_off() {
    for (lost_meanwhile, killed) in [(70, &["a"][..]), (30, &[])] {
        let mut settings = settings("memory.stall>40%");
        settings.clock = || Mono::from_millis(4200);
        let pods = FakePods::of([FakePod::new("a", 500 << 20)]);
        let mut engine = engine(settings, pods);
        engine.node_mut().samples = [losing_at(44, 3000), losing_at(lost_meanwhile, 4150)].into();
        turn(&mut engine, 3000);
        assert_eq!(engine.pods().killed(), killed, "{lost_meanwhile} %");
    }
}

/// A pod of which it is known that it reads back so much in a second, or nothing.
fn reading_back(name: &str, holds: u64, bytes: Option<u64>) -> FakePod {
    let mut pod = FakePod::new(name, holds);
    let stalls = bytes.map(|bytes| Stalls {
        gains_bytes: 0,
        reads_back_bytes: Some(bytes),
    });
    pod.usage.as_mut().unwrap().stalls = stalls;
    pod
}

/// Acceptance row 434.
#[test]
fn who_has_just_begun_is_looked_at_twice_before_another_goes_for_lost_time() {
    let quiet = reading_back("quiet", 500 << 20, Some(0));
    let hog = |bytes| reading_back("hog", 300 << 20, bytes);
    let pods = FakePods::of([quiet.clone(), hog(None)]);
    let mut engine = engine(settings("memory.stall>40%"), pods);
    engine.node_mut().set(losing(41));
    turn(&mut engine, 0);
    turn(&mut engine, 300);
    assert_eq!(engine.pods().killed(), [] as [&str; 0], "a second look");
    engine.pods_mut().running = vec![quiet, hog(Some(90 << 20))];
    turn(&mut engine, 320);
    assert_eq!(engine.pods().killed(), ["hog"]);
}

/// Acceptance row 434: who begins again and again puts nothing off.
#[test]
fn what_is_never_known_of_a_pod_is_waited_for_a_second() {
    let quiet = reading_back("quiet", 500 << 20, Some(0));
    let pods = FakePods::of([quiet, reading_back("hog", 300 << 20, None)]);
    let mut engine = engine(settings("memory.stall>40%"), pods);
    engine.node_mut().set(losing(41));
    for millis in [0, 320, 640, 960] {
        turn(&mut engine, millis);
        assert_eq!(engine.pods().killed(), [] as [&str; 0], "{millis}");
    }
    turn(&mut engine, 1280);
    assert_eq!(engine.pods().killed(), ["quiet"]);
}

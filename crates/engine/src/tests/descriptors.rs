use super::script::*;
use crate::fake::{FakePod, FakePods};

/// Of the hog nothing could be read.
fn unread() -> FakePods {
    let mut hog = FakePod::new("hog", 500 << 20);
    hog.usage = None;
    let mut pods = FakePods::of([hog, FakePod::new("innocent", 30 << 20)]);
    pods.lacks_descriptors = true;
    pods
}

/// Acceptance row 278.
#[test]
fn nothing_is_evicted_by_what_was_read_without_descriptors() {
    for missing in [false, true] {
        let mut pods = unread();
        if missing {
            pods.running.remove(0);
        }
        let mut engine = engine(settings("memory.available<100Mi"), pods);
        set(&mut engine, 50 * MIB, WHOLE);
        for now in (0..1000).step_by(50) {
            turn(&mut engine, now);
            assert!(
                sleep(&engine, now).as_millis() <= 50,
                "it is tried again soon"
            );
        }
        assert!(engine.pods().killed().is_empty());
        engine.pods_mut().running = vec![
            FakePod::new("innocent", 30 << 20),
            FakePod::new("hog", 500 << 20),
        ];
        engine.pods_mut().lacks_descriptors = false;
        turn(&mut engine, 1050);
        assert_eq!(engine.pods().killed(), ["hog"]);
    }
}

/// Acceptance row 278: a list that could not be made is not told as one without pods.
#[test]
fn a_list_without_descriptors_is_not_an_empty_one() {
    let mut pods = unread();
    pods.running.clear();
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    let told = turn(&mut engine, 0);
    assert!(told.contains(&"met"), "{told:?}");
    assert!(!told.contains(&"no_candidate"), "{told:?}");
    engine.pods_mut().lacks_descriptors = false;
    let told = turn(&mut engine, 50);
    assert!(told.contains(&"no_candidate"), "{told:?}");
}

/// Acceptance row 278.
#[test]
fn a_kill_that_lacks_descriptors_is_not_made_up_for_by_another() {
    let pods = [
        FakePod::new("innocent", 30 << 20),
        FakePod::new("hog", 500 << 20),
    ];
    let mut engine = engine(settings("memory.available<100Mi"), FakePods::of(pods));
    engine.pods_mut().kills_lack_descriptors = true;
    set(&mut engine, 50 * MIB, WHOLE);
    for now in (0..1000).step_by(50) {
        let told = turn(&mut engine, now);
        assert!(!told.contains(&"evicting"), "{told:?}");
        engine.pods_mut().lacks_descriptors = false;
    }
    assert!(engine.pods().killed().is_empty());
    engine.pods_mut().kills_lack_descriptors = false;
    turn(&mut engine, 1050);
    assert_eq!(engine.pods().killed(), ["hog"]);
}

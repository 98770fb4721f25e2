use core::time::Duration;

use super::script::*;
use crate::fake::{FakePod, FakePods};
use crate::ports::News;

/// The biggest is protected, once that is known; a runtime has not said so yet.
fn unpictured() -> FakePods {
    let mut pods = FakePods::of([
        FakePod::new("protected", 500 << 20),
        FakePod::new("hog", 100 << 20),
    ]);
    pods.has_runtime = true;
    pods.unheard = vec!["docker".into()];
    pods
}

/// It says what it knows.
fn describe(engine: &mut Fake) {
    let protected = &mut engine.pods_mut().running[0].pod.spec;
    protected.priority = Some(2_000_000_000);
    engine.pods_mut().unheard.clear();
}

/// Turns as they are due: until then nothing may be evicted, told as missing, or said of
/// the pods that are there.
fn waits_until(engine: &mut Fake, millis: u64) {
    let mut now = 0;
    while now < millis {
        for told in turn(engine, now) {
            assert!(
                ["layout", "met", "condition", "reclaiming"].contains(&told),
                "{told}"
            );
        }
        let rest = sleep(engine, now);
        assert!(rest <= Duration::from_millis(50), "{rest:?} at {now} ms");
        now += u64::try_from(rest.as_millis()).unwrap().max(1);
    }
    assert!(engine.pods().killed().is_empty());
}

/// Acceptance row 259.
#[test]
fn nothing_is_evicted_before_the_first_picture() {
    for disk in [false, true] {
        let hard = "memory.available<200Mi,nodefs.available<200Mi";
        let mut engine = engine(settings(hard), unpictured());
        let (memory, nodefs) = if disk {
            (WHOLE, 150 * MIB)
        } else {
            (150 * MIB, WHOLE)
        };
        set(&mut engine, memory, nodefs);
        waits_until(&mut engine, 1000);
        describe(&mut engine);
        // At once, not when the time is over that was set.
        engine.pods_mut().news = vec![News::Listed];
        let told = turn(&mut engine, 1000);
        assert!(told.contains(&"evicting"), "{told:?}");
        assert!(!told.contains(&"problem"), "nobody is missing: {told:?}");
        assert_eq!(engine.pods().killed(), ["hog"]);
    }
}

/// A pod that only a runtime knows is not missing before the runtime was heard.
#[test]
fn that_there_is_no_pod_is_not_said_before_the_first_picture() {
    let mut pods = unpictured();
    pods.running.clear();
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    waits_until(&mut engine, 1000);
    engine.pods_mut().running = unpictured().running;
    describe(&mut engine);
    turn(&mut engine, 1000);
    assert_eq!(engine.pods().killed(), ["hog"]);
}

/// Acceptance row 260: nor is a runtime that hangs told every time.
#[test]
fn two_seconds_of_silence_are_enough_and_told() {
    let mut engine = engine(settings("memory.available<100Mi"), unpictured());
    set(&mut engine, 50 * MIB, WHOLE);
    waits_until(&mut engine, 1999);
    let told = texts(&mut engine, 2000);
    assert_eq!(engine.pods().killed()[..1], ["protected"]);
    let about = |text: &&String| text.starts_with("docker has not said yet");
    assert_eq!(told.iter().filter(about).count(), 1, "{told:?}");
    for now in (2000..20_000).step_by(500) {
        assert!(!turn(&mut engine, now).contains(&"problem"));
    }
}

/// Acceptance row 260.
#[test]
fn who_has_begun_to_answer_is_waited_for_longer() {
    let mut pods = unpictured();
    pods.has_begun = true;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    waits_until(&mut engine, 4999);
    turn(&mut engine, 5000);
    assert_eq!(engine.pods().killed()[..1], ["protected"]);
}

/// Acceptance row 261: then it waits again, where memory is short but not as short.
#[test]
fn memory_near_the_kernels_killer_does_not_wait() {
    let mut engine = engine(settings("memory.available<100Mi"), unpictured());
    set(&mut engine, 50 * MIB, WHOLE);
    waits_until(&mut engine, 500);
    engine.node_mut().is_near_oom = true;
    let told = turn(&mut engine, 520);
    assert_eq!(engine.pods().killed(), ["protected"]);
    assert!(told.contains(&"problem"), "{told:?}");
    engine.node_mut().is_near_oom = false;
    set(&mut engine, 99 * MIB, WHOLE);
    for now in (540..2000).step_by(20) {
        turn(&mut engine, now);
    }
    assert_eq!(engine.pods().killed(), ["protected"]);
}

#[test]
fn a_dry_run_waits_alike() {
    let mut settings = settings("memory.available<100Mi");
    settings.dry_run = true;
    let mut engine = engine(settings, unpictured());
    set(&mut engine, 50 * MIB, WHOLE);
    waits_until(&mut engine, 1999);
    let told = turn(&mut engine, 2000);
    assert!(told.contains(&"would_evict"), "{told:?}");
}

/// With nobody to be heard nothing waits, nor later for one who fell silent.
#[test]
fn once_all_was_heard_nothing_waits() {
    let mut pods = unpictured();
    pods.unheard.clear();
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    turn(&mut engine, 0);
    engine.pods_mut().unheard = vec!["docker".into()];
    set(&mut engine, 50 * MIB, WHOLE);
    engine.round_now();
    turn(&mut engine, 100);
    assert_eq!(engine.pods().killed(), ["protected"]);
}

/// A critical pod that looked like any other would be missing from the pods later on, as if
/// something outside them had taken its memory.
#[test]
fn what_pods_hold_while_memory_is_there_is_noted_once_they_are_known() {
    let mut engine = engine(settings("memory.available<100Mi"), unpictured());
    set(&mut engine, WHOLE, WHOLE);
    turn(&mut engine, 0);
    engine.list_early(at(1));
    assert!(!engine.evict().knows_plenty());
    describe(&mut engine);
    engine.round_now();
    turn(&mut engine, 100);
    assert!(engine.evict().knows_plenty());
}

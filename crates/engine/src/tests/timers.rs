use evictd_node::Mono;

use crate::timers::{Timer, Timers};

#[test]
fn each_timer_has_a_place_of_its_own() {
    let mut timers = Timers::default();
    for (index, timer) in Timer::ALL.into_iter().enumerate() {
        assert_eq!(timer as usize, index);
        assert!(timers.is_due(timer, Mono::ZERO), "{timer:?} was never set");
        assert!(
            !timers.is_expired(timer, Mono::ZERO),
            "{timer:?} is not set"
        );
        timers.set(timer, Mono::from_millis(1000 - index as u64));
    }
    for (index, timer) in Timer::ALL.into_iter().enumerate() {
        let at = Mono::from_millis(1000 - index as u64);
        assert_eq!(timers.get(timer), Some(at));
        assert!(timers.is_expired(timer, at));
        assert!(!timers.is_due(timer, Mono::from_millis(500)));
    }
}

#[test]
fn a_timer_is_set_earlier_and_stopped() {
    let mut timers = Timers::default();
    for (at, expected) in [(5, 5), (7, 5), (3, 3)] {
        timers.set_earlier(Timer::Kill, Mono::from_millis(at));
        assert_eq!(timers.get(Timer::Kill), Some(Mono::from_millis(expected)));
    }
    timers.stop(Timer::Kill);
    assert_eq!(timers.get(Timer::Kill), None);
}

use super::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn it_looks_again_before_what_is_left_can_be_gone() {
    for (headroom, rate, filling, expected) in [
        // Nothing is being filled: by the machine's rate alone.
        (80 * GIB, 8 * GIB, 0, ms(10_000)),
        (8 * GIB, 8 * GIB, 0, ms(1000)),
        (GIB, 8 * GIB, 0, ms(125)),
        (GIB, GIB, 0, ms(1000)),
        // Near the threshold it does not spin.
        (8 * MIB, 8 * GIB, 0, ms(10)),
        (1, 8 * GIB, 0, ms(10)),
        (0, 8 * GIB, 0, ms(10)),
        // What is filled slowly changes nothing.
        (GIB, 8 * GIB, MIB, ms(125)),
        (
            100 * MIB,
            8 * GIB,
            100 * MIB,
            Duration::from_nanos(12_207_031),
        ),
        // What is filled fast does: half of what is left.
        (8 * MIB, 8 * GIB, GIB, Duration::from_nanos(3_906_250)),
        (KIB, 8 * GIB, GIB, Duration::from_micros(500)),
        (KIB, 8 * GIB, 100 * MIB, ms(10)),
        (0, 8 * GIB, 8 * GIB, Duration::from_micros(500)),
        // More than was thought possible.
        (GIB, GIB, 4 * GIB, ms(125)),
        // Nothing overflows.
        (u64::MAX, 1, 0, Duration::from_nanos(u64::MAX)),
        (
            u64::MAX,
            u64::MAX,
            u64::MAX,
            Duration::from_nanos(499_999_999),
        ),
        (
            GIB,
            0,
            0,
            Duration::from_nanos(1_073_741_824 * 1_000_000_000),
        ),
    ] {
        let found = next_look(headroom, (rate, OFTEN), filling);
        assert_eq!(found, expected, "{headroom} at {rate}, filling {filling}");
    }
}

/// However fast a hog is, up to the machine's rate: when the threshold is crossed,
/// the next look is at most [`OFTEN`] away.
#[test]
fn no_hog_gets_further_than_one_short_rest() {
    for processors in [1, 2, 16] {
        let rate = processors * RATE_OF_ONE;
        for share in [1, 2, 3, 10, 100] {
            let speed = rate / share;
            for begin in [0, 7, 400_000] {
                let (mut pace, mut timers) = (Pace::new(processors), Timers::default());
                let all = 20 * GIB;
                let left = |at: Mono| {
                    let time = at.since(Mono::from_millis(begin)).as_nanos();
                    let taken = u128::from(speed) * time / 1_000_000_000;
                    i128::from(all) - i128::try_from(taken).unwrap()
                };
                let mut now = Mono::ZERO;
                let mut looks = 0;
                let late = loop {
                    let found = left(now);
                    if found < 0 {
                        break u64::try_from(-found).unwrap();
                    }
                    pace.note(
                        now,
                        Depth::Whole,
                        Some(u64::try_from(found).unwrap()),
                        &mut timers,
                    );
                    now = timers.get(Timer::Look).unwrap();
                    looks += u32::from(now > Mono::from_millis(begin));
                };
                let worst = u64::try_from(u128::from(speed) / 100).unwrap() + 1;
                assert!(late <= worst, "{rate}, 1/{share}, {begin}: {late}");
                assert!(looks < 1000, "{rate}, 1/{share}, {begin}: {looks} looks");
            }
        }
    }
}

#[test]
fn the_kernels_guard_ends_with_its_first_word() {
    let (mut pace, mut timers) = (Pace::new(2), Timers::default());
    assert_eq!(timers.get(Timer::Look), None, "nothing known");
    pace.look_now(&mut timers);
    assert_eq!(timers.get(Timer::Look), None, "nothing to look at");
    pace.note(
        Mono::from_millis(5),
        Depth::Whole,
        Some(12 * GIB),
        &mut timers,
    );
    assert_eq!(timers.get(Timer::Look), Some(Mono::from_millis(1005)));
    pace.guard(true, &mut timers);
    let seldom = Some(Mono::from_millis(2005));
    assert_eq!(
        timers.get(Timer::Look),
        seldom,
        "not of what it takes itself"
    );
    pace.look_now(&mut timers);
    assert_eq!(timers.get(Timer::Look), Some(Mono::ZERO), "it told");
    pace.note(Mono::from_millis(7), Depth::Whole, None, &mut timers);
    assert_eq!(timers.get(Timer::Look), None, "all is met already");
}

/// The rest that earlyoom 1.7 takes, whatever it watches beside memory.
fn rest_of_earlyoom(headroom: u64) -> Duration {
    let millis = headroom / KIB / 6000;
    ms(millis.clamp(100, 1000))
}

/// Acceptance row 271: what no notice tells of is seen by time, and looks are not twice as
/// many as earlyoom's.
#[test]
fn while_the_kernel_guards_looks_are_seldom_and_end_before_memory_does() {
    for processors in [1, 2, 16] {
        for headroom in [0, MIB, 100 * MIB, GIB, 4 * GIB, 64 * GIB] {
            let (mut pace, mut timers) = (Pace::new(processors), Timers::default());
            pace.guard(true, &mut timers);
            pace.note(Mono::ZERO, Depth::Bounds, Some(headroom), &mut timers);
            let rest = timers.get(Timer::Look).unwrap().since(Mono::ZERO);
            assert!(
                rest * 2 >= rest_of_earlyoom(headroom),
                "{headroom}: {rest:?}"
            );
            let soon = time_for(headroom, RATE_OF_ONE).max(GUARDED);
            assert!(rest <= soon, "{headroom}: {rest:?}");
        }
    }
}

/// A bound counts page cache that the exact reading before it does not.
#[test]
fn bounds_are_compared_with_bounds_alone() {
    let (mut pace, mut timers) = (Pace::new(2), Timers::default());
    let mut note = |millis, depth, left| {
        pace.note(Mono::from_millis(millis), depth, Some(left), &mut timers);
        pace.filling()
    };
    assert_eq!(note(0, Depth::Whole, 12 * GIB), 0);
    assert_eq!(note(500, Depth::Bounds, 2 * GIB), 0, "10 GiB of page cache");
    assert_eq!(note(1000, Depth::Whole, 12 * GIB), 0);
    assert_eq!(note(1500, Depth::Bounds, GIB), GIB, "1 GiB in a second");
}

/// Counters move in steps, and a look between two of them sees nothing move.
#[test]
fn a_look_that_sees_nothing_move_does_not_make_it_slow() {
    let (mut pace, mut timers) = (Pace::new(2), Timers::default());
    pace.note(
        Mono::from_millis(0),
        Depth::Whole,
        Some(100 * MIB),
        &mut timers,
    );
    pace.note(
        Mono::from_millis(20),
        Depth::Whole,
        Some(20 * MIB),
        &mut timers,
    );
    let at = |millis| Some(Mono::from_millis(millis));
    let [first, second] = [(20, 20 * MIB), (22, 2 * MIB)].map(|(millis, left)| {
        pace.note(
            Mono::from_millis(millis),
            Depth::Whole,
            Some(left),
            &mut timers,
        );
        timers.get(Timer::Look)
    });
    assert!(first < at(28), "{first:?}");
    let soonest = Mono::from_millis(22) + MOST_OFTEN;
    assert_eq!(second, Some(soonest), "half of 9 GiB a second");
    for millis in 23..28 {
        pace.note(
            Mono::from_millis(millis),
            Depth::Whole,
            Some(2 * MIB),
            &mut timers,
        );
        assert!(timers.get(Timer::Look) < at(millis + 5), "{millis}");
    }
    pace.note(
        Mono::from_millis(28),
        Depth::Whole,
        Some(2 * MIB),
        &mut timers,
    );
    assert_eq!(timers.get(Timer::Look), at(38), "long enough");
}

/// Acceptance row 309: a machine begins to thrash with memory left, and is seen to.
#[test]
fn where_lost_time_is_watched_it_looks_each_half_second() {
    let (mut pace, mut timers) = (Pace::new(1), Timers::default());
    for headroom in [Some(64 * GIB), None] {
        pace.watch_stall(false, false);
        pace.note(Mono::ZERO, Depth::Whole, headroom, &mut timers);
        assert_ne!(timers.get(Timer::Look), Some(Mono::from_millis(500)));
        pace.watch_stall(true, false);
        pace.note(Mono::ZERO, Depth::Whole, headroom, &mut timers);
        assert_eq!(timers.get(Timer::Look), Some(Mono::from_millis(500)));
    }
}

/// Acceptance row 449.
#[test]
fn while_the_kernel_tells_of_no_lost_time_nobody_looks_for_it() {
    let (mut pace, mut timers) = (Pace::new(1), Timers::default());
    let at = Mono::from_millis;
    pace.watch_stall(true, false);
    let look = |now: u64, pace: &mut Pace, timers: &mut Timers| {
        pace.note(at(now), Depth::Whole, None, timers);
        pace.stall_is_told(true, timers);
        timers.get(Timer::Look)
    };
    // It may have been lost before the kernel was asked.
    assert_eq!(look(0, &mut pace, &mut timers), Some(at(500)));
    assert_eq!(look(3500, &mut pace, &mut timers), Some(at(4000)));
    assert_eq!(look(4000, &mut pace, &mut timers), None);
    // A round.
    assert_eq!(look(10_000, &mut pace, &mut timers), None);
    // The kernel tells, and is asked again with the next round.
    pace.look_now(&mut timers);
    assert_eq!(timers.get(Timer::Look), Some(Mono::ZERO));
    pace.note(at(12_000), Depth::Whole, None, &mut timers);
    assert_eq!(timers.get(Timer::Look), Some(at(12_500)));
    pace.note(at(19_000), Depth::Whole, None, &mut timers);
    assert_eq!(timers.get(Timer::Look), Some(at(19_500)));
    assert_eq!(look(20_000, &mut pace, &mut timers), Some(at(20_500)));
    assert_eq!(look(24_000, &mut pace, &mut timers), None);
    // It can be asked no more.
    pace.stall_is_told(false, &mut timers);
    assert_eq!(timers.get(Timer::Look), Some(at(24_500)));
    // Much is lost, whatever the kernel tells.
    pace.watch_stall(true, true);
    assert_eq!(look(30_000, &mut pace, &mut timers), Some(at(30_100)));
}

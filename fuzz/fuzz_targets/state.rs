//! The state file: no panic, and what was read is written so that it is read
//! again as the same, within the bounds, and can be used on any clock.
#![no_main]
// parses: crates/state/src/json.rs
// parses: crates/state/src/damaged.rs

use core::time::Duration;

use evictd_fuzz::in_bounded_memory;
use evictd_gc::MOST_IMAGES;
use evictd_node::Mono;
use evictd_state::{HISTORY, MAX_BYTES, Record, parse, parse_begun, to_json};
use libfuzzer_sys::fuzz_target;

const TRANSITION: Duration = Duration::from_secs(300);

fuzz_target!(|bytes: &[u8]| {
    // A line each: what is kept of it is bounded, and a record again.
    for record in in_bounded_memory(|| parse_begun(bytes)) {
        let line = serde_json::to_vec(&record).expect("a record");
        assert_eq!(parse_begun(&line), [record]);
    }
    let mut state = match in_bounded_memory(|| parse(bytes)) {
        Ok(state) => state,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control));
            return;
        }
    };
    let text = to_json(&state);
    assert!(text.len() < MAX_BYTES);
    let again = parse(text.as_bytes()).expect("what was read");
    let dropped = state.history.len() - again.history.len();
    assert_eq!(again.history, state.history[dropped..]);
    state.history.drain(..dropped);
    assert_eq!(again, state);
    assert!(state.images.texts().count() <= MOST_IMAGES);
    // The clock of this boot, of another one, and of none.
    for (boot_id, now) in [
        (state.boot_id.clone(), u64::MAX),
        ("b".into(), 7),
        (String::new(), 0),
    ] {
        let now = Mono::from_nanos(now);
        let mut state = state.clone();
        state.rebase(
            &boot_id,
            now,
            state.wall_seconds.saturating_add(9),
            TRANSITION,
        );
        assert!(state.saved_at <= now);
        assert!(
            state
                .conditions
                .iter()
                .all(|c| c.last_observed.is_none_or(|at| at <= now))
                || boot_id == again.boot_id
        );
        for first in state.evict_state(now).first_met {
            assert!(state.first_met.contains(&first));
        }
        state.push(Record::default());
        state
            .images
            .observe(state.wall_seconds, "", &[("sha256:0", true)]);
        assert!(state.history.len() <= HISTORY);
        assert!(parse(to_json(&state).as_bytes()).is_ok());
    }
});

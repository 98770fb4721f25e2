//! What evictd has set for a while, as it wrote it down: no panic, nothing that leads out of
//! the hierarchy, and a bound.
#![no_main]
// parses: crates/cgroup/src/knobs/knob.rs#named
// parses: crates/cgroup/src/knobs/knob.rs#parse
// parses: crates/cgroup/src/knobs/knob.rs#value
// parses: crates/cgroup/src/knobs/knob.rs#parse_knobs

use std::path::Component;

use evictd_cgroup::parse_knobs;
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = [b"boot\n", bytes].concat();
    let knobs = in_bounded_memory(|| parse_knobs(&text, "boot"));
    assert!(knobs.len() <= 4096);
    for knob in knobs {
        assert!(knob.before.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let mut parts = knob.cgroup.components();
        assert!(parts.all(|part| matches!(part, Component::Normal(_))));
    }
    assert!(parse_knobs(bytes, "").is_empty());
});

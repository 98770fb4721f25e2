//! Every machine decides alike on a recording: this one is of an hour in which three pods
//! grew and shrank, made by `evictd record` on `x86_64`. `ci/test-arch` runs this on the
//! other processors.

use evictd_config::{Typed, resolve};
use evictd_evict::Evict;
use evictd_recording::{Line, Session};

const HOUR: &str = include_str!("hour.jsonl");

#[test]
fn an_hour_is_decided_alike_byte_for_byte() {
    let mut lines = HOUR
        .lines()
        .map(|line| Line::parse(line.as_bytes()).unwrap());
    let Some(Line::Begun(begun)) = lines.next() else {
        panic!("the first line tells how it was recorded");
    };
    let mut typed = Typed::default();
    typed
        .add_flags_file("hour.jsonl", begun.flags.join("\n").as_bytes())
        .unwrap();
    let settings = resolve(&typed).unwrap();
    let mut session = Session::new(Evict::new(settings.evict));
    let (mut recorded, mut decided) = (String::new(), String::new());
    let mut moments = Vec::new();
    for line in lines {
        for of in session.show(&line).unwrap() {
            decided += &format!("{}\n", of.text);
        }
        if let Line::Decided(text) = &line {
            recorded += &format!("{text}\n");
        }
        if let Line::Seen(seen) = &line {
            moments.push(seen.at);
        }
    }
    assert_eq!(decided, recorded);
    let (first, last) = (moments[0], moments[moments.len() - 1]);
    assert!(last.since(first).as_secs() >= 3540, "it is an hour");
    for kind in [
        "is met:",
        "is met no more",
        "MemoryPressure is false",
        "pod default/batch would be evicted",
    ] {
        assert!(decided.contains(kind), "{kind}: {decided}");
    }
}

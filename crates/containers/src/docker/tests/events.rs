//! What an engine says by itself.

use core::time::Duration;

use super::{not_found, runtime, version};
use crate::docker::fake::{Fake, Reply, json};
use crate::docker::read_event;
use crate::{Changes, ContainerRuntime, Error, Failure};

const HEAD: &str = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n";
const STARTED: &str = "{\"status\":\"start\",\"id\":\"a\",\"Type\":\"container\",\"Action\":\"start\",\"Actor\":{\"ID\":\"a\"}}\n";
const LONG: Duration = Duration::from_secs(20);

/// An engine that answers so to whoever follows it.
fn engine(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Fake {
    Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /events?filters=%7B%22type%22%3A%5B%22container%22%5D%7D" => reply(),
        _ => not_found(),
    })
}

fn follow(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Result<Box<dyn Changes>, Error> {
    runtime(&engine(reply)).follow()
}

/// Which of the lines of a stream are changes, and why it ends.
fn read(stream: &[u8]) -> (Vec<bool>, Failure) {
    let (mut stream, mut changes) = (stream, Vec::new());
    loop {
        match read_event(&mut stream) {
            Ok(is_change) => changes.push(is_change),
            Err(failure) => return (changes, failure),
        }
    }
}

/// Acceptance row 249.
#[test]
fn an_event_says_whether_containers_may_be_others() {
    for (action, is_change) in [
        ("start", true),
        ("die", true),
        ("died", true),
        ("destroy", true),
        ("remove", true),
        ("rename", true),
        ("pause", true),
        ("create", false),
        ("exec_create: true", false),
        ("exec_start: true", false),
        ("exec_die", false),
        ("health_status: healthy", false),
        ("attach", false),
        ("", false),
    ] {
        let line = STARTED.replace("\"Action\":\"start\"", &format!("\"Action\":\"{action}\""));
        assert_eq!(
            read(line.as_bytes()),
            (vec![is_change], Failure::Closed),
            "{action}"
        );
    }
    let three = [STARTED, "{\"Action\":\"exec_die\"}\r\n", STARTED].concat();
    assert_eq!(read(three.as_bytes()).0, [true, false, true]);
}

/// Acceptance row 250.
#[test]
fn a_stream_of_odd_events_ends() {
    for odd in [
        "1f\r\n",
        "{\"Action\":\"start\"\n",
        "{\"Action\":\"start\"}{\"Action\":\"start\"}\n",
        "hello\n",
    ] {
        let (changes, failure) = read([STARTED, odd].concat().as_bytes());
        assert_eq!(changes, [true], "{odd}");
        assert!(matches!(failure, Failure::Malformed(_)), "{odd}: {failure}");
    }
}

/// One event that cannot be read leads to a list, and no other is lost.
#[test]
fn an_event_that_cannot_be_read_may_be_a_change() {
    let dies = "{\"Action\":\"exec_die\"}\n";
    for odd in ["{}\n", "[]\n", "null\n", "7 \r\n", "{\"Action\":7}\n"] {
        let (changes, failure) = read([dies, odd, dies].concat().as_bytes());
        assert_eq!(changes, [false, true, false], "{odd}");
        assert_eq!(failure, Failure::Closed);
    }
    // Of any length: labels are not kept.
    let label = "x".repeat(700_000);
    let long = format!("{{\"Actor\":{{\"label\":\"{label}\"}},\"Action\":\"exec_die\"}}\n");
    assert_eq!(read([&long, STARTED].concat().as_bytes()).0, [false, true]);
    assert_eq!(read(b"\n\n").0, [false, false]);
}

/// Acceptance row 249.
#[test]
fn an_engine_is_followed_over_a_connection_of_its_own() {
    let fake = engine(|| Reply::Stall([HEAD, STARTED, STARTED].concat().into()));
    let mut changes = runtime(&fake).follow().unwrap();
    assert_eq!(changes.wait(LONG), Ok(true));
    assert_eq!(changes.wait(LONG), Ok(true));
    assert_eq!(changes.wait(Duration::from_millis(2)), Ok(false));
    assert_eq!(changes.wait(Duration::ZERO), Ok(false));
    drop(fake);

    let trickle = || Reply::Trickle([HEAD, STARTED].concat().into());
    let fake = engine(trickle);
    assert_eq!(runtime(&fake).follow().unwrap().wait(LONG), Ok(true));
}

/// Acceptance row 250.
#[test]
fn an_engine_that_is_gone_or_tells_of_nothing_is_not_followed() {
    let mut changes = follow(|| Reply::Cut([HEAD, STARTED].concat().into())).unwrap();
    assert_eq!(changes.wait(LONG), Ok(true));
    assert_eq!(changes.wait(LONG), Err(Failure::Closed));

    let mut changes = follow(|| Reply::Stall([HEAD, "{\"Action\""].concat().into())).unwrap();
    assert_eq!(
        changes.wait(LONG),
        Err(Failure::TimedOut(Duration::from_secs(2)))
    );

    let why = |reply: fn() -> Reply| follow(reply).err().unwrap().failure;
    assert!(matches!(why(not_found), Failure::Refused { code: 404, .. }));
    assert_eq!(
        why(|| json(200, "[]")),
        Failure::malformed("events that come to an end")
    );
    let chunks =
        || Reply::Cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".into());
    assert_eq!(
        why(chunks),
        Failure::malformed("events that come to an end")
    );
    assert_eq!(why(|| Reply::Cut(Vec::new())), Failure::Closed);
}

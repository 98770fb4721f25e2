//! The client against engines that misbehave.

use core::time::Duration;
use std::path::PathBuf;
use std::time::Instant;

use crate::Error;
use crate::docker::client::Client;
use crate::docker::fake::{Fake, Reply, empty, json};

const SHORT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(20);

fn client(fake: &Fake, limit: Duration) -> Client {
    Client::new(fake.socket.clone(), limit)
}

/// What `GET /version` comes to when the engine answers so.
fn version_from(reply: impl Fn() -> Reply + Send + Sync + 'static) -> String {
    let silent = matches!(reply(), Reply::Hang | Reply::Stall(_));
    let fake = Fake::new(move |_| reply());
    let limit = if silent { SHORT } else { LONG };
    match client(&fake, limit).version() {
        Ok(version) => version.version,
        Err(error) => said(&error),
    }
}

/// An error without its endpoint, which is another one each time.
fn said(error: &Error) -> String {
    format!("{}: {}", error.call, error.failure)
}

const ANSWER: &str = r#"{"Version":"1"}"#;

#[test]
fn one_line_for_each_bad_answer() {
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n".to_string() + ANSWER;
    let half = whole.chars().take(45).collect::<String>();
    let cut = half.clone();
    let slow = whole.clone();
    assert_eq!(
        version_from(move || Reply::Trickle(slow.clone().into())),
        "1"
    );
    assert_eq!(
        version_from(move || Reply::Cut(cut.clone().into())),
        "GET /version: not an answer of this API: the stream ended within the answer"
    );
    assert_eq!(
        version_from(move || Reply::Stall(half.clone().into())),
        "GET /version: no answer within 200 ms"
    );
    assert_eq!(
        version_from(|| Reply::Hang),
        "GET /version: no answer within 200 ms"
    );
    assert_eq!(
        version_from(|| Reply::Cut(Vec::new())),
        "GET /version: the runtime closed the connection"
    );
    assert_eq!(
        version_from(|| Reply::Cut(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec())),
        "GET /version: not an answer of this API: not the head of an HTTP answer"
    );
    assert_eq!(
        version_from(|| json(200, r#"{"Version":"1"#)),
        "GET /version: not an answer of this API: JSON that ends at byte 13"
    );
    assert_eq!(
        version_from(|| json(200, r#"[]"#)),
        "GET /version: not an answer of this API: no object"
    );
}

#[test]
fn refusals_in_the_engines_words() {
    for (status, body, expected) in [
        (
            500,
            r#"{"message":"no\nspace\u001b[2J left"}"#,
            "refused with 500: no\\u{a}space\\u{1b}[2J left",
        ),
        (
            500,
            r#"{"cause":"c","message":"","response":500}"#,
            "refused with 500: c",
        ),
        (404, "Not Found\r\n", "refused with 404: Not Found"),
        (503, "", "refused with 503: "),
        (301, "", "refused with 301: "),
        (500, "\u{202e}evil", "refused with 500: \\u{202e}evil"),
    ] {
        let said = version_from(move || json(status, body));
        assert_eq!(said, format!("GET /version: {expected}"));
    }
    let long = "x".repeat(100_000);
    let said = version_from(move || json(500, &long));
    assert!(said.len() < 400 && said.ends_with('…'), "{said}");
}

#[test]
fn nobody_listens() {
    let client = Client::new(PathBuf::from("/nonexistent/evictd"), SHORT);
    let text = said(&client.version().unwrap_err());
    assert_eq!(text, "GET /version: No such file or directory (os error 2)");
    let long = PathBuf::from("/x".repeat(100));
    let text = said(&Client::new(long, SHORT).version().unwrap_err());
    assert_eq!(text, "GET /version: File name too long (os error 36)");
}

/// A listener that never accepts: its backlog fills up, then connecting hangs.
#[test]
fn connecting_ends_by_the_deadline_too() {
    let dir = std::env::temp_dir().join(format!("evictd-backlog-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let socket = dir.join("sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let waiting = std::os::unix::net::UnixStream::connect(&socket).unwrap();
    let begun = Instant::now();
    let text = said(&Client::new(socket, SHORT).version().unwrap_err());
    assert_eq!(text, "GET /version: no answer within 200 ms");
    assert!(begun.elapsed() < LONG);
    drop(waiting);
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Closed after the request was sent: it may have been done.
#[test]
fn nothing_is_sent_again() {
    let fake = Fake::new(|_| Reply::Cut(Vec::new()));
    let client = client(&fake, LONG);
    client.info().unwrap_err();
    client.remove_container("0").unwrap_err();
    assert_eq!(fake.calls(), ["GET /info", "DELETE /containers/0?v=true"]);
}

#[test]
fn all_are_stopped_at_once() {
    let fake = Fake::new(|call| {
        if call.starts_with("POST /containers/b/") {
            return json(500, r#"{"message":"no"}"#);
        }
        std::thread::sleep(Duration::from_secs(1));
        empty(if call.starts_with("POST /containers/c/") {
            304
        } else {
            204
        })
    });
    let client = client(&fake, LONG);
    let begun = Instant::now();
    let answers = client.stop(&["a", "b", "c", "d"], Duration::from_millis(1500));
    assert!(
        begun.elapsed() < Duration::from_millis(2900),
        "{:?}",
        begun.elapsed()
    );
    let all: Vec<_> = answers
        .into_iter()
        .map(|answer| answer.err().map(|error| said(&error)))
        .collect();
    let refused = "POST /containers/b/stop: refused with 500: no".to_string();
    assert_eq!(all, [None, Some(refused), None, None]);
    let mut calls = fake.calls();
    calls.sort();
    assert_eq!(calls[0], "POST /containers/a/stop?t=2");
}

#[test]
fn stopping_waits_for_the_grace_and_no_longer() {
    let fake = Fake::new(|_| Reply::Hang);
    let client = client(&fake, SHORT);
    let begun = Instant::now();
    let answers = client.stop(&["a", "b"], Duration::from_secs(1));
    assert!(
        begun.elapsed() >= Duration::from_millis(1190),
        "{:?}",
        begun.elapsed()
    );
    assert!(begun.elapsed() < LONG);
    for answer in answers {
        let said = answer.unwrap_err().to_string();
        assert!(said.ends_with("no answer within 1200 ms"), "{said}");
    }
}

/// What never comes to an end is given up in time, and takes no memory until then.
#[test]
fn an_answer_without_end() {
    let body = "1".repeat(18 << 20);
    let chunks = format!("100000\r\n{}\r\n", "1".repeat(1 << 20)).repeat(18);
    for (head, body) in [("Transfer-Encoding: chunked", &chunks), ("X: y", &body)] {
        let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{{\"Version\":{body}");
        let answer = answer.replace("{\"Version\":10", "c\r\n{\"Version\":1\r\n10");
        assert_eq!(
            version_from(move || Reply::Stall(answer.clone().into())),
            "GET /version: no answer within 200 ms"
        );
    }
}

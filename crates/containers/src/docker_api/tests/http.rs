//! Answers, whole and in pieces.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::docker_api::{HttpError, MAX_BODY_BYTES, MAX_HEAD_BYTES, Response, ResponseReader};

/// Reads an answer that comes in pieces of that size, and how much of it was taken.
fn read(text: &[u8], piece: usize) -> Result<(Response, usize), HttpError> {
    let mut reader = ResponseReader::default();
    let mut taken = 0;
    for piece in text.chunks(piece) {
        taken += reader.feed(piece)?;
    }
    Ok((reader.finish()?, taken))
}

/// The status, the body and whether the connection stays open; or what is wrong.
fn said(text: &str) -> String {
    let whole = read(text.as_bytes(), usize::MAX);
    for piece in [1, 2, 3, 7] {
        assert_eq!(
            read(text.as_bytes(), piece),
            whole,
            "pieces of {piece}: {text:?}"
        );
    }
    match whole {
        Ok((response, taken)) => {
            let body = String::from_utf8(response.body).unwrap();
            let open = if response.keeps_open {
                "open"
            } else {
                "closed"
            };
            let (_, rest) = text.split_at(taken);
            format!("{} {body} {open} {rest}", response.status)
        }
        Err(error) => error.to_string(),
    }
}

const ANSWERS: &[(&str, &str, &str)] = &[
    (
        "length",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
        "200 ab open ",
    ),
    (
        "more",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcd",
        "200 ab open cd",
    ),
    (
        "no body",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "200  open ",
    ),
    (
        "the same length twice",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na",
        "200 a open ",
    ),
    (
        "204",
        "HTTP/1.1 204 No Content\r\nApi-Version: 1.41\r\n\r\n",
        "204  open ",
    ),
    (
        "304 with a length",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        "304  open ",
    ),
    (
        "chunks",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0A;x=\"y\"\r\ncdefghijkl\r\n0\r\n\r\n",
        "200 abcdefghijkl open ",
    ),
    (
        "trailer",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1 \r\na\r\n0\r\nX: y\r\n\r\nz",
        "200 a open z",
    ),
    (
        "to the end",
        "HTTP/1.1 200 OK\r\n\r\nall of it",
        "200 all of it closed ",
    ),
    (
        "1.0",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
        "200 a closed ",
    ),
    (
        "1.0 that stays",
        "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\na",
        "200 a open ",
    ),
    (
        "closes",
        "HTTP/1.1 200 OK\r\nConnection: x, CLOSE\r\nContent-Length: 1\r\n\r\na",
        "200 a closed ",
    ),
    (
        "interim",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\nX: y\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\na",
        "404 a open ",
    ),
    (
        "bare line feeds",
        "HTTP/1.1 200 OK\nContent-Length: 1\n\na",
        "200 a open ",
    ),
    (
        "no reason",
        "HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n",
        "500  open ",
    ),
];

#[test]
fn answers_and_where_they_end() {
    for (name, text, expected) in ANSWERS {
        assert_eq!(said(text), *expected, "{name}");
    }
}

const NO_ANSWERS: &[(&str, &str, &str)] = &[
    (
        "nothing",
        "",
        "the stream ended within the answer at byte 0",
    ),
    (
        "half a head",
        "HTTP/1.1 200 OK\r\nCont",
        "the stream ended within the answer at byte 21",
    ),
    (
        "half a body",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        "the stream ended within the answer at byte 40",
    ),
    (
        "half a chunk",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na",
        "the stream ended within the answer at byte 51",
    ),
    (
        "no last chunk",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
        "the stream ended within the answer at byte 53",
    ),
    (
        "gRPC",
        "\0\0\x06\x04\0\0\0\0\0\r\n\r\n",
        "not the head of an HTTP answer at byte 13",
    ),
    (
        "a request",
        "GET / HTTP/1.1\r\n\r\n",
        "not the head of an HTTP answer at byte 18",
    ),
    (
        "HTTP/2",
        "HTTP/2 200\r\n\r\n",
        "not the head of an HTTP answer at byte 14",
    ),
    (
        "101",
        "HTTP/1.1 101 Switching\r\n\r\n",
        "a status that makes no sense at byte 26",
    ),
    (
        "600",
        "HTTP/1.1 600 No\r\n\r\n",
        "a status that makes no sense at byte 19",
    ),
    (
        "no number",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
        "a length that is none at byte 39",
    ),
    (
        "an empty length",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\na",
        "a length that is none at byte 36",
    ),
    (
        "two lengths",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        "two different lengths at byte 57",
    ),
    (
        "both",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
        "both a length and chunks at byte 66",
    ),
    (
        "gzip",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "an unknown transfer encoding at byte 44",
    ),
    (
        "too long",
        "HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n",
        "a body of more than 16 MiB at byte 45",
    ),
    (
        "beyond counting",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "a length that is none at byte 57",
    ),
    (
        "a chunk too long",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000001\r\n",
        "a body of more than 16 MiB at byte 53",
    ),
];

#[test]
fn no_answers_and_where_that_shows() {
    for (name, text, expected) in NO_ANSWERS {
        assert_eq!(said(text), *expected, "{name}");
    }
}

#[test]
fn broken_chunks() {
    for (name, text, expected) in [
        (
            "endless zeros",
            &chunked(&"0".repeat(300)),
            "a broken chunk at byte 302",
        ),
        ("no size", &chunked("\r\n"), "a broken chunk at byte 47"),
        ("no hex", &chunked("1g\r\n"), "a broken chunk at byte 48"),
        (
            "longer than it says",
            &chunked("1\r\nab\r\n"),
            "a broken chunk at byte 51",
        ),
        (
            "a bare line feed",
            &chunked("1\na"),
            "a broken chunk at byte 48",
        ),
    ] {
        assert_eq!(said(text), expected, "{name}");
    }
}

fn chunked(rest: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}")
}

#[test]
fn what_is_too_long() {
    let head = "HTTP/1.1 200 OK\r\n";
    let field = format!("X: {}\r\n", "y".repeat(1000));
    let long = head.to_string() + &field.repeat(70);
    let error = read(long.as_bytes(), 4096).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a head of more than 64 KiB at byte 65536"
    );
    assert_eq!(error.position, MAX_HEAD_BYTES);

    let many = head.to_string() + &"X: y\r\n".repeat(65) + "\r\n";
    let error = read(many.as_bytes(), 4096).unwrap_err();
    assert_eq!(error.to_string(), "more than 64 header fields at byte 409");

    for (front, size) in [
        ("\r\n", MAX_BODY_BYTES),
        ("Transfer-Encoding: chunked\r\n\r\nffffff\r\n", 0xff_ffff),
    ] {
        let mut text: Vec<u8> = (head.to_string() + front).into_bytes();
        text.resize(text.len() + size, b'x');
        if front.len() == 2 {
            assert_eq!(read(&text, 1 << 16).unwrap().0.body.len(), size);
            text.push(b'x');
        } else {
            text.extend(b"\r\n2");
        }
        for piece in [1 << 16, usize::MAX] {
            let error = read(&text, piece).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("a body of more than 16 MiB at byte {}", text.len() - 1)
            );
        }
    }
}

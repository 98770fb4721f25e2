//! Answers, whole and in pieces.

use std::io::{self, BufReader, Read};

use crate::Failure;
use crate::docker::read_response;

/// Reads an answer that comes in pieces of that size: its status, its body, and what follows
/// it.
fn read(text: &[u8], piece: usize) -> Result<(u16, Vec<u8>, Vec<u8>), Failure> {
    let mut stream = BufReader::with_capacity(piece, text);
    let mut response = read_response(&mut stream)?;
    let (mut body, mut rest) = (Vec::new(), Vec::new());
    response.body.read_to_end(&mut body)?;
    let status = response.status;
    stream.read_to_end(&mut rest).unwrap();
    Ok((status, body, rest))
}

/// The status, the body and what follows it; or what is wrong.
fn said(text: &str) -> String {
    let whole = read(text.as_bytes(), 1 << 16);
    for piece in [1, 2, 3, 7] {
        assert_eq!(
            read(text.as_bytes(), piece),
            whole,
            "pieces of {piece}: {text:?}"
        );
    }
    match whole {
        Ok((status, body, rest)) => {
            let body = String::from_utf8(body).unwrap();
            let rest = String::from_utf8(rest).unwrap();
            format!("{status} {body} {rest}")
        }
        Err(Failure::Malformed(what)) => what.into(),
        Err(other) => other.to_string(),
    }
}

const ANSWERS: &[(&str, &str, &str)] = &[
    (
        "length",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
        "200 ab ",
    ),
    (
        "more",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcd",
        "200 ab cd",
    ),
    (
        "no body",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "200  ",
    ),
    (
        "the same length twice",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na",
        "200 a ",
    ),
    (
        "204",
        "HTTP/1.1 204 No Content\r\nApi-Version: 1.41\r\n\r\n",
        "204  ",
    ),
    (
        "304 with a length",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        "304  ",
    ),
    (
        "chunks",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0A;x=\"y\"\r\ncdefghijkl\r\n0\r\n\r\n",
        "200 abcdefghijkl ",
    ),
    (
        "trailer",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1 \r\na\r\n0\r\nX: y\r\n\r\nz",
        "200 a z",
    ),
    (
        "to the end",
        "HTTP/1.1 200 OK\r\n\r\nall of it",
        "200 all of it ",
    ),
    (
        "1.0",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
        "200 a ",
    ),
    (
        "1.0 that stays",
        "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\na",
        "200 a ",
    ),
    (
        "closes",
        "HTTP/1.1 200 OK\r\nConnection: x, CLOSE\r\nContent-Length: 1\r\n\r\na",
        "200 a ",
    ),
    (
        "interim",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\nX: y\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\na",
        "404 a ",
    ),
    (
        "bare line feeds",
        "HTTP/1.1 200 OK\nContent-Length: 1\n\na",
        "200 a ",
    ),
    (
        "no reason",
        "HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n",
        "500  ",
    ),
];

#[test]
fn answers_and_where_they_end() {
    for (name, text, expected) in ANSWERS {
        assert_eq!(said(text), *expected, "{name}");
    }
}

const NO_ANSWERS: &[(&str, &str, &str)] = &[
    ("nothing", "", "the stream ended within the answer"),
    (
        "half a head",
        "HTTP/1.1 200 OK\r\nCont",
        "the stream ended within the answer",
    ),
    (
        "half a body",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        "the stream ended within the answer",
    ),
    (
        "half a chunk",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na",
        "the stream ended within the answer",
    ),
    (
        "no last chunk",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
        "the stream ended within the answer",
    ),
    (
        "gRPC",
        "\0\0\x06\x04\0\0\0\0\0\r\n\r\n",
        "not the head of an HTTP answer",
    ),
    (
        "a request",
        "GET / HTTP/1.1\r\n\r\n",
        "not the head of an HTTP answer",
    ),
    (
        "HTTP/2",
        "HTTP/2 200\r\n\r\n",
        "not the head of an HTTP answer",
    ),
    (
        "101",
        "HTTP/1.1 101 Switching\r\n\r\n",
        "a status that makes no sense",
    ),
    (
        "600",
        "HTTP/1.1 600 No\r\n\r\n",
        "a status that makes no sense",
    ),
    (
        "no number",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
        "a length that is none",
    ),
    (
        "an empty length",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\na",
        "a length that is none",
    ),
    (
        "two lengths",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        "two different lengths",
    ),
    (
        "both",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
        "both a length and chunks",
    ),
    (
        "two codings",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "an unknown transfer encoding",
    ),
    (
        "gzip",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "an unknown transfer encoding",
    ),
    (
        "longer than it comes",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\na",
        "the stream ended within the answer",
    ),
    (
        "beyond counting",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "a length that is none",
    ),
    (
        "a chunk longer than it comes",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\na",
        "the stream ended within the answer",
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
            &chunked(&("0".repeat(300) + "\r\n")),
            "a broken chunk",
        ),
        ("no size", &chunked("\r\n"), "a broken chunk"),
        ("no hex", &chunked("1g\r\n"), "a broken chunk"),
        (
            "longer than it says",
            &chunked("1\r\nab\r\n"),
            "a broken chunk",
        ),
        ("a bare line feed", &chunked("1\na"), "a broken chunk"),
    ] {
        assert_eq!(said(text), expected, "{name}");
    }
}

fn chunked(rest: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}")
}

#[test]
fn heads_that_are_too_long() {
    let head = "HTTP/1.1 200 OK\r\n".to_string();
    let field = format!("X: {}\r\n", "y".repeat(1000));
    let long = head.clone() + &field.repeat(70);
    assert_eq!(said(&long), "a head of more than 64 KiB");
    let line = head.clone() + &"y".repeat(70_000);
    assert_eq!(said(&line), "a head of more than 64 KiB");
    let many = head + &"X: y\r\n".repeat(65) + "\r\n";
    assert_eq!(said(&many), "more than 64 header fields");
    let trailer = chunked(&format!("0\r\n{}", field.repeat(70)));
    assert_eq!(said(&trailer), "a head of more than 64 KiB");
}

/// A list of a hundred thousand containers is no reason to know none.
#[test]
fn a_body_of_any_length_is_read() {
    const LENGTH: u64 = 100 << 20;
    let sized = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n");
    let chunks = io::repeat(b'x').take(LENGTH);
    let stream = BufReader::new(sized.as_bytes().chain(chunks));
    let mut body = read_response(stream).unwrap().body;
    assert_eq!(io::copy(&mut body, &mut io::sink()).unwrap(), LENGTH);
}

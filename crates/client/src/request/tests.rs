use crate::{MOST_BYTES, Parsed, parse_request};

#[test]
fn requests_are_read_as_far_as_they_are_needed() {
    const LINE: Parsed<'_> =
        Parsed::Malformed("the first line has to be like: GET /metrics HTTP/1.1\n");
    let cases: &[(&str, Parsed<'_>)] = &[
        ("", Parsed::Incomplete),
        ("GET /metrics HTTP/1.1", Parsed::Incomplete),
        ("GET /metrics HTTP/1.1\r\n", Parsed::Incomplete),
        ("GET /metrics HTTP/1.1\r\nHost: x\r\n", Parsed::Incomplete),
        ("GET /metrics HTTP/1.1\r\n\r\n", Parsed::Get("/metrics")),
        (
            "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
            Parsed::Get("/metrics"),
        ),
        ("GET / HTTP/1.0\n\n", Parsed::Get("/")),
        ("GET /a?b=c/d HTTP/1.1\r\n\r\n", Parsed::Get("/a")),
        ("GET /metrics HTTP/1.1\r\n\r\nmore", Parsed::Get("/metrics")),
        ("HEAD / HTTP/1.1\r\n\r\n", Parsed::OtherMethod),
        ("POST /reload HTTP/1.1\r\n\r\n", Parsed::Post("/reload")),
        ("hello\n", LINE),
        ("\r\n", Parsed::Incomplete),
        // Empty lines before a request are passed over (RFC 9112, section 2.2).
        (
            "\n\n\n\nGET /metMics HTTP/1.1\r\nHostgent: c\n\n\n\n\n\0url/",
            Parsed::Get("/metMics"),
        ),
        ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", Parsed::Get("/")),
        ("\rGET / HTTP/1.1\r\n\r\n", LINE),
        ("GET /metrics\r\n", LINE),
        ("GET  /metrics HTTP/1.1\r\n", LINE),
        ("GET /metrics HTTP/1.1 \r\n", LINE),
        ("GET /metrics HTTP/2.0\r\n", LINE),
        ("get /metrics HTTP/1.1\r\n\r\n", Parsed::OtherMethod),
        ("GET HTTP/1.1\r\n", LINE),
        ("GET metrics HTTP/1.1\r\n\r\n", LINE),
        ("GET http://x/metrics HTTP/1.1\r\n\r\n", LINE),
        ("GET /\u{e4} HTTP/1.1\r\n\r\n", LINE),
        (" /metrics HTTP/1.1\r\n", LINE),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_request(text.as_bytes()), *expected, "{text:?}");
    }
}

#[test]
fn a_request_has_a_longest_length() {
    let line = "GET / HTTP/1.1\r\n";
    let fits = format!("{line}{:x<1$}\r\n\r\n", "H:", MOST_BYTES - line.len() - 4);
    assert_eq!(fits.len(), MOST_BYTES);
    assert_eq!(parse_request(fits.as_bytes()), Parsed::Get("/"));
    let longer = fits.replace("H:", "H:x");
    assert!(matches!(
        parse_request(longer.as_bytes()),
        Parsed::Malformed(_)
    ));
    assert_eq!(
        parse_request(&vec![b'x'; MOST_BYTES - 1]),
        Parsed::Incomplete
    );
    assert!(matches!(
        parse_request(&vec![0; MOST_BYTES]),
        Parsed::Malformed(_)
    ));
}

use super::error;
use crate::{ParseErrorKind, parse_open_file};

#[test]
fn how_a_file_is_open() {
    // conmon's log, dockerd's after a rotation, a reader's.
    let cases = [
        ("pos:\t0\nflags:\t02102001\nmnt_id:\t29\n", true, true),
        (
            "pos:\t9\nflags:\t0100001\nmnt_id:\t29\nino:\t7\n",
            true,
            false,
        ),
        ("flags:\t0100002\n", true, false),
        ("flags:\t02100000\n", false, false),
    ];
    for (text, is_writable, appends) in cases {
        let file = parse_open_file(text.as_bytes()).unwrap();
        assert_eq!((file.is_writable(), file.appends()), (is_writable, appends));
    }
}

#[test]
fn what_the_kernel_does_not_write_is_an_error() {
    assert_eq!(
        parse_open_file(b"pos:\t0\n"),
        Err(error(ParseErrorKind::Missing, 0))
    );
    for text in [
        "flags:\t",
        "flags:\t8\n",
        "flags:\t+1\n",
        "flags:\t77777777777777\n",
    ] {
        let wrong = parse_open_file(text.as_bytes()).unwrap_err();
        assert_eq!(wrong.kind, ParseErrorKind::Number, "{text:?}");
    }
}

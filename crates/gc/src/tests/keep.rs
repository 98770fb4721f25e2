use alloc::string::ToString;

use crate::*;

#[test]
fn patterns_match_full_and_short_names() {
    const FULL: &str = "docker.io/library/busybox:1.36";
    for (pattern, name, expected) in [
        ("docker.io/library/busybox:1.36", FULL, true),
        ("busybox:1.36", FULL, true),
        ("library/busybox:1.36", FULL, false),
        ("docker.io/busybox:1.36", FULL, true),
        ("busybox", FULL, true),
        ("docker.io/library/busybox", FULL, true),
        ("busybox:1.35", FULL, false),
        ("busybox:1.3", FULL, false),
        ("busy", FULL, false),
        ("busy*", FULL, true),
        ("*", FULL, true),
        ("*:1.36", FULL, true),
        ("*:1.3*6", FULL, true),
        ("*box:*", FULL, true),
        ("docker.io/*", FULL, true),
        ("docker.io/library/busybox:1.36*****", FULL, true),
        ("quay.io/*", FULL, false),
        // A host that is not written there matches nothing (acceptance row 170).
        ("d*", FULL, false),
        ("docker*", FULL, false),
        ("*/busybox", FULL, false),
        ("quay*", "quay.io/busybox:1", true),
        ("docker.io/lib*", FULL, true),
        ("docker.io/busy*", "quay.io/busybox:1", false),
        ("busybo?", FULL, true),
        ("busybox?", FULL, false),
        ("busy?ox:1.3?", FULL, true),
        ("?*x", FULL, true),
        ("?usybox:*6", "busybox:1.36", true),
        ("*a?", "xaxab", true),
        // As Docker lists it.
        ("docker.io/library/busybox", "busybox:1.36", true),
        ("index.docker.io/library/busybox", "busybox:1.36", true),
        ("busybox", "index.docker.io/library/busybox:1", true),
        ("docker.io/me/tool", "me/tool:2", true),
        ("me/*", "docker.io/me/tool:2", true),
        ("tool", "docker.io/me/tool:2", false),
        // Of other registries, names have no short form.
        ("busybox", "quay.io/library/busybox:1", false),
        ("busybox", "localhost/busybox:1", false),
        ("localhost/busybox", "localhost/busybox:1", true),
        ("reg:5000/app", "reg:5000/app:2", true),
        ("reg:5000/app", "reg:5000/app", true),
        ("reg:5000/app:1", "reg:5000/app:2", false),
        ("reg:5000/*", "reg:5000/a/b/c:2", true),
        ("reg:*", "reg:5000/a/b/c:2", true),
        // Digests and ids.
        ("busybox", "busybox@sha256:00ff", true),
        ("busybox", "busybox:1.36@sha256:00ff", true),
        ("busybox:1.36", "busybox:1.36@sha256:00ff", true),
        ("busybox@sha256:00*", "busybox:1.36@sha256:00ff", false),
        (
            "busybox@sha256:00*",
            "docker.io/library/busybox@sha256:00ff",
            true,
        ),
        ("sha256:00*", "sha256:00ff", true),
        // Anything may come as a name.
        ("*", "", true),
        ("a", "", false),
        ("*a*b*c*d*", "xxaxxbxxcxx", false),
        ("b\\*", "b*", false),
        ("*", "/", true),
        ("*", "ä:@/\u{1}", true),
    ] {
        let parsed = KeepPattern::parse(pattern.as_bytes()).unwrap();
        assert_eq!(parsed.matches(name), expected, "{pattern} and {name}");
        assert_eq!(parsed.to_string(), pattern);
    }
}

#[test]
fn what_matches_no_name_is_no_pattern() {
    for (text, expected) in [
        (&b""[..], "an empty pattern matches no image"),
        (b"busy box", "no image's name holds this character"),
        (b"\xff", "no image's name holds this character"),
        ("ä".as_bytes(), "no image's name holds this character"),
        (&[b'a'; 513], "longer than 512 bytes"),
    ] {
        assert_eq!(KeepPattern::parse(text).unwrap_err().to_string(), expected);
    }
    assert_eq!(KeepPattern::parse(b"busy box").unwrap_err().at, 4);
    assert!(KeepPattern::parse(&[b'*'; 512]).unwrap().matches("any"));
}

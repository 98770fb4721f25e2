//! Requests.

use crate::docker::request::{IMAGES, Request};

#[test]
fn a_name_cannot_leave_its_place() {
    for (name, path) in [
        ("0a1b", "/containers/0a1b/stop"),
        (
            "a b?force=true\r\n",
            "/containers/a%20b%3Fforce%3Dtrue%0D%0A/stop",
        ),
        ("é#", "/containers/%C3%A9%23/stop"),
        ("../images/x", "/containers/%252E%252E%2Fimages%2Fx/stop"),
    ] {
        let request = Request::about("POST", "/containers/", name, "/stop");
        assert_eq!(request.path, path, "{name:?}");
    }
}

#[test]
fn the_name_of_an_image_keeps_its_slashes_and_takes_no_step_up() {
    for (name, path) in [
        ("quay.io/a/b:1.0", "/images/quay.io/a/b:1.0"),
        ("../containers/0a1b", "/images/%252E%252E/containers/0a1b"),
        ("a/./..", "/images/a/%252E/%252E%252E"),
        ("..a/...", "/images/..a/..."),
    ] {
        let request = Request::about("DELETE", IMAGES, name, "");
        assert_eq!(request.path, path, "{name:?}");
    }
}

#[test]
fn texts() {
    let get = Request::new("GET", "/version", "?a=1").text();
    assert_eq!(
        get,
        "GET /version?a=1 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: evictd\r\n\r\n"
    );
    let post = Request::new("POST", "/x", "").text();
    assert!(post.ends_with("\r\nContent-Length: 0\r\n\r\n"));
}

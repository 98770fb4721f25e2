//! Requests.

use crate::docker::request::Request;

#[test]
fn a_name_cannot_leave_its_place() {
    for (name, path) in [
        ("0a1b", "/containers/0a1b/stop"),
        (
            "a b?force=true\r\n",
            "/containers/a%20b%3Fforce%3Dtrue%0D%0A/stop",
        ),
        ("é#", "/containers/%C3%A9%23/stop"),
    ] {
        let request = Request::about("POST", "/containers/", name, "/stop");
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

use core::time::Duration;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use evictd_client::{MOST_BYTES, Response, find_body, get, post};
use evictd_node::Mono;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::server::{Method, Server};

/// A server in a directory of its own, which is removed at the end.
struct Place {
    directory: PathBuf,
    server: Option<Server>,
}

impl Place {
    fn new(name: &str) -> Self {
        let id = std::process::id();
        let directory = std::env::temp_dir().join(format!("evictd-serve-{id}-{name}"));
        std::fs::create_dir(&directory).unwrap();
        let server = Some(Server::listen(&directory.join("sock")).unwrap());
        Self { directory, server }
    }

    fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(self.directory.join("sock")).unwrap();
        let wait = Some(Duration::from_secs(10));
        stream.set_read_timeout(wait).unwrap();
        stream
    }

    fn server(&mut self) -> &mut Server {
        self.server.as_mut().unwrap()
    }

    /// Turns as long as there is something to do; answers how often.
    fn turn(&mut self, now: Mono) -> usize {
        let mut turns = 0;
        while self.is_ready() {
            turns += 1;
            assert!(turns < 100, "it is never done");
            self.server().turn(now, &mut answer);
        }
        turns
    }

    fn is_ready(&mut self) -> bool {
        let mut fds = [PollFd::new(self.server(), PollFlags::IN)];
        poll(&mut fds, Some(&rustix::event::Timespec::default())).unwrap() > 0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.server = None;
        std::fs::remove_dir(&self.directory).unwrap(); // fails if the socket is left
    }
}

fn answer(method: Method, path: &str) -> Response {
    let text = match path {
        "/large" => "y".repeat(100_000),
        path => format!("this is {path}\n"),
    };
    match (method, path) {
        (Method::Get, "/known" | "/large") | (Method::Post, "/done") => {
            Response::found("text/x", text)
        }
        (Method::Get, "/done") => Response::takes_only("POST", &text),
        _ => Response::not_found(&text),
    }
}

fn all_of(mut stream: UnixStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

const NOW: Mono = Mono::from_millis(1_000_000);

#[test]
fn what_is_asked_in_pieces_is_answered_once() {
    let mut place = Place::new("pieces");
    let mut stream = place.connect();
    for piece in ["GET /kno", "wn HTTP/1.1\r", "\nHost: x\r\n", "\r\n"] {
        stream.write_all(piece.as_bytes()).unwrap();
        assert!(place.turn(NOW) > 0);
    }
    assert_eq!(
        all_of(stream),
        "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 15\r\nConnection: close\r\n\r\n\
         this is /known\n"
    );
    assert_eq!(place.server().deadline(), None);
}

#[test]
fn an_answer_that_is_cut_is_no_answer() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 4\r\n\r\nbody";
    assert_eq!(find_body(answer), Some("body"));
    for cut in 0..answer.len() {
        assert_eq!(find_body(&answer[..cut]), None, "{cut}");
    }
    assert_eq!(find_body(b"HTTP/1.1 200 OK\r\n\r\nbody"), None);
    assert_eq!(
        find_body(b"HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\nbody"),
        None
    );
}

#[test]
fn errors_are_answered_with_what_would_be_right() {
    let mut place = Place::new("errors");
    for (text, status, body) in [
        (
            "GET /other HTTP/1.1\r\n\r\n",
            "404 Not Found",
            "this is /other\n",
        ),
        (
            "PUT / HTTP/1.1\r\n\r\n",
            "405 Method Not Allowed\r\nAllow: GET, POST",
            "GET and POST are answered here\n",
        ),
        (
            "hello\n",
            "400 Bad Request",
            "the first line has to be like: GET /metrics HTTP/1.1\n",
        ),
    ] {
        let mut stream = place.connect();
        stream.write_all(text.as_bytes()).unwrap();
        place.turn(NOW);
        let answer = all_of(stream);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{answer}"
        );
        assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{answer}");
    }
    // Who is cut off in the middle of what he says may see that as an error.
    let mut stream = place.connect();
    stream.write_all(&[b'x'; 4 * MOST_BYTES]).unwrap();
    place.turn(NOW);
    let mut answer = [0; 24];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 400 Bad Request");
}

#[test]
fn nobody_is_waited_for() {
    let mut place = Place::new("nobody");
    let silent = place.connect();
    place.turn(NOW);
    assert_eq!(
        place.server().deadline(),
        Some(NOW + Duration::from_secs(2))
    );
    place
        .server()
        .turn(NOW + Duration::from_secs(1), &mut answer);
    assert!(place.server().deadline().is_some());
    place
        .server()
        .turn(NOW + Duration::from_secs(2), &mut answer);
    assert_eq!(place.server().deadline(), None);
    assert_eq!(all_of(silent), "");
    // A fifth waits until a place is free; who hangs up is forgotten.
    let mut five: Vec<UnixStream> = (0..5).map(|_| place.connect()).collect();
    let mut fifth = five.remove(4);
    fifth.write_all(b"GET /known HTTP/1.1\r\n\r\n").unwrap();
    place.turn(NOW);
    let soon = NOW + Duration::from_millis(1500);
    drop(five.remove(1));
    assert!(place.turn(soon) > 0);
    place.server().turn(soon, &mut answer);
    assert!(all_of(fifth).ends_with("this is /known\n"));
    place
        .server()
        .turn(NOW + Duration::from_secs(2), &mut answer);
    assert_eq!(place.server().deadline(), None);
    assert!(five.into_iter().all(|silent| all_of(silent).is_empty()));
    // Not even for one who does not read: the answer goes out in one piece or not.
    let mut deaf = place.connect();
    rustix::net::sockopt::set_socket_recv_buffer_size(&deaf, 1).unwrap();
    deaf.write_all(b"GET /large HTTP/1.1\r\n\r\n").unwrap();
    place.turn(NOW);
    assert_eq!(place.server().deadline(), None);
}

/// Acceptance row 199: the fifth waited nine seconds.
#[test]
fn the_next_is_answered_at_once_when_all_leave_together() {
    let mut place = Place::new("leaving");
    let four: Vec<UnixStream> = (0..4).map(|_| place.connect()).collect();
    place.turn(NOW);
    let mut fifth = place.connect();
    fifth.write_all(b"GET /known HTTP/1.1\r\n\r\n").unwrap();
    place.turn(NOW);
    drop(four);
    place.turn(NOW);
    assert!(all_of(fifth).ends_with("this is /known\n"));
}

#[test]
fn one_answer_a_turn() {
    let mut place = Place::new("turns");
    let mut streams: Vec<UnixStream> = (0..3).map(|_| place.connect()).collect();
    for stream in &mut streams {
        stream.write_all(b"GET /known HTTP/1.1\r\n\r\n").unwrap();
    }
    let mut answers = 0;
    let mut most = 0;
    while place.is_ready() {
        let mut now = 0;
        place.server().turn(NOW, &mut |method, path| {
            now += 1;
            answer(method, path)
        });
        answers += now;
        most = most.max(now);
    }
    assert_eq!((answers, most), (3, 1));
    for stream in streams {
        assert!(all_of(stream).ends_with("this is /known\n"));
    }
}

#[test]
fn the_socket_is_for_its_owner_and_replaces_an_old_one() {
    let mut place = Place::new("owner");
    let path = place.directory.join("sock");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = Server::listen(&path).unwrap();
    core::mem::forget(place.server.replace(again)); // as if the first had been killed
    let mut stream = place.connect();
    stream.write_all(b"GET /known HTTP/1.1\r\n\r\n").unwrap();
    place.turn(NOW);
    assert!(all_of(stream).contains(" 200 OK"));
    let long = place.directory.join("x".repeat(108));
    assert_eq!(Server::listen(&long).unwrap_err(), Errno::NAMETOOLONG);
}

/// Acceptance row 286: what is only read changes nothing.
#[test]
fn what_changes_something_is_done_by_post_alone() {
    let mut place = Place::new("post");
    let mut ask = |request: &[u8]| {
        let mut stream = place.connect();
        stream.write_all(request).unwrap();
        place.turn(NOW);
        all_of(stream)
    };
    let refused = ask(b"GET /done HTTP/1.1\r\n\r\n");
    assert!(refused.starts_with("HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\n"));
    let refused = ask(b"PUT /done HTTP/1.1\r\n\r\n");
    assert!(refused.starts_with("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, POST\r\n"));
    let done = ask(b"POST /done HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
    assert!(done.starts_with("HTTP/1.1 200 OK\r\n"), "{done}");
}

#[test]
fn the_client_gets_a_body_or_a_reason() {
    let mut place = Place::new("client");
    let path = place.directory.join("sock");
    let wait = Duration::from_secs(10);
    std::thread::scope(|scope| {
        for (asked, expected) in [
            ("/known", Ok(String::from("this is /known\n"))),
            ("/large", Ok("y".repeat(100_000))),
            ("/other", Err(Errno::PROTO)),
            ("/done", Ok(String::from("this is /done\n"))),
        ] {
            let path = &path;
            let client = scope.spawn(move || match asked {
                "/done" => post(path, asked, wait),
                _ => get(path, asked, wait),
            });
            while !client.is_finished() {
                place.turn(NOW);
                std::thread::yield_now();
            }
            assert_eq!(client.join().unwrap(), expected);
        }
    });
    assert_eq!(
        get(&path, "/known", Duration::from_millis(20)),
        Err(Errno::TIMEDOUT)
    );
    place.turn(NOW);
    let nowhere = place.directory.join("nowhere");
    assert_eq!(get(&nowhere, "/", wait), Err(Errno::NOENT));
}

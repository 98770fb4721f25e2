use core::time::Duration;
use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Instant;
use std::{fs, thread};

use crate::cri::fake::{Fake, Reply, THIS, counted, data, fields, frame, head, settings};
use crate::cri::{Client, Reader, Writer};
use crate::{ContainerRuntime, CriRuntime, Failure};

const METHOD: &str = "/runtime.v1.RuntimeService/Version";
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(200);

/// A request that has this text.
fn request(text: &str) -> Writer {
    let mut request = Writer::default();
    request.text(1, text);
    request
}

/// All of an answer.
fn whole(reader: &mut Reader<'_>) -> std::io::Result<Vec<u8>> {
    let whole = reader.whole();
    reader.prefix(whole, usize::MAX)
}

fn call_once(socket: &Path, within: Duration) -> Result<Vec<u8>, Failure> {
    let answer = Client::new(socket, within).call(METHOD, request("v1"), whole);
    answer.map_err(|error| error.failure)
}

fn call(fake: &Fake) -> Result<Vec<u8>, Failure> {
    call_once(&fake.socket(), LONG)
}

fn good(message: &[u8]) -> Vec<u8> {
    let mut bytes = settings();
    bytes.extend(head());
    bytes.extend(data(&counted(0, message)));
    bytes.extend(fields(&[("grpc-status", "0")], true));
    bytes
}

#[test]
fn answers() {
    let fake = Fake::start("answers", |method, request| {
        assert_eq!((method, request), ("Version", b"\x0a\x02v1".as_slice()));
        Reply::Message(b"\x12\x03abc".to_vec())
    });
    let mut runtime = CriRuntime::with(&fake.socket(), Path::new("/proc"), LONG);
    for _ in 0..3 {
        assert_eq!(runtime.version().unwrap(), "abc");
    }
}

type Case = (&'static str, Vec<u8>, &'static str);

/// Answers that are none of gRPC's, and what is said of each.
fn odd_grpc() -> Vec<Case> {
    let with = |pieces: &[Vec<u8>]| [settings(), pieces.concat()].concat();
    let ok = fields(&[("grpc-status", "0")], true);
    alloc::vec![
        (
            "compressed",
            with(&[head(), data(&counted(1, b"x"))]),
            "a compressed message",
        ),
        (
            "flag",
            with(&[head(), data(&counted(7, b"x"))]),
            "an unknown flag",
        ),
        (
            "long",
            with(&[head(), data(&[0, 2, 0, 0, 0, 1]), ok.clone()]),
            "a message of 33554432 bytes ends after 1",
        ),
        (
            "two",
            with(&[head(), data(&counted(0, b"x")), data(b"y")]),
            "more than one message",
        ),
        (
            "short",
            with(&[head(), data(&counted(0, b"xyz")[..7]), ok.clone()]),
            "ends after 2",
        ),
        ("none", with(&[head(), ok.clone()]), "no message"),
        (
            "no status",
            with(&[head(), frame(0, 1, THIS, &counted(0, b"x"))]),
            "without a gRPC status",
        ),
        (
            "word",
            with(&[head(), fields(&[("grpc-status", "ok")], true)]),
            "a gRPC status of ok",
        ),
    ]
}

/// Odd answers of HTTP/2.
fn odd_http() -> Vec<Case> {
    let with = |pieces: &[Vec<u8>]| [settings(), pieces.concat()].concat();
    let status = |number| {
        let all = [(":status", number), ("content-type", "application/grpc")];
        fields(&all, false)
    };
    let goaway = frame(7, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 0]);
    alloc::vec![
        ("http", with(&[status("503")]), "HTTP status 503"),
        (
            "type",
            with(&[fields(
                &[(":status", "200"), ("content-type", "text/html")],
                false,
            )]),
            "content of type text/html",
        ),
        (
            "http1",
            b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            "HTTP/1",
        ),
        ("not first", frame(6, 0, 0, &[0; 8]), "SETTINGS"),
        (
            "stranger",
            with(&[frame(1, 4, 9, &[0x88])]),
            "an answer to no request",
        ),
        ("hpack", with(&[frame(1, 4, THIS, &[0xff; 9])]), "HPACK"),
        (
            "reset",
            with(&[frame(3, 0, THIS, &[0, 0, 0, 8])]),
            "HTTP/2 error 8",
        ),
        (
            "pushed",
            with(&[frame(5, 4, THIS, &[0, 0, 0, 2, 0x88])]),
            "a pushed answer",
        ),
        ("closing", with(&[goaway]), "closed the connection"),
    ]
}

#[test]
fn odd_answers() {
    for (name, bytes, said) in odd_grpc().into_iter().chain(odd_http()) {
        let fake = Fake::start_raw(name, move |_, _| Reply::Bytes(bytes.clone()));
        let failure = call(&fake).unwrap_err();
        let is_told = matches!(failure, Failure::Malformed(_) | Failure::Closed);
        assert!(
            is_told && failure.to_string().contains(said),
            "{name}: {failure:?}"
        );
    }
}

#[test]
fn refusals() {
    let fake = Fake::start("refusals", |_, _| {
        Reply::Status(5, "no%20such%0Athing %C3%A4 %FF%")
    });
    let client = Client::new(&fake.socket(), LONG);
    for _ in 0..2 {
        let error = client.call(METHOD, Writer::default(), whole).unwrap_err();
        assert_eq!((error.code(), &*error.call), (Some(5), METHOD));
        assert_eq!(
            error.failure.to_string(),
            "refused with 5: no such\\u{a}thing ä \\xff%"
        );
    }
}

#[test]
fn long_words_are_cut() {
    const WORDS: &str = "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww";
    let mut block = Vec::new();
    for (name, value) in [(":status", "503".to_owned()), ("x", WORDS.repeat(20))] {
        block.push(0);
        block.push(u8::try_from(name.len()).unwrap());
        block.extend(name.as_bytes());
        if value.len() < 127 {
            block.push(u8::try_from(value.len()).unwrap());
        } else {
            let rest = u16::try_from(value.len() - 127).unwrap();
            block.extend([
                127,
                u8::try_from(rest & 127).unwrap() | 128,
                u8::try_from(rest >> 7).unwrap(),
            ]);
        }
        block.extend(value.as_bytes());
    }
    let bytes = [settings(), frame(1, 4, THIS, &block)].concat();
    let fake = Fake::start_raw("words", move |_, _| Reply::Bytes(bytes.clone()));
    assert!(call(&fake).unwrap_err().to_string().len() < 600);
}

/// Wherever an answer breaks off, there is no part of it.
#[test]
fn cut_anywhere() {
    let whole = good(b"a message");
    for at in 0..whole.len() {
        let part = whole[..at].to_vec();
        let fake = Fake::start_raw("cut", move |_, _| Reply::Last(part.clone()));
        let failure = call(&fake).unwrap_err();
        assert!(
            matches!(failure, Failure::Closed | Failure::NotReachable(_)),
            "{at}: {failure:?}"
        );
    }
    let fake = Fake::start_raw("cut", move |_, _| Reply::Last(whole.clone()));
    assert_eq!(call(&fake).unwrap(), b"a message");
}

#[test]
fn hangs_end_by_the_deadline() {
    let mut hang = true;
    let fake = Fake::start("hangs", move |_, _| {
        if core::mem::take(&mut hang) {
            return Reply::Nothing;
        }
        Reply::Message(b"x".to_vec())
    });
    let client = Client::new(&fake.socket(), LONG);
    let begun = Instant::now();
    let hanging = client.call_within(METHOD, Writer::default(), SHORT, whole);
    let error = hanging.unwrap_err();
    assert_eq!(error.failure, Failure::TimedOut(SHORT));
    assert!((SHORT..SHORT * 5).contains(&begun.elapsed()));
    assert_eq!(error.failure.to_string(), "no answer within 200 ms");
    assert_eq!(client.call(METHOD, Writer::default(), whole).unwrap(), b"x");
}

/// The deadline is the whole call's, not each byte's.
#[test]
fn drops_end_by_the_deadline() {
    let folder = std::env::temp_dir().join(format!("evictd-cri-drops-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let listener = UnixListener::bind(folder.join("sock")).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        for byte in good(&[b'x'; 500]) {
            if stream.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    });
    let begun = Instant::now();
    let failure = call_once(&folder.join("sock"), SHORT).unwrap_err();
    assert_eq!(failure, Failure::TimedOut(SHORT));
    assert!(begun.elapsed() < SHORT * 5);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nobody_there() {
    let folder = std::env::temp_dir().join(format!("evictd-cri-nobody-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let socket = folder.join("sock");
    let failure = |socket: &Path| call_once(socket, SHORT).unwrap_err().to_string();
    assert!(failure(&socket).contains("No such file"));
    let listener = UnixListener::bind(&socket).unwrap();
    drop(listener);
    assert!(failure(&socket).contains("refused"));
    let too_long = folder.join("x".repeat(120));
    assert!(!failure(&too_long).is_empty());
    fs::remove_dir_all(folder).unwrap();
}

/// One that accepts nobody, and whose queue is full, hangs `connect` itself.
#[test]
fn full_queue() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
    let folder = std::env::temp_dir().join(format!("evictd-cri-queue-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("sock");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let _first = UnixStream::connect(&path).unwrap();
    let begun = Instant::now();
    let failure = call_once(&path, SHORT).unwrap_err();
    assert_eq!(failure, Failure::TimedOut(SHORT));
    assert!(begun.elapsed() < SHORT * 5);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_runtime_started_anew_is_not_noticed() {
    let fake = Fake::start("anew", |_, _| Reply::Message(b"one".to_vec()));
    let client = Client::new(&fake.socket(), LONG);
    assert_eq!(
        client.call(METHOD, Writer::default(), whole).unwrap(),
        b"one"
    );
    fake.restart(|_, _| Reply::Message(b"two".to_vec()));
    assert_eq!(
        client.call(METHOD, Writer::default(), whole).unwrap(),
        b"two"
    );
}

/// A runtime that is about to end may say so before it answers.
#[test]
fn goodbyes() {
    let goaway = frame(7, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]);
    let tail = good(b"one")[settings().len()..].to_vec();
    let answer = [settings(), goaway, frame(6, 0, 0, &[0; 8]), tail].concat();
    let fake = Fake::start_raw("goodbye", move |_, _| Reply::Bytes(answer.clone()));
    assert_eq!(call(&fake).unwrap(), b"one");
}

/// What never comes to an end is given up before it fills the memory.
#[test]
fn endless() {
    let strange = frame(77, 0, 0, &[0; 8_000]);
    let more = frame(9, 0, THIS, &[0; 8_000]);
    let headers = frame(1, 0, THIS, &[]);
    for (name, bytes, said) in [
        ("strange", strange.repeat(2_300), "an answer without end"),
        (
            "fields",
            [headers, more.repeat(2_300)].concat(),
            "header fields without end",
        ),
    ] {
        let bytes = [settings(), bytes].concat();
        let fake = Fake::start_raw(name, move |_, _| Reply::Bytes(bytes.clone()));
        let failure = call_once(&fake.socket(), LONG).unwrap_err();
        assert_eq!(failure, Failure::Malformed(said.into()), "{name}");
    }
}

#[test]
fn several_at_once() {
    let fake = Fake::start("several", |_, request| match request {
        [] => Reply::Nothing,
        [_, _, b'0'] => Reply::Status(13, "no"),
        request => Reply::Message(request.to_vec()),
    });
    let client = Client::new(&fake.socket(), LONG);
    let texts: Vec<String> = (0..70).map(|count| count.to_string()).collect();
    let requests: Vec<Writer> = texts.iter().map(|text| request(text)).collect();
    let answers = client.call_all(METHOD, &requests, LONG);
    assert_eq!(answers.len(), 70);
    for ((text, request), answer) in texts.iter().zip(requests).zip(answers) {
        match answer {
            Ok(()) => assert_ne!(request.into_bytes(), b"\x0a\x010"),
            Err(error) => assert_eq!(
                (&**text, error.failure.to_string()),
                ("0", "refused with 13: no".into())
            ),
        }
    }
    let begun = Instant::now();
    let empty = [Writer::default(), Writer::default()];
    let answers = client.call_all(METHOD, &empty, SHORT);
    assert!(answers.iter().all(|answer| answer.is_err()));
    assert!(begun.elapsed() < SHORT * 2, "side by side");
}

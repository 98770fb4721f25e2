//! A runtime that sends what a test wants. Its HTTP/2 is written by hand, not by
//! the crate that reads it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "for tests: what goes wrong in it is a mistake of the test"
)]

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::{fs, thread};

/// An answer, in form or not.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// The message, in form.
    Message(Vec<u8>),
    /// A gRPC status and its message, as it stands on the wire.
    Status(u32, &'static str),
    /// These bytes; `stream` in a frame's place for it is the request's (see
    /// [`frame`]). Then the connection is kept.
    Bytes(Vec<u8>),
    /// As [`Reply::Bytes`], but then the connection is closed.
    Last(Vec<u8>),
    /// Nothing.
    Nothing,
}

/// The stream that a [`frame`] of a [`Reply`] means by this number is the request's.
pub(super) const THIS: u32 = 0x7fff_ffff;

type Answer = dyn FnMut(&str, &[u8]) -> Reply + Send;

/// Listens on a socket in a directory of its own; both go when it is dropped.
#[derive(Debug)]
pub(super) struct Fake {
    folder: PathBuf,
    /// Which methods were called.
    pub(super) seen: Arc<Mutex<Seen>>,
}

/// What a [`Fake`] has seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The methods' names, without their service, in the order they were called.
    pub(super) calls: Vec<String>,
    /// The sockets that are open, by their numbers, to close them.
    open: BTreeMap<usize, UnixStream>,
    /// How many there were.
    opened: usize,
}

impl Fake {
    /// Begins to listen; `answer` is given each call's method and message. `name`
    /// tells this test from the others.
    #[must_use]
    pub(super) fn start(
        name: &str,
        answer: impl FnMut(&str, &[u8]) -> Reply + Send + 'static,
    ) -> Self {
        let folder = std::env::temp_dir().join(format!("evictd-cri-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let fake = Self {
            folder,
            seen: Arc::default(),
        };
        fake.listen(answer, false);
        fake
    }

    /// Starts one that says nothing of its own accord: [`Reply::Bytes`] is all that
    /// is sent.
    #[must_use]
    pub(super) fn start_raw(
        name: &str,
        answer: impl FnMut(&str, &[u8]) -> Reply + Send + 'static,
    ) -> Self {
        let fake = Self::start(name, |_, _| Reply::Nothing);
        fake.restart_as(answer, true);
        fake
    }

    /// Closes all connections and listens anew, as a runtime does that is started
    /// again.
    pub(super) fn restart(&self, answer: impl FnMut(&str, &[u8]) -> Reply + Send + 'static) {
        self.restart_as(answer, false);
    }

    fn restart_as(&self, answer: impl FnMut(&str, &[u8]) -> Reply + Send + 'static, is_raw: bool) {
        for stream in self.seen.lock().unwrap().open.values() {
            drop(stream.shutdown(std::net::Shutdown::Both));
        }
        fs::remove_file(self.socket()).unwrap();
        self.listen(answer, is_raw);
    }

    fn listen(&self, answer: impl FnMut(&str, &[u8]) -> Reply + Send + 'static, is_raw: bool) {
        let listener = UnixListener::bind(self.socket()).unwrap();
        let answer: Arc<Mutex<Answer>> = Arc::new(Mutex::new(answer));
        let seen = Arc::clone(&self.seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let mut now = seen.lock().unwrap();
                let number = now.opened;
                now.opened += 1;
                now.open.insert(number, stream.try_clone().unwrap());
                drop(now);
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                thread::spawn(move || {
                    let mut peer = Peer::new(stream, is_raw);
                    // The client may be gone: that is its business.
                    drop(peer.serve(&answer, &seen));
                    seen.lock().unwrap().open.remove(&number);
                });
            }
        });
    }

    /// Where it listens.
    #[must_use]
    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join("sock")
    }

    /// The calls so far, and forgets them.
    #[must_use]
    pub(super) fn take_calls(&self) -> Vec<String> {
        core::mem::take(&mut self.seen.lock().unwrap().calls)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

/// A frame of HTTP/2.
#[must_use]
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A frame of header fields, each written out.
#[must_use]
pub(super) fn fields(fields: &[(&str, &str)], is_last: bool) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            assert!(text.len() < 127, "a length of one byte");
            block.push(u8::try_from(text.len()).unwrap());
            block.extend(text.as_bytes());
        }
    }
    frame(HEADERS, if is_last { 5 } else { 4 }, THIS, &block)
}

/// The head of each good answer.
#[must_use]
pub(super) fn head() -> Vec<u8> {
    fields(
        &[(":status", "200"), ("content-type", "application/grpc")],
        false,
    )
}

/// A frame of the body.
#[must_use]
pub(super) fn data(bytes: &[u8]) -> Vec<u8> {
    frame(DATA, 0, THIS, bytes)
}

/// A message as gRPC carries it.
#[must_use]
pub(super) fn counted(flag: u8, message: &[u8]) -> Vec<u8> {
    let mut bytes = alloc::vec![flag];
    bytes.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    bytes.extend(message);
    bytes
}

/// What every server says first.
#[must_use]
pub(super) fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

struct Peer {
    stream: UnixStream,
    is_raw: bool,
    methods: BTreeMap<u32, String>,
    bodies: BTreeMap<u32, Vec<u8>>,
    /// How much may be sent: of the connection, and of a new stream.
    window: i64,
    windows: BTreeMap<u32, i64>,
    new_window: i64,
}

impl Peer {
    fn new(stream: UnixStream, is_raw: bool) -> Self {
        Self {
            stream,
            is_raw,
            methods: BTreeMap::new(),
            bodies: BTreeMap::new(),
            window: 65_535,
            windows: BTreeMap::new(),
            new_window: 65_535,
        }
    }

    fn serve(&mut self, answer: &Mutex<Answer>, seen: &Mutex<Seen>) -> std::io::Result<()> {
        let mut preface = [0; 24];
        self.stream.read_exact(&mut preface)?;
        assert!(preface.starts_with(b"PRI * HTTP/2.0"), "the preface");
        let mut greeted = !self.is_raw;
        if greeted {
            self.stream.write_all(&settings())?;
        }
        loop {
            let Some(stream) = self.read_frame()? else {
                continue;
            };
            let method = self.methods[&stream].clone();
            let body = self.bodies.remove(&stream).unwrap();
            let name = method.rsplit('/').next().unwrap();
            seen.lock().unwrap().calls.push(name.into());
            let reply = answer.lock().unwrap()(name, &body[5..]);
            let is_raw = matches!(reply, Reply::Bytes(_) | Reply::Last(_));
            if !core::mem::replace(&mut greeted, true) && !is_raw {
                self.stream.write_all(&settings())?;
            }
            if self.reply(stream, reply)? {
                return Ok(());
            }
        }
    }

    /// Answers whether the connection is to be closed.
    fn reply(&mut self, stream: u32, reply: Reply) -> std::io::Result<bool> {
        match reply {
            Reply::Message(message) => {
                self.send(stream, head())?;
                for piece in counted(0, &message).chunks(16_384) {
                    self.wait_for_room(stream, piece.len())?;
                    self.send(stream, data(piece))?;
                }
                self.send(stream, fields(&[("grpc-status", "0")], true))?;
            }
            Reply::Status(code, message) => {
                let code = format!("{code}");
                let all = [
                    (":status", "200"),
                    ("content-type", "application/grpc"),
                    ("grpc-status", &code),
                    ("grpc-message", message),
                ];
                self.send(stream, fields(&all, true))?;
            }
            Reply::Bytes(bytes) => self.send(stream, bytes)?,
            Reply::Last(bytes) => {
                self.send(stream, bytes)?;
                self.stream.shutdown(std::net::Shutdown::Both)?;
                return Ok(true);
            }
            Reply::Nothing => {}
        }
        Ok(false)
    }

    fn send(&mut self, stream: u32, mut bytes: Vec<u8>) -> std::io::Result<()> {
        let this = THIS.to_be_bytes();
        let mut at = 5;
        while at + 4 <= bytes.len() {
            if bytes[at..at + 4] == this {
                bytes[at..at + 4].copy_from_slice(&stream.to_be_bytes());
            }
            let length = [0, bytes[at - 5], bytes[at - 4], bytes[at - 3]];
            at += 9 + usize::try_from(u32::from_be_bytes(length)).unwrap();
        }
        self.stream.write_all(&bytes)
    }

    fn acknowledge(&mut self, kind: u8, payload: &[u8]) -> std::io::Result<()> {
        if self.is_raw {
            return Ok(());
        }
        self.stream.write_all(&frame(kind, 1, 0, payload))
    }

    fn wait_for_room(&mut self, stream: u32, bytes: usize) -> std::io::Result<()> {
        let bytes = i64::try_from(bytes).unwrap();
        while self.window < bytes || self.windows[&stream] < bytes {
            self.read_frame()?;
        }
        self.window -= bytes;
        *self.windows.get_mut(&stream).unwrap() -= bytes;
        Ok(())
    }

    /// The stream whose request is complete now.
    fn read_frame(&mut self) -> std::io::Result<Option<u32>> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head)?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let stream = u32::from_be_bytes(stream);
        let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).unwrap();
        let mut payload = alloc::vec![0; length];
        self.stream.read_exact(&mut payload)?;
        match kind {
            HEADERS => {
                self.methods.insert(stream, path_of(&payload));
                self.windows.insert(stream, self.new_window);
            }
            DATA => {
                self.bodies.entry(stream).or_default().extend(&payload);
                if flags & 1 == 1 {
                    return Ok(Some(stream));
                }
            }
            SETTINGS if flags == 0 => {
                for pair in payload.chunks(6) {
                    if pair[1] == 4 {
                        let window = u32::from_be_bytes(pair[2..].try_into().unwrap());
                        self.new_window = window.into();
                    }
                }
                self.acknowledge(SETTINGS, &[])?;
            }
            PING if flags == 0 => self.acknowledge(PING, &payload)?,
            WINDOW_UPDATE => {
                let more = u32::from_be_bytes(payload[..4].try_into().unwrap());
                match stream {
                    0 => self.window += i64::from(more),
                    stream => *self.windows.entry(stream).or_default() += i64::from(more),
                }
            }
            _ => {}
        }
        Ok(None)
    }
}

/// The path in a block of fields that are all written out.
fn path_of(mut block: &[u8]) -> String {
    loop {
        let mut texts = [String::new(), String::new()];
        assert_eq!(block[0], 0, "a field that is written out");
        block = &block[1..];
        for text in &mut texts {
            let length = usize::from(block[0]);
            assert!(length < 127, "a short text");
            *text = String::from_utf8(block[1..=length].to_vec()).unwrap();
            block = &block[1 + length..];
        }
        let [name, path] = texts;
        if name == ":path" {
            return path;
        }
    }
}

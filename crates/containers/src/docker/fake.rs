//! An engine made of a closure, on a socket of its own. For tests.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How the fake answers a request.
pub(crate) enum Reply {
    /// These bytes; the connection stays open.
    Send(Vec<u8>),
    /// These bytes one by one.
    Trickle(Vec<u8>),
    /// These bytes, and the end of the stream.
    Cut(Vec<u8>),
    /// Nothing, until the other end gives up.
    Hang,
    /// These bytes, then nothing.
    Stall(Vec<u8>),
}

/// An answer with a body of a stated length.
pub(crate) fn json(status: u16, body: &str) -> Reply {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\n\r\n");
    Reply::Send((head + body).into_bytes())
}

/// An answer without a body.
pub(crate) fn empty(status: u16) -> Reply {
    Reply::Send(format!("HTTP/1.1 {status} Said\r\n\r\n").into_bytes())
}

pub(crate) struct Fake {
    dir: PathBuf,
    pub(crate) socket: PathBuf,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Box<dyn Fn(&str) -> Reply + Send + Sync>,
    /// What was asked for: method, path and query, then the body if there is one.
    calls: Mutex<Vec<String>>,
    quit: AtomicBool,
}

impl Fake {
    /// Serves until it is dropped; `answer` is given the method, the path and the
    /// query.
    pub(crate) fn new(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-fake-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let socket = dir.join("sock");
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            calls: Mutex::default(),
            quit: AtomicBool::new(false),
        });
        let listener = UnixListener::bind(&socket).unwrap();
        let serving = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &serving));
        Self {
            dir,
            socket,
            shared,
        }
    }

    /// What was asked for since the last time.
    pub(crate) fn calls(&self) -> Vec<String> {
        core::mem::take(&mut self.shared.calls.lock().unwrap())
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        drop(UnixStream::connect(&self.socket));
        drop(std::fs::remove_dir_all(&self.dir));
    }
}

fn accept(listener: &UnixListener, shared: &Arc<Shared>) {
    for stream in listener.incoming().flatten() {
        if shared.quit.load(Ordering::Relaxed) {
            return;
        }
        let shared = Arc::clone(shared);
        // An error here is the client going away.
        thread::spawn(move || drop(serve(stream, &shared)));
    }
}

fn serve(mut stream: UnixStream, shared: &Shared) -> std::io::Result<()> {
    while let Some((call, body)) = read_request(&mut stream)? {
        let space = if body.is_empty() { "" } else { " " };
        let entry = format!("{call}{space}{body}");
        shared.calls.lock().unwrap().push(entry);
        match (shared.answer)(&call) {
            Reply::Send(bytes) => stream.write_all(&bytes)?,
            Reply::Trickle(bytes) => {
                for byte in bytes {
                    stream.write_all(&[byte])?;
                }
            }
            Reply::Cut(bytes) => return stream.write_all(&bytes),
            Reply::Hang => wait(&mut stream),
            Reply::Stall(bytes) => {
                stream.write_all(&bytes)?;
                wait(&mut stream);
            }
        }
    }
    Ok(())
}

fn wait(stream: &mut UnixStream) {
    drop(stream.set_read_timeout(Some(Duration::from_secs(20))));
    drop(stream.read(&mut [0]));
}

/// The request line without the version, and the body; `None` at the end.
fn read_request(stream: &mut UnixStream) -> std::io::Result<Option<(String, String)>> {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Ok(None);
        }
        text.extend(byte);
    }
    let head = String::from_utf8(text).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let call = head.split(" HTTP/").next().unwrap().to_string();
    Ok(Some((call, String::from_utf8(body).unwrap())))
}

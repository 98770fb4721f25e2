use core::time::Duration;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use crate::find_body;

/// No answer is longer.
const MOST_ANSWER: u64 = 256 << 10;

/// What an error of [`get`] means, as the end of a line; empty where the error says it
/// all.
#[must_use]
pub const fn remark(error: Errno) -> &'static str {
    match error {
        Errno::NOENT | Errno::CONNREFUSED => "; no daemon listens there",
        Errno::ACCESS => "; run it as root",
        _ => "",
    }
}

/// The body that the socket at `socket` has for `path`, waiting at most so long for
/// each piece of it.
///
/// # Errors
///
/// The kernel's: `ENOENT` and `ECONNREFUSED` where no daemon listens, `EAGAIN` where too
/// many requests wait already, `ETIMEDOUT` when it takes too long; `EPROTO` for any other
/// status than 200, and for an answer that is not whole.
pub fn get(socket: &Path, path: &str, wait: Duration) -> Result<String, Errno> {
    request(socket, ("GET", path), wait)
}

/// Asks for a path that changes something.
///
/// # Errors
///
/// As those of [`get`].
pub fn post(socket: &Path, path: &str, wait: Duration) -> Result<String, Errno> {
    request(socket, ("POST", path), wait)
}

fn request(socket: &Path, what: (&str, &str), wait: Duration) -> Result<String, Errno> {
    let address = SocketAddrUnix::new(socket)?;
    // Without it connect waits as long as a daemon that is stopped has a full queue.
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &address)?;
    let answer = exchange(socket.into(), what, wait);
    let answer = answer.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::AGAIN) => Errno::TIMEDOUT,
        other => other.unwrap_or(Errno::IO),
    })?;
    find_body(&answer).map(str::to_owned).ok_or(Errno::PROTO)
}

fn exchange(
    mut stream: UnixStream,
    (method, path): (&str, &str),
    wait: Duration,
) -> io::Result<Vec<u8>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(wait))?;
    stream.set_write_timeout(Some(wait))?;
    // In one piece: a peer that answers early and closes would else break the rest.
    let request = format!("{method} {path} HTTP/1.0\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(MOST_ANSWER).read_to_end(&mut answer)?;
    Ok(answer)
}

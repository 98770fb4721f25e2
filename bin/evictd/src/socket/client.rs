use core::time::Duration;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::net::{
    AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, send, socket_with,
};

/// No answer is longer.
const MOST_ANSWER: usize = 256 << 10;

/// What an error of [`get`] means to who asked, as the end of a line; empty where the
/// error says it all.
#[must_use]
pub const fn remark(error: Errno) -> &'static str {
    match error {
        Errno::NOENT | Errno::CONNREFUSED => "; nobody listens there: no daemon runs",
        Errno::ACCESS => "; ask as root",
        _ => "",
    }
}

/// The body that the socket at `socket` has for `path`, waiting at most so long for
/// each piece of it.
///
/// # Errors
///
/// What the kernel answers: `ENOENT` and `ECONNREFUSED` where nobody listens, `EAGAIN`
/// where too many wait already, `ETIMEDOUT` when it takes too long; `EPROTO` for any
/// other answer than 200.
pub fn get(socket: &Path, path: &str, wait: Duration) -> Result<String, Errno> {
    let address = SocketAddrUnix::new(socket)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &address)?;
    let request = format!("GET {path} HTTP/1.0\r\n\r\n");
    send(&socket, request.as_bytes(), SendFlags::NOSIGNAL)?;
    let wait = Timespec::try_from(wait).map_err(|_| Errno::INVAL)?;
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while answer.len() < MOST_ANSWER {
        let mut fds = [PollFd::new(&socket, PollFlags::IN)];
        if poll(&mut fds, Some(&wait))? == 0 {
            return Err(Errno::TIMEDOUT);
        }
        match read(&socket, &mut piece)? {
            0 => break,
            length => answer.extend_from_slice(piece.get(..length).unwrap_or(&piece)),
        }
    }
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n");
    let body = head.and_then(|head| answer.get(head.wrapping_add(4)..));
    body.filter(|_| answer.starts_with(b"HTTP/1.1 200 "))
        .and_then(|body| core::str::from_utf8(body).ok())
        .map(str::to_owned)
        .ok_or(Errno::PROTO)
}

use core::time::Duration;
use std::path::Path;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv,
    send, socket_with,
};

/// No answer is longer.
const MOST_ANSWER: usize = 256 << 10;

/// The body that the socket at `socket` has for `path`, waiting at most so long for
/// each piece of it.
///
/// # Errors
///
/// What the kernel answers: `ENOENT` and `ECONNREFUSED` where nobody listens, `EAGAIN`
/// when it takes too long; `EPROTO` for any other answer than 200.
pub fn get(socket: &Path, path: &str, wait: Duration) -> Result<String, Errno> {
    let address = SocketAddrUnix::new(socket)?;
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    for direction in [Timeout::Send, Timeout::Recv] {
        set_socket_timeout(&socket, direction, Some(wait))?;
    }
    connect(&socket, &address)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    send(&socket, request.as_bytes(), SendFlags::NOSIGNAL)?;
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while answer.len() < MOST_ANSWER {
        match recv(&socket, &mut piece, RecvFlags::empty())? {
            (0, _) => break,
            (length, _) => answer.extend(piece.iter().take(length)),
        }
    }
    let answer = String::from_utf8(answer).map_err(|_| Errno::PROTO)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(Errno::PROTO)?;
    if head.starts_with("HTTP/1.1 200 ") {
        return Ok(body.to_owned());
    }
    Err(Errno::PROTO)
}

//! Where it is served: a port, and a socket for a group.

use core::net::SocketAddr;
use core::time::Duration;
use std::fs::{DirBuilder, read_to_string};
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use evictd_client::METRICS_SOCKET as NAME;
use evictd_config::Resolved;
use evictd_sys::Directory;
use rustix::fd::OwnedFd;
use rustix::fs::Mode;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
};
use rustix::process::umask;

use super::complain;

/// So many connections wait to be accepted, which takes no time.
const BACKLOG: i32 = 1024;

/// What the flags ask for to be listened at. A port that is taken is waited for, with `pause`:
/// before the sandbox is entered, which knows no network.
///
/// # Errors
/// Which flag cannot be followed, and why.
pub(super) fn open_all(
    settings: &Resolved,
    pause: &dyn Fn(Duration),
) -> Result<Vec<OwnedFd>, String> {
    let mut all = Vec::new();
    if let Some(address) = settings.metrics_listen {
        let flag = format!("--metrics-listen={address}");
        let tell = |error: &io::Error| complain(&wait_text(&flag, error));
        let port = when_free(&|| listen_at(address), pause, &tell);
        all.push(port.map_err(|error| format!("{flag}: {error}"))?);
    }
    if let (Some(group), Some(directory)) = (&settings.metrics_socket_group, &settings.state_dir) {
        let fail = |error| format!("--metrics-socket-group={group}: {error}");
        let at = |path: &Path, error: io::Error| fail(format!("{}: {error}", path.display()));
        let id = group_id(group).map_err(fail)?;
        let held = hold(directory).map_err(|error| at(directory, error))?;
        let socket = listen_for(&held, id);
        all.push(socket.map_err(|error| at(&directory.join(NAME), error))?);
    }
    Ok(all)
}

/// The standard library lets fewer wait; whoever finds no room tries again a second later.
fn listen_at(address: SocketAddr) -> io::Result<OwnedFd> {
    let port = TcpListener::bind(address)?;
    port.set_nonblocking(true)?;
    listen(&port, BACKLOG)?;
    Ok(port.into())
}

fn wait_text(flag: &str, error: &io::Error) -> String {
    format!("{flag}: {error}; metrics are served as soon as it is free")
}

/// The former daemon's process may not have ended yet.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// From this pause on it is told why nothing is served.
const TOLD_FROM: Duration = Duration::from_millis(800);

/// Listens as soon as nobody else does there; that another does is told once.
fn when_free<L>(
    listen: &dyn Fn() -> io::Result<L>,
    pause: &dyn Fn(Duration),
    tell: &dyn Fn(&io::Error),
) -> io::Result<L> {
    let mut next = FIRST_PAUSE;
    loop {
        match listen() {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                if next == TOLD_FROM {
                    tell(&error);
                }
                pause(next);
                next = (next * 2).min(LONGEST_PAUSE);
            }
            listened => return listened,
        }
    }
}

/// The state directory, where nobody else may put anything; the daemon, which makes it too,
/// may not have come so far.
fn hold(directory: &Path) -> io::Result<Directory> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o755).create(directory)?;
    let held = Directory::open(directory)?;
    if held.is_ours_alone()? {
        return Ok(held);
    }
    let why = "others may write in it: it must belong to evictd's user and have mode 0755 or less";
    Err(io::Error::new(ErrorKind::PermissionDenied, why))
}

/// Nobody but the group reaches it, from the first moment: none connects before it listens.
fn listen_for(directory: &Directory, group: u32) -> io::Result<OwnedFd> {
    match directory.remove(NAME) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let address = SocketAddrUnix::new(directory.path_to(NAME))?;
    let before = umask(Mode::from_raw_mode(0o117));
    let bound = bind(&socket, &address);
    umask(before);
    bound?;
    directory.give_to_group(NAME, group)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// Its number, by `/etc/group` where it is a name.
fn group_id(group: &str) -> Result<u32, String> {
    if let Ok(id) = group.parse() {
        return Ok(id);
    }
    let groups = read_to_string("/etc/group").map_err(|error| format!("/etc/group: {error}"))?;
    find_group(&groups, group).ok_or_else(|| {
        String::from("no such group in /etc/group: name one that is there, or its number")
    })
}

fn find_group(groups: &str, wanted: &str) -> Option<u32> {
    let columns = |line: &str| {
        let mut columns = line.split(':');
        let name = columns.next()? == wanted;
        columns.nth(1).filter(|_| name)?.parse().ok()
    };
    groups.lines().find_map(columns)
}

#[cfg(test)]
mod tests;

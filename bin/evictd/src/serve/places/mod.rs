//! Where it is served: a port.

use core::net::SocketAddr;
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::TcpListener;

use evictd_config::Output;
use rustix::fd::OwnedFd;
use rustix::net::listen;

/// So many connections wait to be accepted, which takes no time.
const BACKLOG: i32 = 1024;

/// What the flags ask for to be listened at. A port that is taken is waited for, with `pause`,
/// and `tell` is told: before the sandbox is entered, which knows no network.
///
/// # Errors
/// Which flag cannot be followed, and why.
pub(super) fn open_all(
    output: &Output,
    pause: &dyn Fn(Duration),
    tell: &dyn Fn(&str),
) -> Result<Vec<OwnedFd>, String> {
    let mut all = Vec::new();
    if let Some(address) = output.metrics_listen {
        let flag = format!("--metrics-listen={address}");
        let tell = |error: &io::Error| tell(&wait_text(&flag, error));
        let port = when_free(&|| listen_at(address), pause, &tell);
        all.push(port.map_err(|error| format!("{flag}: {error}"))?);
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

#[cfg(test)]
mod tests;

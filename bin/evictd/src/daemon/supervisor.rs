//! What the init system is told that waits for it (`sd_notify(3)`): by a datagram to the
//! socket that `NOTIFY_SOCKET` names. Without it nobody is told anything.

use core::time::Duration;

use evictd_node::Mono;
use rustix::fd::OwnedFd;
use rustix::net::{
    AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sendto, socket_with,
};

/// The init system, where it wants to hear.
pub(crate) struct Supervisor {
    socket: Option<(OwnedFd, SocketAddrUnix)>,
    /// How often it is told that the loop turns.
    every: Option<Duration>,
    /// When it is to be told next.
    pub(crate) next: Option<Mono>,
    is_reading: bool,
}

impl Supervisor {
    /// As the environment says.
    pub(crate) fn of_environment() -> Self {
        let variable = |name| std::env::var(name).ok();
        let socket = variable("NOTIFY_SOCKET").and_then(|name| open(&name));
        let is_ours = variable("WATCHDOG_PID").is_none_or(|pid| {
            let own = std::process::id();
            pid.parse() == Ok(own)
        });
        let micros = variable("WATCHDOG_USEC").and_then(|text| text.parse().ok());
        let every = micros.filter(|_| is_ours && socket.is_some());
        let every = every.map(|micros: u64| Duration::from_micros(micros / 2));
        Self {
            socket,
            every,
            next: every.map(|_| Mono::ZERO),
            is_reading: false,
        }
    }

    fn tell(&self, text: &str) {
        if let Some((socket, address)) = &self.socket {
            // Nobody waits: a message that is not taken at once is one that is not heard.
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let _ = sendto(socket, text.as_bytes(), flags, address);
        }
    }

    /// It has started.
    pub(crate) fn ready(&self) {
        self.tell("READY=1");
    }

    /// It is about to end.
    pub(crate) fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// The loop turns, and its settings are being read anew or not.
    pub(crate) fn follow(&mut self, now: Mono, is_reading: bool) {
        match (self.is_reading, is_reading) {
            (false, true) => {
                let micros = now.as_nanos() / 1000;
                self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={micros}"));
            }
            (true, false) => self.ready(),
            (true, true) | (false, false) => {}
        }
        self.is_reading = is_reading;
        if let Some(every) = self.every
            && self.next.is_some_and(|next| now >= next)
        {
            self.tell("WATCHDOG=1");
            self.next = Some(now + every);
        }
    }
}

/// A path, or `@` and a name without a file.
fn open(name: &str) -> Option<(OwnedFd, SocketAddrUnix)> {
    let address = match name.strip_prefix('@') {
        Some(name) => SocketAddrUnix::new_abstract_name(name.as_bytes()),
        None => SocketAddrUnix::new(name),
    };
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None);
    socket.ok().zip(address.ok())
}

//! Log lines in the system's log, the journal or the kernel's log.
//!
//! Each line is one message, that is sent at once or not at all: nobody waits for a reader.
//! Nothing here asks for memory once it is open.

use core::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use evictd_plain::Plain;
use log::kv::{Error, Key, Value, VisitSource};
use log::{Level, Record};
use rustix::fd::OwnedFd;
use rustix::fs::OFlags;
use rustix::net::{
    AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sendto, socket_with,
};

use crate::line::{Format, write_plain};
use crate::stream::{self, Room};

const NAME: &str = "evictd";

/// `LOG_DAEMON` of `syslog.h`, where a priority has it.
const DAEMON: u8 = 3 << 3;

/// A message is not longer; what a line has beyond it is cut.
const MOST: usize = 16 << 10;

/// The kernel takes no longer record (`PRINTKRB_RECORD_MAX`, 1024 with its own prefix).
const MOST_OF_KMSG: usize = 976;

/// What takes messages.
#[derive(Debug)]
pub struct Target {
    name: &'static str,
    out: Out,
    /// What a message is made in.
    text: Vec<u8>,
    /// Whether the last one was taken.
    takes: bool,
}

#[derive(Debug)]
enum Out {
    Syslog(OwnedFd, SocketAddrUnix),
    Journald(OwnedFd, SocketAddrUnix),
    Kmsg(Option<File>),
}

impl Target {
    /// The system's log (`/dev/log`), which need not be there yet. To be opened before a sandbox
    /// is entered, as the others; `None` where there is no socket to be had.
    #[must_use]
    pub fn syslog() -> Option<Self> {
        Self::by_datagrams("/dev/log", Out::Syslog)
    }

    /// The journal of systemd, in its own protocol: with the record's fields.
    #[must_use]
    pub fn journald() -> Option<Self> {
        Self::by_datagrams("/run/systemd/journal/socket", Out::Journald)
    }

    /// The kernel's log.
    #[must_use]
    pub fn kmsg() -> Self {
        Self::new("/dev/kmsg", Out::Kmsg(open_kmsg()))
    }

    fn by_datagrams(name: &'static str, out: fn(OwnedFd, SocketAddrUnix) -> Out) -> Option<Self> {
        let (socket, to) = datagrams(name)?;
        Some(Self::new(name, out(socket, to)))
    }

    fn new(name: &'static str, out: Out) -> Self {
        Self {
            name,
            out,
            text: Vec::with_capacity(MOST),
            takes: true,
        }
    }

    /// Sends a record, and keeps it where it is an event. Where it is not taken it is
    /// written to `out`, as [`write_line`](crate::write_line) does it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn tell(
        &mut self,
        out: &mut dyn Write,
        format: Format,
        record: &Record<'_>,
    ) -> io::Result<()> {
        self.text.clear();
        let mut room = Room(&mut self.text);
        // A message that is longer than there is room for is sent as far as it goes.
        let _ = match &self.out {
            Out::Syslog(..) => write_head(&mut room, record, true),
            Out::Kmsg(_) => write_head(&mut room, record, false),
            Out::Journald(..) => room.write_all(b"MESSAGE="),
        };
        let line = self.text.len();
        match format {
            Format::Text => {
                stream::tell(record, None)?;
                let _ = write!(Room(&mut self.text), "{}", Plain(record.args()));
            }
            Format::Json => {
                stream::tell(record, Some(&mut Room(&mut self.text)))?;
                self.text.pop_if(|byte| *byte == b'\n');
            }
        }
        let end = self.text.len();
        if let Out::Journald(..) = self.out {
            let _ = write_fields(&mut Room(&mut self.text), record);
        }
        let sent = self.send();
        let (took, failed) = (self.takes, sent.is_err());
        self.takes = !failed;
        let Err(error) = sent else {
            return Ok(());
        };
        if took {
            write_plain(
                out,
                Level::Warn,
                format_args!(
                    "--log-target: {}: {error}; lines are written here",
                    self.name
                ),
            )?;
        }
        match format {
            Format::Text => write_plain(out, record.level(), *record.args()),
            Format::Json => {
                out.write_all(self.text.get(line..end).unwrap_or_default())?;
                out.write_all(b"\n")
            }
        }
    }

    fn send(&self) -> io::Result<()> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        match &self.out {
            Out::Syslog(socket, to) | Out::Journald(socket, to) => {
                sendto(socket, &self.text, flags, to)?;
            }
            Out::Kmsg(Some(file)) => {
                let fits = self.text.get(..MOST_OF_KMSG).unwrap_or(&self.text);
                { file }.write_all(fits)?;
            }
            Out::Kmsg(None) => return Err(io::ErrorKind::PermissionDenied.into()),
        }
        Ok(())
    }
}

fn datagrams(path: &str) -> Option<(OwnedFd, SocketAddrUnix)> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None);
    socket.ok().zip(SocketAddrUnix::new(path).ok())
}

fn open_kmsg() -> Option<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(flags);
    options.open("/dev/kmsg").ok()
}

/// As `syslog.h` numbers them.
const fn severity(level: Level) -> u8 {
    match level {
        Level::Error => 3,
        Level::Warn => 4,
        Level::Info => 6,
        Level::Debug | Level::Trace => 7,
    }
}

/// What stands before the sentence, by RFC 3164; the time is the receiver's.
fn write_head(out: &mut dyn Write, record: &Record<'_>, with_id: bool) -> io::Result<()> {
    write!(out, "<{}>{NAME}", DAEMON | severity(record.level()))?;
    if with_id {
        write!(out, "[{}]", std::process::id())?;
    }
    out.write_all(b": ")
}

/// What follows the sentence in journald's own protocol: a field a line. No value has a line
/// break in it.
fn write_fields(out: &mut dyn Write, record: &Record<'_>) -> io::Result<()> {
    let severity = severity(record.level());
    write!(
        out,
        "\nSYSLOG_IDENTIFIER={NAME}\nPRIORITY={severity}\nSYSLOG_FACILITY=3\n"
    )?;
    let visited = record.key_values().visit(&mut Fields(out));
    visited.map_err(|_| io::ErrorKind::WriteZero.into())
}

struct Fields<'a>(&'a mut dyn Write);

impl<'kvs> VisitSource<'kvs> for Fields<'_> {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), Error> {
        let written = if let Some(flag) = value.to_bool() {
            self.write(key.as_str(), &flag)
        } else if let Some(number) = value.to_i64() {
            self.write(key.as_str(), &number)
        } else {
            self.write(key.as_str(), &value.to_borrowed_str().unwrap_or_default())
        };
        written.map_err(|_| Error::msg("no room"))
    }
}

impl Fields<'_> {
    /// `mountPoint` as `EVICTD_MOUNT_POINT`.
    fn write(&mut self, name: &str, value: &dyn fmt::Display) -> io::Result<()> {
        self.0.write_all(b"EVICTD_")?;
        for letter in name.bytes() {
            if letter.is_ascii_uppercase() {
                self.0.write_all(b"_")?;
            }
            self.0.write_all(&[letter.to_ascii_uppercase()])?;
        }
        writeln!(self.0, "={}", Plain(value))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;

    /// A target that is a socket of this test, which is removed at the end.
    fn told(name: &str, out: fn(OwnedFd, SocketAddrUnix) -> Out, format: Format) -> String {
        let path = std::env::temp_dir().join(format!("evictd-log-{}-{name}", std::process::id()));
        let receiver = UnixDatagram::bind(&path).unwrap();
        let (socket, to) = datagrams(path.to_str().unwrap()).unwrap();
        let mut target = Target::new("a socket", out(socket, to));
        let fields = [
            ("event", Value::from("met")),
            ("mountPoint", Value::from("/a\nMESSAGE=forged")),
            ("millis", Value::from(7)),
            ("dryRun", Value::from(true)),
        ];
        let mut record = Record::builder();
        record.level(Level::Warn).key_values(&fields);
        let mut tell = || {
            let mut out = Vec::new();
            let text = format_args!("a \u{1b} sentence");
            target
                .tell(&mut out, format, &record.args(text).build())
                .unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(tell(), "");
        let mut message = vec![0; MOST];
        let length = receiver.recv(&mut message).unwrap();
        drop(receiver);
        std::fs::remove_file(&path).unwrap();
        // Once it is gone, lines go where they would have gone otherwise.
        let (first, second) = (tell(), tell());
        assert!(
            first.contains("; lines are written here") && first.contains("sentence"),
            "{first}"
        );
        assert!(
            !second.contains("; lines are") && second.contains("sentence"),
            "{second}"
        );
        String::from_utf8(message[..length].to_vec()).unwrap()
    }

    #[test]
    fn the_system_log_gets_a_line_with_priority_and_name() {
        let id = std::process::id();
        assert_eq!(
            told("syslog", Out::Syslog, Format::Text),
            format!("<28>evictd[{id}]: a \\u{{1b}} sentence")
        );
        let line = told("json", Out::Syslog, Format::Json);
        let line = line.strip_prefix(&format!("<28>evictd[{id}]: ")).unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["event"], "met");
    }

    #[test]
    fn the_journal_gets_fields_and_none_is_forged() {
        assert_eq!(
            told("journald", Out::Journald, Format::Text),
            "MESSAGE=a \\u{1b} sentence\nSYSLOG_IDENTIFIER=evictd\nPRIORITY=4\n\
             SYSLOG_FACILITY=3\nEVICTD_EVENT=met\n\
             EVICTD_MOUNT_POINT=/a\\u{a}MESSAGE=forged\nEVICTD_MILLIS=7\nEVICTD_DRY_RUN=true\n"
        );
    }
}

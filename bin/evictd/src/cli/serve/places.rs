//! Where it is served: a port, and a socket for a group.

use std::fs::{DirBuilder, Permissions, read_to_string, remove_file, set_permissions};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use evictd_config::Resolved;
use rustix::process::umask;

use super::http::Peer;

/// The socket for the group, in the state directory.
const NAME: &str = "metrics.sock";

/// What listens.
pub(super) enum Place {
    Port(TcpListener),
    Socket(UnixListener, PathBuf),
}

impl Place {
    /// Those that the flags ask for.
    ///
    /// # Errors
    /// Which flag cannot be followed, and why.
    pub(super) fn all(settings: &Resolved) -> Result<Vec<Self>, String> {
        let mut all = Vec::new();
        if let Some(address) = settings.metrics_listen {
            let port = TcpListener::bind(address);
            let port = port.map_err(|error| format!("--metrics-listen={address}: {error}"))?;
            all.push(Self::Port(port));
        }
        if let (Some(group), Some(directory)) =
            (&settings.metrics_socket_group, &settings.state_dir)
        {
            let path = directory.join(NAME);
            let fail = |error| format!("--metrics-socket-group={group}: {error}");
            let id = group_id(group).map_err(fail)?;
            // The daemon, which makes it too, may not have come so far.
            let mut builder = DirBuilder::new();
            let made = builder.recursive(true).mode(0o755).create(directory);
            made.map_err(|error| fail(format!("{}: {error}", directory.display())))?;
            let socket = listen(&path, id);
            let socket = socket.map_err(|error| fail(format!("{}: {error}", path.display())))?;
            all.push(Self::Socket(socket, path));
        }
        Ok(all)
    }

    pub(super) fn accept(&self) -> io::Result<Box<dyn Peer>> {
        Ok(match self {
            Self::Port(port) => Box::new(port.accept()?.0),
            Self::Socket(socket, _) => Box::new(socket.accept()?.0),
        })
    }

    /// The file that is to go with this process.
    pub(super) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Port(_) => None,
            Self::Socket(_, path) => Some(path.clone()),
        }
    }
}

/// Nobody but the group reaches it, from the first moment.
fn listen(path: &Path, group: u32) -> io::Result<UnixListener> {
    match remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let before = umask(rustix::fs::Mode::from_raw_mode(0o177));
    let socket = UnixListener::bind(path);
    umask(before);
    let socket = socket?;
    chown(path, None, Some(group))?;
    set_permissions(path, Permissions::from_mode(0o660))?;
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
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_its_whole_name() {
        let groups = "root:x:0:\nadm:x:4:me\n\nbroken\nadmin:x:y:\ntelegraf:x:998:a,b\n";
        assert_eq!(find_group(groups, "adm"), Some(4));
        assert_eq!(find_group(groups, "telegraf"), Some(998));
        for none in ["ad", "admin", "broken", "", "x"] {
            assert_eq!(find_group(groups, none), None, "{none}");
        }
    }
}

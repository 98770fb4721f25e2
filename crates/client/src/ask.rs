//! What a command asks of the daemon that runs with the same `--state-dir`.

use core::time::Duration;
use std::path::Path;

use evictd_config::Paths;
use rustix::io::Errno;

use crate::{View, get, post, remark};

/// How long a command waits for the daemon, which may be killing a pod.
const WAIT: Duration = Duration::from_secs(5);

/// The socket in the state directory.
pub const SOCKET: &str = "evictd.sock";

/// What the daemon that runs with the same `--state-dir` knows.
///
/// # Errors
/// Why none answers.
pub fn view(paths: &Paths) -> Result<View, String> {
    view_within(paths, WAIT)
}

/// Asks the daemon for its view, and waits for at most `wait`.
pub fn view_within(paths: &Paths, wait: Duration) -> Result<View, String> {
    let answer = ask_within(paths, "/view.json", wait)?;
    serde_json::from_str(&answer).map_err(|error| format!("the daemon's answer: {error}"))
}

/// Requests a path from the daemon that runs with the same `--state-dir`.
pub fn ask(paths: &Paths, path: &str) -> Result<String, String> {
    ask_within(paths, path, WAIT)
}

/// Requests a path from the daemon, and waits for at most `wait`.
pub fn ask_within(paths: &Paths, path: &str, wait: Duration) -> Result<String, String> {
    request(paths, &|socket| get(socket, path, wait))
}

/// Has the daemon do what this path stands for.
pub fn order(paths: &Paths, path: &str) -> Result<String, String> {
    request(paths, &|socket| post(socket, path, WAIT))
}

fn request(paths: &Paths, made: &dyn Fn(&Path) -> Result<String, Errno>) -> Result<String, String> {
    let directory = paths.state_dir.as_deref();
    let directory = directory.ok_or("with an empty --state-dir the daemon has no socket to ask")?;
    let socket = directory.join(SOCKET);
    made(&socket).map_err(|error| format!("{}: {error}{}", socket.display(), remark(error)))
}

use super::find::Log;
use evictd_pods::runtimes::Listed;

/// How a runtime is told to begin a new log.
pub(super) type Reopen = fn(&[Listed], &Log) -> Result<(), String>;

/// Over its socket.
pub(super) fn reopen(runtimes: &[Listed], log: &Log) -> Result<(), String> {
    let listed = runtimes.get(log.runtime).ok_or("its runtime is gone")?;
    let opened = listed.open();
    let reopened = opened.and_then(|(mut runtime, _)| runtime.reopen_log(&log.id));
    reopened.map_err(|error| error.to_string())
}

use evictd_containers::Error;
use evictd_engine::ports::Relief;

use super::Run;

pub(super) fn collect(run: &mut Run<'_>, relief: &Relief) -> Result<(), Error> {
    let _ = (run, relief);
    Ok(())
}

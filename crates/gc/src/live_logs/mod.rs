//! Which logs of containers give up their old part for a disk that is short, and what their
//! records look like.

mod plan;
mod record;
mod rotated;
mod technique;

pub use plan::{ContainerLog, LOG_SLACK, LogPlan, Stays};
pub use record::{MOST_NOTICE, RecordFormat, notice, record_after, time_of};
pub use rotated::{is_rotated, rotated_name};
pub use technique::{LogKind, LogWriter, Technique, technique};

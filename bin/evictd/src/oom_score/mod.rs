//! How soon the kernel's OOM killer takes each process of the pods: the daemon keeps
//! it at what it should be, `evictd oom-score` shows it.

mod command;
mod keeper;
mod scores;

pub(crate) use command::{OomScoreOptions, run};
pub(crate) use scores::Scores;

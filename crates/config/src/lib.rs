#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod allocatable;
mod behaviour;
mod book;
mod collection;
pub mod command_line;
mod compat;
mod debug;
mod effective;
mod endpoint;
mod error;
mod file;
mod fit;
mod flags;
mod flags_file;
mod groups;
pub mod help;
mod keep;
mod kept;
mod lines;
mod listen;
mod lists;
mod machine;
mod nearest;
mod relief;
mod reload;
mod reserved;
mod resolve;
mod resolved;
mod setting;
mod source;
mod texts;
mod thresholds;
mod typed;
mod values;
mod warning;
mod words;

pub use allocatable::{Allocatable, Share, allocatable, check_reserves, memory_kept_from_pods};
pub use compat::Compat;
pub use effective::{Effective, EffectiveThreshold, effective, lint};
pub use error::{ConfigError, Place};
pub use evictd_manifest::yaml::MAX_BYTES as MAX_FILE_BYTES;
pub use flags::{Flag, Group, Takes, foreign_flag, removed_flag, removed_flags};
pub use groups::{
    ContainerRuntimes, Daemon, Directory, GarbageCollection, Hooks, ImageGc, Memory,
    NodeAllocatable, OomScoreAdj, Output, Paths, PodSources, Relief, ReliefDir,
};
pub use machine::Machine;
pub use nearest::nearest;
pub use reload::{Reloaded, reload};
pub use reserved::Reserved;
pub use resolve::resolve;
pub use resolved::Resolved;
pub use setting::{Origin, Setting};
pub use typed::Typed;
pub use values::{parse_boolean, parse_priority, parse_qos_class, parse_signal};
pub use warning::Warning;
pub use words::{LogFormat, LogTarget, MemoryRelief, PodsOf};

#[cfg(test)]
mod tests;

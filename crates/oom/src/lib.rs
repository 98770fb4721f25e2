#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod guaranteed;
mod member;
mod reason;
mod score;

pub use guaranteed::{GuaranteedScore, ScoreRangeError};
pub use member::{MemberScore, member_score};
pub use reason::Reason;
pub use score::{ContainerRef, Scale, score_adj};

#[cfg(test)]
mod tests;

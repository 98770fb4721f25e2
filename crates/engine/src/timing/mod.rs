//! How long things take, kept for good in fixed memory.
//!
//! A [`Histogram`] counts durations in buckets whose bounds are powers of two
//! nanoseconds. To record one costs a few instructions and allocates nothing, so it
//! can stand in a loop that must not be slowed down; percentiles are read off later,
//! to the next bound above.
//!
//! A [`Recorder`] holds one for each stage of the loop.
//!
//! ```
//! use evictd_engine::timing::Histogram;
//!
//! let mut reads = Histogram::new();
//! for micros in [20, 25, 30, 900] {
//!     reads.record(micros * 1000);
//! }
//! assert_eq!(reads.count(), 4);
//! assert_eq!(reads.percentile(50), 32_768); // half of them took no longer
//! assert_eq!(reads.percentile(99), 900_000); // no bound above the longest is told
//! ```

mod histogram;
mod recorder;

pub use histogram::{BOUNDS, Histogram};
pub use recorder::Recorder;
pub(crate) use recorder::Stage;

#[cfg(test)]
mod tests;

//! How much memory something outside the pods has taken of late.
//!
//! A crossing is seen within milliseconds, when hardly anything is missing yet, so what is
//! missing then tells nothing of who takes it. What does is a look back: since memory was
//! last plentiful so much of it has gone, and by so much the pods have grown. The rest went
//! to processes outside all pods, to the kernel, or to huge pages, and no eviction gets it
//! back (decision D0).

use core::time::Duration;

use evictd_node::{Mono, Readings, Signal};
use evictd_rank::Candidate;

/// A look back over more than that says little: what grew outside the pods since then may
/// belong there by now.
const LATELY: Duration = Duration::from_secs(600);

/// How it was while no threshold of memory was met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plenty {
    at: Mono,
    /// What was available, in bytes,
    available: i64,
    /// of swap too, where that was read,
    swap: Option<i64>,
    /// and what the pods held together.
    held: u64,
}

impl Plenty {
    /// `None` where the memory was not read.
    pub(crate) fn new(now: Mono, readings: &Readings, pods: &[Candidate]) -> Option<Self> {
        Some(Self {
            at: now,
            available: readings.get(Signal::MemoryAvailable)?.available,
            swap: swap_left(readings),
            held: held(pods, |_| true),
        })
    }

    pub(crate) fn is_of_late(&self, now: Mono) -> bool {
        now.since(self.at) < LATELY
    }

    /// How much memory something outside the pods has taken since it was plentiful, by the
    /// numbers of those pods that count; 0 where that cannot be told.
    ///
    /// It cannot where swap is filled meanwhile: what a pod seems to have given back may lie
    /// there, in memory too if it is zram.
    pub(crate) fn taken_elsewhere(
        &self,
        latest: &Readings,
        signal: Signal,
        pods: &[Candidate],
        counts: impl Fn(usize) -> bool,
    ) -> u64 {
        let memory = latest
            .get(signal)
            .filter(|_| signal == Signal::MemoryAvailable);
        let Some(memory) = memory else {
            return 0;
        };
        let swap = swap_left(latest).zip(self.swap);
        if swap.is_some_and(|(now, then)| now < then) {
            return 0;
        }
        let taken = i128::from(self.available) - i128::from(memory.available);
        let grown = i128::from(held(pods, counts)) - i128::from(self.held);
        u64::try_from(taken - grown).unwrap_or(0)
    }
}

fn swap_left(readings: &Readings) -> Option<i64> {
    let swap = readings.get(Signal::SwapAvailable);
    swap.map(|swap| swap.available)
}

/// What those pods hold together that count. A critical one is no pod here: what it takes,
/// nobody is evicted for.
fn held(pods: &[Candidate], counts: impl Fn(usize) -> bool) -> u64 {
    let mut of = pods.iter().enumerate().filter(|(at, _)| counts(*at));
    let of = of.by_ref().filter(|(_, pod)| !pod.pod.is_critical());
    of.filter_map(|(_, pod)| pod.usage.as_ref()?.memory_working_set_bytes)
        .fold(0, u64::saturating_add)
}

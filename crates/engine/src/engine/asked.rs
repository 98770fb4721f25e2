//! What the loop answers when it is asked: the verdicts, made afresh from what is known. They
//! allocate, so no path to SIGKILL asks for them.

use evictd_evict::{NoPod, Skip, Verdict};
use evictd_node::{Mono, Signal};

use super::turn::Loop;
use crate::pace::is_disk;
use crate::ports::{Node, Pods, Reclaim};

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// The verdict on each signal of which a threshold is met. For that the pods are listed, and
    /// what they hold on a disk is measured once since its threshold is met: until that is done,
    /// or given up, there is no verdict on it.
    pub(super) fn verdicts(&mut self, now: Mono) -> Vec<Verdict> {
        let mut met: Vec<(Signal, Mono)> = Vec::new();
        for of in self.deciding.evict.met() {
            let signal = of.threshold.signal;
            if met.iter().all(|(known, _)| *known != signal) {
                met.push((signal, of.since));
            }
        }
        if met.is_empty() {
            return Vec::new();
        }
        self.deciding.list_for_answer(now);
        let (evict, pods) = (&self.deciding.evict, &mut self.deciding.pods);
        let telling = &self.telling;
        let is_known = |(signal, since): &(Signal, Mono)| {
            !is_disk(signal.resource())
                || telling.has_told_why(*signal)
                || pods.has_measured_disk(*since)
        };
        met.retain(is_known);
        let pods = self.deciding.pods.candidates();
        let verdicts = met.iter().map(|(of, _)| evict.verdict(now, *of, pods));
        verdicts.filter(|of| !is_rehearsed(of)).collect()
    }
}

/// That a dry run has named its own is no answer to which pod is next.
fn is_rehearsed(verdict: &Verdict) -> bool {
    let mut accounts = verdict.accounts.iter();
    matches!(verdict.next, Err(NoPod::Rehearsed | NoPod::RehearsedMost))
        || accounts.any(|of| of.skipped == Some(Skip::Rehearsed))
}

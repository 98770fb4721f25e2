//! Live logs, whose old part may be given up for a disk.

use evictd_engine::ports::Collected;
use evictd_gc::{ContainerLog, LogPlan, Stays};
use evictd_node::{ReliefStep, Unit};

use super::amount::MIB;
use super::disk::places;
use super::machine::World;
use crate::feature::Feature;
use crate::violation::Violation;

/// The newest part of a log, which stays.
const KEEP: u64 = 16 * MIB;

impl World {
    /// A log may be given up only where a pod would be evicted at once (docs/disks.md).
    pub(super) fn judge_logs(&mut self, device: (u32, u32)) {
        // What was begun before a reload goes on.
        let Some((_, readings)) = self.given.looks.last() else {
            return;
        };
        let disk = self.disks.iter().position(|disk| disk.device == device);
        let is_met = self.things.thresholds.iter().any(|of| {
            let reading = readings.get(of.signal);
            of.is_hard()
                && of.signal.unit() == Unit::Bytes
                && self.disk_of(of.signal) == disk
                && reading.is_some_and(|reading| of.is_unreclaimed(&reading))
        });
        if !is_met && !self.plan.features.has(Feature::Reload) {
            let text = "logs are given up, and no hard threshold is met".into();
            self.violations.push(Violation::new("logs", self.now, text));
        }
    }

    /// The old part of a pod's own log goes, where that ends what it is above its limit.
    pub(super) fn cut_own_log(&mut self, uid: &str, missing: u64) -> Collected {
        let index = self.index_of(uid);
        let is_on = self.plan.features.has(Feature::LiveLogs);
        let pod = index.and_then(|index| self.pods.get_mut(index));
        let Some(pod) = pod.filter(|pod| is_on && !pod.number.is_multiple_of(4)) else {
            return Collected::default();
        };
        let gain = pod.held.logs.saturating_sub(KEEP);
        if gain < missing {
            return Collected::default();
        }
        pod.held.logs -= gain;
        self.told(ReliefStep::Logs.name(), 1, Some(gain))
    }

    /// The old part of live logs goes, by the rules of `gc`. Returns how much that gave.
    pub(super) fn cut_logs(&mut self, disk: usize, missing: Option<u64>) -> u64 {
        let [nodefs, ..] = places(self.layout);
        if disk != nodefs || !self.plan.features.has(Feature::LiveLogs) {
            return 0;
        }
        let logs = self.pods.iter().map(|pod| ContainerLog {
            allocated: pod.held.logs,
            has_ended: !pod.runs(),
            stays: pod.number.is_multiple_of(4).then_some(Stays::Wished),
        });
        let logs: Vec<ContainerLog> = logs.collect();
        let mut plan = LogPlan::new(&logs, KEEP, missing, 0);
        let mut freed = 0;
        while let Some((index, gain)) = plan.next(freed) {
            let Some(pod) = self.pods.get_mut(index) else {
                continue;
            };
            pod.held.logs = pod.held.logs.saturating_sub(gain);
            freed += gain;
            if pod.held.logs < KEEP || pod.number.is_multiple_of(4) {
                let text = format!("of the log of {} stay {}", pod.uid, pod.held.logs);
                self.violations.push(Violation::new("logs", self.now, text));
            }
        }
        freed
    }
}

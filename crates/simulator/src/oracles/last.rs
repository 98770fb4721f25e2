//! The last eviction for each signal, and whether it was a reason for the next.

use core::time::Duration;

use evictd_node::{Mono, Resource, Signal};

use super::case::Case;
use crate::world::pod::Life;

/// The last evictions, one for each signal.
pub(super) type Lasts = Vec<(Signal, Last)>;

/// The last eviction for a signal.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub(super) uid: String,
    pub(super) at: Mono,
    /// How many looks at the node had been made.
    pub(super) looks: Mono,
    pub(super) available: i64,
    pub(super) used: Option<u64>,
    /// What each of the others held then.
    pub(super) others: Vec<(String, u64)>,
}

impl Case<'_> {
    /// It is the last one for its signal from now on.
    pub(super) fn remember(&self, lasts: &mut Lasts) {
        let signal = self.signal();
        let disk = self.world.disk_of(signal);
        // nodefs and containerfs are often one filesystem.
        let is_same = |of: &Signal| {
            *of == signal
                || disk.is_some() && self.world.disk_of(*of) == disk && of.unit() == signal.unit()
        };
        lasts.retain(|(of, _)| !is_same(of));
        // By which of several looks it was decided cannot be told of a turn that took long.
        if let Some((looks, reading)) = self.last_look().filter(|_| !self.strike.stalled) {
            let last = Last {
                uid: self.victim.uid.clone(),
                at: self.strike.at,
                looks,
                available: reading.available,
                used: self.used(self.victim),
                others: self.held_by_others(),
            };
            let same = Signal::ALL.into_iter().filter(is_same);
            lasts.extend(same.map(|of| (of, last.clone())));
        }
    }

    fn held_by_others(&self) -> Vec<(String, u64)> {
        let rivals = self.strike.rivals.iter();
        let others = rivals.filter(|rival| !rival.looks_sacred && rival.uid != self.victim.uid);
        let held = others.filter_map(|rival| Some((rival.uid.clone(), self.used(rival)?)));
        held.collect()
    }

    /// What the others held at the last eviction, but for those that ended by themselves in the
    /// same moment: evictd reads them once the kill has begun.
    fn left_by(&self, last: &Last) -> u64 {
        let has_ended = |uid: &str| {
            let mut pods = self.world.pods.iter().filter(|pod| pod.uid == uid);
            pods.any(|pod| pod.life == Life::Gone(last.at))
        };
        let left = last.others.iter().filter(|(uid, _)| !has_ended(uid));
        left.map(|(_, held)| held).sum()
    }

    /// The last eviction for it gave something back, or less is left by now.
    pub(super) fn lacks_evidence(&self, lasts: &Lasts) -> Option<String> {
        let mut all = lasts.iter();
        let (_, last) = all.find(|(signal, _)| *signal == self.signal())?;
        let looks = self.world.given.looks.get(..self.strike.looks)?;
        let ago = self.strike.at.since(last.at);
        let keeps = self.used(self.victim).is_some() && !self.exceeds(self.victim);
        let knows_request = self.signal().resource() != Resource::Pids;
        if keeps && knows_request && ago < Duration::from_secs(8) {
            return Some(format!("a modest pod goes {ago:?} after {}", last.uid));
        }
        let eighth = |of: u64| i64::try_from(of / 8).unwrap_or(i64::MAX);
        let left = eighth(u64::try_from(last.available).unwrap_or(0));
        let gain = last.used.map_or(left, eighth).max(1);
        let since = looks.iter().rev().take_while(|(at, _)| *at >= last.looks);
        let mut known = since.filter_map(|(_, readings)| readings.get(self.signal()));
        let is_answered = known.any(|reading| {
            reading.available >= last.available.saturating_add(gain)
                || reading.available < last.available.saturating_sub(left)
        });
        // Or others have taken it, which can be had from them.
        let gain = u64::try_from(gain).unwrap_or(0);
        let most = self.world.most_held.iter();
        let most = most
            .filter(|(of, _)| *of == self.signal())
            .map(|(_, held)| *held);
        let was_taken = most.max().unwrap_or(0) >= self.left_by(last).saturating_add(gain);
        (!is_answered && !was_taken).then(|| {
            format!(
                "{} was evicted at {} and nothing has changed since",
                last.uid, last.at
            )
        })
    }
}

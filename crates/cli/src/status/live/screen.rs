//! What the screen is about: what was seen, what is chosen, and what the keys change.

use alloc::collections::VecDeque;
use core::cell::Cell;
use core::cmp::Reverse;

use evictd_engine::full_name;
use evictd_node::Signal;

use super::keys::Key;
use super::look::Seen;
use super::nearness::rows;
use crate::sampled::RankedPod;

/// So many looks are drawn over time.
pub(super) const LOOKS: usize = 120;
/// A daemon that does not answer so often in a row is gone; one that is being restarted, or
/// is busy killing, is not.
const TRIES: u32 = 5;

/// In which order pods stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Eviction,
    Use,
    Name,
}

/// What is shown below the signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Panel {
    Pods,
    Why,
    Rehearsal,
}

/// How near a signal came to its threshold at each look, in percent.
pub(super) struct Past {
    pub(super) signal: Signal,
    pub(super) reached: VecDeque<u8>,
}

pub(super) struct Screen {
    pub(super) seen: Option<Seen>,
    pub(super) past: Vec<Past>,
    /// How many looks there were.
    pub(super) looks: usize,
    pub(super) sort: Sort,
    pub(super) panel: Panel,
    /// So many lines of the panel's text are above what is shown; who draws it keeps that within
    /// the text.
    pub(super) above: Cell<usize>,
    /// Why the daemon did not answer the last time.
    pub(super) trouble: Option<String>,
    tries: u32,
    /// The pod that is chosen, by its UID: it may change its place.
    chosen: Option<String>,
}

impl Screen {
    pub(super) const fn new() -> Self {
        Self {
            seen: None,
            past: Vec::new(),
            looks: 0,
            sort: Sort::Eviction,
            panel: Panel::Pods,
            above: Cell::new(0),
            trouble: None,
            tries: 0,
            chosen: None,
        }
    }

    /// Takes in what was seen, or why nothing was.
    ///
    /// # Errors
    /// The reason, once the daemon counts as gone.
    pub(super) fn take(&mut self, seen: Result<Seen, String>) -> Result<(), String> {
        match seen {
            Ok(seen) => {
                self.tries = 0;
                self.trouble = None;
                self.remember(&seen);
                self.seen = Some(seen);
            }
            Err(why) => {
                self.tries = self.tries.saturating_add(1);
                if self.tries >= TRIES {
                    return Err(why);
                }
                self.trouble = Some(why);
            }
        }
        Ok(())
    }

    fn remember(&mut self, seen: &Seen) {
        self.looks = self.looks.wrapping_add(1);
        for row in rows(&seen.overview.signals) {
            let signal = row.state.signal;
            let is_new = self.past.iter().all(|past| past.signal != signal);
            if is_new {
                let reached = VecDeque::new();
                self.past.push(Past { signal, reached });
            }
            for past in self.past.iter_mut().filter(|past| past.signal == signal) {
                past.reached.push_back(row.reached());
                if past.reached.len() > LOOKS {
                    past.reached.pop_front();
                }
            }
        }
    }

    /// What a key changes; `false` when it ends all.
    pub(super) fn press(&mut self, key: Key) -> bool {
        match key {
            Key::Quit => return false,
            Key::Up => self.go(|at| at.saturating_sub(1)),
            Key::Down => self.go(|at| at.saturating_add(1)),
            Key::Sort => {
                self.sort = match self.sort {
                    Sort::Eviction => Sort::Use,
                    Sort::Use => Sort::Name,
                    Sort::Name => Sort::Eviction,
                }
            }
            Key::Why => self.toggle(Panel::Why),
            Key::Rehearse => self.toggle(Panel::Rehearsal),
            Key::Back => self.turn_to(Panel::Pods),
        }
        true
    }

    fn toggle(&mut self, panel: Panel) {
        let is_there = self.panel == panel;
        self.turn_to(if is_there { Panel::Pods } else { panel });
    }

    fn turn_to(&mut self, panel: Panel) {
        self.panel = panel;
        self.above.set(0);
    }

    /// To another pod, or through a text.
    fn go(&mut self, next: impl Fn(usize) -> usize) {
        match self.panel {
            Panel::Pods => self.choose(next),
            Panel::Why | Panel::Rehearsal => self.above.set(next(self.above.get())),
        }
    }

    fn choose(&mut self, next: impl Fn(usize) -> usize) {
        let pods = self.pods();
        let at = next(self.chosen_at(&pods)).min(pods.len().saturating_sub(1));
        let chosen = pods.get(at).map(|pod| pod.uid.clone());
        self.chosen = chosen;
    }

    /// The pods as they are sorted.
    pub(super) fn pods(&self) -> Vec<&RankedPod> {
        let pods = self.seen.iter().flat_map(|seen| &seen.overview.pods);
        let mut pods: Vec<&RankedPod> = pods.collect();
        match self.sort {
            Sort::Eviction => {}
            Sort::Use => pods.sort_by_key(|pod| Reverse(pod.used)),
            Sort::Name => pods.sort_by_key(|pod| full_name(&pod.namespace, &pod.name)),
        }
        pods
    }

    /// Where among these the chosen one is; the first, where it is gone.
    pub(super) fn chosen_at(&self, pods: &[&RankedPod]) -> usize {
        let is_chosen = |pod: &&RankedPod| Some(&pod.uid) == self.chosen.as_ref();
        pods.iter().position(is_chosen).unwrap_or(0)
    }
}

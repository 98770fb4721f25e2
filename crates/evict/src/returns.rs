//! Pods that come back after they were evicted, as something starts them anew each time.
//!
//! That is no reason to spare it: no other pod is evicted in its place, as that one has not
//! filled the node. It is told, and `admit` refuses the pod until the pressure is over; the
//! kubelet has no such thing (k/k#65240).

use alloc::string::String;
use core::time::Duration;

use evictd_node::{ConditionSet, Mono, Signal};
use smallvec::SmallVec;

/// A pod that was evicted so often within the window is in an eviction loop.
const LOOP: u32 = 2;

/// So many pods are remembered; nobody names more of them than there are evictions in the
/// window, of which there is hardly one a second.
const MOST: usize = 64;

/// The pods that were evicted of late, by their names: each start gives them another uid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returns(SmallVec<[Return; 2]>);

/// A pod that was evicted of late.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Return {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// For which signal; `None` for a limit of its own.
    pub signal: Option<Signal>,
    /// How often it was evicted for that.
    pub times: u32,
    /// When for the first time,
    pub first: Mono,
    /// and for the last.
    pub last: Mono,
}

impl Return {
    /// Whether it is in an eviction loop.
    #[must_use]
    pub const fn is_loop(&self) -> bool {
        self.times >= LOOP
    }

    fn is_of(&self, namespace: &str, name: &str) -> bool {
        self.name == name && self.namespace == namespace
    }
}

impl Returns {
    /// After so long without an eviction a pod counts as new.
    pub const WINDOW: Duration = Duration::from_secs(600);

    /// A pod was evicted. One without a name is nobody who could come back.
    pub fn note(&mut self, at: Mono, namespace: &str, name: &str, signal: Option<Signal>) {
        if name.is_empty() {
            return;
        }
        let known = self.0.iter_mut();
        let mut known = known.filter(|one| one.is_of(namespace, name) && one.signal == signal);
        if let Some(one) = known.next() {
            one.times = one.times.saturating_add(1);
            one.last = at.max(one.last);
            return;
        }
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push(Return {
            namespace: namespace.into(),
            name: name.into(),
            signal,
            times: 1,
            first: at,
            last: at,
        });
    }

    /// Forgets the pods that were not evicted for ten minutes. An eviction loop is
    /// remembered as long as the condition holds that it was for.
    pub fn forget_former(&mut self, now: Mono, held: ConditionSet) {
        let holds = |signal: Signal| held.has(signal.condition());
        self.0.retain(|one| {
            now.since(one.last) < Self::WINDOW || (one.is_loop() && one.signal.is_some_and(holds))
        });
    }

    /// The pods in eviction loops.
    pub fn loops(&self) -> impl Iterator<Item = &Return> {
        self.0.iter().filter(|one| one.is_loop())
    }

    /// Whether the pod of that name is in an eviction loop.
    #[must_use]
    pub fn is_in_loop(&self, namespace: &str, name: &str) -> bool {
        self.loops().any(|one| one.is_of(namespace, name))
    }

    /// What is known of the pod of that name and of that signal.
    #[must_use]
    pub fn of(&self, namespace: &str, name: &str, signal: Option<Signal>) -> Option<&Return> {
        let mut all = self.0.iter();
        all.find(|one| one.is_of(namespace, name) && one.signal == signal)
    }
}

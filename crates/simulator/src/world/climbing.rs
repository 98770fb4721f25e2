//! The helper at work in a world. It goes on by itself while the loop waits.

use core::time::Duration;

use evictd_evict::ladder::{Act, Ladder, LadderPod, Lift, Lifted, Said, Saying};
use evictd_node::{MemoryRung, MemoryRungs};

use super::climber::{Asked, Written};
use super::machine::World;
use crate::feature::Feature;
use crate::violation::Violation;

/// How often it looks at the pods.
const EVERY: Duration = Duration::from_secs(1);

impl World {
    /// evictd is gone, and the helper with it: what is set stays set.
    pub(crate) fn climber_dies(&mut self) {
        let climber = &mut self.climber;
        climber.ladder = Ladder::default();
        (climber.saying, climber.said) = (Saying::default(), Said::default());
        (climber.looked_at, climber.looks_at) = (None, None);
        climber.pods.clear();
        climber.fared.clear();
    }

    /// The next one begins: first it puts back what is written down.
    pub(super) fn climber_begins(&mut self) {
        self.climber_dies();
        if !self.climber.written.is_empty() {
            self.climber.puts_back = true;
            self.climber.looks_at = Some(self.now + self.helper_waits());
        }
    }

    /// These rungs there may be from now on.
    pub(crate) fn allow(&mut self, allowed: MemoryRungs) {
        if allowed != self.climber.allowed {
            (self.climber.allowed, self.climber.allowed_since) = (allowed, self.now);
        }
    }

    /// The kernel lets the helper wait now and then.
    fn helper_waits(&mut self) -> Duration {
        let late = self.has(Feature::LateHelper) && self.climber.random.one_in(8);
        let most = if late { 3000 } else { 20 };
        Duration::from_millis(self.climber.random.within(0, most))
    }

    /// The loop says how short memory is, and which pods there are.
    pub(crate) fn hear(&mut self, said: Said, pods: Option<Vec<Asked>>) {
        let is_urgent = said.ending.is_some() && said.ending != self.climber.said.ending
            || said.allowed != self.climber.said.allowed;
        if said.need != self.climber.said.need {
            self.tell(|| format!("for the ladder memory is: {:?}", said.need));
        }
        self.climber.saying.note(said.clone());
        self.climber.said = said;
        if let Some(pods) = pods {
            (self.climber.pods, self.climber.named_at) = (pods, self.now);
        }
        let soon = self.now + Duration::from_millis(1);
        let next = self.climber.looked_at.map_or(soon, |at| at + EVERY);
        let next = if is_urgent { soon } else { next.max(soon) };
        let looks_at = &mut self.climber.looks_at;
        if looks_at.is_none_or(|at| is_urgent && at > next) {
            *looks_at = Some(next);
        }
    }

    /// It looks, where it is time to.
    pub(super) fn climb_if_due(&mut self) {
        let looks_at = &mut self.climber.looks_at;
        if looks_at.take_if(|at| *at <= self.now).is_none() {
            return;
        }
        let puts_back = core::mem::take(&mut self.climber.puts_back);
        if puts_back {
            self.put_back(self.has(Feature::Refused), |_, _| true);
        } else {
            self.look_at_pods();
        }
        let busy = self.climber.said.need != evictd_evict::ladder::Need::None
            || self.climber.ladder.holds_any()
            || !self.climber.written.is_empty();
        if busy {
            let waits = self.helper_waits();
            self.climber.looks_at = Some(self.now + EVERY + waits);
        }
    }

    fn look_at_pods(&mut self) {
        let now = self.now;
        let said = self.climber.said.clone();
        let asked = core::mem::take(&mut self.climber.pods);
        let mut ladder = core::mem::take(&mut self.climber.ladder);
        let readable = self.readable(&asked);
        let pods: Vec<LadderPod<'_>> = readable
            .iter()
            .filter_map(|of| self.shown_to_ladder(of, &said))
            .collect();
        let need = said.need_at(now);
        let steps = ladder.step(now, need, said.allowed, &pods);
        for lift in &steps.over {
            self.judge_thaw(lift, &asked);
            self.note_over(lift);
        }
        for act in &steps.begun {
            let of = match *act {
                Act::Reclaim { pod, .. }
                | Act::Tell { pod }
                | Act::Brake { pod, .. }
                | Act::Freeze { pod, .. } => pod,
            };
            let uid = pods.get(of).map(|pod| pod.uid.to_owned());
            if let Some(uid) = uid {
                self.act(&mut ladder, *act, &uid);
            }
        }
        let fared = readable.iter().filter_map(|of| {
            let pod = self.pods.get(self.index_of(&of.uid)?)?;
            Some((of.uid.clone(), pod.knobs.read_back, pod.knobs.waited))
        });
        self.climber.fared = fared.collect();
        self.climber.looked_at = Some(now);
        let fails = self.has(Feature::Refused);
        self.put_back(fails, |uid, rung| !ladder.is_set(uid, rung));
        (self.climber.ladder, self.climber.pods) = (ladder, asked);
        self.judge_knobs_after_look();
    }

    /// Those whose files can be read this time.
    fn readable(&mut self, asked: &[Asked]) -> Vec<Asked> {
        let fails = self.has(Feature::Unreadable);
        let mut all = asked.to_vec();
        all.retain(|_| !(fails && self.climber.random.one_in(40)));
        all
    }

    fn shown_to_ladder<'a>(&self, of: &'a Asked, said: &Said) -> Option<LadderPod<'a>> {
        let pod = self.pods.get(self.index_of(&of.uid)?)?;
        let knobs = &pod.knobs;
        let mut fared = self.climber.fared.iter();
        let (_, read_back, waited) = fared.find(|(uid, ..)| *uid == of.uid).map_or(
            (&of.uid, knobs.read_back, knobs.waited),
            |(uid, read, waited)| (uid, *read, *waited),
        );
        let waited = knobs.waited.saturating_sub(waited).as_millis();
        pod.runs().then(|| LadderPod {
            uid: &of.uid,
            cgroup: knobs.cgroup,
            priority: of.known.priority(),
            is_critical: of.known.is_critical(),
            is_freezable: knobs.is_freezable && of.is_described,
            listens: knobs.listens && of.is_described,
            is_ending: said.ending.as_ref() == Some(&of.uid),
            usage_bytes: pod.held.memory(),
            waited_permille: self
                .climber
                .says_waits
                .then(|| u64::try_from(waited).unwrap_or(u64::MAX)),
            refaulted_bytes: knobs.read_back.saturating_sub(read_back),
            age: None, // nothing waits for its turn here
        })
    }

    fn act(&mut self, ladder: &mut Ladder, act: Act, uid: &str) {
        let room = self.memory.swap.saturating_sub(self.swap_used());
        let Some(index) = self.index_of(uid) else {
            return;
        };
        self.judge_act(act, index);
        let Some(pod) = self.pods.get_mut(index) else {
            return;
        };
        let now = self.now;
        match act {
            Act::Reclaim { bytes, .. } => {
                pod.give_back(bytes, room);
                self.climber.climbed[0] += 1;
            }
            Act::Tell { .. } => {
                pod.knobs.told = Some(now);
                // It makes of it what it can.
                if pod.number.is_multiple_of(2) {
                    pod.held.anon -= pod.held.anon / 4;
                }
                self.climber.climbed[1] += 1;
            }
            Act::Brake { high, .. } => self.set(ladder, index, MemoryRung::Brake, Some(high)),
            Act::Freeze { .. } => self.set(ladder, index, MemoryRung::Freeze, None),
        }
    }

    /// Sets something of a pod. What stood there is written down first.
    fn set(&mut self, ladder: &mut Ladder, index: usize, rung: MemoryRung, high: Option<u64>) {
        let fails = self.has(Feature::Descriptors) && self.climber.random.one_in(6);
        let now = self.now;
        let Some(pod) = self.pods.get_mut(index) else {
            return;
        };
        let uid = pod.uid.clone();
        let is_lower = high.is_some() && pod.knobs.high.is_some_and(|own| Some(own) <= high);
        if fails || is_lower {
            ladder.failed(&uid, rung, now);
            return;
        }
        let is_written = |of: &Written| of.uid == uid && of.rung == rung;
        if !self.climber.written.iter().any(is_written) {
            self.climber.written.push(Written {
                uid: uid.clone(),
                rung,
                high_before: pod.knobs.high,
            });
        }
        pod.knobs.of_rung_mut(rung).since = Some(now);
        if rung == MemoryRung::Freeze {
            pod.knobs.frozen = true;
            self.climber.climbed[3] += 1;
        } else {
            pod.knobs.high = high;
            self.climber.climbed[2] += 1;
        }
        self.tell(|| format!("{rung}: {uid} {}", high.unwrap_or(0)));
    }

    fn note_over(&mut self, lift: &Lift) {
        let (now, uid) = (self.now, &lift.uid);
        self.tell(|| format!("{} of {uid} is over: {}", lift.rung, lift.why));
        let index = self.index_of(uid);
        let pod = index.and_then(|index| self.pods.get_mut(index));
        // Of one that was started anew nothing was set.
        let knob = pod.map(|pod| pod.knobs.of_rung_mut(lift.rung));
        if let Some(knob) = knob.filter(|knob| knob.since.is_some()) {
            knob.over = Some((now, lift.why));
        }
    }

    /// Puts back what stood there before, of those that are meant; a file may not take it yet.
    fn put_back(&mut self, fails: bool, is_meant: impl Fn(&str, MemoryRung) -> bool) {
        let mut written = core::mem::take(&mut self.climber.written);
        let now = self.now;
        written.retain(|of| {
            let random = &mut self.climber.random;
            if !is_meant(&of.uid, of.rung) || fails && random.one_in(8) {
                return true;
            }
            let index = self.pods.iter().position(|pod| pod.uid == of.uid);
            let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) else {
                return false;
            };
            pod.knobs.of_rung_mut(of.rung).since = None;
            if of.rung == MemoryRung::Brake {
                pod.knobs.high = of.high_before;
            } else {
                pod.thaw(now);
            }
            false
        });
        self.climber.written = written;
    }

    /// evictd ends by itself: all is put back.
    pub(crate) fn climber_ends(&mut self) {
        let over = self.climber.ladder.end(self.now);
        for lift in over.iter().filter(|lift| lift.why != Lifted::Ended) {
            let text = format!("{} of {} is over: {}", lift.rung, lift.uid, lift.why);
            let found = Violation::new("left-set", self.now, text);
            self.violations.push(found);
        }
        self.put_back(false, |_, _| true);
    }
}

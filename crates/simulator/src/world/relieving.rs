//! The helper at work in a world. It goes on by itself while the loop waits.

use core::time::Duration;

use evictd_evict::memory_relief::{Act, Lift, Lifted, Relief, ReliefPod, Said, Saying};

use super::machine::World;
use super::reliever::{Asked, Written};
use crate::feature::Feature;
use crate::violation::Violation;

/// How often it looks at the pods.
const EVERY: Duration = Duration::from_secs(1);

impl World {
    /// evictd is gone, and the helper with it: what is set stays set.
    pub(crate) fn reliever_dies(&mut self) {
        let reliever = &mut self.reliever;
        reliever.relief = Relief::default();
        (reliever.saying, reliever.said) = (Saying::default(), Said::default());
        (reliever.looked_at, reliever.looks_at) = (None, None);
        reliever.pods.clear();
        reliever.fared.clear();
    }

    /// The next one begins: first it puts back what is written down.
    pub(super) fn reliever_begins(&mut self) {
        self.reliever_dies();
        if !self.reliever.written.is_empty() {
            self.reliever.puts_back = true;
            self.reliever.looks_at = Some(self.now + self.helper_waits());
        }
    }

    /// Relief is on from now on, or off.
    pub(crate) fn relieve(&mut self, is_on: bool) {
        if is_on != self.reliever.is_on {
            (self.reliever.is_on, self.reliever.set_since) = (is_on, self.now);
        }
    }

    /// The kernel lets the helper wait now and then.
    fn helper_waits(&mut self) -> Duration {
        let late = self.has(Feature::LateHelper) && self.reliever.random.one_in(8);
        let most = if late { 3000 } else { 20 };
        Duration::from_millis(self.reliever.random.within(0, most))
    }

    /// The loop says how short memory is, and which pods there are.
    pub(crate) fn hear(&mut self, said: Said, pods: Option<Vec<Asked>>) {
        let is_urgent = said.is_on != self.reliever.said.is_on;
        if said.need != self.reliever.said.need {
            self.tell(|| format!("for relief memory is: {:?}", said.need));
        }
        self.reliever.saying.note(said);
        self.reliever.said = said;
        if let Some(pods) = pods {
            (self.reliever.pods, self.reliever.named_at) = (pods, self.now);
        }
        let soon = self.now + Duration::from_millis(1);
        let next = self.reliever.looked_at.map_or(soon, |at| at + EVERY);
        let next = if is_urgent { soon } else { next.max(soon) };
        let looks_at = &mut self.reliever.looks_at;
        if looks_at.is_none_or(|at| is_urgent && at > next) {
            *looks_at = Some(next);
        }
    }

    /// It looks, where it is time to.
    pub(super) fn relieve_if_due(&mut self) {
        let looks_at = &mut self.reliever.looks_at;
        if looks_at.take_if(|at| *at <= self.now).is_none() {
            return;
        }
        let puts_back = core::mem::take(&mut self.reliever.puts_back);
        if puts_back {
            self.put_back(self.has(Feature::Refused), |_| true);
        } else {
            self.look_at_pods();
        }
        let busy = self.reliever.said.need != evictd_evict::memory_relief::Need::None
            || self.reliever.relief.holds_any()
            || !self.reliever.written.is_empty();
        if busy {
            let waits = self.helper_waits();
            self.reliever.looks_at = Some(self.now + EVERY + waits);
        }
    }

    fn look_at_pods(&mut self) {
        let now = self.now;
        let said = self.reliever.said;
        let asked = core::mem::take(&mut self.reliever.pods);
        let mut relief = core::mem::take(&mut self.reliever.relief);
        let readable = self.readable(&asked);
        let pods: Vec<ReliefPod<'_>> = readable
            .iter()
            .filter_map(|of| self.shown_to_relief(of))
            .collect();
        let need = said.need_at(now);
        let steps = relief.step(now, need, said.is_on, &pods);
        for lift in &steps.over {
            self.note_over(lift);
        }
        for act in &steps.begun {
            let (Act::Reclaim { pod: of, .. } | Act::Brake { pod: of, .. }) = *act;
            let uid = pods.get(of).map(|pod| pod.uid.to_owned());
            if let Some(uid) = uid {
                self.act(&mut relief, *act, &uid);
            }
        }
        let fared = readable.iter().filter_map(|of| {
            let pod = self.pods.get(self.index_of(&of.uid)?)?;
            Some((of.uid.clone(), pod.knobs.read_back, pod.knobs.waited))
        });
        self.reliever.fared = fared.collect();
        self.reliever.looked_at = Some(now);
        let fails = self.has(Feature::Refused);
        self.put_back(fails, |uid| !relief.is_braked(uid));
        (self.reliever.relief, self.reliever.pods) = (relief, asked);
        self.judge_knobs_after_look();
    }

    /// Those whose files can be read this time.
    fn readable(&mut self, asked: &[Asked]) -> Vec<Asked> {
        let fails = self.has(Feature::Unreadable);
        let mut all = asked.to_vec();
        all.retain(|_| !(fails && self.reliever.random.one_in(40)));
        all
    }

    fn shown_to_relief<'a>(&self, of: &'a Asked) -> Option<ReliefPod<'a>> {
        let pod = self.pods.get(self.index_of(&of.uid)?)?;
        let knobs = &pod.knobs;
        let mut fared = self.reliever.fared.iter();
        let (_, read_back, waited) = fared.find(|(uid, ..)| *uid == of.uid).map_or(
            (&of.uid, knobs.read_back, knobs.waited),
            |(uid, read, waited)| (uid, *read, *waited),
        );
        let waited = knobs.waited.saturating_sub(waited).as_millis();
        pod.runs().then(|| ReliefPod {
            uid: &of.uid,
            cgroup: knobs.cgroup,
            is_critical: of.known.is_critical(),
            usage_bytes: pod.held.memory(),
            waited_permille: self
                .reliever
                .says_waits
                .then(|| u64::try_from(waited).unwrap_or(u64::MAX)),
            refaulted_bytes: knobs.read_back.saturating_sub(read_back),
        })
    }

    fn act(&mut self, relief: &mut Relief, act: Act, uid: &str) {
        let room = self.memory.swap.saturating_sub(self.swap_used());
        let Some(index) = self.index_of(uid) else {
            return;
        };
        self.judge_act(act, index);
        let Some(pod) = self.pods.get_mut(index) else {
            return;
        };
        match act {
            Act::Reclaim { bytes, .. } => {
                pod.give_back(bytes, room);
                self.reliever.climbed[0] += 1;
            }
            Act::Brake { high, .. } => self.brake(relief, index, high),
        }
    }

    /// Brakes a pod. What stood there is written down first.
    fn brake(&mut self, relief: &mut Relief, index: usize, high: u64) {
        let fails = self.has(Feature::Descriptors) && self.reliever.random.one_in(6);
        let now = self.now;
        let Some(pod) = self.pods.get_mut(index) else {
            return;
        };
        let uid = pod.uid.clone();
        if fails || pod.knobs.high.is_some_and(|own| own <= high) {
            relief.failed(&uid, now);
            return;
        }
        if !self.reliever.written.iter().any(|of| of.uid == uid) {
            self.reliever.written.push(Written {
                uid: uid.clone(),
                high_before: pod.knobs.high,
            });
        }
        pod.knobs.brake.since = Some(now);
        pod.knobs.high = Some(high);
        self.reliever.climbed[1] += 1;
        self.tell(|| format!("brake: {uid} {high}"));
    }

    fn note_over(&mut self, lift: &Lift) {
        let (now, uid) = (self.now, &lift.uid);
        self.tell(|| format!("brake of {uid} is over: {}", lift.why));
        let index = self.index_of(uid);
        let pod = index.and_then(|index| self.pods.get_mut(index));
        // Of one that was started anew nothing was set.
        let knob = pod.map(|pod| &mut pod.knobs.brake);
        if let Some(knob) = knob.filter(|knob| knob.since.is_some()) {
            knob.over = Some((now, lift.why));
        }
    }

    /// Puts back what stood there before, of those that are meant; a file may not take it yet.
    fn put_back(&mut self, fails: bool, is_meant: impl Fn(&str) -> bool) {
        let mut written = core::mem::take(&mut self.reliever.written);
        written.retain(|of| {
            let random = &mut self.reliever.random;
            if !is_meant(&of.uid) || fails && random.one_in(8) {
                return true;
            }
            let index = self.pods.iter().position(|pod| pod.uid == of.uid);
            let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) else {
                return false;
            };
            pod.knobs.brake.since = None;
            pod.knobs.high = of.high_before;
            false
        });
        self.reliever.written = written;
    }

    /// evictd ends by itself: all is put back.
    pub(crate) fn reliever_ends(&mut self) {
        let over = self.reliever.relief.end(self.now);
        for lift in over.iter().filter(|lift| lift.why != Lifted::Ended) {
            let text = format!("brake of {} is over: {}", lift.uid, lift.why);
            let found = Violation::new("left-set", self.now, text);
            self.violations.push(found);
        }
        self.put_back(false, |_| true);
    }
}

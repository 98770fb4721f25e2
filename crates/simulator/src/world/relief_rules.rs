//! What memory relief must never do, by what the documents say of it (docs/memory.md).

use core::time::Duration;

use evictd_evict::memory_relief::{Act, Lifted};
use evictd_node::{MemoryStep, Mono, Readings, Resource, Signal};
use evictd_threshold::Threshold;

use super::knobs::Knob;
use super::machine::World;
use super::pod::WorldPod;
use crate::feature::Feature;
use crate::violation::Violation;

/// How long a brake lasts, and that there is none again for a while after that.
const BRAKE_LASTS: Duration = Duration::from_secs(30);
const BRAKE_RESTS: Duration = Duration::from_secs(60);

/// The helper looks once a second, waits in the kernel now and then, and a file may not take
/// what is written at the first try.
const MARGIN: Duration = Duration::from_secs(12);

/// Of a loop that says nothing is believed for some seconds what it said last, and room is waited
/// for.
const CALM: Duration = Duration::from_secs(10);

/// The longest interval of rounds.
const ROUND: Duration = Duration::from_secs(30);

/// So long a loop that is well may take to say what has changed, with the helper's look.
const SAID: Duration = Duration::from_secs(3);

impl World {
    fn violates(&mut self, oracle: &'static str, text: String) {
        let found = Violation::new(oracle, self.now, text);
        self.violations.push(found);
    }

    /// What is about to be done to a pod.
    pub(super) fn judge_act(&mut self, act: Act, index: usize) {
        let rung = match act {
            Act::Reclaim { .. } => MemoryStep::Reclaim,
            Act::Brake { .. } => MemoryStep::Brake,
        };
        let Some(pod) = self.pods.get(index) else {
            return;
        };
        let found = [
            ("rung-sacred", self.is_of_a_sacred_one(rung, pod)),
            ("rung-off", self.is_switched_off(rung, pod)),
            ("rung-hard", self.was_hard_of_late(rung)),
            ("rung-needless", self.is_needless(rung)),
            ("rung-rests", self.does_not_rest(rung, pod)),
            ("brake", self.brakes_badly(act, pod)),
        ];
        for (oracle, text) in found {
            if let Some(text) = text {
                self.violates(oracle, text);
            }
        }
    }

    /// By what the loop knew when it last named the pods.
    fn is_of_a_sacred_one(&self, rung: MemoryStep, pod: &WorldPod) -> Option<String> {
        let known_at = pod.described_at.max(self.heard_at).max(pod.changed_at);
        let is_known = known_at < self.reliever.named_at;
        (pod.is_sacred() && is_known).then(|| format!("{rung} of {}, which is critical", pod.uid))
    }

    fn is_late(&self) -> bool {
        self.given.is_late || self.stalled
    }

    fn is_switched_off(&self, rung: MemoryStep, pod: &WorldPod) -> Option<String> {
        let is_new = self.now.since(self.reliever.set_since) < SAID;
        let is_off = !self.reliever.is_on && !self.is_late() && !is_new;
        is_off.then(|| format!("{rung} of {}, which is switched off", pod.uid))
    }

    fn was_hard_of_late(&self, rung: MemoryStep) -> Option<String> {
        // By numbers that do not agree evictd may see more.
        let is_blurred =
            self.plan.features.has(Feature::Disagree) && self.now.since(self.chaos_ends) < SAID;
        let was_hard = !self.is_late() && !is_blurred && self.was_hard_since(self.now, SAID);
        was_hard.then(|| format!("{rung} begins, a hard threshold is met"))
    }

    /// There has been room for so long that evictd knows.
    fn is_needless(&self, rung: MemoryStep) -> Option<String> {
        let room = self.reliever.room_since.map(|at| self.now.since(at));
        let is_wrong = !self.is_late() && room.is_some_and(|room| room > CALM + self.round());
        is_wrong.then(|| format!("{rung} begins, with room for {room:?}"))
    }

    /// While the kernel gives notice, memory is read anew with each round.
    fn round(&self) -> Duration {
        let guarded = self.is_calm() || self.plan.features.has(Feature::Guard);
        if guarded { ROUND } else { Duration::ZERO }
    }

    fn does_not_rest(&self, rung: MemoryStep, pod: &WorldPod) -> Option<String> {
        let over = match rung {
            MemoryStep::Brake => pod.knobs.brake.over,
            MemoryStep::Reclaim => return None,
        };
        let (at, why) = over?;
        let is_early = self.now.since(at) + SAID < BRAKE_RESTS;
        let is_wrong = why != Lifted::Room && at >= self.began && is_early;
        is_wrong.then(|| format!("{rung} of {} again: over at {at}, {why}", pod.uid))
    }

    fn brakes_badly(&self, act: Act, pod: &WorldPod) -> Option<String> {
        let Act::Brake { high, .. } = act else {
            return None;
        };
        let held = pod.held.memory();
        if high < held {
            return Some(format!("{} holds {held}, and gets {high}", pod.uid));
        }
        let mut others = self.pods.iter().filter(|pod| pod.runs());
        let other = others.find(|pod| pod.knobs.brake.is_set(self.began))?;
        Some(format!("{} beside {}", pod.uid, other.uid))
    }

    /// Whether a hard threshold was met by the last look of before that long, and by each since.
    fn was_hard_since(&self, now: Mono, lasts: Duration) -> bool {
        let mut hard = self.things.thresholds.iter().filter(|of| of.is_hard());
        let hard = hard.find(|of| of.signal.resource() == Resource::Memory);
        let Some(hard) = hard else {
            return false;
        };
        let is_met =
            |readings: &Readings| readings.get(hard.signal).is_some_and(|of| hard.is_met(&of));
        let is_new = |at: Mono| now.since(at) < lasts;
        let between = self.given.memory.iter();
        let mut looks = between.chain(&self.given.looks).rev();
        let last = looks.clone().map(|(at, _)| *at).filter(|at| !is_new(*at));
        let last = last.max();
        let counts = |at: Mono| is_new(at) || Some(at) == last;
        last.is_some() && looks.all(|(at, readings)| !counts(*at) || is_met(readings))
    }

    /// No pod that reads back what it needs stays braked, and none that turns out to be critical
    /// stays as it is.
    pub(super) fn judge_knobs_after_look(&mut self) {
        let now = self.now;
        let braked = self.pods.iter();
        let braked = braked.filter(|pod| pod.runs() && pod.knobs.brake.is_set(self.began));
        let mut found = braked.filter_map(|pod| self.is_of_a_sacred_one(MemoryStep::Brake, pod));
        if let Some(text) = found.next() {
            self.violates("rung-sacred", text);
        }
        let fails = self.plan.features.has(Feature::Refused);
        let mut found = Vec::new();
        for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
            let knobs = &mut pod.knobs;
            let was = knobs.seen.replace((now, knobs.read_back));
            let (Some((at, before)), Some(since)) = (was, knobs.brake.since) else {
                continue;
            };
            let read = knobs.read_back.saturating_sub(before);
            let lasts = now.since(at);
            let thrashes = lasts <= Duration::from_secs(1) && read > pod.held.memory() / 15;
            if thrashes && since <= at && !fails {
                found.push(format!("{} has read back {read} in {lasts:?}", pod.uid));
            }
        }
        for text in found {
            self.violates("brake-thrashes", text);
        }
    }

    /// Since when there is room: no soft threshold of memory is met, an eighth of it is left above
    /// each hard one, and what is left of memory itself is not filled soon.
    fn has_room_since(&mut self) -> Option<Mono> {
        let left = |of: &Threshold| {
            let now = self.truth(of.signal)?;
            let level = of.value.against(now.capacity).value();
            let room = if of.is_hard() { now.capacity / 8 } else { 0 };
            let left = now.available.checked_sub(level)?;
            (left >= room).then_some(left)
        };
        let thresholds = self.things.thresholds.iter();
        let mut of_memory = thresholds.filter(|of| of.signal.resource() == Resource::Memory);
        let left = of_memory.try_fold(i64::MAX, |least, of| {
            let left = left(of)?;
            // Swap is filled when there is no memory left.
            Some(if of.signal == Signal::SwapAvailable {
                least
            } else {
                least.min(left)
            })
        });
        let (at, before) = self.reliever.left.unwrap_or((self.now, left));
        let is_filled = left
            .zip(before)
            .is_some_and(|(left, before)| before - left > left / 10);
        if self.now.since(at) >= Duration::from_secs(1) || self.reliever.left.is_none() {
            self.reliever.left = Some((self.now, left));
        }
        // By numbers that do not agree evictd may see less.
        let has_room = left.is_some() && !is_filled && !self.has(Feature::Disagree);
        let since = self.reliever.room_since.filter(|_| has_room);
        self.reliever.room_since = has_room.then(|| since.unwrap_or(self.now));
        self.reliever.room_since
    }

    /// After each turn of the loop: nothing outlasts its time.
    pub(crate) fn judge_knobs(&mut self) {
        // What evictd sets it has written down.
        if !self.reliever.has_written() {
            (self.reliever.room_since, self.reliever.left) = (None, None);
            return;
        }
        let room = self.has_room_since();
        let running = self.pods.iter().filter(|pod| pod.runs());
        let wrong = running.filter_map(|pod| {
            let (oracle, text) = self.outlasts(&pod.knobs.brake, room)?;
            Some((oracle, format!("{}: {text}", pod.uid)))
        });
        let found: Vec<_> = wrong.collect();
        for (oracle, text) in found {
            self.violates(oracle, text);
        }
    }

    /// Why it should be set no more.
    fn outlasts(&self, brake: &Knob, room: Option<Mono>) -> Option<(&'static str, String)> {
        let (now, began) = (self.now, self.began);
        let since = brake.since?;
        // It was to be put back; its file may not take that at once, and is tried again.
        let over = brake.over.filter(|(at, _)| *at >= since);
        let since_pause = now.since(self.clocks.paused_until);
        if over.is_some_and(|(at, _)| now.since(at).min(since_pause) < MARGIN) {
            return None;
        }
        let set = now.since(since);
        if since < began {
            let is_left = now.since(began).min(since_pause) > MARGIN;
            return is_left.then(|| ("left-set", format!("the brake is from before {began}")));
        }
        if set > BRAKE_LASTS + MARGIN {
            return Some(("outlasts", format!("the brake lasts {set:?}")));
        }
        let room = room.map(|at| now.since(at.max(since)));
        if room.is_some_and(|room| room > MARGIN + CALM + self.round()) {
            return Some(("kept-set", format!("the brake, with room for {room:?}")));
        }
        let off = now.since(self.reliever.set_since);
        let is_off = !self.reliever.is_on && off > MARGIN;
        is_off.then(|| ("switched-off", format!("the brake, for {off:?}")))
    }

    /// evictd has ended: nothing is set any more, and all is as it was.
    pub(crate) fn judge_left_set(&mut self) {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        let mut left = pods.filter(|pod| pod.knobs.high != pod.knobs.own_high);
        if let Some(text) = left
            .next()
            .map(|pod| format!("{}: {:?}", pod.uid, pod.knobs))
        {
            self.violates("left-set", text);
        }
    }
}

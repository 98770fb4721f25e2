use core::time::Duration;

use evictd_engine::ports::{
    Begun, Depth, Heard, Killing, Listing, News, OomKill, Places, Runtimes, Usage,
};
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, VolumeUsage};
use evictd_rank::Candidate;

use super::Shared;
use super::flight::Flight;
use crate::feature::Feature;
use crate::violation::Violation;
use crate::world::World;
use crate::world::pod::WorldPod;
use crate::world::shown::Listed;

/// The pods, as the engine sees them.
pub(crate) struct WorldPods {
    world: Shared,
    candidates: Vec<Candidate>,
    is_exact: Vec<bool>,
    lacks_descriptors: bool,
    problems: Vec<String>,
}

impl WorldPods {
    pub(crate) const fn new(world: Shared) -> Self {
        Self {
            world,
            candidates: Vec::new(),
            is_exact: Vec::new(),
            lacks_descriptors: false,
            problems: Vec::new(),
        }
    }
}

/// As much as is known of a pod by now.
pub(super) fn described(world: &World, pod: &WorldPod) -> (Pod, bool) {
    let is_described = world.heard() == Heard::All && pod.described_at <= world.now;
    if is_described {
        return (pod.pod.clone(), true);
    }
    let mut bare = Pod::default();
    bare.metadata.uid.clone_from(&pod.uid);
    if pod.is_protected || world.remembers(&pod.uid) {
        bare.mark_static();
    }
    (bare, false)
}

/// A pod as far as it is known by now, each of its numbers exact.
pub(crate) fn shown_exactly(world: &World, pod: &WorldPod) -> Candidate {
    let (known, is_described) = described(world, pod);
    Candidate::new(&known, Some(&usage(pod, false, is_described)))
}

/// What a pod keeps on disks, as it was measured; of one that nobody describes nobody knows what
/// is its own.
fn on_disks(pod: &WorldPod, is_described: bool) -> Option<u64> {
    let (_, disk) = pod.measured.filter(|_| is_described)?;
    let volume = if pod.has_mount { 0 } else { disk.volume };
    Some(disk.layer + disk.logs + volume)
}

fn usage(pod: &WorldPod, bound: bool, is_described: bool) -> PodUsage {
    let held = &pod.held;
    let memory = if bound {
        held.memory()
    } else {
        held.working_set()
    };
    let mut usage = PodUsage {
        memory_working_set_bytes: Some(memory),
        swap_bytes: Some(held.swap),
        process_count: Some(held.pids),
        undescribed: !is_described,
        ephemeral_storage_bytes: on_disks(pod, is_described),
        ..PodUsage::default()
    };
    if let Some((_, disk)) = pod.measured {
        usage.containers = vec![ContainerUsage {
            name: "main".into(),
            rootfs_bytes: Some(disk.layer),
            rootfs_inodes: Some(disk.layer_inodes),
            logs_bytes: Some(disk.logs),
            logs_inodes: Some(0),
            ..ContainerUsage::default()
        }];
        let (used_bytes, inodes_used) = (Some(disk.volume), Some(0));
        if !pod.has_mount {
            usage.volumes = vec![VolumeUsage {
                name: "scratch".into(),
                used_bytes,
                inodes_used,
            }];
        } else if is_described {
            // Only its runtime knows of it.
            usage.mounts = vec![MountUsage {
                path: "/volumes/scratch".into(),
                used_bytes,
                inodes_used,
                beside_layers: false,
            }];
        }
    }
    usage
}

impl Listing for WorldPods {
    fn refresh(&mut self, _now: Mono, depth: Depth) {
        let world = &mut *self.world.borrow_mut();
        if world.now_and_then(Feature::Stalls, 0, 30) {
            let takes = world.dice(Feature::Stalls, 1).within(1, 3000);
            let takes = Duration::from_millis(takes);
            world.tell(|| format!("the list of pods takes {takes:?}"));
            world.stalled = true;
            world.advance(world.now + takes);
        }
        world.end_walk();
        self.lacks_descriptors = world.now_and_then(Feature::Descriptors, 0, 10);
        self.candidates.clear();
        self.is_exact.clear();
        world.listed.clear();
        for index in 0..world.pods.len() {
            let unreadable = world.now_and_then(Feature::Unreadable, index, 12);
            let Some(pod) = world.pods.get(index).filter(|pod| pod.runs()) else {
                continue;
            };
            let bound = depth == Depth::Bounds && pod.held.inactive > 0;
            let (is_known, is_described) = described(world, pod);
            let usage = (!unreadable).then(|| usage(pod, bound, is_described));
            let candidate = Candidate::new(&is_known, usage.as_ref());
            let measured = pod.measured;
            world.listed.push(Listed { index, measured });
            self.candidates.push(candidate);
            self.is_exact.push(!bound || unreadable);
        }
        world.note_most_held();
        world.note_protected();
        if depth == Depth::Whole && world.plan.features.has(Feature::Limits) {
            world.begin_walk();
        }
    }

    fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    fn heard(&self) -> Heard {
        self.world.borrow().heard()
    }

    fn lacks_descriptors(&self) -> bool {
        self.lacks_descriptors
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }

    fn rest(&mut self) {}

    fn forget(&mut self) {}
}

impl Usage for WorldPods {
    fn is_exact(&self, index: usize) -> bool {
        self.is_exact.get(index).copied().unwrap_or(true)
    }

    fn read_exactly(&mut self, index: usize) {
        let world = &mut *self.world.borrow_mut();
        let vanishes = world.now_and_then(Feature::Vanishing, index, 20);
        let Some(of) = world.listed.get(index).map(|of| of.index) else {
            return;
        };
        if vanishes {
            world.tell(|| "a pod ends by itself".into());
            world.end(of);
        }
        let pod = world.pods.get(of);
        match pod.filter(|pod| pod.runs()) {
            None => {
                world.listed.remove(index);
                self.candidates.remove(index);
                self.is_exact.remove(index);
            }
            Some(pod) => {
                let exact = pod.held.working_set();
                let candidate = self.candidates.get_mut(index);
                if let Some(usage) = candidate.and_then(|candidate| candidate.usage.as_mut()) {
                    usage.memory_working_set_bytes = Some(exact);
                }
                if let Some(is_exact) = self.is_exact.get_mut(index) {
                    *is_exact = true;
                }
            }
        }
    }

    fn name_containers(&mut self, _index: usize) {}

    fn may_have_limits(&self) -> bool {
        self.world.borrow().plan.features.has(Feature::Limits)
    }

    fn has_measured_disk(&mut self, since: Mono) -> bool {
        self.world.borrow_mut().has_measured_disk(since)
    }

    fn ask_for_pages(&mut self, bytes: u64, until: Mono) -> bool {
        self.world.borrow_mut().ask_for_pages(bytes, until)
    }

    fn pages_given(&mut self) -> Option<u64> {
        self.world.borrow().pages_given()
    }
}

impl Killing for WorldPods {
    fn may_evict(&mut self, _now: Mono, _index: usize) -> bool {
        let world = &mut *self.world.borrow_mut();
        !world.has(Feature::Hook) || world.dice(Feature::Hook, 0).one_in(4)
    }

    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String> {
        let mut shared = self.world.borrow_mut();
        let world = &mut *shared;
        let victim = world.listed.get(index);
        let victim = victim.and_then(|of| world.pods.get(of.index));
        let victim = victim.ok_or("it was never there")?;
        let (uid, runs, is_refused) = (victim.uid.clone(), victim.runs(), victim.is_refused);
        if world.now_and_then(Feature::Descriptors, 1, 10) {
            self.lacks_descriptors = true;
            return Err("too many open files".into());
        }
        if self.lacks_descriptors {
            let text = format!("{uid} is chosen by a list that lacks descriptors");
            world
                .violations
                .push(Violation::new("descriptors", world.now, text));
        }
        world.choose_next();
        let strike = world.strike(&uid, (&self.candidates, index));
        world.strikes.push(strike);
        if !runs {
            return Err("it is not there any more".into());
        }
        if is_refused {
            world.is_stuck(&uid);
            return Err("refused".into());
        }
        world.begin_to_end(&uid);
        let told_runtime = world.runtime.exists;
        let left_to_runtime = told_runtime && !grace.is_zero();
        if told_runtime {
            world.end_by_runtime(&uid, grace);
        }
        let files_stay = world.has(Feature::FilesStay);
        drop(shared);
        let flight = Flight::new(
            Shared::clone(&self.world),
            uid,
            now,
            grace,
            !left_to_runtime,
        );
        Ok(Begun {
            kill: Box::new(flight),
            left_to_runtime,
            told_runtime,
            files_stay,
        })
    }

    fn end_again(&mut self, _now: Mono, uid: &str, tell_runtime: bool) -> bool {
        let world = &mut *self.world.borrow_mut();
        let index = world.index_of(uid);
        let pod = index.and_then(|index| world.pods.get(index));
        let runs = pod.is_some_and(|pod| pod.life == crate::world::pod::Life::Runs);
        if runs {
            world.kill(uid);
            if tell_runtime {
                world.end_by_runtime(uid, Duration::ZERO);
            }
        }
        runs
    }

    fn oom_kills(&mut self, _now: Mono) -> Vec<OomKill> {
        core::mem::take(&mut self.world.borrow_mut().oom_kills)
    }
}

impl Runtimes for WorldPods {
    fn has_runtimes(&self) -> bool {
        self.world.borrow().runtime.exists
    }

    fn ask_runtimes(&mut self) {
        let world = &mut *self.world.borrow_mut();
        if world.tells_what_is_new() {
            world.list_anew();
        } else {
            let takes = world.runtime_takes();
            world.say(takes, News::Listed);
        }
    }

    fn freshen(&mut self, _with_layers: bool) {
        self.world.borrow_mut().list_what_is_new();
    }

    fn take_news(&mut self) -> Vec<News> {
        self.world.borrow_mut().take_news()
    }

    fn places(&self) -> Places {
        Places::default()
    }
}

use core::time::Duration;

use evictd_engine::ports::{Collect, Collected, Deletion, Job, Reclaim, Relieved};
use evictd_node::{Mono, ReliefStep};

use super::{Shared, WorldPods};
use crate::feature::Feature;

/// What the world gives back.
pub(crate) struct WorldReclaim {
    world: Shared,
    /// What is being deleted, and until when: all leftovers, or those of a pod in memory.
    deleting: Option<(Mono, Option<String>)>,
}

impl WorldReclaim {
    pub(crate) const fn new(world: Shared) -> Self {
        Self {
            world,
            deleting: None,
        }
    }

    fn begin_to_delete(&mut self, of: Option<String>) {
        let world = &mut *self.world.borrow_mut();
        let mut dice = world.dice(Feature::SlowWalk, 4);
        let millis = if world.now_and_then(Feature::SlowWalk, 5, 3) {
            dice.within(100, 20_000)
        } else {
            dice.within(1, 50)
        };
        self.deleting = Some((world.now + Duration::from_millis(millis), of));
    }
}

impl Reclaim<WorldPods> for WorldReclaim {
    fn begin(&mut self, _pods: &mut WorldPods, job: Job) -> usize {
        let world = &mut *self.world.borrow_mut();
        world.tell(|| format!("is asked for {:?}", job.what));
        world.note_asked(&job.what);
        let is_of_runtimes = match &job.what {
            Collect::Containers { .. } | Collect::Images(_) => true,
            Collect::Step(relief) => relief.rung == ReliefStep::BuildCache,
            Collect::OwnLog { .. } | Collect::Tidy => false,
        };
        if !is_of_runtimes {
            let has_any = world.plan.features.has(Feature::Directories)
                || world.plan.features.has(Feature::Reserve)
                || world.plan.features.has(Feature::LiveLogs);
            if !has_any {
                return 0;
            }
            world.climb_later(job);
            return 1;
        }
        if !world.runtime.exists {
            return 0;
        }
        let takes = world.runtime_takes();
        world.runtime.jobs.push((world.now + takes, job));
        1
    }

    fn take_relief(&mut self, _now: Mono) -> Vec<Relieved> {
        self.world.borrow_mut().take_relief()
    }

    fn begin_leftovers(&mut self, _ended: &[String]) -> Result<(), String> {
        self.begin_to_delete(None);
        Ok(())
    }

    fn begin_emptying(&mut self, uid: &str) -> Result<(), String> {
        self.begin_to_delete(Some(uid.to_owned()));
        Ok(())
    }

    fn poll_leftovers(&mut self, _now: Mono, _pods: &mut WorldPods) -> Deletion {
        let world = &mut *self.world.borrow_mut();
        let due = self.deleting.take_if(|(at, _)| *at <= world.now);
        let Some((_, of)) = due else {
            return Deletion::Nothing;
        };
        let removed = world.delete_leftovers(of.as_deref());
        Deletion::Done(Ok(Collected {
            removed,
            ..Collected::default()
        }))
    }

    fn has_leftovers(&self) -> bool {
        self.world.borrow().plan.features.has(Feature::Leftovers)
    }
}

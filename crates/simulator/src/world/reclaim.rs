//! What the world gives back when it is asked: by the rules of `gc`, so that what these
//! choose is judged too.

use core::time::Duration;

use evictd_engine::Fields;
use evictd_engine::ports::{Collect, Collected, Job, Relief};
use evictd_gc::{
    Container, ContainerPolicy, ContainerRun, ContainerState, Fate, FoundContainers, FsUsage,
    Image, ImageJob, ImagePolicy, ImageRecord, ImageRun, Kind, OwningPod, Removal, collect_images,
    plan_containers, reserve_fits,
};
use evictd_node::{Mono, Policy, ReliefStep, Unit};

use super::disk::places;
use super::machine::World;
use crate::violation::Violation;

impl World {
    /// A job is done.
    pub(super) fn collect(&mut self, job: Job) -> Collected {
        match job.what {
            Collect::Containers {
                all_unused,
                evicted,
            } => self.collect_dead(all_unused, &evicted),
            Collect::Images(what) => self.collect_unused(what),
            Collect::Step(relief) => self.climb(relief),
            Collect::OwnLog { uid, missing } => self.cut_own_log(&uid, missing),
            Collect::Tidy => self.tidy(),
        }
    }

    fn collect_dead(&mut self, all_unused: bool, evicted: &[String]) -> Collected {
        let dead = self.things.dead.clone();
        let pods: Vec<OwningPod<'_>> = dead
            .iter()
            .map(|one| OwningPod {
                uid: &one.uid,
                fate: if one.is_replaced {
                    Fate::Ended
                } else {
                    Fate::Kept
                },
            })
            .collect();
        let containers = dead.iter().enumerate().map(|(pod, one)| Container {
            name: "main",
            pod,
            sandbox: None,
            state: ContainerState::Dead,
            created_nanos: 0,
            finished_nanos: Some(nanos(one.died)),
            attempt: 0,
        });
        let containers: Vec<Container<'_>> = containers.collect();
        let found = FoundContainers {
            pods: &pods,
            containers: &containers,
            ..FoundContainers::default()
        };
        let switches = Policy::default();
        let run = ContainerRun {
            all_unused,
            policy: ContainerPolicy::default(),
            switches: &switches,
            all_pods_known: true,
            now_nanos: nanos(self.now),
        };
        let mut gone = Vec::new();
        for deletion in plan_containers(&found, &run) {
            if deletion.kind != Kind::Container {
                continue;
            }
            let Some(one) = dead.get(deletion.index) else {
                continue;
            };
            if !one.is_replaced && !evicted.contains(&one.uid) {
                let text = format!("the only container of {} was deleted", one.uid);
                self.violations
                    .push(Violation::new("only-here", self.now, text));
            }
            gone.push(one.uid.clone());
        }
        self.things.dead.retain(|one| !gone.contains(&one.uid));
        self.told("containers", gone.len(), None)
    }

    fn collect_unused(&mut self, job: ImageJob) -> Collected {
        let now = self.now;
        let images = self.things.images.iter().map(|image| Image {
            size_bytes: image.bytes,
            record: Some(ImageRecord {
                first_detected_nanos: 0,
                last_used_nanos: image.last_used.map(nanos),
            }),
            in_use: image.in_use,
            pinned: false,
            kept: false,
            only_here: image.only_here,
        });
        let images: Vec<Image> = images.collect();
        let switches = Policy::default();
        let run = ImageRun {
            job,
            policy: ImagePolicy {
                min_age: Duration::ZERO,
                ..ImagePolicy::default()
            },
            switches: &switches,
            now_nanos: nanos(now),
            began_nanos: 0,
        };
        let mut removed = Vec::new();
        let before = self.image_disk();
        let mut usage = before;
        let all = self.things.images.clone();
        let summary = collect_images(&images, before, &run, &mut |deletion| {
            let image = all.get(deletion.index)?;
            removed.push(deletion.index);
            if let Some(usage) = &mut usage {
                usage.available_bytes += image.bytes;
                usage.inodes_free += image.inodes;
            }
            Some(Removal {
                is_gone: true,
                usage,
            })
        });
        for index in &removed {
            let Some(image) = all.get(*index) else {
                continue;
            };
            if image.in_use || image.only_here {
                let text = format!("image {index} was deleted: {image:?}");
                self.violations.push(Violation::new("only-here", now, text));
            }
        }
        let mut index = 0;
        self.things.images.retain(|_| {
            index += 1;
            !removed.contains(&(index - 1))
        });
        self.told("images", summary.removed, None)
    }

    fn image_disk(&self) -> Option<FsUsage> {
        let [_, imagefs, _] = places(self.layout);
        let [bytes, inodes] = self.disk_truth(imagefs)?;
        let whole = |of: i64| u64::try_from(of).unwrap_or(0);
        Some(FsUsage {
            capacity_bytes: whole(bytes.capacity),
            available_bytes: whole(bytes.available),
            inodes: whole(inodes.capacity),
            inodes_free: whole(inodes.available),
        })
    }

    /// How much a relief step could free on that disk, in bytes.
    pub(crate) fn rung_holds(&self, rung: ReliefStep, disk: usize) -> u64 {
        let [nodefs, imagefs, _] = places(self.layout);
        match rung {
            ReliefStep::BuildCache if disk == imagefs && self.runtime.exists => {
                self.things.builds.0
            }
            ReliefStep::Directories if disk == nodefs => self.things.directories.0,
            ReliefStep::Reserve if disk == nodefs => self.things.reserve,
            ReliefStep::Logs
            | ReliefStep::BuildCache
            | ReliefStep::Directories
            | ReliefStep::Reserve => 0,
        }
    }

    fn climb(&mut self, relief: Relief) -> Collected {
        let disks = self.disks.iter();
        let Some(disk) = disks.clone().position(|disk| disk.device == relief.device) else {
            return Collected::default();
        };
        let wanted = match (relief.missing, relief.unit) {
            (Some(missing), Unit::Bytes) => missing,
            (None, _) | (_, Unit::Inodes | Unit::ProcessIds | Unit::Percent) => u64::MAX,
        };
        if relief.rung == ReliefStep::Logs {
            let freed = self.cut_logs(disk, relief.missing);
            return self.told(relief.rung.name(), usize::from(freed > 0), Some(freed));
        }
        let holds = self.rung_holds(relief.rung, disk);
        let things = &mut self.things;
        let from = match relief.rung {
            ReliefStep::BuildCache => &mut things.builds.0,
            ReliefStep::Directories => &mut things.directories.0,
            ReliefStep::Reserve => &mut things.reserve,
            ReliefStep::Logs => return Collected::default(),
        };
        let freed = match relief.rung {
            ReliefStep::Reserve => holds,
            ReliefStep::BuildCache | ReliefStep::Directories | ReliefStep::Logs => {
                holds.min(wanted)
            }
        };
        *from -= freed;
        let removed = usize::from(freed > 0);
        self.told(relief.rung.name(), removed, Some(freed))
    }

    /// The reserve is taken again, where there is room for it twice.
    fn tidy(&mut self) -> Collected {
        let [nodefs, ..] = places(self.layout);
        let room = self
            .disk_truth(nodefs)
            .map_or(0, |[bytes, _]| bytes.available);
        let size = self.things.reserve_size;
        let room = u64::try_from(room).unwrap_or(0);
        if self.things.reserve == 0 && size > 0 && reserve_fits(size, room, self.things.needed) {
            self.things.reserve = size;
        }
        Collected::default()
    }

    pub(super) fn told(
        &mut self,
        what: &'static str,
        removed: usize,
        freed: Option<u64>,
    ) -> Collected {
        if removed == 0 {
            return Collected::default();
        }
        self.tell(|| format!("{what}: {removed} given back"));
        Collected {
            removed,
            text: format!("{what}: {removed} given back"),
            fields: Fields::default()
                .with("rung", what)
                .with("freedBytes", freed),
        }
    }
}

fn nanos(at: Mono) -> i64 {
    i64::try_from(at.as_nanos()).unwrap_or(i64::MAX)
}

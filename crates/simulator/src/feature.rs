//! What a world may have. Each seed turns some of it on (swarm testing): a world with all of
//! it hides what one with little shows.

use core::fmt;

use crate::random::Random;

macro_rules! features {
    ($($name:ident: $words:literal,)*) => {
        /// Something that a world has or has not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each says what it is in words")]
        pub enum Feature { $($name,)* }

        impl Feature {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What it is, in words.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

features! {
    Swap: "swap",
    Cache: "page cache that the kernel gives back",
    Tmpfs: "files in memory that outlive their pod",
    Leaks: "pods that leak memory",
    Bursts: "pods that take memory at once",
    OutsideMemory: "memory taken outside all pods",
    Critical: "critical pods",
    Protected: "protected pods, evictd among them",
    LateManifests: "manifests that are read late",
    Unreadable: "usage that cannot be read now and then",
    Vanishing: "pods that end between two looks",
    Disks: "disks that pods fill",
    Inodes: "inodes that pods use up",
    Dedicated: "an imagefs of its own",
    Split: "images alone on an imagefs",
    Images: "unused images, some of them only here",
    Builds: "a build cache",
    Directories: "directories to be relieved",
    Reserve: "a reserve",
    OutsideDisk: "disks filled outside all pods",
    HangingDisk: "filesystems that do not answer",
    SlowWalk: "disk usage that takes long to measure",
    Pids: "pods that fork",
    Runtime: "a container runtime",
    LateRuntime: "a runtime that answers late",
    FailingRuntime: "a runtime that fails, or is restarted",
    Restarts: "a runtime that restarts what was ended",
    Controllers: "controllers that bring pods back",
    SlowDeath: "processes that die slowly",
    Undead: "processes that never die",
    Refused: "kills that cannot begin",
    Zombies: "process ids that stay taken",
    LateLoop: "a loop that wakes late",
    Stalls: "turns that take long",
    Sigkill: "SIGKILL of evictd",
    TornState: "a state that is torn",
    OldState: "a state that is old",
    Reload: "reloads of settings",
    Soft: "soft thresholds",
    MinReclaim: "minimum reclaims",
    Blind: "readings that are missing",
    Guard: "notices of the kernel",
    Hook: "a dump before soft evictions",
    Leftovers: "directories of dead pods, to be deleted",
    Descriptors: "descriptors that are lacking",
    FilesStay: "layers that stay after their pod",
    Pages: "file pages that the kernel is asked for",
    Tiny: "pods that hold next to nothing",
    LateDisk: "filesystems that are late to answer",
    LiveLogs: "live logs that nothing bounds",
    LateAnswers: "answers of filesystems that come with the next question",
    Mounts: "volumes that are mounted from elsewhere",
    SetAside: "memory that the kernel sets aside",
    Unheard: "nobody who describes pods",
    Events: "a runtime that tells what is new",
    Brink: "memory that is nearly gone when evictd starts again",
    Relief: "memory relief: pods are asked for memory, and braked",
    ClockSteps: "a wall clock that is set",
    Suspend: "a machine that sleeps",
    Paused: "a virtual machine that is paused, with its clock going on",
    Limits: "limits of a pod's own, of disk",
    Updates: "an operator who changes requests and limits",
    Protects: "an operator who protects pods, and does so no more",
    LateHelper: "a helper whom the kernel lets wait",
    Ebb: "what is taken and given back again",
    LateFree: "memory that is free later than its pod is gone",
    Disagree: "numbers that do not agree",
}

/// Each of these has a stream of its own, by that number: a world without it stays what it is.
const OF_OWN: [(Feature, u64); 5] = [
    (Feature::Events, 40),
    (Feature::Brink, 41),
    (Feature::Ebb, 42),
    (Feature::LateFree, 43),
    (Feature::Disagree, 44),
];

/// Features that are gone were drawn before and after this one: these draws go on, so that a
/// seed's world keeps the others.
const DRAWN: (Feature, u32, u32) = (Feature::Relief, 2, 1);

/// The features of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(u128);

impl Features {
    /// Those that a seed turns on: each of them in some seeds seldom, in others often.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed, 1);
        let odds = random.within(1, 5);
        let mut all = Self::default();
        for feature in Feature::ALL {
            let stream = OF_OWN.iter().find(|(of, _)| of == feature);
            let mut own = stream.map(|(_, stream)| Random::new(seed, *stream));
            let random = own.as_mut().unwrap_or(&mut random);
            let (of, before, after) = DRAWN;
            let gone = |times| if *feature == of { 0..times } else { 0..0 };
            let mut draw = || random.within(0, 5) < odds;
            for _ in gone(before) {
                let _ = draw();
            }
            all.set(*feature, draw());
            for _ in gone(after) {
                let _ = draw();
            }
        }
        // A world in which nothing can run short tests little.
        if !all.has(Feature::Disks) && !all.has(Feature::Bursts) {
            all.set(Feature::Leaks, true);
        }
        all
    }

    /// Whether it has that one.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 == 1
    }

    /// Turns it on or off.
    pub const fn set(&mut self, feature: Feature, on: bool) {
        let bit = 1_u128 << feature as u32;
        self.0 = if on { self.0 | bit } else { self.0 & !bit };
    }

    /// Those that are on.
    pub fn each(self) -> impl Iterator<Item = Feature> {
        let all = Feature::ALL.iter().copied();
        all.filter(move |feature| self.has(*feature))
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, feature) in self.each().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", feature.words())?;
        }
        Ok(())
    }
}

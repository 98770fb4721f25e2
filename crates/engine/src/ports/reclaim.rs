//! What is reclaimed, as the engine asks for it.

use alloc::sync::Arc;

use evictd_gc::ImageJob;
use evictd_node::{Mono, ReliefStep, Unit};
use serde_json::Value;

use crate::fields::Fields;

/// Gives back what nobody needs. `P` are the pods: what belongs to one of them stays.
pub trait Reclaim<P> {
    /// Hands a job to those that do it: the container runtimes, or whatever else takes that
    /// relief step. Returns how many will answer it, each by
    /// [`News::Collected`](super::News::Collected) or by [`Reclaim::take_relief`]; nobody
    /// waits for them.
    fn begin(&mut self, pods: &mut P, job: Job) -> usize;

    /// What relief steps have freed, or what went wrong, each with the number of its job.
    fn take_relief(&mut self, now: Mono) -> Vec<Relieved>;

    /// Begins to delete what dead pods left in the directories that were named for it, to
    /// its end; [`Reclaim::poll_leftovers`] says how that goes. `ended` are the uids of pods
    /// that were evicted, of which nothing has to be waited for.
    ///
    /// # Errors
    /// Why it cannot begin.
    fn begin_leftovers(&mut self, ended: &[String]) -> Result<(), String>;

    /// Begins to empty what a pod left in memory, which was evicted for it: its emptyDir
    /// volumes that are a tmpfs. How that goes, [`Reclaim::poll_leftovers`] says too.
    ///
    /// # Errors
    /// Why it cannot begin.
    fn begin_emptying(&mut self, uid: &str) -> Result<(), String>;

    /// How the deletion goes; never waits for it.
    fn poll_leftovers(&mut self, now: Mono, pods: &mut P) -> Deletion;

    /// Whether any directory was named for it.
    fn has_leftovers(&self) -> bool;
}

/// What container runtimes are to collect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Comes back with the answer.
    pub number: u64,
    /// What is collected.
    pub what: Collect,
    /// Only say what would be deleted.
    pub dry_run: bool,
}

/// What is collected, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collect {
    /// Dead containers and sandboxes.
    Containers {
        /// All of pods that have ended, because a disk is short; else what the limits say.
        all_unused: bool,
        /// Uids of pods that were evicted.
        evicted: Arc<[String]>,
    },
    /// Images.
    Images(ImageJob),
    /// A relief step for a disk.
    Step(Relief),
    /// The old part of a pod's own logs, before it is ended for its limit of disk.
    OwnLog {
        /// Which pod.
        uid: Arc<str>,
        /// How many bytes it is above its limit: where its logs cannot give so much back they
        /// stay as they are.
        missing: u64,
    },
    /// No disk is short: what was given up for one may be taken back, and what was left in
    /// disorder be put in order.
    Tidy,
}

/// What a relief step is to free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relief {
    /// Which one.
    pub rung: ReliefStep,
    /// The filesystem that is short: major and minor number of its device. What lies
    /// elsewhere stays.
    pub device: (u32, u32),
    /// How much of it is missing; `None` to give back all that can be.
    pub missing: Option<u64>,
    /// In what that is counted: bytes or inodes.
    pub unit: Unit,
}

/// A job's number, and what came of it.
pub type Relieved = (u64, Result<Collected, String>);

/// How a deletion of what dead pods left goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// There is none under way, or nothing new of it.
    Nothing,
    /// It takes long; so many files and directories are gone by now.
    GoesOn(u64),
    /// It is over; an error where nothing was deleted.
    Done(Result<Collected, String>),
}

/// What a collection did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// How many things are gone for good; 0 of a dry run.
    pub removed: usize,
    /// All of it in one line, with what could not be done; empty where there is nothing to
    /// say.
    pub text: String,
    /// What was done, as data.
    pub fields: Fields,
}

impl Collected {
    /// One of its fields, where it has it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        let mut fields = self.fields.iter();
        fields.find(|(of, _)| *of == name).map(|(_, value)| value)
    }
}

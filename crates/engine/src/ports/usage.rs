//! What the pods use.

use evictd_node::Mono;

/// What the pods use, and who else uses memory.
pub trait Usage {
    /// Whether what a pod uses of memory, as last read, is no mere bound.
    fn is_exact(&self, index: usize) -> bool;

    /// Reads exactly what is known of a pod by a bound alone. One that has vanished
    /// meanwhile is taken out, so that those behind it move up.
    fn read_exactly(&mut self, index: usize);

    /// Adds what each container of a pod uses to what it uses itself, for the message:
    /// that takes memory, so it is asked for once the kill has begun.
    fn name_containers(&mut self, index: usize);

    /// Whether a pod may have limits of its own that can be looked at now.
    fn may_have_limits(&self) -> bool;

    /// Whether what all pods of the last [`Listing::refresh`](super::Listing::refresh) hold on disk was measured since
    /// then; if not, it is measured now.
    fn has_measured_disk(&mut self, since: Mono) -> bool;

    /// Has the kernel asked for so many bytes of file pages that the pods of the last
    /// [`Listing::refresh`](super::Listing::refresh) hold; nobody waits for it. Returns whether it has begun: not where
    /// there is not that much to have.
    fn ask_for_pages(&mut self, bytes: u64, until: Mono) -> bool;

    /// How much was given back of what was asked for; `None` while it goes on.
    fn pages_given(&mut self) -> Option<u64>;

    /// Has it found out who holds the most memory outside all pods; nobody waits for it.
    fn ask_who_holds(&mut self) {}

    /// Who does, once that is known; once for each question.
    fn who_holds(&mut self) -> Option<Holder> {
        None
    }
}

/// What holds memory outside all pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its name, to be read: a process, a service, a session, or a part of the kernel.
    pub name: String,
    /// How much it holds at most.
    pub bytes: u64,
}

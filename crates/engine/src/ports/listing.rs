//! Which pods there are.

use evictd_node::Mono;
use evictd_rank::Candidate;

use super::Depth;

/// Which pods there are.
pub trait Listing {
    /// Lists the pods and reads what each uses. A pod that vanishes meanwhile is left out.
    fn refresh(&mut self, now: Mono, depth: Depth);

    /// The pods of the last [`Listing::refresh`] with what they use. An index into them names a
    /// pod until pods are listed anew.
    fn candidates(&self) -> &[Candidate];

    /// How much was heard since the start of those who describe pods. Before all of it no pod
    /// is evicted, for a while: one that is critical or protected may look like any other.
    fn heard(&self) -> Heard {
        Heard::All
    }

    /// Who is missing there, for people to read: asked for when that is told.
    fn unheard(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether descriptors (`EMFILE`, `ENFILE`) were lacking for what was read last, or for the
    /// kill that could not begin: then a pod may be missing in the list, or what it uses, and
    /// nothing is decided by it.
    fn lacks_descriptors(&self) -> bool {
        false
    }

    /// Manifests and cgroups that could not be read in the last [`Listing::refresh`].
    fn problems(&self) -> &[String];

    /// Forgets what each pod uses, and keeps the list for when memory is short.
    fn rest(&mut self);

    /// Gives back the memory of the list as well.
    fn forget(&mut self);
}

/// How much was heard since the start of those who describe pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heard {
    /// One of them has said nothing.
    Nothing,
    /// All that are missing have begun to answer.
    Begun,
    /// Each has said all that it knows, or there is nobody to say it.
    All,
}

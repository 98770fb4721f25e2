//! What comes before a pod is ended for its limit of disk: the old part of its own log.

use evictd_node::Mono;

use crate::ports::{Collected, Usage};

/// How it stands with the log of the pod that is above its limit.
#[derive(Debug, Default)]
pub(crate) struct OwnLog {
    uid: String,
    stands: Stands,
}

#[derive(Debug, Default)]
enum Stands {
    #[default]
    Unasked,
    /// By the job with that number.
    Asked(u64),
    /// Its old part is gone since then: what the pod holds is to be measured anew.
    GivenUp(Mono),
    /// It could not give back what is above the limit.
    Kept,
}

/// What is to be done about a pod above its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Have its log give up its old part.
    Ask,
    /// Leave it to a later look, which knows more.
    Wait,
    /// What it holds has been measured since: see at once whether it is above its limit still.
    LookAgain,
    /// End it.
    End,
}

impl OwnLog {
    /// Whether it is ended now.
    pub(crate) fn next<P: Usage>(&mut self, uid: &str, pods: &mut P) -> Next {
        if self.uid != uid {
            uid.clone_into(&mut self.uid);
            self.stands = Stands::Unasked;
        }
        match self.stands {
            Stands::Unasked => Next::Ask,
            Stands::Asked(_) => Next::Wait,
            Stands::GivenUp(since) if pods.has_measured_disk(since) => {
                // As of the next list, a pod that is above its limit has written more.
                self.stands = Stands::Unasked;
                Next::LookAgain
            }
            Stands::GivenUp(_) => Next::Wait,
            Stands::Kept => {
                self.stands = Stands::Unasked;
                Next::End
            }
        }
    }

    /// That job asks for it.
    pub(crate) const fn asked(&mut self, number: u64) {
        self.stands = Stands::Asked(number);
    }

    /// Whether its log gave nothing: it is to be ended.
    pub(crate) const fn is_kept(&self) -> bool {
        matches!(self.stands, Stands::Kept)
    }

    /// Takes in what came of a job. Returns whether it was that one.
    pub(crate) fn take_answer(
        &mut self,
        now: Mono,
        number: u64,
        result: &Result<Collected, String>,
    ) -> bool {
        if !matches!(self.stands, Stands::Asked(asked) if asked == number) {
            return false;
        }
        let gave = result.as_ref().is_ok_and(|given| given.removed > 0);
        self.stands = if gave {
            Stands::GivenUp(now)
        } else {
            Stands::Kept
        };
        true
    }
}

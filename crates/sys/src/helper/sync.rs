//! What a helper is made of: the standard library's, or loom's, which tries out every
//! order in which threads may run.

#[cfg(not(all(test, loom)))]
pub(super) use {
    alloc::sync::Arc,
    core::sync::atomic::AtomicBool,
    std::sync::{Condvar, Mutex, MutexGuard},
    std::thread::Builder,
};

#[cfg(all(test, loom))]
pub(super) use {
    loom::sync::atomic::AtomicBool,
    loom::sync::{Arc, Mutex, MutexGuard},
    loom::thread::Builder,
    with_loops::Condvar,
};

/// Loom's condition variable lacks the waits with a loop in them.
#[cfg(all(test, loom))]
mod with_loops {
    use core::time::Duration;
    use std::sync::LockResult;

    use loom::sync::MutexGuard;

    pub(in crate::helper) struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub(in crate::helper) fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub(in crate::helper) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(in crate::helper) fn notify_all(&self) {
            self.0.notify_all();
        }

        pub(in crate::helper) fn wait_while<'a, T>(
            &self,
            mut guard: MutexGuard<'a, T>,
            mut waits: impl FnMut(&mut T) -> bool,
        ) -> LockResult<MutexGuard<'a, T>> {
            while waits(&mut guard) {
                guard = self.0.wait(guard)?;
            }
            Ok(guard)
        }

        /// No time passes in a model: whoever waits for what never comes is reported
        /// as a deadlock.
        pub(in crate::helper) fn wait_timeout_while<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            at_most: Duration,
            waits: impl FnMut(&mut T) -> bool,
        ) -> LockResult<(MutexGuard<'a, T>, Duration)> {
            match self.wait_while(guard, waits) {
                Ok(guard) => Ok((guard, at_most)),
                Err(poisoned) => Err(std::sync::PoisonError::new((
                    poisoned.into_inner(),
                    at_most,
                ))),
            }
        }
    }
}

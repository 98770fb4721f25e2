use alloc::sync::Arc;
use core::mem::take;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, PoisonError};

use evictd_engine::ports::News;
use evictd_sys::Bell;

/// How the helpers tell the loop what is new.
#[derive(Clone)]
pub(super) struct Teller {
    news: Arc<Mutex<Vec<News>>>,
    bell: Bell,
}

impl Teller {
    pub(super) fn new(bell: Bell) -> Self {
        Self {
            news: Arc::default(),
            bell,
        }
    }

    pub(super) fn tell(&self, news: News) {
        self.with_news(|all| all.push(news));
        self.bell.ring();
    }

    /// What was told since the last call.
    pub(super) fn take(&self) -> Vec<News> {
        self.bell.silence();
        self.with_news(take)
    }

    fn with_news<T>(&self, with: impl FnOnce(&mut Vec<News>) -> T) -> T {
        with(&mut self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Readable when there is news.
impl AsFd for Teller {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

use std::sync::mpsc;

use evictd_engine::ports::News;
use evictd_sys::Bell;

/// How the helpers tell the loop what is new.
#[derive(Clone)]
pub(super) struct Teller {
    pub(super) news: mpsc::Sender<News>,
    pub(super) bell: Bell,
}

impl Teller {
    pub(super) fn tell(&self, news: News) {
        // Without a loop there is nothing to tell it to.
        let _ = self.news.send(news);
        self.bell.ring();
    }
}

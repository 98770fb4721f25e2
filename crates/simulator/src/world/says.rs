//! What the container runtime does, and what it has to say.

use core::time::Duration;

use evictd_engine::ports::{Job, News};
use evictd_node::Mono;

use super::machine::World;
use crate::feature::Feature;

impl World {
    pub(crate) fn runtime_is_away(&self) -> bool {
        let (from, until) = self.runtime.away;
        from <= self.now && self.now < until
    }

    /// How long the runtime takes for something.
    pub(crate) fn runtime_takes(&self) -> Duration {
        let mut dice = self.dice(Feature::LateRuntime, 1);
        let millis = if self.now_and_then(Feature::LateRuntime, 0, 2) {
            dice.within(100, 20_000)
        } else {
            dice.within(1, 80)
        };
        Duration::from_millis(millis)
    }

    pub(crate) fn say(&mut self, after: Duration, news: News) {
        self.runtime.news.push((self.now + after, news));
    }

    /// A pod is to be ended by the runtime: it says so, and what came of it.
    pub(crate) fn end_by_runtime(&mut self, uid: &str, grace: Duration) {
        let takes = self.runtime_takes();
        let uid = uid.to_owned();
        if self.runtime_is_away() {
            let error = String::from("no answer");
            self.say(takes, News::NotEnded { uid, error });
            return;
        }
        if !grace.is_zero() {
            self.say(takes / 2, News::Ending(uid.clone()));
            self.ask_to_end(&uid);
        }
        if self.now_and_then(Feature::Restarts, 0, 2) {
            let after = self.dice(Feature::Restarts, 1).within(1, 3000);
            let after = Duration::from_millis(after);
            self.runtime.restarts.push((self.now + after, uid.clone()));
        }
        self.say(takes + grace, News::Ended(uid));
    }

    /// What the runtime has to say by now.
    pub(crate) fn take_news(&mut self) -> Vec<News> {
        let now = self.now;
        let is_away = self.runtime_is_away();
        let restarts: Vec<(Mono, String)> = self
            .runtime
            .restarts
            .extract_if(.., |(at, _)| *at <= now)
            .collect();
        for (_, uid) in restarts {
            self.tell(|| format!("the runtime starts {uid} again"));
            self.start_again(&uid);
        }
        let mut news = Vec::new();
        if is_away != self.runtime.was_away {
            self.runtime.was_away = is_away;
            news.push(if is_away {
                News::Lost("it is being restarted".into())
            } else {
                News::Reached {
                    endpoint: "/run/world.sock".into(),
                    version: "world 1".into(),
                    in_thin_pool: false,
                }
            });
        }
        let due = self.runtime.news.extract_if(.., |(at, _)| *at <= now);
        for (_, news_of) in due {
            if let News::Ended(uid) = &news_of {
                self.kills.down.push(uid.clone());
            }
            news.push(news_of);
        }
        let jobs: Vec<(Mono, Job)> = self
            .runtime
            .jobs
            .extract_if(.., |(at, _)| *at <= now)
            .collect();
        for (_, job) in jobs {
            let number = job.number;
            let result = if is_away {
                Err("no answer".into())
            } else {
                Ok(self.collect(job))
            };
            news.push(News::Collected { number, result });
        }
        news
    }
}

//! A kill as the caller's loop drives it.

use evictd_node::Mono;
use evictd_node::kill::{KillInFlight, KillReport, KillState};
use rustix::fd::{AsFd, BorrowedFd};

use super::{Kill, Problem, Step};

impl KillInFlight for Kill {
    fn poll(&mut self, now: Mono) -> KillState {
        if self.has_ended() {
            return self.state();
        }
        if self.target.populated() == Some(false) {
            self.finish(now, Step::Gone);
        } else if self.must_look(now) {
            self.descriptors.let_go();
            self.sentinel = None;
            self.is_told = now < self.look_at && matches!(self.step, Step::Kill { .. });
            let is_over = matches!(self.step, Step::Kill { until } if now >= until);
            match self.look(now) {
                Ok(()) if self.is_empty() => self.finish(now, Step::Gone),
                Ok(()) => {
                    self.watch_one();
                    self.rest(now);
                }
                // That may pass, until the deadline.
                Err(Problem::Kernel(errno)) if !is_over && self.may_pass(errno) => self.rest(now),
                Err(problem) => self.stick(now, problem),
            }
            self.descriptors.hold(self.target.proc().fd());
        }
        self.state()
    }

    fn ask(&mut self) {
        self.asks = true;
        self.look_at = self.report.started;
    }

    fn end_grace(&mut self, now: Mono) {
        if let Step::Term { until } = &mut self.step {
            *until = now.min(*until);
        }
    }

    fn expect_effect_soon(&mut self) {
        if let Step::Kill { until } = &mut self.step {
            *until = (*until).min(self.fewer_at + self.limits.gone_when_short);
        }
    }

    fn each_descriptor(&self, each: &mut dyn FnMut(BorrowedFd<'_>)) {
        let sentinel = self.sentinel.as_ref().map(AsFd::as_fd);
        self.target
            .notice()
            .into_iter()
            .chain(sentinel)
            .for_each(each);
    }

    fn report(&self) -> &KillReport {
        &self.report
    }

    fn held_pids(&self) -> u64 {
        self.target.task_count()
    }
}

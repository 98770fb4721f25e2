//! A node seen moment by moment, in the lines of a recording.

use evictd_engine::ports::Listing as _;
use evictd_evict::{Config, Evict};
use evictd_node::pod::Pod;
use evictd_node::{Mono, Utc};
use evictd_recording::{Decided, Line, Seen, SeenPod, Session};
use evictd_stats::wall_seconds;

use super::sampled::Sampled;

/// What was seen so far, as far as the next moment needs it.
pub(super) struct Moments {
    session: Session,
    pods: Vec<Pod>,
}

impl Moments {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            session: Session::new(Evict::new(config.clone())),
            pods: Vec::new(),
        }
    }

    /// Looks at the node: the lines of that moment, each with what is decided on it.
    pub(super) fn look(
        &mut self,
        sampled: &mut Sampled,
        at: Mono,
    ) -> Result<Vec<(Line, Vec<Decided>)>, String> {
        sampled.look_again(at);
        let engine = &sampled.engine;
        let seen = engine.pods().candidates();
        let uid = |pod: &Pod| pod.metadata.uid.clone();
        self.pods
            .retain(|pod| seen.iter().any(|of| uid(&of.pod) == uid(pod)));
        let mut lines = Vec::new();
        for of in seen {
            match self.pods.iter_mut().find(|pod| uid(pod) == uid(&of.pod)) {
                Some(pod) if *pod == *of.pod => continue,
                Some(pod) => pod.clone_from(&of.pod),
                None => self.pods.push(Pod::clone(&of.pod)),
            }
            lines.push(Line::Pod(Box::new(Pod::clone(&of.pod))));
        }
        let pods = seen.iter().map(|of| SeenPod {
            uid: uid(&of.pod),
            usage: of.usage.clone(),
        });
        lines.push(Line::Seen(Box::new(Seen {
            at,
            time: Utc(wall_seconds()).to_string(),
            layout: engine.node().sample.layout(),
            readings: sampled.readings,
            pods: pods.collect(),
        })));
        let decide = |line: Line| {
            // As it will be read, so that the same is decided then.
            let read = Line::parse(line.to_string().as_bytes());
            let read = read.map_err(|error| error.to_string())?;
            let decided = self.session.show(&read);
            Ok((line, decided.map_err(|error| error.to_string())?))
        };
        lines.into_iter().map(decide).collect()
    }
}

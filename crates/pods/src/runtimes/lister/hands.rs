//! A collection at a runtime, while what it holds is listed all the same.

use core::time::Duration;
use std::thread::{self, Builder};

use evictd_containers::{
    ContainerRuntime, Error, ListedImage, ListedVolume, RuntimeDisks, RuntimeListing,
};
use evictd_engine::ports::News;
use evictd_sys::Desk;

use super::super::backend::{Candidate, open_first};
use super::super::teller::Teller;
use super::lists::{Lists, fail, list_with_layers};

/// Answers are read as JSON, which nests.
const STACK_BYTES: usize = 512 << 10;

/// How soon to look whether a call is over, for the first time and at last.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Looks by the runtime that lists, and acts by another connection, on a thread of its own:
/// a removal may take half a minute, and a container that begins meanwhile may be the one that
/// takes all memory. So lists are made while it acts.
pub(super) struct Hands<'a> {
    pub(super) desk: &'a Desk<Lists>,
    pub(super) teller: &'a Teller,
    pub(super) candidate: &'a Candidate,
    pub(super) eyes: &'a mut dyn ContainerRuntime,
    /// Opened by the first call that acts.
    pub(super) hands: Option<Box<dyn ContainerRuntime>>,
}

impl Hands<'_> {
    /// Makes a call, and the lists that are asked for meanwhile. Without a thread to be had,
    /// these wait.
    fn act<T: Send>(
        &mut self,
        call: impl Fn(&mut dyn ContainerRuntime) -> Result<T, Error> + Sync,
    ) -> Result<T, Error> {
        let hands = match &mut self.hands {
            Some(hands) => hands,
            none => none.insert(open_first(self.candidate)?.0),
        };
        let acted = thread::scope(|scope| {
            let (builder, call) = (Builder::new().stack_size(STACK_BYTES), &call);
            let acting = builder
                .name(String::from("evictd-collect"))
                .spawn_scoped(scope, move || call(hands.as_mut()))
                .ok()?;
            let mut pause = FIRST_PAUSE;
            while !acting.is_finished() && !self.desk.is_closing() {
                let is_asked = |lists: &mut Lists| lists.is_asked.then_some(());
                if self.desk.next_within(pause, is_asked).is_some() {
                    list(self.desk, self.teller, self.eyes);
                }
                pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
            }
            acting.join().ok()
        });
        acted.unwrap_or_else(|| call(self.eyes))
    }
}

fn list(desk: &Desk<Lists>, teller: &Teller, eyes: &mut dyn ContainerRuntime) {
    desk.show(|lists| lists.has_changed = false);
    let listed = list_with_layers(desk, eyes);
    let listed = listed.map(|listing| desk.show(|lists| lists.succeed(listing)));
    if let Err(error) = listed {
        fail(desk, teller, &error);
    }
    desk.show(|lists| lists.is_asked = false);
    teller.tell(News::Listed);
}

impl ContainerRuntime for Hands<'_> {
    fn endpoint(&self) -> &str {
        self.eyes.endpoint()
    }

    fn version(&mut self) -> Result<String, Error> {
        self.eyes.version()
    }

    fn list(&mut self) -> Result<RuntimeListing, Error> {
        self.eyes.list()
    }

    fn measure_layers(&mut self, listing: &mut RuntimeListing) -> Result<(), Error> {
        self.eyes.measure_layers(listing)
    }

    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        self.eyes.images()
    }

    fn disks(&mut self) -> Result<RuntimeDisks, Error> {
        self.eyes.disks()
    }

    fn unused_volumes(&mut self) -> Result<Vec<ListedVolume>, Error> {
        self.eyes.unused_volumes()
    }

    fn written_bytes(&mut self, id: &str) -> Option<u64> {
        self.act(|hands| Ok(hands.written_bytes(id))).ok().flatten()
    }

    fn collect_garbage(&mut self) -> Result<bool, Error> {
        self.act(|hands| hands.collect_garbage())
    }

    fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        self.act(|hands| hands.remove_container(id))
    }

    fn remove_sandbox(&mut self, id: &str) -> Result<(), Error> {
        self.act(|hands| hands.remove_sandbox(id))
    }

    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        self.act(|hands| hands.remove_image(id))
    }

    fn remove_volume(&mut self, name: &str) -> Result<(), Error> {
        self.act(|hands| hands.remove_volume(name))
    }

    fn prunable_build_cache(&mut self) -> Result<Option<u64>, Error> {
        self.act(|hands| hands.prunable_build_cache())
    }

    fn prune_build_cache(&mut self, missing: Option<u64>) -> Result<Option<u64>, Error> {
        self.act(|hands| hands.prune_build_cache(missing))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use evictd_sys::{Bell, Helper, HelperThread, Priority, Writes};

    use super::*;

    /// Removes an image once it is told to; lists at once.
    struct Slow {
        begun: Sender<()>,
        goes_on: Receiver<()>,
    }

    struct Quick;

    impl ContainerRuntime for Slow {
        fn endpoint(&self) -> &str {
            "unix:///slow.sock"
        }
        fn version(&mut self) -> Result<String, Error> {
            Ok(String::from("slow 1"))
        }
        fn list(&mut self) -> Result<RuntimeListing, Error> {
            panic!("lists are not its own");
        }
        fn remove_image(&mut self, _: &str) -> Result<(), Error> {
            self.begun.send(()).unwrap();
            self.goes_on.recv().unwrap();
            Ok(())
        }
    }

    impl ContainerRuntime for Quick {
        fn endpoint(&self) -> &str {
            "unix:///quick.sock"
        }
        fn version(&mut self) -> Result<String, Error> {
            Ok(String::from("quick 1"))
        }
        fn list(&mut self) -> Result<RuntimeListing, Error> {
            Ok(RuntimeListing::default())
        }
    }

    const THREAD: HelperThread = HelperThread {
        name: "evictd-test",
        stack_bytes: 512 << 10,
        priority: Priority::Usual,
        writes: Writes::Nowhere,
    };

    /// What began while images were removed was no candidate for as long as that took.
    #[test]
    fn what_a_runtime_holds_is_listed_while_a_removal_hangs() {
        let (begun, has_begun) = channel();
        let (go_on, goes_on) = channel();
        let lister = Helper::new(THREAD, Lists::default(), move |desk| {
            let mut hands = Hands {
                desk: &desk,
                teller: &Teller::new(Bell::new().unwrap()),
                candidate: &Candidate::at(Path::new("/nonexistent")),
                eyes: &mut Quick,
                hands: Some(Box::new(Slow { begun, goes_on })),
            };
            hands.remove_image("a").unwrap();
            desk.show(|lists| lists.reached = 7);
        });
        lister.start().unwrap();
        has_begun.recv().unwrap();
        for _ in 0..2 {
            lister.change(|lists| lists.is_asked = true);
            let has_listed = |lists: &mut Lists| !lists.is_asked && lists.listed.is_some();
            assert!(lister.wait_until(Duration::from_secs(60), has_listed));
        }
        assert_eq!(lister.look(|lists| lists.reached), 0, "it hangs still");
        go_on.send(()).unwrap();
        let is_over = |lists: &mut Lists| lists.reached == 7;
        assert!(lister.wait_until(Duration::from_secs(60), is_over));
    }
}

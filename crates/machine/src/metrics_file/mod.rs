//! `--metrics-file`: the metrics in a file, for node_exporter's textfile collector.

use core::hash::BuildHasher as _;
use core::time::Duration;
use std::fs::Permissions;
use std::hash::RandomState;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use evictd_config::Output;
use evictd_exposition::{Counts, page};
use evictd_node::{ConditionSet, Mono};
use evictd_sys::{Desk, Directory, Helper, HelperThread, Priority, Writes, write_only_below};

use crate::engine::Engine;

/// A directory on a disk that does not answer holds up this thread alone.
const THREAD: HelperThread = HelperThread {
    name: "evictd-metrics",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// How often it is written while nothing happens: as often as Prometheus usually looks.
const EVERY: Duration = Duration::from_secs(15);

/// The file, and the thread that writes it.
pub struct MetricsFile {
    helper: Helper<Mail>,
    /// When it is to be written next.
    pub next: Option<Mono>,
    written: ConditionSet,
    told: bool,
}

#[derive(Default)]
struct Mail {
    page: Option<String>,
    failed: Option<io::Error>,
}

impl MetricsFile {
    /// Where such a file is wanted.
    ///
    /// # Errors
    /// When it cannot be one that node_exporter reads.
    pub fn open(output: &Output) -> Result<Option<Self>, String> {
        let Some(path) = &output.metrics_file else {
            return Ok(None);
        };
        let fail = |what: &str| format!("--metrics-file={}: {what}", path.display());
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.filter(|name| name.ends_with(".prom"));
        let name = name.ok_or_else(|| fail("node_exporter reads files that end in .prom alone"))?;
        let parent = path.parent().unwrap_or(Path::new("/"));
        let of_directory = |error: io::Error| {
            if error.kind() == io::ErrorKind::NotFound {
                return fail("its directory is not there: make it first");
            }
            fail(&format!("its directory: {error}"))
        };
        let directory = Directory::open(parent).map_err(of_directory)?;
        let place = Place {
            directory,
            name: name.to_owned(),
        };
        Ok(Some(Self {
            helper: Helper::new(THREAD, Mail::default(), move |desk| serve(&desk, &place)),
            next: Some(Mono::ZERO),
            written: ConditionSet::empty(),
            told: false,
        }))
    }

    /// Hands over the metrics, when it is time or a condition has changed. Never waits.
    pub fn write_if_due(&mut self, now: Mono, engine: &Engine, counts: &Counts) {
        let held = engine.evict().conditions();
        let is_due = self.next.is_none_or(|next| now >= next);
        if !is_due && held == self.written {
            return;
        }
        self.written = held;
        self.next = Some(now + EVERY);
        // Without a thread now, one that is made later writes it.
        let _ = self.helper.start();
        let page = page(engine, counts);
        let failed = self.helper.change(|mail| {
            mail.page = Some(page);
            mail.failed.take()
        });
        if let Some(error) = failed
            && !core::mem::replace(&mut self.told, true)
        {
            log::warn!(event = "problem", about = "metricsFile"; "--metrics-file cannot be written: {error}");
        }
    }

    /// Removes the file, waiting for that at most so long.
    pub fn close(&self, at_most: Duration) {
        self.helper.close(at_most);
    }
}

/// The directory is node_exporter's as a rule: what is found there may be anything.
struct Place {
    directory: Directory,
    name: String,
}

/// The helper thread.
fn serve(desk: &Desk<Mail>, place: &Place) {
    // Where the kernel has no Landlock, what is left of the sandbox has to do.
    let _ = write_only_below(&[place.directory.as_fd()]);
    while let Some(page) = desk.next(|mail| mail.page.take()) {
        if let Err(error) = place.replace(&page) {
            desk.show(|mail| mail.failed = Some(error));
        }
    }
    // Nothing tells of a daemon that has ended.
    let _ = place.directory.remove(&place.name);
}

impl Place {
    /// A reader sees the former page or this one, whole. Nothing that is there is written to:
    /// the owner of the directory may have given it the name of a file elsewhere.
    fn replace(&self, page: &str) -> io::Result<()> {
        let spare = format!(".{}.{:016x}", self.name, RandomState::new().hash_one(()));
        let mut file = self.directory.create(&spare)?;
        let replaced = file
            .set_permissions(Permissions::from_mode(0o644))
            .and_then(|()| file.write_all(page.as_bytes()))
            .and_then(|()| self.directory.rename(&spare, &self.name));
        if replaced.is_err() {
            let _ = self.directory.remove(&spare);
        }
        replaced
    }
}

#[cfg(test)]
mod tests;

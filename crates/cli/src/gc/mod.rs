//! `evictd gc`: one collection of what is no longer needed.

mod containers;
pub(super) mod disk;
mod images;
mod runtimes;

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;

use containers::Containers;
use disk::Disk;
use images::Images;

/// remove dead containers, unused images, files of dead pods
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(subcommand, name = "gc")]
pub struct Gc {
    #[argh(subcommand)]
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(subcommand)]
enum What {
    Containers(Containers),
    Disk(Disk),
    Images(Images),
}

impl Gc {
    /// Collects once; fails where something that should be deleted is still there.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        Ok(match &self.what {
            What::Containers(containers) => containers.run(settings),
            What::Disk(disk) => disk.run(settings)?,
            What::Images(images) => images.run(settings),
        })
    }
}

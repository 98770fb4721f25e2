//! `evictd man`: the manual page, as the help says it.

use argh::{ArgsInfo, FromArgs};

/// print the manual page evictd(8)
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "man",
    note = "A copied binary has no files beside it: it brings its manual along, in roff.\n\
            To read it:\n\
            \x20   evictd man | man -l -\n\
            To install it:\n\
            \x20   evictd man >/usr/local/share/man/man8/evictd.8",
    example = "{command_name}"
)]
pub struct Man {}

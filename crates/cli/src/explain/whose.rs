//! By whose settings is explained: the running daemon's or those of the flags.

use evictd_client::View;
use evictd_config::{Resolved, Typed};
use serde::Serialize;

use crate::sampled::ask_daemon;

/// Whose settings are explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Whose {
    /// Those of the running daemon.
    Daemon,
    /// Those of the flags, for what they do not say the defaults.
    Flags,
    /// Those of the flags and the defaults, because no daemon answers.
    NoDaemon,
}

impl Whose {
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Daemon => "by the settings of the running daemon\n",
            Self::Flags => "",
            Self::NoDaemon => "by these flags and the defaults: no daemon answers at --state-dir\n",
        }
    }
}

/// Where the flags say nothing of what is decided, the daemon's settings are meant.
pub(crate) fn settings_of(command_line: &Typed, settings: &Resolved) -> (Whose, Resolved, View) {
    const OF_ITS_OWN: [&str; 5] = [
        "flags-file",
        "config",
        "config-dir",
        "eviction-hard",
        "eviction-soft",
    ];
    let is_given = |name: &&str| !command_line.get(name).is_empty();
    if OF_ITS_OWN.iter().any(is_given) {
        return (Whose::Flags, settings.clone(), View::default());
    }
    match ask_daemon(settings) {
        Ok((view, of_daemon)) => (Whose::Daemon, of_daemon, view),
        Err(_) => (Whose::NoDaemon, settings.clone(), View::default()),
    }
}

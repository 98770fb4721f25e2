//! `evictd completions`: commands and flags at the press of the tab key.

use argh::{ArgsInfo, FromArgs};

/// A shell that completes, or `sh`: any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Sh,
}

/// All of them, by name.
pub(super) const SHELLS: [(&str, Shell); 4] = [
    ("bash", Shell::Bash),
    ("zsh", Shell::Zsh),
    ("fish", Shell::Fish),
    ("sh", Shell::Sh),
];

/// print completions for a shell: bash, zsh, fish or sh
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "completions",
    note = "Prints a script for the shell to read. To install it:\n\
            - bash\n\
            \x20   evictd completions bash >/etc/bash_completion.d/evictd\n\
            - zsh\n\
            \x20   evictd completions zsh >/usr/local/share/zsh/site-functions/_evictd\n\
            - fish\n\
            \x20   evictd completions fish >/etc/fish/completions/evictd.fish\n\
            sh is for all other shells, busybox's too, which complete nothing by\n\
            themselves: a function that prints what may follow.\n\
            \x20   . evictd.sh; _evictd_words gc im",
    example = "{command_name} bash"
)]
pub struct Completions {
    /// bash, zsh, fish or sh
    #[argh(positional, arg_name = "SHELL", from_str_fn(shell))]
    pub(super) shell: Shell,
}

fn shell(text: &str) -> Result<Shell, String> {
    let found = SHELLS.iter().find(|(name, _)| *name == text);
    found.map_or_else(
        || Err("shells are bash, zsh, fish and sh".to_owned()),
        |(_, shell)| Ok(*shell),
    )
}

//! `evictd reload`: has the daemon read its settings anew.

use core::time::Duration;
use std::process::ExitCode;
use std::time::Instant;

use argh::{ArgsInfo, FromArgs};
use evictd_client::{ask, order};
use evictd_config::Resolved;

use super::output::print;

/// How long the daemon may take; its files may lie on a slow disk.
const WAIT: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(20);

/// have the daemon read its settings anew, as SIGHUP does
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "reload",
    note = "The daemon with this --state-dir reads again what its own --flags-file,\n\
            --config and --config-dir name. All of it is checked first: where anything\n\
            is wrong, the settings in force stay. Prints what has changed, and which\n\
            flags need a restart. Conditions, grace periods that run and a pod's end go\n\
            on; a threshold that was changed evicts on the second measurement from then.",
    example = "{command_name} --flags-file=/etc/evictd.conf",
    error_code(0, "it is in force"),
    error_code(1, "no daemon runs, or it refused: one line says why"),
    error_code(2, "the command line or a setting is wrong")
)]
pub struct Reload {}

impl Reload {
    #[expect(clippy::disallowed_methods, reason = "a command waits by the clock")]
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let number = |answer: &str| answer.split(' ').next().map(str::to_owned);
        let before = order(&settings.paths, "/reload")?;
        let begun = Instant::now();
        loop {
            std::thread::sleep(AGAIN);
            let answer = ask(&settings.paths, "/reloaded")?;
            let (head, lines) = answer.split_once('\n').unwrap_or_default();
            if number(&answer) == number(&before) {
                if begun.elapsed() > WAIT {
                    return Err("the daemon has not read its files yet; its log will tell".into());
                }
            } else if head.ends_with(" refused") {
                return Err(lines.trim_end().to_owned());
            } else {
                let lines = lines.trim_start();
                let is_same = lines.is_empty();
                return Ok(print(if is_same {
                    "nothing has changed\n"
                } else {
                    lines
                }));
            }
        }
    }
}

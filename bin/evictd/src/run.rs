//! What the program is started as: the daemon, a command, or a process beside the daemon.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use evictd_config::command_line::{Commands, split};
use evictd_machine::config_file;
use evictd_plain::Plain;

use crate::{daemon, hook, serve};

/// Runs the daemon, or the command; `argv` is without the program's name.
///
/// Returns 0 when all went well, 1 when it ran and failed, 2 when the command
/// line or the configuration is wrong.
#[must_use]
pub fn run(argv: Vec<OsString>) -> ExitCode {
    // What evictd starts itself as.
    if let Some((first, rest)) = argv.split_first() {
        if first == hook::ARGUMENT {
            return hook::run(rest);
        }
        if first == serve::ARGUMENT {
            return serve_metrics(rest);
        }
    }
    #[cfg(feature = "cli")]
    let settings = evictd_cli::run(&argv);
    #[cfg(not(feature = "cli"))]
    let settings = flags_alone(&argv);
    match settings {
        Ok(settings) => daemon::run(*settings),
        Err(ended) => ended,
    }
}

/// A command line without commands.
#[cfg(not(feature = "cli"))]
fn flags_alone(argv: &[OsString]) -> Result<Box<config_file::Settings>, ExitCode> {
    use evictd_config::command_line::unknown_command;
    use evictd_config::help;

    let line = split(argv, &Commands::default()).map_err(|error| wrong(&error))?;
    if line.help || line.version {
        let text = if line.help {
            help::without_commands()
        } else {
            help::version()
        };
        // Whoever reads may stop at any time.
        let _ = std::io::stdout().write_all(text.as_bytes());
        return Err(ExitCode::SUCCESS);
    }
    if let Some(word) = line.words.first() {
        return Err(wrong(&unknown_command(word, &[])));
    }
    let settings = config_file::settings(line.typed);
    settings.map(Box::new).map_err(|error| wrong(&error))
}

/// What the daemon starts for `--metrics-listen`, with its own flags.
fn serve_metrics(argv: &[OsString]) -> ExitCode {
    let (until_stdin_ends, flags) = match argv.split_first() {
        Some((first, flags)) if first == serve::UNTIL_STDIN_ENDS => (true, flags),
        _ => (false, argv),
    };
    let settings = match split(flags, &Commands::default()) {
        Ok(line) if line.words.is_empty() && !line.help && !line.version => {
            config_file::settings(line.typed)
        }
        Ok(_) => Err("flags of the daemon belong here, and no command".to_owned()),
        Err(error) => Err(error),
    };
    match settings {
        Ok(settings) => {
            let ended = serve::run(&settings.resolved, until_stdin_ends);
            ended.unwrap_or_else(|error| {
                complain(&format!("evictd {}: {}", serve::ARGUMENT, Plain(error)));
                ExitCode::FAILURE
            })
        }
        Err(error) => wrong(&error),
    }
}

/// One line: the command line or a setting is wrong.
fn wrong(error: &str) -> ExitCode {
    complain(&format!("evictd: {}", Plain(error)));
    daemon::CONFIGURATION.into()
}

/// Where even that cannot be written, the exit code tells.
fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

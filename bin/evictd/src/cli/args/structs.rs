//! argh's part: sorts a line that is split already into the command, the flags
//! that every command takes, and the command's own. A field for each flag would
//! say again what the tables say, and be the largest piece of code of all this.

use std::path::PathBuf;

use argh::FromArgs;
use evictd_config::{Typed, parse_boolean, parse_priority, parse_qos_class, parse_signal};
use evictd_node::{QosClass, Signal};

use super::split::Line;
use super::{ArgsError, Command, Whom};

#[derive(FromArgs)]
struct Words {
    #[argh(option, from_str_fn(given))]
    flag: Vec<Given>,
    #[argh(option, from_str_fn(given))]
    own: Vec<Given>,
    #[argh(positional)]
    command: Option<String>,
}

/// A flag and its text, one word for argh: `NAME=TEXT`.
struct Given {
    name: String,
    text: String,
}

fn given(word: &str) -> Result<Given, String> {
    let (name, text) = word.split_once('=').ok_or("a flag without a value")?;
    Ok(Given {
        name: name.to_owned(),
        text: text.to_owned(),
    })
}

/// The command and the flags of a command line that is split and known to hold
/// no flag out of place.
pub(crate) fn parse(line: &Line) -> Result<(Command, Typed), ArgsError> {
    let joined = |(name, text): &(&str, String)| format!("{name}={text}");
    let flags: Vec<String> = line.flags.iter().map(joined).collect();
    let own: Vec<String> = line.own.iter().map(joined).collect();
    let mut words = Vec::new();
    words.extend(flags.iter().flat_map(|word| ["--flag", word]));
    words.extend(own.iter().flat_map(|word| ["--own", word]));
    words.extend(line.command.map(|command| command.name));
    let words = Words::from_args(&["evictd"], &words)
        .map_err(|exit| ArgsError::Inner(exit.output.trim().to_owned()))?;
    let command = command(words.command, &words.own)?;
    let mut typed = Typed::default();
    for given in words.flag {
        if !typed.add(&given.name, given.text) {
            return Err(ArgsError::UnknownFlag(given.name));
        }
    }
    Ok((command, typed))
}

fn command(name: Option<String>, own: &[Given]) -> Result<Command, ArgsError> {
    let Some(name) = name else {
        return Ok(Command::Daemon);
    };
    // The other flags are looked at before --json: their errors come first.
    Ok(match name.as_str() {
        "status" => Command::Status {
            timing: boolean("timing", own)?,
            json: json(own)?,
        },
        "rank" => Command::Rank {
            signal: signal(own)?,
            json: json(own)?,
        },
        "admit" => Command::Admit {
            whom: whom(own)?,
            json: json(own)?,
        },
        "history" => Command::History { json: json(own)? },
        "config" => Command::Config { json: json(own)? },
        "oom-score" => Command::OomScore {
            apply: boolean("apply", own)?,
            json: json(own)?,
        },
        "gc containers" => Command::GcContainers { json: json(own)? },
        "gc images" => Command::GcImages {
            all_unused: boolean("all-unused", own)?,
            json: json(own)?,
        },
        "selftest" => Command::Selftest { json: json(own)? },
        _ => return Err(ArgsError::UnknownCommand(name)),
    })
}

fn json(own: &[Given]) -> Result<bool, ArgsError> {
    boolean("json", own)
}

fn boolean(flag: &'static str, own: &[Given]) -> Result<bool, ArgsError> {
    Ok(last(own, flag).map_or(Ok(false), |text| parse_boolean(flag, text))?)
}

fn signal(own: &[Given]) -> Result<Signal, ArgsError> {
    Ok(
        last(own, "signal").map_or(Ok(Signal::MemoryAvailable), |text| {
            parse_signal("signal", text)
        })?,
    )
}

fn whom(own: &[Given]) -> Result<Whom, ArgsError> {
    let (qos, priority) = (last(own, "qos"), last(own, "priority"));
    let described = qos.is_some() || priority.is_some();
    match last(own, "pod") {
        Some(_) if described => Err(ArgsError::TwoPods),
        Some(path) => Ok(Whom::Manifest(PathBuf::from(path))),
        None if !described => Err(ArgsError::NoPod),
        None => Ok(Whom::Pod {
            qos: qos.map_or(Ok(QosClass::BestEffort), |text| {
                parse_qos_class("qos", text)
            })?,
            priority: priority.map_or(Ok(0), |text| parse_priority("priority", text))?,
        }),
    }
}

/// The text that counts: of the flag's last occurrence.
fn last<'a>(own: &'a [Given], flag: &str) -> Option<&'a str> {
    let found = own.iter().rfind(|given| given.name == flag);
    found.map(|given| given.text.as_str())
}

//! What is given up of a disk before a pod is evicted for it.

use core::time::Duration;
use std::path::Path;

use evictd_quantity::Quantity;

use crate::behaviour::Behaviour;
use crate::book::Book;
use crate::compat::Difference;
use crate::values::{self, Parsed};
use crate::{Compat, ConfigError, Origin, Relief, ReliefDir, kept};

const LOGS: &str = "log-relief";
const DIRECTORIES: &str = "relief-dir";
const RESERVE: &str = "reserve-file";

/// What the flags say; a kubelet gives nothing of it back.
pub(crate) fn relief(behaviour: &Behaviour, book: &mut Book<'_>) -> Parsed<Relief> {
    let logs = match behaviour.compat {
        Compat::Evictd => ("16Mi", Origin::Default),
        Compat::Kubelet(_) => ("0", Origin::Compat),
    };
    let log_keep = book.value_or(LOGS, logs, bytes)?;
    let reserve = book.value(RESERVE, bytes)?;
    Ok(Relief {
        build_cache: !behaviour.has(Difference::KeepBuildCache),
        log_keep_bytes: positive(&log_keep),
        directories: directories(book)?,
        reserve_bytes: positive(&reserve),
    })
}

fn positive(quantity: &Quantity) -> Option<u64> {
    u64::try_from(quantity.value())
        .ok()
        .filter(|bytes| *bytes > 0)
}

fn bytes(flag: &'static str, text: &str) -> Parsed<Quantity> {
    let hint = "bytes as Kubernetes writes them: 16Mi, 1Gi; 0 for none";
    match Quantity::parse(text) {
        Ok(quantity) if quantity.signum() >= 0 => Ok(quantity),
        Ok(_) => {
            let message = format!("{text} is negative");
            Err(ConfigError::new(flag, (text, 0), message, hint))
        }
        Err(_) => {
            let message = format!("{text:?} is no amount of bytes");
            Err(ConfigError::new(flag, (text, 0), message, hint))
        }
    }
}

fn directories(book: &mut Book<'_>) -> Parsed<Vec<ReliefDir>> {
    let texts = book.texts(DIRECTORIES);
    let (state_dir, _) = book.text("state-dir");
    let state_dir = Some(Path::new(state_dir)).filter(|path| path.has_root());
    let all = texts.iter().map(|text| directory(text, state_dir));
    let all = all.collect::<Parsed<_>>()?;
    book.note(
        DIRECTORIES,
        &texts.join(" "),
        book.typed.origin(DIRECTORIES),
    );
    Ok(all)
}

/// `PATH:keep=2Gi,older-than=7d`, the two in any order; each must be there, since what is
/// deleted is gone.
fn directory(text: &str, state_dir: Option<&Path>) -> Parsed<ReliefDir> {
    let fail = |message: String| {
        let hint =
            "write DIRECTORY:keep=BYTES,older-than=AGE: /var/cache/builds:keep=2Gi,older-than=7d";
        Err(ConfigError::new(DIRECTORIES, (text, 0), message, hint))
    };
    let Some((path, rest)) = text.rsplit_once(':') else {
        return fail(String::from("it does not say what stays"));
    };
    let (mut keep, mut older_than) = (None, None);
    for part in rest.split(',') {
        match part.split_once('=') {
            Some(("keep", value)) if keep.is_none() => keep = Some(bytes(DIRECTORIES, value)?),
            Some(("older-than", value)) if older_than.is_none() => older_than = Some(age(value)?),
            _ => return fail(format!("{part:?} is neither keep=BYTES nor older-than=AGE")),
        }
    }
    let (Some(keep), Some(older_than)) = (keep, older_than) else {
        return fail(String::from("it has to say both keep= and older-than="));
    };
    if older_than.is_zero() {
        let message = String::from("older-than=0 would delete what is being written");
        let hint = "say how long a file must have been left alone: older-than=1h";
        return Err(ConfigError::new(DIRECTORIES, (text, 0), message, hint));
    }
    let path = values::directory(DIRECTORIES, path)?;
    if let Some(what) = kept::what_is_kept(&path, state_dir) {
        let message = format!("{} {what}", path.display());
        let hint = "name a directory that holds nothing but what may be deleted: /var/cache/builds";
        return Err(ConfigError::new(DIRECTORIES, (text, 0), message, hint));
    }
    Ok(ReliefDir {
        path,
        keep_bytes: positive(&keep).unwrap_or(0),
        older_than,
    })
}

/// A duration as Go writes it, or whole days: `7d`.
fn age(text: &str) -> Parsed<Duration> {
    let days = text
        .strip_suffix('d')
        .and_then(|days| days.parse::<u32>().ok());
    if let Some(days) = days {
        return Ok(Duration::from_secs(u64::from(days) * 86_400));
    }
    let age = values::duration(DIRECTORIES, text)?;
    Ok(values::std_duration(age))
}

//! `--flags-file`, `--config` and `--config-dir`: reads the files.

use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use evictd_config::{MAX_FILE_BYTES, Resolved, Typed, resolve};
use rustix::fs::{Mode, OFlags};

use crate::facts;

/// A file's name as errors tell it, and what it holds.
type Contents = (String, Vec<u8>);

const FLAGS_FILE: &str = "flags-file";

/// What a configuration file should be.
const CONFIGURATION: &str = "name a KubeletConfiguration file, YAML or JSON";

/// The settings, and what they were made of.
pub struct Settings {
    /// The flags as they were given.
    pub command_line: Typed,
    /// The flags, with what the files say.
    pub typed: Typed,
    /// What they come to.
    pub resolved: Resolved,
}

/// The settings that the flags ask for, and the files that they name, on this machine.
///
/// # Errors
/// One line: what cannot be read, or what is wrong in it or with a flag.
pub fn settings(command_line: Typed) -> Result<Settings, String> {
    let typed = read(command_line.clone())?;
    let mut resolved = resolve(&typed).map_err(|error| error.to_string())?;
    facts::fit(&mut resolved);
    Ok(Settings {
        command_line,
        typed,
        resolved,
    })
}

/// The flags, with what the files say that they name.
pub fn read(mut typed: Typed) -> Result<Typed, String> {
    if let Some(path) = named(FLAGS_FILE, &typed) {
        let (name, bytes) = contents(FLAGS_FILE, &path, "name a file of flags, one a line")?;
        let added = typed.add_flags_file(&name, &bytes);
        added.map_err(|error| error.to_string())?;
    }
    let file = named("config", &typed).map(|path| contents("config", &path, CONFIGURATION));
    let file = file.transpose()?;
    let mut dropped_in = Vec::new();
    if let Some(dir) = named("config-dir", &typed) {
        walk(&dir, &mut dropped_in)?;
    }
    let added = match (&file, dropped_in.as_slice()) {
        (Some((name, bytes)), []) => typed.add_file(name, bytes),
        _ => {
            let files = file.iter().chain(&dropped_in);
            typed.add_files(files.map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
        }
    };
    added.map_err(|error| error.to_string())?;
    Ok(typed)
}

fn named(flag: &str, typed: &Typed) -> Option<PathBuf> {
    let last = typed.get(flag).last().filter(|path| !path.is_empty());
    last.map(PathBuf::from)
}

/// As much as a file may hold, and a byte more, at which it is refused.
fn contents(flag: &str, path: &Path, hint: &str) -> Result<Contents, String> {
    let bytes = read_regular(path).map_err(|error| failed(flag, path, &error, hint))?;
    Ok((path.display().to_string(), bytes))
}

/// Without waiting: a pipe that nobody writes to is opened all the same, and refused.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files of the directory and of those in it whose names end in `.conf`, by
/// name (K: `mergeKubeletConfigurations`).
fn walk(dir: &Path, files: &mut Vec<Contents>) -> Result<(), String> {
    const FLAG: &str = "config-dir";
    let fail = |error: &io::Error| failed(FLAG, dir, error, "name a directory of FILE.conf");
    let entries = fs::read_dir(dir).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = entries.map_err(|error| fail(&error))?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(|error| fail(&error))?.is_dir() {
            walk(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "conf")
        {
            files.push(contents(FLAG, &path, CONFIGURATION)?);
        }
    }
    Ok(())
}

fn failed(flag: &str, path: &Path, error: &io::Error, hint: &str) -> String {
    let path = path.display().to_string();
    format!("--{flag}: {path:?}: {error}; {hint}")
}

//! `--config` and `--config-dir`: reads the files.

use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use evictd_config::{MAX_FILE_BYTES, Resolved, Typed, resolve};

/// A file's name as errors tell it, and what it holds.
type Contents = (String, Vec<u8>);

/// The settings that the flags ask for, and the files that they name.
///
/// # Errors
/// One line: what cannot be read, or what is wrong in it or with a flag.
pub(crate) fn settings(mut typed: Typed) -> Result<Resolved, String> {
    let file = named("config", &typed).map(|path| read("config", &path));
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
    let settings = added.and_then(|()| resolve(&typed));
    settings.map_err(|error| error.to_string())
}

fn named(flag: &str, typed: &Typed) -> Option<PathBuf> {
    let last = typed.get(flag).last().filter(|path| !path.is_empty());
    last.map(PathBuf::from)
}

/// As much as a file may hold, and a byte more, at which it is refused.
fn read(flag: &str, path: &Path) -> Result<Contents, String> {
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    let hint = "name a KubeletConfiguration file, YAML or JSON";
    read.map_err(|error| failed(flag, path, &error, hint))?;
    Ok((path.display().to_string(), bytes))
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
            files.push(read(FLAG, &path)?);
        }
    }
    Ok(())
}

fn failed(flag: &str, path: &Path, error: &io::Error, hint: &str) -> String {
    let path = path.display().to_string();
    format!("--{flag}: {path:?}: {error}; {hint}")
}

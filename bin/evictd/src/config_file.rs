//! `--config`: reads the file.

use std::fs::File;
use std::io::{self, Read};

use evictd_config::{MAX_FILE_BYTES, Resolved, Typed, resolve};

/// The settings that the flags ask for, and the file that one of them names.
///
/// # Errors
/// One line: what cannot be read, or what is wrong in it or with a flag.
pub(crate) fn settings(mut typed: Typed) -> Result<Resolved, String> {
    let path = typed.get("config").last().cloned();
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        let bytes = read(&path).map_err(|error| {
            format!("--config: {path:?}: {error}; name a KubeletConfiguration file, YAML or JSON")
        })?;
        typed
            .add_file(&path, &bytes)
            .map_err(|error| error.to_string())?;
    }
    resolve(&typed).map_err(|error| error.to_string())
}

/// As much as a file may hold, and a byte more, at which it is refused.
fn read(path: &str) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

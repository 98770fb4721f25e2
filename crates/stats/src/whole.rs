use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// All bytes of a file.
///
/// As `std::fs::read` does, which is another kilobyte of code beside the reading of
/// files up to a limit that programs have anyway.
///
/// # Errors
/// Where it cannot be opened or read.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

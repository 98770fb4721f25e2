//! A directory of manifests: no panic; each file gives pods or one error; the same once more
//! gives the same.
#![no_main]
// options: -max_len=1048576
// parses: crates/manifest/src/parse/mod.rs

use std::fs;
use std::sync::LazyLock;

use evictd_fuzz::in_bounded_memory;
use evictd_manifest::ManifestDir;
use libfuzzer_sys::fuzz_target;

static PLACE: LazyLock<std::path::PathBuf> = LazyLock::new(|| {
    let place = std::env::temp_dir().join(format!("evictd-fuzz-{}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    place
});

fuzz_target!(|input: &[u8]| {
    let texts = input.split(|byte| *byte == 0).take(4);
    let names = ["a.yaml", "b.yml", "c.json", ".hidden.yaml"];
    for name in names {
        let _ = fs::remove_file(PLACE.join(name));
    }
    for (name, text) in names.into_iter().zip(texts) {
        fs::write(PLACE.join(name), text).unwrap();
    }
    let mut dir = ManifestDir::new(PLACE.clone());
    let first = in_bounded_memory(|| dir.refresh().to_vec());
    let pods = dir.pods().to_vec();
    assert!(pods.iter().all(|pod| !pod.metadata.uid.is_empty()));
    assert!(first.iter().all(|error| error.to_string().len() < 2000));
    assert_eq!(dir.refresh(), first);
    assert_eq!(dir.pods(), pods);
});

//! Writable layers.

use std::path::Path;

use crate::cri::layer::find_layer;

#[test]
fn layers() {
    let overlay =
        "22 1 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/s/12/fs,workdir=/s/12/work\n";
    let ext4 = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
    let proc = "23 22 0:51 / /proc rw - proc proc rw\n";
    for (name, text, found) in [
        ("containerd", [overlay, proc].concat(), Some("/s/12/fs")),
        ("covered", [ext4, overlay].concat(), Some("/s/12/fs")),
        ("covers", [overlay, ext4].concat(), None),
        ("another's", overlay.replace(" / / ", " / /x "), None),
        ("read-only", overlay.replace("upperdir=/s/12/fs,", ""), None),
        ("relative", overlay.replace("=/s/12/fs", "=l/FS"), None),
        ("escaped", overlay.replace("=/s/12/fs", "=/s\\040/fs"), None),
        ("odd", "22 1 odd\n".to_owned(), None),
        ("nothing", String::new(), None),
    ] {
        assert_eq!(
            find_layer(text.as_bytes()).as_deref(),
            found.map(Path::new),
            "{name}"
        );
    }
}

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

/// The file of another may be given any name in a directory of one's own, by a link of either
/// kind. Nothing is written to it, and nothing else is left there.
#[test]
fn the_page_takes_the_place_of_whatever_is_there() {
    let at = std::env::temp_dir().join(format!("evictd-metrics-{}", std::process::id()));
    fs::create_dir(&at).unwrap();
    fs::write(at.join("precious"), "precious").unwrap();
    let page = at.join("a.prom");
    let place = Place {
        directory: Directory::open(&at).unwrap(),
        name: String::from("a.prom"),
    };
    let links: [&dyn Fn() -> io::Result<()>; 2] =
        [&|| symlink(at.join("precious"), &page), &|| {
            fs::hard_link(at.join("precious"), &page)
        }];
    for link in links {
        link().unwrap();
        place.replace("new").unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), "new");
        assert_eq!(
            fs::metadata(&page).unwrap().permissions().mode() & 0o777,
            0o644
        );
        assert_eq!(fs::read_to_string(at.join("precious")).unwrap(), "precious");
        assert_eq!(fs::read_dir(&at).unwrap().count(), 2);
        fs::remove_file(&page).unwrap();
    }
    fs::create_dir(&page).unwrap();
    assert!(place.replace("new").is_err());
    assert_eq!(fs::read_dir(&at).unwrap().count(), 2, "no spare is left");
    fs::remove_dir_all(&at).unwrap();
}

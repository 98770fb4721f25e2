use std::env::current_exe;
use std::fs::read_to_string;

use evictd_testkit::needs;

use super::{Mapped, lock_program, mapped_file};

#[test]
fn only_files_that_can_be_read_are_locked() {
    let lines = [
        (
            "7fa0-7fb0 r--p 00000000 103:00 1234   /usr/sbin/evictd",
            Some(true),
        ),
        (
            "7fa0-7fb0 r-xp 00000000 103:00 1234   /usr/sbin/evictd",
            Some(false),
        ),
        (
            "7fa0-7fb0 r-xp 00001000 103:00 1234   /a b (deleted)",
            Some(false),
        ),
        (
            "7fa0-7fb0 ---p 00000000 103:00 1234   /usr/sbin/evictd",
            None,
        ),
        ("7ffd0-7fff0 rw-p 00000000 00:00 0   [stack]", None),
        ("7ffd0-7fff0 rw-p 00000000 00:00 0", None),
        ("7fb0-7fa0 r--p 00000000 103:00 1234   /x", None),
        ("7fa0 r--p 00000000 103:00 1234", None),
        ("", None),
    ];
    for (line, expected) in lines {
        let expected = expected.map(|is_head| Mapped {
            start: 0x7fa0,
            length: 0x10,
            is_head,
        });
        assert_eq!(mapped_file(line), expected, "{line}");
    }
}

/// This is what `ci/size` checks of the daemon.
#[test]
fn the_whole_program_is_in_memory() {
    needs!(Root);
    lock_program().unwrap();
    let program = current_exe().unwrap();
    let program = program.to_str().unwrap();
    let smaps = read_to_string("/proc/self/smaps").unwrap();
    let mut of_program = false;
    let mut size = "";
    let mut locked = 0;
    for line in smaps.lines() {
        let (key, value) = line.split_once(' ').unwrap();
        let value = value.trim();
        match key {
            "Size:" => size = value,
            "Rss:" if of_program => assert_eq!(value, size, "{smaps}"),
            // Of what another process has mapped too, a share.
            "Locked:" if of_program => {
                assert_ne!(value, "0 kB", "{smaps}");
                locked += 1;
            }
            _ if key.contains('-') => {
                of_program = line.ends_with(program) && !line.contains(" r--p 00000000 ");
            }
            _ => {}
        }
    }
    assert!(locked > 1);
}

use std::env::current_exe;
use std::fs::{File, read_to_string};
use std::sync::Mutex;

use evictd_testkit::needs;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mprotect, munmap};

use super::{Mapped, lock_program, mapped_file};

/// One test unmaps a file that another may have just seen mapped.
static ONE_MAPS: Mutex<()> = Mutex::new(());

#[test]
fn only_files_that_can_be_read_are_locked() {
    let lines = [
        (
            "7fa0-7fb0 r--p 00000000 103:00 1234   /usr/sbin/evictd",
            true,
        ),
        (
            "7fa0-7fb0 r-xp 00000000 103:00 1234   /usr/sbin/evictd",
            true,
        ),
        ("7fa0-7fb0 r-xp 00001000 103:00 1234   /a b (deleted)", true),
        (
            "7fa0-7fb0 ---p 00000000 103:00 1234   /usr/sbin/evictd",
            false,
        ),
        ("7ffd0-7fff0 rw-p 00000000 00:00 0   [stack]", false),
        ("7ffd0-7fff0 rw-p 00000000 00:00 0", false),
        ("7fb0-7fa0 r--p 00000000 103:00 1234   /x", false),
        ("7fa0 r--p 00000000 103:00 1234", false),
        ("", false),
    ];
    for (line, expected) in lines {
        let expected = expected.then_some(Mapped {
            start: 0x7fa0,
            length: 0x10,
        });
        assert_eq!(mapped_file(line), expected, "{line}");
    }
}

/// This is what `ci/size` checks of the daemon.
#[test]
fn the_whole_program_is_in_memory() {
    needs!(Root);
    let _alone = ONE_MAPS.lock();
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
                of_program = line.ends_with(program);
            }
            _ => {}
        }
    }
    assert!(locked > 1);
}

/// Acceptance row 279: a dynamic linker writes to the head of a program so, and then makes it
/// read-only.
#[test]
fn a_private_change_of_what_is_read_only_now_stays() {
    needs!(Root);
    const LENGTH: usize = 4096;
    let _alone = ONE_MAPS.lock();
    let program = File::open(current_exe().unwrap()).unwrap();
    let (both, private) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: a new mapping, which nobody else knows.
    let at = unsafe { mmap(core::ptr::null_mut(), LENGTH, both, private, &program, 0) };
    let at = at.unwrap();
    // SAFETY: it is mapped so, and is not read otherwise meanwhile.
    let found = unsafe {
        at.cast::<u8>().write_volatile(b'!');
        mprotect(at, LENGTH, MprotectFlags::READ).unwrap();
        lock_program().unwrap();
        at.cast::<u8>().read_volatile()
    };
    // SAFETY: nobody else knows it.
    unsafe { munmap(at, LENGTH) }.unwrap();
    assert_eq!(found, b'!');
}

use rustix::process::{Pid, getpid};

use super::is_in_no_group;

#[test]
fn threads_of_the_kernel_are_in_no_group_and_we_are_in_one() {
    let name = std::fs::read_to_string("/proc/2/comm").unwrap_or_default();
    if name == "kthreadd\n" {
        assert!(is_in_no_group(Pid::from_raw(2).unwrap()));
    }
    assert!(!is_in_no_group(getpid()));
}

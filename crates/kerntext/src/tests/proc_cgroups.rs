use alloc::vec::Vec;

use super::{alloc, error};
use crate::ParseErrorKind::{Form, Missing, Number};
use crate::{Controller, controllers, memberships};

#[test]
fn proc_cgroups_lines() {
    let text = b"#subsys_name\thierarchy\tnum_cgroups\tenabled\n\
        cpuset\t3\t1\t1\nmemory\t4\t14\t0\nshort\t1\n";
    let all: Vec<_> = controllers(text).collect();
    assert_eq!(all.len(), 3);
    assert_eq!(
        all[0],
        Ok(Controller {
            name: b"cpuset",
            hierarchy: 3,
            cgroups: 1,
            enabled: true
        })
    );
    assert_eq!(all[1].map(|c| c.enabled), Ok(false));
    assert_eq!(all[2], Err(error(Missing, text.len() - 1)));
}

#[test]
fn proc_pid_cgroup_lines() {
    let text = b"9:name=systemd:/a:b c\n3:cpu,cpuacct:/\n0::/x/y (deleted)\n";
    let all: Vec<_> = memberships(text).map(Result::unwrap).collect();
    assert_eq!(all[0].path, b"/a:b c");
    assert!(!all[0].is_unified());
    assert!(all[1].has_controller(b"cpuacct"));
    assert!(!all[1].has_controller(b"cpua"));
    assert!(all[2].is_unified() && all[2].deleted);
    assert_eq!(all[2].path, b"/x/y");
    for (text, expected) in [
        (&b"0:/x"[..], error(Missing, 0)),
        (b"0", error(Missing, 0)),
        (b"x::/", error(Number, 0)),
        (b"0::x", error(Form, 3)),
        (b"0::", error(Form, 3)),
    ] {
        assert_eq!(memberships(text).next(), Some(Err(expected)), "{text:?}");
    }
}

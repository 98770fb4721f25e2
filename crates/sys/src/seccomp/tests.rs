use libc::c_long;

use super::*;

/// What the filter decides about a call, as the kernel would run it.
fn decision(call: c_long, arguments: [u32; 3], architecture: u32) -> u32 {
    run(
        &program(ARCHITECTURE.unwrap()),
        call,
        arguments,
        architecture,
    )
}

fn run(program: &[sock_filter], call: c_long, arguments: [u32; 3], architecture: u32) -> u32 {
    let [first, second, third] = arguments;
    let (mut at, mut loaded) = (0, 0);
    loop {
        let line = program.get(at).unwrap();
        at += 1;
        let code = u32::from(line.code);
        let fits = if code == libc::BPF_LD | libc::BPF_ABS {
            loaded = match line.k {
                0 => number(call),
                4 => architecture,
                16 => first,
                24 => second,
                32 => third,
                offset => panic!("loads from {offset}"),
            };
            continue;
        } else if code == libc::BPF_RET {
            return line.k;
        } else if code == libc::BPF_JMP | libc::BPF_JEQ {
            loaded == line.k
        } else {
            assert_eq!(code, libc::BPF_JMP | libc::BPF_JSET);
            loaded & line.k != 0
        };
        at += usize::from(if fits { line.jt } else { line.jf });
    }
}

fn is_allowed(call: c_long, arguments: [u32; 3]) -> bool {
    decision(call, arguments, ARCHITECTURE.unwrap()) == libc::SECCOMP_RET_ALLOW
}

#[test]
fn what_the_daemon_never_does_is_refused() {
    for call in [
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_mount,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_bpf,
        libc::SYS_init_module,
        libc::SYS_reboot,
        libc::SYS_process_vm_writev,
        libc::SYS_io_uring_setup,
    ] {
        assert!(!is_allowed(call, [0; 3]), "{call}");
    }
    assert!(is_allowed(libc::SYS_openat, [0; 3]));
    assert!(is_allowed(libc::SYS_landlock_restrict_self, [0; 3]));
}

#[test]
fn the_arguments_decide_about_threads_sockets_and_memory() {
    let bits = i32::unsigned_abs;
    let thread = bits(libc::CLONE_VM | libc::CLONE_THREAD);
    assert!(is_allowed(libc::SYS_clone, [thread, 0, 0]));
    assert!(!is_allowed(libc::SYS_clone, [bits(libc::SIGCHLD), 0, 0]));
    assert!(is_allowed(libc::SYS_socket, [bits(libc::AF_UNIX), 0, 0]));
    assert!(!is_allowed(libc::SYS_socket, [bits(libc::AF_INET), 0, 0]));
    assert!(!is_allowed(
        libc::SYS_socket,
        [bits(libc::AF_NETLINK), 0, 0]
    ));
    let writable = bits(libc::PROT_READ | libc::PROT_WRITE);
    let executable = bits(libc::PROT_READ | libc::PROT_EXEC);
    assert!(is_allowed(libc::SYS_mprotect, [0, 0, writable]));
    assert!(!is_allowed(libc::SYS_mprotect, [0, 0, executable]));
    let own = ARCHITECTURE.unwrap();
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    assert_eq!(decision(libc::SYS_clone3, [0; 3], own), no_such_call);
}

#[test]
fn calls_of_another_architecture_are_refused() {
    let other = ARCHITECTURE.unwrap() ^ 1;
    assert_eq!(
        decision(libc::SYS_read, [0; 3], other),
        libc::SECCOMP_RET_TRAP
    );
}

#[test]
fn a_thread_that_reads_opens_nothing_for_writing_and_changes_no_name() {
    let own = ARCHITECTURE.unwrap();
    let decided = |call, arguments| run(&reading::program(), call, arguments, own);
    let refused = libc::SECCOMP_RET_ERRNO | libc::EACCES.unsigned_abs();
    let opening = |flags: i32| decided(libc::SYS_openat, [0, 0, flags.unsigned_abs()]);
    let reading = libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_DIRECTORY | libc::O_PATH;
    assert_eq!(opening(reading), libc::SECCOMP_RET_ALLOW);
    for flag in [
        libc::O_WRONLY,
        libc::O_RDWR,
        libc::O_CREAT,
        libc::O_TRUNC,
        libc::O_TMPFILE | libc::O_RDWR,
    ] {
        assert_eq!(opening(reading | flag), refused, "{flag:o}");
    }
    for call in [
        libc::SYS_unlinkat,
        libc::SYS_mkdirat,
        libc::SYS_renameat2,
        libc::SYS_linkat,
        libc::SYS_fchmodat,
        libc::SYS_ftruncate,
        libc::SYS_bind,
    ] {
        assert_eq!(decided(call, [0; 3]), refused, "{call}");
    }
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    assert_eq!(decided(libc::SYS_openat2, [0; 3]), no_such_call);
    for call in [libc::SYS_read, libc::SYS_write, libc::SYS_connect] {
        assert_eq!(decided(call, [0; 3]), libc::SECCOMP_RET_ALLOW, "{call}");
    }
}

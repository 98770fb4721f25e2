use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};

use rustix::pipe::{PipeFlags, pipe_with};

use super::*;

#[test]
fn a_full_pipe_is_not_writable_and_a_broken_one_is() {
    let (read, write) = pipe_with(PipeFlags::NONBLOCK).unwrap();
    let is_now = || is_writable(write.as_fd(), Duration::ZERO);
    assert!(is_now());
    while rustix::io::write(&write, &[b'x'; 4096]).is_ok() {}
    assert!(!is_now());
    assert!(!is_writable(write.as_fd(), Duration::from_millis(1)));
    rustix::io::read(&read, &mut [0; 4096]).unwrap();
    assert!(is_now());
    drop(read);
    assert!(is_now());
}

fn reopen(fd: impl AsFd) -> Option<std::fs::File> {
    let path = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    reopen_non_blocking(fd.as_fd(), Path::new(&path)).map(std::fs::File::from)
}

#[test]
fn a_pipe_that_waits_does_not_when_it_is_opened_anew() {
    let (read, write) = pipe_with(PipeFlags::empty()).unwrap();
    let mut again = reopen(&write).unwrap();
    let full = loop {
        if let Err(error) = again.write(&[b'x'; 1000]) {
            break error;
        }
    };
    assert_eq!(full.kind(), std::io::ErrorKind::WouldBlock);
    drop(read);
    let broken = again.write(b"x").unwrap_err();
    assert_eq!(broken.kind(), std::io::ErrorKind::BrokenPipe);
}

#[test]
fn files_and_sockets_are_left_alone() {
    let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
    assert!(is_writable(file.as_fd(), Duration::ZERO));
    assert!(reopen(&file).is_none());
    let (one, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    assert!(reopen(&one).is_none());
}

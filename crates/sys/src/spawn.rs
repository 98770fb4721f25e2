use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ptr;

use rustix::io::Errno;
use rustix::process::Pid;

const DEV_NULL: &CStr = c"/dev/null";

/// Starts this very program once more, with these arguments after its name: an
/// empty environment, `/dev/null` for input and output, the same standard error.
///
/// `posix_spawn(3)` of `/proc/self/exe`. The standard library's `Command` does
/// the same and brings 10 kB for what is not needed here.
///
/// # Errors
///
/// `EAGAIN` and `ENOMEM` where no process can be made, `ENOENT` without procfs.
pub fn spawn_self(arguments: &[&CStr]) -> Result<Pid, Errno> {
    let mut argv: Vec<*mut libc::c_char> = vec![c"evictd".as_ptr().cast_mut()];
    argv.extend(arguments.iter().map(|text| text.as_ptr().cast_mut()));
    argv.push(ptr::null_mut());
    let environment: [*mut libc::c_char; 1] = [ptr::null_mut()];
    let mut actions = MaybeUninit::uninit();
    // SAFETY: the call initialises what it is given, and fails only for memory,
    // which musl and glibc do not need here.
    answer(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
    // SAFETY: initialised by the call above.
    let mut actions = unsafe { actions.assume_init() };
    let mut pid: libc::pid_t = 0;
    let opened = [(0, libc::O_RDONLY), (1, libc::O_WRONLY)]
        .into_iter()
        .try_for_each(|(fd, how)| {
            // SAFETY: the actions are initialised; the path outlives the spawn.
            answer(unsafe {
                libc::posix_spawn_file_actions_addopen(&mut actions, fd, DEV_NULL.as_ptr(), how, 0)
            })
        });
    let spawned = opened.and_then(|()| {
        // SAFETY: path, arguments and environment are C strings that outlive the
        // call, both lists end with a null pointer, and nothing is written to them.
        answer(unsafe {
            libc::posix_spawn(
                &mut pid,
                c"/proc/self/exe".as_ptr(),
                &actions,
                ptr::null(),
                argv.as_ptr(),
                environment.as_ptr(),
            )
        })
    });
    // SAFETY: initialised above and not used after this.
    unsafe { libc::posix_spawn_file_actions_destroy(&mut actions) };
    spawned?;
    Pid::from_raw(pid).ok_or(Errno::SRCH)
}

/// These calls return the error instead of setting `errno`.
fn answer(error: libc::c_int) -> Result<(), Errno> {
    match error {
        0 => Ok(()),
        error => Err(Errno::from_raw_os_error(error)),
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{WaitOptions, waitpid};

    use super::*;

    /// The test runner started again lists its tests and ends well; with an
    /// option that it does not know, it does not.
    #[test]
    fn this_program_runs_again_with_the_arguments_given() {
        for (argument, status) in [(c"--list", 0), (c"--no-such-option", 101)] {
            let pid = spawn_self(&[argument]).unwrap();
            let (ended, how) = waitpid(Some(pid), WaitOptions::empty()).unwrap().unwrap();
            assert_eq!(
                (ended, how.exit_status()),
                (pid, Some(status)),
                "{argument:?}"
            );
        }
    }
}

//! What a test needs of the machine it runs on. A test that this machine cannot run says
//! so in a line of its own, which `ci/test` counts, and passes:
//!
//! ```text
//! not run: evictd-cgroup kill::tests::a_fork_bomb_is_killed_whole: needs cgroup v1
//! ```
//!
//! The test harness has no such verdict: a test either runs or is ignored, and which of
//! them is decided when it is compiled.
//!
//! ```
//! use evictd_testkit::needs;
//!
//! fn a_mount_is_seen() {
//!     needs!(Mounting);
//!     // ... mounts something ...
//! }
//! # a_mount_is_seen();
//! ```
//!
//! [`poison`] has what no reader should have to meet.
#![forbid(unsafe_code)]

mod need;
pub mod poison;

pub use need::Need;

use std::io::Write as _;

/// Ends the test with a line that says why, where this machine lacks one of these
/// [`Need`]s.
#[macro_export]
macro_rules! needs {
    ($($need:ident),+ $(,)?) => {
        if !$crate::can_run(env!("CARGO_PKG_NAME"), "", &[$($crate::Need::$need),+]) {
            return;
        }
    };
}

/// Whether this machine has what a part of a test needs; says so where it has not.
#[macro_export]
macro_rules! can {
    ($part:literal, $($need:ident),+ $(,)?) => {
        $crate::can_run(env!("CARGO_PKG_NAME"), $part, &[$($crate::Need::$need),+])
    };
}

/// Whether this machine has all of `needs`. Prints what it lacks for the test that runs in
/// this thread, or for a `part` of it, past the harness, which keeps what a passing test
/// prints to itself.
#[must_use]
pub fn can_run(package: &str, part: &str, needs: &[Need]) -> bool {
    let Some(lack) = needs.iter().find(|need| !need.is_met()) else {
        return true;
    };
    // A runner with a process for each test runs it in the main thread, whose name says nothing.
    let test = std::env::var("NEXTEST_TEST_NAME").ok();
    let thread = std::thread::current();
    let test = test.as_deref().or(thread.name()).unwrap_or("a test");
    let line = match part {
        "" => format!("not run: {package} {test}: needs {lack}\n"),
        part => format!("not run {part}: {package} {test}: needs {lack}\n"),
    };
    // One write, so that lines of tests that run at once stay whole.
    let _ = std::io::stderr().write_all(line.as_bytes());
    false
}

/// Answers a test runner that asks a program without a harness which tests it has: the one
/// called `name`. Returns whether it asked; then the program ends without running it.
#[must_use]
pub fn was_asked_for_tests(name: &str) -> bool {
    let has = |option: &str| std::env::args().any(|argument| argument == option);
    if has("--list") && !has("--ignored") {
        let _ = std::io::stdout().write_all(format!("{name}: test\n").as_bytes());
    }
    has("--list")
}

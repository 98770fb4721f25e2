//! An event loop: says when tasks are stalled on memory (PSI), and ends by a signal.
//!
//! usage: pressure [FILE]     default: /proc/pressure/memory; or memory.pressure of a cgroup
//!
//! Where the kernel takes no trigger it looks once a second.
#![forbid(unsafe_code)]

use core::time::Duration;
use std::path::PathBuf;
use std::time::Instant;

use evictd_node::Mono;
use evictd_sys::{Signal, Token, Trigger, Wake, Watch};

/// So much stall within a window is told.
const STALL: Duration = Duration::from_millis(100);
const WINDOW: Duration = Duration::from_secs(2);

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let file = std::env::args().nth(1).map(PathBuf::from);
    let file = file.unwrap_or_else(|| PathBuf::from("/proc/pressure/memory"));
    #[expect(
        clippy::disallowed_methods,
        reason = "a loop's edge, which asks the clock"
    )]
    let start = Instant::now();
    let now = || Mono::ZERO + start.elapsed();
    let mut watch = Watch::new(&[Signal::TERM, Signal::INT])?;
    let trigger = Trigger::pressure(&file, STALL, WINDOW);
    match &trigger {
        Ok(trigger) => watch.arm(trigger, Token(0))?,
        Err(error) => println!("no trigger: {error}"),
    }
    println!("watching {}", file.display());
    loop {
        let until = trigger.is_err().then(|| now() + Duration::from_secs(1));
        for wake in watch.wait(now(), until)?.to_vec() {
            match wake {
                Wake::Signal(signal) => {
                    println!("ended by signal {}", signal.as_raw());
                    return Ok(());
                }
                Wake::Ready(_) | Wake::Deadline => {
                    let text = std::fs::read_to_string(&file).unwrap_or_default();
                    println!("{}", text.lines().next().unwrap_or("nothing is known"));
                    if let Ok(trigger) = &trigger {
                        trigger.take()?;
                        watch.arm(trigger, Token(0))?;
                    }
                }
            }
        }
    }
}

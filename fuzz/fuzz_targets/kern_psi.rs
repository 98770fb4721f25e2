//! Pressure files: what the kernel would print for the numbers found is parsed
//! again as they were.
#![no_main]

use evictd_kerntext::{Stall, parse_pressure};
use libfuzzer_sys::fuzz_target;

fn print(name: &str, stall: Option<Stall>) -> String {
    let Some(stall) = stall else {
        return String::new();
    };
    let mut line = name.to_owned();
    for (key, average) in [
        ("avg10", stall.avg10_permyriad),
        ("avg60", stall.avg60_permyriad),
        ("avg300", stall.avg300_permyriad),
    ] {
        if let Some(average) = average {
            line.push_str(&format!(" {key}={}.{:02}", average / 100, average % 100));
        }
    }
    if let Some(total) = stall.total_usec {
        line.push_str(&format!(" total={total}"));
    }
    line.push('\n');
    line
}

fuzz_target!(|text: &[u8]| {
    match parse_pressure(text) {
        Ok(pressure) => {
            let printed = print("some", pressure.some) + &print("full", pressure.full);
            assert_eq!(parse_pressure(printed.as_bytes()), Ok(pressure));
        }
        Err(error) => assert!(error.position <= text.len()),
    }
});

//! How a run is printed.

use std::process::ExitCode;

use serde_json::json;

use crate::files::FileResult;

/// How many failures of a file are shown in full.
const SHOWN: usize = 3;

/// Prints a line a file, or with `json` an object a file; failure when any case failed or is
/// not covered.
pub(crate) fn print(results: &[FileResult], json: bool) -> ExitCode {
    for result in results {
        if json {
            print_json(result);
        } else {
            print_text(result);
        }
    }
    let passed: usize = results.iter().map(|r| r.passed).sum();
    let failed: usize = results.iter().map(|r| r.failures.len()).sum();
    let uncovered: usize = results.iter().map(|r| r.uncovered).sum();
    if !json {
        println!("{passed} passed, {failed} failed, {uncovered} not covered");
    }
    if failed == 0 && uncovered == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print_json(result: &FileResult) {
    let object = json!({
        "file": result.file,
        "compat": result.compat,
        "passed": result.passed,
        "failed": result.failures.len(),
        "uncovered": result.uncovered,
    });
    println!("{object}");
}

fn print_text(result: &FileResult) {
    println!(
        "{} {:<33} {:>5} passed {:>5} failed {:>5} not covered",
        result.compat,
        result.file,
        result.passed,
        result.failures.len(),
        result.uncovered
    );
    for failure in result.failures.iter().take(SHOWN) {
        println!("  line {}: {}", failure.line, failure.difference);
        println!("    {}", failure.case);
    }
}

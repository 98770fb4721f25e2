//! Which check judges which file, and the run over a directory.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::case::Outcome;
use crate::rules::Rules;

/// How a file is judged: by a check of each case, or not yet at all.
enum Check {
    /// By a check of each case, which is one for every kubelet.
    Each(fn(&Value) -> Outcome),
    /// As the rules say.
    ByRules(fn(&Value, Rules) -> Outcome),
    NotCovered,
}

/// The vector files in force. A file that is not named here, or whose check is
/// not written, is reported as not covered.
fn check_of(file: &str) -> Check {
    match file {
        "admission.jsonl" => Check::ByRules(crate::admission::check),
        "config_defaults.json" => Check::ByRules(crate::config_defaults::check),
        "config_load.jsonl" => Check::ByRules(crate::config_load::check),
        "config_validate.jsonl" => Check::ByRules(crate::config_validate::check),
        "container_gc.jsonl" => Check::ByRules(crate::container_gc::check),
        "duration.jsonl" => Check::Each(crate::duration::check),
        "image_gc.jsonl" => Check::ByRules(crate::image_gc::check),
        "manager_random_a.jsonl" | "manager_random_b.jsonl" | "manager_scripted.jsonl" => {
            Check::ByRules(crate::manager::check)
        }
        "memcg_threshold.jsonl" => Check::Each(crate::memcg::check),
        "node_allocatable.jsonl" => Check::Each(crate::node_allocatable::check),
        "node_conditions.jsonl" => Check::Each(crate::node_conditions::check),
        "oom_score_adj.jsonl" => Check::ByRules(crate::oom::check),
        "pod_defaults.jsonl" => Check::ByRules(crate::pod_defaults::check),
        "qos.jsonl" => Check::ByRules(crate::qos::check),
        "quantity.jsonl" => Check::Each(crate::quantity::check),
        "quantity_ops.jsonl" => Check::Each(crate::quantity_ops::check),
        "rank.jsonl" => Check::ByRules(crate::rank::check),
        "requests.jsonl" => Check::ByRules(crate::requests::check),
        "threshold_flags.jsonl" => Check::Each(crate::threshold_flags::check),
        "threshold_layout.jsonl" => Check::Each(crate::threshold_layout::check),
        "threshold_resolve.jsonl" => Check::Each(crate::threshold_resolve::check),
        _ => Check::NotCovered,
    }
}

/// A case that failed: its line in the file, what differed, the case itself.
pub(crate) struct Failure {
    pub(crate) line: usize,
    pub(crate) difference: String,
    pub(crate) case: String,
}

/// What a file's cases came to.
pub(crate) struct FileResult {
    pub(crate) file: String,
    pub(crate) compat: &'static str,
    pub(crate) passed: usize,
    pub(crate) uncovered: usize,
    pub(crate) failures: Vec<Failure>,
}

/// Judges every vector file of `dir`, in the order of their names. The traces of the
/// control loop run through the state machine alone, and through the engine around it.
pub(crate) fn run(dir: &Path, rules: Rules) -> Result<Vec<FileResult>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".jsonl") || name == "config_defaults.json")
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(format!(
            "{}: no vector files (*.jsonl) there",
            dir.display()
        ));
    }
    let mut results = Vec::new();
    for name in names {
        let judge = |title: &str, check| judge((dir, &name), title, &check, rules);
        results.push(judge(&name, check_of(&name))?);
        if name.starts_with("manager_") {
            let again = format!("{name} (engine)");
            results.push(judge(&again, Check::ByRules(crate::manager_engine::check))?);
        }
    }
    Ok(results)
}

/// Judges the cases of a file; the result is told by `title`.
fn judge(
    (dir, file): (&Path, &str),
    title: &str,
    check: &Check,
    rules: Rules,
) -> Result<FileResult, String> {
    let path = dir.join(file);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut result = FileResult {
        file: title.to_owned(),
        compat: rules.version.name(),
        passed: 0,
        uncovered: 0,
        failures: Vec::new(),
    };
    // A document is one case, lines are one each.
    let cases: Vec<&str> = match file.ends_with(".json") {
        true => vec![&text],
        false => text.lines().collect(),
    };
    for (index, line) in cases
        .into_iter()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let case = serde_json::from_str(line).map_err(|e| format!("not a JSON object: {e}"));
        let outcome = match check {
            Check::NotCovered => {
                result.uncovered += 1;
                continue;
            }
            Check::Each(check) => case.and_then(|case| check(&case)),
            Check::ByRules(check) => case.and_then(|case| check(&case, rules)),
        };
        match outcome {
            Ok(()) => result.passed += 1,
            Err(difference) => result.failures.push(Failure {
                line: index + 1,
                difference,
                case: line.to_owned(),
            }),
        }
    }
    Ok(result)
}

//! The lists that are not thresholds: reservations, and what to enforce.

use evictd_quantity::Quantity;
use evictd_threshold::{List, Pairs};

use crate::typed::Facts;
use crate::values::{Parsed, did_you_mean};
use crate::{ConfigError, Reserved};

/// `resource=quantity` pairs (K: `parseResourceList`).
pub(crate) fn reserved(flag: &'static str, text: &str) -> Parsed<Reserved> {
    // Any `=` list splits alike.
    let pairs = Pairs::parse(List::MinimumReclaim, text).map_err(|error| {
        let place = (error.offending(), error.position);
        let hint = "write resource=quantity, as in memory=1.5Gi,cpu=200m";
        ConfigError::new(flag, (&place.0, place.1), error.to_string(), hint)
    })?;
    let mut reserved = Reserved::default();
    for pair in pairs.iter() {
        let (name, value) = (pair.key.as_str(), pair.value.as_str());
        let offending = format!("{name}={value}");
        let fail = |message: String, hint: String| {
            ConfigError::new(flag, (&offending, pair.at), message, hint)
        };
        let names = Reserved::NAMES;
        if !names.contains(&name) {
            let meant = did_you_mean(name, names);
            let hint = format!("{meant}resources are {}", names.join(", "));
            return Err(fail(format!("cannot reserve {name:?} resource"), hint));
        }
        let quantity = Quantity::parse(value).map_err(|error| {
            let kind = error.kind;
            let words = format!("failed to parse quantity {value:?} for {name:?} resource: {kind}");
            let form = crate::texts::QUANTITY_FORM.to_owned();
            fail("not an amount".to_owned(), form).kubelet_says(words)
        })?;
        if quantity.signum() < 0 {
            let message = format!("resource quantity for {name:?} cannot be negative: {value}");
            return Err(fail(message, "write 0 or more".to_owned()));
        }
        reserved.put(name, quantity);
    }
    Ok(reserved)
}

const OPTIONS: [&str; 6] = [
    "pods",
    "system-reserved",
    "system-reserved-compressible",
    "kube-reserved",
    "kube-reserved-compressible",
    "none",
];

/// Whether the list asks for `pods`, and what else it asks for; `none` or nothing
/// asks for nothing (K: `validation.go`).
pub(crate) fn enforce(
    flag: &'static str,
    text: &str,
    facts: Facts,
) -> Parsed<(bool, Vec<&'static str>)> {
    let shown = format!("enforceNodeAllocatable (--{flag})");
    let mut asked: Vec<&'static str> = Vec::new();
    let mut at: usize = 0;
    for option in text.split(',').filter(|_| !text.is_empty()) {
        let fail = |message| {
            let hint = "evictd takes pods, or none";
            ConfigError::new(flag, (option, at), message, hint)
        };
        let known = OPTIONS.into_iter().find(|known| *known == option);
        let known = known.ok_or_else(|| {
            let [a, b, c, d, e, f] = OPTIONS;
            fail(format!(
                "option {option:?} specified for {shown}. Valid options are {a:?}, {b:?}, {c:?}, \
                 {d:?}, {e:?} or {f:?}"
            ))
        })?;
        let problem = against_others(known, &asked, &shown);
        if let Some(problem) = problem.or_else(|| against_facts(known, facts, &shown)) {
            return Err(fail(problem));
        }
        asked.push(known);
        at = at.saturating_add(option.len()).saturating_add(1);
    }
    let pods = asked.contains(&"pods");
    asked.retain(|option| *option != "pods" && *option != "none");
    Ok((pods, asked))
}

/// What in the list before, `shown` in messages, forbids the option.
fn against_others(option: &str, before: &[&str], shown: &str) -> Option<String> {
    const COMPRESSIBLE: &str = "-compressible";
    let plain = |option| str::strip_suffix(option, COMPRESSIBLE).unwrap_or(option);
    if before.contains(&option) {
        Some(format!("duplicated enforcements {option:?} in {shown}"))
    } else if !before.is_empty() && (option == "none" || before.contains(&"none")) {
        Some(format!(
            "{shown} may not contain additional enforcements when \"none\" is specified"
        ))
    } else if before.iter().any(|other| plain(other) == plain(option)) {
        let plain = plain(option);
        Some(format!(
            "both {plain:?} and \"{plain}{COMPRESSIBLE}\" cannot be specified together in {shown}"
        ))
    } else {
        None
    }
}

/// What else the file says that forbids the option.
fn against_facts(option: &str, facts: Facts, shown: &str) -> Option<String> {
    for (field, plain, named) in [
        (
            "systemReservedCgroup",
            "system-reserved",
            facts.system_cgroup,
        ),
        ("kubeReservedCgroup", "kube-reserved", facts.kube_cgroup),
    ] {
        if option.starts_with(plain) && !named {
            return Some(format!(
                "{field} (--{plain}-cgroup) must be specified when {plain:?} or \
                 \"{plain}-compressible\" included in {shown}"
            ));
        }
    }
    let needs_cgroups = facts.no_qos_cgroups && option != "none";
    needs_cgroups.then(|| {
        format!(
            "cgroupsPerQOS (--cgroups-per-qos) must be set to true when {option:?} contained in \
             {shown}"
        )
    })
}

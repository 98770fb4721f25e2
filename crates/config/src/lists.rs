//! The lists that are not thresholds: reservations, and what to enforce.

use evictd_quantity::Quantity;
use evictd_threshold::{List, Pairs};

use crate::values::{Parsed, did_you_mean};
use crate::{ConfigError, Reserved};

/// `resource=quantity` pairs (K: `parseResourceList`).
pub(crate) fn reserved(flag: &'static str, text: &str) -> Parsed<Reserved> {
    // Any `=` list splits alike.
    let pairs = Pairs::parse(List::MinimumReclaim, text).map_err(|error| {
        let place = (error.offending(), error.position());
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
        let place = reserved.get_mut(name).ok_or_else(|| {
            let names = Reserved::NAMES;
            let hint = format!(
                "{}resources are {}",
                did_you_mean(name, names),
                names.join(", ")
            );
            fail(format!("cannot reserve {name:?} resource"), hint)
        })?;
        let quantity = Quantity::parse(value.as_bytes()).map_err(|error| {
            let kind = error.kind();
            let message =
                format!("failed to parse quantity {value:?} for {name:?} resource: {kind}");
            fail(message, crate::texts::QUANTITY_FORM.to_owned())
        })?;
        if quantity.signum() < 0 {
            let message = format!("resource quantity for {name:?} cannot be negative: {value}");
            return Err(fail(message, "write 0 or more".to_owned()));
        }
        *place = Some(quantity);
    }
    Ok(reserved)
}

/// Whether the list asks for `pods`; `none` or nothing asks for nothing.
pub(crate) fn enforce_pods(flag: &'static str, text: &str) -> Parsed<bool> {
    let (mut pods, mut none) = (false, false);
    let mut at: usize = 0;
    for option in text.split(',').filter(|_| !text.is_empty()) {
        let fail = |message: String| {
            let hint = "evictd takes pods, or none";
            Err(ConfigError::new(flag, (option, at), message, hint))
        };
        let twice = match option {
            "pods" => core::mem::replace(&mut pods, true),
            "none" => core::mem::replace(&mut none, true),
            "system-reserved"
            | "system-reserved-compressible"
            | "kube-reserved"
            | "kube-reserved-compressible" => {
                return fail(format!(
                    "{option:?} limits the cgroup of system daemons, which evictd leaves alone"
                ));
            }
            _ => {
                return fail(format!(
                    "option {option:?} specified for enforceNodeAllocatable (--{flag}). Valid \
                     options are \"pods\", \"system-reserved\", \"system-reserved-compressible\", \
                     \"kube-reserved\", \"kube-reserved-compressible\" or \"none\""
                ));
            }
        };
        if twice {
            let message =
                format!("duplicated enforcements {option:?} in enforceNodeAllocatable (--{flag})");
            return fail(message);
        }
        if pods && none {
            return fail(format!(
                "enforceNodeAllocatable (--{flag}) may not contain additional enforcements when \
                 \"none\" is specified"
            ));
        }
        at = at.saturating_add(option.len()).saturating_add(1);
    }
    Ok(pods)
}

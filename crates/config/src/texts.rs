use evictd_node::Signal;
use evictd_threshold::{Error, ErrorKind, List, Pair, Pairs};

use crate::values::{DURATION_FORM, plain, signals_hint};
use crate::{ConfigError, Typed};

pub(crate) const QUANTITY_FORM: &str =
    "an amount is a number, alone or with Ki Mi Gi Ti or k M G T: 100Mi, 1.5Gi";

/// The text of a list, repeated flags joined.
pub(crate) fn joined(typed: &Typed, list: List) -> String {
    typed.get(list.flag()).join(",")
}

/// The error as one of the flag, with what would be right.
pub(crate) fn explain(typed: &Typed, error: &Error) -> Box<ConfigError> {
    let words = error.to_string();
    let (message, hint) = if let ErrorKind::Quantity(_) = &error.kind {
        ("not an amount".to_owned(), hint(error))
    } else if let ErrorKind::MissingGrace(_) = error.kind {
        (words, missing_graces(typed))
    } else if let ErrorKind::Percentage(_) = error.kind {
        ("not a percentage".to_owned(), hint(error))
    } else {
        (plain(&words).to_owned(), hint(error))
    };
    let place = (&*error.offending(), error.position);
    let explained = ConfigError::new(error.list.flag(), place, message, hint);
    if let ErrorKind::Quantity(inner) = &error.kind {
        return explained.kubelet_says(inner.kind.to_string());
    }
    if let ErrorKind::Percentage(_) | ErrorKind::Duration(_) = error.kind {
        return explained.kubelet_says(error.to_string());
    }
    explained
}

/// Which graces to add, for all soft thresholds that lack one.
fn missing_graces(typed: &Typed) -> String {
    let pairs = |list| Pairs::parse(list, &joined(typed, list)).unwrap_or_default();
    let (soft, graces) = (pairs(List::Soft), pairs(List::SoftGracePeriod));
    let missing: Vec<String> = soft
        .iter()
        .filter(|pair| graces.get(&pair.key).is_none() && !is_off(pair))
        .map(|pair| format!("{}=1m30s", pair.key))
        .collect();
    let (missing, name) = (
        missing.join(","),
        typed.name_of(List::SoftGracePeriod.flag()),
    );
    format!("add {missing} (or other durations) to {name}")
}

/// Whether the pair switches its signal off (decision D27).
pub(crate) fn is_off(pair: &Pair) -> bool {
    pair.value == "0%" || pair.value == "100%"
}

fn hint(error: &Error) -> String {
    match error.kind {
        ErrorKind::MalformedPair => match error.list {
            List::Hard | List::Soft => {
                "write signal<amount, as in memory.available<100Mi or nodefs.available<10%; \
                 there is no other operator than <"
            }
            List::SoftGracePeriod => "write signal=duration, as in memory.available=1m30s",
            List::MinimumReclaim => "write signal=amount, as in nodefs.available=500Mi",
        }
        .to_owned(),
        ErrorKind::UnsupportedSignal => {
            let offending = error.offending();
            let name = offending.split(['<', '>', '=']).next();
            let name = name.unwrap_or_default();
            match Signal::from_name(name) {
                Some(signal) => format!("the kubelet has no {signal}: leave out --compat=kubelet"),
                None => signals_hint(name),
            }
        }
        ErrorKind::Quantity(_) => format!("{QUANTITY_FORM}; or a percentage: 10%"),
        ErrorKind::LessThan | ErrorKind::NotWholePercent => {
            "as in memory.stall>40%; 0% switches the signal off".to_owned()
        }
        ErrorKind::NothingToReclaim => "leave the signal out".to_owned(),
        ErrorKind::NotPositive => "write more than 0; to switch the signal off, 0%".to_owned(),
        ErrorKind::Duration(_) => DURATION_FORM.to_owned(),
        ErrorKind::NegativeGrace => "write 0s or more".to_owned(),
        ErrorKind::ReclaimPercentageNotPositive => {
            "write more than 0%, or leave the signal out".to_owned()
        }
        ErrorKind::NegativeReclaim => "write 0 or more".to_owned(),
        ErrorKind::TooLong(_) => format!("{QUANTITY_FORM}; or a percentage: 10%"),
        ErrorKind::Percentage(_)
        | ErrorKind::PercentageBelowZero
        | ErrorKind::PercentageAboveHundred
        | ErrorKind::MissingGrace(_)
        | _ => "a percentage is a number from 0 to 100 with % behind it: 10%; \
              0% switches the signal off"
            .to_owned(),
    }
}

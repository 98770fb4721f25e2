use evictd_node::Signal;
use evictd_threshold::{Error, ErrorKind, List, Pair, Pairs};

use crate::values::{DURATION_FORM, signals_hint};
use crate::{ConfigError, Typed};

pub(crate) const QUANTITY_FORM: &str =
    "an amount is a number, alone or with Ki Mi Gi Ti or k M G T: 100Mi, 1.5Gi";

/// The texts of the four lists, repeated flags joined.
pub(crate) struct Texts {
    pub(crate) hard: String,
    pub(crate) soft: String,
    pub(crate) grace: String,
    pub(crate) reclaim: String,
    /// What the list of graces is called where it would be written.
    grace_name: String,
}

impl Texts {
    pub(crate) fn of(typed: &Typed) -> Self {
        let joined = |list: List| typed.get(list.flag()).join(",");
        Self {
            hard: joined(List::Hard),
            soft: joined(List::Soft),
            grace: joined(List::SoftGracePeriod),
            reclaim: joined(List::MinimumReclaim),
            grace_name: typed.name_of(List::SoftGracePeriod.flag()),
        }
    }

    fn get(&self, list: List) -> &str {
        match list {
            List::Hard => &self.hard,
            List::Soft => &self.soft,
            List::SoftGracePeriod => &self.grace,
            List::MinimumReclaim => &self.reclaim,
        }
    }

    /// The error with the exact byte, and with what would be right.
    pub(crate) fn error(&self, error: &Error, graces: &Pairs) -> ConfigError {
        let list = error.list();
        let position = position(error, self.get(list));
        let (message, hint) = if let ErrorKind::Quantity(inner) = error.kind() {
            (inner.kind.to_string(), hint(error))
        } else if let ErrorKind::MissingGrace(_) = error.kind() {
            (error.to_string(), self.missing_graces(graces))
        } else {
            (error.to_string(), hint(error))
        };
        ConfigError::new(list.flag(), (&error.offending(), position), message, hint)
    }

    /// Which graces to add, for all soft thresholds that lack one.
    fn missing_graces(&self, graces: &Pairs) -> String {
        let soft = Pairs::parse(List::Soft, &self.soft).unwrap_or_default();
        let missing: Vec<String> = soft
            .iter()
            .filter(|pair| graces.get(&pair.key).is_none() && !is_off(pair))
            .map(|pair| format!("{}=1m30s", pair.key))
            .collect();
        let (missing, name) = (missing.join(","), &self.grace_name);
        format!("add {missing} (or other durations) to {name}")
    }
}

/// Whether the pair switches its signal off (decision D27).
fn is_off(pair: &Pair) -> bool {
    pair.value == "0%" || pair.value == "100%"
}

/// From the start of the pair to the exact byte, where the error knows it.
fn position(error: &Error, text: &str) -> usize {
    let start = error.position();
    let pair = text.get(start..).unwrap_or("");
    let pair = pair.split(',').next().unwrap_or("");
    let blanks = |text: &str| text.len().saturating_sub(text.trim_start().len());
    let Some((key, value)) = pair.split_once(error.list().separator()) else {
        return start;
    };
    let value_at = key.len().saturating_add(1).saturating_add(blanks(value));
    let inner = if let ErrorKind::Quantity(inner) = error.kind() {
        inner.position
    } else if let ErrorKind::Duration(inner) = error.kind() {
        inner.position
    } else {
        0
    };
    let of_key = matches!(
        error.kind(),
        ErrorKind::UnsupportedSignal | ErrorKind::MissingGrace(_)
    );
    let at = if of_key {
        blanks(pair)
    } else {
        value_at.saturating_add(inner)
    };
    start.saturating_add(at)
}

fn hint(error: &Error) -> String {
    match error.kind() {
        ErrorKind::MalformedPair => match error.list() {
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
            let name = offending.split(error.list().separator()).next();
            let name = name.unwrap_or_default();
            match Signal::from_name(name) {
                Some(signal) => format!("the kubelet has no {signal}: leave out --compat=kubelet"),
                None => signals_hint(name),
            }
        }
        ErrorKind::Quantity(_) => format!("{QUANTITY_FORM}; or a percentage: 10%"),
        ErrorKind::NotPositive => "write more than 0; to switch the signal off, 0%".to_owned(),
        ErrorKind::Duration(_) => DURATION_FORM.to_owned(),
        ErrorKind::NegativeGrace => "write 0s or more".to_owned(),
        ErrorKind::ReclaimPercentageNotPositive => {
            "write more than 0%, or leave the signal out".to_owned()
        }
        ErrorKind::NegativeReclaim => "write 0 or more".to_owned(),
        ErrorKind::Percentage
        | ErrorKind::PercentageOutOfRange
        | ErrorKind::PercentageBelowZero
        | ErrorKind::PercentageAboveHundred
        | ErrorKind::MissingGrace(_)
        | _ => "a percentage is a number from 0 to 100 with % behind it: 10%; \
              0% switches the signal off"
            .to_owned(),
    }
}

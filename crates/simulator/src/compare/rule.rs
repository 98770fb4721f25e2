//! What is compared, and how far it went.

use core::fmt;

/// What a rule is about, and in which unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum In {
    /// In parts of 10,000 of the whole.
    Share,
    Millis,
    Count,
}

/// One thing that is compared.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    unit: In,
    steps: u64,
    low: i64,
    high: i64,
    /// What worlds allow, in the step in which that is least.
    allowed: (i64, i64),
    pub(crate) outside: u64,
}

/// All that is compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    all: Vec<Rule>,
}

impl Rules {
    /// What went further than worlds allow.
    pub(super) fn outside(&self) -> impl Iterator<Item = &Rule> {
        self.all.iter().filter(|rule| rule.outside > 0)
    }

    #[cfg(test)]
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// It was so much in a step in which worlds allow that.
    pub(crate) fn note(
        &mut self,
        (name, unit): (&'static str, In),
        value: i64,
        allowed: (i64, i64),
    ) {
        let (least, most) = allowed;
        let is_outside = u64::from(value < least || value > most);
        let Some(rule) = self.all.iter_mut().find(|rule| rule.name == name) else {
            self.all.push(Rule {
                name,
                unit,
                steps: 1,
                low: value,
                high: value,
                allowed,
                outside: is_outside,
            });
            return;
        };
        rule.steps += 1;
        (rule.low, rule.high) = (rule.low.min(value), rule.high.max(value));
        let (former_least, former_most) = rule.allowed;
        rule.allowed = (former_least.max(least), former_most.min(most));
        rule.outside += is_outside;
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.all {
            let unit = match rule.unit {
                In::Share => "/10000",
                In::Millis => " ms",
                In::Count => "",
            };
            let (least, most) = rule.allowed;
            writeln!(
                f,
                "{:<48} {:>6} times, {:>6} to {:>6}{unit}, worlds {least} to {most}, outside {}",
                rule.name, rule.steps, rule.low, rule.high, rule.outside
            )?;
        }
        Ok(())
    }
}

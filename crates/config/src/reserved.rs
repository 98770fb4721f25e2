use core::fmt;

use evictd_quantity::Quantity;

/// Amounts by resource: what is kept back from pods, or left to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved([Option<Quantity>; Self::NAMES.len()]);

impl Reserved {
    /// The names of the resources, as flags write them: cores, bytes, bytes and process ids.
    pub const NAMES: [&'static str; 4] = ["cpu", "memory", "ephemeral-storage", "pid"];

    /// The amount of the resource with that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Quantity> {
        let place = Self::NAMES.iter().position(|of| *of == name)?;
        self.0.get(place)?.as_ref()
    }

    /// Puts the amount of a resource; one of another name is left out.
    pub fn put(&mut self, name: &str, amount: Quantity) {
        let mut all = Self::NAMES.iter().zip(&mut self.0);
        if let Some((_, of)) = all.find(|(of, _)| **of == name) {
            *of = Some(amount);
        }
    }
}

impl fmt::Display for Reserved {
    /// As the flag writes it: `cpu=100m,memory=1Gi`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = Self::NAMES.into_iter();
        let given = given.filter_map(|name| Some(format!("{name}={}", self.get(name)?)));
        f.write_str(&given.collect::<Vec<_>>().join(","))
    }
}

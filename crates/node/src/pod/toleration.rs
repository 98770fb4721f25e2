use alloc::string::String;

/// A taint that a pod puts up with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toleration {
    /// The taint's key; empty for every key.
    pub key: String,
    /// `Exists`, `Equal`, `Gt`, `Lt`, or empty for `Equal`.
    pub operator: String,
    /// The taint's value, for `Equal`.
    pub value: String,
    /// The taint's effect; empty for every effect.
    pub effect: String,
}

impl Toleration {
    /// Whether it tolerates the taint `key=value:effect` (K:
    /// `Toleration.ToleratesTaint`).
    ///
    /// `Gt` and `Lt` compare numbers, once their gate is on in Kubernetes; until then they
    /// tolerate nothing, as any other operator that is not known.
    #[must_use]
    pub fn tolerates(&self, key: &str, value: &str, effect: &str) -> bool {
        let names = |ours: &str, theirs: &str| ours.is_empty() || ours == theirs;
        names(&self.effect, effect)
            && names(&self.key, key)
            && match self.operator.as_str() {
                "" | "Equal" => self.value == value,
                "Exists" => true,
                _ => false,
            }
    }
}

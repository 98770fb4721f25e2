/// Which family of suffixes a quantity is printed with.
///
/// Parsing takes it from the suffix; a calculation keeps the left operand's,
/// unless that is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Powers of 1000: `n u m k M G T P E`, or none.
    #[default]
    DecimalSi,
    /// Powers of 1024: `Ki Mi Gi Ti Pi Ei`.
    BinarySi,
    /// A power of ten written out: `e3`, `E-6`.
    DecimalExponent,
}

impl Format {
    /// The name that Kubernetes gives it: `DecimalSI`, `BinarySI`, `DecimalExponent`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DecimalSi => "DecimalSI",
            Self::BinarySi => "BinarySI",
            Self::DecimalExponent => "DecimalExponent",
        }
    }
}

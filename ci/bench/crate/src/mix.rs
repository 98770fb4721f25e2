//! Quantities to read, for this bench and for `ci/bench/quantity`.

/// What manifests and flags hold: round binary sizes, fractions, plain numbers,
/// exponents, thousandths.
pub(crate) const MIX: &[&str] = &[
    "100Mi",
    "1.5Gi",
    "10",
    "1e3",
    "128974848",
    "500m",
    "2Ti",
    "0.1",
    "129M",
    "123456789Ki",
];

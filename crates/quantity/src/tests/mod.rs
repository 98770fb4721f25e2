mod duration;
mod ops;
mod quantity;
#[cfg(feature = "serde")]
mod serde;

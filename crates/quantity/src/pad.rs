use core::fmt;

/// Prints `item` with the width and fill that `f` asks for.
pub(crate) fn pad(f: &mut fmt::Formatter<'_>, item: &dyn fmt::Display) -> fmt::Result {
    if f.width().is_none() && f.precision().is_none() {
        return write!(f, "{item}");
    }
    f.pad(&alloc::format!("{item}"))
}

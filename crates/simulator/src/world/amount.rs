//! Amounts.

pub(crate) const MIB: u64 = 1 << 20;

/// Takes as much from one as is over.
pub(super) fn take(from: &mut u64, over: &mut u64) {
    let taken = (*from).min(*over);
    *from -= taken;
    *over -= taken;
}

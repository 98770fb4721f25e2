use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

/// Leaves the calling thread, and the threads that it makes afterwards, at most these
/// capabilities, in every set; it can never gain one again (`no_new_privs`).
///
/// To be called while there is one thread: each has sets of its own.
///
/// # Errors
///
/// Those of `capset(2)` and `prctl(2)`; giving something up is never refused.
pub fn keep_capabilities(kept: CapabilitySet) -> Result<(), Errno> {
    set_no_new_privs(true)?;
    // First, since it needs CAP_SETPCAP. Without that the bounding set stays as it is,
    // which does no harm: it counts where a program is executed alone, and no_new_privs
    // forbids that one to gain anything.
    for number in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if !kept.contains(one) && remove_capability_from_bounding_set(one).is_err() {
            break; // not allowed, or the kernel knows no more of them
        }
    }
    let had = capabilities(None)?.permitted;
    let sets = CapabilitySets {
        effective: had & kept,
        permitted: had & kept,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets)?;
    clear_ambient_capability_set()
}

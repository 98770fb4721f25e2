use super::*;

mod effective;
mod errors;
mod examples;
mod settings;
mod warnings;

/// A change of one flag's texts.
type Set = fn(&mut Typed) -> &mut Vec<String>;

/// The flags with those texts, in order.
fn typed(given: &[(Set, &str)]) -> Typed {
    let mut typed = Typed::default();
    for (field, text) in given {
        field(&mut typed).push((*text).to_owned());
    }
    typed
}

fn resolved(given: &[(Set, &str)]) -> Resolved {
    resolve(&typed(given)).unwrap()
}

fn hard(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.eviction_hard
}

fn soft(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.eviction_soft
}

fn grace(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.eviction_soft_grace_period
}

fn reclaim(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.eviction_minimum_reclaim
}

fn merge(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.merge_default_eviction_settings
}

fn low_disk(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.low_diskspace_threshold_mb
}

fn transition(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.eviction_pressure_transition_period
}

fn old_transition(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.outofdisk_transition_frequency
}

fn enforce(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.enforce_node_allocatable
}

fn compat(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.compat
}

fn memcg(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.kernel_memcg_notification
}

fn old_memcg(typed: &mut Typed) -> &mut Vec<String> {
    &mut typed.experimental_kernel_memcg_notification
}

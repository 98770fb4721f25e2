use super::*;

#[test]
fn the_same_seed_is_the_same_story() {
    for seed in 0..20 {
        let plan = Plan::of(seed);
        assert_eq!(run(&plan, true).to_string(), run(&plan, true).to_string());
    }
}

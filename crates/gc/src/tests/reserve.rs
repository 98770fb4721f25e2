use proptest::prelude::*;

use crate::reserve_fits;

#[test]
fn a_reserve_leaves_room_above_what_is_needed() {
    for (bytes, available, needed, fits) in [
        (100, 0, 0, false),
        (100, 199, 0, false),
        (100, 200, 0, true),
        (100, 309, 200, false),
        (100, 310, 200, true),
        (100, u64::MAX, u64::MAX, false),
        (u64::MAX, u64::MAX, 0, false),
        (0, 0, 0, true),
    ] {
        let told = reserve_fits(bytes, available, needed);
        assert_eq!(told, fits, "{bytes} of {available}, {needed} needed");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Others write and delete; a reserve that was taken is given back only because of them.
    #[test]
    fn what_was_taken_is_not_given_back_at_once(
        reserve in 1_u64..300,
        needed in 0_u64..500,
        writes in proptest::collection::vec(-300_i64..300, 1..50),
    ) {
        let (mut available, mut is_taken) = (1000_u64, false);
        for write in writes {
            available = available.saturating_add_signed(write);
            if available < needed && is_taken {
                (available, is_taken) = (available + reserve, false);
            }
            if available >= needed && !is_taken && reserve_fits(reserve, available, needed) {
                (available, is_taken) = (available - reserve, true);
                prop_assert!(available >= needed);
            }
        }
    }
}

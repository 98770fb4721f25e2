use super::{Links, MOST_SLOTS, Met};

#[test]
fn an_inode_is_met_once_for_each_device() {
    let mut links = Links::default();
    for (number, device, expected) in [
        (12, 1, Met::First),
        (12, 1, Met::Again),
        (12, 2, Met::First),
        (13, 1, Met::First),
        (u64::MAX, 1, Met::First),
        (u64::MAX, 1, Met::Again),
        (12, 2, Met::Again),
        // No filesystem has it; an empty slot does.
        (0, 1, Met::Unknown),
    ] {
        assert_eq!(links.meet(number, device), expected, "{number} {device}");
    }
}

#[test]
fn the_table_is_bounded_and_never_forgets() {
    let mut links = Links::default();
    let inodes = 1..=100_000_u64;
    let first: Vec<Met> = inodes.clone().map(|inode| links.meet(inode, 7)).collect();
    assert_eq!(links.slots.len(), MOST_SLOTS);
    let remembered = first.iter().filter(|met| **met == Met::First).count();
    assert!(remembered >= MOST_SLOTS / 2, "{remembered}");
    assert!(remembered <= MOST_SLOTS, "{remembered}");
    for (inode, met) in inodes.zip(first) {
        let expected = match met {
            Met::First => Met::Again,
            met @ (Met::Again | Met::Unknown) => met,
        };
        assert_eq!(links.meet(inode, 7), expected, "{inode}");
    }
}

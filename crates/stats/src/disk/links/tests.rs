use super::{Links, MOST, Met};

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
    ] {
        assert_eq!(links.meet(number, device), expected, "{number} {device}");
    }
}

#[test]
fn the_set_is_bounded_and_never_forgets() {
    let mut links = Links::default();
    let inodes = 1..=100_000_u64;
    let first: Vec<Met> = inodes.clone().map(|inode| links.meet(inode, 7)).collect();
    let remembered = first.iter().filter(|met| **met == Met::First).count();
    assert_eq!(remembered, MOST);
    for (inode, met) in inodes.zip(first) {
        let expected = match met {
            Met::First => Met::Again,
            met @ (Met::Again | Met::Unknown) => met,
        };
        assert_eq!(links.meet(inode, 7), expected, "{inode}");
    }
}

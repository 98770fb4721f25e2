//! Which filesystems can keep room for later.

/// Those of which it is known that blocks which a file has are there when it is deleted, by
/// their type in `statfs`: ext2, ext3 and ext4, and XFS.
const CAN: [u32; 2] = [0xef53, 0x5846_5342];

const COPIES: &str = "copies what is written, and needs room to delete";
const IN_MEMORY: &str = "lies in memory";
const OVER: &str = "lies over another one: name a directory of that";
const ELSEWHERE: &str = "is another machine's or a program's";

/// Those that are common and cannot.
const CANNOT: [(u32, &str, &str); 13] = [
    (0x9123_683e, "btrfs", COPIES),
    (0x2fc1_2fc1, "ZFS", COPIES),
    (0xca45_1a4e, "bcachefs", COPIES),
    (0xf2f5_2010, "f2fs", COPIES),
    (0x3434, "nilfs", COPIES),
    (0x2405_1905, "UBIFS", COPIES),
    (0x0102_1994, "tmpfs", IN_MEMORY),
    (0x8584_58f6, "ramfs", IN_MEMORY),
    (0x794c_7630, "overlay", OVER),
    (0x6969, "NFS", ELSEWHERE),
    (0xff53_4d42, "CIFS", ELSEWHERE),
    (0x0102_1997, "9p", ELSEWHERE),
    (0x6573_5546, "FUSE", ELSEWHERE),
];

/// Why a filesystem of that type cannot; `None` where it can.
pub(super) fn cannot_keep_room(kind: u32) -> Option<String> {
    if CAN.contains(&kind) {
        return None;
    }
    let known = CANNOT.iter().find(|(of, ..)| *of == kind);
    Some(match known {
        Some((_, name, why)) => format!("{name} {why}"),
        None => format!("nothing is known of its filesystem (type {kind:#x}): ext4 and XFS can"),
    })
}

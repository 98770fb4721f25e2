use super::*;

/// Flags, and the lines about them.
type Case = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

const ODDITIES: &[Case] = &[
    (
        &[(HARD, "memory.available<1Gi")],
        &[
            "--eviction-hard replaces all defaults; no longer watched: nodefs.available<10%, \
               nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%, memory.stall>40% \
               (list them too, or add --merge-default-eviction-settings)",
        ],
    ),
    (&[(HARD, "memory.available<1Gi"), (MERGE, "true")], &[]),
    (
        &[(HARD, "")],
        &["no eviction threshold is set: nothing is ever evicted for one"],
    ),
    (
        &[
            (HARD, "nodefs.inodesFree<100Mi,pid.available<1k"),
            (MERGE, "true"),
        ],
        &[
            "--eviction-hard: nodefs.inodesFree counts inodes, and 100Mi is 104857600 of them; \
               write a plain number or a percentage",
        ],
    ),
    (
        &[(RECLAIM, "nodefs.inodesFree=1Ki")],
        &[
            "--eviction-minimum-reclaim: nodefs.inodesFree counts inodes, and 1Ki is 1024 of \
               them; write a plain number or a percentage",
        ],
    ),
    (
        &[
            (SOFT, "memory.available<100Mi"),
            (GRACE, "memory.available=1m"),
        ],
        &[
            "soft threshold memory.available<100Mi is not above the hard threshold \
               memory.available<100Mi, so it never acts before it; a soft amount should be the \
               larger one",
        ],
    ),
    (
        &[
            (SOFT, "nodefs.available<9%"),
            (GRACE, "nodefs.available=1m"),
        ],
        &[
            "soft threshold nodefs.available<9% is not above the hard threshold \
               nodefs.available<10%, so it never acts before it; a soft amount should be the \
               larger one",
        ],
    ),
    (
        &[
            (SOFT, "memory.available<1Gi"),
            (GRACE, "memory.available=1m"),
        ],
        &[],
    ),
    (
        &[
            (SOFT, "memory.available<1Gi"),
            (GRACE, "memory.available=0s"),
        ],
        &["soft threshold memory.available<1Gi has grace period 0s and acts as a hard one"],
    ),
    (
        &[(HARD, "containerfs.available<10%"), (MERGE, "true")],
        &[
            "threshold containerfs.available<10% is ignored: containerfs follows nodefs or \
               imagefs",
        ],
    ),
    (
        &[(HARD, "pid.available<NaN%"), (MERGE, "true")],
        &["the threshold of pid.available is not a number (NaN) and never met"],
    ),
];

/// One line each, never an error: decisions D5, D8, D23, D24, D60.
#[test]
fn oddities_are_told_once() {
    for (given, expected) in ODDITIES {
        let warnings = resolved(given).warnings;
        let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(shown, *expected);
    }
}

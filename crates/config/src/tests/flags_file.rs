use super::*;

const FILE: &str = "/etc/evictd.conf";

fn read(given: &[(&str, &str)], file: &str) -> Result<Typed, String> {
    let mut typed = typed(given);
    let added = typed.add_flags_file(FILE, file.as_bytes());
    added.map_err(|error| error.to_string())?;
    Ok(typed)
}

fn settings(given: &[(&str, &str)], file: &str) -> Result<Resolved, String> {
    resolve(&read(given, file)?).map_err(|error| error.to_string())
}

#[test]
fn the_rest_of_the_line_is_the_value() {
    for (line, flag, texts) in [
        (
            "--eviction-hard=memory.available<10%",
            HARD,
            &["memory.available<10%"][..],
        ),
        (
            "--eviction_hard memory.available<1Gi",
            HARD,
            &["memory.available<1Gi"],
        ),
        ("\t--eviction-hard=  a<1, b<2 \r", HARD, &["a<1, b<2"]),
        ("--never-evict=a b # c", "never-evict", &["a b # c"]),
        ("--nodefs-path=$HOME/\\x;'", "nodefs-path", &["$HOME/\\x;'"]),
        ("--eviction-hard=", HARD, &[""]),
        ("--dry-run", "dry-run", &["true"]),
        ("--dry-run=false", "dry-run", &["false"]),
        ("--dry-run false", "dry-run", &["false"]),
        ("# --dry-run\n\n  \n--v=4", "v", &["4"]),
        (
            "--pod-cgroup-root=/a\n--pod-cgroup-root=/b",
            "pod-cgroup-root",
            &["/a", "/b"],
        ),
        ("--log-format=json", "logging-format", &["json"]),
    ] {
        assert_eq!(read(&[], line).unwrap().get(flag), texts, "{line}");
    }
    let of_the_kubelet = read(&[], "--max-pods=110\n--register-node").unwrap();
    let warnings = resolve(&of_the_kubelet).unwrap().warnings;
    assert!(warnings[0].to_string().ends_with("max-pods, register-node"));
}

#[test]
fn the_command_line_beats_the_file_and_the_file_the_configuration() {
    let file = "--eviction-hard=memory.available<1Gi\n--dry-run\n--v=3";
    let given = [(HARD, "memory.available<2Gi"), ("dry-run", "false")];
    let resolved = settings(&given, file).unwrap();
    assert_eq!(
        resolved.evict.thresholds[0].to_string(),
        "memory.available<2Gi"
    );
    assert!(!resolved.dry_run);
    assert_eq!(resolved.output.verbosity, 3);
    // An old flag there does not beat a new one of the command line, nor the other way round.
    let resolved = settings(
        &[(OLD_TRANSITION, "7s")],
        "--eviction-pressure-transition-period=9s",
    );
    assert_eq!(resolved.unwrap().evict.transition_period.as_secs(), 7);

    let json = br#"{"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "evictionHard": {"memory.available": "3Gi"}}"#;
    let mut before = read(&[], file).unwrap();
    before.add_file("node.json", json).unwrap();
    assert_eq!(before.get(HARD), ["memory.available<1Gi"]);
    let mut behind = Typed::default();
    behind.add_file("node.json", json).unwrap();
    behind.add_flags_file(FILE, file.as_bytes()).unwrap();
    assert_eq!(behind, before);
    let from = resolve(&before).unwrap().threshold_origins[0];
    assert_eq!(from, Origin::FlagsFile(HARD));
}

const ERRORS: &[(&str, &str)] = &[
    (
        "--dry-run\n--evicton-hard=x",
        "line 2: unknown flag: --evicton-hard; did you mean --eviction-hard? here are the daemon's \
         flags; evictd --help lists them",
    ),
    (
        "eviction-hard=x",
        "line 1: no flag, in \"eviction-hard=x\"; a line is --flag=value; a comment begins with #",
    ),
    (
        "\n--flags-file=/etc/other",
        "line 2: --flags-file inside of one, in \"--flags-file=/etc/other\"; one file holds all flags",
    ),
    (
        "--eviction-hard",
        "line 1: flag needs an argument: --eviction-hard; as in \
         --eviction-hard=memory.available<500Mi,nodefs.available<10%",
    ),
    (
        "--eviction-hard='memory.available<10%'",
        "line 1: a value in quotes, in \"'memory.available<10%'\"; no shell reads this file: the \
         rest of the line is the value as it stands",
    ),
    (
        "# \n--eviction-hard=memory.available<1Gi\n--eviction-hard=memroy.available<1Gi\n",
        "line 3: --eviction-hard: unsupported eviction signal memroy.available, in \
         \"memroy.available<1Gi\"; did you mean memory.available? signals are memory.available, \
         nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, \
         pid.available, swap.available, memory.stall",
    ),
    (
        "--v=1\n--v=x\n",
        "line 2: --v: \"x\" is not a whole number, in \"x\"; a whole number from 0 to 2147483647, \
         without a unit",
    ),
];

#[test]
fn errors_name_the_file_and_the_line() {
    for (file, expected) in ERRORS {
        let error = settings(&[], file).unwrap_err();
        assert_eq!(error, format!("{FILE}: {expected}"), "{file}");
    }
    let mut typed = Typed::default();
    let error = typed
        .add_flags_file(FILE, b"--dry-run\n--v=\xff")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{FILE}: line 2: not UTF-8; a line is text")
    );
    let error = typed
        .add_flags_file(FILE, &[b' '; MAX_FILE_BYTES + 1])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{FILE}: more than 262144 bytes; name a file of flags, one a line")
    );
}

use evictd_config::{Typed, resolve};
use evictd_node::{QosClass, Signal};

use super::*;

fn argv(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn run(line: &str) -> (Command, Typed) {
    match parse(&argv(line)).unwrap() {
        Request::Run(command, typed) => (command, *typed),
        Request::Print(text) => panic!("{text}"),
    }
}

/// Each line, the command, and what stands in some fields.
#[test]
fn flags_are_taken_in_all_the_kubelets_forms() {
    let hard = |line: &str| run(line).1.get("eviction-hard").to_vec();
    for line in [
        "--eviction-hard=memory.available<1Gi",
        "--eviction-hard memory.available<1Gi",
        "--eviction_hard=memory.available<1Gi",
        "status --eviction-hard memory.available<1Gi",
        "--eviction-hard memory.available<1Gi status",
        "--eviction-hard=memory.available<1Gi --",
        "--dry-run --eviction-hard=memory.available<1Gi",
    ] {
        assert_eq!(hard(line), ["memory.available<1Gi"], "{line}");
    }
    assert_eq!(hard("--eviction-hard="), [""]);
    assert_eq!(hard("--eviction-hard=a --eviction-hard b=c"), ["a", "b=c"]);
    assert_eq!(hard("--eviction-hard --help"), ["--help"]);
    assert_eq!(hard("--eviction-hard --"), ["--"]);
}

#[test]
fn booleans_and_levels_have_forms_of_their_own() {
    for (line, expected) in [
        ("--dry-run", &["true"][..]),
        ("--dry-run=false", &["false"]),
        ("--dry_run=T --dry-run", &["T", "true"]),
        ("--dry-run --v=4", &["true"]),
        ("", &[]),
    ] {
        assert_eq!(run(line).1.get("dry-run"), expected, "{line}");
    }
    for line in ["-v4", "-v=4", "-v 4", "--v=4", "--v 4", "-v 4 status"] {
        assert_eq!(run(line).1.get("v"), ["4"], "{line}");
    }
    assert_eq!(
        run("--guaranteed-oom-score-adj -998")
            .1
            .get("guaranteed-oom-score-adj"),
        ["-998"]
    );
}

const fn status(json: bool) -> Command {
    let timing = false;
    Command::Status { timing, json }
}

#[test]
fn commands_take_their_own_flags_anywhere() {
    let signal = Signal::NodefsInodesFree;
    for (line, expected) in [
        ("", Command::Daemon),
        ("--", Command::Daemon),
        ("status", status(false)),
        ("status --json", status(true)),
        ("--json status", status(true)),
        ("status --json --json=0", status(false)),
        ("-- status", status(false)),
        (
            "status --timing",
            Command::Status {
                timing: true,
                json: false,
            },
        ),
        (
            "rank",
            Command::Rank {
                signal: Signal::MemoryAvailable,
                json: false,
            },
        ),
        (
            "rank --signal nodefs.inodesFree --json",
            Command::Rank { signal, json: true },
        ),
        (
            "admit --pod a --pod=b.yaml",
            Command::Admit {
                whom: Whom::Manifest("b.yaml".into()),
                json: false,
            },
        ),
        (
            "admit --qos=Guaranteed --priority -5 --json",
            Command::Admit {
                whom: Whom::Pod {
                    qos: QosClass::Guaranteed,
                    priority: -5,
                },
                json: true,
            },
        ),
        (
            "admit --priority 0x10",
            Command::Admit {
                whom: Whom::Pod {
                    qos: QosClass::BestEffort,
                    priority: 16,
                },
                json: false,
            },
        ),
        ("history", Command::History { json: false }),
        ("config --json=true", Command::Config { json: true }),
        ("selftest", Command::Selftest { json: false }),
    ] {
        assert_eq!(run(line).0, expected, "{line}");
    }
}

#[test]
fn a_command_may_have_two_words() {
    for (line, json) in [
        ("gc containers", false),
        ("gc --json --dry-run containers", true),
        ("--json gc -- containers", true),
    ] {
        assert_eq!(run(line).0, Command::GcContainers { json }, "{line}");
    }
    let both = Command::OomScore {
        apply: true,
        json: true,
    };
    assert_eq!(run("--apply oom-score --json").0, both);
}

/// Every flag reaches the settings under its name, through argh and all.
#[test]
fn every_flag_of_the_table_arrives() {
    for flag in evictd_config::Flag::all() {
        let (_, typed) = run(&format!("--{}={}", flag.name, flag.example));
        let mut expected = Typed::default();
        assert!(expected.add(flag.name, flag.example));
        assert_eq!(typed, expected, "{}", flag.name);
        assert_eq!(typed.get(flag.name), [flag.example]);
    }
}

const WRONG: &[(&str, &str)] = &[
    (
        "--evicton-hard=x",
        "unknown flag: --evicton-hard; did you mean --eviction-hard? evictd --help lists all \
             flags",
    ),
    (
        "--frobnicate",
        "unknown flag: --frobnicate; evictd --help lists all flags",
    ),
    (
        "-x",
        "unknown shorthand flag: 'x' in -x; the short flags are -h and -v",
    ),
    (
        "-dry-run",
        "unknown shorthand flag: 'd' in -dry-run; did you mean --dry-run? the short flags are \
             -h and -v",
    ),
    (
        "--housekeeping-interval",
        "flag needs an argument: --housekeeping-interval; as in --housekeeping-interval=1s",
    ),
    ("-v", "flag needs an argument: --v; as in --v=2"),
    (
        "statsu",
        "unknown command: statsu; did you mean status? commands are status, rank, admit, history, config, \
             oom-score, gc containers, gc images, selftest, help",
    ),
    (
        "--dry-run false",
        "unknown command: false; a boolean flag takes its value with =: --flag=false; \
             commands are status, rank, admit, history, config, oom-score, gc containers, gc images, \
             selftest, help",
    ),
    (
        "status rank",
        "unexpected argument: rank; evictd takes one command, and flags",
    ),
    (
        "gc",
        "unknown command: gc; commands are status, rank, admit, history, config, oom-score, gc containers, gc images, \
             selftest, help",
    ),
    (
        "gc volumes",
        "unknown command: gc volumes; commands are status, rank, admit, history, config, oom-score, gc \
             containers, gc images, selftest, help",
    ),
    (
        "status --apply",
        "unknown flag: --apply is no flag of evictd status; evictd status --help lists them",
    ),
    (
        "--json",
        "--json goes with a command: status, rank, admit, history, config, oom-score, gc containers, gc images, \
         selftest",
    ),
    (
        "status --signal=memory.available",
        "unknown flag: --signal is no flag of evictd status; evictd status --help lists them",
    ),
    (
        "rank --signal memory.avaliable",
        "--signal: unsupported eviction signal memory.avaliable, in \"memory.avaliable\" at \
             byte 0; did you mean memory.available? signals are memory.available, \
             nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, \
             pid.available, swap.available",
    ),
    (
        "admit",
        "evictd admit needs a pod: --pod=FILE, or --qos=CLASS and --priority=PRIORITY",
    ),
    (
        "admit --pod=a --qos=Burstable",
        "--qos and --priority do not go with --pod: the manifest says both",
    ),
    (
        "admit --pod",
        "flag needs an argument: --pod; as in --pod=pod.yaml",
    ),
    (
        "admit --qos=bestEffort",
        "--qos: unknown value \"bestEffort\", in \"bestEffort\" at byte 0; did you mean \
             BestEffort? values are BestEffort, Burstable, Guaranteed",
    ),
    (
        "admit --priority=1G",
        "--priority: strconv.ParseInt: parsing \"1G\": invalid syntax, in \"1G\" at byte 0; a \
             whole number from -2147483648 to 2147483647, without a unit",
    ),
    (
        "status --json=maybe",
        "--json: strconv.ParseBool: parsing \"maybe\": invalid syntax, in \"maybe\" at byte \
             0; write --json, --json=true or --json=false",
    ),
];

#[test]
fn wrong_lines_are_told_in_one_line() {
    for (line, expected) in WRONG {
        let error = parse(&argv(line)).unwrap_err();
        assert_eq!(error.to_string(), *expected, "{line}");
    }
}

#[test]
fn help_fits_the_terminal_and_names_everything() {
    let help = |line: &str| match parse(&argv(line)).unwrap() {
        Request::Print(text) => text,
        Request::Run(..) => panic!("{line} runs"),
    };
    let all = help("--help");
    for flag in evictd_config::Flag::all() {
        assert!(all.contains(&format!("  --{}", flag.name)), "{}", flag.name);
    }
    for line in ["-h", "help", "--nodefs-path=/x --help", "-h --json"] {
        assert_eq!(help(line), all, "{line}");
    }
    for command in command::COMMANDS {
        let name = command.name;
        assert!(all.contains(&format!("\n  {name:<15}")), "{name}");
        let text = help(&format!("{name} --help"));
        assert_eq!(help(&format!("help {name}")), text);
        assert!(text.starts_with(&format!("evictd {name} - ")));
        for example in command.examples {
            let words = example.replace('\'', "").replacen("evictd ", "", 1);
            let (_, typed) = run(&words);
            assert!(resolve(&typed).is_ok(), "{example}");
        }
        assert!(text.lines().all(|line| line.chars().count() < 80));
    }
    assert!(all.lines().all(|line| line.chars().count() < 80));
    assert!(help("--version").starts_with("evictd "));
    assert_eq!(help("version"), help("--version"));
}

#[test]
fn what_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let argument = OsString::from_vec(b"--nodefs-path=/\xff".to_vec());
    let error = parse(&[OsString::from("status"), argument]).unwrap_err();
    assert_eq!(error.to_string(), "argument 2 is not UTF-8");
}

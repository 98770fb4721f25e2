use evictd_config::{Typed, resolve};

use super::*;

fn argv(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn run(line: &str) -> (Option<Command>, Typed) {
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
    let grace = "eviction-max-pod-grace-period";
    assert_eq!(run(&format!("--{grace} -1")).1.get(grace), ["-1"]);
}

/// Each line, and what argh makes of it.
const COMMANDS: &[(&str, &str)] = &[
    ("", "None"),
    ("--", "None"),
    (
        "status",
        "Some(Status(Status { timing: false, watch: false, json: false }))",
    ),
    (
        "-- status",
        "Some(Status(Status { timing: false, watch: false, json: false }))",
    ),
    (
        "status --json",
        "Some(Status(Status { timing: false, watch: false, json: true }))",
    ),
    (
        "--json status",
        "Some(Status(Status { timing: false, watch: false, json: true }))",
    ),
    (
        "status --json --json=0",
        "Some(Status(Status { timing: false, watch: false, json: false }))",
    ),
    (
        "status --timing=T",
        "Some(Status(Status { timing: true, watch: false, json: false }))",
    ),
    (
        "explain",
        "Some(Explain(Explain { signal: None, over: None, json: false }))",
    ),
    (
        "explain --json nodefs.inodesFree --over 1s",
        "Some(Explain(Explain { signal: Some(NodefsInodesFree), over: Some(1s), json: true }))",
    ),
    (
        "admit --pod a --pod=b.yaml",
        "Some(Admit(Admit { pod: Some(\"b.yaml\"), qos: None, priority: None, json: false }))",
    ),
    (
        "admit --qos=Guaranteed --priority -5 --json",
        "Some(Admit(Admit { pod: None, qos: Some(Guaranteed), priority: Some(-5), json: true }))",
    ),
    (
        "admit --priority 0x10",
        "Some(Admit(Admit { pod: None, qos: None, priority: Some(16), json: false }))",
    ),
    (
        "history",
        "Some(History(History { pod: None, since: None, events: false, follow: false, json: false }))",
    ),
    ("config --json=true", "Some(Config(Config { json: true }))"),
    (
        "--apply oom-score",
        "Some(OomScore(OomScore { apply: true, json: false }))",
    ),
    ("selftest", "Some(Selftest(Selftest { json: false }))"),
    ("man", "Some(Man(Man))"),
    (
        "completions fish",
        "Some(Completions(Completions { shell: Fish }))",
    ),
    (
        "gc --json --dry-run containers",
        "Some(Gc(Gc { what: Containers(Containers { json: true }) }))",
    ),
    (
        "--all_unused gc -- images",
        "Some(Gc(Gc { what: Images(Images { all_unused: true, json: false }) }))",
    ),
];

#[test]
fn commands_take_their_own_flags_anywhere() {
    for (line, expected) in COMMANDS {
        assert_eq!(format!("{:?}", run(line).0), *expected, "{line}");
    }
}

/// Every flag reaches the settings under its name, through argh and all.
#[test]
fn every_flag_of_the_table_arrives() {
    for flag in evictd_config::Flag::known() {
        let (_, typed) = run(&format!("--{}={}", flag.name, flag.example));
        let mut expected = Typed::default();
        assert!(expected.add(flag.name, flag.example));
        assert_eq!(typed, expected, "{}", flag.name);
        assert_eq!(typed.get(flag.name), [flag.example]);
    }
}

const WRONG: &str = "\
--evicton-hard=x
--frobnicate
-x
-dry-run
--housekeeping-interval
-v
statsu
--dry-run false
status look
status --json look
gc
gc volumes
gc images all
completions
completions tcsh
completions bash zsh
man all
-- --json
status --apply
--json
status --condition=MemoryPressure
explain memory.avaliable
explain photos
explain memory.available web
status photos
admit --pod
admit --qos=bestEffort
admit --priority=1G
status --json=maybe";

#[test]
fn wrong_lines_are_explained_in_one_line() {
    let mut shown = String::new();
    for line in WRONG.lines() {
        let error = parse(&argv(line)).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{line}");
        shown.push_str(&format!("$ evictd {line}\n{error}\n\n"));
    }
    insta::assert_snapshot!(shown);
}

/// Acceptance row 451. Whatever stands before or behind it; and what the answer names is taken.
#[test]
fn removed_command_answers_with_its_replacement() {
    let mut shown = String::new();
    for (name, lines) in removed::COMMANDS {
        let error = parse(&argv(name)).unwrap_err();
        for line in [
            format!("{name} --json"),
            format!("{name} --of-its-own=x"),
            format!("-v2 {name} word"),
            format!("help {name}"),
            format!("{name} --help"),
        ] {
            assert_eq!(parse(&argv(&line)).unwrap_err(), error, "{line}");
        }
        for line in lines {
            assert!(error.contains(&format!("evictd {line}")), "{error}");
            run(line);
        }
        let known = command::Known::all();
        assert!(known.iter().all(|known| known.name != name), "{name}");
        // A pod may have that name.
        run(&format!("history {name}"));
        shown.push_str(&format!("$ evictd {name}\n{error}\n\n"));
    }
    insta::assert_snapshot!(shown);
}

fn help(line: &str) -> String {
    match parse(&argv(line)).unwrap() {
        Request::Print(text) => text,
        Request::Run(..) => panic!("{line} runs"),
    }
}

#[test]
fn help_fits_the_terminal_and_names_every_flag() {
    let all = help("--help");
    for flag in evictd_config::Flag::all() {
        assert!(all.contains(&format!("  --{}", flag.name)), "{}", flag.name);
    }
    for line in [
        "help",
        "--nodefs-path=/x --help",
        "-h help",
        "-h --help",
        "--help --version",
    ] {
        assert_eq!(help(line), all, "{line}");
    }
    assert!(all.lines().all(|line| line.chars().count() <= 80));
    let flags: Vec<&str> = evictd_config::Flag::all().map(|flag| flag.name).collect();
    assert!(flags.len() <= 48, "{} flags", flags.len());
    let commands = all.split("Commands:\n").nth(1).unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let names = commands.filter(|line| !line.starts_with("   "));
    let names: Vec<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!((11..=17).contains(&names.len()), "{names:?}");
    let lines = all.lines().count();
    assert!(lines <= 300, "{lines} lines");
    assert!(help("--version").starts_with("evictd "));
    assert_eq!(help("version"), help("--version"));
    insta::assert_snapshot!(all);
}

#[test]
fn brief_help_is_one_screen() {
    let brief = help("-h");
    for line in ["-h --json", "-h --nodefs-path=/x", "-h --help=false"] {
        assert_eq!(help(line), brief, "{line}");
    }
    assert!(brief.lines().count() <= 30, "{brief}");
    let is_short = |line: &str| line.chars().count() <= 79;
    assert!(brief.lines().all(is_short), "{brief}");
    let flags = brief.lines().filter_map(|line| line.strip_prefix("  --"));
    let names: Vec<&str> = flags.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names.len(), 12);
    let all: Vec<&str> = evictd_config::Flag::all().map(|flag| flag.name).collect();
    assert!(names.iter().all(|name| all.contains(name)), "{names:?}");
    assert!(brief.contains("evictd --help shows all flags"));
    for command in command::Known::all() {
        let first = command.name.split(' ').next().unwrap();
        assert!(brief.contains(&format!(" {first}")), "{first}");
    }
    assert_eq!(help("status -h"), help("status --help"));
    insta::assert_snapshot!(brief);
}

#[test]
fn every_command_has_help_and_examples_that_run() {
    let mut shown = String::new();
    for command in command::Known::all() {
        let name = &command.name;
        let text = help(&format!("{name} --help"));
        assert_eq!(help(&format!("help {name}")), text);
        assert_eq!(help(&format!("help --json {name}")), text);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        let examples = text
            .lines()
            .filter_map(|line| line.strip_prefix("  evictd "));
        assert!(examples.clone().count() > 0, "{name}");
        for example in examples {
            let (_, typed) = run(&example.replace('\'', ""));
            assert!(resolve(&typed).is_ok(), "{example}");
        }
        shown.push_str(&format!("$ evictd {name} --help\n{text}\n"));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let argument = OsString::from_vec(b"--nodefs-path=/\xff".to_vec());
    let error = parse(&[OsString::from("status"), argument]).unwrap_err();
    assert_eq!(error.to_string(), "argument 2 is not UTF-8");
}

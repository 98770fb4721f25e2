//! Flags and fields of a kubelet that the help does not show, and `--debug`.

use super::*;

fn warnings(typed: &Typed) -> Vec<String> {
    let warnings = resolve(typed).unwrap().warnings;
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn accepted_flag_warns_with_what_it_does() {
    assert_eq!(Flag::accepted().count(), 11);
    for flag in Flag::accepted() {
        assert!(
            Flag::all().all(|shown| shown.name != flag.name),
            "{}",
            flag.name
        );
        let line = format!("--{}: {}", flag.name, flag.help);
        assert!(!line.contains('\n') && line.len() < 160, "{line}");
        let on_the_command_line = typed(&[(flag.name, flag.example)]);
        assert_eq!(warnings(&on_the_command_line), [&*line]);
        let mut in_a_file = Typed::default();
        let text = format!("--{}={}", flag.name, flag.example);
        in_a_file.add_flags_file("f", text.as_bytes()).unwrap();
        assert_eq!(warnings(&in_a_file), [&*line]);
    }
}

#[cfg(feature = "yaml")]
#[test]
fn accepted_field_warns_by_its_own_name() {
    let lines = "localStorageCapacityIsolation: false\nkubeReserved: {memory: 1Gi}\n\
                 enforceNodeAllocatable: [none]\nnodeStatusUpdateFrequency: 1m\n\
                 kernelMemcgNotification: false\n";
    let mut typed = Typed::default();
    let file = format!("{}{lines}", super::file::HEADER);
    typed.add_file("node.yaml", file.as_bytes()).unwrap();
    let warnings = warnings(&typed);
    for flag in Flag::accepted() {
        let Some((field, _)) = flag.field else {
            continue;
        };
        let line = format!("{field}: {}", flag.help);
        assert!(warnings.contains(&line), "{line}: {warnings:?}");
    }
}

#[test]
fn setting_of_an_accepted_flag_is_listed_where_it_is_given() {
    let listed = |given: &[(&str, &str)], name: &str| {
        let settings = resolved(given).settings;
        settings
            .iter()
            .any(|one| one.name == name && one.is_listed())
    };
    let kube = ("kube-reserved", "memory=1Gi");
    assert!(!listed(&[], "kube-reserved") && listed(&[kube], "kube-reserved"));
    let debug = ("debug", "no-sandbox");
    assert!(!listed(&[], "debug") && listed(&[debug], "debug"));
    assert!(listed(&[], "compat") && listed(&[], "compat=keep-build-cache"));
}

/// They change nothing, but what is wrong in them would stop a kubelet.
#[test]
fn flag_without_effect_is_checked_and_changes_nothing() {
    let given = [
        ("node-status-update-frequency", "1m"),
        ("kernel-memcg-notification", "false"),
        ("experimental-kernel-memcg-notification", "false"),
    ];
    assert!(resolved(&given).daemon.kernel_notices);
    for (flag, _) in given {
        assert!(resolve(&typed(&[(flag, "x")])).is_err(), "{flag}");
    }
}

#[test]
fn debug_switches_off_what_it_names() {
    let switches = |text: &str| {
        let of = resolved(&[("debug", text)]);
        [
            of.daemon.sandbox,
            of.daemon.realtime,
            of.daemon.kernel_notices,
        ]
    };
    assert_eq!(switches(""), [true; 3]);
    assert_eq!(switches("no-sandbox"), [false, true, true]);
    assert_eq!(
        switches("no-realtime,no-kernel-notices"),
        [true, false, false]
    );
    assert!(
        Flag::all().all(|flag| flag.name != "debug"),
        "the help shows it"
    );
    let error = resolve(&typed(&[("debug", "no-sandbox,no-sandbx")])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "--debug: unknown value \"no-sandbx\", in \"no-sandbx\" at byte 0; did you mean \
         no-sandbox? values are no-sandbox, no-realtime, no-kernel-notices"
    );
}

//! One field, entry or flag is absurd: the error names its file, place and text in one short
//! line, or the others are what they were.

use evictd_testkit::poison::{Poison, json_values, words, yaml_values};

use super::*;
use crate::file::fields;

// Each reader of this crate, as ci/deps finds them, and the test that poisons what it reads.
// readers: add_file, add_files -> a_field_is_named_or_costs_itself, an_entry_is_named
// readers: add_flags_file -> a_line_is_named_or_costs_itself
// readers: parse_boolean, parse_signal, parse_qos_class, parse_priority -> a_value_is_named

/// The longest line that an error may be, in bytes.
const LONGEST: usize = 4000;

const HEADER: &str = "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n";

/// Settings that stand beside the poisoned one.
const OTHERS: [(&str, &str, &str); 3] = [
    (
        "evictionHard",
        "eviction-hard",
        "{\"memory.available\": \"7%\"}",
    ),
    (
        "evictionMaxPodGracePeriod",
        "eviction-max-pod-grace-period",
        "17",
    ),
    (
        "imageGCHighThresholdPercent",
        "image-gc-high-threshold",
        "91",
    ),
];

fn check_error(error: &ConfigError, named: &str, what: &str) {
    let line = error.to_string();
    let odd = |c: char| c.is_control() || c == '\u{202e}';
    assert!(!line.contains(odd), "{what}: {line:?}");
    assert!(line.len() <= LONGEST, "{what}: {} bytes", line.len());
    assert!(
        line.contains(named),
        "{what}: does not name {named}: {line}"
    );
    assert!(!error.hint.is_empty(), "{what}: {line}");
}

fn in_file(field: &str, value: &[u8]) -> Vec<u8> {
    let mut text = HEADER.as_bytes().to_vec();
    for (name, _, usual) in OTHERS.into_iter().filter(|(name, ..)| *name != field) {
        text.extend(format!("{name}: {usual}\n").bytes());
    }
    [&text, field.as_bytes(), b": ", value, b"\n"].concat()
}

/// Whether what the other fields say is there.
fn check_others(typed: &Typed, field: &str, what: &str) {
    for (name, flag, _) in OTHERS.into_iter().filter(|(name, ..)| *name != field) {
        let text = match name {
            "evictionHard" => "memory.available<7%",
            "evictionMaxPodGracePeriod" => "17",
            _ => "91",
        };
        assert_eq!(typed.get(flag), [text], "{what}: {name}");
    }
}

#[test]
fn a_field_is_named_or_costs_itself() {
    // Those that evictd has no use for are all passed over in one way.
    let used = Flag::known().filter_map(|flag| Some(flag.field?.0));
    for field in used.chain(fields::CHECKED).chain(["maxPods"]) {
        for Poison { name, text } in yaml_values().into_iter().chain(json_values()) {
            let bytes = in_file(field, &text);
            let what = format!("{field}: {name}");
            let mut typed = Typed::default();
            match typed.add_file("node.yaml", &bytes) {
                // What is no YAML at all is known by its line.
                Err(error) => {
                    check_error(&error, "node.yaml", &what);
                    let line = error.to_string();
                    let is_of_text = line.contains("bytes") || line.contains("line ");
                    assert!(line.contains(field) || is_of_text, "{what}: {line}");
                }
                Ok(()) => {
                    check_others(&typed, field, &what);
                    if let Err(error) = resolve(&typed) {
                        check_error(&error, "node.yaml", &what);
                    }
                }
            }
        }
    }
}

#[test]
fn an_entry_is_named() {
    for (field, key) in [
        ("evictionHard", "nodefs.available"),
        ("evictionSoft", "nodefs.available"),
        ("evictionMinimumReclaim", "nodefs.available"),
        ("systemReserved", "memory"),
        ("featureGates", "ImageVolume"),
    ] {
        for Poison { name, text } in yaml_values() {
            let entry = [b"{\"", key.as_bytes(), b"\": ", &text[..], b"}"].concat();
            let what = format!("{field}[{key}]: {name}");
            let mut typed = Typed::default();
            let added = typed.add_file("node.yaml", &in_file(field, &entry));
            let done = added.and_then(|()| resolve(&typed));
            if let Err(error) = done {
                check_error(&error, "node.yaml", &what);
            }
        }
        // A name of an entry is a text from outside, too.
        for Poison { name, text } in json_values().into_iter().filter(|of| of.text[0] == b'"') {
            let entry = [b"{", &text[..], b": \"7\"}"].concat();
            let mut typed = Typed::default();
            let added = typed.add_file("node.yaml", &in_file(field, &entry));
            if let Err(error) = added.and_then(|()| resolve(&typed)) {
                check_error(&error, "node.yaml", &format!("{field}: key: {name}"));
            }
        }
    }
    // So is a field's.
    for Poison { name, text } in json_values().into_iter().filter(|of| of.text[0] == b'"') {
        let bytes = [HEADER.as_bytes(), &text, b": 7\n"].concat();
        let mut typed = Typed::default();
        match typed.add_file("node.yaml", &bytes) {
            Err(error) => check_error(&error, "node.yaml", name),
            Ok(()) => {
                for warning in resolve(&typed).unwrap().warnings {
                    let text = warning.to_string();
                    assert!(!text.contains(char::is_control), "{name}: {text:?}");
                    assert!(text.len() <= LONGEST, "{name}: {} bytes", text.len());
                }
            }
        }
    }
}

#[test]
fn a_line_is_named_or_costs_itself() {
    for flag in Flag::known() {
        for Poison { name, text } in words() {
            let others = "--eviction-max-pod-grace-period=17\n--image-gc-high-threshold=91\n";
            let bytes = [
                others.as_bytes(),
                b"--",
                flag.name.as_bytes(),
                b"=",
                &text,
                b"\n",
            ]
            .concat();
            let what = format!("--{}: {name}", flag.name);
            let mut typed = Typed::default();
            let added = typed.add_flags_file("flags", &bytes);
            match added.and_then(|()| resolve(&typed).map(drop)) {
                Err(error) => check_error(&error, "flags", &what),
                Ok(()) => {
                    for (other, text) in [
                        ("eviction-max-pod-grace-period", "17"),
                        ("image-gc-high-threshold", "91"),
                    ] {
                        if other != flag.name {
                            assert_eq!(typed.get(other), [text], "{what}");
                        }
                    }
                }
            }
        }
    }
    for Poison { name, text } in words() {
        let bytes = [b"--dry-run\n--", &text[..], b"\n--node-name=a\n"].concat();
        if let Err(error) = Typed::default().add_flags_file("flags", &bytes) {
            check_error(&error, "flags", name);
        }
    }
}

#[test]
fn a_value_is_named() {
    for Poison { name, text } in words() {
        let text = String::from_utf8_lossy(&text);
        let errors = [
            parse_boolean("dry-run", &text).err(),
            parse_signal("signal", &text).err(),
            parse_qos_class("qos", &text).err(),
            parse_priority("priority", &text).err(),
        ];
        for error in errors.into_iter().flatten() {
            check_error(&error, error.flag, name);
        }
    }
}

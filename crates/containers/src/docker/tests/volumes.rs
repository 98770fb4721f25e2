use super::{id, runtime};
use crate::ContainerRuntime;
use crate::docker::fake::{Fake, empty, json};
use crate::docker::parse_volumes;

/// A volume of that name with these fields beside.
fn volume(name: &str, more: &str) -> String {
    format!(
        r#"{{"CreatedAt":"2026-11-20T10:00:00+01:00","Driver":"local","Mountpoint":
        "/var/lib/docker/volumes/{name}/_data","Name":"{name}","Scope":"local"{more}}}"#
    )
}

fn answer(volumes: &[String]) -> String {
    let volumes = volumes.join(",");
    format!(r#"{{"Volumes":[{volumes}],"Warnings":null}}"#)
}

/// What a volume looks like that nobody named: Docker before 23, since then, and Podman.
#[test]
fn a_volume_is_anonymous_where_nobody_gave_it_anything() {
    let long = id('c');
    for (name, more, expected) in [
        (long.as_str(), r#","Labels":null,"Options":null"#, true),
        (
            &long,
            r#","Labels":{"com.docker.volume.anonymous":""},"Options":null"#,
            true,
        ),
        (&long, r#","Labels":{},"Options":{}"#, true),
        (
            &long,
            r#","Labels":{"com.docker.volume.anonymous":"","mine":""}"#,
            false,
        ),
        (
            &long,
            r#","Options":{"device":"nas:/","type":"nfs"}"#,
            false,
        ),
        (&long, r#","Driver":"rexray""#, false),
        (&id('C'), "", false),
        (&long.replacen('c', "", 1), "", false),
        (
            "data",
            r#","Labels":{"com.docker.volume.anonymous":""}"#,
            false,
        ),
    ] {
        let text = volume(name, more).replace(
            r#""Driver":"local","#,
            if more.contains("Driver") {
                ""
            } else {
                r#""Driver":"local","#
            },
        );
        let found = parse_volumes(answer(&[text]).as_bytes()).unwrap().items;
        assert_eq!(found[0].is_anonymous, expected, "{name} {more}");
        assert_eq!(
            found[0].created_nanos,
            Some(1_763_629_200_000_000_000 + 365 * 86_400_000_000_000)
        );
        assert!(found[0].path.ends_with("_data"));
    }
}

#[test]
fn an_answer_without_volumes_is_empty_and_one_without_sense_is_refused() {
    for text in [r#"{"Volumes":null}"#, r#"{"Volumes":[]}"#, "{}"] {
        assert_eq!(parse_volumes(text.as_bytes()).unwrap().items, []);
    }
    for text in ["", "[]", r#"{"Volumes":{}}"#] {
        assert!(parse_volumes(text.as_bytes()).is_err(), "{text}");
    }
    let unknown = r#"{"Volumes":[{"Name":"a","CreatedAt":"yesterday"}]}"#;
    assert_eq!(
        parse_volumes(unknown.as_bytes()).unwrap().items[0].created_nanos,
        None
    );
}

/// Named ones are many, and of no use.
#[test]
fn of_very_many_volumes_those_without_a_name_are_kept() {
    let mut many = vec![volume("a", ""); 9000];
    many.push(volume(&id('a'), ""));
    let listed = parse_volumes(answer(&many).as_bytes()).unwrap();
    assert_eq!(listed.items.len(), 4096);
    let anonymous = listed.items.iter().filter(|volume| volume.is_anonymous);
    assert_eq!(anonymous.count(), 1);
    assert_eq!(
        listed.notes,
        ["of the unused volumes only the oldest without a name are listed, 4096 at most"]
    );
}

#[test]
fn only_unused_volumes_are_asked_for_and_removal_is_never_forced() {
    let (name, used) = (id('a'), id('b'));
    let all = answer(&[volume(&name, "")]);
    let refused = format!("DELETE /volumes/{used}");
    let fake = Fake::new(move |call| match call {
        call if call.starts_with("GET /volumes") => json(200, &all),
        call if call == refused => json(409, r#"{"message":"volume is in use - [123]"}"#),
        _ => empty(204),
    });
    assert_eq!(runtime(&fake).unused_volumes().unwrap()[0].name, name);
    runtime(&fake).remove_volume(&name).unwrap();
    let error = runtime(&fake).remove_volume(&used).unwrap_err();
    assert!(
        error.to_string().ends_with("volume is in use - [123]"),
        "{error}"
    );
    let asked = [
        "GET /volumes?filters=%7B%22dangling%22%3A%5B%22true%22%5D%7D".to_owned(),
        format!("DELETE /volumes/{name}"),
        format!("DELETE /volumes/{used}"),
    ];
    assert_eq!(fake.calls(), asked);
}

//! What an image's author, or a cron job, can make an engine say.

use std::fs;
use std::path::Path;

use core::time::Duration;

use super::lists::entry;
use super::{id, not_found, version};
use crate::docker::fake::{Fake, Reply, json};
use crate::{ContainerRuntime, DockerRuntime, RuntimeListing};

/// An engine with these containers besides one that fills the memory; what it says when that
/// is inspected.
fn engine(others: &str, hog: &str, details: String) -> Fake {
    let list = format!("[{others}{hog}]");
    Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        call if call.contains(&id('f')) => json(200, &details),
        call if call.starts_with("GET /containers/") => json(200, r#"{"Id":"x"}"#),
        call if call.starts_with("GET /images/") => json(200, r#"{"Id":"x","Config":{}}"#),
        _ => not_found(),
    })
}

const RUNS: &str = r#"{"Id":"x","State":{"Pid":270},"HostConfig":{"Memory":64}}"#;

/// What is listed; the hog runs in a cgroup of its own.
fn list(fake: &Fake) -> RuntimeListing {
    let proc = fake.socket.parent().unwrap().join("proc");
    fs::create_dir_all(proc.join("270")).unwrap();
    let cgroup = format!("0::/docker/{}\n", id('f'));
    fs::write(proc.join("270/cgroup"), cgroup).unwrap();
    let limit = Duration::from_secs(20);
    let mut runtime = DockerRuntime::with(&fake.socket, &proc, limit);
    runtime.list().unwrap()
}

fn has_hog(listing: &RuntimeListing) -> bool {
    let cgroup = Path::new("docker").join(id('f'));
    let mut pods = listing.pods.iter();
    pods.any(|pod| pod.cgroups.iter().any(|of| **of == *cgroup) && pod.running.len() == 1)
}

#[test]
fn an_image_with_labels_without_end_hides_no_container() {
    let labels = |count: usize, length: usize| {
        let value = "x".repeat(length);
        let labels = (0..count).map(|at| format!(r#""label{at}":"{value}""#));
        labels.collect::<Vec<_>>().join(",")
    };
    for (count, length) in [(1025, 8), (17_000, 8), (1, 5 << 20), (300, 10_000)] {
        let hog = entry('f', "hog", "running", &labels(count, length));
        let fake = engine("", &hog, RUNS.into());
        assert!(has_hog(&list(&fake)), "{count} of {length}");
    }
}

#[test]
fn a_command_or_an_environment_without_end_hides_no_container() {
    let long = "\\u0001".repeat(900_000);
    let hog = entry('f', "hog", "running", "").replacen(
        r#""Created""#,
        &format!(r#""Command":"{long}","Created""#),
        1,
    );
    let details = RUNS.replacen(
        r#""State""#,
        &format!(r#""Config":{{"Env":["{long}"],"Cmd":["{long}"]}},"State""#),
        1,
    );
    let listing = list(&engine("", &hog, details));
    assert!(has_hog(&listing));
    let limits = &listing.pods[0].pod.spec.containers[0].resources.limits;
    assert!(limits.memory.is_some());
    assert_eq!(listing.notes, [""; 0]);
}

/// Two weeks of a cron job with `docker run` without `--rm`.
#[test]
fn thousands_of_dead_containers_hide_none_that_runs() {
    let dead = |at: usize| {
        let labels = r#""com.docker.compose.project":"cron","com.docker.compose.service":"backup""#;
        entry('0', "cron", "exited", labels).replacen(&id('0'), &format!("{at:064}"), 1) + ","
    };
    let dead: String = (0..4_100).map(dead).collect();
    let hog = entry('f', "hog", "running", "");
    let listing = list(&engine(&dead, &hog, RUNS.into()));
    assert!(has_hog(&listing));
    assert_eq!(listing.containers.len(), 1024 + 1);
}

#[test]
fn a_build_cache_of_any_size_is_pruned() {
    let record = r#"{"ID":"x","Type":"regular","Description":"RUN","InUse":false,"Shared":false,"Size":1000}"#;
    let line = "x".repeat(60_000);
    for (count, run) in [(12_000, "RUN ".repeat(90)), (100, line)] {
        let records = vec![record.replace("RUN", &run); count].join(",");
        let usage = format!(r#"{{"BuildCache":[{records}]}}"#);
        assert!(usage.len() > 4 << 20, "{}", usage.len());
        let fake = Fake::new(move |call| match call {
            "GET /version" => json(200, r#"{"Version":"1","ApiVersion":"1.41"}"#),
            call if call.starts_with("GET /system/df") => json(200, &usage),
            _ => not_found(),
        });
        let bytes = super::runtime(&fake).prunable_build_cache().unwrap();
        let each = 1000;
        assert_eq!(bytes, Some(each * u64::try_from(count).unwrap()));
    }
}

/// Acceptance row 169: it would be believed for ever.
#[test]
fn what_an_image_says_of_itself_is_read_behind_an_environment_of_any_length() {
    let label = r#""evictd.protect":"true""#;
    let hog = entry('f', "hog", "running", label);
    let list = format!("[{hog}]");
    let long = "\\u0001".repeat(900_000);
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        call if call.starts_with("GET /images/") => json(
            200,
            &format!(r#"{{"Id":"x","Config":{{"Env":["{long}"],"Labels":{{{label}}}}}}}"#),
        ),
        _ => json(200, r#"{"Id":"x"}"#),
    });
    let listing = super::runtime(&fake).list().unwrap();
    assert!(!listing.pods[0].pod.is_critical(), "{:?}", listing.notes);
}

/// A list of more than 4,096 images or volumes is read; chunked, as engines send it.
#[test]
fn lists_of_images_and_volumes_have_no_bound() {
    let image = format!(
        r#"{{"Id":"sha256:ID","RepoTags":["one:ID"],"Labels":{{"x":"{}"}},"Size":9}}"#,
        "y".repeat(1000)
    );
    let images = (0..5000).map(|at| image.replace("ID", &at.to_string()));
    let images = format!("[{}]", images.collect::<Vec<_>>().join(","));
    let volumes = vec![r#"{"Name":"v","Driver":"local"}"#; 5000].join(",");
    let fake = Fake::new(move |call| match call {
        call if call.starts_with("GET /images") => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            let length = images.len();
            Reply::Send(format!("{head}{length:x}\r\n{images}\r\n0\r\n\r\n").into_bytes())
        }
        call if call.starts_with("GET /volumes") => {
            json(200, &format!(r#"{{"Volumes":[{volumes}]}}"#))
        }
        _ => not_found(),
    });
    assert_eq!(super::runtime(&fake).images().unwrap().len(), 4096);
    assert_eq!(super::runtime(&fake).unused_volumes().unwrap().len(), 4096);
}

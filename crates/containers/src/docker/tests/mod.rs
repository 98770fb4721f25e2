mod acts;
mod build_cache;
mod calls;
mod events;
mod failures;
mod hostile;
mod http;
mod labels;
mod layers;
mod lists;
mod parse;
mod poisons;
mod request;
mod time;
mod volumes;

use core::time::Duration;
use std::path::Path;

use crate::DockerRuntime;
use crate::docker::fake::{Fake, Reply, json};

/// An id as engines make them: 64 digits, all the same.
fn id(digit: char) -> String {
    core::iter::repeat_n(digit, 64).collect()
}

fn runtime(fake: &Fake) -> DockerRuntime {
    DockerRuntime::with(&fake.socket, Path::new("/proc"), Duration::from_secs(20))
}

fn version(engine: &str) -> Reply {
    let body = r#"{"Version":"4.3.1","Components":[{"Name":"ENGINE"}]}"#;
    json(200, &body.replace("ENGINE", engine))
}

fn not_found() -> Reply {
    json(404, r#"{"message":"no such thing"}"#)
}

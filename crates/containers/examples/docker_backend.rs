//! The Docker backend by hand, against a real engine: what `ci/runtimes` checks it
//! with.
//!
//! usage: EVICTD_DOCKER_ENDPOINT=unix:///run/docker.sock docker_backend COMMAND
//!
//! `version`, `list`, `images`, `disks`; `end POD [MILLISECONDS]` by the pod's name,
//! `remove CONTAINER`, `remove-sandbox CONTAINER`, `remove-image IMAGE` by their ids.
//! What it prints has a line for each thing and tabs between the fields.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal, which shows how long calls take"
)]

use core::time::Duration;
use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use evictd_containers::{ContainerRuntime, DockerRuntime, Error, RuntimeListing};
use evictd_node::Policy;
use evictd_node::pod::Requested;

fn main() -> ExitCode {
    let Ok(endpoint) = env::var("EVICTD_DOCKER_ENDPOINT") else {
        eprintln!("docker_backend: EVICTD_DOCKER_ENDPOINT is not set: unix:// and a socket's path");
        return ExitCode::from(2);
    };
    let socket = endpoint.strip_prefix("unix://").unwrap_or(&endpoint);
    let mut runtime = DockerRuntime::new(Path::new(socket)).with_projects_as_pods(true);
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let begun = Instant::now();
    let done = match arguments.as_slice() {
        ["version"] => runtime.version().map(|version| println!("{version}")),
        ["list"] => runtime.list().map(|listing| print_listing(&listing)),
        ["list", "twice"] => list_twice(&mut runtime),
        ["images"] => print_images(&mut runtime),
        ["disks"] => runtime.disks().map(|disks| println!("{disks:?}")),
        ["end", pod] => end(&mut runtime, pod, Duration::ZERO),
        ["end", pod, grace] => {
            let grace = Duration::from_millis(grace.parse().unwrap_or(0));
            end(&mut runtime, pod, grace)
        }
        ["remove", id] => runtime.remove_container(id),
        ["remove-sandbox", id] => runtime.remove_sandbox(id),
        ["remove-image", id] => runtime.remove_image(id),
        _ => {
            eprintln!(
                "docker_backend: which command? version, list, images, disks, end, remove..."
            );
            return ExitCode::from(2);
        }
    };
    if let Err(error) = done {
        eprintln!("docker_backend: {error}");
        return ExitCode::FAILURE;
    }
    eprintln!("{} ms", begun.elapsed().as_millis());
    ExitCode::SUCCESS
}

fn print_listing(listing: &RuntimeListing) {
    for pod in &listing.pods {
        println!(
            "pod\t{}/{}\t{}\trequest {}\t{:?}\tpriority {:?}\tgrace {:?}\truns {}\tsandbox {:?}\t{:?}",
            pod.pod.metadata.namespace,
            pod.pod.metadata.name,
            pod.pod.metadata.uid,
            pod.pod.request(Requested::Memory, &Policy::default()),
            pod.pod.qos_class(&Policy::default()),
            pod.pod.spec.priority,
            pod.pod.spec.termination_grace_period_seconds,
            pod.running.len(),
            pod.sandbox,
            pod.cgroups,
        );
    }
    for sandbox in &listing.sandboxes {
        println!(
            "sandbox\t{}\t{}\tready {}",
            sandbox.id, sandbox.pod, sandbox.ready
        );
    }
    for container in &listing.containers {
        println!("container\t{container:?}");
    }
    for note in &listing.notes {
        println!("note\t{note}");
    }
}

/// How much less the second time costs.
fn list_twice(runtime: &mut DockerRuntime) -> Result<(), Error> {
    for _ in 0..2 {
        let begun = Instant::now();
        let listing = runtime.list()?;
        let count = listing.containers.len();
        println!("{count} containers in {} µs", begun.elapsed().as_micros());
    }
    Ok(())
}

fn print_images(runtime: &mut DockerRuntime) -> Result<(), Error> {
    for image in runtime.images()? {
        let tags = image.tags.join(" ");
        println!("image\t{}\t{}\t{tags}", image.id, image.size_bytes);
    }
    Ok(())
}

fn end(runtime: &mut DockerRuntime, name: &str, grace: Duration) -> Result<(), Error> {
    let listing = runtime.list()?;
    let found = listing
        .pods
        .iter()
        .find(|pod| pod.pod.metadata.name == name);
    match found {
        Some(pod) => runtime.end_pod(pod, grace),
        None => {
            eprintln!("docker_backend: there is no pod {name}");
            std::process::exit(1)
        }
    }
}

//! The CRI backend by hand, against a real runtime: what `ci/runtimes` checks it with.
//!
//! usage: EVICTD_CRI_ENDPOINT=unix:///run/containerd/containerd.sock cri_backend
//!
//! Reads commands from standard input, a line each, and makes all calls with one
//! object: `version`, `list`, `layers`, `images`, `disks`; `end POD MILLISECONDS` by
//! the pod's name, `remove CONTAINER`, `remove-sandbox SANDBOX`, `remove-image IMAGE`
//! by their ids. What it prints has a line for each thing, tabs between the fields,
//! and `done` or `failed` last, with the microseconds that the call took.
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

use evictd_containers::{ContainerRuntime, CriRuntime, Error, RuntimeListing};
use evictd_node::Policy;
use evictd_node::pod::Requested;

fn main() -> ExitCode {
    let Ok(endpoint) = env::var("EVICTD_CRI_ENDPOINT") else {
        eprintln!("cri_backend: EVICTD_CRI_ENDPOINT is not set: unix:// and a socket's path");
        return ExitCode::from(2);
    };
    let socket = endpoint.strip_prefix("unix://").unwrap_or(&endpoint);
    let mut runtime = CriRuntime::new(Path::new(socket));
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let begun = Instant::now();
        let done = run(&mut runtime, &words);
        let micros = begun.elapsed().as_micros();
        match done {
            Ok(()) => println!("done\t{micros}"),
            Err(error) => println!("failed\t{micros}\t{error}"),
        }
    }
    ExitCode::SUCCESS
}

fn run(runtime: &mut CriRuntime, words: &[&str]) -> Result<(), Error> {
    match words {
        ["version"] => println!("{}", runtime.version()?),
        ["list"] => print_listing(&runtime.list()?),
        ["layers"] => {
            let mut listing = runtime.list()?;
            runtime.measure_layers(&mut listing)?;
            print_listing(&listing);
        }
        ["images"] => {
            for image in runtime.images()? {
                println!(
                    "image\t{}\t{}\tpinned {}\t{}",
                    image.id,
                    image.size_bytes,
                    image.pinned,
                    image.tags.join(" ")
                );
            }
        }
        ["disks"] => println!("{:?}", runtime.disks()?),
        ["end", pod, grace] => {
            let listing = runtime.list()?;
            let named = |name: &str| *pod == name;
            let mut pods = listing.pods.iter();
            let Some(pod) = pods.find(|pod| named(&pod.pod.metadata.name)) else {
                println!("there is no pod {pod}");
                return Ok(());
            };
            let grace = Duration::from_millis(grace.parse().unwrap_or(0));
            let begun = Instant::now();
            runtime.end_pod(pod, grace)?;
            println!("ended\t{}", begun.elapsed().as_millis());
        }
        ["remove", id] => runtime.remove_container(id)?,
        ["remove-sandbox", id] => runtime.remove_sandbox(id)?,
        ["remove-image", id] => runtime.remove_image(id)?,
        _ => println!("no such command"),
    }
    Ok(())
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
        for container in &pod.pod.spec.containers {
            let limit = &container.resources.limits.memory;
            let limit = limit.as_ref().map(ToString::to_string);
            println!("limit\t{}\t{limit:?}", container.name);
        }
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

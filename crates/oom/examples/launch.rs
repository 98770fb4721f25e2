//! Starts a program with the `oom_score_adj` that the kubelet would give a container of that
//! memory request and limit, so that the OOM killer takes the right one first.
//!
//! usage: launch REQUEST LIMIT COMMAND [ARGUMENT...]     0 for none
//!
//! A score below that of the caller needs CAP_SYS_RESOURCE.
#![forbid(unsafe_code)]

use core::error::Error;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use evictd_kerntext::parse_meminfo;
use evictd_node::Policy;
use evictd_node::pod::{Container, Pod};
use evictd_oom::{GuaranteedScore, Scale, member_score};
use evictd_quantity::Quantity;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [request, limit, command, arguments @ ..] = &words[..] else {
        return Err("usage: launch REQUEST LIMIT COMMAND [ARGUMENT...]".into());
    };
    let mut container = Container::default();
    container.resources.requests.memory = amount(request)?;
    container.resources.limits.memory = amount(limit)?;
    let mut pod = Pod::default();
    pod.spec.containers.push(container);
    let meminfo = std::fs::read("/proc/meminfo")?;
    let scale = Scale {
        memory_capacity_bytes: parse_meminfo(&meminfo)
            .mem_total_bytes
            .ok_or("no MemTotal")?,
        guaranteed: GuaranteedScore::KUBELET,
        policy: Policy::default(),
    };
    let member = member_score(&pod, None, &scale);
    eprintln!("oom_score_adj {}: {}", member.score, member.reason);
    std::fs::write("/proc/self/oom_score_adj", member.score.to_string())?;
    Err(Command::new(command).args(arguments).exec().into())
}

fn amount(text: &str) -> Result<Option<Box<Quantity>>, Box<dyn Error>> {
    let quantity = Quantity::parse(text)?;
    Ok((!quantity.is_zero()).then(|| Box::new(quantity)))
}

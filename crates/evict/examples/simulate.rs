//! Plays node pressure from a CSV file through the state machine, as a dry run: who would be
//! evicted when, and why.
//!
//! usage: simulate THRESHOLDS CAPACITY <FILE      such as 'memory.available<100Mi' 1Gi
//!
//! Each line is a moment: `seconds,available,POD=USED,POD=USED...`, of memory.

use core::error::Error;

use evictd_evict::{Config, Evict, Observation, Outcome, Plan, Relieved};
use evictd_node::pod::{Pod, usage::PodUsage};
use evictd_node::{Mono, Reading, Readings, Signal};
use evictd_quantity::Quantity;
use evictd_rank::Candidate;
use evictd_threshold::{Lists, parse};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [hard, capacity] = &words[..] else {
        return Err("usage: simulate THRESHOLDS CAPACITY <FILE".into());
    };
    let (mut config, capacity) = (Config::default(), Quantity::parse(capacity)?.value());
    config.thresholds = parse(&Lists::of_hard(hard))?;
    let mut evict = Evict::new(config);
    for line in std::io::stdin().lines() {
        play(&mut evict, &line?, capacity)?;
    }
    Ok(())
}

fn play(evict: &mut Evict, line: &str, capacity: i64) -> Result<(), Box<dyn Error>> {
    let mut cells = line.split(',');
    let (seconds, available) = cells
        .next()
        .zip(cells.next())
        .ok_or("a line is too short")?;
    let now = Mono::from_millis(seconds.parse::<u64>()?.saturating_mul(1000));
    let (mut readings, available) = (Readings::default(), Quantity::parse(available)?.value());
    readings.set(
        Signal::MemoryAvailable,
        Some(Reading::new(available, capacity)),
    );
    let pods = cells.map(pod).collect::<Result<Vec<_>, _>>()?;
    let pods = pods
        .iter()
        .map(|(pod, usage)| Candidate::new(pod, Some(usage)));
    let pods: Vec<_> = pods.collect();
    let mut plan = evict.step(now, &Observation::new(&readings), None);
    loop {
        let outcome = match plan {
            Plan::Rest | Plan::KillNow => return Ok(()),
            Plan::ReadPods => Outcome::PodsRead,
            Plan::Relieve(_) => Outcome::Relieved(Relieved::default()),
            Plan::NoCandidate(..) => Outcome::Told,
            Plan::Evict(_) => {
                print!("after {seconds} s: {}", plan.explain(evict, &pods));
                Outcome::Pretended
            }
        };
        plan = evict.outcome(now, outcome, Some(&pods));
    }
}

fn pod(cell: &str) -> Result<(Pod, PodUsage), Box<dyn Error>> {
    let (name, used) = cell.split_once('=').ok_or("write POD=USED")?;
    let (mut pod, mut usage) = (Pod::default(), PodUsage::default());
    (pod.metadata.name, pod.metadata.uid) = (name.to_owned(), name.to_owned());
    usage.memory_working_set_bytes = u64::try_from(Quantity::parse(used)?.value()).ok();
    Ok((pod, usage))
}

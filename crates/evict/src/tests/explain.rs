//! Plans in words.

use super::*;

#[test]
fn a_plan_names_each_pod_and_why_it_was_chosen_or_not() {
    let mut all = pods(&["a", "b", "c"]);
    all.push(pod("critical", 2_000_000_000));
    let mut evict = hard("memory.available<1Gi");
    let plan = step(&mut evict, 0, &[(MEMORY, GI / 2)], &all);
    let after = "never: critical, its priority is 2000000000 or more\n";
    assert_eq!(
        plan.explain(&evict, &candidates(&all)),
        "memory.available is 512Mi, memory.available<1Gi is met\n\
         chosen: a, uses 2Gi, 2Gi above its request, priority 0, BestEffort\n\
         after it: b, uses 2Gi, 2Gi above its request, priority 1, BestEffort\n\
         after it: c, uses 2Gi, 2Gi above its request, priority 2, BestEffort\n\
         "
        .to_string()
            + after
    );
    let plan = done(&mut evict, 1, Outcome::KillFailed, &all);
    let text = plan.explain(&evict, &candidates(&all));
    assert!(
        text.contains("passed over, could not be killed: a, uses"),
        "{text}"
    );
    assert!(text.contains("chosen: b, uses"), "{text}");
    done(&mut evict, 2, Outcome::KillFailed, &all);
    let plan = done(&mut evict, 3, Outcome::KillFailed, &all);
    assert_eq!(plan, Plan::NoCandidate(MEMORY, NoPod::AllSkipped));
    let text = plan.explain(&evict, &candidates(&all));
    assert!(
        text.contains("passed over, could not be killed: c, uses"),
        "{text}"
    );
    assert!(
        text.ends_with(&(after.to_string() + "each is protected or could not be killed\n")),
        "{text}"
    );
}

#[test]
fn a_plan_names_the_limit_that_a_pod_is_above() {
    let mut all = pods(&["a", "b"]);
    let volume = Volume {
        name: "scratch".into(),
        source: VolumeSource::EmptyDir {
            medium: Medium::Default,
            size_limit: Quantity::parse("1Gi").ok(),
        },
    };
    all[1].spec.volumes.push(volume);
    let usage = PodUsage {
        volumes: [VolumeUsage {
            name: "scratch".into(),
            used_bytes: Some(2 << 30),
            ..VolumeUsage::default()
        }]
        .into(),
        ..PodUsage::default()
    };
    let candidates: Vec<Candidate> = all
        .iter()
        .map(|pod| Candidate::new(pod, Some(&usage)))
        .collect();
    let mut evict = hard("memory.available<1Gi");
    let readings = readings(seconds(0), &[(MEMORY, 2 * GI)]);
    let observation = Observation {
        readings: &readings,
        layout: Some(Layout::OneFilesystem),
    };
    let plan = evict.step(seconds(0), &observation, Some(&candidates));
    assert_eq!(
        plan.explain(&evict, &candidates),
        "passed over, above no limit: a\n\
         chosen: b, Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Gi\".\n"
    );
    assert_eq!(Plan::Rest.explain(&evict, &[]), "nothing is to be done\n");
}

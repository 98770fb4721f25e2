use serde_json::{Value, json};

use super::*;

fn run(seed: u64, with: &[&str]) -> Value {
    simulate(json!({ "seed": seed, "with": with }).to_string().as_bytes()).unwrap()
}

fn recorded(run: &Value) -> Recording {
    Recording::read(run["recording"].as_str().unwrap().as_bytes()).unwrap()
}

fn texts(decided: &Value) -> Vec<&str> {
    let all = decided.as_array().unwrap().iter();
    all.map(|of| of["text"].as_str().unwrap()).collect()
}

/// Acceptance row 361: `ci/playground --test` compares with the binary; here each decision
/// is compared with what was recorded of it.
#[test]
fn a_page_decides_as_recorded_and_otherwise_with_other_flags() {
    // Where pods have limits of their own, they are evicted for these without any threshold.
    let of = |seed: u64| {
        let world = json!({ "seed": seed, "without": ["Limits"] }).to_string();
        let recording = recorded(&simulate(world.as_bytes()).unwrap());
        let decided = decide(&recording, b"[]").unwrap();
        let is_evicted = |text: &&str| text.starts_with("pod world/pod-");
        let evicts = texts(&decided["decided"]).iter().any(is_evicted);
        evicts.then_some((recording, decided))
    };
    let (recording, decided) = (187..197).find_map(of).unwrap();
    assert_eq!(decided["gone"], json!([]));
    assert!(
        decided["decided"]
            .as_array()
            .unwrap()
            .iter()
            .all(|of| of["isNew"] == false)
    );
    let off = decide(&recording, br#"[["eviction-hard",""]]"#).unwrap();
    assert_eq!(off["decided"], json!([]));
    assert_eq!(
        texts(&off["gone"]),
        texts(&decided["decided"]),
        "all of it is gone"
    );
    assert_eq!(off["chart"]["evictions"], json!([]));
    let wrong = decide(&recording, br#"[["eviction-herd","x"]]"#).unwrap_err();
    assert_eq!(
        wrong,
        "unknown flag: --eviction-herd; did you mean --eviction-hard?"
    );
    let wrong = decide(&recording, br#"[["eviction-hard","memory.available<1Qi"]]"#).unwrap_err();
    assert!(wrong.starts_with("--eviction-hard: "), "{wrong}");
}

/// Acceptance row 361.
#[test]
fn a_machine_is_what_its_seed_and_its_switches_make_it() {
    let plain = run(187, &[]);
    assert_eq!(plain, run(187, &[]));
    let killed = json!({ "seed": 187, "with": ["Sigkill"], "seconds": 180 }).to_string();
    let killed = simulate(killed.as_bytes()).unwrap();
    let has = |run: &Value| {
        run["features"]
            .as_array()
            .unwrap()
            .contains(&json!("Sigkill"))
    };
    assert!(!has(&plain) && has(&killed));
    let told = |run: &Value| run["story"].to_string().contains("SIGKILL of evictd");
    assert!(!told(&plain) && told(&killed), "{}", killed["story"]);
    for (question, problem) in [
        ("{}", "a seed is a whole number from 0 on"),
        (
            r#"{"seed":1,"with":["Rust"]}"#,
            "nothing that a machine has",
        ),
        (r#"{"seed":1,"seconds":601}"#, "up to 600 seconds"),
        ("[", "EOF"),
    ] {
        let error = simulate(question.as_bytes()).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

/// Acceptance row 362.
#[test]
fn what_is_no_recording_is_told_with_what_would_be_right() {
    for bytes in [
        &b""[..],
        b"{}",
        b"\x89PNG\r\n",
        b"{\"decided\":\"x\"}\n",
        &[b'['; 9999],
    ] {
        let error = Recording::read(bytes).unwrap_err();
        assert!(error.ends_with("evictd record FILE writes one"), "{error}");
    }
    let whole = run(187, &[])["recording"].as_str().unwrap().to_owned();
    let torn = Recording::read(&whole.as_bytes()[..whole.len() - 2]).unwrap();
    let problem = torn.about()["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("ends within the line"), "{problem}");
    assert!(torn.lines.len() > 100, "what stands before it is there");
    let named = whole.replace("--eviction-hard=", "--config=");
    let error = decide(&Recording::read(named.as_bytes()).unwrap(), b"[]").unwrap_err();
    assert!(error.contains("a page reads none"), "{error}");
}

/// Acceptance row 362.
#[test]
fn more_pods_than_a_page_can_decide_on_are_refused() {
    let first = whole_line(&json!({ "recording": { "form": 1, "flags": [] } }));
    let pod = |at: usize| whole_line(&json!({ "pod": { "metadata": { "uid": at.to_string() } } }));
    let moment = |pods: usize| {
        let pods: Value = (0..pods)
            .map(|at| json!({ "uid": at.to_string() }))
            .collect();
        whole_line(&json!({ "seen": { "atNanos": 0, "pods": pods } }))
    };
    let refused = |text: String| {
        let read = Recording::read(text.as_bytes()).unwrap();
        let problem = read.about()["problem"].as_str().map(str::to_owned);
        problem.is_some_and(|problem| problem.contains("more pods and moments"))
    };
    let pods = |count: usize| (0..count).map(pod).collect::<String>();
    assert!(!refused(
        first.clone() + &pods(1000) + &moment(1000).repeat(20)
    ));
    assert!(refused(
        first.clone() + &pods(1000) + &moment(1000).repeat(310)
    ));
    assert!(refused(first.clone() + &pods(30_000)));
    assert!(refused(first.clone() + &pods(1001) + &moment(1001)));
    let decided = whole_line(&json!({ "decided": "" }));
    assert!(refused(first + &decided.repeat(400_001)));
    assert!(Recording::read(&vec![b'\n'; MAX_BYTES + 1]).is_err());
}

fn whole_line(value: &Value) -> String {
    format!("{value}\n")
}

/// Acceptance row 362: a panic in a browser is a trap, and nothing of it is told.
#[test]
fn a_recording_with_any_byte_changed_panics_nowhere() {
    let run = run(187, &[]);
    let whole = run["recording"].as_str().unwrap();
    let end = whole.match_indices('\n').nth(40).unwrap().0;
    let start = &whole.as_bytes()[..end];
    let mut read = 0;
    for at in (0..start.len()).step_by(97) {
        let mut changed = start.to_vec();
        changed[at] = b"09\"-{,\n"[at % 7];
        if let Ok(recording) = Recording::read(&changed) {
            read += 1;
            let _ = decide(&recording, br#"[["eviction-hard","memory.available<90%"]]"#);
        }
    }
    assert!(read > 40, "{read} recordings were still read");
}

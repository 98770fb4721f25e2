use super::*;

/// Acceptance row 371.
#[test]
fn what_the_daemon_says_is_shown() {
    let view = r#"{"verdicts":{"imagefs.available":{
        "whyNone":"the last eviction gave nothing back",
        "pods":[{"name":"cam","uid":"1","reason":"uses 1Mi"}, 7, {"name":"web"}]}}}"#;
    let view: View = serde_json::from_str(view).unwrap();
    let next = Next::said_by(&view, Signal::ImagefsAvailable).unwrap();
    assert!(next.pods.is_empty() && next.accounts.len() == 1);
    assert_eq!(
        next.sentence(),
        "Next to be evicted for imagefs.available: none: the last eviction gave nothing back"
    );
    assert!(Next::said_by(&view, Signal::MemoryAvailable).is_none());
}

#[test]
fn what_holds_the_eviction_back_is_shown() {
    let view = r#"{"heldBack":{"by":"a gate","pod":"docker/hog","signal":"memory.available"},
        "verdicts":{
        "memory.available":{"pods":[{"name":"hog","namespace":"docker","uid":"1","reason":"uses 9Mi"}]},
        "pid.available":{"pods":[{"name":"web","uid":"2","reason":"uses 9"}]}}}"#;
    let view: View = serde_json::from_str(view).unwrap();
    let lines = |signal| -> Vec<String> {
        let next = Next::said_by(&view, signal).unwrap();
        next.lines().collect()
    };
    assert_eq!(
        lines(Signal::MemoryAvailable),
        [
            "Next to be evicted for memory.available: docker/hog: uses 9Mi",
            "pod docker/hog is next, and waits: a gate"
        ]
    );
    assert_eq!(lines(Signal::PidAvailable).len(), 1);
}

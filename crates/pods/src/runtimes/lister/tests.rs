use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;

use evictd_containers::{Error, Failure};
use evictd_containers::{ListedContainer, RuntimeListing, RuntimePod, WritableLayer};
use evictd_engine::ports::Heard;
use evictd_stats::now;
use rustix::io::Errno;

use super::{Lists, is_not_ready};

/// Acceptance row 177.
#[test]
fn a_runtime_that_hangs_from_the_start_may_hold_anything() {
    let error = |failure| Error::new("unix:///run/docker.sock", "GET /version", failure);
    let hangs = error(Failure::TimedOut(Duration::from_secs(2)));
    let mut lists = Lists::default();
    assert!(!lists.is_silent(), "it was not asked yet");
    assert_eq!(lists.heard(), Heard::Nothing);
    lists.is_asked = true;
    assert!(lists.is_silent());
    lists.is_asked = false;
    lists.fail(&error(Failure::NotReachable(Errno::CONNREFUSED)));
    assert!(!lists.is_silent(), "nobody listens");
    assert_eq!(lists.heard(), Heard::All);
    lists.fail(&hangs);
    assert!(lists.is_silent());
    assert_eq!(lists.heard(), Heard::Nothing);
    lists.reached = 1;
    assert_eq!(lists.heard(), Heard::Begun, "its list is late");
    lists.succeed(RuntimeListing::default());
    assert!(!lists.is_silent());
    lists.fail(&hangs);
    assert!(!lists.is_silent(), "it has said what it holds");
    assert_eq!(lists.heard(), Heard::All);
}

/// Acceptance row 251.
#[test]
fn what_the_runtime_says_to_be_new_makes_a_list_old() {
    let mut lists = Lists::default();
    let soon = |lists: &Lists| lists.is_fresh(now(), Duration::from_secs(1000), false);
    assert!(!soon(&lists));
    lists.succeed(RuntimeListing::default());
    assert!(soon(&lists) && !lists.is_fresh(now(), Duration::ZERO, false));
    lists.has_changed = true;
    assert!(!soon(&lists));
    lists.has_changed = false;
    lists.is_asked = true;
    assert!(!soon(&lists), "what it asks for is not there yet");
}

/// Acceptance row 252.
#[test]
fn a_runtime_that_begins_only_is_no_foreign_one() {
    let refused = |code| {
        let message = "server is not initialized yet".into();
        is_not_ready(&Error::new("e", "c", Failure::Refused { code, message }))
    };
    assert!([2, 14, 500, 503].into_iter().all(refused));
    assert!(![12, 400, 404].into_iter().any(refused));
    let odd = Failure::Malformed("it speaks HTTP/1".into());
    assert!(!is_not_ready(&Error::new("e", "c", odd)));
}

/// Acceptance row 258: a list of just now says nothing of layers that were measured long
/// ago.
#[test]
fn layers_are_measured_anew_where_only_the_runtime_can() {
    let (now, max_age) = (now(), Duration::from_secs(1));
    let mut listing = RuntimeListing::default();
    listing.containers = vec![ListedContainer::default()];
    listing.containers[0].layer = WritableLayer::Dir(Path::new("/layer").into());
    let mut lists = Lists::default();
    assert!(!lists.is_fresh(now, max_age, false));
    lists.succeed(listing.clone());
    lists.listed = Some(now);
    assert!(lists.is_fresh(now, max_age, true), "it is walked");
    listing.containers[0].layer = WritableLayer::Used {
        bytes: 7,
        inodes: None,
    };
    lists.succeed(listing);
    lists.listed = Some(now);
    assert!(lists.is_fresh(now, max_age, false));
    assert!(!lists.is_fresh(now, max_age, true));
    lists.measured = Some(now);
    assert!(lists.is_fresh(now, max_age, true));
    assert!(!lists.is_fresh(now + max_age, max_age, true));
}

#[test]
fn the_same_listing_stays_where_it_is() {
    let of = |pods: usize| {
        let mut listing = RuntimeListing::default();
        listing.pods = vec![RuntimePod::default(); pods];
        listing
    };
    let mut lists = Lists::default();
    lists.succeed(of(2));
    let before = Arc::clone(&lists.listing);
    lists.succeed(of(2));
    assert!(Arc::ptr_eq(&lists.listing, &before));
    lists.succeed(of(3));
    assert_eq!((before.pods.len(), lists.listing.pods.len()), (2, 3));
}

# Sourced by the scenarios kubelet-*: what the kubelet's own end-to-end tests of eviction
# (test/e2e_node of Kubernetes) ask of a node, see docs/dev/kubelet-e2e.md. Each of their cases
# is a function of one scenario: the same thresholds, pods and expectation, in smaller
# numbers. Every case asks for the same course: the condition appears, the right pods are
# evicted in the right order, the condition is left and does not come back, the others run
# on, and a new pod is admitted.
# shellcheck shell=dash

. "${0%/*}/lib.sh"

# begin CASE: what it is called over there.
begin() { kubelet_case=$1; }

# watch_node FLAG...: evictd, whose conditions are left soon.
watch_node() {
  rm -rf "$work/state"
  start_evictd --root-dir="$root_dir" --nodefs-path="$disks/nodefs" --imagefs-path="$disks/nodefs" \
    --eviction-pressure-transition-period=1s "$@"
}

# await_pressure CONDITION: it appears.
await_pressure() {
  await_event 30 condition "condition=$1" status=True
}

# await_relief CONDITION: it is left and stays away, and a new pod may start.
await_relief() {
  await_event 30 condition "condition=$1" status=False
  quiet 2
  expect_events 1 condition "condition=$1" status=True
  expect_now "$1" False
  ask_evictd admit --qos=BestEffort >"$work/admitted" ||
    fail "$kubelet_case: a new pod is not admitted: $(cat "$work/admitted")"
}

# conclude: no more is asked of this case; its pods end.
conclude() {
  stop_evictd
  for conclude_name in $pods_made; do
    each_process "$conclude_name" kill_process || true
    wait_until 10 "the processes of $conclude_name end" holds_none "$conclude_name"
  done
  rm -rf "$manifests"/* "$root_dir/pods"
  say "$kubelet_case: as the kubelet"
}

# expect_history POD TEXT...: what history tells of that eviction has; the texts may be of any record.
expect_history() {
  ask_evictd history --json >"$work/history" || fail "evictd history: exit $?"
  expected_pod=$1
  shift
  object "$work/history" "name=$expected_pod" || fail "$kubelet_case: history has no $expected_pod: $(cat "$work/history")"
  for text in "$@"; do
    case $(cat "$work/history") in
      *"$text"*) ;;
      *) fail "$kubelet_case: history has no $text: $(cat "$work/history")" ;;
    esac
  done
}

"""Killing a pod of many processes, which need the processor to end with."""

import os

import machine
from frame import Line, need, row


@row("crowd")
def crowd(bench):
    """A thousand processes, on all processors and on one."""
    need("taskset")
    for where, on in [("", []), (", one processor", ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))])]:
        sides = (lambda is_ours=is_ours, on=on: ended(bench, is_ours, on) / 1000 for is_ours in [True, False])
        ours, alone = bench.alternate(*sides)
        yield Line(f"crowd ended{where}", "ms", ours, "SIGKILL alone", alone, ratio_at_most=1.5)


def ended(bench, is_ours, on):
    """Microseconds until none is left."""
    with machine.victim(bench, "crowd", ["memory", "pids", "freezer"]) as (dirs, evictd):
        program = [*on, bench.yardstick("kills"), "crowd", str(bench.pick(1000, 100))]
        return machine.micros_of(program, dirs, evictd if is_ours else [])

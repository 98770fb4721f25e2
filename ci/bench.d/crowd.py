"""Killing a pod of many processes, which need the processor to end with."""

import os

import machine
from frame import Lacks, Line, need, need_root, output, row


@row("crowd")
def crowd(bench):
    """A thousand processes, on all processors and on one."""
    need_root()
    need("taskset")
    if not machine.is_v1():
        raise Lacks("cgroup v1")
    if list(machine.CGROUPS.glob("memory/kubepods*")):
        raise Lacks("a machine without a kubepods tree, whose pods could be evicted")
    for where, on in [("", []), (", one processor", ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))])]:
        sides = (lambda is_ours=is_ours, on=on: ended(bench, is_ours, on) / 1000 for is_ours in [True, False])
        ours, alone = bench.alternate(*sides, times=3)
        yield Line(f"crowd ended{where}", "ms", ours, "SIGKILL alone", alone, ratio_at_most=1.5)


def ended(bench, is_ours, on):
    """Microseconds until none is left."""
    base = f"evictd-bench-{os.getpid()}-crowd"
    tops = [machine.CGROUPS / controller / base for controller in ["memory", "pids", "freezer"]]
    dirs = [top / "victim" for top in tops]
    evictd = [
        bench.evictd,
        "--state-dir=",
        "--log-format=json",
        f"--pod-cgroup-root=/{base}",
        "--housekeeping-interval=10s",
        "--eviction-hard=memory.available<99%",
    ]
    try:
        for directory in dirs:
            directory.mkdir(parents=True)
        more = ["--", *evictd] if is_ours else []
        micros = int(output(*on, bench.yardstick("crowd"), str(bench.pick(1000, 100)), *map(str, dirs), *more))
        if micros <= 0:
            raise RuntimeError("evictd did not evict")
        return micros
    finally:
        machine.remove(tops)

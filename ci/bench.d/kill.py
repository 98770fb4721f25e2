"""Freeing the memory of a victim that gets no processor to die with."""

import os
import statistics

import machine
from frame import Lacks, Line, need_root, output, row

CONTROLLERS = ["memory", "pids", "freezer", "cpu"]


@row("kill")
def kill(bench):
    """A victim with cpu.shares of 2 on a node whose processors are all busy."""
    need_root()
    if not machine.is_v1():
        raise Lacks("cgroup v1")
    if list(machine.CGROUPS.glob("memory/kubepods*")):
        raise Lacks("a machine without a kubepods tree, whose pods could be evicted")
    methods = ["evicting pod", "release", "kill"]
    figures = bench.alternate(*(lambda method=method: freed(bench, method) / 1000 for method in methods))
    ours, release, plain = figures
    note = f"plain SIGKILL: {min(plain):.0f}–{max(plain):.0f} ms"
    what = "starved victim, memory free"
    yield Line(what, "ms", ours, "SIGKILL, process_mrelease", release, ratio_at_most=1.2, note=note)
    yield Line(what, "ms", ours, "SIGKILL alone", plain, ratio_at_most=0.2)


def freed(bench, method):
    """Microseconds from the decision until the memory is free."""
    base = f"evictd-bench-{os.getpid()}-kill"
    tops = [machine.CGROUPS / controller / base for controller in CONTROLLERS]
    dirs = [top / "victim" for top in tops]
    evictd = [
        bench.evictd,
        "--state-dir=",
        f"--pod-cgroup-root=/{base}",
        "--housekeeping-interval=10s",
        "--eviction-hard=memory.available<99%",
    ]
    try:
        for directory in dirs:
            directory.mkdir(parents=True)
        (tops[-1] / "cpu.shares").write_text("2", encoding="ascii")
        program = [bench.yardstick("kills"), method, str(bench.pick(256, 64)), str(2 * (os.cpu_count() or 1))]
        more = ["--", *evictd] if method == "evicting pod" else []
        micros = int(output(*program, *map(str, dirs), *more))
        if micros <= 0:
            raise RuntimeError("evictd did not evict")
        return micros
    finally:
        machine.remove(tops)

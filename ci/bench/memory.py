"""What evictd holds."""

import os
import time

import machine
from frame import Line, need_root, row
from idle import command


@row("resident")
def resident(bench):
    """With 100 pods, before and after these were listed, beside earlyoom, which knows
    no pods."""
    need_root()
    count = bench.pick(100, 2)
    met = "--eviction-hard=memory.available<99.99%"
    with machine.pods(bench, count) as base:
        for what, flags in ("idle", []), ("once they were listed", [met]):
            program = command(bench, "100ms", base, *flags)
            figures = bench.alternate(
                lambda program=program: held(bench, program, " watches "),
                lambda: held(bench, [bench.earlyoom(), "--dryrun", "-M", "100000"], "mem avail"),
            )
            ours, beside = ([one[0] for one in side] for side in figures)
            yield Line(f"resident, {count} pods, {what}", "KiB", ours, "earlyoom", beside, at_most=2048)
            ours, beside = ([one[1] for one in side] for side in figures)
            what = f"its cgroup's charge, {count} pods, {what}"
            yield Line(what, "KiB", ours, "earlyoom", beside, at_most=2048)


def held(bench, program, started):
    """What a program has resident, and what its own memory cgroup is charged for it, the
    kernel's part included; in KiB. Pages of its file count where they were not in memory
    before."""
    cgroup = machine.hierarchies()[0] / f"evictd-bench-{os.getpid()}-own"
    cgroup.mkdir()
    try:
        with machine.Running(program, bench.scratch / "log", cgroup) as running:
            running.await_line(started)
            time.sleep(bench.pick(1, 0.3))
            charge = "memory.usage_in_bytes" if machine.is_v1() else "memory.current"
            return running.resident_kib(), int((cgroup / charge).read_text(encoding="ascii")) / 1024
    finally:
        machine.remove([cgroup])


@row("list")
def listing(bench):
    """All of `evictd explain SIGNAL`: pods of two containers are found, read and ranked."""
    need_root()
    for count in bench.pick([100, 1000], [3]):
        with machine.pods(bench, count) as base:
            program = [bench.evictd, "explain", "memory.available", "--json", f"--pod-cgroup-root=/{base}"]
            if machine.cost(program)[2].count(f"{base}/pod") < count:
                raise RuntimeError(f"{program[0]} does not list {count} pods")
            [took] = bench.alternate(lambda: machine.cost(program)[1] / 1000)
            yield Line(f"rank {count} pods, the whole program", "ms", took)


@row("growth")
def growth(bench):
    """What a thousand pods more take, once they were listed."""
    need_root()
    small, large = bench.pick((10, 1000), (2, 4))
    sizes = []
    for count in small, large:
        with machine.pods(bench, count) as base:
            program = command(bench, "100ms", base, "--eviction-hard=memory.available<99.99%")
            sizes.append([held(bench, program, " watches ")[0] for _ in range(bench.runs)])
    grown = [(more - fewer) / (large - small) for fewer, more in zip(*sizes)]
    yield Line(f"resident growth, {small} to {large} pods", "KiB a pod", grown, at_most=8)

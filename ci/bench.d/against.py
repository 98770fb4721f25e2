"""This evictd beside another one, say of the last release: the same in turn, in one run."""

import os
import pathlib
import shutil
import time

import crossing
import idle
import kill
import machine
from frame import Lacks, Line, need, need_root, output

# A change may cost as much.
MOST = 1.3
ROWS = {}


def row(function):
    ROWS[function.__name__.replace("_", "-")] = function
    return function


def line(what, unit, ours, before, **more):
    return Line(what, unit, ours, "before", before, ratio_at_most=MOST, of_medians=True, **more)


class Other:
    """What a row is given of the other program: the same bench with that binary."""

    def __init__(self, bench, binary):
        self._bench, self.evictd = bench, binary

    def __getattr__(self, name):
        return getattr(self._bench, name)


def measure_crossing(bench, other, runner, what, trials):
    programs = bench.scratch / "before"
    programs.mkdir(exist_ok=True)
    copy = programs / "evictd-before"
    shutil.copy(other.evictd, copy)
    notes = crossing.scenario(bench, runner, "against", [], trials, [copy])
    yield line(what, "ms", *(crossing.millis(notes[side]) for side in ("ours", "before")))


@row
def crossing_v1(bench, other):
    """From the threshold to SIGKILL on cgroup v1, each in turn."""
    need_root()
    if not machine.is_v1():
        raise Lacks("cgroup v1")
    yield from measure_crossing(bench, other, "ci/native", "crossing to SIGKILL, v1", bench.pick(30, 2))


@row
def crossing_v2(bench, other):
    """The same on cgroup v2 with pressure stall information, in the virtual machine."""
    need("qemu-system-x86_64", "cpio")
    if not pathlib.Path("target/vm/vmlinuz").exists():
        raise Lacks("target/vm/vmlinuz: run ci/install")
    yield from measure_crossing(bench, other, "ci/vm", "crossing to SIGKILL, v2", bench.pick(15, 2))


@row
def start(bench, other):
    """From exec to the first decision."""
    clock = [bench.yardstick("reads"), "start"]
    flags = ["--dry-run", "--state-dir=", "--pod-cgroup-root=/none", "--eviction-hard=memory.available<99.9%"]
    measures = [
        lambda binary=binary: float(output(*clock, str(bench.pick(21, 3)), "below the hard threshold", binary, *flags))
        for binary in (bench.evictd, other.evictd)
    ]
    yield line("start to first decision", "µs", *bench.alternate(*measures, times=3))


@row
def freed(bench, other):
    """From the decision until the memory of a victim without a processor is free."""
    need_root()
    if not machine.is_v1():
        raise Lacks("cgroup v1")
    measures = [lambda one=one: kill.freed(one, "evicting pod") / 1000 for one in (bench, other)]
    yield line("starved victim, memory free", "ms", *bench.alternate(*measures, times=2))


@row
def listing(bench, other):
    """All of `evictd rank`: pods of two containers are found, read and ranked."""
    need_root()
    for count in bench.pick([100, 1000], [3]):
        with machine.pods(bench, count) as base:
            words = ["rank", "--signal=memory.available", "--json", f"--pod-cgroup-root=/{base}"]
            programs = [[binary, *words] for binary in (bench.evictd, other.evictd)]
            for program in programs:
                if machine.cost(program)[2].count(f"{base}/pod") < count:
                    raise RuntimeError(f"{program[0]} does not list {count} pods")
            measures = [lambda program=program: machine.cost(program)[1] / 1000 for program in programs]
            yield line(f"rank {count} pods, the whole program", "ms", *bench.alternate(*measures, times=4))


@row
def idle_cpu(bench, other):
    """Watching all signals at the default interval; earlyoom watches memory alone."""
    need_root()
    seconds = bench.pick(30, 2)
    earlyoom = [bench.earlyoom(), "--dryrun", "-r", "0", "-M", "100000"]
    programs = [idle.command(bench, "10s"), idle.command(other, "10s"), earlyoom]
    names = ["ours", "before", "earlyoom"]
    running = [machine.Running(program, bench.scratch / name) for program, name in zip(programs, names)]
    try:
        for program in running[:2]:
            program.await_line(" watches ")
        time.sleep(bench.pick(5, 0.5))
        for program in running:
            program.pause()
        measures = [
            lambda program=program: machine.cpu_while_running(program, seconds) / seconds for program in running
        ]
        ours, before, beside = bench.alternate(*measures)
    finally:
        for program in running:
            program.__exit__()
    what = "idle CPU at the default interval"
    yield line(what, "µs/s", ours, before)
    yield Line(what, "µs/s", ours, "earlyoom", beside, ratio_at_most=1, of_medians=True)


def rows(binary):
    """The rows of frame.ROWS' shape for this other binary."""
    if not os.access(binary, os.X_OK):
        raise SystemExit(f"bench: {binary} cannot be executed")
    binary = str(pathlib.Path(binary).resolve())
    return {name: lambda bench, row=row: row(bench, Other(bench, binary)) for name, row in ROWS.items()}

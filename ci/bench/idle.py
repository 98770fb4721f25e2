"""What evictd costs while nothing is short."""

import re
import subprocess
import time

import machine
from frame import Line, need, need_root, row

# Every signal is watched, and none is met.
THRESHOLDS = (
    "memory.available<100Mi,nodefs.available<1Mi,nodefs.inodesFree<1,"
    "imagefs.available<1Mi,imagefs.inodesFree<1,pid.available<300"
)
PODS = [0, 10, 1000]
INTERVAL_MS = 100


def command(bench, interval, base="none", *flags):
    """evictd that watches the node and these pods, and kills nothing."""
    return [
        bench.evictd,
        "--dry-run",
        "--state-dir=",
        f"--pod-cgroup-root=/{base}",
        f"--housekeeping-interval={interval}",
        f"--eviction-hard={THRESHOLDS}",
        *flags,
    ]


def node_files():
    root = machine.hierarchies()[0]
    names = ["memory.usage_in_bytes", "memory.stat"] if machine.is_v1() else ["memory.stat"]
    return ["/proc/meminfo", "/proc/sys/kernel/pid_max", "/proc/loadavg", *(str(root / name) for name in names)]


def syscalls(bench, pid, seconds):
    """System calls of all of its threads in so many seconds."""
    trace = bench.scratch / f"trace.{pid}"
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-e", "trace=all", "-o", str(trace), "-p", str(pid)])
    time.sleep(0.5)
    # strace writes at once: what stands there when, is when it happened.
    before = begun(trace)
    time.sleep(seconds)
    after = begun(trace)
    tracer.terminate()
    tracer.wait()
    return after - before


def begun(trace):
    lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()
    return sum(bool(re.match(r"\d+ +\w+\(", line)) and "restart_syscall(" not in line for line in lines)


def cpu_of(bench, ours, beside, seconds, settle, shares):
    """What each uses of the processors in so many seconds, in shares; one runs at a time."""
    ours.await_line(" watches ")
    time.sleep(settle)
    ours.pause()
    beside.pause()
    measures = [lambda program=program: machine.cpu_while_running(program, seconds) / shares for program in (ours, beside)]
    return bench.alternate(*measures)


@row("idle")
def idle(bench):
    """A round with no, ten and a thousand pods, beside reading the node's files alone."""
    need_root()
    seconds = bench.pick(2, 0.5)
    for count in PODS if not bench.quick else PODS[:2]:
        yield from idle_with(bench, count, seconds)


def idle_with(bench, count, seconds):
    limit = [bench.yardstick("reads"), "node", str(INTERVAL_MS), *node_files()]
    rounds = seconds * 1000 / INTERVAL_MS
    with (
        machine.pods(bench, count) as base,
        machine.Running(command(bench, f"{INTERVAL_MS}ms", base), bench.scratch / "log") as ours,
        machine.Running(limit, bench.scratch / "limit") as beside,
    ):
        figures = cpu_of(bench, ours, beside, seconds, bench.pick(1, 0.2), rounds)
        what = f"idle round, {count} pods"
        yield Line(f"{what}: CPU", "µs", figures[0], "node's files", figures[1], ratio_at_most=1.15)
        need("strace")
        ours.resume()
        beside.resume()
        measures = [
            lambda pid=program.pid: syscalls(bench, pid, seconds / 4) / (rounds / 4) for program in (ours, beside)
        ]
        calls = bench.alternate(*measures)
        yield Line(f"{what}: system calls", "calls", calls[0], "node's files", calls[1], at_most=10)


@row("idle-cpu")
def idle_cpu(bench):
    """A second's watching beside earlyoom, which wakes once a second too while much is free."""
    need_root()
    seconds = bench.pick(4, 1)
    earlyoom = [bench.earlyoom(), "--dryrun", "-r", "0", "-M", "100000"]
    with (
        machine.Running(command(bench, "1s"), bench.scratch / "log") as ours,
        machine.Running(earlyoom, bench.scratch / "earlyoom") as beside,
    ):
        figures = cpu_of(bench, ours, beside, seconds, bench.pick(2, 0.2), seconds)
    what = "idle CPU at 1 s, all signals"
    yield Line(what, "µs/s", figures[0], "earlyoom, memory alone", figures[1], ratio_at_most=1)


"""From the start of the program to its first decision."""

from frame import Line, output, row


@row("start")
def start(bench):
    """A threshold that is met is told; the smallest Rust program and earlyoom tell what
    is free."""
    clock = [bench.yardstick("reads"), "start"]
    ours = [bench.evictd, "--dry-run", "--state-dir=", "--pod-cgroup-root=/none"]
    ours.append("--eviction-hard=memory.available<99.9%")
    programs = [
        ("below the hard threshold", ours),
        ("OK", [bench.smallest_rust()]),
        ("mem avail:", [bench.earlyoom(), "--dryrun", "-M", "100000"]),
    ]
    repetitions = bench.pick(21, 3)
    measures = [
        lambda text=text, program=program: float(output(*clock, str(repetitions), text, *program))
        for text, program in programs
    ]
    decided, smallest, earlyoom = bench.alternate(*measures, times=3)
    yield Line("start to first decision", "µs", decided, "smallest Rust program", smallest, ratio_at_most=2)
    yield Line("start to first decision", "µs", decided, "earlyoom", earlyoom, ratio_at_most=0.2)

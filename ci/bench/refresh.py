"""Reading what all pods use, when a threshold is met."""

import resource

import machine
from frame import Line, need_root, output, row


@row("refresh")
def refresh(bench):
    """All pods, beside opening and reading the same files from open directories."""
    need_root()
    # Each pod's directories are kept open here.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for count in bench.pick([100, 1000], [3]):
        with machine.pods(bench, count, bench.pick(256, 16)) as base:
            yield from refresh_of(bench, count, base, bench.pick(5000 // count, 2))


def refresh_of(bench, count, base, rounds):
    ours = [bench.crate("release"), "pods", f"/{base}", str(rounds)]
    usage = "memory.usage_in_bytes" if machine.is_v1() else "memory.current"
    roots = [str(root / base) for root in machine.hierarchies()]
    least = [bench.yardstick("reads"), "pods", str(rounds), str(count)]
    whole = [*least, usage, "memory.stat", "+pids.current", "--", *roots]
    memory = [*least, usage, "memory.stat", "--", *roots]
    lazy = [*least, usage, "--", *roots]
    figures = bench.alternate(
        lambda: [int(nanos) / 1000 for nanos in output(*ours).split()],
        lambda: float(output(*whole)),
        lambda: float(output(*memory)),
        lambda: float(output(*lazy)),
    )
    read, counters, listed, bounds, again, bounds_again = map(list, zip(*figures[0]))
    most = 3 if count == 1000 else None
    limit, limit_memory, limit_lazy = "openat, read, close", "the same of memory alone", "the same without memory.stat"
    what = f"read the memory of {count} pods"
    yield Line(what, "µs", read, limit_memory, figures[2], ratio_at_most=1.1)
    yield Line(f"read {count} pods' memory counters", "µs", counters, limit_lazy, figures[3], ratio_at_most=1.1)
    yield Line(f"list, open and read {count} pods", "µs", listed, limit, figures[1], ratio_at_most=most)
    yield Line(f"list, open {count} pods, read their memory counter", "µs", bounds, limit, figures[1])
    what = f"find {count} pods as before, open and read them"
    yield Line(what, "µs", again, limit, figures[1], ratio_at_most=most)
    what = f"find {count} pods as before, open them, read their memory counter"
    yield Line(what, "µs", bounds_again, limit, figures[1])

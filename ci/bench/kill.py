"""Freeing the memory of a victim that gets no processor to die with."""

import os

import machine
from frame import Line, row


@row("kill")
def kill(bench):
    """A victim with cpu.shares of 2 on a node whose processors are all busy."""
    methods = ["evicting pod", "release", "kill"]
    figures = bench.alternate(*(lambda method=method: freed(bench, method) / 1000 for method in methods))
    ours, release, plain = figures
    note = f"plain SIGKILL: {min(plain):.0f}–{max(plain):.0f} ms"
    what = "starved victim, memory free"
    yield Line(what, "ms", ours, "SIGKILL, process_mrelease", release, ratio_at_most=1.2, note=note)
    yield Line(what, "ms", ours, "SIGKILL alone", plain, ratio_at_most=0.2)


def freed(bench, method):
    """Microseconds from the decision until the memory is free."""
    with machine.victim(bench, "kill", ["memory", "pids", "freezer", "cpu"]) as (dirs, evictd):
        (dirs[-1].parent / "cpu.shares").write_text("2", encoding="ascii")
        program = [bench.yardstick("kills"), "starved", method, str(bench.pick(256, 64)), str(2 * (os.cpu_count() or 1))]
        return machine.micros_of(program, dirs, evictd if method == "evicting pod" else [])

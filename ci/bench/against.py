"""This evictd beside another one, say of the last release: the same rows with each in turn, in
one run."""

import os
import pathlib

import frame

# A change may cost as much.
MOST = 1.3
# Which rows, and how many turns each side has; more where one is short.
TURNS = {"crossing": 2, "crossing-psi": 2, "start": 15, "kill": 10, "list": 20, "idle-cpu": 5}


def row(name, measure_one, binary):
    """A row whose reference is what the other binary gives."""

    def measure(bench):
        def figures(evictd):
            one = frame.Bench(bench.quick, bench.scratch / f"turn{next(turns)}")
            one.runs, one.evictd_path = 1, evictd
            return list(measure_one(one))

        turns = iter(range(2 * TURNS[name]))
        lines = bench.alternate(lambda: figures(bench.evictd), lambda: figures(binary), turns=bench.pick(TURNS[name], 1))
        whats = [line.what for line in lines[0][0]]
        for what in dict.fromkeys(whats):
            at = whats.index(what)
            ours, before = ([figure for turn in side for figure in turn[at].ours] for side in lines)
            yield frame.Line(what, lines[0][0][at].unit, ours, "before", before, ratio_at_most=MOST, of_medians=True)

    return measure


def rows(binary):
    """The rows of frame.ROWS' shape for this other binary."""
    if not os.access(binary, os.X_OK):
        raise SystemExit(f"bench: {binary} cannot be executed")
    return {name: row(name, frame.ROWS[name], str(pathlib.Path(binary).resolve())) for name in TURNS}

"""The crates that compute: ranking and quantities.

The reference is built for speed. Ours is measured twice: as release builds are,
optimised for size, and for speed as a program would build the crates that embeds them.
"""

import statistics

from frame import Line, output, row

SMALL, FAST = "for size", "for speed"


def figures_of(program, words):
    return [int(figure) / 1000 for figure in output(program, *map(str, words)).split()]


# A moment in which the machine is slow is longer than one of these runs.
TIMES = 3


def pairs(bench, *words):
    """What `words` print, run by run, pair by pair: ours for size, ours for speed, the least."""
    small, fast = bench.crate("release"), bench.crate("speed")
    programs = [lambda program=program: figures_of(program, words) for program in (small, fast)]
    small, large = bench.alternate(*programs, times=TIMES)
    runs = [zip(one[::2], other[::2], other[1::2]) for one, other in zip(small, large)]
    return [list(map(list, zip(*pair))) for pair in zip(*runs)]


@row("rank")
def rank(bench):
    """The whole order of many pods, beside sorting one packed number for each."""
    for count, rounds in bench.pick([(1000, 301), (100_000, 5)], [(1000, 5)]):
        whole, first = pairs(bench, "rank", count, rounds)
        note = "the victim alone: {:.1f} µs for size, {:.1f} for speed; scanning packed numbers {:.1f}"
        note = note.format(*(statistics.median(figures) / 1000 for figures in first))
        for how, ours in zip((SMALL, FAST), whole):
            micros = [[nanos / 1000 for nanos in figures] for figures in (ours, whole[2])]
            what = f"rank {count:,} pods, {how}"
            yield Line(what, "µs", micros[0], "packed sort", micros[1], ratio_at_most=2, note=note)
            note = ""


@row("quantity")
def quantity(bench):
    """Reading one quantity, of a mix and of the form that costs most."""
    rounds = bench.pick(101, 3)
    for what, words in ("parse a quantity, mix", ["quantity"]), ('parse "1.5Gi"', ["quantity-one", "1.5Gi"]):
        [[small, fast, least]] = pairs(bench, *words, rounds)
        for how, ours in (SMALL, small), (FAST, fast):
            yield Line(f"{what}, {how}", "ns", ours, "integers alone", least, ratio_at_most=2)

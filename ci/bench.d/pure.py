"""The crates that compute: ranking and quantities.

The reference is built for speed. Ours is measured twice: as the binary ships it,
optimised for size, and for speed as a program would build the crates that embeds them.
"""

import statistics

from frame import Line, output, row

SHIPPED, FAST = "as shipped", "for speed"


def figures_of(program, words):
    return [int(figure) / 1000 for figure in output(program, *map(str, words)).split()]


def pairs(bench, *words):
    """What `words` print, run by run: ours as shipped, ours for speed, then the least."""
    shipped, fast = bench.crate("release"), bench.crate("speed")
    small, large = bench.alternate(lambda: figures_of(shipped, words), lambda: figures_of(fast, words))
    yield from zip(*([one[0], other[0], *other[1:]] for one, other in zip(small, large)))


@row("rank")
def rank(bench):
    """The whole order of many pods, beside sorting one packed number for each."""
    for count, rounds in bench.pick([(1000, 501), (100_000, 7)], [(1000, 5)]):
        shipped, fast, packed, first = map(list, pairs(bench, "rank", count, rounds))
        note = f"the first alone by one scan would take {statistics.median(first) / 1000:.1f} µs"
        for how, ours in (SHIPPED, shipped), (FAST, fast):
            micros = [[nanos / 1000 for nanos in figures] for figures in (ours, packed)]
            what = f"rank {count:,} pods, {how}"
            yield Line(what, "µs", micros[0], "packed sort", micros[1], ratio_at_most=2, note=note)
            note = ""


@row("quantity")
def quantity(bench):
    """Reading one quantity, of a mix and of the form that costs most."""
    rounds = bench.pick(101, 3)
    for what, words in ("parse a quantity, mix", ["quantity"]), ('parse "1.5Gi"', ["quantity-one", "1.5Gi"]):
        shipped, fast, least = map(list, pairs(bench, *words, rounds))
        for how, ours in (SHIPPED, shipped), (FAST, fast):
            yield Line(f"{what}, {how}", "ns", ours, "integers alone", least, ratio_at_most=2)

"""Walking directories."""

import statistics

import machine
from frame import Line, row


def make_tree(top, files):
    """Files of nothing, a hundred in a directory, a hundred of these in one: what names
    and inodes cost, without the time that writing would take."""
    for number in range(files):
        directory = top / f"d{number // 10_000}" / f"e{number // 100}"
        if number % 100 == 0:
            directory.mkdir(parents=True)
        (directory / f"file-{number}.dat").touch()


@row("walk")
def walk(bench):
    """What a tree holds: our walk beside the two system calls that it takes, and du."""
    files = bench.pick(100_000, 500)
    tree = bench.scratch / "tree"
    tree.mkdir()
    make_tree(tree, files)
    limit = [bench.yardstick("reads"), "walk"]
    programs = [
        [bench.crate("release"), "walk", str(tree)],
        [bench.crate("speed"), "walk", str(tree)],
        [*limit, str(tree)],
        ["du", "-s", "--inodes", str(tree)],
    ]
    for program in programs:
        machine.cost(program)
    measures = [lambda program=program: machine.cost(program)[0] / files for program in programs]
    small, fast, least, du = bench.alternate(*measures)
    note = f"du: {statistics.median(du):.2f} µs"
    for how, ours in ("for size", small), ("for speed", fast):
        what = f"disk walk, an entry's CPU, {how}"
        yield Line(what, "µs", ours, "getdents64 + statx", least, ratio_at_most=1.1, note=note)
        note = ""

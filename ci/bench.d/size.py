"""How large the binary is."""

import os

from frame import Line, row


@row("size")
def size(bench):
    """The static binary as it ships."""
    yield Line("binary, all backends", "KiB", [os.stat(bench.evictd).st_size / 1024], at_most=800)

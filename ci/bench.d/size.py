"""How large the binary is."""

import os
import subprocess

from frame import Line, row


@row("size")
def size(bench):
    """The static binary as it ships, and what is left of it without all that can be left out."""
    yield Line("binary, all backends", "KiB", [os.stat(bench.evictd).st_size / 1024], at_most=800)
    foundation = bench.scratch / "foundation"
    command = ["ci/build-static", "--features", "", "--output", str(foundation)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    what = "binary without runtimes and YAML"
    yield Line(what, "KiB", [foundation.stat().st_size / 1024], at_most=450)

"""How large the binary is."""

import os
import subprocess

from frame import Line, row


@row("size")
def size(bench):
    """The static binary as it ships, and what is left of it without all that can be left out."""
    yield Line("binary, all backends", "KiB", [os.stat(bench.evictd).st_size / 1024], at_most=2048)
    yield Line("binary without runtimes and YAML", "KiB", [kib(bench, "cli")])
    yield Line("binary, the daemon alone", "KiB", [kib(bench, "cri,docker,yaml")])


def kib(bench, features):
    """What the binary with these parts alone weighs."""
    binary = bench.scratch / "foundation"
    command = ["ci/build-static", "--features", features, "--output", str(binary)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return binary.stat().st_size / 1024

"""What needs cgroup v2: measured in ci/vm's machine. Its processor is emulated, so only
ratios can be compared with those of other machines."""

import pathlib
import re

from crossing import millis, scenario
from frame import Lacks, Line, need, output, row


def need_machine():
    need("qemu-system-x86_64", "cpio")
    if not pathlib.Path("target/vm/vmlinuz").exists():
        raise Lacks("target/vm/vmlinuz: run ci/install")


def crossings(bench, what, flags, trials, **target):
    """Beside memory.high's event and earlyoom."""
    need_machine()
    earlyoom = bench.earlyoom()
    libraries = re.findall(r"(/\S+/(?:ld-linux-x86-64\.so\.2|libc\.so\.6))", output("ldd", earlyoom))
    words = f"{trials} {flags}"
    notes = scenario(bench, "ci/vm", "crossing-v2", ["kills"], words, [earlyoom, *libraries])
    ours, beside = millis(notes["ours"]), millis(notes["beside"])
    yield Line(what, "ms", ours, "memory.high's event", beside, **target)
    yield Line(what, "ms", ours, "earlyoom", millis(notes["earlyoom"]))


@row("crossing-v2", slow=True)
def crossing_v2(bench):
    """Without pressure stall information."""
    yield from crossings(bench, "crossing to SIGKILL, v2, no PSI", "--debug=no-kernel-notices", bench.pick(8, 3), worst_at_most=100)


@row("crossing-psi", slow=True)
def crossing_psi(bench):
    """With it."""
    yield from crossings(bench, "crossing to SIGKILL, v2", "--debug=", bench.pick(8, 1))


@row("crowd-v2", slow=True)
def crowd_v2(bench):
    """A thousand processes, on two processors and on one, whose time is what it executes."""
    need_machine()
    trials = f"{bench.runs} {bench.pick(1000, 100)}"
    for where, name in [("", "crowd-v2"), (", one processor", "crowd-v2-one")]:
        notes = scenario(bench, "ci/vm", name, ["kills"], trials)
        ours, alone = millis(notes["ours"]), millis(notes["alone"])
        yield Line(f"crowd ended, v2{where}", "ms", ours, "SIGKILL alone", alone, ratio_at_most=1.5)

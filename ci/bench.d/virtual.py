"""What needs cgroup v2: measured in ci/vm's machine. Its processor is emulated, so only
ratios can be compared with those of other machines."""

import re

from crossing import millis, scenario
from frame import Lacks, Line, need, output, row


@row("crossing-v2", slow=True)
def crossing_v2(bench):
    """Without pressure stall information, beside memory.high's event and earlyoom."""
    need("qemu-system-x86_64", "cpio")
    try:
        with open("target/vm/vmlinuz", "rb"):
            pass
    except OSError as error:
        raise Lacks("target/vm/vmlinuz: run ci/install") from error
    earlyoom = bench.earlyoom()
    libraries = re.findall(r"(/\S+/(?:ld-linux-x86-64\.so\.2|libc\.so\.6))", output("ldd", earlyoom))
    notes = scenario(bench, "ci/vm", "crossing-v2", ["events", "available"], bench.pick(8, 3), [earlyoom, *libraries])
    ours = millis(notes["ours"])
    what, beside = "crossing to SIGKILL, v2, no PSI", millis(notes["beside"])
    yield Line(what, "ms", ours, "memory.high's event", beside, worst_at_most=100)
    yield Line(what, "ms", ours, "earlyoom", millis(notes["earlyoom"]))

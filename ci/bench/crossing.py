"""From the crossing of a memory threshold to SIGKILL, while memory is filled at full
speed. A hog looks every 256 KiB whether it has crossed, and
its watcher every 0.2 ms whether it was killed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import machine
from frame import Lacks, Line, need_root, row


def scenario(bench, runner, name, yardsticks, words, more=()):
    """Runs one of ci/bench/scenarios by ci/native or ci/vm; its notes, by their first
    word, as lists of numbers."""
    programs, scenarios = bench.scratch / "programs", bench.scratch / "scenarios"
    for directory in programs, scenarios:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
    for yardstick in yardsticks:
        shutil.copy(bench.yardstick(yardstick), programs)
    for path in more:
        shutil.copy(path, programs)
    # What a scenario reads its number of trials and more from: it has no variables of ours.
    trials_file = programs / "trials"
    trials_file.write_text(f"{words}\n", encoding="ascii")
    trials_file.chmod(0o755)
    libraries = pathlib.Path("ci/scenarios").glob("*.sh")
    for path in *libraries, *pathlib.Path("ci/bench/scenarios").iterdir():
        shutil.copy(path, scenarios)
    where = {"EVICTD": bench.evictd, "EVICTD_SCENARIOS": str(scenarios), "EVICTD_PROGRAMS": str(programs)}
    # A line of the kernel's may tear one of ours on a virtual machine's console, and a host
    # that stands still for a minute ends a wait of it: once more, then.
    for _ in range(2):
        ran = subprocess.run([runner, name], env=os.environ | where, stdout=subprocess.PIPE, text=True, check=False)
        if ran.returncode != 0:
            print(f"{runner} {name}, tried at most twice:\n{ran.stdout}", file=sys.stderr)
            continue
        notes = re.findall(r"; (\w+)((?: -?\d+)+)", ran.stdout)
        if any(word == "ours" for word, _ in notes):
            return {word: [int(figure) for figure in figures.split()] for word, figures in notes}
    raise RuntimeError(f"{runner} {name}: no figures, twice:\n{ran.stdout}")


# No shorter time can be told.
SHORTEST_MICROS = 200


def millis(figures):
    """A hog that was killed before it saw its crossing did not get another 256 KiB: that is
    the shortest time."""
    return [max(micros, SHORTEST_MICROS) / 1000 for micros in figures]


@row("crossing")
def crossing(bench):
    """On cgroup v1, beside the kernel's notice alone, and beside earlyoom."""
    need_root()
    if not machine.is_v1():
        raise Lacks("cgroup v1")
    notes = scenario(bench, "ci/native", "crossing-v1", ["kills"], bench.pick(30, 3))
    ours = millis(notes["ours"])
    beside = millis(notes["beside"])
    yield Line("crossing to SIGKILL, v1", "ms", ours, "eventfd alone", beside, at_most=2, worst_at_most=20)
    earlyoom = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "ci/bench/scenarios/earlyoom.sh"]
    earlyoom += [str(bench.pick(1024, 512)), str(bench.pick(10, 1)), bench.earlyoom()]
    # Where ci/native has built the scenarios' programs.
    path = {"PATH": f"{pathlib.Path('target/scenarios').resolve()}:{os.environ['PATH']}"}
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "check": True}
    ran = subprocess.run(earlyoom, env=os.environ | path, **quiet)
    yield Line("crossing to SIGKILL, v1", "ms", ours, "earlyoom", millis(map(int, ran.stdout.split())))


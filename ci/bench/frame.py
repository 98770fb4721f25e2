"""What a row is, and how rows are measured one after the other."""

import dataclasses
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

YARDSTICKS = pathlib.Path("ci/bench/yardsticks")
BUILT = pathlib.Path("target/bench")
BUILDING = threading.Lock()

ROWS = {}
# Those that mostly wait: where no figure counts, the others run meanwhile.
SLOW = set()


class Lacks(Exception):
    """This machine lacks what a row needs; the text says what."""


def row(name, slow=False):
    """Makes a function one of the rows: it takes a Bench and yields Lines."""

    def add(function):
        ROWS[name] = function
        if slow:
            SLOW.add(name)
        return function

    return add


@dataclasses.dataclass
class Line:
    """One line of the table. `ours` and `beside` are one number for each run, in `unit`."""

    what: str
    unit: str
    ours: list
    reference: str = ""
    beside: list = dataclasses.field(default_factory=list)
    # The target: a ratio, or an amount in `unit`; of the worst run where it says so.
    ratio_at_most: float | None = None
    at_most: float | None = None
    worst_at_most: float | None = None
    # The ratio is the medians', not the median of the pairs' ratios: for figures of which
    # neighbours have nothing to do with each other.
    of_medians: bool = False
    note: str = ""

    @property
    def ratios(self):
        return [ours / beside for ours, beside in zip(self.ours, self.beside) if beside]

    @property
    def ratio(self):
        if self.of_medians and self.beside:
            beside = statistics.median(self.beside)
            return statistics.median(self.ours) / beside if beside else None
        return statistics.median(self.ratios) if self.ratios else None

    def misses(self):
        """Each target that is missed: how many times too much the figure is."""
        judged = [(self.ratio, self.ratio_at_most), (statistics.median(self.ours), self.at_most)]
        judged.append((max(self.ours), self.worst_at_most))
        return [figure / most for figure, most in judged if None not in (figure, most) and figure > most]


@dataclasses.dataclass
class Table:
    """What was measured, where, and how busy the machine was with other things."""

    machine: str
    kernel: str
    began: str
    quick: bool
    lines: list = dataclasses.field(default_factory=list)
    lacking: dict = dataclasses.field(default_factory=dict)
    broken: dict = dataclasses.field(default_factory=dict)
    loads: list = dataclasses.field(default_factory=list)
    seconds: float = 0


class Bench:
    """What every row is given: programs, numbers of runs, a scratch directory."""

    def __init__(self, quick, scratch):
        self.quick = quick
        self.scratch = pathlib.Path(scratch)
        self.scratch.mkdir()
        # Alternating runs of each side.
        self.runs = 1 if quick else 5
        self.evictd_path = os.environ.get("EVICTD")

    def pick(self, whole, quick):
        return quick if self.quick else whole

    @property
    def evictd(self):
        """The static binary; built where EVICTD does not name one."""
        if self.evictd_path is None:
            # Too large a binary is another part's failure, and can be measured.
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
            built = subprocess.run(["ci/build-static"], check=False, **quiet)
            self.evictd_path = "target/static/x86_64/evictd"
            if not os.access(self.evictd_path, os.X_OK):
                raise Lacks(f"the static binary: {built.stderr.strip()}")
        return str(pathlib.Path(self.evictd_path).resolve())

    def yardstick(self, name):
        """A program of ours that does only what must be done, built where it is not as new."""
        source = YARDSTICKS / f"{name}.c"
        need("musl-gcc")
        warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-format-truncation"]
        return self._built(source, ["musl-gcc", "-static", "-O2", *warnings])

    def smallest_rust(self):
        """The smallest Rust program that decides something, static as evictd is."""
        need("rustc")
        flags = ["rustc", "-O", "-C", "panic=abort", "-C", "strip=symbols", "-C", "target-feature=+crt-static"]
        musl = "x86_64-unknown-linux-musl"
        sysroot = output("rustc", "--print", "sysroot").strip()
        if pathlib.Path(sysroot, "lib/rustlib", musl, "lib").is_dir():
            flags += ["--target", musl]
        return self._built(YARDSTICKS / "first.rs", flags)

    def _built(self, source, command):
        binary = BUILT / source.stem
        newest = max(file.stat().st_mtime for file in [source, *YARDSTICKS.glob("*.h")])
        # Rows run side by side: none may take what another has half written.
        with BUILDING:
            if not binary.exists() or binary.stat().st_mtime < newest:
                BUILT.mkdir(parents=True, exist_ok=True)
                subprocess.run([*command, str(source), "-o", str(binary)], check=True)
        return str(binary.resolve())

    def crate(self, profile):
        """The development crate's program: in profile "release", for size as evictd itself, in
        "speed" as a program would build the crates that wants them fast."""
        need("cargo")
        subprocess.run(["cargo", "build", "-q", "-p", "bench", "--profile", profile], check=True)
        return str(pathlib.Path("target", profile, "bench").resolve())

    def earlyoom(self):
        """Debian's, as ci/install unpacked it, or the one of this machine."""
        unpacked = pathlib.Path("target/tools/earlyoom/usr/bin/earlyoom")
        if unpacked.exists():
            return str(unpacked.resolve())
        need("earlyoom")
        return "earlyoom"

    def alternate(self, *measures, times=1, turns=None):
        """One list of figures for each of `measures`, which run in turn: that many times as
        often as usual, or so many turns."""
        figures = [[] for _ in measures]
        for run in range(turns or self.runs * self.pick(times, 1)):
            # Who goes first changes, so that neither always finds things warm.
            turns = list(zip(measures, figures))
            for measure_one, into in turns if run % 2 == 0 else reversed(turns):
                into.append(measure_one())
        return figures


def need(*tools):
    for tool in tools:
        if not any(os.access(pathlib.Path(place, tool), os.X_OK) for place in os.environ["PATH"].split(":")):
            raise Lacks(f"{tool}: run ci/install")


def need_root():
    if os.geteuid() != 0:
        raise Lacks("root")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def load():
    return float(pathlib.Path("/proc/loadavg").read_text(encoding="ascii").split()[0])


def cpu_name():
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def measure(names, quick):
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    table = Table(cpu_name(), platform.release(), began, quick)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="evictd-bench-") as scratch:
        work = [(table, name, Bench(quick, pathlib.Path(scratch, name))) for name in names]
        slow = [one for one in work if quick and one[1] in SLOW]
        # One after the other: two of them run the same scenario, which has one log.
        aside = threading.Thread(target=lambda: [measure_row(*one) for one in slow])
        aside.start()
        for one in work:
            if one not in slow:
                measure_row(*one)
        aside.join()
    table.seconds = time.monotonic() - start
    return table


def measure_row(table, name, bench):
    table.loads.append(load())
    began = time.monotonic()
    try:
        # A line that was measured stays, whatever becomes of the next.
        for line in ROWS[name](bench):
            table.lines.append(line)
    except Lacks as lacks:
        table.lacking[name] = str(lacks)
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        table.broken[name] = f"{type(error).__name__}: {error}"
    print(f"bench: {name} took {time.monotonic() - began:.0f} s", file=sys.stderr)

"""Processes and cgroups of a row, and what they cost. All of it goes with its `with`."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

from frame import Lacks, need_root

CGROUPS = pathlib.Path("/sys/fs/cgroup")


def is_v1():
    return (CGROUPS / "memory/cgroup.procs").exists()


def hierarchies():
    """The directories of the memory and the pids controller: on v2 the same."""
    if is_v1():
        return [CGROUPS / "memory", CGROUPS / "pids"]
    if (CGROUPS / "cgroup.controllers").exists():
        return [CGROUPS]
    raise Lacks("cgroups in /sys/fs/cgroup")


def remove(directories):
    """Kills what is in the cgroups and removes them, until none is left."""
    for _ in range(100):
        left = [directory for directory in directories if directory.exists()]
        if not left:
            return
        for top in left:
            for directory, _, _ in os.walk(top, topdown=False):
                with contextlib.suppress(OSError):
                    for pid in pathlib.Path(directory, "cgroup.procs").read_text(encoding="ascii").split():
                        os.kill(int(pid), signal.SIGKILL)
                with contextlib.suppress(OSError):
                    os.rmdir(directory)
        time.sleep(0.05)
    raise RuntimeError(f"could not remove {directories}")


def make(cgroup):
    """On v2 children have controllers only where the parent hands them out."""
    cgroup.mkdir()
    control = cgroup / "cgroup.subtree_control"
    if control.exists():
        control.write_text("+memory +pids", encoding="ascii")


@contextlib.contextmanager
def pods(bench, count, anon_kib=16):
    """So many pods of two containers each, below a cgroup whose name is returned."""
    base = f"evictd-bench-{os.getpid()}-pods"
    roots = [root / base for root in hierarchies()]
    maker = None
    try:
        for root in roots:
            make(root)
            for pod in range(count):
                make(root / f"pod{pod}")
                for container in "c0", "c1":
                    (root / f"pod{pod}" / container).mkdir()
        command = [bench.yardstick("reads"), "hold", str(anon_kib), str(count), *map(str, roots)]
        maker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if not maker.stdout.readline().startswith("ready"):
            raise RuntimeError("the pods were not made")
        yield base
    finally:
        if maker:
            maker.kill()
            maker.wait()
            maker.stdout.close()
        remove(roots)


@contextlib.contextmanager
def victim(bench, name, controllers):
    """The cgroups of a pod on v1, and an evictd that evicts it at once."""
    need_root()
    if not is_v1():
        raise Lacks("cgroup v1")
    if list(CGROUPS.glob("memory/kubepods*")):
        raise Lacks("a machine without a kubepods tree, whose pods could be evicted")
    base = f"evictd-bench-{os.getpid()}-{name}"
    tops = [CGROUPS / controller / base for controller in controllers]
    dirs = [top / "victim" for top in tops]
    evictd = [
        bench.evictd,
        "--state-dir=",
        "--log-format=json",
        f"--pod-cgroup-root=/{base}",
        "--housekeeping-interval=10s",
        # As the kubelet, also where the pod holds next to nothing of what is missing; softly, as
        # at a hard threshold a kubelet gives a second.
        "--eviction-hard=",
        "--eviction-soft=memory.available<99.99%",
        "--eviction-soft-grace-period=memory.available=1ms",
        "--eviction-max-pod-grace-period=0",
        "--compat=kubelet",
    ]
    try:
        for directory in dirs:
            directory.mkdir(parents=True)
        yield dirs, evictd
    finally:
        remove(tops)


def micros_of(command, dirs, evictd):
    """What a yardstick measures that kills, or has evictd kill."""
    command = [*command, *map(str, dirs), *(["--", *evictd] if evictd else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            text = "0"
    if process.returncode not in (0, -signal.SIGKILL) or int(text) <= 0:
        raise RuntimeError("evictd did not evict within 60 s")
    return int(text)


class Running:
    """A program that runs until its `with` ends."""

    def __init__(self, command, log, cgroup=None):
        self.log = pathlib.Path(log)
        enter = (lambda: (cgroup / "cgroup.procs").write_text("0", encoding="ascii")) if cgroup else None
        with self.log.open("wb") as log:
            ends = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            self.process = subprocess.Popen(command, preexec_fn=enter, **ends)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def await_line(self, text, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if text in self.log.read_text(encoding="utf-8", errors="replace"):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"{self.process.args[0]} did not say {text!r}: {self.log.read_text(encoding='utf-8')}")

    def cpu_micros(self):
        """What its threads have used of the processors; the clock of the scheduler is in
        nanoseconds."""
        used = 0
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                used += int((task / "schedstat").read_text(encoding="ascii").split()[0])
        return used / 1000

    def resident_kib(self):
        text = pathlib.Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="ascii")
        return int(re.search(r"^Rss:\s*(\d+) kB$", text, re.MULTILINE).group(1))

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)


def cpu_while_running(program, seconds, settle=0.3):
    """Microseconds of CPU that a paused program uses in so many seconds."""
    program.resume()
    time.sleep(settle)
    began, before = time.monotonic(), program.cpu_micros()
    time.sleep(seconds)
    used, took = program.cpu_micros() - before, time.monotonic() - began
    program.pause()
    return used * seconds / took


def cost(command):
    """CPU and wall time, in microseconds, of a command that ends, and what it printed."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit {process.returncode}")
    return (used.ru_utime + used.ru_stime) * 1e6, (time.monotonic() - began) * 1e6, text

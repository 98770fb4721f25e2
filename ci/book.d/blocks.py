"""Who runs each block of commands of the book, and the running of those that ci/book does.

usage: blocks.py list                what runs each block
       blocks.py run EVICTD          checks that each block is run by something, and runs
                                     those that name nothing else
       blocks.py write DIR           for scenarios: DIR/NAME.1, NAME.2, ...
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from documents import ROOT, documents, name_of, scenario_file, split

# The machines of ci/init, each by its script there.
MACHINES = ROOT / "ci/init.d"
# What is no command.
OTHER = {"text", "json", "toml", "rust"}
SECONDS = 20


def all_blocks():
    return [block for file in documents() for block in split(file)[0]]


def scenario_of(block):
    return next((word[9:] for word in block.words[1:] if word.startswith("scenario=")), None)


def problem_with(block):
    """Why nothing would run it; None if something does, or if it is no commands."""
    language, *rest = block.words or [""]
    if language in OTHER or language in ("conf", "yaml"):
        return None if not rest else f"what is {' '.join(rest)} of {language}?"
    if language != "sh":
        return "its first line has to say what it is: sh, conf, yaml, text or json (ci/book --help)"
    if not rest:
        return None
    if len(rest) > 1:
        return f"one word behind sh, not {' '.join(rest)}"
    key, _, value = rest[0].partition("=")
    if key == "not-run":
        return None if value else "not-run=REASON: the reason is missing"
    if key == "scenario":
        return problem_with_scenario(value)
    return problem_with_scripts(block) if key == "ci" else f"what is {rest[0]}?"


def problem_with_scenario(name):
    if (MACHINES / name).is_file():
        runs = "/book/*" in (MACHINES / name).read_text(encoding="utf-8")
        return None if runs else f"ci/init.d/{name} does not run its blocks: /book/*"
    file = scenario_file(name)
    if file is None:
        return f"there is no scenario {name}"
    text = file.read_text(encoding="utf-8")
    is_whole = "next_block" in text and "end_of_blocks" in text
    return None if is_whole else f"the scenario {name} does not run its blocks: next_block, end_of_blocks"


def problem_with_scripts(block):
    """Each line has to be a script of ci that a part of ci/test runs, with parts or scenarios
    that there are."""
    test = (ROOT / "ci/test").read_text(encoding="utf-8")
    parts = subprocess.run([ROOT / "ci/test", "--list"], capture_output=True, text=True, check=True).stdout.split()
    for line in block.lines:
        script, *words = line.partition("#")[0].split() or [""]
        words = [word for word in words if not word.startswith("-")]
        is_run = script in ("", "ci/install") or script.removeprefix("ci/") in parts
        if not is_run and not re.search(rf"{re.escape(script)}(?![\w-])", test):
            return f"ci/test does not run {script}"
        for word in words:
            if script == "ci/test" and word not in parts:
                return f"ci/test has no part {word}"
            if script in ("ci/native", "ci/vm", "ci/runtimes") and not scenario_file(word):
                return f"there is no scenario {word}"
    return None


def indented_code():
    """A block that is only indented says nothing of itself. Not so what continues a list."""
    for file in documents():
        before, in_list = "", False
        for number, line in split(file)[1]:
            if line.strip() and not line.startswith(" "):
                in_list = bool(re.match(r"[-*] |\d+\. ", line))
            if line.startswith("    ") and not before.strip() and not in_list:
                yield f"{name_of(file)}:{number}: this is code by indentation; fence it, and say what runs it"
            before = line


def in_order():
    """The blocks of each scenario, as they follow one another in their chapter."""
    found = {}
    for block in all_blocks():
        if scenario_of(block):
            found.setdefault(scenario_of(block), []).append(block)
    return found


def write(folder):
    folder = pathlib.Path(folder)
    blocks = {f"{name}.{number}": block for name, found in in_order().items() for number, block in enumerate(found, start=1)}
    for name, block in blocks.items():
        (folder / name).write_text(block.text, encoding="utf-8")
        (folder / name).chmod(0o755)
    for file in folder.iterdir():
        if file.name not in blocks:
            file.unlink()


# The daemon would run on; what its settings come to ends at once.
STAND_IN = """#!/bin/sh
case "${1:-}" in
  --help | --version) ;;
  '' | -*) set -- config "$@" ;;
esac
exec '%s' "$@"
"""


def command_of(block):
    """What runs the block; None where that is not done here."""
    language, rest = block.words[0], block.words[1:]
    if language == "sh" and not rest:
        return ["sh", "-eu", "block"]
    if language == "conf":
        return ["evictd", "config", "--flags-file=block"]
    if language == "yaml" and re.search("^kind: KubeletConfiguration|^kubeletArguments:", block.text, re.M):
        return ["evictd", "config", "--config=block"]
    return None


def run(evictd):
    blocks = all_blocks()
    problems = [f"{block.place}: {problem}" for block in blocks if (problem := problem_with(block))]
    problems += indented_code()
    counts = {"run here": 0, "run by scenarios": 0, "run by ci/test": 0, "not run": 0}
    with tempfile.TemporaryDirectory() as scratch:
        programs = pathlib.Path(scratch, "bin")
        programs.mkdir()
        stand_in = programs / "evictd"
        stand_in.write_text(STAND_IN % pathlib.Path(evictd).resolve(), encoding="utf-8")
        stand_in.chmod(0o755)
        for block in blocks if not problems else []:
            folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
            command = command_of(block)
            if command:
                counts["run here"] += 1
                problems += run_one(block, command, folder, programs)
            elif block.words[0] == "sh":
                counts[kind_of(block)] += 1
    for block in blocks:
        if block.words[1:] and block.words[1].startswith("not-run="):
            print(f"not run: {block.place}: {block.words[1][8:].replace('-', ' ')}")
    print(*problems, sep="\n", end="\n" if problems else "")
    print("commands:", ", ".join(f"{count} blocks {kind}" for kind, count in counts.items()) + f", {len(problems)} problems")
    sys.exit(1 if problems else 0)


def kind_of(block):
    word = block.words[1]
    return "run by scenarios" if word.startswith("scenario=") else "not run" if word.startswith("not-run=") else "run by ci/test"


def run_one(block, command, folder, programs):
    (folder / "block").write_text(block.text, encoding="utf-8")
    environment = {"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, timeout=SECONDS, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except subprocess.TimeoutExpired:
        return [f"{block.place}: not done in {SECONDS} s"]
    said = done.stdout.decode(errors="replace").strip().splitlines()[-3:]
    return [] if done.returncode == 0 else [f"{block.place}: exit {done.returncode}: {' / '.join(said)}"]


def show():
    for block in all_blocks():
        if block.words and block.words[0] not in OTHER:
            print(f"{block.place}: {' '.join(block.words)}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["list"]:
            show()
        case ["run", binary]:
            run(binary)
        case ["write", place]:
            write(place)
        case _:
            raise SystemExit(__doc__.strip())

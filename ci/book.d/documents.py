"""The documents of the book and of the front page, and what is in them: code and the rest."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
SUMMARY = DOCS / "SUMMARY.md"
SCENARIOS = ROOT / "ci/scenarios"

FENCE = re.compile(r"^( *)(```+)(.*)$")


def chapters():
    """What SUMMARY.md lists, in its order."""
    targets = re.findall(r"\]\(([^)]+)\)", SUMMARY.read_text(encoding="utf-8"))
    return [(DOCS / target).resolve() for target in targets]


def documents():
    """All that is checked: the top level, every chapter, and what is for developers."""
    return [*sorted(ROOT.glob("*.md")), *chapters(), *sorted((DOCS / "dev").glob("*.md"))]


def name_of(file):
    return str(file.relative_to(ROOT))


def scenario_file(name):
    """The file of a scenario, which several may share ("# runtimes: A B": NAME-A, NAME-B); None
    where there is no such scenario."""
    for file in (SCENARIOS / name, SCENARIOS / name.rpartition("-")[0]):
        if file.is_file() and "." not in name:
            shared = re.findall(r"^# runtimes: (.*)$", file.read_text(encoding="utf-8"), re.M)
            names = [f"{file.name}-{runtime}" for runtime in " ".join(shared).split()] or [file.name]
            return file if name in names else None
    return None


class Block:
    """A fenced block: the words of its first line, and its lines."""

    def __init__(self, file, line, words):
        self.file, self.line, self.words, self.lines = file, line, words, []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def place(self):
        return f"{name_of(self.file)}:{self.line}"


def split(file):
    """The blocks of a file, and its other lines as (number, line)."""
    blocks, prose, block, fence = [], [], None, ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        mark = FENCE.match(line)
        if block is None and mark:
            block, fence, indent = Block(file, number, mark[3].split()), mark[2], len(mark[1])
            blocks.append(block)
        elif block is None:
            prose.append((number, line))
        elif mark and mark[2] == fence and not mark[3].strip():
            block = None
        else:
            block.lines.append(line[indent:] if line[:indent].isspace() else line)
    if block is not None:
        raise SystemExit(f"{block.place}: the block is never closed")
    return blocks, prose

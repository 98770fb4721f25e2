"""Which file of a crate uses which other: no circle, no arrow upwards
inside the binary, no file too long, and no comment that begins with what stands elsewhere.

Rust has no tool for it; this reads the paths that stand in `use` and in the code. A name
that a module only passes on (`use` of something below it) belongs to the file that
defines it: who takes it from lib.rs depends on that file.
"""

import pathlib
import re
import tempfile

MOST_LINES = 350

# Inside bin/evictd, from the top: a module may use those of its own row and below. The
# rooms of one row never use each other: each is a process of its own.
BINARY = [{"main"}, {"run"}, {"daemon"}, {"hook", "serve"}]

TESTS = re.compile(r"(^|/)(tests?|testkit|fake|loom)(_\w+)?(/|\.rs$)|_tests?\.rs$")
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.M)
PATH = re.compile(r"(?<![\w:$])(?:crate|super|self)(?:\s*::\s*\w+)+")
MODULE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", re.M)
# A reader who lands there has to look for what it is that it is the same as.
ELSEWHERE = re.compile(r"^\s*//[/!] ?(?:The same|Likewise)\b", re.M)
# What a reader skips: comments, and text in quotes.
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|\'(?:\\.|[^\\\'])\'', re.S)
INLINE_TESTS = re.compile(r"^#\[cfg\((?:test|all\(test[^\n]*)\)\]\n(?:#\[[^\n]*\n)*(?:pub(?:\([^)]*\))? )?mod \w+ \{.*?^\}", re.M | re.S)


def branches(text):
    """The paths of a `use`: a::{b, c::{self, d as e}} is a::b, a::c and a::c::d."""
    text = re.sub(r"\s+as\s+\w+|\s+", "", text)
    while "{" in text:
        text = re.sub(r"([\w:]*)\{([^{}]*)\}", lambda match: ",".join(match[1] + path for path in match[2].split(",") if path), text)
    return [[word for word in path.removesuffix("::self").split("::") if word] for path in text.split(",") if path]


class File:
    """A module's file without its tests, comments and strings."""

    def __init__(self, path, module):
        self.path, self.module = path, module
        text = path.read_text(encoding="utf-8")
        code = INLINE_TESTS.sub("", text)
        self.lines = code.count("\n")
        self.elsewhere = [text.count("\n", 0, found.start()) + 1 for found in ELSEWHERE.finditer(text)]
        code = NOISE.sub(" ", code)
        self.children = set(MODULE.findall(code))
        self.uses = [branch for text in USE.findall(code) for branch in branches(text)]
        rest = USE.sub("", code)
        self.paths = [re.split(r"\s*::\s*", path) for path in PATH.findall(rest)]
        for child in self.children:
            self.paths += [[child, name] for name in re.findall(rf"(?<![\w:]){child}::(\w+)", rest)]


class Crate:
    """All files of a crate below src/, by their module's path; () is lib.rs or main.rs."""

    def __init__(self, src):
        self.src = src
        self.files = {}
        for path in sorted(src.rglob("*.rs")):
            inside = path.relative_to(src)
            if TESTS.search(str(inside)):
                continue
            parts = list(inside.with_suffix("").parts)
            # Where there are both, main.rs is no more than a user of lib.rs.
            if parts[-1] == "mod" or parts == ["lib"] or (parts == ["main"] and not (src / "lib.rs").exists()):
                parts.pop()
            self.files[tuple(parts)] = File(path, tuple(parts))

    def absolute(self, file, words):
        """The path from the crate's root, or None for what is of another crate."""
        at, words = file.module, list(words)
        if words[0] == "crate":
            return tuple(words[1:])
        if words[0] == "self":
            return at + tuple(words[1:])
        if words[0] == "super":
            while words and words[0] == "super":
                at, words = at[:-1], words[1:]
            return at + tuple(words)
        return at + tuple(words) if words[0] in file.children else None

    def home(self, path, seen=()):
        """The module whose file defines what stands at `path`."""
        module = path
        while module not in self.files:
            if not module:
                return None
            module = module[:-1]
        rest = path[len(module) :]
        if not rest or path in seen:
            return module
        file = self.files[module]
        for words in file.uses:
            if words[-1] in (rest[0], "*"):
                target = self.absolute(file, words)
                if target is None and words[-1] == rest[0]:
                    return None  # another crate's
                if target is None or target == path:
                    continue
                if words[-1] == "*":
                    target = (*target[:-1], rest[0])
                    found = self.home(target, (*seen, path))
                    if found == target[:-1] and not self.defines(found, rest[0]):
                        continue
                    return found
                return self.home(target + rest[1:], (*seen, path))
        return module

    def defines(self, module, name):
        text = self.files[module].path.read_text(encoding="utf-8")
        return re.search(rf"\b(?:fn|struct|enum|trait|type|const|static|union|mod|macro_rules!)\s+{name}\b", text)

    def arrows(self):
        """For each module those that it uses. Passing on what a child defines is none."""
        found = {module: set() for module in self.files}
        for module, file in self.files.items():
            for words in [*file.uses, *file.paths]:
                path = self.absolute(file, words)
                if path is None:
                    continue
                home = self.home(tuple(word for word in path if word != "*"))
                if home is not None and home != module and not self.passed_on(file, words):
                    found[module].add(home)
        return found

    def passed_on(self, file, words):
        """Whether a `use` of something below only gives it another place: `pub use`."""
        if words not in file.uses or words[0] not in {*file.children, "self"}:
            return False
        name = words[-1]
        code = NOISE.sub(" ", INLINE_TESTS.sub("", file.path.read_text(encoding="utf-8")))
        return name == "*" or not re.search(rf"\b{name}\b", USE.sub("", code))


def shortest(arrows, start, end):
    """The shortest way from one module to another; None where there is none."""
    ways, seen = [[start]], {start}
    for way in ways:
        if way[-1] == end:
            return way
        for module in sorted(arrows[way[-1]] - seen):
            seen.add(module)
            ways.append([*way, module])
    return None


def circles(arrows):
    """For each file that another uses the shortest way back to that one, each circle once."""
    found = {}
    for start in sorted(arrows):
        for target in sorted(arrows[start]):
            if way := shortest(arrows, target, start):
                found.setdefault(frozenset(way), [start, *way])
    return found.values()


def room_of(module):
    """The module below the crate's root that holds it, and its row."""
    top = module[0] if module else "main"
    return top, next((at for at, row in enumerate(BINARY) if top in row), len(BINARY))


def problem_in_binary(module, target):
    """Why one module of bin/evictd may not use another, or None."""
    (room, row), (other, below) = room_of(module), room_of(target)
    if below < row:
        return "which is above it"
    if below == row < len(BINARY) and other != room:
        return "which is another room"
    return None


def problems_in(src, binary=False):
    crate = Crate(src)
    show = lambda module: str(crate.files[module].path)  # noqa: E731
    for module, file in crate.files.items():
        if file.lines > MOST_LINES:
            yield f"{file.path}: {file.lines} lines without tests, {MOST_LINES} are allowed"
        for line in file.elsewhere:
            yield f"{file.path}:{line}: say what it is, not that it is the same as something else"
    arrows = crate.arrows()
    if binary:
        for module, targets in arrows.items():
            for target in sorted(targets):
                if problem := problem_in_binary(module, target):
                    yield f"{show(module)} uses {show(target)}, {problem}"
    for circle in circles(arrows):
        yield "a circle: " + " -> ".join(map(show, circle))


def problems(root):
    """All problems of the files below crates/ and bin/, one a line."""
    for src in sorted([*root.glob("crates/*/src"), *root.glob("bin/*/src")]):
        yield from problems_in(src, binary=src.parent.parent.name == "bin")


# What must be found, and what must not: files of a crate, and words of the one problem.
CASES = {
    "a circle of three": (
        {"main.rs": "mod a; mod b; mod c;", "a.rs": "use crate::b::B;", "b.rs": "use super::c::C;", "c.rs": "fn f() { crate::a::g() }"},
        "a circle: ",
    ),
    "a circle through a name that is passed on": (
        {"lib.rs": "mod a; mod b; mod c; pub use a::A;", "a.rs": "use crate::{b::B};", "b.rs": "use crate::c;", "c.rs": "use crate::A;"},
        "a circle: ",
    ),
    "two that use each other": ({"main.rs": "mod a; mod b;", "a.rs": "use crate::b::B;", "b.rs": "use crate::a::A;"}, "a circle: "),
    "a module and what is below it": (
        {"main.rs": "mod a;", "a/mod.rs": "mod b; mod c; use b::B; use c::C; fn f(_: B, _: C) {}", "a/b.rs": "use super::X;", "a/c.rs": "fn g() {}"},
        "a circle: ",
    ),
    "only tests and comments close the circle": (
        {
            "main.rs": "mod a; mod b; mod c;",
            "a.rs": "use crate::b::B;",
            "b.rs": "use crate::c::C;",
            "c.rs": "// crate::a::A\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n",
        },
        None,
    ),
    "a front page that only passes on": ({"lib.rs": "mod a; mod b; pub use a::A; pub use b::B;", "a.rs": "use crate::B;", "b.rs": ""}, None),
    "upwards": ({"main.rs": "mod daemon; mod log;", "daemon/mod.rs": "", "log.rs": "use crate::daemon::Daemon;"}, "which is above it"),
    "downwards": ({"main.rs": "mod daemon; mod log;", "daemon/mod.rs": "use crate::log::Log;", "log.rs": ""}, None),
    "one room uses the other": ({"main.rs": "mod hook; mod serve;", "hook/mod.rs": "", "serve/mod.rs": "use crate::hook::run;"}, "which is another room"),
    "a file of a room uses the other": ({"main.rs": "mod hook; mod serve;", "hook/mod.rs": "mod child;", "hook/child.rs": "use crate::serve::run;", "serve/mod.rs": ""}, "which is another room"),
    "the daemon is begun": ({"main.rs": "mod run; mod daemon;", "run.rs": "use crate::daemon::run;", "daemon/mod.rs": ""}, None),
    "the same as what": ({"main.rs": "/// The same.\nstruct A;"}, "say what it is"),
    "sameness in a sentence": ({"main.rs": "/// It has the same name.\nstruct A;"}, None),
    "too long": ({"main.rs": "//\n" * (MOST_LINES + 1)}, "lines without tests"),
    "long for its tests": ({"main.rs": "#[cfg(test)]\nmod tests {\n" + "//\n" * MOST_LINES + "}\n"}, None),
}


def selfcheck():
    """The names of the cases that this check judges wrongly."""
    for name, (files, expected) in CASES.items():
        with tempfile.TemporaryDirectory(prefix="evictd-deps-") as folder:
            for file, text in files.items():
                path = pathlib.Path(folder, file)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text.replace("; ", ";\n") + "\n", encoding="utf-8")
            found = list(problems_in(pathlib.Path(folder), binary=True))
        right = not found if expected is None else len(found) == 1 and expected in found[0]
        if not right:
            yield f"{name}: found {found or 'nothing'}"

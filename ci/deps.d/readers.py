"""Which readers of outside text have no test that poisons one item of many.

A reader is a public function `parse`, `parse_*` or `read_*` of a crate, or a function that a
fuzz target calls. Somewhere in its crate a line names it, and the tests that poison what it
reads: `readers: parse_a, parse_b -> test_one, test_two`.
"""

import pathlib
import re
import tempfile

from files import INLINE_TESTS, branches

# Crates that read nothing while evictd decides.
DEVELOPMENT = {"playground", "simulator", "testkit"}

# A crate, or a function of one, and why it needs no such test.
WITHOUT = {
    "containers:assemble": "it takes what was read",
    "containers:count_events": "whatever comes is an event",
    "containers:end_line": "it finds the end of a line",
    "containers:find_cgroup": "each line is one item, and the container's id is looked for in it",
    "containers:find_id": "it takes what was read",
    "containers:find_layer": "kerntext reads the text",
    "containers:parse_connection": "a connection is one item: HTTP/2's own frames",
    "containers:parse_image_id": "the answer is one item",
    "containers:parse_rfc3339": "each text is one item",
    "containers:read_response": "an answer is one item: HTTP's own head",
    "containers:step": "whatever comes is an event",
    "machine:read_meminfo": "kerntext reads the text",
    "stats:read_cgroup_limit_hits": "kerntext reads the text",
    "stats:read_cgroup_oom_kills": "kerntext reads the text",
    "stats:read_cpu_shares": "kerntext reads the text",
    "stats:read_memory_switched_off": "kerntext reads the text",
    "stats:read_node": "the file is one item: the machine's time of processors",
    "stats:read_swap_total": "kerntext reads the text",
    "stats:read_filesystem": "the kernel's answer to a call is one item",
    "stats:read_tree_usage": "each entry of a directory is one item",
    "threshold": "each text is one item: an operator's flag, refused as a whole",
    "quantity": "each text is one item",
    "node:parse_kubepods_name": "each name is one item",
    "gc:parse": "a pattern is one item: an operator's flag, refused as a whole",
    "gc:parse_pod_logs_name": "each name is one item",
    "gc:parse_log_file": "each name is one item",
    "gc:is_uid": "each name is one item",
    "gc:is_rotated": "each name is one item",
    "gc:rotated_name": "it reads nothing",
    "gc:notice": "it reads nothing",
    "gc:collect_images": "it takes what was read",
    "gc:plan_containers": "it takes what was read",
    "node:compare_uids": "it takes what was read",
    "node:is_uid": "each name is one item",
    "machine:read": "it takes what was read",
    "cgroup:read": "the file is one item: the kernel's word for a limit",
    "sys:read": "it opens a file",
    "cgroup:parse_pod_cgroup_root": "a path is one item: an operator's flag, refused as a whole",
    "evict:read_again": "it takes what was read",
    "sys:read_project": "the kernel's answer to a call is one item",
    "sys:read_project_usage": "the kernel's answer to a call is one item",
    "state:read_boot_id": "the file is one item",
    "state:to_json": "it reads nothing",
    "machine:read_text": "the caller reads the text",
    "cli:parse": "a command line is one item, refused as a whole",
    "config:lint": "it takes what was read",
    "config:effective": "it takes what was read",
    "config:reload": "it takes what was read",
    "config:resolve": "it takes what was read",
}

READER = re.compile(r"^\s*pub (?:const )?fn ((?:parse|read)(?:_\w+)?)\b", re.M)
PARSED = re.compile(r"^// parses: crates/(\w+)/\S*#(\w+)", re.M)
IMPORT = re.compile(r"^use (evictd_\w+::[^;]+);", re.M)
TABLE = re.compile(r"readers: ([^\n]*?) -> ([^\n]*)")
TEST_FILE = re.compile(r"(^|/)tests?(/|\.rs$)")


def words(text):
    return [word.strip(" `.") for word in text.split(",")]


def of_crates(root):
    """The readers by their names: `crate:function`."""
    for crate in sorted((root / "crates").iterdir()):
        for file in sorted(crate.glob("src/**/*.rs")):
            if crate.name not in DEVELOPMENT and not TEST_FILE.search(str(file.relative_to(crate))):
                text = INLINE_TESTS.sub("", file.read_text(encoding="utf-8"))
                yield from (f"{crate.name}:{name}" for name in READER.findall(text))


def of_targets(root):
    """What fuzz targets call of the crates, in the same names."""
    for file in sorted((root / "fuzz/fuzz_targets").glob("*.rs")):
        text = file.read_text(encoding="utf-8")
        yield from (f"{crate}:{name}" for crate, name in PARSED.findall(text) if crate not in DEVELOPMENT)
        for use in IMPORT.findall(text):
            for path in branches(use):
                crate, name = path[0].removeprefix("evictd_"), path[-1]
                is_called = re.search(rf"(?<!\w){name}\b", text.replace(use, ""))
                if name[0].islower() and len(path) > 1 and is_called and crate not in ("fuzz", *DEVELOPMENT):
                    yield f"{crate}:{name}"


def tables(root):
    """The readers that have tests, with those and where that is said."""
    for crate in sorted((root / "crates").iterdir()):
        for file in sorted(crate.glob("**/*.rs")):
            for readers, tests in TABLE.findall(file.read_text(encoding="utf-8")):
                for reader in words(readers):
                    yield f"{crate.name}:{reader.split('::')[-1]}", words(tests), file.relative_to(root)


def problems(root):
    readers = {*of_crates(root), *of_targets(root)}
    with_tests = list(tables(root))
    named = {reader for reader, _, _ in with_tests}
    sources = {crate.name: "".join(file.read_text(encoding="utf-8") for file in crate.glob("**/*.rs")) for crate in (root / "crates").iterdir()}
    for reader in sorted(readers - named):
        if reader not in WITHOUT and reader.split(":")[0] not in WITHOUT:
            yield f"{reader}: no line 'readers: {reader.split(':')[1]} -> TEST' names a test that poisons what it reads"
    for reader, tests, file in with_tests:
        source = sources[reader.split(":")[0]]
        yield from (f"{file}: there is no test {test}" for test in tests if not re.search(rf"\bfn {test}\(\)", source))
        if not re.search(rf"\bfn {reader.split(':')[1]}\b", source):
            yield f"{file}: {reader} is no function"
    for reader in sorted(WITHOUT.keys() & named):
        yield f"{reader} has a test: it needs no exception"
    all_named = readers | {reader.split(":")[0] for reader in readers}
    yield from (f"{reader} is no reader: it needs no exception" for reader in sorted(WITHOUT.keys() - all_named))


CASES = [
    ("pub fn parse_a() {}", ["x:parse_a: no line 'readers: parse_a -> TEST' names a test that poisons what it reads"]),
    ("pub fn read() {}", ["x:read: no line 'readers: read -> TEST' names a test that poisons what it reads"]),
    ("pub fn parse_a() {}\n// readers: parse_a -> t\n#[test]\nfn t() {}", []),
    ("pub fn parse_a() {}\n// readers: `parse_a` -> `t`, u\nfn t() {}", ["crates/x/src/lib.rs: there is no test u"]),
    ("// readers: parse_b -> t\nfn t() {}", ["crates/x/src/lib.rs: x:parse_b is no function"]),
    ("fn parse_a() {}\npub fn parsed() {}\npub(crate) fn parse_b() {}", []),
    ("#[cfg(test)]\nmod tests {\n    pub fn parse_a() {}\n}", []),
    ("pub fn called() {}", ["x:called: no line 'readers: called -> TEST' names a test that poisons what it reads"]),
]


def selfcheck():
    for source, expected in CASES:
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            (root / "crates/x/src").mkdir(parents=True)
            (root / "fuzz/fuzz_targets").mkdir(parents=True)
            (root / "crates/x/src/lib.rs").write_text(source + "\n", encoding="utf-8")
            if "fn called" in source:
                target = "use evictd_x::{Type, called};\nfuzz_target!(|b| called(b));\n"
                (root / "fuzz/fuzz_targets/x.rs").write_text(target, encoding="utf-8")
            found = [problem for problem in problems(root) if "needs no exception" not in problem]
            if found != expected:
                yield f"readers: {source!r}: {found}, and not {expected}"

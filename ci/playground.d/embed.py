"""Writes the playground's code and its recordings as scripts.

usage: embed.py WASM PAGE
"""

import base64
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What the page offers: where it lies, and what it is.
RECORDINGS = [
    ("crates/recording/tests/eviction.jsonl", "An edge node, for nine seconds"),
    ("crates/recording/tests/hour.jsonl", "A virtual machine, for an hour"),
]


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.strip())
    wasm, page = map(pathlib.Path, sys.argv[1:])
    code = base64.b64encode(wasm.read_bytes()).decode()
    (page / "wasm.js").write_text(f'const WASM = "{code}";\n', encoding="utf-8")
    recordings = [
        {"file": path.rsplit("/", 1)[-1], "about": about, "text": (ROOT / path).read_text(encoding="utf-8")}
        for path, about in RECORDINGS
    ]
    (page / "recordings.js").write_text(f"const RECORDINGS = {json.dumps(recordings)};\n", encoding="utf-8")


if __name__ == "__main__":
    main()

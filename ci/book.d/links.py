"""The links of the book: as it lies in the tree, and as it was built.

usage: links.py sources    each link of a document leads to a file of the tree, and to a
                           heading that this file has
       links.py assemble   lays docs/ and the documents of the top level beside each other,
                           in target/book-src, and what else they point to in tree/ there
       links.py rendered   each link and picture of target/book leads to something in it
       links.py outside    the addresses elsewhere
"""

import html.parser
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

from documents import DOCS, ROOT, SUMMARY, chapters, documents, name_of, split

SOURCE = ROOT / "target/book-src"
BOOK = ROOT / "target/book"

LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s]+)(\))")
CODE = re.compile(r"(`+)(?:(?!\1).)*?\1")


def is_elsewhere(target):
    return bool(re.match(r"[a-z][a-z0-9+.-]*:", target))


def links_of(file):
    """(line, target) of each link; what stands in code is none."""
    for number, line in split(file)[1]:
        for match in LINK.finditer(CODE.sub(lambda code: "x" * len(code[0]), line)):
            yield number, match[2]


def anchors_of(file):
    """The names of its headings, as Git's pages and mdbook make them."""
    names, counts = set(), {}
    for _, line in split(file)[1]:
        heading = re.match(r"#+ +(.*?)\s*$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            number = counts.get(name, 0)
            counts[name] = number + 1
            names.add(f"{name}-{number}" if number else name)
    return names


def sources():
    problems, count = [], 0
    listed = set(chapters())
    for file in sorted(DOCS.rglob("*.md")):
        if file not in listed and file != SUMMARY and not file.is_relative_to(DOCS / "dev"):
            problems.append(f"{name_of(file)}: docs/SUMMARY.md does not list it")
    for file in [SUMMARY, *documents()]:
        if not file.is_file():
            problems.append(f"docs/SUMMARY.md lists {name_of(file)}, which is not there")
            continue
        for line, target in links_of(file):
            if is_elsewhere(target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            to = (file.parent / path).resolve() if path else file
            if not to.exists():
                problems.append(f"{name_of(file)}:{line}: there is no {target}")
            elif anchor and anchor not in anchors_of(to):
                problems.append(f"{name_of(file)}:{line}: {name_of(to)} has no heading #{anchor}")
    finish(f"{count} links in the tree", problems)


def assemble():
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    files = [SUMMARY, *chapters()]
    for file in files:
        to = SOURCE / place_of(file)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(moved(file, set(files)), encoding="utf-8")


def place_of(file):
    """Where a document lies in the book."""
    return file.relative_to(DOCS) if file.is_relative_to(DOCS) else pathlib.Path(file.name.lower())


def moved(file, chapters_of_book):
    """Its text, with the links as they have to be where it lies in the book."""

    def link(match):
        path, mark, anchor = match[2].partition("#")
        if is_elsewhere(match[2]) or not path:
            return match[0]
        to = (file.parent / path).resolve()
        if to.is_relative_to(DOCS / "playground"):
            return match[0]  # ci/book lays it beside the chapters
        if to in chapters_of_book:
            place = place_of(to)
        else:
            place = keep(to).relative_to(SOURCE)
            mark = anchor = ""
        here = os.path.relpath(place, place_of(file).parent)
        return f"{match[1]}{here}{mark}{anchor}{match[3]}"

    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, line in split(file)[1]:
        lines[number - 1] = LINK.sub(link, line.rstrip("\n")) + "\n"
    return "".join(lines)


def keep(file):
    """Lays a file that is no chapter below tree/, and says where; of a directory its list.
    mdbook would take one that ends with md for a chapter, and leave it out."""
    place = SOURCE / "tree" / file.relative_to(ROOT)
    if file.is_dir():
        place /= "list.txt"
    elif file.suffix == ".md":
        place = place.with_suffix(".txt")
    place.parent.mkdir(parents=True, exist_ok=True)
    if file.is_dir():
        place.write_text("\n".join(sorted(os.listdir(file))) + "\n", encoding="utf-8")
    else:
        shutil.copyfile(file, place)
    return place


class Page(html.parser.HTMLParser):
    """What a page points to, and the places in it."""

    def __init__(self, file):
        super().__init__()
        self.targets, self.places = [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.targets.append(value)
            elif key in ("id", "name") and value:
                self.places.add(value)


def rendered():
    pages = {file: Page(file) for file in BOOK.rglob("*.html")}
    problems, count = [], 0
    for file, page in sorted(pages.items()):
        # What the server of a book shows for an address that it lacks: its paths begin there.
        if file.name in ("404.html", "toc.html"):
            continue
        for target in page.targets:
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            if is_elsewhere(target):
                continue
            count += 1
            to = (file.parent / path).resolve() if path else file
            if to.is_dir():
                to /= "index.html"
            if not to.is_file():
                problems.append(f"{name_of(file)}: {target} leads nowhere")
            elif anchor and to in pages and anchor not in pages[to].places:
                problems.append(f"{name_of(file)}: {target}: there is no such place")
    finish(f"{count} links in the book of {len(pages)} pages", sorted(set(problems)))


def outside():
    found = {target for file in documents() for _, target in links_of(file) if is_elsewhere(target)}
    print(*sorted(found), sep="\n")


def finish(what, problems):
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{what}, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    commands = {"sources": sources, "assemble": assemble, "rendered": rendered, "outside": outside}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        raise SystemExit(__doc__.strip())
    commands[sys.argv[1]]()

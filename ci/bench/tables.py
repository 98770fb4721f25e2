"""The table as text, as Markdown and as JSON."""

import dataclasses
import json
import statistics

HEAD = ["what", "ours", "reference", "ratio", "spread", "target", "met"]


def number(value):
    """Three digits that count, no exponents."""
    if value >= 99.95 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def spread(line):
    figures, unit = (line.ratios, "") if line.ratios else (line.ours, f" {line.unit}")
    if len(figures) < 2:
        return "one run"
    return f"{number(min(figures))}–{number(max(figures))}{unit}"


def target(line):
    parts = []
    if line.ratio_at_most is not None:
        parts.append(f"≤ {number(line.ratio_at_most)} ×")
    if line.at_most is not None:
        parts.append(f"≤ {number(line.at_most)} {line.unit}")
    if line.worst_at_most is not None:
        parts.append(f"worst ≤ {number(line.worst_at_most)} {line.unit}")
    return ", ".join(parts)


def met(line):
    if not target(line):
        return ""
    misses = line.misses()
    return f"no: {number(max(misses))} × too much" if misses else "yes"


def cells(line):
    worst = f" (worst {number(max(line.ours))})" if line.worst_at_most is not None else ""
    beside = f"{number(statistics.median(line.beside))} {line.unit}" if line.beside else ""
    return [
        line.what,
        f"{number(statistics.median(line.ours))} {line.unit}{worst}",
        f"{line.reference} {beside}".strip(),
        number(line.ratio) if line.ratio is not None else "",
        spread(line),
        target(line),
        met(line),
    ]


def title(table):
    how = "quick, no figure counts" if table.quick else f"{table.seconds:.0f} s"
    loads = f"load {min(table.loads):.1f}–{max(table.loads):.1f}"
    return f"{table.machine}, Linux {table.kernel}, {table.began}, {loads}, {how}"


def remarks(table):
    yield from (f"{line.what}: {line.note}" for line in table.lines if line.note)
    yield from (f"not measured: {name}: this machine lacks {lacks}" for name, lacks in table.lacking.items())
    yield from (f"FAILED: {name}: {error}" for name, error in table.broken.items())


def as_text(table):
    rows = [HEAD, *(cells(line) for line in table.lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    text = [title(table), ""]
    text += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([*text, "", *remarks(table)]).rstrip()


def as_markdown(table):
    rows = [HEAD, ["---"] * len(HEAD), *(cells(line) for line in table.lines)]
    text = [title(table), "", *("| " + " | ".join(row) + " |" for row in rows), ""]
    return "\n".join([*text, *(f"* {remark}" for remark in remarks(table))]).rstrip() + "\n"


def as_json(table):
    data = dataclasses.asdict(table)
    for line, measured in zip(table.lines, data["lines"]):
        measured.update(ratio=line.ratio, met=met(line))
    return json.dumps(data, indent=1, ensure_ascii=False)

"""Pictures of the playground, for a person to look at.

usage: screenshots.py PAGE DIRECTORY
"""

import pathlib
import sys

from browser import browser


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.strip())
    page, place = map(pathlib.Path, sys.argv[1:])
    place.mkdir(parents=True, exist_ok=True)
    with browser() as it:
        for name, width, height, scheme, script in [
            ("recording-light", 1280, 1000, "light", ""),
            ("recording-narrow-dark", 360, 2400, "dark", ""),
            ("hour-light", 1280, 1400, "light", "byId('included').value = 'hour.jsonl'; choose('hour.jsonl'); byId('soft-memory.available').value = 60; byId('soft-memory.available').dispatchEvent(new Event('input'))"),
            ("box-dark", 1280, 1000, "dark", "select('box')"),
            ("box-narrow-light", 360, 2400, "light", "select('box')"),
            ("broken", 1280, 700, "light", "take('x.jsonl', new TextEncoder().encode('{}'))"),
        ]:
            it.show_as(width, scheme, height)
            it.open(page / "index.html")
            it.run(script or "0")
            it.picture(place / f"{name}.png")
            print(place / f"{name}.png")


if __name__ == "__main__":
    main()
